/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How fast the assembler is: bench-assemble [--summary | --calls] [--repeat N] [PROFILE…]
 *
 * The calls of a PROFILE are turned back into the words that the engine delivered, at most 40
 * million events of it; without one a random program is made up, with a context tree larger than
 * any cache. The written calls go to a sink that only counts them, because compressing them is
 * another thread's work. Times are of the CPU, the best of N (5), so that a busy machine disturbs
 * less; the spool's are of the clock. The spool takes the same records, in the folder $TMPDIR or
 * /var/tmp.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/vec.h"
#include "events/assemble.h"
#include "events/spool.h"
#include "events/stream.h"
#include "profile/reader.h"

#define SYNTHETIC_EVENTS    20000000
#define SYNTHETIC_FUNCTIONS 600
#define RECORD_WORDS        32768
#define EVENTS_MOST         40000000

struct input {
	const char *name;
	RAROG_VEC(uint16_t) words; /* records, headers included */
	size_t n_functions, n_strands;
	uint64_t n_events;
};

struct result {
	double seconds;
	uint64_t ops;
	struct rarog_assembler_totals totals;
};

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int count_ops(void *context, const struct rarog_calls *calls)
{
	*(uint64_t *)context += calls->n;
	return 0;
}

static uint32_t header(const uint16_t *record, int field)
{
	return rarog_stream_u32(record + 2 * field);
}

/* Learn the number of functions and strands from the words themselves. */
static int scan_record(struct input *in, size_t n, const uint16_t *w)
{
	for (size_t i = 0; i < n;) {
		int length = rarog_stream_record(n - i, w + i);

		if (length <= 0)
			return rarog_fail(-EBADMSG, "%s: a record is cut or malformed", in->name);
		in->n_events += w[i] != RAROG_WORD_ESCAPE;
		if (w[i] & RAROG_WORD_ENTRY && w[i] != RAROG_WORD_ESCAPE) {
			size_t id = length == 4 ? rarog_stream_u32(w + i + 2) : w[i + 1];

			in->n_functions = id >= in->n_functions ? id + 1 : in->n_functions;
		}
		i += (size_t)length;
	}
	return 0;
}

static int scan(struct input *in)
{
	for (size_t at = 0; at < in->words.n;) {
		const uint16_t *record = in->words.v + at;
		size_t n = in->words.n - at < 4 ? 0 : header(record, 1);

		if (n == 0 || n > in->words.n - at - 4 || header(record, 0) > 1000000)
			return rarog_fail(-EBADMSG, "%s: malformed records", in->name);
		if (header(record, 0) >= in->n_strands)
			in->n_strands = header(record, 0) + (size_t)1;
		int r = scan_record(in, n, record + 4);

		if (r < 0)
			return r;
		at += 4 + n;
	}
	return 0;
}

/* --- a profile's calls as words --- */

static void put_word(struct input *in, uint16_t word)
{
	in->words.v[in->words.n++] = word; /* room was made for the whole block */
}

static void put_escape(struct input *in, uint16_t kind, uint64_t payload)
{
	put_word(in, RAROG_WORD_ESCAPE);
	put_word(in, kind);
	for (unsigned i = 0; i < rarog_stream_payload[kind]; i++)
		put_word(in, (uint16_t)(payload >> 16 * i));
}

static uint16_t put_time(struct input *in, uint64_t delta)
{
	if (delta <= RAROG_DELTA_MAX)
		return (uint16_t)delta;
	put_escape(in, RAROG_ESCAPE_TIME64, delta);
	return 0;
}

/* @depth: calls open, kept up to date. Waits and losses are left out. */
static void put_event(struct input *in, uint32_t op, uint64_t delta, uint32_t *depth)
{
	if (op >= RAROG_OP_ENTRY) {
		uint16_t time = put_time(in, delta);

		put_word(in, (uint16_t)(RAROG_WORD_ENTRY | time));
		put_word(in, (uint16_t)(op - RAROG_OP_ENTRY));
		++*depth;
	} else if (op == RAROG_OP_RETURN) {
		uint16_t time = put_time(in, delta);

		put_word(in, time);
		--*depth;
	} else if (op == RAROG_OP_UNWOUND) {
		put_escape(in, RAROG_ESCAPE_TIME64, delta);
		put_escape(in, RAROG_ESCAPE_DEPTH, --*depth);
	}
}

