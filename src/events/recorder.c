/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two ways through: "calls" spools the raw streams and assembles after the run, because assembling
 * and compressing while the program runs would take the time of the second processor away from it;
 * "summary" assembles at once, because nothing but the sums is kept. When the spool reaches its
 * bound, the first becomes the second: what comes then goes to the sums only. Until the spool is
 * empty it is spooled, too, and for each byte of it several of the spool are assembled. So the
 * program is slowed down (it waits for room, and the wait is not counted as its time), but nothing
 * stands still until all is assembled: not the program, nor a detach.
 *
 * On a full disk all that is spooled is assembled then and there, and single calls are not kept at
 * all: their room goes to the sums.
 */
#include <errno.h>
#include <string.h>

#include "agent/abi.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "binary/binary.h"
#include "events/recorder-state.h"

#define PACE 4 /* bytes that are assembled for each that is spooled after the bound */

int rarog_recorder_new(const struct rarog_recorder_options *options,
		       struct rarog_recorder **ret_recorder)
{
	rarog_cleanup(rarog_recorder_freep) struct rarog_recorder *r = calloc(1, sizeof(*r));
	struct rarog_assembler_options assembler = {
		.sink = rarog_assembler_to_writer(options->writer),
		.compensate = options->compensate,
		.compensate_self = options->compensate_self,
		.weights = r ? &r->weights : NULL,
	};
	int result;

	if (!r)
		return rarog_oom();
	pthread_mutex_init(&r->lock, NULL);
	r->writer = options->writer;
	r->plan = options->plan;
	r->bound = UINT64_MAX;
	assembler.values = &r->values;
	if (options->plan->overhead > 0 || options->plan->probing.threshold > 0)
		assembler.epochs = &r->weights.epochs;
	result = rarog_assembler_new(&assembler, &r->assembler);
	if (result == 0 && options->plan->detail == RAROG_DETAIL_CALLS)
		result = rarog_spool_new(options->directory, &r->spool);
	if (result < 0)
		return result;
	*ret_recorder = rarog_take(r);
	return 0;
}

void rarog_recorder_free(struct rarog_recorder *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->texts.n; i++) {
		free(r->texts.v[i].name);
		free(r->texts.v[i].file);
	}
	for (size_t i = 0; i < r->processes.n; i++)
		free((void *)(uintptr_t)r->processes.v[i].command);
	for (size_t i = 0; i < r->maps.n; i++) {
		free(r->maps.v[i]->locations);
		free(r->maps.v[i]);
	}
	rarog_vec_release(&r->strands);
	rarog_vec_release(&r->processes);
	rarog_vec_release(&r->locations);
	rarog_vec_release(&r->texts);
	rarog_vec_release(&r->counts);
	rarog_weights_release(&r->weights);
	rarog_losses_release(&r->losses);
	rarog_vec_release(&r->maps);
	rarog_assembler_free(r->assembler);
	rarog_value_table_release(&r->values);
	rarog_spool_free(r->spool);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

/* The assembler knows the strand, and all ids that its words may hold. */
static int announce(struct rarog_recorder *r, uint32_t strand, bool keep_calls)
{
	struct recorded_strand *s = &r->strands.v[strand];
	uint32_t n = __atomic_load_n(&s->map->n, __ATOMIC_ACQUIRE);

	if (s->is_announced && s->announced == n)
		return 0;
	s->is_announced = true;
	s->announced = n;
	return rarog_assembler_strand(r->assembler, strand, n, s->map->locations, keep_calls);
}

#define LOST_WORDS "words of the event stream"

static int assemble(struct rarog_recorder *r, uint32_t strand, size_t n, const uint16_t *words,
		    bool keep_calls)
{
	uint64_t start = rarog_now_ns();
	int result = 0;

	if (r->strands.v[strand].is_broken) { /* what was spooled after the bad words */
		rarog_losses_add(&r->losses, LOST_WORDS, n);
		return 0;
	}
	result = announce(r, strand, keep_calls);
	if (result == 0)
		result = rarog_assembler_feed(r->assembler, strand, n, words);
	r->totals.assemble_ns += rarog_now_ns() - start;
	if (result != -EBADMSG)
		return result;
	rarog_warn("%s; the rest of that thread is lost", rarog_error_message());
	r->strands.v[strand].is_broken = true;
	rarog_losses_add(&r->losses, LOST_WORDS, n);
	return 0;
}

/* What is kept of a strand while it is assembled is given back. */
static int end_assembling(struct rarog_recorder *r, uint32_t strand)
{
	struct recorded_strand *s = &r->strands.v[strand];

	if (!s->ended || !s->is_announced || s->is_over)
		return 0;
	s->is_over = true;
	if (s->is_off_cpu_unknown)
		rarog_assembler_off_cpu_unknown(r->assembler, strand);
	return rarog_assembler_end(r->assembler, strand, s->strand.end_ticks);
}

