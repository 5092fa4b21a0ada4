/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row for each aspect; each says what it finds. The member "software" is described in
 * doc/design/profile-format.md. */
#include "store/compatible.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "store/configuration.h"
#include "store/json-text.h"

const char *const rarog_comparable_names[] = { "all", "noted", "counts", "nothing", NULL };

const char *const rarog_aspect_names[] = { "job",   "collector", "machine",    "compiler",
					   "flags", "libraries", "conditions", NULL };

void rarog_compatibility_release(struct rarog_compatibility *compatibility)
{
	for (size_t i = 0; i < compatibility->why.n; i++)
		free(compatibility->why.v[i].words);
	rarog_vec_release(&compatibility->why);
	compatibility->comparable = RAROG_COMPARABLE_ALL;
}

__attribute__((format(printf, 4, 5))) static int say(struct rarog_compatibility *all,
						     enum rarog_aspect aspect,
						     enum rarog_comparable comparable,
						     const char *format, ...)
{
	rarog_cleanup(rarog_str_release) struct rarog_str words = { 0 };
	struct rarog_reason reason = { .aspect = aspect, .comparable = comparable };
	va_list args;
	size_t i;
	int r;

	va_start(args, format);
	r = rarog_str_vaddf(&words, format, args);
	va_end(args);
	if (r < 0 || rarog_vec_reserve(&all->why, all->why.n + 1) < 0)
		return rarog_oom();
	reason.words = rarog_str_take(&words);
	if (!reason.words)
		return rarog_oom();
	for (i = all->why.n; i > 0 && all->why.v[i - 1].comparable < comparable; i--)
		all->why.v[i] = all->why.v[i - 1];
	all->why.v[i] = reason;
	all->why.n++;
	all->comparable = all->why.v[0].comparable;
	return 0;
}

/* --- job and collector --- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Its options, or that it has none. */
static int add_options(const struct rarog_job *job, struct rarog_str *text)
{
	int r = rarog_configuration_words(job->configuration, "", text);

	return r < 0 || text->length > 0 ? r : rarog_str_add(text, "none");
}

static int compare_options(const struct rarog_job *x, const struct rarog_job *y,
			   struct rarog_compatibility *all)
{
	rarog_cleanup(rarog_str_release) struct rarog_str old = { 0 }, new = { 0 };

	if (strcmp(x->configuration, y->configuration) == 0)
		return 0;
	if (add_options(x, &old) < 0 || add_options(y, &new) < 0)
		return rarog_oom();
	return say(all, RAROG_ASPECT_JOB, RAROG_COMPARABLE_NOTHING,
		   "different options of the program: %s and %s", rarog_str_text(&old),
		   rarog_str_text(&new));
}

static int compare_jobs(const struct rarog_facts *a, const struct rarog_facts *b,
			struct rarog_compatibility *all)
{
	const struct rarog_job *x = &a->job, *y = &b->job;
	int r = 0;

	if (strcmp(base_name(x->command), base_name(y->command)) != 0)
		r = say(all, RAROG_ASPECT_JOB, RAROG_COMPARABLE_NOTHING,
			"different commands: '%s' and '%s'", x->command, y->command);
	else if (strcmp(x->command, y->command) != 0)
		r = say(all, RAROG_ASPECT_JOB, RAROG_COMPARABLE_NOTED,
			"the program has two paths: '%s' and '%s'", x->command, y->command);
	if (r == 0 && strcmp(x->arguments, y->arguments) != 0)
		r = say(all, RAROG_ASPECT_JOB, RAROG_COMPARABLE_NOTHING,
			"different arguments: '%s' and '%s'", x->arguments, y->arguments);
	if (r == 0 && (strcmp(x->workload, y->workload) != 0 || x->has_number != y->has_number ||
		       (x->has_number && x->number != y->number)))
		r = say(all, RAROG_ASPECT_JOB, RAROG_COMPARABLE_NOTHING,
			"different workloads: '%s' and '%s'", x->workload, y->workload);
	return r < 0 ? r : compare_options(x, y, all);
}

