/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The same streams in every way that the recorder can go: the sums are the same, whether calls are
 * kept, given up half-way or not wanted. Oracle: the mode that assembles at once.
 */
#include "assemble-recorder.h"
#include "unit.h"

#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/str.h"
#include "events/recorder.h"
#include "events/stream.h"
#include "profile/reader.h"

#define STRANDS 3
#define CALLS   400000 /* of each strand */
#define PIECE   7001   /* words handed over at once */

struct result {
	size_t pulses, most_pulses; /* for one piece */
	struct rarog_recorder_totals totals;
	struct rarog_profile *profile;
	const struct rarog_summary *summaries;
	const struct rarog_node *nodes;
	const struct rarog_loss *losses;
	long n_summaries, n_nodes, n_losses;
	uint64_t kept; /* entries among the calls */
};

struct setting {
	enum rarog_detail detail;
	uint64_t max_size;
	rlim_t file_size; /* 0: no limit */
	uint32_t broken;  /* strand whose stream is malformed; RAROG_NONE: none */
};

static void make_words(struct words *words, uint32_t strand, bool is_broken)
{
	uint64_t state = strand + 1, depth = 0;

	escape(words, RAROG_ESCAPE_START, 4, 1000 + strand);
	for (size_t calls = 0; calls < CALLS || depth > 0;) {
		state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
		if (is_broken && calls == CALLS / 2) {
			escape(words, RAROG_STREAM_ESCAPES, 0, 0);
			is_broken = false;
		}
		if (calls < CALLS && depth < 20 && (depth == 0 || state >> 63)) {
			entry(words, (uint32_t)(state >> 40) % FUNCTIONS, (state >> 33) & 0x7f,
			      false);
			calls++;
			depth++;
		} else {
			leave(words, (state >> 33) & 0xff);
			depth--;
		}
	}
}

static struct rarog_id_map *add_tables(struct rarog_recorder *r)
{
	struct rarog_location locations[FUNCTIONS] = { 0 };
	const struct rarog_profile_binary binary = { .path = "/x", .build_id = "" };
	const struct rarog_process process = { .pid = 1, .parent = RAROG_NONE, .command = "x" };
	struct rarog_id_map *map = rarog_recorder_id_map(r, FUNCTIONS);

	assert_non_null(map);
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		locations[i] = (struct rarog_location){ .name = "f", .address = 16 * i };
	assert_int_equal(rarog_recorder_add_locations(r, &binary, FUNCTIONS, locations), 0);
	assert_int_equal(rarog_recorder_add_process(r, &process), 0);
	memcpy(map->locations, identity, sizeof(identity));
	map->n = FUNCTIONS;
	return map;
}

