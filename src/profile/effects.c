/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/effects.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

/* Kinds whose effect is what of the run would be gained (src/blow/mode.c). */
static const char *const gains[] = { "speed-up", "busy in all but it" };

static double double_of(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static bool is_gain(const char *kind)
{
	for (size_t i = 0; i < RAROG_COUNT(gains); i++)
		if (kind && strcmp(kind, gains[i]) == 0)
			return true;
	return false;
}

double rarog_influence(double time, double base, double injected, double total)
{
	return time / base / (1 + injected / (total + 1));
}

/* --- the run that all are compared with --- */

struct base {
	double run_ns, traced_ns; /* 0: the header does not say */
};

static struct base read_base(const json_t *header)
{
	struct base base = {
		.run_ns = json_number_value(json_object_get(header, "base_ns")),
		.traced_ns = json_number_value(json_object_get(header, "traced_ns")),
	};

	if (!(base.traced_ns > 0)) /* older profiles */
		base.traced_ns = base.run_ns;
	return base;
}

/* What has to be the same for two estimates to mean the same. NULL: no memory. */
static char *read_settings(const json_t *header)
{
	json_t *all = json_copy(json_object_get(header, "parameters"));
	char *text;

	json_object_del(all, "seed");
	text = all ? json_dumps(all, JSON_COMPACT | JSON_SORT_KEYS) : strdup("");
	json_decref(all);
	return text;
}

static void mark_bent(struct rarog_effects *effects, const json_t *header, long n,
		      const struct rarog_location locations[])
{
	const json_t *names = json_object_get(header, "bent");

	for (size_t i = 0; i < effects->v.n; i++)
		for (size_t k = 0; k < json_array_size(names); k++) {
			const char *name = json_string_value(json_array_get(names, k));
			uint32_t at = effects->v.v[i].experiment->location;

			if (name && at < n && strcmp(name, locations[at].name) == 0)
				effects->v.v[i].is_bent = true;
		}
}

/* --- what trials tell --- */

struct trials {
	const struct rarog_trial *v;
	size_t n;
};

static bool is_of(const struct rarog_trial *trial, const struct rarog_experiment *experiment)
{
	return trial->location == experiment->location && trial->line == experiment->line &&
	       trial->strand == RAROG_NONE;
}

static double mean_control(const struct trials *trials, const struct rarog_experiment *experiment)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < trials->n; i++)
		if (is_of(&trials->v[i], experiment) && trials->v[i].injected == 0) {
			sum += (double)trials->v[i].time;
			n++;
		}
	return n > 0 ? sum / (double)n : NAN;
}

/* @total: ticks on the stack without noise */
static void add_influence(const struct trials *trials, double total, struct rarog_effect_row *row)
{
	double base = mean_control(trials, row->experiment), sum = 0, last = NAN;
	size_t n = 0;

	for (size_t i = 0; i < trials->n; i++) {
		const struct rarog_trial *trial = &trials->v[i];

		if (!is_of(trial, row->experiment) || trial->injected == 0)
			continue;
		last = rarog_influence((double)trial->time, base, (double)trial->injected, total);
		sum += last;
		n++;
	}
	row->influence = last;
	row->fitness = n > 0 ? sum / (double)n : NAN;
}

/* --- rows --- */

static const struct rarog_summary *summary_of(uint32_t location, long n,
					      const struct rarog_summary summaries[])
{
	static const struct rarog_summary none;

	for (long i = 0; i < n; i++)
		if (summaries[i].strand == RAROG_NONE && summaries[i].location == location)
			return &summaries[i];
	return &none;
}

static struct rarog_effect_row row_of(const struct rarog_experiment *e, const struct base *base,
				      const struct rarog_clock *clock,
				      const struct rarog_summary *summary)
{
	struct rarog_effect_row row = {
		.experiment = e,
		.is_gain = is_gain(e->kind),
		.value = double_of(e->effect),
		.low = double_of(e->low),
		.high = double_of(e->high),
		.calls = summary->count,
		.total_ns = (double)rarog_clock_ns(clock, summary->total),
		.sensitivity = NAN,
		.critical_calls = NAN,
		.fitness = NAN,
		.influence = NAN,
	};

	row.share = base->traced_ns > 0 ? row.total_ns / base->traced_ns : NAN;
	row.opportunity = row.share;
	if (row.is_gain)
		return row;
	row.sensitivity = row.value * row.share;
	row.critical_calls = fmax(row.value, 0) * (double)row.calls;
	return row;
}

static int read_header(struct rarog_profile *profile, struct rarog_effects *effects,
		       struct base *ret_base)
{
	json_t *header = json_loads(rarog_profile_header(profile), 0, NULL);

	*ret_base = read_base(header);
	effects->settings = read_settings(header);
	json_decref(header);
	return effects->settings ? 0 : rarog_oom();
}

static int read_bent(struct rarog_profile *profile, struct rarog_effects *effects)
{
	const struct rarog_location *locations;
	long n = rarog_profile_locations(profile, &locations);
	json_t *header = n < 0 ? NULL : json_loads(rarog_profile_header(profile), 0, NULL);

	if (n >= 0)
		mark_bent(effects, header, n, locations);
	json_decref(header);
	return n < 0 ? (int)n : 0;
}

int rarog_effects_read(struct rarog_profile *profile, struct rarog_effects *ret_effects)
{
	const struct rarog_experiment *experiments;
	const struct rarog_summary *summaries;
	struct trials trials = { 0 };
	long n = rarog_profile_experiments(profile, &experiments);
	long n_summaries = n <= 0 ? n : rarog_profile_summaries(profile, &summaries);
	long n_trials = n_summaries <= 0 ? n_summaries : rarog_profile_trials(profile, &trials.v);
	struct base base;

	*ret_effects = (struct rarog_effects){ 0 };
	if (n <= 0 || n_summaries < 0 || n_trials < 0)
		return n < 0 ? (int)n : n_summaries < 0 ? (int)n_summaries : (int)n_trials;
	trials.n = (size_t)n_trials;
	if (read_header(profile, ret_effects, &base) < 0)
		return -ENOMEM;
	ret_effects->run_ns = base.run_ns;
	for (long i = 0; i < n; i++) {
		const struct rarog_summary *summary =
			summary_of(experiments[i].location, n_summaries, summaries);
		struct rarog_effect_row row =
			row_of(&experiments[i], &base, rarog_profile_clock(profile), summary);

		if (!row.is_gain)
			add_influence(&trials, (double)summary->total, &row);
		if (rarog_vec_push(&ret_effects->v, row) < 0)
			return rarog_oom();
	}
	return read_bent(profile, ret_effects);
}

void rarog_effects_release(struct rarog_effects *effects)
{
	free(effects->settings);
	rarog_vec_release(&effects->v);
}

bool rarog_effects_exist(struct rarog_profile *profile)
{
	const struct rarog_experiment *experiments;

	return rarog_profile_experiments(profile, &experiments) > 0;
}
