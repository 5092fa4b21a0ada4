/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Thread ids differ from run to run, and so does the order in which threads come to run. Two
 * threads are alike as far as they called the same functions equally often; a thread that began
 * with another start routine, or was created by another call, is another one. The pairs that are
 * most alike are taken first, among equals those whose order is the same.
 */
#include "blow/threads.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "blow/corpus.h"

#define UNLIKE 0.5 /* from this part of different calls on two threads are not the same one */

void rarog_blow_threads_release(struct rarog_blow_threads *threads)
{
	for (size_t i = 0; i < threads->starts.n; i++) {
		free(threads->starts.v[i].path);
		free(threads->starts.v[i].name);
	}
	for (size_t i = 0; i < threads->v.n; i++)
		free(threads->v.v[i].calls);
	rarog_vec_release(&threads->starts);
	rarog_vec_release(&threads->v);
}

size_t rarog_blow_threads_place(const struct rarog_blow_threads *traced,
				const struct rarog_blow_corpus *corpus,
				const struct rarog_blow_place *place)
{
	const struct rarog_blow_function *f = rarog_blow_corpus_find(corpus, place);

	if (f)
		return (size_t)(f - corpus->v.v);
	for (size_t i = 0; !place->mark && i < traced->starts.n; i++)
		if (traced->starts.v[i].address == place->address &&
		    strcmp(traced->starts.v[i].path, place->path) == 0)
			return corpus->v.n + i;
	return SIZE_MAX;
}

const char *rarog_blow_start_name(const struct rarog_blow_threads *traced,
				  const struct rarog_blow_corpus *corpus,
				  const struct rarog_blow_thread *thread)
{
	if (thread->start < corpus->v.n)
		return corpus->v.v[thread->start].name;
	return thread->start - corpus->v.n < traced->starts.n
		       ? traced->starts.v[thread->start - corpus->v.n].name
		       : "?";
}

/* --- threads of a profile --- */

static struct rarog_blow_thread *find(struct rarog_blow_threads *threads, uint32_t tid)
{
	for (size_t i = 0; i < threads->v.n; i++)
		if (threads->v.v[i].tid == tid)
			return &threads->v.v[i];
	return NULL;
}

static struct rarog_blow_thread *add(struct rarog_blow_threads *threads, uint32_t tid)
{
	struct rarog_blow_thread thread = {
		.tid = tid,
		.start = SIZE_MAX,
		.start_ns = UINT64_MAX,
		.calls = calloc(threads->n_places + 1, sizeof(uint64_t)),
	};

	if (thread.calls && rarog_vec_push(&threads->v, thread) == 0)
		return &threads->v.v[threads->v.n - 1];
	free(thread.calls);
	return NULL;
}

int rarog_blow_threads_note(struct rarog_blow_threads *run, uint32_t tid, size_t place,
			    uint64_t calls)
{
	struct rarog_blow_thread *thread = find(run, tid);

	if (!thread && run->v.n == RAROG_BLOW_THREADS_MOST) {
		run->left_out++;
		return 0;
	}
	thread = thread ? thread : add(run, tid);
	if (!thread)
		return rarog_oom();
	if (place < run->n_places)
		thread->calls[place] += calls;
	return 0;
}

