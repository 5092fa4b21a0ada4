/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/side.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/error.h"
#include "collect/collector.h"
#include "num/quantile.h"

static void decrefp(json_t **json)
{
	json_decref(*json);
}

static int copy_text(const char *text, char **ret_copy)
{
	*ret_copy = text ? strdup(text) : NULL;
	return text && !*ret_copy ? rarog_oom() : 0;
}

int rarog_side_init(struct rarog_side *side, const char *name, const char *version)
{
	int r;

	*side = (struct rarog_side){ 0 };
	r = copy_text(name, &side->name);
	return r < 0 ? r : copy_text(version, &side->version);
}

void rarog_side_release(struct rarog_side *side)
{
	for (size_t i = 0; i < side->runs.n; i++)
		rarog_profile_free(side->runs.v[i].profile);
	rarog_vec_release(&side->runs);
	rarog_vec_release(&side->wall_ns);
	rarog_vec_release(&side->cpu_ns);
	rarog_vec_release(&side->pairs);
	rarog_vec_release(&side->pair_wall_ns);
	rarog_vec_release(&side->pair_cpu_ns);
	free(side->name);
	free(side->version);
	*side = (struct rarog_side){ 0 };
}

/* --- what a header says of a run --- */

/* A duration; NAN: not said. @where is for the message. */
static int read_ns(const char *where, const json_t *object, const char *key, double *ret_ns)
{
	const json_t *value = json_object_get(object, key);
	double ns = value && !json_is_null(value) ? json_number_value(value) : NAN;

	if (value && !json_is_null(value) && (!json_is_number(value) || !(ns >= 0)))
		return rarog_fail(-EINVAL,
				  "%s: '%s' of its header is no duration; measure it again", where,
				  key);
	*ret_ns = ns;
	return 0;
}

static int read_times(const char *where, const json_t *object, double *ret_wall_ns,
		      double *ret_cpu_ns)
{
	double user, system;
	int r = read_ns(where, object, "wall_ns", ret_wall_ns);

	if (r == 0)
		r = read_ns(where, object, "user_ns", &user);
	if (r == 0)
		r = read_ns(where, object, "system_ns", &system);
	if (r == 0)
		*ret_cpu_ns = user + system; /* NAN if either is */
	return r;
}

static int add_untraced(struct rarog_side *side, double wall_ns, double cpu_ns)
{
	int r = 0;

	if (!isnan(wall_ns))
		r = rarog_vec_push(&side->wall_ns, wall_ns);
	if (r == 0 && !isnan(cpu_ns))
		r = rarog_vec_push(&side->cpu_ns, cpu_ns);
	return r < 0 ? rarog_oom() : 0;
}

/* Runs of one round share what was drawn by lot for it (where code and stack lie): they are one. */
static int add_medians(struct rarog_side *side, size_t n, const double wall[], const double cpu[])
{
	double wall_ns = NAN, cpu_ns = NAN;

	if (rarog_median(n, wall, &wall_ns) < 0 || rarog_median(n, cpu, &cpu_ns) < 0)
		rarog_error_clear(); /* one of them is unknown */
	return add_untraced(side, wall_ns, cpu_ns);
}

static int add_pairs(struct rarog_side *side, size_t n, const double wall[], const double cpu[])
{
	struct rarog_side_pairs pairs = { side->wall_ns.n, side->pair_wall_ns.n, n };
	int r = 0;

	if (side->wall_ns.n != side->cpu_ns.n)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (!(wall[i] > 0) || !(cpu[i] > 0))
			return 0; /* no ratio */
	for (size_t i = 0; r == 0 && i < n; i++) {
		r = rarog_vec_push(&side->pair_wall_ns, wall[i]);
		r = r ? r : rarog_vec_push(&side->pair_cpu_ns, cpu[i]);
	}
	r = r ? r : rarog_vec_push(&side->pairs, pairs);
	return r < 0 ? rarog_oom() : 0;
}

static int add_round(struct rarog_side *side, size_t n, const double wall[], const double cpu[])
{
	int r = add_pairs(side, n, wall, cpu);

	return r < 0 ? r : add_medians(side, n, wall, cpu);
}

static int read_untraced(struct rarog_side *side, const char *where, const json_t *header)
{
	const json_t *list = json_object_get(header, "untraced");
	bool is_of_round = json_object_get(header, "round") != NULL;
	size_t n = json_array_size(list);
	rarog_cleanup(rarog_freep) double *wall = calloc(n + 1, sizeof(*wall));
	rarog_cleanup(rarog_freep) double *cpu = calloc(n + 1, sizeof(*cpu));
	int r = wall && cpu ? 0 : rarog_oom();

	for (size_t i = 0; r == 0 && i < n; i++)
		r = read_times(where, json_array_get(list, i), &wall[i], &cpu[i]);
	if (is_of_round && n > 0)
		return r < 0 ? r : add_round(side, n, wall, cpu);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_untraced(side, wall[i], cpu[i]);
	return r;
}

static double ticks_to_ns(const struct rarog_profile *profile, const json_t *ticks)
{
	return json_number_value(ticks) * 1e9 / (double)rarog_profile_clock(profile)->hz;
}

