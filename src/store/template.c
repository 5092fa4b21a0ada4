/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One walk over a format serves all: it cuts the text into literal parts and tags with a width, and
 * asks a table, or the facts, for the value.
 */
#include "store/template.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "store/configuration.h"

#define NAME_LIMIT 200
#define SUFFIX     ".rarog"

/* --- the walk --- */

struct part {
	size_t n; /* literal text, or the tag's name */
	const char *text;
	bool is_tag;
	long width; /* of a tag; 0: as it is */
};

/* The next part of *at; 1, 0 at the end. "%%" is the literal "%". */
static int next_part(const char *format, const char **at, struct part *ret_part)
{
	const char *start = *at, *end, *colon;

	if (!*start)
		return 0;
	*ret_part = (struct part){ .text = start, .n = strcspn(start, "%") };
	*at = start + ret_part->n;
	if (ret_part->n > 0)
		return 1;
	end = strchr(start + 1, '%');
	if (!end)
		return rarog_fail(-EINVAL,
				  "template '%s': a '%%' has no end; write %%%% for a percent "
				  "sign",
				  format);
	*at = end + 1;
	if (end == start + 1) {
		*ret_part = (struct part){ .text = "%", .n = 1 };
		return 1;
	}
	colon = memchr(start, ':', (size_t)(end - start));
	*ret_part = (struct part){ .text = start + 1, .is_tag = true };
	ret_part->n = (size_t)((colon ? colon : end) - start - 1);
	if (colon) {
		char *stop;

		ret_part->width = strtol(colon + 1, &stop, 10);
		if (stop != end || ret_part->width < 1 || ret_part->width > 1000)
			return rarog_fail(-EINVAL,
					  "template '%s': '%.*s' is not a width (1 ... 1000)",
					  format, (int)(end - colon - 1), colon + 1);
	}
	return 1;
}

static bool is_named(const struct part *part, const char *name)
{
	return strlen(name) == part->n && strncmp(part->text, name, part->n) == 0;
}

static int unknown_tag(const char *format, const struct part *part, size_t n,
		       const char *const names[])
{
	rarog_cleanup(rarog_freep) char *wanted = strndup(part->text, part->n);
	rarog_cleanup(rarog_str_release) struct rarog_str near = { 0 };
	struct rarog_nearest nearest = { .wanted = wanted };

	if (!wanted)
		return rarog_oom();
	for (size_t i = 0; i < n; i++)
		rarog_nearest_offer(&nearest, names[i]);
	rarog_nearest_add(&nearest, "", &near);
	return rarog_fail(-EINVAL, "template '%s': there is no tag %%%s%%%s", format, wanted,
			  rarog_str_text(&near));
}

/* --- file names --- */

static const char *const file_tags[] = {
	"collector", "engine",  "cmd",   "args",           "workload", "type",   "date",
	"origin",    "counter", "label", "postprocessors", "job",      "options"
};

/* "trace.detail": a parameter of a collector, whatever it is called. */
static bool is_parameter(const struct part *part)
{
	const char *dot = memchr(part->text, '.', part->n);

	return dot && dot > part->text && dot + 1 < part->text + part->n;
}

int rarog_template_check(const char *format)
{
	const char *at = format;
	struct part part;
	int r;

	while ((r = next_part(format, &at, &part)) > 0) {
		bool known = !part.is_tag || is_parameter(&part);

		for (size_t i = 0; !known && i < RAROG_COUNT(file_tags); i++)
			known = is_named(&part, file_tags[i]);
		if (!known)
			return unknown_tag(format, &part, RAROG_COUNT(file_tags), file_tags);
	}
	return r;
}

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* What a collector measures, in the words of the original. */
static const char *type_of(const struct rarog_facts *facts)
{
	static const struct {
		const char *collector, *type;
	} types[] = { { "time", "time" },
		      { "trace", "mixed" },
		      { "complexity", "mixed" },
		      { "memory", "memory" } };

	for (size_t i = 0; i < RAROG_COUNT(types); i++)
		if (strcmp(or_empty(facts->job.collector), types[i].collector) == 0)
			return types[i].type;
	return "mixed";
}

