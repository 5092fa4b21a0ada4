/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/feature-influence.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/json-writer.h"
#include "base/log.h"
#include "base/str.h"
#include "blocks/tally.h"
#include "cmd/model-profiles.h"
#include "feature/influence.h"
#include "profile/measured.h"
#include "store/facts.h"
#include "view/feature-sums.h"

#define ROUNDING 1e-12 /* of the most that a term adds */

/* --- amounts --- */

static const struct {
	const char *name, *key, *unit;
} metrics[] = {
	{ "wall", "wall_ns", "ns" },
	{ "user", "user_ns", "ns" },
	{ "system", "system_ns", "ns" },
	{ "max-rss", "max_rss_bytes", "bytes" },
	{ "instructions", NULL, "instructions" }, /* where blocks were counted */
};

static long find_metric(const char *name)
{
	for (size_t i = 0; i < RAROG_COUNT(metrics); i++)
		if (strcmp(metrics[i].name, name) == 0)
			return (long)i;
	return -1;
}

/* The time of a region or function: of one that did not run 0; NAN: calls are missing. @has_name:
 * set if it is there. */
static double total_of(struct rarog_profile *profile, const char *name, bool *has_name)
{
	rarog_cleanup(rarog_freep) bool *unknown = NULL;
	const struct rarog_location *locations;
	const struct rarog_summary *sums;
	long n = rarog_profile_locations(profile, &locations);
	long n_sums = rarog_profile_summaries(profile, &sums);
	double ticks = rarog_total_unknown(profile, &unknown) < 0 ? NAN : 0;

	for (long i = 0; i < n; i++)
		*has_name |= strcmp(locations[i].name, name) == 0;
	for (long i = 0; n > 0 && i < n_sums; i++)
		if (sums[i].strand == RAROG_NONE && sums[i].location < (uint32_t)n &&
		    strcmp(locations[sums[i].location].name, name) == 0)
			ticks += unknown && unknown[sums[i].location] ? NAN : (double)sums[i].total;
	return ticks * 1e9 / (double)rarog_profile_clock(profile)->hz;
}

static double instructions_of(struct rarog_profile *profile)
{
	rarog_cleanup(rarog_tally_release) struct rarog_tally tally = { 0 };

	if (rarog_tally_read(profile, &tally) < 0) {
		rarog_error_clear();
		return NAN;
	}
	return tally.n > 0 ? (double)tally.instructions : NAN;
}

/* Is each feature of @a one of @b? */
static bool is_in(const char *a, const char *b)
{
	for (size_t n; *a; a += n + (a[n] == ',')) {
		const char *at = b;

		n = strcspn(a, ",");
		while (at && (strncmp(at, a, n) != 0 || (at[n] && at[n] != ',')))
			at = (at = strchr(at, ',')) ? at + 1 : NULL;
		if (!at)
			return false;
	}
	return true;
}

/* The time of a set of features, "A,B": of what was open together. */
static double sum_of(struct rarog_profile *profile, const char *name, bool *has_name)
{
	rarog_cleanup(rarog_feature_sums_release) struct rarog_feature_sums sums = { 0 };
	uint64_t ticks = 0;

	if (rarog_feature_sums_read(profile, &sums) < 0)
		rarog_error_clear();
	for (size_t i = 0; i < sums.list.n; i++)
		if (is_in(name, sums.list.v[i].text) && is_in(sums.list.v[i].text, name)) {
			*has_name = true;
			ticks = sums.list.v[i].inclusive;
		}
	return (double)rarog_clock_ns(rarog_profile_clock(profile), ticks);
}