static void pulse(struct rarog_recorder *r)
{
	if (r->pulse)
		r->pulse(r->pulse_context);
}

void rarog_recorder_set_pulse(struct rarog_recorder *r, void (*function)(void *context),
			      void *context)
{
	pthread_mutex_lock(&r->lock);
	r->pulse = function;
	r->pulse_context = context;
	pthread_mutex_unlock(&r->lock);
}

/* The same way as words, so that they come in the same order. */
#define SPOOL_OFF_CPU (UINT32_C(1) << 31) /* added to the strand's number */

static int assemble_off_cpu(struct rarog_recorder *r, uint32_t strand, size_t n,
			    const struct rarog_off_cpu_span spans[n], bool keep_calls)
{
	int result = 0;

	if (r->strands.v[strand].is_over)
		return 0;
	result = announce(r, strand, keep_calls);
	return result < 0 ? result : rarog_assembler_off_cpu(r->assembler, strand, n, spans);
}

static bool keeps_calls(const struct rarog_recorder *r)
{
	return !r->sums_only && !r->is_past_bound;
}

/* What was spooled is not aligned. */
static int assemble_spooled_off_cpu(struct rarog_recorder *r, uint32_t strand, size_t n,
				    const void *bytes)
{
	struct rarog_off_cpu_span spans[64];
	int result = 0;

	for (size_t at = 0, some; result == 0 && at < n; at += some) {
		some = n - at < RAROG_COUNT(spans) ? n - at : RAROG_COUNT(spans);
		memcpy(spans, (const char *)bytes + at * sizeof(*spans), some * sizeof(*spans));
		result = assemble_off_cpu(r, strand, some, spans, keeps_calls(r));
	}
	return result;
}

static int assemble_spooled(void *context, uint32_t strand, size_t n, const uint16_t *words)
{
	struct rarog_recorder *r = context;

	pulse(r);
	if (n == 0)
		return end_assembling(r, strand);
	if (strand & SPOOL_OFF_CPU)
		return assemble_spooled_off_cpu(
			r, strand & ~SPOOL_OFF_CPU,
			n * sizeof(*words) / sizeof(struct rarog_off_cpu_span), words);
	return assemble(r, strand, n, words, keeps_calls(r));
}

/* From here on the assembler keeps sums only. */
static int pass_bound(struct rarog_recorder *r)
{
	int result = 0;

	r->is_past_bound = true;
	for (uint32_t i = 0; result == 0 && i < r->strands.n; i++) {
		if (r->strands.v[i].ended && !r->strands.v[i].is_announced)
			continue; /* nothing came of it yet, or ever */
		r->strands.v[i].is_announced = false;
		if (!r->strands.v[i].is_over)
			result = announce(r, i, false);
	}
	return result;
}

/* The next @bytes of the spool become measurements. Return: 1: that was all. */
static int take_spooled(struct rarog_recorder *r, uint64_t bytes)
{
	uint64_t left = r->is_past_bound ? UINT64_MAX : r->bound - rarog_spool_taken(r->spool);
	int result = rarog_spool_take(r->spool, bytes < left ? bytes : left, assemble_spooled, r);
	int passed = 0;

	if (result >= 0 && !r->is_past_bound && rarog_spool_taken(r->spool) == r->bound)
		passed = pass_bound(r);
	return passed < 0 ? passed : result;
}

/* Everything spooled so far becomes measurements; strands that have ended, end, also those whose
 * end had no room in the spool. */
static int empty_spool(struct rarog_recorder *r)
{
	int result = 0;

	while (result == 0)
		result = take_spooled(r, UINT64_MAX);
	for (uint32_t i = 0; result >= 0 && i < r->strands.n; i++)
		result = end_assembling(r, i);
	rarog_spool_free(rarog_take(r->spool));
	return result < 0 ? result : 0;
}

static int become_summary(struct rarog_recorder *r)
{
	int result = empty_spool(r);

	return result < 0 || r->is_past_bound ? result : pass_bound(r);
}

static void reach_bound(struct rarog_recorder *r)
{
	rarog_warn("%llu MiB of events are kept; the rest of the run is summarised (--max-size)",
		   (unsigned long long)(rarog_spool_size(r->spool) >> 20));
	r->totals.became_summary = true;
	r->bound = rarog_spool_size(r->spool);
}

/* When @n words are past the bound. */
static int keep_pace(struct rarog_recorder *r, size_t n)
{
	int result = take_spooled(r, PACE * n * sizeof(uint16_t));

	return result == 1 ? become_summary(r) : result;
}

