/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes and threads of events whose ends, or beginnings, are missing. Oracle: which process of
 * a number it is, worked out by hand. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#include "base/str.h"
#include "engine/probed/streams.h"
#include "profile/reader.h"

#define FOREVER 1000    /* ns */
#define PID     5000000 /* no process has such a number */
#define OTHER   5000001
#define THREAD  5000002

/* A function returns, or it is called: of that a place is told. */
#define CALL(time, pid, thread)                                                                    \
	{                                                                                          \
		.ns = (time), .process = (pid), .tid = (thread), .place = 0x1000,                  \
		.kind = RAROG_PROBED_ENTRY                                                         \
	}
#define JOIN(time, pid, started)                                                                   \
	{                                                                                          \
		.ns = (time), .process = (pid), .tid = (pid), .place = (started),                  \
		.kind = RAROG_PROBED_JOIN                                                          \
	}
#define FORK(time, pid, child, started)                                                            \
	{                                                                                          \
		.ns = (time), .process = (pid), .tid = (pid), .number = (child),                   \
		.place = (started), .kind = RAROG_PROBED_FORK                                      \
	}
#define END(time, pid)                                                                             \
	{                                                                                          \
		.ns = (time), .process = (pid), .tid = (pid), .kind = RAROG_PROBED_END_ALL         \
	}
#define EXEC(time, pid)                                                                            \
	{                                                                                          \
		.ns = (time), .process = (pid), .tid = (pid), .kind = RAROG_PROBED_EXEC            \
	}

static struct rarog_id_map *add_function(struct rarog_recorder *r)
{
	const struct rarog_profile_binary binary = { .path = "/x", .build_id = "" };
	const struct rarog_location location = { .name = "f", .address = 16 };
	struct rarog_id_map *map = rarog_recorder_id_map(r, 1);

	assert_non_null(map);
	assert_int_equal(rarog_recorder_add_locations(r, &binary, 1, &location), 0);
	map->locations[0] = 0;
	map->n = 1;
	return map;
}

static void write_profile(const char *path, size_t n, const struct rarog_probed_event events[n])
{
	rarog_cleanup(rarog_profile_writer_freep) struct rarog_profile_writer *w = NULL;
	rarog_cleanup(rarog_recorder_freep) struct rarog_recorder *r = NULL;
	rarog_cleanup(rarog_probed_streams_freep) struct rarog_probed_streams *streams = NULL;
	const struct rarog_plan plan = { .detail = RAROG_DETAIL_CALLS, .max_size = 1 << 20 };
	struct rarog_recorder_options options = { .plan = &plan, .directory = "/tmp" };
	struct rarog_recorder_totals totals;

	assert_int_equal(rarog_profile_writer_new(path, &w), 0);
	options.writer = w;
	assert_int_equal(rarog_recorder_new(&options, &r), 0);
	assert_int_equal(rarog_probed_streams_new(r, add_function(r), NULL, &streams), 0);
	assert_int_equal(rarog_probed_streams_everybody(streams, "/proc/self/exe", "x", false), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(rarog_probed_streams_take(streams, &events[i]), 0);
	assert_int_equal(rarog_probed_streams_finish(streams, FOREVER), 0);
	assert_int_equal(rarog_recorder_finish(r, FOREVER, &totals), 0);
	assert_int_equal(rarog_profile_set_header(w, "{}"), 0);
	assert_int_equal(rarog_profile_writer_commit(w, NULL), 0);
}

/* Of the threads of process number @process. */
static uint64_t calls_of(struct rarog_profile *profile, uint32_t process)
{
	const struct rarog_summary *summaries;
	const struct rarog_strand *strands;
	long n = rarog_profile_summaries(profile, &summaries);
	uint64_t calls = 0;

	assert_true(rarog_profile_strands(profile, &strands) >= 0);
	for (long i = 0; i < n; i++)
		if (summaries[i].strand != RAROG_NONE &&
		    strands[summaries[i].strand].process == process)
			calls += summaries[i].count;
	return calls;
}

/* "P10-20:2<0", each process: letter of its number, from when, until when, calls, its parent */
static char *read_profile(const char *path)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	const struct rarog_process *processes;
	struct rarog_str text = { 0 };
	long n;

	assert_int_equal(rarog_profile_open(path, &profile), 0);
	n = rarog_profile_processes(profile, &processes);
	for (uint32_t i = 0; i < n; i++) {
		const struct rarog_process *p = &processes[i];

		rarog_str_addf(&text, "%s%c%" PRIu64 "-%" PRIu64 ":%" PRIu64, i > 0 ? " " : "",
			       p->pid == PID ? 'P' : 'O', p->start_ticks, p->end_ticks,
			       calls_of(profile, i));
		if (p->parent != RAROG_NONE)
			rarog_str_addf(&text, "<%" PRIu32, p->parent);
	}
	return rarog_str_take(&text);
}

