/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is different between two measurements besides their amounts: whether they may be compared,
 * and both headers, member by member.
 * Amounts of functions are compared by rarog check.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json-writer.h"
#include "base/log.h"
#include "base/table.h"
#include "base/vec.h"
#include "cmd/commands.h"
#include "cmd/option-choice.h"
#include "cmd/project.h"
#include "store/compatible.h"

struct args {
	bool all, json;
	struct rarog_option_choice options;
};

static const struct rarog_option options[] = {
	RAROG_OPTION_CHOICE(struct args, options,
			    "of the profiles of a version, the newest one whose program ran with "
			    "this option; may be repeated"),
	RAROG_OPT_FLAG('a', "all", struct args, all, "show also what is equal"),
	RAROG_OPT_FLAG(0, "json", struct args, json, "write the same facts as JSON"),
	RAROG_OPT_END,
};

/* The groups of a header's members, in the order in which they are printed. */
static const struct {
	const char *name, *members; /* blanks between and around */
} groups[] = {
	{ "job", " command collector engine detail parameters job label workload configuration " },
	{ "version", " commit version tree dirty diff " },
	{ "machine", " machine " },
	{ "software", " software " },
	{ "conditions", " conditions " },
	{ "run", "" }, /* the rest */
};

#define LEVELS_MAX 8

struct row {
	char *member, *a, *b; /* a, b NULL: not there */
	size_t group;
};

struct rows {
	RAROG_VEC(struct row) list;
};

static void rows_release(struct rows *rows)
{
	for (size_t i = 0; i < rows->list.n; i++) {
		free(rows->list.v[i].member);
		free(rows->list.v[i].a);
		free(rows->list.v[i].b);
	}
	rarog_vec_release(&rows->list);
}

/* --- comparing --- */

static size_t group_of(const char *member)
{
	char wanted[64];

	snprintf(wanted, sizeof(wanted), " %.*s ", (int)strcspn(member, "."), member);
	for (size_t i = 0; i + 1 < RAROG_COUNT(groups); i++)
		if (strstr(groups[i].members, wanted))
			return i;
	return RAROG_COUNT(groups) - 1;
}

static int text_of(const json_t *value, char **ret_text)
{
	if (!value)
		return 0;
	*ret_text = json_is_string(value) ? strdup(json_string_value(value))
					  : json_dumps(value, JSON_ENCODE_ANY | JSON_SORT_KEYS |
								      JSON_REAL_PRECISION(6));
	return *ret_text ? 0 : rarog_oom();
}

static int add_row(struct rows *rows, const char *member, const json_t *a, const json_t *b)
{
	struct row row = { .member = strdup(member), .group = group_of(member) };
	int r = row.member ? text_of(a, &row.a) : rarog_oom();

	if (r == 0)
		r = text_of(b, &row.b);
	if (r == 0 && rarog_vec_push(&rows->list, row) < 0)
		r = rarog_oom();
	if (r < 0) {
		free(row.member);
		free(row.a);
		free(row.b);
	}
	return r;
}

static int compare(struct rows *rows, const char *prefix, const json_t *a, const json_t *b,
		   unsigned level);

static int compare_member(struct rows *rows, const char *prefix, const char *key, const json_t *a,
			  const json_t *b, unsigned level)
{
	rarog_cleanup(rarog_freep) char *member =
		rarog_asprintf("%s%s%s", prefix, *prefix ? "." : "", key);

	if (!member)
		return rarog_oom();
	if (level < LEVELS_MAX && (json_is_object(a) || json_is_object(b)) &&
	    (!a || json_is_object(a)) && (!b || json_is_object(b)))
		return compare(rows, member, a, b, level + 1);
	return add_row(rows, member, a, b);
}