/* Parameters without those that say how much is kept, and without those that say nothing. */
static json_t *what_is_measured(const char *parameters)
{
	rarog_cleanup(rarog_json_decrefp) json_t *all = json_loads(parameters, 0, NULL);
	const char *key;
	json_t *value;
	void *next;

	json_object_del(all, "detail");
	json_object_del(all, "max_size_bytes");
	json_object_foreach_safe(all, next, key, value)
	{
		bool is_usual =
			strcmp(key, "follow") == 0 ? json_is_true(value) : json_is_false(value);

		if (is_usual || (json_is_array(value) && json_array_size(value) == 0))
			json_object_del(all, key);
	}
	return rarog_take(all);
}

#define VALUE_MOST 40 /* bytes of a value that are shown */
#define KEYS_MOST  3

static int add_value(const json_t *value, struct rarog_str *text)
{
	rarog_cleanup(rarog_freep) char *whole = value ? rarog_json_canonical(value) : NULL;
	size_t n = whole ? strlen(whole) : 0;

	if (!whole)
		return rarog_str_add(text, value ? "?" : "none");
	if (n <= VALUE_MOST)
		return rarog_str_add(text, whole);
	for (n = VALUE_MOST; n > 0 && ((unsigned char)whole[n] & 0xc0) == 0x80; n--)
		;
	return rarog_str_addf(text, "%.*s…", (int)n, whole);
}

static int add_difference(const char *key, const json_t *x, const json_t *y, struct rarog_str *text)
{
	int r = rarog_str_addf(text, "%s%s ", text->length > 0 ? ", " : "", key);

	r = r ? r : add_value(x, text);
	r = r ? r : rarog_str_add(text, " and ");
	return r ? r : add_value(y, text);
}

/* Which parameters differ, a few of them: there may be hundreds. */
static int list_parameters(json_t *x, json_t *y, struct rarog_str *text)
{
	size_t more = 0, shown = 0;
	const char *key;
	json_t *value;
	int r = 0;

	json_object_foreach (x, key, value) {
		const json_t *other = json_object_get(y, key);

		if (json_equal(value, other))
			continue;
		if (shown++ < KEYS_MOST)
			r = r ? r : add_difference(key, value, other, text);
		else
			more++;
	}
	json_object_foreach (y, key, value) {
		if (json_object_get(x, key))
			continue;
		if (shown++ < KEYS_MOST)
			r = r ? r : add_difference(key, NULL, value, text);
		else
			more++;
	}
	return r || more == 0 ? r : rarog_str_addf(text, ", and %zu more", more);
}

static bool has_cost(const struct rarog_facts *facts, const char *fact)
{
	return json_is_true(json_object_get(json_object_get(facts->header, "probe_cost"), fact));
}

/* What is true of the cost of probes in one of the two only: NULL, or that and in which. */
static const char *other_cost(const struct rarog_facts *a, const struct rarog_facts *b,
			      const char **ret_where)
{
	static const char *const costs[][2] = {
		{ "compensated", "the cost of probes is taken off the times" },
		{ "ordered", "probes waited for what came before them in the run" },
	};

	for (size_t i = 0; i < RAROG_COUNT(costs); i++)
		if (has_cost(a, costs[i][0]) != has_cost(b, costs[i][0])) {
			*ret_where = has_cost(a, costs[i][0]) ? "older" : "newer";
			return costs[i][1];
		}
	return NULL;
}

/* Parameters that choose functions of the same binaries: what is not measured by one of the two is
 * unknown there, as far as the profiles tell how each place was measured. They tell nothing of
 * libraries and marks that nobody asked for. */
static bool choose_places(const struct rarog_facts *a, const struct rarog_facts *b, json_t *x,
			  json_t *y)
{
	static const char *const keys[] = { "func", "exclude" };

	if (!json_is_true(json_object_get(a->header, "tells_measured")) ||
	    !json_is_true(json_object_get(b->header, "tells_measured")))
		return false;
	for (size_t i = 0; i < RAROG_COUNT(keys); i++) {
		json_object_del(x, keys[i]);
		json_object_del(y, keys[i]);
	}
	return json_equal(x, y);
}