static void expect(const char *expected, size_t n, const struct rarog_probed_event events[n])
{
	char path[] = "/tmp/rarog-test-streams-XXXXXX";
	rarog_cleanup(rarog_freep) char *got = NULL;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	write_profile(path, n, events);
	got = read_profile(path);
	unlink(path);
	assert_string_equal(got, expected);
}

#define EXPECT(expected, ...)                                                                      \
	do {                                                                                       \
		const struct rarog_probed_event all[] = { __VA_ARGS__ };                           \
		expect(expected, sizeof(all) / sizeof(*all), all);                                 \
	} while (0)

TEST(whole)
{
	EXPECT("P10-30:2", JOIN(10, PID, 1), CALL(11, PID, PID), CALL(12, PID, PID), END(30, PID));
	EXPECT("P10-1000:1 O20-40:1<0", JOIN(10, PID, 1), FORK(20, PID, OTHER, 20),
	       CALL(21, PID, PID), CALL(22, OTHER, OTHER), END(40, OTHER));
	/* two programs, one after the other */
	EXPECT("P10-20:1 P20-30:1<0", JOIN(10, PID, 1), CALL(11, PID, PID), EXEC(20, PID),
	       CALL(21, PID, PID), END(30, PID));
}

/* A thread may tell of its calls while another is about to tell that the process has joined. */
TEST(beginning_after_a_call)
{
	EXPECT("P10-30:3", CALL(10, PID, THREAD), JOIN(11, PID, 1), CALL(12, PID, THREAD),
	       CALL(13, PID, PID), END(30, PID));
	EXPECT("P10-30:1", JOIN(10, PID, 1), JOIN(11, PID, 1), CALL(12, PID, PID), END(30, PID));
}

TEST(number_used_again_after_a_lost_end)
{
	EXPECT("P10-50:1 P50-70:2", JOIN(10, PID, 1), CALL(11, PID, PID), JOIN(50, PID, 49),
	       CALL(51, PID, PID), CALL(52, PID, PID), END(70, PID));
	/* what the first one forked is its child still */
	EXPECT("P10-50:1 O20-1000:1<0 P50-1000:1", JOIN(10, PID, 1), CALL(11, PID, PID),
	       FORK(20, PID, OTHER, 19), JOIN(50, PID, 49), CALL(51, PID, PID),
	       CALL(52, OTHER, OTHER));
	EXPECT("O10-1000:0 P20-60:1<0 P60-1000:2<0", JOIN(10, OTHER, 1), FORK(20, OTHER, PID, 19),
	       CALL(21, PID, PID), FORK(60, OTHER, PID, 59), CALL(61, PID, PID),
	       CALL(62, PID, PID));
	/* a joined one is the same after it has executed the file again */
	EXPECT("P10-20:0 P20-60:1<0 P60-1000:1", JOIN(10, PID, 1), EXEC(20, PID), JOIN(21, PID, 1),
	       CALL(22, PID, PID), JOIN(60, PID, 59), CALL(61, PID, PID));
}

TEST(thread_of_another_process)
{
	EXPECT("P10-1000:1 O20-1000:2", JOIN(10, PID, 1), CALL(11, PID, THREAD), JOIN(20, OTHER, 2),
	       CALL(21, OTHER, THREAD), CALL(22, OTHER, THREAD));
}
