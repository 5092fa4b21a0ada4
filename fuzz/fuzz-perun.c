/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Profiles and indices of Perun. What can be read must give a profile that can be opened, whose
 * note is the text that was read.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "import/perun-folder.h"
#include "import/perun.h"
#include "profile/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static int visit(const struct rarog_perun_entry *entry, void *user)
{
	size_t *total = user;

	if (strlen(entry->object) != 40)
		abort();
	*total += strlen(entry->path);
	return 0;
}

static void check(const char *path)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	rarog_cleanup(rarog_freep) char *text = NULL;
	const struct rarog_summary *summaries;
	const struct rarog_node *nodes;
	size_t n;

	if (rarog_profile_open(path, &profile) < 0 || rarog_profile_is_partial(profile) ||
	    rarog_profile_summaries(profile, &summaries) < 0 ||
	    rarog_profile_nodes(profile, &nodes) < 1 ||
	    rarog_profile_note(profile, "perun", &text, &n) < 0 ||
	    text[strspn(text, " \t\r\n")] != '{')
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	rarog_cleanup(rarog_perun_freep) struct rarog_perun *perun = NULL;
	const struct rarog_perun_options options = { .started_ns = 1 };
	struct rarog_perun_result result;
	size_t total = 0;
	char path[64];

	rarog_perun_index_parse("fuzz", n, bytes, visit, &total);
	if (rarog_perun_parse("fuzz", n, bytes, &perun) < 0)
		return 0;
	snprintf(path, sizeof(path), "/dev/shm/rarog-fuzz-%ld", (long)getpid());
	if (rarog_perun_write(perun, &options, path, &result) == 0)
		check(path);
	unlink(path);
	return 0;
}