static int by_start(const void *left, const void *right)
{
	const struct rarog_blow_thread *x = left, *y = right;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* A thread has a strand for each of its stacks; the first begins with it. */
int rarog_blow_threads_times(struct rarog_blow_threads *run, struct rarog_profile *profile)
{
	const struct rarog_clock *clock = rarog_profile_clock(profile);
	const struct rarog_strand *strands;
	long n = rarog_profile_strands(profile, &strands);
	uint64_t first = UINT64_MAX;

	for (long i = 0; i < n; i++) {
		struct rarog_blow_thread *thread = find(run, strands[i].tid);
		uint64_t time = strands[i].end_ticks > strands[i].start_ticks
					? strands[i].end_ticks - strands[i].start_ticks
					: 0;

		if (strands[i].start_ticks < first)
			first = strands[i].start_ticks;
		if (!thread || thread->start_ns <= strands[i].start_ticks)
			continue;
		thread->start_ns = strands[i].start_ticks;
		thread->time_ns = rarog_clock_ns(clock, time);
	}
	for (size_t i = 0; n >= 0 && i < run->v.n; i++)
		if (run->v.v[i].start_ns != UINT64_MAX)
			run->v.v[i].start_ns = rarog_clock_ns(clock, run->v.v[i].start_ns - first);
	qsort(run->v.v, run->v.n, sizeof(*run->v.v), by_start);
	return n < 0 ? (int)n : 0;
}

void rarog_blow_threads_created(struct rarog_blow_threads *run,
				const struct rarog_blow_births *births)
{
	for (size_t i = 0; i < births->v.n; i++) {
		struct rarog_blow_thread *thread = find(run, births->v.v[i].tid);

		if (thread)
			thread->site = births->v.v[i].site;
	}
}

/* --- the traced run --- */

struct traced {
	const struct rarog_summary *summaries;
	const struct rarog_location *locations;
	const struct rarog_profile_binary *binaries;
	const struct rarog_strand *strands;
	long n, n_locations, n_binaries, n_strands;
};

static int read_traced(struct rarog_profile *profile, struct traced *t)
{
	t->n = rarog_profile_summaries(profile, &t->summaries);
	t->n_locations = rarog_profile_locations(profile, &t->locations);
	t->n_binaries = rarog_profile_binaries(profile, &t->binaries);
	t->n_strands = rarog_profile_strands(profile, &t->strands);
	return t->n < 0 || t->n_locations < 0 || t->n_binaries < 0 || t->n_strands < 0 ? -EBADMSG
										       : 0;
}

static bool is_of_thread(const struct traced *t, const struct rarog_summary *summary, uint32_t tid)
{
	return summary->strand < (uint32_t)t->n_strands &&
	       summary->location < (uint32_t)t->n_locations &&
	       t->locations[summary->location].kind == RAROG_LOCATION_FUNCTION &&
	       t->locations[summary->location].binary < (uint32_t)t->n_binaries &&
	       t->strands[summary->strand].tid == tid;
}

/* The function that is on the stack longest; of several that are equally long, the one that was
 * called least. */
static const struct rarog_summary *outermost_of(const struct traced *t, uint32_t tid)
{
	const struct rarog_summary *most = NULL;

	for (long i = 0; i < t->n; i++) {
		const struct rarog_summary *one = &t->summaries[i];

		if (is_of_thread(t, one, tid) &&
		    (!most || one->total > most->total ||
		     (one->total == most->total && one->count < most->count)))
			most = one;
	}
	return most;
}

static int add_start(struct rarog_blow_threads *threads, const struct rarog_blow_corpus *corpus,
		     const char *path, const struct rarog_location *location)
{
	struct rarog_blow_start start = { NULL, NULL, location->address };
	const struct rarog_blow_place place = { .path = path, .address = location->address };

	if (rarog_blow_threads_place(threads, corpus, &place) != SIZE_MAX)
		return 0;
	start.path = strdup(path);
	start.name = strdup(location->name);
	if (start.path && start.name && rarog_vec_push(&threads->starts, start) == 0)
		return 0;
	free(start.path);
	free(start.name);
	return rarog_oom();
}

static int find_starts(struct rarog_blow_threads *threads, const struct traced *t,
		       const struct rarog_blow_corpus *corpus)
{
	int r = 0;

	for (long i = 0; r == 0 && i < t->n_strands; i++) {
		const struct rarog_summary *most = outermost_of(t, t->strands[i].tid);
		const struct rarog_location *location = most ? &t->locations[most->location] : NULL;

		if (location)
			r = add_start(threads, corpus, t->binaries[location->binary].path,
				      location);
	}
	threads->n_places = corpus->v.n + threads->starts.n;
	return r;
}

static size_t place_of(const struct rarog_blow_threads *threads, const struct traced *t,
		       const struct rarog_blow_corpus *corpus, const struct rarog_summary *summary)
{
	const struct rarog_location *location = &t->locations[summary->location];
	const struct rarog_blow_place place = {
		.path = t->binaries[location->binary].path,
		.address = location->address,
	};

	return rarog_blow_threads_place(threads, corpus, &place);
}

int rarog_blow_threads_trace(struct rarog_blow_threads *threads, struct rarog_profile *profile,
			     const struct rarog_blow_corpus *corpus)
{
	struct traced t = { 0 };
	int r = read_traced(profile, &t);

	if (r == 0)
		r = find_starts(threads, &t, corpus);
	for (long i = 0; r == 0 && i < t.n; i++) {
		const struct rarog_summary *one = &t.summaries[i];

		if (one->strand < (uint32_t)t.n_strands &&
		    is_of_thread(&t, one, t.strands[one->strand].tid))
			r = rarog_blow_threads_note(threads, t.strands[one->strand].tid,
						    place_of(threads, &t, corpus, one), one->count);
	}
	if (r == 0)
		r = rarog_blow_threads_times(threads, profile);
	for (size_t i = 0; r == 0 && i < threads->v.n; i++) {
		const struct rarog_summary *most = outermost_of(&t, threads->v.v[i].tid);

		threads->v.v[i].start = most ? place_of(threads, &t, corpus, most) : SIZE_MAX;
	}
	return r;
}

/* --- which is which --- */

struct likeness {
	size_t a, b;
	double distance;
	size_t order; /* by how many places */
};

static int most_alike_first(const void *left, const void *right)
{
	const struct likeness *x = left, *y = right;

	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

/* The part of all calls of both that is not in both; 1: another start routine, or created
 * elsewhere. */
static double distance(const struct rarog_blow_thread *a, const struct rarog_blow_thread *b,
		       size_t n)
{
	double different = 0, all = 0;

	if ((a->start < n && b->calls[a->start] == 0) || (a->site && b->site && a->site != b->site))
		return 1;
	for (size_t i = 0; i < n; i++) {
		double x = (double)a->calls[i], y = (double)b->calls[i];

		different += fabs(x - y);
		all += x + y;
	}
	return all > 0 ? different / all : 0;
}

int rarog_blow_threads_match(const struct rarog_blow_threads *traced,
			     const struct rarog_blow_threads *run, size_t ret_of[])
{
	size_t n = traced->v.n, m = run->v.n, k = 0;
	rarog_cleanup(rarog_freep) struct likeness *pairs = calloc(n * m + 1, sizeof(*pairs));
	rarog_cleanup(rarog_freep) bool *is_taken = calloc(m + 1, sizeof(*is_taken));

	if (!pairs || !is_taken)
		return rarog_oom();
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < m; j++)
			pairs[k++] = (struct likeness){
				i, j, distance(&traced->v.v[i], &run->v.v[j], traced->n_places),
				i > j ? i - j : j - i
			};
	qsort(pairs, k, sizeof(*pairs), most_alike_first);
	for (size_t i = 0; i < n; i++)
		ret_of[i] = SIZE_MAX;
	for (size_t i = 0; i < k && pairs[i].distance < UNLIKE; i++)
		if (ret_of[pairs[i].a] == SIZE_MAX && !is_taken[pairs[i].b]) {
			ret_of[pairs[i].a] = pairs[i].b;
			is_taken[pairs[i].b] = true;
		}
	return 0;
}
