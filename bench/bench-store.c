/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fills the store of a repository: a line of standard input is a version, as `git log
 * --format='%H %T'` prints it, and gets N small profiles, all different. What the store commands
 * cost does not depend on what is in the profiles.
 *
 *   git log --format='%H %T' | bench-store STORE N
 *   git log --format='%H %T' | bench-store STORE N FUNCTIONS
 *
 * With FUNCTIONS, all are of one job, and each has so many functions, with times and calls that
 * are noisy and move now and then; 150 of them have more than half a percent of the time each.
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
#define LARGE    150

/* Repeatable noise from -1 to 1, about bell-shaped. */
static double noise(unsigned long a, unsigned long b)
{
	uint64_t x = (a * 1000003 + b) * 0x9e3779b97f4a7c15u;
	double sum = 0;

	for (int i = 0; i < 4; i++) {
		x ^= x >> 29;
		x *= 0xbf58476d1ce4e5b9u;
		sum += (double)(x >> 11) * 0x1p-53 - 0.5;
	}
	return sum / 2;
}

static struct rarog_summary summary_of(unsigned long f, unsigned long i)
{
	double level = 1 + 0.1 * (double)((i + f * 37) / 1000 % 3);
	uint64_t ns = (uint64_t)((f < LARGE ? 1e6 : 2e4) * level * (1 + 0.03 * noise(i, f)));
	uint64_t calls = 100 + f + (i + f * 53) / 2500;

	return (struct rarog_summary){ .location = (uint32_t)f,
				       .strand = RAROG_NONE,
				       .count = calls,
				       .timed = calls,
				       .sum = ns,
				       .total = ns,
				       .exclusive = ns,
				       .min = ns / calls,
				       .max = ns / calls };
}

static int add_functions(struct rarog_profile_writer *writer, unsigned long n, unsigned long i)
{
	rarog_cleanup(rarog_freep) struct rarog_summary *summaries = calloc(n, sizeof(*summaries));
	const struct rarog_profile_binary binary = { .path = "/usr/bin/prog" };
	int r = summaries ? 0 : rarog_oom();

	if (r == 0 && rarog_profile_add_binary(writer, &binary) < 0)
		r = -1;
	for (unsigned long f = 0; r == 0 && f < n; f++) {
		char name[32];
		const struct rarog_location location = { .address = f * 16, .name = name };

		snprintf(name, sizeof(name), "function_%lu", f);
		r = rarog_profile_add_location(writer, &location) < 0 ? -1 : 0;
		summaries[f] = summary_of(f, i);
	}
	return r < 0 ? r : rarog_profile_add_summaries(writer, n, summaries);
}

static int write_profile(const char *path, const char *commit, const char *tree, unsigned long i,
			 unsigned long functions)
{
	rarog_cleanup(rarog_profile_writer_freep) struct rarog_profile_writer *writer = NULL;
	rarog_cleanup(rarog_str_release) struct rarog_str header = { 0 };
	const struct rarog_clock clock = { .hz = 1000000000, .origin_ns = 1 };
	unsigned long kind = functions ? 1 : i; /* one job */
	int r = rarog_profile_writer_new(path, &writer);

	if (r == 0 && functions)
		r = add_functions(writer, functions, i);
	if (r < 0)
		return r;
	rarog_profile_set_clock(writer, &clock);
	r = rarog_str_addf(&header,
			   "{\"command\":[\"./prog%lu\",\"-x\"],\"workload\":\"w%lu\","
			   "\"collector\":\"%s\",\"engine\":\"inline\",\"started_ns\":%lu,"
			   "\"commit\":\"%s\",\"tree\":\"%s\",\"dirty\":false,"
			   "\"machine\":{\"architecture\":\"x86_64\",\"cpu\":\"Bench %lu\"}}",
			   kind % COMMANDS, kind % 3, i % 2 && !functions ? "time" : "trace",
			   1700000000000000000ul + i * 1000000000, commit, tree, kind % 2);
	if (r == 0)
		r = rarog_profile_set_header(writer, rarog_str_text(&header));
	return r < 0 ? r : rarog_profile_writer_commit(writer, NULL);
}

static int add(struct rarog_store *store, const char *path, const char *commit, const char *tree,
	       unsigned long i, unsigned long functions)
{
	const struct rarog_record_options options = { 0 };
	struct rarog_hash object;
	int64_t id;
	int r = write_profile(path, commit, tree, i, functions);

	if (r == 0)
		r = rarog_record_add(store, path, &options, &id, &object);
	return r < 0 ? r : 0;
}

static int fill(struct rarog_store *store, const char *path, unsigned long each,
		unsigned long functions)
{
	char line[256], commit[80], tree[80];
	unsigned long i = 0;
	int r = rarog_store_begin(store);

	while (r == 0 && fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "%79s %79s", commit, tree) != 2)
			return rarog_fail(-1, "not a commit and its tree: %s", line);
		for (unsigned long n = 0; r == 0 && n < each; n++, i++) {
			r = add(store, path, commit, tree, i, functions);
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

	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: bench-store STORE N [FUNCTIONS] <VERSIONS\n");
		return 2;
	}
	r = rarog_store_open(argv[1], NULL, &store);
	/* not on the disk: writing it is not what is measured */
	path = rarog_asprintf("/dev/shm/bench-%ld.rarog", (long)getpid());
	if (r == 0 && !path)
		r = rarog_oom();
	if (r == 0)
		r = fill(store, path, strtoul(argv[2], NULL, 10),
			 argc > 3 ? strtoul(argv[3], NULL, 10) : 0);
	if (path)
		unlink(path);
	if (r < 0)
		fprintf(stderr, "bench-store: %s\n", rarog_error_message());
	return r < 0;
}
