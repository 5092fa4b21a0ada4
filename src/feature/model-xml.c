/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * <vm> has <binaryOptions>, <numericOptions>, each with <configurationOption>s, and
 * <booleanConstraints>. An option that is not optional is on wherever its parent is; of those that
 * exclude each other one of them. VaRA's options have <sourceRange>s: the name of the variable
 * stands there, in the versions of the source that it is for.
 */
#include "feature/model-xml.h"

#include <errno.h>
#include <expat.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "feature/model-ranges.h"

#define DEPTH  16
#define NAME   32
#define VALUES 64 /* of a number; of more the first, the last, and some between */
#define TEXT   (1 << 16)

struct option {
	struct rarog_feature_entry entry;
	bool is_optional, is_numeric;
	const char *parent, *step;
	double least, most;
	struct rarog_model_ranges ranges;
};

struct reader {
	const char *file;
	struct rarog_feature_model *model;
	XML_Parser parser;
	char path[DEPTH][NAME]; /* of the elements that are open */
	size_t depth;
	struct rarog_str text;
	struct option option;
	struct rarog_model_sources sources;
	int r;
};

static void release_option(struct option *option)
{
	rarog_vec_release(&option->entry.values);
	rarog_vec_release(&option->entry.implies);
	rarog_vec_release(&option->entry.excludes);
	rarog_model_ranges_release(&option->ranges);
	*option = (struct option){ 0 };
}

static void fail(struct reader *reader, int r)
{
	if (reader->r == 0)
		reader->r = r;
	XML_StopParser(reader->parser, XML_FALSE);
}

/* The model's own. NULL: no memory, and it is said. */
static const char *keep(struct reader *reader, const char *text)
{
	char *copy = strdup(text);

	if (copy && rarog_vec_push(&reader->model->texts, copy) == 0)
		return copy;
	free(copy);
	fail(reader, rarog_oom());
	return NULL;
}

static void add_name(struct reader *reader, struct rarog_feature_names *names, const char *text)
{
	const char *kept = *text ? keep(reader, text) : NULL;

	if (kept && rarog_vec_push(names, kept) < 0)
		fail(reader, rarog_oom());
}

/* --- what the elements say --- */

static void take_name(struct reader *reader, const char *text)
{
	reader->option.entry.name = keep(reader, text);
}

static void take_parent(struct reader *reader, const char *text)
{
	if (*text && strcmp(text, "root") != 0)
		reader->option.parent = keep(reader, text);
}

static void take_optional(struct reader *reader, const char *text)
{
	reader->option.is_optional = strcasecmp(text, "true") == 0;
}

/* The parts of @text between bytes of @between, each by itself. */
static void add_parts(struct reader *reader, struct rarog_feature_names *names, const char *text,
		      const char *between)
{
	rarog_cleanup(rarog_freep) char *copy = strdup(text);
	char *rest = copy, *part;

	if (!copy) {
		fail(reader, rarog_oom());
		return;
	}
	while ((part = strsep(&rest, between)))
		add_name(reader, names, part);
}

/* "A | B": one of them. */
static void add_bars(struct reader *reader, const char *text)
{
	const char *name = reader->option.entry.name;
	rarog_cleanup(rarog_freep) char *constraint =
		rarog_asprintf("!%s | (%s)", name ? name : "", text);

	if (constraint)
		add_name(reader, &reader->model->constraints, constraint);
	else
		fail(reader, rarog_oom());
}

/* Some files have one <options> for each, some a name with bars between alternatives. */
static void take_implied(struct reader *reader, const char *text)
{
	if (strchr(text, '|'))
		add_bars(reader, text);
	else if (strcmp(text, "root") != 0)
		add_name(reader, &reader->option.entry.implies, text);
}

/* "A | B" are two entries: neither of them. */
static void take_excluded(struct reader *reader, const char *text)
{
	add_parts(reader, &reader->option.entry.excludes, text, "| ");
}

static void refuse_numbers(struct reader *reader, const char *text)
{
	if (*text)
		rarog_warn("%s: the constraint '%s' is of numbers and is not taken: what it "
			   "forbids may be proposed",
			   reader->file, text);
}

static void take_least(struct reader *reader, const char *text)
{
	reader->option.least = strtod(text, NULL);
	reader->option.is_numeric = true;
}

static void take_most(struct reader *reader, const char *text)
{
	reader->option.most = strtod(text, NULL);
}

