/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From records of context switches to off-CPU time of functions: records made up here go through a
 * recorder into a profile. And the kernel's own records of a child that sleeps and works.
 */
#include "assemble-recorder.h"
#include "unit.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "events/switches.h"
#include "profile/reader.h"

#define TID 77

struct bench {
	struct rarog_profile_writer *writer;
	struct rarog_recorder *recorder;
	struct rarog_id_map *map;
	struct rarog_switches *switches;
	struct rarog_profile *profile;
	char path[64];
};

static void setup(struct bench *b, enum rarog_detail detail)
{
	static struct rarog_plan plan;
	struct rarog_recorder_options options = { .plan = &plan, .directory = "/tmp" };
	struct rarog_location locations[FUNCTIONS] = { 0 };
	const struct rarog_profile_binary binary = { .path = "/x", .build_id = "" };
	const struct rarog_process process = { .pid = 1, .parent = RAROG_NONE, .command = "x" };

	*b = (struct bench){ .path = "/tmp/rarog-test-switches-XXXXXX" };
	assert_true(close(mkstemp(b->path)) == 0);
	plan = (struct rarog_plan){ .detail = detail };
	assert_int_equal(rarog_profile_writer_new(b->path, &b->writer), 0);
	options.writer = b->writer;
	assert_int_equal(rarog_recorder_new(&options, &b->recorder), 0);
	b->map = rarog_recorder_id_map(b->recorder, FUNCTIONS);
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		locations[i] = (struct rarog_location){ .name = "f", .address = 16 * i };
	assert_int_equal(rarog_recorder_add_locations(b->recorder, &binary, FUNCTIONS, locations),
			 0);
	assert_int_equal(rarog_recorder_add_process(b->recorder, &process), 0);
	memcpy(b->map->locations, identity, sizeof(identity));
	b->map->n = FUNCTIONS;
	assert_int_equal(rarog_switches_new(b->recorder, NULL, &b->switches), 0);
}

static void take(struct bench *b, uint64_t ticks, uint32_t tid, enum rarog_switch_kind kind)
{
	const struct rarog_switch record = { .ticks = ticks, .tid = tid, .kind = kind };

	assert_int_equal(rarog_switches_take(b->switches, &record), 0);
}

/* A strand of @tid: one call of function @id for @ticks. */
static void add_strand(struct bench *b, uint32_t strand, uint32_t tid, uint64_t start)
{
	const struct rarog_strand row = { .tid = tid, .start_ticks = start };

	assert_int_equal(rarog_recorder_add_strand(b->recorder, &row, b->map), strand);
	assert_int_equal(rarog_switches_add(b->switches, strand, tid, start), 0);
}

static void give_call(struct bench *b, uint32_t strand, uint32_t id, uint64_t start, uint64_t ticks,
		      bool is_open)
{
	struct words words = { 0 };

	escape(&words, RAROG_ESCAPE_START, 4, start);
	entry(&words, id, 0, false);
	escape(&words, RAROG_ESCAPE_TIME64, 4, ticks);
	if (!is_open)
		leave(&words, 0);
	assert_int_equal(rarog_switches_before(b->switches, strand), 0);
	assert_int_equal(rarog_recorder_words(b->recorder, strand, words.w.n, words.w.v), 0);
	rarog_vec_release(&words.w);
}

static void end_strand(struct bench *b, uint32_t strand, uint64_t ticks)
{
	assert_int_equal(rarog_switches_end(b->switches, strand), 0);
	assert_int_equal(rarog_recorder_end_strand(b->recorder, strand, ticks), 0);
}

static void close_bench(struct bench *b, uint64_t end)
{
	struct rarog_recorder_totals totals;

	assert_int_equal(rarog_recorder_finish(b->recorder, end, &totals), 0);
	assert_int_equal(rarog_profile_set_header(b->writer, "{}"), 0);
	assert_int_equal(rarog_profile_writer_commit(b->writer, NULL), 0);
	assert_int_equal(rarog_profile_open(b->path, &b->profile), 0);
	unlink(b->path);
}