static int add_date(const struct rarog_facts *facts, struct rarog_str *value)
{
	time_t seconds = (time_t)(facts->started_ns / 1000000000);
	struct tm local;
	char text[64];

	localtime_r(&seconds, &local);
	strftime(text, sizeof(text), "%Y-%m-%d-%H-%M-%S", &local);
	return rarog_str_add(value, text);
}

static int add_parameter(const struct rarog_facts *facts, const struct part *part,
			 struct rarog_str *value)
{
	const char *dot = memchr(part->text, '.', part->n);
	rarog_cleanup(rarog_freep) char *key =
		strndup(dot + 1, (size_t)(part->text + part->n - dot - 1));
	json_t *parameters = json_object_get(facts->header, "parameters");
	json_t *found = key ? json_object_get(parameters, key) : NULL;
	rarog_cleanup(rarog_freep) char *text = NULL;

	if (key && !found && strcmp(key, "detail") == 0)
		found = json_object_get(facts->header, key);
	if (json_is_string(found))
		return rarog_str_add(value, json_string_value(found));
	text = found ? json_dumps(found, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
	return text ? rarog_str_add(value, text) : 0;
}

/* As names of profiles have always had them: without quotes. */
static int add_options(const struct rarog_job *job, struct rarog_str *value)
{
	rarog_cleanup(rarog_configuration_release) struct rarog_configuration options = { 0 };
	int r = rarog_configuration_parse(&options, job->configuration);

	for (size_t i = 0; r == 0 && i < options.list.n; i++)
		r = rarog_str_addf(value, "%s%s=%s", i == 0 ? "" : " ", options.list.v[i].name,
				   options.list.v[i].value);
	return r;
}

static int add_value(const struct rarog_facts *facts, uint64_t counter, const struct part *part,
		     struct rarog_str *value)
{
	const struct rarog_job *job = &facts->job;
	const struct {
		const char *name, *text;
	} simple[] = {
		{ "collector", or_empty(job->collector) },
		{ "engine", or_empty(job->engine) },
		{ "args", or_empty(job->arguments) },
		{ "type", type_of(facts) },
		{ "origin", or_empty(facts->version) },
		{ "label", or_empty(facts->label) },
		{ "job", or_empty(job->name) },
		{ "postprocessors", "" },
		{ "cmd", base_name(or_empty(job->command)) },
		{ "workload", base_name(or_empty(job->workload)) },
	};

	for (size_t i = 0; i < RAROG_COUNT(simple); i++)
		if (is_named(part, simple[i].name))
			return rarog_str_add(value, simple[i].text);
	if (is_named(part, "options"))
		return add_options(job, value);
	if (is_named(part, "date"))
		return add_date(facts, value);
	if (is_named(part, "counter"))
		return rarog_str_addf(value, "%llu", (unsigned long long)counter);
	return is_parameter(part) ? add_parameter(facts, part, value) : 0;
}

static void make_safe(char *text)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				   "._-+=@,";

	for (char *c = text; *c; c++)
		if (!strchr(safe, *c))
			*c = '_';
}

/* What belongs to a tag without a value: the separator before it, or after if it is the first. */
static void drop_separator(struct rarog_str *name, const char **next)
{
	static const char separators[] = "-_.+,";

	if (name->length > 0 && name->text[name->length - 1] != '/') {
		if (strchr(separators, name->text[name->length - 1]))
			name->text[--name->length] = '\0';
	} else if (**next && strchr(separators, **next)) {
		++*next;
	}
}

/* @next: of the format, after the part. */
static int add_part(const struct rarog_facts *facts, uint64_t counter, const struct part *part,
		    const char **next, struct rarog_str *name)
{
	rarog_cleanup(rarog_str_release) struct rarog_str value = { 0 };
	size_t n;
	int r;

	if (!part->is_tag)
		return rarog_str_add_bytes(name, part->n, part->text);
	r = add_value(facts, counter, part, &value);
	n = value.length;
	if (part->width > 0 && n > (size_t)part->width)
		n = (size_t)part->width;
	if (r == 0 && n == 0)
		drop_separator(name, next);
	if (r < 0 || n == 0)
		return r;
	make_safe(value.text);
	return rarog_str_add_bytes(name, n, value.text);
}