static int compare_parameters(const struct rarog_facts *a, const struct rarog_facts *b,
			      struct rarog_compatibility *all)
{
	rarog_cleanup(rarog_json_decrefp) json_t *x = what_is_measured(a->job.parameters);
	rarog_cleanup(rarog_json_decrefp) json_t *y = what_is_measured(b->job.parameters);
	const char *detail = json_string_value(json_object_get(a->header, "detail"));
	const char *other = json_string_value(json_object_get(b->header, "detail"));
	const char *cost, *where;
	rarog_cleanup(rarog_str_release) struct rarog_str list = { 0 };

	if (!json_equal(x, y)) {
		bool is_noted;
		int r = list_parameters(x, y, &list);

		if (r < 0)
			return rarog_oom();
		is_noted = choose_places(a, b, x, y);
		r = say(all, RAROG_ASPECT_COLLECTOR,
			is_noted ? RAROG_COMPARABLE_NOTED : RAROG_COMPARABLE_COUNTS,
			"different parameters of the collector: %s", rarog_str_text(&list));
		if (r < 0 || !is_noted)
			return r;
	}
	cost = other_cost(a, b, &where);
	if (cost)
		return say(all, RAROG_ASPECT_COLLECTOR, RAROG_COMPARABLE_COUNTS,
			   "%s of the %s only", cost, where);
	if (detail && other && strcmp(detail, other) != 0)
		return say(all, RAROG_ASPECT_COLLECTOR, RAROG_COMPARABLE_NOTED,
			   "different details: %s and %s", detail, other);
	return 0;
}

static int compare_collectors(const struct rarog_facts *a, const struct rarog_facts *b,
			      struct rarog_compatibility *all)
{
	const struct rarog_job *x = &a->job, *y = &b->job;

	if (strcmp(x->collector, y->collector) != 0)
		return say(all, RAROG_ASPECT_COLLECTOR, RAROG_COMPARABLE_NOTHING,
			   "different collectors: '%s' and '%s'", x->collector, y->collector);
	if (strcmp(x->engine, y->engine) != 0)
		return say(all, RAROG_ASPECT_COLLECTOR, RAROG_COMPARABLE_NOTHING,
			   "different engines: '%s' and '%s'", x->engine, y->engine);
	return compare_parameters(a, b, all);
}

/* --- machine --- */

static const char *or_unknown(const char *text)
{
	return *text ? text : "unknown";
}

/* "cpu: 'X' and 'Y', …" of the class or of the rest. */
static int list_differences(size_t n, const struct rarog_machine_difference differences[],
			    bool of_class, struct rarog_str *list)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		if (differences[i].is_of_class == of_class)
			r = rarog_str_addf(list, "%s%s %s and %s", list->length > 0 ? ", " : "",
					   differences[i].fact, or_unknown(differences[i].a),
					   or_unknown(differences[i].b));
	return r;
}

static bool is_unknown(const struct rarog_facts *facts)
{
	return json_object_size(json_object_get(facts->header, "machine")) == 0;
}

static int compare_machines(const struct rarog_facts *a, const struct rarog_facts *b,
			    struct rarog_compatibility *all)
{
	struct rarog_machine_difference differences[RAROG_MACHINE_FACTS];
	rarog_cleanup(rarog_str_release) struct rarog_str list = { 0 };
	enum rarog_machine_relation relation;
	size_t n;