static void take_step(struct reader *reader, const char *text)
{
	reader->option.step = keep(reader, text);
}

static void take_values(struct reader *reader, const char *text)
{
	reader->option.is_numeric = true;
	add_parts(reader, &reader->option.entry.values, text, ";, ");
}

/* The one that is open; outside of all nothing is told. */
static struct rarog_model_range *range_of(struct reader *reader)
{
	size_t n = reader->option.ranges.list.n;

	return n > 0 ? &reader->option.ranges.list.v[n - 1] : NULL;
}

static void set_text(struct reader *reader, char **into, const char *text)
{
	free(*into);
	*into = strdup(text);
	if (!*into)
		fail(reader, rarog_oom());
}

static void take_path(struct reader *reader, const char *text)
{
	if (range_of(reader))
		set_text(reader, &range_of(reader)->path, text);
}

static void take_member(struct reader *reader, const char *text)
{
	if (range_of(reader) && *text)
		set_text(reader, &range_of(reader)->member, text);
}

static void take_removed(struct reader *reader, const char *text)
{
	if (range_of(reader) && *text)
		range_of(reader)->is_removed = true;
}

/* 0: it is none, and then nothing stands there. */
static int number_of(const char *text)
{
	long number = strtol(text, NULL, 10);

	return number > 0 && number < INT_MAX ? (int)number : 0;
}

static void take_line(struct reader *reader, const char *text)
{
	if (range_of(reader))
		range_of(reader)->line = number_of(text);
}

static void take_first(struct reader *reader, const char *text)
{
	if (range_of(reader))
		range_of(reader)->first = number_of(text);
}

static void take_last(struct reader *reader, const char *text)
{
	if (range_of(reader))
		range_of(reader)->last = number_of(text);
}

static void take_constraint(struct reader *reader, const char *text)
{
	add_name(reader, &reader->model->constraints, text);
}

static const struct {
	const char *parent, *name;
	void (*take)(struct reader *reader, const char *text);
} elements[] = {
	{ "configurationOption", "name", take_name },
	{ "configurationOption", "parent", take_parent },
	{ "configurationOption", "optional", take_optional },
	{ "configurationOption", "minValue", take_least },
	{ "configurationOption", "maxValue", take_most },
	{ "configurationOption", "stepFunction", take_step },
	{ "configurationOption", "values", take_values },
	{ "impliedOptions", "options", take_implied },
	{ "impliedOptions", "option", take_implied },
	{ "excludedOptions", "options", take_excluded },
	{ "excludedOptions", "option", take_excluded },
	{ "sourceRange", "path", take_path },
	{ "sourceRange", "memberOffset", take_member },
	{ "revisionRange", "removed", take_removed },
	{ "start", "line", take_line },
	{ "start", "column", take_first },
	{ "end", "column", take_last },
	{ "booleanConstraints", "constraint", take_constraint },
	{ "nonBooleanConstraints", "constraint", refuse_numbers },
	{ "mixedConstraints", "constraint", refuse_numbers },
};

/* --- an option --- */

static void add_number(struct reader *reader, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.10g", value);
	add_name(reader, &reader->option.entry.values, text);
}

/* "2", "0.5", and "0,5", as some files have it. false: it is no number. */
static bool read_number(const char *text, double *ret_number)
{
	char copy[32], *end, *comma;

	if ((size_t)snprintf(copy, sizeof(copy), "%s", text) >= sizeof(copy))
		return false;
	comma = strchr(copy, ',');
	if (comma)
		*comma = '.';
	*ret_number = strtod(copy, &end);
	return end > copy && end[strspn(end, " ")] == '\0';
}

/* "level + 2", "level * 2": from one value to the next. false: it is something else. */
static bool read_step(const char *text, char *ret_sign, double *ret_by)
{
	const char *name;

	*ret_sign = '+';
	*ret_by = 1;
	if (!text)
		return true;
	name = text += strspn(text, " ");
	while (rarog_model_is_word(*text))
		text++;
	if (text == name || (*name >= '0' && *name <= '9'))
		return false;
	text += strspn(text, " ");
	*ret_sign = *text;
	if (*text != '+' && *text != '*')
		return false;
	return read_number(text + 1, ret_by) && *ret_by > (*ret_sign == '*' ? 1 : 0);
}

#define ROUNDING 1e-9 /* 0.1 three times is more than 0.3 */