static void limit_files(rlim_t size)
{
	struct rlimit limit;

	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = size ? size : limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void hand_over_piece(struct rarog_recorder *r, uint32_t strand, size_t n,
			    const uint16_t words[n], struct result *ret)
{
	size_t before = ret->pulses;

	assert_int_equal(rarog_recorder_words(r, strand, n, words), 0);
	if (ret->pulses - before > ret->most_pulses)
		ret->most_pulses = ret->pulses - before;
}

static void hand_over(struct rarog_recorder *r, const struct words words[STRANDS],
		      struct result *ret)
{
	size_t longest = 0;

	for (uint32_t i = 0; i < STRANDS; i++)
		longest = words[i].w.n > longest ? words[i].w.n : longest;
	for (size_t at = 0; at < longest; at += PIECE) {
		for (uint32_t i = 0; i < STRANDS; i++) {
			size_t n = at < words[i].w.n ? words[i].w.n - at : 0;

			if (n > 0)
				hand_over_piece(r, i, n < PIECE ? n : PIECE, words[i].w.v + at,
						ret);
		}
	}
	for (uint32_t i = 0; i < STRANDS; i++)
		assert_int_equal(rarog_recorder_end_strand(r, i, UINT64_C(1) << 40), 0);
}

static void count_pulse(void *pulses)
{
	++*(size_t *)pulses;
}

static void record(const struct setting *setting, const char *path, struct result *ret)
{
	rarog_cleanup(rarog_profile_writer_freep) struct rarog_profile_writer *w = NULL;
	rarog_cleanup(rarog_recorder_freep) struct rarog_recorder *r = NULL;
	const struct rarog_plan plan = { .detail = setting->detail, .max_size = setting->max_size };
	struct rarog_recorder_options options = { .plan = &plan, .directory = "/tmp" };
	struct words words[STRANDS] = { 0 };
	struct rarog_id_map *map;

	assert_int_equal(rarog_profile_writer_new(path, &w), 0);
	options.writer = w;
	assert_int_equal(rarog_recorder_new(&options, &r), 0);
	rarog_recorder_set_pulse(r, count_pulse, &ret->pulses);
	map = add_tables(r);
	for (uint32_t i = 0; i < STRANDS; i++) {
		const struct rarog_strand strand = { .tid = i, .start_ticks = 1000 };

		make_words(&words[i], i, i == setting->broken);
		assert_int_equal(rarog_recorder_add_strand(r, &strand, map), i);
	}
	limit_files(setting->file_size);
	hand_over(r, words, ret);
	limit_files(0);
	assert_int_equal(rarog_recorder_finish(r, UINT64_C(1) << 40, &ret->totals), 0);
	assert_int_equal(rarog_profile_set_header(w, "{}"), 0);
	assert_int_equal(rarog_profile_writer_commit(w, NULL), 0);
	for (uint32_t i = 0; i < STRANDS; i++)
		rarog_vec_release(&words[i].w);
}

static uint64_t count_kept(struct rarog_profile *p)
{
	rarog_cleanup(rarog_calls_cursor_freep) struct rarog_calls_cursor *cursor = NULL;
	struct rarog_calls calls;
	uint64_t kept = 0;

	assert_int_equal(rarog_calls_cursor_new(p, RAROG_NONE, &cursor), 0);
	while (rarog_calls_next(cursor, &calls) > 0)
		for (size_t i = 0; i < calls.n; i++)
			kept += calls.op[i] >= RAROG_OP_ENTRY;
	return kept;
}

static void run(struct setting setting, struct result *ret)
{
	char path[] = "/tmp/rarog-test-recorder-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	*ret = (struct result){ 0 };
	record(&setting, path, ret);
	assert_int_equal(rarog_profile_open(path, &ret->profile), 0);
	unlink(path);
	ret->n_summaries = rarog_profile_summaries(ret->profile, &ret->summaries);
	ret->n_nodes = rarog_profile_nodes(ret->profile, &ret->nodes);
	ret->n_losses = rarog_profile_losses(ret->profile, &ret->losses);
	ret->kept = count_kept(ret->profile);
}

static const struct rarog_summary *find_summary(const struct result *r, uint32_t location,
						uint32_t strand)
{
	for (long i = 0; i < r->n_summaries; i++)
		if (r->summaries[i].location == location && r->summaries[i].strand == strand)
			return &r->summaries[i];
	fail_msg("no summary of location %u, strand %u", location, strand);
	return NULL;
}

static void compare_summary(const struct rarog_summary *a, const struct rarog_summary *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->sum, b->sum);
	assert_int_equal(a->total, b->total);
	assert_int_equal(a->exclusive, b->exclusive);
	assert_int_equal(a->min, b->min);
	assert_int_equal(a->max, b->max);
	assert_int_equal(a->square_low, b->square_low);
	assert_int_equal(a->square_high, b->square_high);
	assert_int_equal(a->n_buckets, b->n_buckets);
	for (uint32_t i = 0; i < a->n_buckets; i++) {
		assert_int_equal(a->buckets[i].bucket, b->buckets[i].bucket);
		assert_int_equal(a->buckets[i].count, b->buckets[i].count);
	}
}

static void compare(const struct result *a, const struct result *b)
{
	uint64_t exclusive[2] = { 0 }, calls[2] = { 0 };

	assert_int_equal(a->n_summaries, b->n_summaries);
	for (long i = 0; i < a->n_summaries; i++)
		compare_summary(&a->summaries[i],
				find_summary(b, a->summaries[i].location, a->summaries[i].strand));
	assert_int_equal(a->n_nodes, b->n_nodes);
	for (long i = 0; i < a->n_nodes; i++) {
		exclusive[0] += a->nodes[i].exclusive;
		exclusive[1] += b->nodes[i].exclusive;
		calls[0] += a->nodes[i].count;
		calls[1] += b->nodes[i].count;
	}
	assert_int_equal(exclusive[0], exclusive[1]);
	assert_int_equal(calls[0], calls[1]);
	assert_int_equal(a->totals.calls, b->totals.calls);
}