static void give_up_calls(struct rarog_recorder *r)
{
	rarog_warn("%s: no room for single calls; sums and call tree are kept, of the whole run; "
		   "free some space or use -o elsewhere",
		   rarog_spool_directory(r->spool));
	r->sums_only = r->totals.had_no_room = true;
}

/* Sums need little room, and what the spool took is free again: so a full disk costs the single
 * calls, of the whole run, and nothing else. */
static int spool(struct rarog_recorder *r, uint32_t strand, size_t n, const uint16_t *words)
{
	int result = rarog_spool_append(r->spool, strand, n, words);

	if (result == -ENOSPC) {
		if (r->bound == UINT64_MAX)
			give_up_calls(r);
		result = become_summary(r);
		return result < 0 ? result : assemble(r, strand, n, words, false);
	}
	if (result == 0 && r->bound != UINT64_MAX)
		return keep_pace(r, n);
	if (result == 0 && r->plan->max_size && rarog_spool_size(r->spool) >= r->plan->max_size)
		reach_bound(r);
	return result;
}

int rarog_recorder_words(struct rarog_recorder *r, uint32_t strand, size_t n,
			 const uint16_t words[n])
{
	int result = 0;

	pthread_mutex_lock(&r->lock);
	pulse(r);
	r->totals.raw_bytes += n * sizeof(*words);
	if (r->strands.v[strand].is_broken)
		rarog_losses_add(&r->losses, LOST_WORDS, n);
	else
		result = r->spool ? spool(r, strand, n, words)
				  : assemble(r, strand, n, words, false);
	pthread_mutex_unlock(&r->lock);
	return result;
}

void rarog_recorder_know_off_cpu(struct rarog_recorder *r)
{
	pthread_mutex_lock(&r->lock);
	r->totals.knows_off_cpu = true;
	rarog_assembler_know_off_cpu(r->assembler);
	pthread_mutex_unlock(&r->lock);
}

void rarog_recorder_off_cpu_unknown(struct rarog_recorder *r, uint32_t strand)
{
	pthread_mutex_lock(&r->lock);
	r->strands.v[strand].is_off_cpu_unknown = true;
	pthread_mutex_unlock(&r->lock);
}

int rarog_recorder_off_cpu(struct rarog_recorder *r, uint32_t strand, size_t n,
			   const struct rarog_off_cpu_span spans[n])
{
	size_t words = n * sizeof(*spans) / sizeof(uint16_t);
	int result = 0;

	pthread_mutex_lock(&r->lock);
	if (!r->spool)
		result = assemble_off_cpu(r, strand, n, spans, false);
	else
		result = rarog_spool_append(r->spool, strand | SPOOL_OFF_CPU, words,
					    (const uint16_t *)(const void *)spans);
	if (result == -ENOSPC) {
		r->strands.v[strand].is_off_cpu_unknown = true;
		result = 0;
	}
	pthread_mutex_unlock(&r->lock);
	return result;
}

int rarog_recorder_end_strand(struct rarog_recorder *r, uint32_t strand, uint64_t end_ticks)
{
	struct recorded_strand *s;
	int result = 0;

	pthread_mutex_lock(&r->lock);
	s = &r->strands.v[strand];
	s->ended = true;
	s->strand.end_ticks = end_ticks;
	if (r->spool)
		rarog_spool_end(r->spool, strand);
	else
		result = end_assembling(r, strand);
	pthread_mutex_unlock(&r->lock);
	return result;
}

int rarog_recorder_count(struct rarog_recorder *r, uint32_t location, uint64_t count)
{
	int result = 0;

	pthread_mutex_lock(&r->lock);
	while (result == 0 && r->counts.n <= location)
		result = rarog_vec_push(&r->counts, 0);
	if (result == 0)
		r->counts.v[location] += count;
	pthread_mutex_unlock(&r->lock);
	return result;
}

int rarog_recorder_sample(struct rarog_recorder *r, uint32_t location, uint32_t every)
{
	int result;

	pthread_mutex_lock(&r->lock);
	result = rarog_weights_set(&r->weights, location, every);
	pthread_mutex_unlock(&r->lock);
	return result;
}

int rarog_recorder_rest(struct rarog_recorder *r, uint32_t location, uint32_t strand, uint64_t n)
{
	int result;

	pthread_mutex_lock(&r->lock);
	result = rarog_weights_rest(&r->weights, location, strand, n);
	pthread_mutex_unlock(&r->lock);
	return result;
}

int rarog_recorder_skipped(struct rarog_recorder *r, uint32_t location, uint32_t strand, uint64_t n)
{
	int result;

	pthread_mutex_lock(&r->lock);
	result = rarog_weights_skip(&r->weights, location, strand, n);
	pthread_mutex_unlock(&r->lock);
	return result;
}