/* Of many each second, third … and the last. */
static void add_sums(struct reader *reader, double by)
{
	const struct option *option = &reader->option;
	double n = floor((option->most - option->least) / by + ROUNDING);
	double stride = fmax(ceil(n / (VALUES - 1)), 1), at = 0;

	while (reader->r == 0 && at < n) {
		add_number(reader, option->least + at * by);
		at += stride;
	}
	if (n >= 0)
		add_number(reader, option->least + n * by);
}

static void add_products(struct reader *reader, double by)
{
	const struct option *option = &reader->option;
	double value = option->least, most = option->most + fabs(option->most) * ROUNDING;

	for (size_t n = 0; reader->r == 0 && value <= most && n < VALUES; n++) {
		add_number(reader, value);
		value *= by;
		if (value <= 0)
			return;
	}
}

static void add_numbers(struct reader *reader)
{
	struct option *option = &reader->option;
	double by = 1;
	char sign = '+';

	if (!read_step(option->step, &sign, &by)) {
		rarog_warn("%s: %s: steps '%s' are not understood: it has its least and its most "
			   "value",
			   reader->file, option->entry.name, option->step);
		add_number(reader, option->least);
		add_number(reader, option->most);
		return;
	}
	if (sign == '+')
		add_sums(reader, by);
	else
		add_products(reader, by);
}

/* "ns::Type::member" is "ns::Type.member". */
static void take_member_of(struct reader *reader, const char *text)
{
	const char *colons = strrchr(text, ':');
	rarog_cleanup(rarog_freep) char *member = NULL;

	if (!colons || colons == text)
		return;
	member = rarog_asprintf("%.*s.%s", (int)(colons - 1 - text), text, colons + 1);
	if (member)
		reader->option.entry.member = keep(reader, member);
	else
		fail(reader, rarog_oom());
}

static void take_name_at(struct reader *reader, const struct rarog_model_range *range,
			 const char *word)
{
	const char *slash = strrchr(range->path, '/');

	reader->option.entry.variable = keep(reader, word);
	reader->option.entry.file = keep(reader, slash ? slash + 1 : range->path);
	reader->option.entry.line = range->line;
}

/* A variable or a member: the plug-in takes whichever stands on that line. */
static void take_place(struct reader *reader)
{
	struct option *option = &reader->option;
	const struct rarog_model_range *last = range_of(reader), *found;
	rarog_cleanup(rarog_freep) char *word = NULL;

	if (last && last->member)
		take_member_of(reader, last->member);
	if (!last || option->entry.member)
		return;
	found = rarog_model_ranges_choose(&option->ranges, &reader->sources, &word);
	if (found)
		take_name_at(reader, found, word);
	else
		rarog_warn("%s: %s: there is no name at %s:%d: its regions are not looked for",
			   reader->file, option->entry.name, last->path ? last->path : "",
			   last->line);
}

/* It is on where its parent is, or one of those that it excludes. */
static void add_need(struct reader *reader)
{
	const struct option *option = &reader->option;
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };

	if (option->parent)
		rarog_str_addf(&text, "!%s | ", option->parent);
	rarog_str_add(&text, option->entry.name);
	for (size_t i = 0; i < option->entry.excludes.n; i++)
		rarog_str_addf(&text, " | %s", option->entry.excludes.v[i]);
	add_name(reader, &reader->model->constraints, rarog_str_text(&text));
}

static void finish_option(struct reader *reader)
{
	struct option *option = &reader->option;
	struct rarog_feature_entry *entry = &option->entry;
	bool is_root = !entry->name || strcmp(entry->name, "root") == 0;

	if (!is_root && option->is_numeric && entry->values.n == 0)
		add_numbers(reader);
	if (!is_root)
		take_place(reader);
	entry->is_switch = !option->is_numeric;
	entry->is_mandatory = !option->is_optional && !option->parent && entry->excludes.n == 0;
	if (!is_root && option->parent)
		add_name(reader, &entry->implies, option->parent);
	if (!is_root && !option->is_optional && !entry->is_mandatory && !option->is_numeric)
		add_need(reader);
	if (option->is_numeric) /* below a parent it is on with more than its least value */
		entry->is_mandatory = !option->parent;
	if (is_root || reader->r < 0)
		return;
	if (rarog_vec_push(&reader->model->features, *entry) < 0)
		fail(reader, rarog_oom());
	else
		entry->values = entry->implies = entry->excludes =
			(struct rarog_feature_names){ 0 };
}