TEST(every_way_gives_the_same_sums)
{
	struct result once, kept, bounded, full;

	signal(SIGXFSZ, SIG_IGN);
	run((struct setting){ RAROG_DETAIL_SUMMARY, 0, 0, RAROG_NONE }, &once);
	run((struct setting){ RAROG_DETAIL_CALLS, 0, 0, RAROG_NONE }, &kept);
	run((struct setting){ RAROG_DETAIL_CALLS, 3000000, 0, RAROG_NONE }, &bounded);
	run((struct setting){ RAROG_DETAIL_CALLS, 0, 2000000, RAROG_NONE }, &full);
	assert_int_equal(once.totals.calls, STRANDS * CALLS);
	compare(&once, &kept);
	compare(&once, &bounded);
	compare(&once, &full);
	assert_int_equal(once.kept, 0);
	assert_int_equal(kept.kept, STRANDS * CALLS);
	assert_true(bounded.totals.became_summary && !kept.totals.became_summary);
	assert_true(bounded.kept > 1000 && bounded.kept < STRANDS * CALLS);
	assert_true(full.totals.had_no_room && !kept.totals.had_no_room);
	assert_int_equal(full.kept, 0);
	/* one for each piece handed over; what is assembled later beats again */
	assert_true(once.pulses >= STRANDS * CALLS * 3 / PIECE);
	assert_true(kept.pulses > once.pulses && bounded.pulses > once.pulses);
	assert_true(once.most_pulses == 1 && kept.most_pulses == 1 && full.most_pulses > 100);
	assert_in_range(bounded.most_pulses, 2, 8); /* none waits until all is assembled */
	assert_int_equal(once.n_losses + kept.n_losses + bounded.n_losses + full.n_losses, 0);
	rarog_profile_free(once.profile);
	rarog_profile_free(kept.profile);
	rarog_profile_free(bounded.profile);
	rarog_profile_free(full.profile);
}

TEST(one_broken_stream_hurts_no_other)
{
	static const enum rarog_detail details[] = { RAROG_DETAIL_CALLS, RAROG_DETAIL_SUMMARY };

	for (size_t i = 0; i < RAROG_COUNT(details); i++) {
		struct result whole, broken;
		uint64_t calls = 0;

		run((struct setting){ details[i], 0, 0, RAROG_NONE }, &whole);
		run((struct setting){ details[i], 0, 0, 1 }, &broken);
		for (uint32_t f = 0; f < FUNCTIONS; f++) {
			compare_summary(find_summary(&whole, f, 0), find_summary(&broken, f, 0));
			compare_summary(find_summary(&whole, f, 2), find_summary(&broken, f, 2));
			calls += find_summary(&broken, f, 1)->count;
		}
		assert_int_equal(calls, CALLS / 2); /* up to where it broke */
		assert_int_equal(broken.n_losses, 1);
		assert_string_equal(broken.losses[0].what, "words of the event stream");
		assert_true(broken.losses[0].count > CALLS / 2);
		assert_int_equal(broken.totals.lost, broken.losses[0].count);
		rarog_profile_free(whole.profile);
		rarog_profile_free(broken.profile);
	}
}

/* One after another, as the processes of a long build. Oracle: the heap, which is told to keep what
 * it ever had; a strand takes 260 KB while it is assembled. */
#define MANY 2000

TEST(memory_does_not_grow_with_the_number_of_strands)
{
	rarog_cleanup(rarog_profile_writer_freep) struct rarog_profile_writer *w = NULL;
	rarog_cleanup(rarog_recorder_freep) struct rarog_recorder *r = NULL;
	const struct rarog_plan plan = { .detail = RAROG_DETAIL_CALLS };
	struct rarog_recorder_options options = { .plan = &plan, .directory = "/tmp" };
	const struct rarog_strand strand = { .tid = 1, .start_ticks = 1000 };
	char path[] = "/tmp/rarog-test-recorder-XXXXXX";
	struct rarog_recorder_totals totals;
	struct words words = { 0 };
	struct rarog_id_map *map;
	size_t before;

	close(mkstemp(path));
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	mallopt(M_MMAP_THRESHOLD, 1 << 25);
	escape(&words, RAROG_ESCAPE_START, 4, 1000);
	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		entry(&words, f, 1, false);
		leave(&words, 1);
	}
	assert_int_equal(rarog_profile_writer_new(path, &w), 0);
	options.writer = w;
	assert_int_equal(rarog_recorder_new(&options, &r), 0);
	map = add_tables(r);
	for (uint32_t i = 0; i < MANY; i++) {
		assert_int_equal(rarog_recorder_add_strand(r, &strand, map), i);
		assert_int_equal(rarog_recorder_words(r, i, words.w.n, words.w.v), 0);
		assert_int_equal(rarog_recorder_end_strand(r, i, 100000), 0);
	}
	before = mallinfo2().arena;
	assert_int_equal(rarog_recorder_finish(r, 100000, &totals), 0);
	assert_int_equal(totals.calls, MANY * FUNCTIONS);
	assert_in_range(mallinfo2().arena - before, 0, 16 << 20);
	rarog_vec_release(&words.w);
	unlink(path);
}