	if (is_unknown(a) && is_unknown(b))
		return 0;
	if (is_unknown(a) || is_unknown(b))
		return say(all, RAROG_ASPECT_MACHINE, RAROG_COMPARABLE_COUNTS,
			   "the %s does not say on which machine it was measured",
			   is_unknown(a) ? "older" : "newer");
	relation = rarog_machine_compare(&a->machine, &b->machine, differences, &n);
	if (relation == RAROG_MACHINE_SAME)
		return 0;
	if (list_differences(n, differences, relation == RAROG_MACHINE_OTHER_CLASS, &list) < 0)
		return rarog_oom();
	if (relation == RAROG_MACHINE_OTHER_CLASS)
		return say(all, RAROG_ASPECT_MACHINE, RAROG_COMPARABLE_COUNTS,
			   "machines of different classes: %s", rarog_str_text(&list));
	if (list.length == 0) /* a class named by the user: its facts may differ */
		return 0;
	return say(all, RAROG_ASPECT_MACHINE, RAROG_COMPARABLE_NOTED, "the machine changed: %s",
		   rarog_str_text(&list));
}

/* --- software --- */

static const json_t *software_of(const struct rarog_facts *facts, const char *member)
{
	return json_object_get(json_object_get(facts->header, "software"), member);
}

/* Keys of @object that are not in @other, with blanks and commas between. */
static int list_keys(const json_t *object, const json_t *other, struct rarog_str *list)
{
	const char *key;
	json_t *value;
	int r = 0;

	json_object_foreach ((json_t *)(uintptr_t)object, key, value)
		if (r == 0 && !json_object_get(other, key))
			r = rarog_str_addf(list, "%s%s", list->length > 0 ? ", " : "", key);
	return r;
}

static int compare_compilers(const struct rarog_facts *a, const struct rarog_facts *b,
			     struct rarog_compatibility *all)
{
	const json_t *x = software_of(a, "compilers"), *y = software_of(b, "compilers");
	rarog_cleanup(rarog_str_release) struct rarog_str gone = { 0 }, come = { 0 };

	if (json_object_size(x) == 0 && json_object_size(y) == 0)
		return 0;
	if (json_object_size(x) == 0 || json_object_size(y) == 0)
		return say(all, RAROG_ASPECT_COMPILER, RAROG_COMPARABLE_NOTED,
			   "the %s does not say by which compiler it was built",
			   json_object_size(x) == 0 ? "older" : "newer");
	if (list_keys(x, y, &gone) < 0 || list_keys(y, x, &come) < 0)
		return rarog_oom();
	if (gone.length == 0 && come.length == 0)
		return 0;
	if (come.length == 0)
		return say(all, RAROG_ASPECT_COMPILER, RAROG_COMPARABLE_NOTED,
			   "only the older has code of %s", rarog_str_text(&gone));
	if (gone.length == 0)
		return say(all, RAROG_ASPECT_COMPILER, RAROG_COMPARABLE_NOTED,
			   "only the newer has code of %s", rarog_str_text(&come));
	return say(all, RAROG_ASPECT_COMPILER, RAROG_COMPARABLE_NOTED,
		   "different compilers: %s and %s", rarog_str_text(&gone), rarog_str_text(&come));
}

static bool has(const json_t *list, const json_t *wanted)
{
	size_t i;
	json_t *value;

	json_array_foreach (list, i, value)
		if (json_equal(value, wanted))
			return true;
	return false;
}

static int list_flags(const json_t *flags, const json_t *other, struct rarog_str *list)
{
	size_t i;
	json_t *value;
	int r = 0;

	json_array_foreach (flags, i, value)
		if (r == 0 && json_is_string(value) && !has(other, value))
			r = rarog_str_addf(list, "%s'%s'", list->length > 0 ? ", " : "",
					   json_string_value(value));
	return r;
}

/* Of each compiler that both have. */
static int compare_flags(const struct rarog_facts *a, const struct rarog_facts *b,
			 struct rarog_compatibility *all)
{
	const json_t *x = software_of(a, "compilers"), *y = software_of(b, "compilers");
	const char *key;
	json_t *flags;

	json_object_foreach ((json_t *)(uintptr_t)x, key, flags) {
		rarog_cleanup(rarog_str_release) struct rarog_str gone = { 0 }, come = { 0 };
		const json_t *others = json_object_get(y, key);
		int r = 0;

		if (!others)
			continue;
		if (list_flags(flags, others, &gone) < 0 || list_flags(others, flags, &come) < 0)
			return rarog_oom();
		if (gone.length > 0 || come.length > 0)
			r = say(all, RAROG_ASPECT_FLAGS, RAROG_COMPARABLE_NOTED,
				"different flags of %s: %s and %s", key,
				gone.length > 0 ? gone.text : "others",
				come.length > 0 ? come.text : "others");
		if (r < 0)
			return r;
	}
	return 0;
}

