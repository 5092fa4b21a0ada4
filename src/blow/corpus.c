/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blow/corpus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "base/units.h"
#include "binary/binary.h"
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

static bool is_mark(const struct source *from, const struct rarog_summary *summary)
{
	return from->locations[summary->location].kind != RAROG_LOCATION_FUNCTION;
}

/* What it had a processor for. A region is made faster with all that is called in it. */
static uint64_t self_ticks(const struct source *from, const struct rarog_summary *summary)
{
	const struct rarog_off_cpu *away = away_of(from, summary->location);

	if (is_mark(from, summary))
		return less(summary->total, away->total_waited + away->total_preempted);
	return less(summary->exclusive, away->waited + away->preempted);
}

static uint64_t self_ns(const struct rarog_blow_corpus *corpus, const struct source *from,
			const struct rarog_summary *summary)
{
	double ns = (double)rarog_clock_ns(from->clock, self_ticks(from, summary));

	return (uint64_t)((1 - corpus->starved) * ns);
}

/* Without what others had of its processor. */
static uint64_t total_ns(const struct source *from, const struct rarog_summary *summary)
{
	return rarog_clock_ns(from->clock, less(summary->total,
						away_of(from, summary->location)->total_preempted));
}

static int add(struct rarog_blow_corpus *corpus, const struct source *from,
	       const struct rarog_summary *summary)
{
	const struct rarog_location *location = &from->locations[summary->location];
	struct rarog_blow_function f = {
		.path = strdup(from->binaries[location->binary].path),
		.name = strdup(location->name),
		.address = location->address,
		.is_mark = is_mark(from, summary),
		.calls = summary->count,
		.total_ns = total_ns(from, summary),
		.exclusive_ns = rarog_clock_ns(
			from->clock,
			less(summary->exclusive, away_of(from, summary->location)->preempted)),
		.waited_ns = rarog_clock_ns(from->clock, away_of(from, summary->location)->waited),
		.self_ns = self_ns(corpus, from, summary),
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
	       (location->kind == RAROG_LOCATION_FUNCTION ||
		location->kind == RAROG_LOCATION_POINT ||
		location->kind == RAROG_LOCATION_REGION) &&
	       location->binary < (uint32_t)from->n_binaries;
}

static bool needs_code(const struct rarog_blow_choice *choice)
{
	return choice->sites > 0 || choice->varying || choice->io || choice->locks;
}

/* The code of the file that functions came from last: they come together. */
struct reader {
	struct rarog_blow_code *code;
	uint32_t binary;
};

/* A file that cannot be read any more says nothing of its functions. */
static struct rarog_blow_code_facts facts_of(struct reader *reader, const struct source *from,
					     const struct rarog_location *location)
{
	if (!reader->code || reader->binary != location->binary) {
		rarog_blow_code_free(reader->code);
		reader->code = NULL;
		reader->binary = location->binary;
		if (rarog_blow_code_read(from->binaries[location->binary].path, &reader->code) <
		    0) {
			rarog_error_clear();
			return (struct rarog_blow_code_facts){ 0 };
		}
	}
	return rarog_blow_code_facts(reader->code, location->address);
}

static bool is_named(const struct rarog_strings *names, const char *name)
{
	rarog_cleanup(rarog_freep) char *demangled = rarog_demangle(name);

	for (size_t i = 0; i < names->n; i++)
		if (strcmp(names->v[i], name) == 0 ||
		    (demangled && strcmp(names->v[i], demangled) == 0))
			return true;
	return false;
}

/* As it is named in --at, with the file's name before it or not; of USDT "parse" of "rarog:parse",
 * too. */
static bool is_mark_chosen(const struct rarog_blow_choice *choice, const char *name)
{
	const char *colon = strchr(name, ':');

	for (size_t i = 0; i < choice->regions.n; i++)
		if (strcmp(choice->regions.v[i], name) == 0 ||
		    (colon && strcmp(choice->regions.v[i], colon + 1) == 0))
			return true;
	for (size_t i = 0; i < choice->at.n; i++)
		if (strchr(name, '@') || rarog_ends_with(choice->at.v[i], name))
			return true;
	return false;
}

static bool is_chosen(const struct rarog_blow_corpus *corpus,
		      const struct rarog_blow_choice *choice,
		      const struct rarog_blow_code_facts *code, const char *name, uint64_t calls,
		      uint64_t ns)
{
	if (choice->names.n > 0)
		return is_named(&choice->names, name);
	if ((choice->io && code->does_io) || (choice->locks && code->locks))
		return true;
	if ((double)ns < choice->share * (double)corpus->traced_ns || ns / calls < choice->mean_ns)
		return false;
	return calls >= choice->called || (choice->sites > 0 && code->n_sites >= choice->sites) ||
	       (choice->varying && code->varies);
}

static int take_one(struct rarog_blow_corpus *corpus, const struct source *from,
		    const struct rarog_blow_choice *choice, struct reader *reader,
		    const struct rarog_summary *summary)
{
	const struct rarog_location *location = &from->locations[summary->location];
	struct rarog_blow_code_facts code = { 0 };
	uint64_t total = total_ns(from, summary);
	uint64_t ns =
		choice->by_self ? rarog_clock_ns(from->clock, self_ticks(from, summary)) : total;
	struct rarog_blow_called called = { strdup(location->name), summary->count, total };
	int r;

	if (needs_code(choice) && !is_mark(from, summary))
		code = facts_of(reader, from, location);
	if (is_mark(from, summary))
		called.is_chosen = is_mark_chosen(choice, location->name);
	else
		called.is_chosen =
			!choice->only_marks &&
			is_chosen(corpus, choice, &code, location->name, summary->count, ns);
	corpus->n_called++;
	if (!called.name || rarog_vec_push(&corpus->all, called) < 0) {
		free(called.name);
		return rarog_oom();
	}
	if (!called.is_chosen)
		return 0;
	r = add(corpus, from, summary);
	if (r < 0)
		return r;
	corpus->v.v[corpus->v.n - 1].has_code = needs_code(choice) && !is_mark(from, summary);
	corpus->v.v[corpus->v.n - 1].code = code;
	return 0;
}

static int take(struct rarog_blow_corpus *corpus, const struct source *from, long n,
		const struct rarog_summary summaries[], const struct rarog_blow_choice *choice)
{
	struct reader reader = { 0 };
	int r = 0;

	for (long i = 0; r == 0 && i < n; i++)
		if (summaries[i].location < (uint32_t)from->n_locations &&
		    is_candidate(from, &summaries[i]))
			r = take_one(corpus, from, choice, &reader, &summaries[i]);
	rarog_blow_code_free(reader.code);
	return r;
}

/* A name that nothing has is a mistake. */
static int check_names(const struct rarog_blow_corpus *corpus, const struct rarog_strings *names)
{
	for (size_t i = 0; i < names->n; i++) {
		const struct rarog_strings one = { .v = names->v + i, .n = 1 };
		bool is_there = false;

		for (size_t k = 0; !is_there && k < corpus->all.n; k++)
			is_there = is_named(&one, corpus->all.v[k].name);
		if (!is_there)
			return rarog_fail(-ENOENT,
					  "--corpus: %s is not called, or cannot have a probe; see "
					  "--show-functions",
					  names->v[i]);
	}
	return 0;
}

static bool has_region(const struct rarog_blow_corpus *corpus, const char *region)
{
	const struct rarog_blow_choice one = { .regions = { .v = &region, .n = 1 } };

	for (size_t i = 0; i < corpus->v.n; i++)
		if (corpus->v.v[i].is_mark && is_mark_chosen(&one, corpus->v.v[i].name))
			return true;
	return false;
}

/* What is not passed, or has no time that could be gained. */
static int check_marks(const struct rarog_blow_corpus *corpus,
		       const struct rarog_blow_choice *choice)
{
	for (size_t i = 0; i < choice->regions.n; i++)
		if (!has_region(corpus, choice->regions.v[i]))
			return rarog_fail(-ENOENT,
					  "--region=%s: no region or point that is called so is "
					  "passed; see --show-functions",
					  choice->regions.v[i]);
	for (size_t i = 0; choice->by_self && i < corpus->v.n; i++)
		if (corpus->v.v[i].is_mark && corpus->v.v[i].self_ns == 0)
			return rarog_fail(-EINVAL,
					  "%s: is a point, which takes no time that could be "
					  "gained; name a region: FILE:LINE-LINE, FUNC@CALLER or "
					  "--region",
					  corpus->v.v[i].name);
	if (choice->only_marks && corpus->v.n == 0)
		return rarog_fail(-ENOENT, "--at: none of these places is passed; see "
					   "--show-functions");
	return 0;
}

static int say_none(const struct rarog_blow_corpus *corpus, const struct rarog_blow_choice *choice)
{
	char least[48];

	if (choice->mean_ns > 0)
		snprintf(least, sizeof(least), "%s a call", rarog_format_ns(choice->mean_ns).text);
	else
		snprintf(least, sizeof(least), "%.3g %% of the run", 100 * choice->share);
	return rarog_fail(-ENOENT,
			  "none of %zu functions is called %llu times and takes %s; see "
			  "--called-threshold and --min-func-time%s",
			  corpus->n_called, (unsigned long long)choice->called, least,
			  choice->libraries ? "" : ", and --libs for those of libraries");
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
	return take(corpus, &from, n, summaries, choice);
}

int rarog_blow_corpus_check(const struct rarog_blow_corpus *corpus,
			    const struct rarog_blow_choice *choice)
{
	int r = check_names(corpus, &choice->names);

	if (r == 0)
		r = check_marks(corpus, choice);
	return r == 0 && corpus->v.n == 0 ? say_none(corpus, choice) : r;
}

static bool is_at(const struct rarog_blow_function *f, const struct rarog_blow_place *place)
{
	if (f->is_mark != (place->mark != NULL) || strcmp(f->path, place->path) != 0)
		return false;
	return place->mark ? strcmp(f->name, place->mark) == 0 : f->address == place->address;
}

struct rarog_blow_function *rarog_blow_corpus_find(const struct rarog_blow_corpus *corpus,
						   const struct rarog_blow_place *place)
{
	for (size_t i = 0; i < corpus->v.n; i++)
		if (is_at(&corpus->v.v[i], place))
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
	for (size_t i = 0; i < corpus->all.n; i++)
		free(corpus->all.v[i].name);
	rarog_vec_release(&corpus->all);
}
