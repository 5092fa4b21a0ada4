/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/inline/code/dropped.h"

#include <pthread.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"

/* Of all modules' lists. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

const char *rarog_dropped_name(const struct rarog_module *m, uint32_t number)
{
	const struct rarog_function *functions;

	rarog_binary_functions(m->binary, &functions);
	return functions[number].name;
}

static void add(struct rarog_module *m, struct rarog_dropped one)
{
	struct rarog_dropped *known = NULL;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; !known && i < m->dropped.n; i++)
		if (m->dropped.v[i].number == one.number && m->dropped.v[i].is_mark == one.is_mark)
			known = &m->dropped.v[i];
	/* What ends the recording of the file says more than what one process began without. */
	if (known && known->why == RAROG_DROP_BREAK_BEFORE && one.why == RAROG_DROP_BREAK)
		*known = one;
	if (!known && rarog_vec_push(&m->dropped, one) < 0)
		rarog_debug(RAROG_LOG_INSTALL, "%s: no memory", m->path);
	pthread_mutex_unlock(&lock);
}

void rarog_dropped_function(struct rarog_module *m, uint32_t number, enum rarog_drop why,
			    bool is_said)
{
	add(m, (struct rarog_dropped){ .number = number, .why = (uint8_t)why, .is_said = is_said });
}

void rarog_dropped_mark(struct rarog_module *m, uint32_t number, enum rarog_drop why)
{
	add(m, (struct rarog_dropped){ .number = number, .why = (uint8_t)why, .is_mark = true });
}

/* --- telling --- */

static const char *name_of(const struct rarog_module *m, const struct rarog_dropped *one)
{
	return one->is_mark ? m->marks.names.v[one->number].text
			    : rarog_dropped_name(m, one->number);
}

#define NAMES_MOST 8

#define TRACERS "of somebody else's (perf probe, bpftrace, --engine=ebpf?)"

/* What to say, by enum rarog_drop, and what header has it. */
static const struct saying {
	const char *line, *member;
} sayings[] = {
	[RAROG_DROP_BREAK_BEFORE] = { "not measured, because of breakpoints " TRACERS,
				      "breakpoints" },
	[RAROG_DROP_BREAK] = { "nothing of it is measured from here on, because of a "
			       "breakpoint " TRACERS,
			       "breakpoints" },
	[RAROG_DROP_PLACE] = { "not measured, because what they begin with refers to something too "
			       "far from where there is room for probes",
			       "unplaced" },
};

static void say_of(struct rarog_module *m, size_t why)
{
	rarog_cleanup(rarog_str_release) struct rarog_str names = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < m->dropped.n; i++) {
		struct rarog_dropped *one = &m->dropped.v[i];

		if (one->is_said || one->why != why)
			continue;
		if (n++ < NAMES_MOST)
			rarog_str_addf(&names, "%s%s", n > 1 ? ", " : "", name_of(m, one));
		one->is_said = true;
	}
	if (n > NAMES_MOST)
		rarog_str_addf(&names, " and %zu more", n - NAMES_MOST);
	if (n > 0)
		rarog_warn("%s: %s: %s", m->path, sayings[why].line, rarog_str_text(&names));
}

void rarog_dropped_say(struct rarog_modules *modules)
{
	pthread_mutex_lock(&lock);
	for (struct rarog_module *m = modules->first; m; m = m->next)
		for (size_t i = 0; i < RAROG_COUNT(sayings); i++)
			say_of(m, i);
	pthread_mutex_unlock(&lock);
}

bool rarog_dropped_early(const struct rarog_modules *modules)
{
	for (const struct rarog_module *m = modules->first; m; m = m->next)
		for (size_t i = 0; i < m->dropped.n; i++)
			if (m->dropped.v[i].why == RAROG_DROP_BREAK)
				return true;
	return false;
}

static void write_one(struct rarog_json *json, const struct rarog_module *m,
		      const struct rarog_dropped *one)
{
	rarog_json_object(json, NULL);
	rarog_json_string(json, one->is_mark ? "mark" : "function", name_of(m, one));
	rarog_json_string(json, "binary", m->path);
	if (one->why != RAROG_DROP_PLACE)
		rarog_json_string(json, "since",
				  one->why == RAROG_DROP_BREAK ? "while_measured" : "before");
	if (one->why == RAROG_DROP_BREAK)
		rarog_json_bool(json, "ends_binary", true);
	rarog_json_end_object(json);
}

static void write_of(struct rarog_json *json, const struct rarog_modules *modules,
		     const char *member)
{
	bool has_any = false;

	for (const struct rarog_module *m = modules->first; m; m = m->next)
		for (size_t i = 0; i < m->dropped.n; i++) {
			if (strcmp(sayings[m->dropped.v[i].why].member, member) != 0)
				continue;
			if (!has_any)
				rarog_json_array(json, member);
			has_any = true;
			write_one(json, m, &m->dropped.v[i]);
		}
	if (has_any)
		rarog_json_end_array(json);
}

void rarog_dropped_write(struct rarog_json *json, const struct rarog_modules *modules)
{
	pthread_mutex_lock(&lock);
	write_of(json, modules, "breakpoints");
	write_of(json, modules, "unplaced");
	pthread_mutex_unlock(&lock);
}