static void read_cost(const json_t *header, struct rarog_side_run *run)
{
	const json_t *cost = json_object_get(header, "probe_cost");

	run->is_compensated = json_is_true(json_object_get(cost, "compensated"));
	run->probe_ns = ticks_to_ns(run->profile, json_object_get(cost, "call_ticks"));
	run->probe_self_ns = ticks_to_ns(run->profile, json_object_get(cost, "self_ticks"));
}

static uint64_t read_round(const json_t *header)
{
	const json_t *round = json_object_get(header, "round");
	const char *series = json_string_value(json_object_get(round, "series"));
	XXH64_hash_t number = (XXH64_hash_t)json_integer_value(json_object_get(round, "number"));

	return series ? XXH3_64bits_withSeed(series, strlen(series), number) | 1 : 0;
}

/* How the runs without probes were made, if not at once; run/together.h writes it. */
static void read_way(const json_t *header, struct rarog_side_run *run)
{
	const json_t *round = json_object_get(header, "round");
	const char *why = json_string_value(json_object_get(round, "in_turn"));

	run->is_as_built = json_is_false(json_object_get(round, "linked_anew"));
	run->uses_several = why && strcmp(why, "threads") == 0;
	run->failed_beside = why && strcmp(why, "failed") == 0;
}

static int read_header(struct rarog_side *side, struct rarog_side_run *run)
{
	const char *where = rarog_profile_path(run->profile);
	rarog_cleanup(decrefp) json_t *header =
		json_loads(rarog_profile_header(run->profile), 0, NULL);
	const char *collector = json_string_value(json_object_get(header, "collector"));
	const char *counts = json_string_value(json_object_get(header, "counts"));
	int r;

	if (!json_is_object(header))
		return rarog_fail(-EBADMSG, "%s: its header is not JSON; see rarog fsck", where);
	run->started_ns = (uint64_t)json_integer_value(json_object_get(header, "started_ns"));
	run->counts_samples = counts && strcmp(counts, "samples") == 0;
	run->round = read_round(header);
	read_way(header, run);
	read_cost(header, run);
	r = read_times(where, json_object_get(header, "end"), &run->wall_ns, &run->cpu_ns);
	if (r == 0)
		r = read_untraced(side, where, header);
	if (r == 0 && rarog_collector_traits(collector, NULL) & RAROG_COLLECTOR_UNTRACED)
		r = add_untraced(side, run->wall_ns, run->cpu_ns);
	return r;
}

/* --- what its tables say --- */

/* Those that had a whole probe: one that is left out or counted costs next to nothing beside it,
 * unless all were only counted. */
static int count_calls(struct rarog_side_run *run)
{
	const struct rarog_summary *summaries;
	long n = rarog_profile_summaries(run->profile, &summaries);
	double timed = 0, all = 0;

	for (long i = 0; i < n; i++) {
		if (summaries[i].strand != RAROG_NONE)
			continue;
		timed += (double)summaries[i].timed;
		all += (double)summaries[i].count;
	}
	run->calls = timed > 0 ? timed : all;
	return n < 0 ? (int)n : 0;
}

int rarog_side_add(struct rarog_side *side, struct rarog_profile *take_profile)
{
	struct rarog_side_run run = { .profile = take_profile, .wall_ns = NAN, .cpu_ns = NAN };
	int r = read_header(side, &run);

	if (r == 0)
		r = count_calls(&run);
	if (r == 0 && rarog_vec_push(&side->runs, run) < 0)
		r = rarog_oom();
	if (r < 0)
		rarog_profile_free(take_profile);
	return r;
}

bool rarog_side_counts_samples(const struct rarog_side *side)
{
	for (size_t i = 0; i < side->runs.n; i++)
		if (side->runs.v[i].counts_samples)
			return true;
	return false;
}

/* --- pairs --- */

/* Uses @y up. */
static void move_apart(size_t n, const double x[], double y[], double *base, double *target)
{
	double ratio, centre = sqrt(*base * *target);

	for (size_t i = 0; i < n; i++)
		y[i] = log(y[i] / x[i]);
	if (rarog_median(n, y, &ratio) < 0) {
		rarog_error_clear();
		return;
	}
	*base = centre * exp(-ratio / 2);
	*target = centre * exp(ratio / 2);
}

void rarog_sides_pair(struct rarog_side sides[2])
{
	struct rarog_side *a = &sides[0], *b = &sides[1];

	for (size_t i = 0; i < a->pairs.n && i < b->pairs.n; i++) {
		const struct rarog_side_pairs *p = &a->pairs.v[i], *q = &b->pairs.v[i];

		if (p->n != q->n || p->value != q->value)
			continue;
		move_apart(p->n, &a->pair_wall_ns.v[p->first], &b->pair_wall_ns.v[q->first],
			   &a->wall_ns.v[p->value], &b->wall_ns.v[q->value]);
		move_apart(p->n, &a->pair_cpu_ns.v[p->first], &b->pair_cpu_ns.v[q->first],
			   &a->cpu_ns.v[p->value], &b->cpu_ns.v[q->value]);
	}
}