static int fill_in(const char *format, const struct rarog_facts *facts, uint64_t counter,
		   struct rarog_str *text)
{
	const char *at = format;
	struct part part;
	int r = rarog_template_check(format);

	while (r == 0 && next_part(format, &at, &part) > 0) /* checked: no failure */
		r = add_part(facts, counter, &part, &at, text);
	return r;
}

int rarog_template_file(const char *format, const struct rarog_facts *facts, uint64_t counter,
			struct rarog_str *name)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	int r = fill_in(format, facts, counter, &text);

	if (r == 0 && text.length == 0)
		r = rarog_str_add(&text, "profile");
	if (r == 0) {
		make_safe(text.text);
		if (*text.text == '.' || *text.text == '-')
			*text.text = '_';
		if (text.length > NAME_LIMIT - strlen(SUFFIX))
			text.text[NAME_LIMIT - strlen(SUFFIX)] = '\0';
		r = rarog_str_addf(name, "%s%s", text.text,
				   rarog_ends_with(text.text, SUFFIX) ? "" : SUFFIX);
	}
	return r == -ENOMEM ? rarog_oom() : r;
}

/* --- paths --- */

/* The tag's name with its width, "" if @percent begins none. */
static size_t tag_length(const char *percent)
{
	size_t n = strspn(percent + 1, "abcdefghijklmnopqrstuvwxyz_");

	if (n == 0)
		return 0;
	n += strspn(percent + 1 + n, "abcdefghijklmnopqrstuvwxyz_.:0123456789");
	return percent[1 + n] == '%' ? n : 0;
}

bool rarog_template_is_one(const char *text)
{
	while ((text = strchr(text, '%'))) {
		if (tag_length(text) > 0)
			return true;
		text += text[1] == '%' ? 2 : 1;
	}
	return false;
}

bool rarog_template_counts(const char *format)
{
	const char *at = format;
	struct part part;

	while (next_part(format, &at, &part) > 0)
		if (part.is_tag && is_named(&part, "counter"))
			return true;
	return false;
}

int rarog_template_path(const char *format, const struct rarog_facts *facts, char **ret_path)
{
	bool counts = rarog_template_counts(format);

	for (uint64_t counter = 1;; counter++) {
		rarog_cleanup(rarog_str_release) struct rarog_str path = { 0 };
		int r = fill_in(format, facts, counter, &path);

		if (r < 0)
			return r == -ENOMEM ? rarog_oom() : r;
		if (path.length == 0 || path.text[path.length - 1] == '/')
			return rarog_fail(-EINVAL,
					  "template '%s': nothing is known for any of its tags",
					  format);
		if (counts && access(path.text, F_OK) == 0)
			continue;
		*ret_path = rarog_str_take(&path);
		return *ret_path ? 0 : rarog_oom();
	}
}

/* --- lines --- */

static int add_padded(const char *value, long width, struct rarog_str *line)
{
	long columns = 0;
	int r = 0;

	while (r == 0 && *value) {
		int here = 0;
		size_t n = rarog_utf8_next(value, &here);

		if (width > 0 && columns + here > width)
			break;
		r = rarog_str_add_bytes(line, n, value);
		columns += here;
		value += n;
	}
	for (; r == 0 && columns < width; columns++)
		r = rarog_str_add_char(line, ' ');
	return r;
}

static int add_tag(const char *format, const struct part *part, size_t n,
		   const struct rarog_template_tag tags[], struct rarog_str *line)
{
	const char *names[64];

	for (size_t i = 0; i < n; i++)
		if (is_named(part, tags[i].name))
			return add_padded(or_empty(tags[i].value), part->width, line);
	for (size_t i = 0; i < n && i < RAROG_COUNT(names); i++)
		names[i] = tags[i].name;
	return unknown_tag(format, part, n < RAROG_COUNT(names) ? n : RAROG_COUNT(names), names);
}

int rarog_template_line(const char *format, size_t n, const struct rarog_template_tag tags[],
			struct rarog_str *line)
{
	const char *at = format;
	struct part part;
	int r = 0, more = 1;

	while (r == 0 && (more = next_part(format, &at, &part)) > 0)
		r = part.is_tag ? add_tag(format, &part, n, tags, line)
				: rarog_str_add_bytes(line, part.n, part.text);
	return r < 0 ? r : more;
}
