/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading descriptions: one table of members for all kinds, of which each knows some. */
#include "run/generator.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

static const struct rarog_generator_kind *const kinds[] = {
	&rarog_generator_integer,   &rarog_generator_string,   &rarog_generator_textfile,
	&rarog_generator_singleton, &rarog_generator_external,
};

static const char *const kind_names[] = { "integer",   "string",   "textfile",
					  "singleton", "external", NULL };

/* --- members --- */

enum type { INTEGER, AMOUNT, TRUTH, TEXT, NUMBER };

struct member {
	const char *key;
	enum type type;
	size_t offset;
};

#define MEMBER(key, type, name)                                                                    \
	{                                                                                          \
		key, type, offsetof(struct rarog_generator, name)                                  \
	}

static const struct member members[] = {
	MEMBER("min", INTEGER, minimum),
	MEMBER("max", INTEGER, maximum),
	MEMBER("step", INTEGER, step),
	MEMBER("seed", AMOUNT, seed),
	MEMBER("min-chars", INTEGER, min_chars),
	MEMBER("max-chars", INTEGER, max_chars),
	MEMBER("randomize-rows", TRUTH, randomize_rows),
	MEMBER("value", TEXT, value),
	MEMBER("number", NUMBER, number),
	MEMBER("command", TEXT, command),
	MEMBER("directory", TEXT, directory),
	MEMBER("format", TEXT, format),
	MEMBER("delimiters", TEXT, delimiters),
	MEMBER("x", TEXT, x),
};

static const struct member *find_member(const char *key)
{
	for (size_t i = 0; i < RAROG_COUNT(members); i++)
		if (strcmp(members[i].key, key) == 0)
			return &members[i];
	return NULL;
}

static int read_member(const struct member *member, const struct rarog_yaml *value,
		       struct rarog_generator *generator)
{
	void *at = (char *)generator + member->offset;
	int64_t integer = 0;
	int r;

	if (member->type == TRUTH)
		return rarog_yaml_bool(value, at);
	if (member->type == TEXT)
		return rarog_yaml_text(value, at);
	if (member->type == NUMBER) {
		generator->has_number = true;
		return rarog_yaml_double(value, at);
	}
	r = rarog_yaml_int(value, member->type == AMOUNT ? 0 : -INT64_MAX, INT64_MAX, &integer);
	if (r == 0)
		memcpy(at, &integer, sizeof(integer));
	return r;
}

/* --- a description --- */

static int read_members(const struct rarog_yaml *description, struct rarog_generator *generator)
{
	const char *known[16] = { "type" };
	int r;

	for (size_t i = 0; generator->kind->keys[i]; i++)
		known[i + 1] = generator->kind->keys[i];
	r = rarog_yaml_check_keys(description, "the description of a workload", known);
	for (size_t i = 0; r == 0 && i < description->n; i++) {
		const struct member *member = find_member(description->members[i].key->text);

		if (member)
			r = read_member(member, description->members[i].value, generator);
	}
	return r;
}

/* It becomes part of file names. */
static bool is_good_id(const char *id)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				   "_-.";
	size_t n = strlen(id);

	return n > 0 && n <= 64 && *id != '.' && *id != '-' && strspn(id, good) == n;
}

int rarog_generator_read(const char *id, const struct rarog_yaml *description,
			 struct rarog_generator *ret_generator)
{
	struct rarog_generator generator = { .where = description, .id = id, .step = 1, .seed = 1 };
	const struct rarog_yaml *type;
	int kind = 0, r;

	r = rarog_yaml_expect(description, RAROG_YAML_MAP, "the description of a workload");
	if (r < 0)
		return r;
	if (!is_good_id(id))
		return rarog_yaml_fail(description,
				       "'%s': a workload's name has letters, digits, '_', '-' and "
				       "'.', 64 at most",
				       id);
	type = rarog_yaml_get(description, "type");
	if (!type)
		return rarog_yaml_fail(description,
				       "'type' is missing: integer, string, textfile, singleton or "
				       "external");
	r = rarog_yaml_choice(type, kind_names, &kind);
	if (r < 0)
		return r;
	generator.kind = kinds[kind];
	if (generator.kind->standard)
		generator.kind->standard(&generator);
	r = read_members(description, &generator);
	if (r == 0 && generator.kind->check)
		r = generator.kind->check(&generator);
	if (r == 0)
		*ret_generator = generator;
	return r;
}

int rarog_generator_add(const struct rarog_generator *generator, int64_t n, const char *text,
			struct rarog_workloads *workloads)
{
	rarog_cleanup(rarog_freep) char *name =
		rarog_asprintf("%s:%lld", generator->id, (long long)n);
	struct rarog_workload *workload = name ? rarog_workload_add(workloads, name, text) : NULL;

	if (!workload)
		return rarog_oom();
	rarog_workload_number(workload, (double)n);
	return 0;
}

int rarog_generator_check_range(const struct rarog_generator *generator, int64_t least)
{
	const struct rarog_yaml *where = generator->where;

	if (!rarog_yaml_get(where, "max"))
		return rarog_yaml_fail(where, "'max' is missing: the last number");
	if (generator->minimum < least)
		return rarog_yaml_fail(rarog_yaml_get(where, "min"), "'min' is at least %lld",
				       (long long)least);
	if (generator->maximum < generator->minimum)
		return rarog_yaml_fail(rarog_yaml_get(where, "max"), "'max' is below 'min' (%lld)",
				       (long long)generator->minimum);
	if (generator->step < 1)
		return rarog_yaml_fail(rarog_yaml_get(where, "step"), "'step' is at least 1");
	if (((uint64_t)generator->maximum - (uint64_t)generator->minimum) /
		    (uint64_t)generator->step >=
	    RAROG_WORKLOADS_MAX)
		return rarog_yaml_fail(where, "more than %d workloads; choose a larger 'step'",
				       RAROG_WORKLOADS_MAX);
	return 0;
}

/* --- workloads --- */

/* Members in alphabetical order: this text is part of the job's identity. */
static char *recipe_of(const struct rarog_generator *generator)
{
	struct rarog_json_text out;
	struct rarog_json *json = rarog_json_text_start(&out);
	char *text;

	if (!json)
		return NULL;
	rarog_json_object(json, NULL);
	rarog_json_string(json, "type", generator->kind->name);
	if (generator->kind->describe)
		generator->kind->describe(json, generator);
	rarog_json_end_object(json);
	text = rarog_json_text_end(&out);
	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

int rarog_generator_generate(const struct rarog_generator *generator,
			     const struct rarog_generator_place *place,
			     struct rarog_workloads *workloads)
{
	size_t first = workloads->list.n;
	int r = generator->kind->generate(generator, place, workloads);

	if (r == 0 && workloads->list.n == first && place->directory)
		return rarog_yaml_fail(generator->where, "'%s' makes no workload", generator->id);
	for (size_t i = first; r == 0 && i < workloads->list.n; i++) {
		workloads->list.v[i].recipe = recipe_of(generator);
		if (!workloads->list.v[i].recipe)
			r = rarog_oom();
	}
	return r;
}
