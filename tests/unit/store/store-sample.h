/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small profiles and a scratch directory for the tests of src/store. */
#ifndef STORE_SAMPLE_H
#define STORE_SAMPLE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "profile/writer.h"

static char sample_directory[64];

static inline int sample_enter(void **state)
{
	(void)state;
	strcpy(sample_directory, "/tmp/rarog-test-XXXXXX");
	return mkdtemp(sample_directory) && chdir(sample_directory) == 0 ? 0 : -1;
}

static inline int sample_leave(void **state)
{
	char command[256];

	(void)state;
	snprintf(command, sizeof(command), "chmod -R u+w %s; rm -rf %s", sample_directory,
		 sample_directory);
	return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

struct sample {
	const char *commit; /* NULL: none */
	const char *command, *workload, *collector, *engine;
	const char *more; /* members of the header, each with a comma before it */
	unsigned started_s;
	unsigned functions;
};

/* A sound profile file; different samples have different bytes. Returns 0 or -errno. */
static inline int sample_write(const char *path, const struct sample *s)
{
	rarog_cleanup(rarog_profile_writer_freep) struct rarog_profile_writer *w = NULL;
	const struct rarog_clock clock = { .hz = 1000000000, .origin_ns = 1 };
	rarog_cleanup(rarog_str_release) struct rarog_str header = { 0 };
	int r = rarog_profile_writer_new(path, &w);

	for (unsigned i = 0; r == 0 && i < s->functions; i++) {
		char name[32];
		struct rarog_location l = { .binary = RAROG_NONE, .address = i * 16, .name = name };

		snprintf(name, sizeof(name), "function_%u", i);
		r = rarog_profile_add_location(w, &l) < 0 ? -1 : 0;
	}
	if (r < 0)
		return r;
	rarog_profile_set_clock(w, &clock);
	rarog_str_addf(&header, "{\"command\":[\"%s\",\"-x\"],\"workload\":\"%s\",",
		       s->command ? s->command : "./prog", s->workload ? s->workload : "");
	rarog_str_addf(&header, "\"collector\":\"%s\",\"engine\":\"%s\",\"started_ns\":%llu,",
		       s->collector ? s->collector : "trace", s->engine ? s->engine : "inline",
		       1000000000ull * s->started_s);
	if (s->commit)
		rarog_str_addf(&header, "\"commit\":\"%s\",", s->commit);
	rarog_str_addf(&header, "\"machine\":{\"cpu\":\"Test 1\",\"cpus\":2,\"host\":\"a\"}%s}",
		       s->more ? s->more : "");
	r = rarog_profile_set_header(w, rarog_str_text(&header));
	return r < 0 ? r : rarog_profile_writer_commit(w, NULL);
}

#endif