static double amount_of(struct rarog_profile *profile, const struct rarog_facts *facts,
			const char *of, bool *has_name)
{
	const json_t *end = json_object_get(facts->header, "end"), *value;
	long metric = find_metric(of);

	if (metric < 0 && !strchr(of, '@') && rarog_feature_sums_are_in(profile))
		return sum_of(profile, of, has_name);
	if (metric < 0)
		return total_of(profile, of, has_name);
	*has_name = true;
	if (!metrics[metric].key)
		return instructions_of(profile);
	value = json_object_get(end, metrics[metric].key);
	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* --- runs --- */

/* What all runs have to be of. */
enum trait { PROGRAM, COLLECTOR, ENGINE, PARAMETERS, WORKLOAD, TRAITS };

struct given {
	char *configuration, *arguments;
};

struct runs {
	RAROG_VEC(struct rarog_influence_run) list;
	RAROG_VEC(struct given) given;
	char *traits[TRAITS];  /* of all of them */
	char *job, *other_job; /* the first one's; NULL: all are of it */
	bool is_named;         /* a profile was named: --job and --collector choose no other */
	size_t n_failed;
	bool has_name; /* of what is asked about */
};

static void runs_release(struct runs *runs)
{
	for (size_t i = 0; i < runs->list.n; i++)
		rarog_configuration_release(&runs->list.v[i].configuration);
	for (size_t i = 0; i < runs->given.n; i++) {
		free(runs->given.v[i].configuration);
		free(runs->given.v[i].arguments);
	}
	for (size_t i = 0; i < TRAITS; i++)
		free(runs->traits[i]);
	rarog_vec_release(&runs->list);
	rarog_vec_release(&runs->given);
	free(runs->job);
	free(runs->other_job);
}

/* Wherever it is: versions are built in folders of their own. */
static char *program_of(const struct rarog_facts *facts)
{
	size_t n = strcspn(facts->job.command, " ");
	char *word = strndup(facts->job.command, n);
	const char *slash = word ? strrchr(word, '/') : NULL;
	char *name = slash ? strdup(slash + 1) : NULL;

	if (!slash)
		return word;
	free(word);
	return name;
}

static char *collector_of(const struct rarog_facts *facts)
{
	return strdup(facts->job.collector);
}

static char *engine_of(const struct rarog_facts *facts)
{
	return strdup(facts->job.engine);
}

static char *parameters_of(const struct rarog_facts *facts)
{
	return strdup(facts->job.parameters);
}

static char *workload_of(const struct rarog_facts *facts)
{
	if (*facts->job.workload)
		return strdup(facts->job.workload);
	return facts->job.has_number ? rarog_asprintf("%.17g", facts->job.number) : strdup("none");
}

/* What takes time to measure makes a run longer, and has amounts that others do not have. */
static const struct {
	const char *before, *between;
	char *(*of)(const struct rarog_facts *facts);
} traits[TRAITS] = {
	[PROGRAM] = { "", "of ", program_of },
	[COLLECTOR] = { "the collectors ", "", collector_of },
	[ENGINE] = { "the engines ", "", engine_of },
	[PARAMETERS] = { "the parameters ", "", parameters_of },
	[WORKLOAD] = { "the workloads ", "", workload_of },
};

static int note_job(const char *its, struct runs *runs)
{
	char **into = runs->job ? &runs->other_job : &runs->job;

	if (runs->other_job || (runs->job && strcmp(runs->job, its) == 0))
		return 0;
	*into = strdup(its);
	return *into ? 0 : rarog_oom();
}

/* How to have only runs that are alike. @collector: they differ in it; or NULL. */
static char *remedy_of(const struct runs *runs, const char *collector)
{
	if (collector && !runs->is_named)
		return rarog_asprintf("choose one: --collector %s", collector);
	if (runs->other_job && !runs->is_named)
		return rarog_asprintf("choose one job: --job %s",
				      *runs->other_job ? runs->other_job : runs->job);
	return strdup("name the profiles of one");
}

static int refuse(const struct runs *runs, enum trait trait, const char *its)
{
	rarog_cleanup(rarog_freep) char *remedy = remedy_of(runs, trait == COLLECTOR ? its : NULL);

	if (!remedy)
		return rarog_oom();
	return rarog_fail(-EINVAL, "these are runs of %s%s and %s%s; %s", traits[trait].before,
			  runs->traits[trait], traits[trait].between, its, remedy);
}

static int check_traits(const struct rarog_facts *facts, struct runs *runs)
{
	for (size_t i = 0; i < TRAITS; i++) {
		rarog_cleanup(rarog_freep) char *its = traits[i].of(facts);

		if (!its)
			return rarog_oom();
		if (!runs->traits[i])
			runs->traits[i] = rarog_take(its);
		else if (strcmp(runs->traits[i], its) != 0)
			return refuse(runs, (enum trait)i, its);
	}
	return 0;
}

static int note_given(const struct rarog_facts *facts, struct runs *runs)
{
	const char *line = facts->job.command + strcspn(facts->job.command, " ");
	struct given given = {
		.configuration = strdup(facts->job.configuration),
		.arguments = rarog_asprintf("%s%s%s", line + (*line == ' '),
					    *line && *facts->job.arguments ? " " : "",
					    facts->job.arguments),
	};

	if (given.configuration && given.arguments && rarog_vec_push(&runs->given, given) == 0)
		return 0;
	free(given.configuration);
	free(given.arguments);
	return rarog_oom();
}

static int compare_given(const void *a, const void *b)
{
	const struct given *x = a, *y = b;

	return strcmp(x->configuration, y->configuration);
}

/* Options are given as arguments, so those of different configurations differ. */
static int check_arguments(const struct runs *runs)
{
	rarog_cleanup(rarog_freep) char *remedy = NULL;

	if (runs->given.n > 1)
		qsort(runs->given.v, runs->given.n, sizeof(*runs->given.v), compare_given);
	for (size_t i = 1; i < runs->given.n; i++) {
		const struct given *a = &runs->given.v[i - 1], *b = a + 1;

		if (compare_given(a, b) != 0 || strcmp(a->arguments, b->arguments) == 0)
			continue;
		remedy = remedy_of(runs, NULL);
		if (!remedy)
			return rarog_oom();
		return rarog_fail(-EINVAL,
				  "these are runs with the arguments '%s' and '%s', which their "
				  "options do not explain; %s",
				  a->arguments, b->arguments, remedy);
	}
	return 0;
}

static int add_run(struct rarog_profile *profile, const char *of, struct runs *runs)
{
	rarog_cleanup(rarog_facts_release) struct rarog_facts facts = { 0 };
	struct rarog_influence_run run = { .y = 0 };
	int r = rarog_facts_of(profile, &facts);

	if (r == 0 && facts.exit_status > 0) {
		runs->n_failed++;
		return 0;
	}
	if (r == 0)
		r = note_job(facts.job.name, runs);
	if (r == 0)
		r = check_traits(&facts, runs);
	if (r == 0)
		r = note_given(&facts, runs);
	if (r == 0)
		r = rarog_configuration_parse(&run.configuration, facts.job.configuration);
	if (r == 0)
		run.y = amount_of(profile, &facts, of, &runs->has_name);
	if (r == 0 && !isfinite(run.y))
		r = rarog_fail(
			-ENODATA,
			"--of=%s: %s does not know it: it was not measured there, or it calls "
			"itself and not every call was recorded",
			of, rarog_profile_path(profile));
	if (r == 0 && rarog_vec_push(&runs->list, run) == 0)
		return 0;
	rarog_configuration_release(&run.configuration);
	return r < 0 ? r : rarog_oom();
}

static int read_runs(const struct rarog_context *context,
		     const struct rarog_feature_influence_options *options, size_t n,
		     char *const operands[], struct runs *runs)
{
	rarog_cleanup(rarog_project_release) struct rarog_project project = { 0 };
	rarog_cleanup(rarog_model_profiles_release) struct rarog_model_profiles profiles = { 0 };
	const struct rarog_option_choice none = { 0 };
	const struct rarog_model_operands choice = { .job = options->job,
						     .collector = options->collector,
						     .options = &none,
						     .is_any_x = true,
						     .n = n,
						     .operands = operands };
	int r = rarog_project_open(context, RAROG_NEED_STORE_IF_ANY, &project);

	if (r == 0)
		r = rarog_model_profiles_open(&project, &choice, &profiles);
	if (r == 0 && profiles.func)
		r = rarog_fail(-ENOENT, "%s: there is no such profile or version", profiles.func);
	runs->is_named = profiles.has_named;
	for (size_t i = 0; r == 0 && i < profiles.list.n; i++)
		r = add_run(profiles.list.v[i], options->of, runs);
	if (r == 0)
		r = check_arguments(runs);
	if (r == 0 && runs->n_failed > 0)
		rarog_warn("%zu of %zu runs are left out, as the program failed", runs->n_failed,
			   profiles.list.n);
	if (r == 0 && runs->list.n > 0 && !runs->has_name)
		r = rarog_fail(-ENOENT,
			       "--of=%s: none of these profiles has a region or function called "
			       "so; rarog show names theirs",
			       options->of);
	return r;
}

/* --- what is said --- */

static const char *unit_of(const char *of)
{
	long metric = find_metric(of);

	return metric < 0 ? "ns" : metrics[metric].unit;
}

struct scale {
	double size;
	const char *unit;
};

/* In which unit numbers about as large as @amount are read best. */
static struct scale scale_of(const char *of, double amount)
{
	static const struct scale times[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" } };

	for (size_t i = 0; strcmp(unit_of(of), "ns") == 0 && i < RAROG_COUNT(times); i++)
		if (fabs(amount) >= times[i].size)
			return times[i];
	return (struct scale){ 1, unit_of(of) };
}

static const struct rarog_influence_option *option_of(const struct rarog_influence *model,
						      const char *name)
{
	for (size_t i = 0; i < model->options.n; i++)
		if (strcmp(model->options.v[i].name, name) == 0)
			return &model->options.v[i];
	return NULL;
}

/* What the coefficient is multiplied by, at most about. */
static double most_of(const struct rarog_influence *model, const struct rarog_influence_term *term)
{
	double most = 1;

	for (size_t i = 0; i < term->n; i++) {
		const struct rarog_influence_factor *factor = &model->factors.v[term->factor[i]];
		const struct rarog_influence_option *option = option_of(model, factor->option);
		double number = option && option->is_number && !factor->value
					? fmax(fabs(option->low), fabs(option->high))
					: 1;

		most *= fmax(factor->shape == RAROG_INFLUENCE_SQUARE ? number * number : number, 1);
	}
	return most;
}

static int print_terms(const struct rarog_influence *model, const char *of)
{
	double largest = 0, whole = 0;
	struct scale scale;
	int r = 0;

	for (size_t i = 0; i < model->terms.n; i++) {
		double b = fabs(model->fit.b[i]);

		largest = fmax(largest, b);
		whole = fmax(whole, b * most_of(model, &model->terms.v[i]));
	}
	scale = scale_of(of, largest);
	if (strcmp(of, scale.unit) == 0)
		printf("%s =\n", of);
	else
		printf("%s in %s =\n", of, scale.unit);
	for (size_t i = 0; r == 0 && i < model->terms.n; i++) {
		rarog_cleanup(rarog_str_release) struct rarog_str name = { 0 };
		double half = rarog_influence_half(model, i), b = model->fit.b[i];

		/* what is left of rounding is nothing */
		if (fabs(b) * most_of(model, &model->terms.v[i]) <= ROUNDING * whole)
			b = 0;
		r = rarog_influence_name(model, i, &name);
		printf("  %+.6g", b / scale.size);
		if (isfinite(half))
			printf(" ± %.3g", half / scale.size);
		printf("  %s\n", rarog_str_text(&name));
	}
	return r;
}

static int print_model(const struct rarog_influence *model, const char *of)
{
	int r = print_terms(model, of);

	printf("%zu runs of %zu configurations; mean error %.2f %%", model->fit.n,
	       model->n_configurations, 100 * model->own_error);
	if (isfinite(model->cv_error))
		printf(", of configurations told from the others %.2f %% (%zu of %zu)",
		       100 * model->cv_error, model->n_cv, model->n_configurations);
	else
		printf("; how well it predicts others is not known: measure more configurations");
	printf("\n");
	return r;
}

static int write_model(const struct rarog_influence *model, const char *of)
{
	struct rarog_json json;
	int r = 0;

	rarog_json_start_object(&json, stdout);
	rarog_json_string(&json, "of", of);
	rarog_json_string(&json, "unit", unit_of(of));
	rarog_json_array(&json, "terms");
	for (size_t i = 0; r == 0 && i < model->terms.n; i++) {
		rarog_cleanup(rarog_str_release) struct rarog_str name = { 0 };
		double half = rarog_influence_half(model, i), b = model->fit.b[i];

		r = rarog_influence_name(model, i, &name);
		rarog_json_object(&json, NULL);
		rarog_json_string(&json, "term", rarog_str_text(&name));
		rarog_json_double(&json, "coefficient", b);
		rarog_json_double(&json, "low", b - half);
		rarog_json_double(&json, "high", b + half);
		rarog_json_end_object(&json);
	}
	rarog_json_end_array(&json);
	rarog_json_uint(&json, "runs", model->fit.n);
	rarog_json_uint(&json, "configurations", model->n_configurations);
	rarog_json_double(&json, "mean_error", model->own_error);
	rarog_json_double(&json, "cross_validated_error", model->cv_error);
	return rarog_json_finish(&json) < 0 ? -EIO : r;
}

static int predict(const struct rarog_influence *model,
		   const struct rarog_feature_influence_options *options)
{
	double y, half;
	int r = rarog_influence_predict(model, &options->predicted.options, &y, &half);
	struct rarog_json json;
	struct scale scale;

	if (r < 0)
		return rarog_usage_error(r);
	if (options->json) {
		rarog_json_start_object(&json, stdout);
		rarog_json_string(&json, "of", options->of);
		rarog_json_string(&json, "unit", unit_of(options->of));
		rarog_json_double(&json, "value", y);
		rarog_json_double(&json, "low", y - half);
		rarog_json_double(&json, "high", y + half);
		return rarog_json_finish(&json);
	}
	scale = scale_of(options->of, y);
	printf("%s: %.6g %s", options->of, y / scale.size, scale.unit);
	if (isfinite(half))
		printf(" ± %.3g %s", half / scale.size, scale.unit);
	else
		printf(" (how far off it may be is not known: measure more configurations)");
	printf("\n");
	return 0;
}

int rarog_feature_influence(const struct rarog_context *context,
			    struct rarog_feature_influence_options *options, bool predicts,
			    size_t n, char *const operands[])
{
	rarog_cleanup(runs_release) struct runs runs = { 0 };
	rarog_cleanup(rarog_influence_release) struct rarog_influence model = { 0 };
	int r = rarog_option_choice_read(&options->predicted);

	if (!options->of)
		options->of = "wall";
	if (r == 0)
		r = read_runs(context, options, n, operands, &runs);
	if (r == 0)
		r = rarog_influence_fit(runs.list.n, runs.list.v, &model);
	if (r == 0 && predicts)
		r = predict(&model, options);
	else if (r == 0)
		r = options->json ? write_model(&model, options->of)
				  : print_model(&model, options->of);
	rarog_option_choice_release(&options->predicted);
	return r;
}