/* Members of both and of one only; @a or @b may be NULL. */
static int compare(struct rows *rows, const char *prefix, const json_t *a, const json_t *b,
		   unsigned level)
{
	const char *key;
	const json_t *value;
	int r = 0;

	for (void *at = json_object_iter((json_t *)(uintptr_t)a); r == 0 && at;
	     at = json_object_iter_next((json_t *)(uintptr_t)a, at)) {
		key = json_object_iter_key(at);
		r = compare_member(rows, prefix, key, json_object_iter_value(at),
				   json_object_get(b, key), level);
	}
	for (void *at = json_object_iter((json_t *)(uintptr_t)b); r == 0 && at;
	     at = json_object_iter_next((json_t *)(uintptr_t)b, at)) {
		key = json_object_iter_key(at);
		value = json_object_iter_value(at);
		if (!json_object_get(a, key))
			r = compare_member(rows, prefix, key, NULL, value, level);
	}
	return r;
}

static bool is_equal(const struct row *row)
{
	return row->a && row->b && strcmp(row->a, row->b) == 0;
}

/* --- both sides --- */

struct sides {
	struct args *args;
	const char *names[2]; /* as the user wrote them */
	struct rarog_operand operands[2];
	struct rarog_facts facts[2];
	struct rows rows;
	struct rarog_compatibility compatibility;
};

static void sides_release(struct sides *s)
{
	for (size_t i = 0; i < 2; i++) {
		rarog_operand_release(&s->operands[i]);
		rarog_facts_release(&s->facts[i]);
	}
	rows_release(&s->rows);
	rarog_compatibility_release(&s->compatibility);
	rarog_option_choice_release(&s->args->options);
}

static int read_sides(const struct rarog_context *context, struct sides *s)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < 2; i++) {
		r = rarog_operand_find(context, s->names[i], &s->args->options, &s->operands[i]);
		if (r == 0)
			r = rarog_facts_read(s->operands[i].path, &s->facts[i]);
	}
	if (r == 0)
		r = rarog_compatible(&s->facts[0], &s->facts[1], &s->compatibility);
	if (r < 0)
		return r;
	return compare(&s->rows, "", s->facts[0].header, s->facts[1].header, 0);
}

static bool is_same_job(const struct sides *s)
{
	return rarog_hash_equal(&s->facts[0].job.key, &s->facts[1].job.key);
}

/* --- output --- */

static const struct {
	const char *words;
	enum rarog_style style;
} verdicts[] = {
	[RAROG_COMPARABLE_ALL] = { "comparable: the same job, collector and machine",
				   RAROG_STYLE_GREEN },
	[RAROG_COMPARABLE_NOTED] = { "comparable, but", RAROG_STYLE_YELLOW },
	[RAROG_COMPARABLE_COUNTS] = { "numbers of calls are comparable, times are not",
				      RAROG_STYLE_RED },
	[RAROG_COMPARABLE_NOTHING] = { "not comparable", RAROG_STYLE_RED },
};

static void print_verdict(const struct rarog_context *context, const struct rarog_compatibility *c)
{
	enum rarog_style style =
		context->colour ? verdicts[c->comparable].style : RAROG_STYLE_PLAIN;

	printf("%s%s%s\n", rarog_style_on(style), verdicts[c->comparable].words,
	       rarog_style_off(style));
	for (size_t i = 0; i < c->why.n; i++)
		printf("  %s\n", c->why.v[i].words);
}

static int add_group(struct rarog_table *table, const struct sides *s, size_t group)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < s->rows.list.n; i++) {
		const struct row *row = &s->rows.list.v[i];
		enum rarog_style style = is_equal(row) ? RAROG_STYLE_DIM : RAROG_STYLE_PLAIN;

		if (row->group != group || (is_equal(row) && !s->args->all))
			continue;
		r = rarog_table_add(
			table, (struct rarog_cell[]){
				       { .text = groups[group].name, .style = RAROG_STYLE_DIM },
				       { .text = row->member, .style = style },
				       { .text = row->a ? row->a : "-", .style = style },
				       { .text = row->b ? row->b : "-", .style = style },
			       });
	}
	return r;
}

