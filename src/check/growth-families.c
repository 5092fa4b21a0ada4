/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/growth-families.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "store/configuration.h"

#define MEMBERS 3 /* x that a model needs */

static void family_release(struct rarog_growth_family *family)
{
	free(family->x);
	free(family->key);
	rarog_vec_release(&family->members);
}

void rarog_growth_families_release(struct rarog_growth_families *families)
{
	for (size_t i = 0; i < families->list.n; i++)
		family_release(&families->list.v[i]);
	rarog_vec_release(&families->list);
}

/* --- which checks belong together --- */

static struct rarog_growth_family *find(const struct rarog_growth_families *families, const char *x,
					const char *key)
{
	for (size_t i = 0; i < families->list.n; i++)
		if (strcmp(families->list.v[i].x, x) == 0 &&
		    strcmp(families->list.v[i].key, key) == 0)
			return &families->list.v[i];
	return NULL;
}

static struct rarog_growth_family *find_or_add(struct rarog_growth_families *families,
					       const char *x, const char *key)
{
	struct rarog_growth_family *family = find(families, x, key);
	struct rarog_growth_family new = { .most = -INFINITY };

	if (family)
		return family;
	new.x = strdup(x);
	new.key = strdup(key);
	if (new.x &&new.key && rarog_vec_push(&families->list, new) == 0)
		return &families->list.v[families->list.n - 1];
	free(new.x);
	free(new.key);
	return NULL;
}

/* Takes @take_key; NULL: no memory. */
static int join(struct rarog_growth_families *families, const char *x, char *take_key, double at,
		size_t check)
{
	rarog_cleanup(rarog_freep) char *key = take_key;
	struct rarog_growth_family *family = key ? find_or_add(families, x, key) : NULL;

	if (!family || rarog_vec_push(&family->members, check) < 0)
		return rarog_oom();
	if (at > family->most) {
		family->most = at;
		family->largest = check;
	}
	return 0;
}

/* Times of two machines are no points of one curve. NULL: no memory. */
static char *key_of(const struct rarog_facts *facts, const char *workload,
		    const char *configuration)
{
	const struct rarog_job *job = &facts->job;
	struct rarog_hash class;

	if (rarog_machine_class(&facts->machine, &class) < 0)
		return NULL;
	return rarog_asprintf("%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s", job->name, job->command,
			      job->arguments, job->collector, job->engine, job->parameters,
			      workload, configuration, rarog_hash_hex(&class).text);
}

static int join_by_option(struct rarog_growth_families *families, const struct rarog_facts *facts,
			  const struct rarog_configuration *options, size_t i, size_t check)
{
	const char *name = options->list.v[i].name;
	rarog_cleanup(rarog_freep) char *x = NULL, *rest = NULL;
	double at;

	if (!rarog_configuration_number(options, name, &at))
		return 0;
	x = rarog_asprintf("%s%s", RAROG_COST_OPTION, name);
	rest = rarog_configuration_without(facts->job.configuration, name);
	return x && rest ? join(families, x, key_of(facts, facts->job.workload, rest), at, check)
			 : rarog_oom();
}

static int join_all(struct rarog_growth_families *families, const struct rarog_checks *checks,
		    size_t check)
{
	rarog_cleanup(rarog_facts_release) struct rarog_facts facts = { 0 };
	rarog_cleanup(rarog_configuration_release) struct rarog_configuration options = { 0 };
	const struct rarog_job *job = &facts.job;
	int r = rarog_facts_of(
		checks->list.v[check].comparison.sides[RAROG_TARGET].runs.v[0].profile, &facts);

	if (r == 0 && job->has_number)
		r = join(families, RAROG_COST_WORKLOAD, key_of(&facts, "", job->configuration),
			 job->number, check);
	if (r == 0)
		r = rarog_configuration_parse(&options, job->configuration);
	for (size_t i = 0; r == 0 && i < options.list.n; i++)
		r = join_by_option(families, &facts, &options, i, check);
	return r;
}

/* Of too few there is no model. */
static void drop_small(struct rarog_growth_families *families)
{
	size_t n = 0;

	for (size_t i = 0; i < families->list.n; i++) {
		struct rarog_growth_family *family = &families->list.v[i];

		if (family->members.n >= MEMBERS)
			families->list.v[n++] = *family;
		else
			family_release(family);
	}
	families->list.n = n;
}

int rarog_growth_families(const struct rarog_checks *checks, size_t first,
			  struct rarog_growth_families *ret_families)
{
	rarog_cleanup(rarog_growth_families_release) struct rarog_growth_families families = { 0 };
	int r = 0;

	for (size_t i = first; r == 0 && i < checks->list.n; i++)
		if (checks->list.v[i].is_by_runs && !checks->list.v[i].verdict.is_same_program)
			r = join_all(&families, checks, i);
	if (r < 0)
		return r;
	drop_small(&families);
	*ret_families = rarog_take_struct(families);
	return 0;
}

/* --- what each function costs, by x --- */

int rarog_growth_costs(const struct rarog_checks *checks, const struct rarog_growth_family *family,
		       int side, const char *y, struct rarog_costs *ret_costs)
{
	RAROG_VEC(struct rarog_profile *) profiles = { 0 };
	struct rarog_match all = { 0 };
	const struct rarog_cost_request request = { .x = family->x, .y = y, .functions = &all };
	int r = 0;

	for (size_t i = 0; r == 0 && i < family->members.n; i++) {
		const struct rarog_side *of =
			&checks->list.v[family->members.v[i]].comparison.sides[side];

		for (size_t k = 0; r == 0 && k < of->runs.n; k++)
			if (rarog_vec_push(&profiles, of->runs.v[k].profile) < 0)
				r = rarog_oom();
	}
	if (r == 0)
		r = rarog_costs_read(profiles.n, profiles.v, &request, ret_costs);
	rarog_vec_release(&profiles);
	if (r != -EINVAL && r != -ENODATA)
		return r;
	rarog_error_clear();
	return 0;
}