/* Libraries of one only and those of another build; a program may load some only now and then. */
static int list_libraries(const json_t *x, const json_t *y, struct rarog_str *list)
{
	const char *key;
	json_t *value;
	int r = 0;

	json_object_foreach ((json_t *)(uintptr_t)x, key, value) {
		const json_t *other = json_object_get(y, key);

		if (r == 0 && other && !json_equal(value, other))
			r = rarog_str_addf(list, "%s%s", list->length > 0 ? ", " : "", key);
	}
	return r;
}

static int compare_libraries(const struct rarog_facts *a, const struct rarog_facts *b,
			     struct rarog_compatibility *all)
{
	const json_t *x = software_of(a, "libraries"), *y = software_of(b, "libraries");
	const char *libc = json_string_value(software_of(a, "libc"));
	const char *other = json_string_value(software_of(b, "libc"));
	rarog_cleanup(rarog_str_release) struct rarog_str list = { 0 };
	int r = 0;

	if (libc && other && strcmp(libc, other) != 0)
		r = say(all, RAROG_ASPECT_LIBRARIES, RAROG_COMPARABLE_NOTED,
			"different C libraries: %s and %s", libc, other);
	if (r == 0 && list_libraries(x, y, &list) < 0)
		return rarog_oom();
	if (r == 0 && list.length > 0)
		r = say(all, RAROG_ASPECT_LIBRARIES, RAROG_COMPARABLE_NOTED,
			"different builds of %s", list.text);
	list.length = 0;
	if (r == 0 && json_object_size(x) > 0 && json_object_size(y) > 0 &&
	    (list_keys(x, y, &list) < 0 || list_keys(y, x, &list) < 0))
		return rarog_oom();
	if (r == 0 && list.length > 0)
		r = say(all, RAROG_ASPECT_LIBRARIES, RAROG_COMPARABLE_NOTED,
			"only one of the two loaded %s", list.text);
	return r;
}

/* --- conditions --- */

static int note_noise(const struct rarog_facts *facts, const char *which,
		      struct rarog_compatibility *all)
{
	const json_t *noisy =
		json_object_get(json_object_get(facts->header, "conditions"), "noisy");
	rarog_cleanup(rarog_str_release) struct rarog_str list = { 0 };
	size_t i;
	json_t *value;

	json_array_foreach (noisy, i, value)
		if (json_is_string(value) &&
		    rarog_str_addf(&list, "%s%s", list.length > 0 ? ", " : "",
				   json_string_value(value)) < 0)
			return rarog_oom();
	if (list.length == 0)
		return 0;
	return say(all, RAROG_ASPECT_CONDITIONS, RAROG_COMPARABLE_NOTED,
		   "the machine was not quiet during the %s: %s", which, list.text);
}

static int compare_conditions(const struct rarog_facts *a, const struct rarog_facts *b,
			      struct rarog_compatibility *all)
{
	int r = note_noise(a, "older", all);

	return r < 0 ? r : note_noise(b, "newer", all);
}

int rarog_compatible(const struct rarog_facts *a, const struct rarog_facts *b,
		     struct rarog_compatibility *ret_compatibility)
{
	static int (*const aspects[])(const struct rarog_facts *, const struct rarog_facts *,
				      struct rarog_compatibility *) = {
		compare_jobs,  compare_collectors, compare_machines,   compare_compilers,
		compare_flags, compare_libraries,  compare_conditions,
	};
	rarog_cleanup(rarog_compatibility_release) struct rarog_compatibility all = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < RAROG_COUNT(aspects); i++)
		r = aspects[i](a, b, &all);
	if (r < 0)
		return r;
	*ret_compatibility = rarog_take_struct(all);
	return 0;
}