static void release(struct bench *b)
{
	rarog_profile_free(b->profile);
	rarog_switches_free(b->switches);
	rarog_recorder_free(b->recorder);
	rarog_profile_writer_free(b->writer);
}

static struct rarog_off_cpu off_cpu_of(struct bench *b, uint32_t location)
{
	const struct rarog_off_cpu *rows;
	long n = rarog_profile_off_cpu(b->profile, &rows);

	assert_true(n > 0);
	for (long i = 0; i < n; i++)
		if (rows[i].location == location && rows[i].strand == RAROG_NONE)
			return rows[i];
	return (struct rarog_off_cpu){ 0 };
}

/* Whatever order the rings are read in; calls kept or summed up at once. */
TEST(records_come_in_any_order)
{
	static const struct {
		uint64_t ticks;
		enum rarog_switch_kind kind;
	} records[] = {
		{ 990, RAROG_SWITCH_BORN },       { 1000, RAROG_SWITCH_IN },
		{ 1100, RAROG_SWITCH_WAITS },     { 1150, RAROG_SWITCH_IN },
		{ 1200, RAROG_SWITCH_PREEMPTED }, { 1207, RAROG_SWITCH_IN },
	};
	static const size_t orders[][6] = {
		{ 0, 1, 2, 3, 4, 5 },
		{ 5, 4, 3, 2, 1, 0 },
		{ 1, 3, 5, 0, 2, 4 },
		{ 3, 0, 5, 1, 4, 2 },
	};

	for (size_t order = 0; order < RAROG_COUNT(orders); order++)
		for (int summary = 0; summary < 2; summary++) {
			struct bench b;

			setup(&b, summary ? RAROG_DETAIL_SUMMARY : RAROG_DETAIL_CALLS);
			for (size_t i = 0; i < RAROG_COUNT(records); i++)
				take(&b, records[orders[order][i]].ticks, TID,
				     records[orders[order][i]].kind);
			add_strand(&b, 0, TID, 1010);
			give_call(&b, 0, 4, 1010, 500, false);
			end_strand(&b, 0, 2000);
			close_bench(&b, 2000);
			assert_int_equal(off_cpu_of(&b, 4).waited, 50);
			assert_int_equal(off_cpu_of(&b, 4).preempted, 7);
			assert_false(off_cpu_of(&b, RAROG_NONE).is_unknown);
			release(&b);
		}
}

/* A number is used again: the older thread's calls have the older one's records. */
TEST(numbers_of_threads_are_used_again)
{
	struct bench b;

	setup(&b, RAROG_DETAIL_SUMMARY);
	take(&b, 1000, TID, RAROG_SWITCH_BORN);
	take(&b, 1001, TID, RAROG_SWITCH_IN);
	take(&b, 5001, TID, RAROG_SWITCH_IN); /* of the next, read too early */
	take(&b, 1100, TID, RAROG_SWITCH_WAITS);
	take(&b, 1110, TID, RAROG_SWITCH_IN);
	take(&b, 5000, TID, RAROG_SWITCH_BORN);
	take(&b, 1500, TID, RAROG_SWITCH_GONE);
	take(&b, 5100, TID, RAROG_SWITCH_WAITS);
	take(&b, 5130, TID, RAROG_SWITCH_IN);
	add_strand(&b, 0, TID, 1050);
	add_strand(&b, 1, TID, 5050);
	give_call(&b, 0, 1, 1050, 400, true); /* open when the thread ended */
	give_call(&b, 1, 2, 5050, 400, false);
	end_strand(&b, 0, 6000);
	end_strand(&b, 1, 6000);
	close_bench(&b, 6000);
	assert_int_equal(off_cpu_of(&b, 1).waited, 10 + 6000 - 1500);
	assert_int_equal(off_cpu_of(&b, 2).waited, 30);
	release(&b);
}

