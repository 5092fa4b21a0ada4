/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blow/corpus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

struct source {
	const struct rarog_location *locations;
	const struct rarog_profile_binary *binaries;
	const struct rarog_clock *clock;
	long n_locations, n_binaries;
};

static int add(struct rarog_blow_corpus *corpus, const struct source *from,
	       const struct rarog_summary *summary)
{
	const struct rarog_location *location = &from->locations[summary->location];
	struct rarog_blow_function f = {
		.path = strdup(from->binaries[location->binary].path),
		.name = strdup(location->name),
		.address = location->address,
		.calls = summary->count,
		.total_ns = rarog_clock_ns(from->clock, summary->total),
		.exclusive_ns = rarog_clock_ns(from->clock, summary->exclusive),
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
		ns = rarog_clock_ns(from->clock, summaries[i].total);
		if (summaries[i].count >= choice->called &&
		    (double)ns >= choice->share * (double)corpus->traced_ns)
			r = add(corpus, from, &summaries[i]);
	}
	return r;
}

int rarog_blow_corpus_choose(struct rarog_blow_corpus *corpus, struct rarog_profile *profile,
			     const struct rarog_blow_choice *choice)
{
	struct source from = { .clock = rarog_profile_clock(profile) };
	const struct rarog_summary *summaries;
	long n = rarog_profile_summaries(profile, &summaries);
	int r;

	from.n_locations = rarog_profile_locations(profile, &from.locations);
	from.n_binaries = rarog_profile_binaries(profile, &from.binaries);
	if (n < 0 || from.n_locations < 0 || from.n_binaries < 0)
		return n < 0 ? (int)n : -EBADMSG;
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