static void end_record(struct input *in, size_t record, uint32_t strand)
{
	uint32_t n = (uint32_t)(in->words.n - record - 4);

	memcpy(in->words.v + record, &strand, sizeof(strand));
	memcpy(in->words.v + record + 2, &n, sizeof(n));
}

static int put_block(struct input *in, const struct rarog_calls *block, bool is_first)
{
	uint32_t depth = (uint32_t)block->n_open;
	size_t record = in->words.n;
	int r = rarog_vec_reserve(&in->words, record + 8 * block->n + 16);

	if (r < 0)
		return r;
	in->words.n += 4;
	if (is_first)
		put_escape(in, RAROG_ESCAPE_START, block->start_ticks);
	for (size_t i = 0; i < block->n && block->op[i] != RAROG_OP_CLOSED; i++) {
		if (in->words.n - record > RECORD_WORDS) {
			end_record(in, record, block->strand);
			record = in->words.n;
			in->words.n += 4;
		}
		put_event(in, block->op[i], block->delta[i], &depth);
	}
	end_record(in, record, block->strand);
	return 0;
}

static int put_strand(struct input *in, struct rarog_profile *profile, uint32_t strand)
{
	rarog_cleanup(rarog_calls_cursor_freep) struct rarog_calls_cursor *cursor = NULL;
	struct rarog_calls block;
	int r = rarog_calls_cursor_new(profile, strand, &cursor);

	for (bool is_first = true; r >= 0 && in->words.n < 3 * (size_t)EVENTS_MOST / 2;
	     is_first = false) {
		r = rarog_calls_next(cursor, &block);
		if (r <= 0)
			return r;
		r = put_block(in, &block, is_first);
	}
	return r;
}

static int load(struct input *in)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	const struct rarog_strand *strands;
	int r = rarog_profile_open(in->name, &profile);
	long n = r < 0 ? r : rarog_profile_strands(profile, &strands);

	for (long i = 0; r >= 0 && i < n; i++)
		r = put_strand(in, profile, (uint32_t)i);
	return r < 0 ? r : n < 0 ? (int)n : scan(in);
}

/* --- a made-up program --- */