static int print(const struct rarog_context *context, const struct sides *s)
{
	const struct rarog_column columns[] = { { .title = "" },
						{ .title = "member" },
						{ .title = s->names[0] },
						{ .title = s->names[1], .is_elastic = true } };
	rarog_cleanup(rarog_table_freep) struct rarog_table *table =
		rarog_table_new(RAROG_COUNT(columns), columns);
	int r = table ? 0 : rarog_oom();

	print_verdict(context, &s->compatibility);
	for (size_t i = 0; r == 0 && i < RAROG_COUNT(groups); i++)
		r = add_group(table, s, i);
	if (r < 0 || rarog_table_rows(table) == 0)
		return r;
	putchar('\n');
	rarog_table_print(table, stdout, isatty(STDOUT_FILENO) ? context->width : 0,
			  context->colour);
	return 0;
}

static void write_reasons(struct rarog_json *json, const struct rarog_compatibility *c)
{
	rarog_json_array(json, "reasons");
	for (size_t i = 0; i < c->why.n; i++) {
		const struct rarog_reason *reason = &c->why.v[i];

		rarog_json_object(json, NULL);
		rarog_json_string(json, "aspect", rarog_aspect_names[reason->aspect]);
		rarog_json_string(json, "comparable", rarog_comparable_names[reason->comparable]);
		rarog_json_string(json, "reason", reason->words);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
}

static int write_json(const struct sides *s)
{
	struct rarog_json json;

	rarog_json_start_object(&json, stdout);
	rarog_json_string(&json, "a", s->names[0]);
	rarog_json_string(&json, "b", s->names[1]);
	rarog_json_bool(&json, "same_job", is_same_job(s));
	rarog_json_string(&json, "comparable", rarog_comparable_names[s->compatibility.comparable]);
	write_reasons(&json, &s->compatibility);
	rarog_json_array(&json, "differences");
	for (size_t i = 0; i < s->rows.list.n; i++) {
		const struct row *row = &s->rows.list.v[i];

		if (is_equal(row) && !s->args->all)
			continue;
		rarog_json_object(&json, NULL);
		rarog_json_string(&json, "group", groups[row->group].name);
		rarog_json_string(&json, "member", row->member);
		rarog_json_string(&json, "a", row->a);
		rarog_json_string(&json, "b", row->b);
		rarog_json_end_object(&json);
	}
	return rarog_json_finish(&json);
}

static int diff(const struct rarog_context *context, struct sides *s)
{
	int r = read_sides(context, s);

	if (r < 0)
		return r;
	for (size_t i = 0; i < RAROG_COUNT(s->facts); i++)
		if (s->facts[i].is_partial)
			rarog_warn("%s was cut off; compared is what could be recovered",
				   s->names[i]);
	return s->args->json ? write_json(s) : print(context, s);
}

static int diff_named(const struct rarog_context *context, struct args *args, int n, char **names)
{
	rarog_cleanup(sides_release) struct sides sides = { .args = args };
	int r;

	if (n != 2)
		return rarog_usage_error(rarog_fail(
			-EINVAL, "give two profiles, the older first: rarog diff HEAD~1 HEAD"));
	sides.names[0] = names[0];
	sides.names[1] = names[1];
	r = rarog_option_choice_read(&args->options);
	return r < 0 ? r : diff(context, &sides);
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	struct args args = { 0 };
	int first = rarog_options_parse(options, argc, argv, false, &args);
	int r = first < 0 ? rarog_usage_error(first)
			  : diff_named(context, &args, argc - first, argv + first);

	rarog_options_release(options, &args);
	return r;
}

const struct rarog_command rarog_cmd_diff = {
	.name = "diff",
	.summary = "compare header and provenance of two profiles",
	.usage = "[OPTION…] PROFILE PROFILE",
	.description =
		"Says first whether two measurements may be compared, and if not, why. Then it "
		"says what is different about them, member by member of their headers: command, "
		"parameters, version, machine, software, conditions and the run itself. "
		"Measurements with different commands, arguments, workloads, options, collectors "
		"or engines may not be compared; times also not if parameters or classes of "
		"machines differ. Another compiler, other flags or libraries and a noisy machine "
		"are mentioned. Profiles are named as in rarog show.",
	.examples = "rarog diff HEAD~1 HEAD\n"
		    "rarog diff 0@i 1@i\n"
		    "rarog diff --all old.rarog new.rarog",
	.options = options,
	.run = run,
};