/* The first thread ends, another execs and has its number; it was not switched since. */
TEST(a_number_is_taken_by_exec)
{
	struct bench b;

	setup(&b, RAROG_DETAIL_CALLS);
	take(&b, 1000, TID, RAROG_SWITCH_IN);
	take(&b, 2000, TID, RAROG_SWITCH_GONE);
	add_strand(&b, 0, TID, 3000);
	give_call(&b, 0, 1, 3000, 400, true);
	take(&b, 3500, TID, RAROG_SWITCH_WAITS);
	take(&b, 3600, TID, RAROG_SWITCH_IN);
	end_strand(&b, 0, 4000);
	close_bench(&b, 4000);
	assert_false(off_cpu_of(&b, 1).is_unknown);
	assert_int_equal(off_cpu_of(&b, 1).waited, 100);
	release(&b);
}

TEST(a_loss_makes_all_unknown_that_is_there)
{
	struct bench b;

	setup(&b, RAROG_DETAIL_CALLS);
	take(&b, 1000, TID, RAROG_SWITCH_IN);
	take(&b, 1000, TID + 1, RAROG_SWITCH_IN);
	add_strand(&b, 0, TID, 1010);
	add_strand(&b, 1, TID + 1, 1010);
	take(&b, 1020, 0, RAROG_SWITCH_LOST);
	give_call(&b, 0, 1, 1010, 500, false);
	give_call(&b, 1, 2, 1010, 500, false);
	add_strand(&b, 2, TID, 1015); /* heard of later */
	give_call(&b, 2, 3, 1015, 500, false);
	add_strand(&b, 3, TID, 9000); /* begun later */
	give_call(&b, 3, 4, 9000, 500, false);
	for (uint32_t i = 0; i < 4; i++)
		end_strand(&b, i, 10000);
	close_bench(&b, 10000);
	for (uint32_t i = 1; i < 4; i++)
		assert_true(off_cpu_of(&b, i).is_unknown);
	assert_false(off_cpu_of(&b, 4).is_unknown);
	assert_true(off_cpu_of(&b, RAROG_NONE).is_unknown);
	release(&b);
}

/* Two strands of a thread, one heard of only when the other has had its spans; sweeps between. */
TEST(strands_heard_of_late_have_it_all)
{
	struct bench b;

	setup(&b, RAROG_DETAIL_CALLS);
	take(&b, 1000, TID, RAROG_SWITCH_IN);
	add_strand(&b, 0, TID, 1010);
	take(&b, 1100, TID, RAROG_SWITCH_WAITS);
	take(&b, 1140, TID, RAROG_SWITCH_IN);
	assert_int_equal(rarog_switches_sweep(b.switches, 1050), 0);
	give_call(&b, 0, 1, 1010, 300, false);
	assert_int_equal(rarog_switches_sweep(b.switches, 1320), 0);
	add_strand(&b, 1, TID, 1060);
	give_call(&b, 1, 2, 1060, 200, false);
	assert_int_equal(rarog_switches_sweep(b.switches, 2000), 0);
	take(&b, 3000, TID, RAROG_SWITCH_GONE);
	end_strand(&b, 0, 3000);
	end_strand(&b, 1, 3000);
	for (uint64_t now = 4000; now < 8000; now += 1000)
		assert_int_equal(rarog_switches_sweep(b.switches, now), 0);
	close_bench(&b, 3000);
	assert_int_equal(off_cpu_of(&b, 1).waited, 40);
	assert_int_equal(off_cpu_of(&b, 2).waited, 40);
	release(&b);
}