/* --- elements --- */

static void XMLCALL begin(void *user, const XML_Char *name, const XML_Char **attributes)
{
	struct reader *reader = user;

	(void)attributes;
	rarog_str_clear(&reader->text);
	if (reader->depth == DEPTH) {
		fail(reader, rarog_fail(-EINVAL, "%s:%lu: too deep", reader->file,
					XML_GetCurrentLineNumber(reader->parser)));
		return;
	}
	if (strcmp(name, "configurationOption") == 0)
		release_option(&reader->option);
	if (strcmp(name, "sourceRange") == 0 &&
	    rarog_vec_push(&reader->option.ranges.list, ((struct rarog_model_range){ 0 })) < 0)
		fail(reader, rarog_oom());
	snprintf(reader->path[reader->depth++], NAME, "%s", name);
}

static char *trimmed(struct reader *reader)
{
	const char *text = rarog_str_text(&reader->text);
	size_t n;

	text += strspn(text, " \t\r\n");
	n = strlen(text);
	while (n > 0 && strchr(" \t\r\n", text[n - 1]))
		n--;
	return strndup(text, n);
}

static void XMLCALL end(void *user, const XML_Char *name)
{
	struct reader *reader = user;
	const char *parent = reader->depth > 1 ? reader->path[reader->depth - 2] : "";
	rarog_cleanup(rarog_freep) char *text = trimmed(reader);

	reader->depth--;
	if (!text) {
		fail(reader, rarog_oom());
		return;
	}
	for (size_t i = 0; i < RAROG_COUNT(elements); i++)
		if (strcmp(elements[i].name, name) == 0 && strcmp(elements[i].parent, parent) == 0)
			elements[i].take(reader, text);
	if (strcmp(name, "configurationOption") == 0)
		finish_option(reader);
	rarog_str_clear(&reader->text);
}

static void XMLCALL add_text(void *user, const XML_Char *text, int n)
{
	struct reader *reader = user;

	if (reader->text.length + (size_t)n > TEXT)
		fail(reader, rarog_fail(-EINVAL, "%s:%lu: too long a text", reader->file,
					XML_GetCurrentLineNumber(reader->parser)));
	else if (rarog_str_add_bytes(&reader->text, (size_t)n, text) < 0)
		fail(reader, rarog_oom());
}

/* Entities are what a bomb is made of; these files have none. */
static void XMLCALL refuse_entity(void *user, const XML_Char *name, int is_parameter,
				  const XML_Char *value, int n, const XML_Char *base,
				  const XML_Char *system, const XML_Char *public,
				  const XML_Char *notation)
{
	struct reader *reader = user;

	(void)name, (void)is_parameter, (void)value, (void)n, (void)base;
	(void)system, (void)public, (void)notation;
	fail(reader, rarog_fail(-EINVAL, "%s:%lu: no entities are expected", reader->file,
				XML_GetCurrentLineNumber(reader->parser)));
}

int rarog_feature_model_xml(const char *name, size_t n, const char text[n],
			    struct rarog_feature_model *model)
{
	struct reader reader = { .file = name,
				 .model = model,
				 .sources = { .model = name },
				 .parser = XML_ParserCreate("UTF-8") };

	if (!reader.parser)
		return rarog_oom();
	XML_SetUserData(reader.parser, &reader);
	XML_SetElementHandler(reader.parser, begin, end);
	XML_SetCharacterDataHandler(reader.parser, add_text);
	XML_SetEntityDeclHandler(reader.parser, refuse_entity);
	if (XML_Parse(reader.parser, text, (int)n, XML_TRUE) == XML_STATUS_ERROR && reader.r == 0)
		reader.r = rarog_fail(-EINVAL, "%s:%lu: %s", name,
				      XML_GetCurrentLineNumber(reader.parser),
				      XML_ErrorString(XML_GetErrorCode(reader.parser)));
	release_option(&reader.option);
	rarog_model_sources_release(&reader.sources);
	XML_ParserFree(reader.parser);
	rarog_str_release(&reader.text);
	if (reader.r == 0 && model->features.n == 0)
		return rarog_fail(-EINVAL, "%s: it has no configurationOption of SPL Conqueror's",
				  name);
	return reader.r;
}