int rarog_recorder_epoch(struct rarog_recorder *r, uint32_t location, uint64_t ticks, uint32_t word,
			 uint64_t skipped)
{
	int result;

	pthread_mutex_lock(&r->lock);
	result = rarog_epochs_begin(&r->weights.epochs, location, ticks, word, skipped);
	pthread_mutex_unlock(&r->lock);
	return result;
}

int rarog_recorder_sums(struct rarog_recorder *r, const struct rarog_sums *sums)
{
	int result;

	pthread_mutex_lock(&r->lock);
	result = rarog_assembler_sums(r->assembler, sums);
	pthread_mutex_unlock(&r->lock);
	return result;
}

void rarog_recorder_lose(struct rarog_recorder *r, const char *what, uint64_t count)
{
	pthread_mutex_lock(&r->lock);
	rarog_losses_add(&r->losses, what, count);
	pthread_mutex_unlock(&r->lock);
}

void rarog_recorder_doubt(struct rarog_recorder *r, enum rarog_doubt doubt, uint64_t n)
{
	pthread_mutex_lock(&r->lock);
	r->totals.doubts[doubt] += n;
	pthread_mutex_unlock(&r->lock);
}

/* --- the end --- */

/* What was not yet known when the table rows were added. */
static int complete_locations(struct rarog_recorder *r)
{
	int result = 0;

	for (uint32_t i = 0; result == 0 && i < r->locations.n; i++) {
		struct rarog_location *location = &r->locations.v[i];
		char *demangled = rarog_demangle_place(location->name);

		location->demangled = demangled;
		result = rarog_profile_set_location(r->writer, i, location);
		free(demangled);
	}
	return result;
}

static int complete_tables(struct rarog_recorder *r)
{
	int result = complete_locations(r);

	for (uint32_t i = 0; result == 0 && i < r->processes.n; i++)
		result = rarog_profile_set_process(r->writer, i, &r->processes.v[i]);
	for (uint32_t i = 0; result == 0 && i < r->strands.n; i++)
		result = rarog_profile_set_strand(r->writer, i, &r->strands.v[i].strand);
	return result;
}

static int write_counts(struct rarog_recorder *r)
{
	int result = 0;

	for (uint32_t i = 0; result == 0 && i < r->counts.n; i++) {
		struct rarog_summary summary = {
			.location = i,
			.strand = RAROG_NONE,
			.count = r->counts.v[i],
		};

		r->totals.calls += summary.count;
		if (summary.count)
			result = rarog_profile_add_summaries(r->writer, 1, &summary);
	}
	return result;
}

/* Of functions of which no call was recorded the number of calls is known all the same. */
static int write_unrecorded(struct rarog_recorder *r)
{
	struct rarog_summary summary;
	int result = 0;
	long last = -1;

	while (result == 0 &&
	       (last = rarog_weights_unweighed(&r->weights, (uint32_t)(last + 1), &summary)) >= 0)
		result = rarog_profile_add_summaries(r->writer, 1, &summary);
	return result;
}

static int finish(struct rarog_recorder *r, uint64_t end_ticks)
{
	struct rarog_assembler_totals totals = { 0 };
	int result = complete_tables(r);

	/* a stored call takes less than half of its events */
	if (result == 0 && r->spool && keeps_calls(r) &&
	    rarog_spool_room(r->spool) <
		    (rarog_spool_size(r->spool) - rarog_spool_taken(r->spool)) / 2)
		give_up_calls(r);
	if (result == 0 && r->spool)
		result = empty_spool(r);
	if (result == 0)
		result = rarog_assembler_finish(r->assembler, end_ticks, &totals);
	if (result == 0)
		result = write_unrecorded(r);
	if (result == 0)
		result = rarog_recorder_write_epochs(r);
	r->totals.calls = totals.calls;
	r->totals.is_sampled = rarog_weights_are_any(&r->weights);
	r->totals.all_calls = totals.calls + r->weights.left_out;
	r->totals.events = totals.events;
	r->totals.open = totals.open;
	r->totals.unwound = totals.unwound;
	r->totals.wait_ticks = totals.wait_ticks;
	r->totals.nodes = totals.nodes;
	r->totals.strands_unknown = totals.strands_unknown;
	r->totals.clamped = totals.clamped_calls;
	r->totals.lost = totals.lost_events;
	if (result == 0)
		result = write_counts(r);
	if (result == 0)
		result = rarog_value_table_write(&r->values, r->writer);
	return result < 0 ? result : rarog_losses_write(&r->losses, r->writer, &r->totals.lost);
}

int rarog_recorder_finish(struct rarog_recorder *r, uint64_t end_ticks,
			  struct rarog_recorder_totals *ret_totals)
{
	int result;

	pthread_mutex_lock(&r->lock);
	result = finish(r, end_ticks);
	*ret_totals = r->totals;
	pthread_mutex_unlock(&r->lock);
	return result;
}