TEST(a_thread_nobody_knows_is_unknown)
{
	struct bench b;

	setup(&b, RAROG_DETAIL_CALLS);
	add_strand(&b, 0, TID, 1010);
	give_call(&b, 0, 1, 1010, 300, false);
	end_strand(&b, 0, 3000);
	close_bench(&b, 3000);
	assert_true(off_cpu_of(&b, 1).is_unknown);
	release(&b);
}

/* --- the kernel's --- */

struct seen {
	uint32_t tid;
	size_t in, waits, preempted, gone, lost, others;
};

static int see(void *context, const struct rarog_switch *record)
{
	struct seen *s = context;

	if (record->kind == RAROG_SWITCH_LOST)
		s->lost++;
	else if (record->tid != s->tid)
		s->others++;
	else
		*(record->kind == RAROG_SWITCH_IN          ? &s->in
		  : record->kind == RAROG_SWITCH_WAITS     ? &s->waits
		  : record->kind == RAROG_SWITCH_PREEMPTED ? &s->preempted
		  : record->kind == RAROG_SWITCH_GONE      ? &s->gone
							   : &s->others) += 1;
	return 0;
}

/* How often the kernel says that this process gave the processor away itself. */
static long own_waits(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw;
}

static _Noreturn void nap(int naps, int go, int tell)
{
	const struct timespec moment = { .tv_nsec = 1000 };
	long waits;
	char byte;

	if (read(go, &byte, 1) != 0)
		_exit(1);
	waits = own_waits();
	for (int i = 0; i < naps; i++)
		nanosleep(&moment, NULL);
	waits = own_waits() - waits;
	_exit(write(tell, &waits, sizeof(waits)) != sizeof(waits));
}

/* A child that sleeps @naps times when it is told to, and how often it really did: a moment may be
 * over before the processor is given away. */
static struct rarog_switch_rings *watch_child(int naps, unsigned pages, struct seen *ret_seen,
					      long *ret_waits)
{
	struct rarog_switch_rings *rings = NULL;
	int go[2], tell[2], status;

	assert_int_equal(pipe(go), 0);
	assert_int_equal(pipe(tell), 0);
	*ret_seen = (struct seen){ 0 };
	pid_t child = fork();

	if (child == 0) {
		close(go[1]);
		nap(naps, go[0], tell[1]);
	}
	ret_seen->tid = (uint32_t)child;
	if (rarog_switch_rings_new(child, pages, &rings) < 0)
		print_message("# SKIP %s\n", rarog_error_message());
	close(go[0]);
	close(go[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(read(tell[0], ret_waits, sizeof(*ret_waits)), sizeof(*ret_waits));
	close(tell[0]);
	close(tell[1]);
	return rings;
}

TEST(the_kernel_shows_every_sleep)
{
	rarog_cleanup(rarog_switch_rings_freep) struct rarog_switch_rings *rings = NULL;
	struct seen seen;
	long waits;

	rings = watch_child(200, RAROG_SWITCH_PAGES, &seen, &waits);
	if (!rings)
		skip();
	assert_int_equal(rarog_switch_rings_read(rings, see, &seen), 0);
	assert_int_equal(seen.lost, 0);
	assert_int_equal(seen.others, 0);
	assert_int_equal(seen.gone, 1);
	assert_true(waits > 0);
	assert_in_range(seen.waits, waits, waits + 1); /* and until it was told to begin */
	assert_true(seen.in >= seen.waits + seen.preempted);
	assert_true(seen.in <= seen.waits + seen.preempted + 1);
}

/* 4,000 records of 24 bytes do not fit into a page for each processor. */
TEST(a_full_ring_is_said)
{
	rarog_cleanup(rarog_switch_rings_freep) struct rarog_switch_rings *rings = NULL;
	struct seen seen;
	long waits;

	rings = watch_child(1000 * (int)sysconf(_SC_NPROCESSORS_CONF), 1, &seen, &waits);
	if (!rings)
		skip();
	assert_int_equal(rarog_switch_rings_read(rings, see, &seen), 0);
	assert_true(seen.lost > 0);
}