static uint64_t random64(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* A made-up program: a function calls one of four of its own, deeper calls are less likely. */
static int make_up(struct input *in)
{
	uint64_t state = 1;
	uint32_t stack[64] = { 0 };
	size_t depth = 0, record = 0;
	int r = rarog_vec_reserve(&in->words, 2 * (size_t)SYNTHETIC_EVENTS);

	if (r < 0)
		return r;
	for (int i = 0; i < SYNTHETIC_EVENTS; i++) {
		uint64_t dice = random64(&state);
		uint16_t *w = in->words.v;

		if (i == 0 || in->words.n - record > RECORD_WORDS) {
			record = in->words.n;
			memset(w + record, 0, 8);
			in->words.n += 4;
		}
		if (i == 0) {
			w[in->words.n++] = RAROG_WORD_ESCAPE;
			w[in->words.n++] = RAROG_ESCAPE_START;
			memset(w + in->words.n, 0, 8);
			in->words.n += 4;
		}
		if (depth == 0 || (depth < 63 && dice % 64 > depth)) {
			stack[depth + 1] = (stack[depth] * 4 + (uint32_t)(dice >> 8) % 4 + 1) %
					   SYNTHETIC_FUNCTIONS;
			w[in->words.n++] = (uint16_t)(RAROG_WORD_ENTRY | (dice >> 16 & 0xff));
			w[in->words.n++] = (uint16_t)stack[++depth];
		} else {
			w[in->words.n++] = (uint16_t)(dice >> 16 & 0x3ff);
			depth--;
		}
		w[record + 2] = (uint16_t)(in->words.n - record - 4);
		w[record + 3] = (uint16_t)((in->words.n - record - 4) >> 16);
	}
	return scan(in);
}

static int announce(struct rarog_assembler *a, const struct input *in, bool keeps)
{
	rarog_cleanup(rarog_freep) uint32_t *locations =
		malloc((in->n_functions + 1) * sizeof(*locations));
	int r = 0;

	if (!locations)
		return rarog_oom();
	for (size_t i = 0; i < in->n_functions; i++)
		locations[i] = (uint32_t)i;
	for (size_t i = 0; r >= 0 && i < in->n_strands; i++)
		r = rarog_assembler_strand(a, (uint32_t)i, in->n_functions, locations, keeps);
	return r;
}

static int assemble(const struct input *in, bool keeps, struct result *ret)
{
	rarog_cleanup(rarog_assembler_freep) struct rarog_assembler *a = NULL;
	struct rarog_assembler_options options = {
		.sink = { .context = &ret->ops, .calls = count_ops },
	};
	double start = now(CLOCK_THREAD_CPUTIME_ID);
	int r = rarog_assembler_new(&options, &a);

	ret->ops = 0;
	if (r >= 0)
		r = announce(a, in, keeps);
	for (size_t at = 0; r >= 0 && at < in->words.n;) {
		const uint16_t *record = in->words.v + at;

		r = rarog_assembler_feed(a, header(record, 0), header(record, 1), record + 4);
		at += 4 + header(record, 1);
	}
	if (r >= 0)
		r = rarog_assembler_finish(a, 0, &ret->totals);
	ret->seconds = now(CLOCK_THREAD_CPUTIME_ID) - start;
	return r;
}

static int bench(const struct input *in, bool keeps, int repeat)
{
	struct result best = { .seconds = 1e9 }, one;

	for (int i = 0; i < repeat; i++) {
		int r = assemble(in, keeps, &one);

		if (r < 0)
			return r;
		if (one.seconds < best.seconds)
			best = one;
	}
	printf("%-28s %-8s %10.1f M events  %6.2f ns/event  %6.1f M events/s  %8zu nodes\n",
	       in->name, keeps ? "calls" : "summary", (double)in->n_events / 1e6,
	       best.seconds * 1e9 / (double)in->n_events, (double)in->n_events / best.seconds / 1e6,
	       best.totals.nodes);
	return 0;
}

static int count_words(void *context, uint32_t strand, size_t n, const uint16_t *words)
{
	(void)strand;
	(void)words;
	*(uint64_t *)context += n;
	return 0;
}

static int fill_spool(const struct input *in, struct rarog_spool *spool)
{
	int r = 0;

	for (size_t at = 0; r >= 0 && at < in->words.n; at += 4 + header(in->words.v + at, 1)) {
		const uint16_t *record = in->words.v + at;

		r = rarog_spool_append(spool, header(record, 0), header(record, 1), record + 4);
	}
	return r;
}

static int bench_spool(const struct input *in)
{
	rarog_cleanup(rarog_spool_freep) struct rarog_spool *spool = NULL;
	const char *folder = getenv("TMPDIR");
	double start, filled, replayed;
	uint64_t words = 0;
	int r = rarog_spool_new(folder ? folder : "/var/tmp", &spool);

	start = now(CLOCK_MONOTONIC);
	if (r >= 0)
		r = fill_spool(in, spool);
	filled = now(CLOCK_MONOTONIC);
	if (r >= 0)
		r = rarog_spool_replay(spool, count_words, &words);
	replayed = now(CLOCK_MONOTONIC);
	if (r < 0)
		return r;
	printf("%-28s %-8s %10.1f MB  in %6.1f M events/s, %6.0f MB/s  back %6.0f MB/s\n", in->name,
	       "spool", (double)rarog_spool_size(spool) / 1e6,
	       (double)in->n_events / (filled - start) / 1e6,
	       (double)rarog_spool_size(spool) / (filled - start) / 1e6,
	       (double)words * 2 / (replayed - filled) / 1e6);
	return 0;
}

struct settings {
	bool calls, summary;
	int repeat;
};

static int bench_file(const char *name, const struct settings *set)
{
	struct input in = { .name = name ? name : "(made up)" };
	int r = name ? load(&in) : make_up(&in);

	if (r >= 0 && set->calls)
		r = bench(&in, true, set->repeat);
	if (r >= 0 && set->summary)
		r = bench(&in, false, set->repeat);
	if (r >= 0)
		r = bench_spool(&in);
	rarog_vec_release(&in.words);
	if (r < 0)
		fprintf(stderr, "bench-assemble: %s\n", rarog_error_message());
	return r;
}

int main(int argc, char **argv)
{
	struct settings set = { .calls = true, .summary = true, .repeat = 5 };
	int at = 1, r = 0;

	for (; at < argc && argv[at][0] == '-'; at++) {
		if (strcmp(argv[at], "--summary") == 0)
			set.calls = false;
		else if (strcmp(argv[at], "--calls") == 0)
			set.summary = false;
		else if (strcmp(argv[at], "--repeat") == 0 && at + 1 < argc)
			set.repeat = atoi(argv[++at]);
	}
	if (at == argc)
		r = bench_file(NULL, &set);
	for (; r >= 0 && at < argc; at++)
		r = bench_file(argv[at], &set);
	return r < 0;
}
