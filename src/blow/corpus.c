/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blow/corpus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "profile/off-cpu.h"

struct source {
	const struct rarog_location *locations;
	const struct rarog_profile_binary *binaries;
	const struct rarog_clock *clock;
	const struct rarog_off_cpu_table *off_cpu;
	long n_locations, n_binaries;
};

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static const struct rarog_off_cpu *away_of(const struct source *from, uint32_t location)
{
	static const struct rarog_off_cpu none;

	return location < from->off_cpu->n_locations ? &from->off_cpu->over[location] : &none;
}

/* What it had a processor for. */
static uint64_t self_ticks(const struct source *from, const struct rarog_summary *summary)
{
	const struct rarog_off_cpu *away = away_of(from, summary->location);

	return less(summary->exclusive, away->waited + away->preempted);
}

static int add(struct rarog_blow_corpus *corpus, const struct source *from,
	       const struct rarog_summary *summary)
{
	const struct rarog_location *location = &from->locations[summary->location];
	struct rarog_blow_function f = {
		.path = strdup(from->binaries[location->binary].path),
		.name = strdup(location->name),
		.address = location->address,
		.calls = summary->count,
		.total_ns = rarog_clock_ns(
			from->clock,
			less(summary->total, away_of(from, summary->location)->total_preempted)),
		.exclusive_ns = rarog_clock_ns(
			from->clock,
			less(summary->exclusive, away_of(from, summary->location)->preempted)),
		.waited_ns = rarog_clock_ns(from->clock, away_of(from, summary->location)->waited),
		.self_ns = rarog_clock_ns(from->clock, self_ticks(from, summary)),
	};

	if (f.path && f.name && rarog_vec_push(&corpus->v, f) == 0)
		return 0;
	free(f.path);
	free(f.name);
	return rarog_oom();
}

/* Of all strands; of functions that noise can be put into. */
static bool is_candidate(const struct source *from, const struct rarog_summary *summary)
{
	const struct rarog_location *location = &from->locations[summary->location];

	return summary->strand == RAROG_NONE && summary->count > 0 &&
	       location->kind == RAROG_LOCATION_FUNCTION &&
	       location->binary < (uint32_t)from->n_binaries;
}

static int take(struct rarog_blow_corpus *corpus, const struct source *from, long n,
		const struct rarog_summary summaries[], const struct rarog_blow_choice *choice)
{
	int r = 0;

	for (long i = 0; r == 0 && i < n; i++) {
		uint64_t ns;

		if (summaries[i].location >= (uint32_t)from->n_locations ||
		    !is_candidate(from, &summaries[i]))
			continue;
		corpus->n_called++;
		ns = rarog_clock_ns(from->clock, choice->by_self ? self_ticks(from, &summaries[i])
								 : summaries[i].total);
		if (summaries[i].count >= choice->called &&
		    (double)ns >= choice->share * (double)corpus->traced_ns)
			r = add(corpus, from, &summaries[i]);
	}
	return r;
}

int rarog_blow_corpus_choose(struct rarog_blow_corpus *corpus, struct rarog_profile *profile,
			     const struct rarog_blow_choice *choice)
{
	rarog_cleanup(rarog_off_cpu_table_release) struct rarog_off_cpu_table off_cpu = { 0 };
	struct source from = { .clock = rarog_profile_clock(profile), .off_cpu = &off_cpu };
	const struct rarog_summary *summaries;
	long n = rarog_profile_summaries(profile, &summaries);
	int r;

	from.n_locations = rarog_profile_locations(profile, &from.locations);
	from.n_binaries = rarog_profile_binaries(profile, &from.binaries);
	if (n < 0 || from.n_locations < 0 || from.n_binaries < 0)
		return n < 0 ? (int)n : -EBADMSG;
	r = rarog_off_cpu_table_load(profile, false, &off_cpu);
	if (r < 0)
		return r;
	r = take(corpus, &from, n, summaries, choice);
	if (r == 0 && corpus->v.n == 0)
		r = rarog_fail(
			-ENOENT,
			"none of %zu functions is called %llu times and takes %.3g %% of the "
			"run; see --called-threshold and --min-func-time",
			corpus->n_called, (unsigned long long)choice->called, 100 * choice->share);
	return r;
}

struct rarog_blow_function *rarog_blow_corpus_find(const struct rarog_blow_corpus *corpus,
						   const char *path, uint64_t address)
{
	for (size_t i = 0; i < corpus->v.n; i++)
		if (corpus->v.v[i].address == address && strcmp(corpus->v.v[i].path, path) == 0)
			return &corpus->v.v[i];
	return NULL;
}

void rarog_blow_corpus_release(struct rarog_blow_corpus *corpus)
{
	for (size_t i = 0; i < corpus->v.n; i++) {
		free(corpus->v.v[i].path);
		free(corpus->v.v[i].name);
		rarog_vec_release(&corpus->v.v[i].runs);
	}
	rarog_vec_release(&corpus->v);
}
