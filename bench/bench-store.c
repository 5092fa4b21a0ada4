/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fills the store of a repository: a line of standard input is a version, as `git log
 * --format='%H %T'` prints it, and gets N small profiles, all different. What the store commands
 * cost does not depend on what is in the profiles.
 *
 *   git log --format='%H %T' | bench-store STORE N
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "profile/writer.h"
#include "store/record.h"
#include "store/store.h"

#define BATCH    4000 /* profiles in a transaction */
#define COMMANDS 5

static int write_profile(const char *path, const char *commit, const char *tree, unsigned long i)
{
	rarog_cleanup(rarog_profile_writer_freep) struct rarog_profile_writer *writer = NULL;
	rarog_cleanup(rarog_str_release) struct rarog_str header = { 0 };
	const struct rarog_clock clock = { .hz = 1000000000, .origin_ns = 1 };
	int r = rarog_profile_writer_new(path, &writer);

	if (r < 0)
		return r;
	rarog_profile_set_clock(writer, &clock);
	r = rarog_str_addf(&header,
			   "{\"command\":[\"./prog%lu\",\"-x\"],\"workload\":\"w%lu\","
			   "\"collector\":\"%s\",\"engine\":\"inline\",\"started_ns\":%lu,"
			   "\"commit\":\"%s\",\"tree\":\"%s\",\"dirty\":false,"
			   "\"machine\":{\"architecture\":\"x86_64\",\"cpu\":\"Bench %lu\"}}",
			   i % COMMANDS, i % 3, i % 2 ? "time" : "trace",
			   1700000000000000000ul + i * 1000000000, commit, tree, i % 2);
	if (r == 0)
		r = rarog_profile_set_header(writer, rarog_str_text(&header));
	return r < 0 ? r : rarog_profile_writer_commit(writer, NULL);
}

static int add(struct rarog_store *store, const char *path, const char *commit, const char *tree,
	       unsigned long i)
{
	const struct rarog_record_options options = { 0 };
	struct rarog_hash object;
	int64_t id;
	int r = write_profile(path, commit, tree, i);

	if (r == 0)
		r = rarog_record_add(store, path, &options, &id, &object);
	return r < 0 ? r : 0;
}

static int fill(struct rarog_store *store, const char *path, unsigned long each)
{
	char line[256], commit[80], tree[80];
	unsigned long i = 0;
	int r = rarog_store_begin(store);

	while (r == 0 && fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "%79s %79s", commit, tree) != 2)
			return rarog_fail(-1, "not a commit and its tree: %s", line);
		for (unsigned long n = 0; r == 0 && n < each; n++, i++) {
			r = add(store, path, commit, tree, i);
			if (r == 0 && i % BATCH == BATCH - 1)
				r = rarog_store_commit(store);
			if (r == 0 && i % BATCH == BATCH - 1)
				r = rarog_store_begin(store);
		}
	}
	return r < 0 ? r : rarog_store_commit(store);
}

int main(int argc, char **argv)
{
	rarog_cleanup(rarog_store_freep) struct rarog_store *store = NULL;
	rarog_cleanup(rarog_freep) char *path = NULL;
	int r;

	if (argc != 3) {
		fprintf(stderr, "usage: bench-store STORE N <VERSIONS\n");
		return 2;
	}
	r = rarog_store_open(argv[1], NULL, &store);
	/* not on the disk: writing it is not what is measured */
	path = rarog_asprintf("/dev/shm/bench-%ld.rarog", (long)getpid());
	if (r == 0 && !path)
		r = rarog_oom();
	if (r == 0)
		r = fill(store, path, strtoul(argv[2], NULL, 10));
	if (path)
		unlink(path);
	if (r < 0)
		fprintf(stderr, "bench-store: %s\n", rarog_error_message());
	return r < 0;
}
