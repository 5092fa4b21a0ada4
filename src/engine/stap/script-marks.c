/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SystemTap finds USDT probes by their notes, and raises their semaphores; no debug information is
 * needed for that. It puts one handler at all places of a name: which one is passed, the handler
 * asks. Places without mark (--at) are statements at addresses, which takes debug
 * information.
 *
 * Of several probes at one address it is not known which runs first. So there is one: what is to be
 * told there is told in its order. Where a function begins it is the function's, and comes after
 * the beginning of its call.
 */
#include "base/lower-bound.h"
#include "engine/stap/script-parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "binary/usdt.h"
#include "engine/probed/marks.h"
#include "engine/stap/script.h"
#include "plan/mark-set.h"

#define NO_WAY  "is a place that SystemTap finds by debug information only, of which there is none"
#define PATTERN "has a name that SystemTap takes for a pattern"

/* --- which can be had --- */

static bool is_asked(const struct rarog_marks *marks, const struct rarog_mark *mark)
{
	return marks->names.v[mark->name].is_asked;
}

static const char *refusal(const struct rarog_probed_module *m, const struct rarog_mark *mark)
{
	if (is_asked(&m->marks, mark))
		return rarog_binary_has_debug(m->binary) ? NULL : NO_WAY;
	return strpbrk(m->marks.names.v[mark->name].text, "*?[]{}") ? PATTERN : NULL;
}

static bool leave_one_out(struct rarog_probed_module *m)
{
	for (size_t i = 0; i < m->marks.v.n; i++) {
		const char *reason = refusal(m, &m->marks.v.v[i]);

		if (!reason)
			continue;
		rarog_marks_leave_out(&m->marks, i, reason);
		return true;
	}
	return false;
}

int rarog_stap_marks_choose(struct rarog_plan *plan, struct rarog_probed_module *m)
{
	int r = rarog_probed_marks_choose(plan, m);

	while (r == 0 && leave_one_out(m))
		;
	return r;
}

/* --- what is told --- */

/* Of the return address of the function that it is in; unknown: below the stack pointer is below
 * it, see agent/mark.c. */
static void name_place(const struct rarog_mark *mark, size_t n, char ret_place[n])
{
	const struct rarog_return_place *place = &mark->site.return_place;

	if (place->from == RAROG_RETURN_UNKNOWN)
		snprintf(ret_place, n, "u_register(\"rsp\") - 4");
	else
		snprintf(ret_place, n, "u_register(\"%s\") + (%d)",
			 place->from == RAROG_RETURN_FROM_RBP ? "rbp" : "rsp", (int)place->offset);
}

static uint32_t number_of(const struct rarog_probed_module *m, const struct rarog_mark *mark)
{
	return m->first + (uint32_t)m->n + mark->name;
}

/* Reading is no time of a region: it begins afterwards, and ends before. */
static int put_line(const struct rarog_stap_writer *w, const struct rarog_mark *mark)
{
	static const enum rarog_stap_kind kinds[] = {
		[RAROG_MARK_POINT] = RAROG_STAP_POINT,
		[RAROG_MARK_BEGIN] = RAROG_STAP_REGION,
		[RAROG_MARK_STOP] = RAROG_STAP_REGION_END,
		[RAROG_MARK_LEFT] = RAROG_STAP_REGION_LEFT,
	};
	char place[64];
	struct rarog_mark_set set;
	struct rarog_stap_line line = {
		.kind = kinds[mark->action],
		.number = number_of(w->module, mark),
		.place = place,
		.site = mark->address & 0xffffff,
		.has_values = rarog_mark_set_make(&w->module->marks, mark, 0 - mark->address, &set),
		.n_values = set.n,
	};
	int r;

	name_place(mark, sizeof(place), place);
	line.is_late = line.n_values > 0 && mark->action != RAROG_MARK_BEGIN;
	r = line.is_late ? rarog_str_add(w->text, "\tns = ktime_get_ns()\n") : 0;
	if (r == 0 && line.has_values)
		r = rarog_str_add(w->text, "\tu = 0\n");
	for (unsigned i = 0; r == 0 && i < line.n_values; i++)
		r = rarog_stap_put_mark_way(w->text, &set.ways[i], i);
	return r < 0 ? r : rarog_stap_put_line(w->text, &line);
}

/* An end is told in any case: what was not begun is ignored (strand.h). */
static int put_sampled(const struct rarog_stap_writer *w, const struct rarog_mark *mark,
		       uint32_t every)
{
	int r = rarog_str_addf(w->text, "\tif (takes(%u, %u, 0)) {\n", number_of(w->module, mark),
			       every);

	if (r == 0)
		r = put_line(w, mark);
	return r < 0 ? r : rarog_str_add(w->text, "\t}\n");
}

static int put_mark(const struct rarog_stap_writer *w, const struct rarog_mark *mark)
{
	uint32_t every = w->module->marks.names.v[mark->name].every;

	if (w->is_counted)
		return rarog_str_addf(w->text, "\tcalls[%u] <<< 1\n", number_of(w->module, mark));
	return (every > 1 || w->skips) && !rarog_mark_ends(mark) ? put_sampled(w, mark, every)
								 : put_line(w, mark);
}

/* Of the marks at @address, or after it; they are in order. */
static size_t first_at(const struct rarog_marks *marks, uint64_t address)
{
	return rarog_lower_bound(i, marks->v.n, marks->v.v[i].address < address);
}

int rarog_stap_put_marks_at(const struct rarog_stap_writer *w, uint64_t address)
{
	const struct rarog_marks *marks = &w->module->marks;
	int r = 0;

	for (size_t i = first_at(marks, address);
	     r == 0 && i < marks->v.n && marks->v.v[i].address == address; i++)
		r = put_mark(w, &marks->v.v[i]);
	return r;
}

/* --- places that are asked for --- */

/* The mark at @address that a note tells of; NULL: none does. */
static const struct rarog_mark *noted_at(const struct rarog_marks *marks, uint64_t address)
{
	for (size_t i = first_at(marks, address);
	     i < marks->v.n && marks->v.v[i].address == address; i++)
		if (!is_asked(marks, &marks->v.v[i]))
			return &marks->v.v[i];
	return NULL;
}

static int put_statement(const struct rarog_stap_writer *w, uint64_t address)
{
	int r = rarog_str_addf(w->text,
			       "probe %s.statement(0x%" PRIx64 ") ? { if ([pid()] in ours) {\n",
			       w->process, address);

	if (r == 0)
		r = rarog_stap_put_marks_at(w, address);
	return r < 0 ? r : rarog_str_add(w->text, "} }\n");
}

static int put_asked(const struct rarog_stap_writer *w)
{
	const struct rarog_marks *marks = &w->module->marks;
	int r = 0;

	for (size_t i = 0; r == 0 && i < marks->v.n; i++) {
		uint64_t address = marks->v.v[i].address;

		if ((i > 0 && marks->v.v[i - 1].address == address) || noted_at(marks, address) ||
		    rarog_stap_function_at(w->module, address))
			continue;
		r = put_statement(w, address);
	}
	return r;
}

/* --- notes --- */

static bool is_same(const struct rarog_usdt *a, const struct rarog_usdt *b)
{
	return strcmp(a->name, b->name) == 0 && strcmp(a->provider, b->provider) == 0;
}

/* Is it by this note that its place is measured? Several may tell of one place. */
static bool is_way(const struct rarog_marks *marks, const struct rarog_usdts *notes, size_t i)
{
	uint64_t address = notes->v[i].address;
	const struct rarog_mark *mark = noted_at(marks, address);

	if (!mark || mark->semaphore != notes->v[i].semaphore)
		return false;
	while (i > 0 && notes->v[i - 1].address == address)
		if (notes->v[--i].semaphore == mark->semaphore)
			return false;
	return true;
}

static int put_places(const struct rarog_stap_writer *w, const struct rarog_usdts *notes,
		      size_t first)
{
	bool is_any = false;
	int r = 0;

	for (size_t i = first; r == 0 && i < notes->n; i++) {
		uint64_t address = notes->v[i].address;

		if (!is_same(&notes->v[i], &notes->v[first]) ||
		    !is_way(&w->module->marks, notes, i) ||
		    rarog_stap_function_at(w->module, address))
			continue;
		is_any = true;
		r = rarog_str_addf(w->text, "\tif (mark_at() == 0x%" PRIx64 ") {\n", address);
		if (r == 0)
			r = rarog_stap_put_marks_at(w, address);
		if (r == 0)
			r = rarog_str_add(w->text, "\t}\n");
	}
	/* It is there for its semaphore alone. */
	return r < 0 || is_any ? r : rarog_str_add(w->text, "\tnothing()\n");
}

static int put_note(const struct rarog_stap_writer *w, const struct rarog_usdts *notes,
		    size_t first)
{
	int r = rarog_str_addf(w->text, "probe %s.provider(", w->process);

	if (r == 0)
		r = rarog_stap_quote(w->text, notes->v[first].provider);
	if (r == 0)
		r = rarog_str_add(w->text, ").mark(");
	if (r == 0)
		r = rarog_stap_quote(w->text, notes->v[first].name);
	if (r == 0)
		r = rarog_str_add(w->text, ") ? { if ([pid()] in ours) {\n");
	if (r == 0)
		r = put_places(w, notes, first);
	return r < 0 ? r : rarog_str_add(w->text, "} }\n");
}

/* Is any place of the name of notes[@first], the first with it, measured by it? */
static bool is_needed(const struct rarog_stap_writer *w, const struct rarog_usdts *notes,
		      size_t first)
{
	for (size_t i = 0; i < first; i++)
		if (is_same(&notes->v[i], &notes->v[first]))
			return false;
	for (size_t i = first; i < notes->n; i++)
		if (is_same(&notes->v[i], &notes->v[first]) &&
		    is_way(&w->module->marks, notes, i) &&
		    (notes->v[i].semaphore ||
		     !rarog_stap_function_at(w->module, notes->v[i].address)))
			return true;
	return false;
}

static int put_noted(const struct rarog_stap_writer *w, const struct rarog_usdts *notes)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < notes->n; i++)
		if (is_needed(w, notes, i))
			r = put_note(w, notes, i);
	return r;
}

static int put_names(const struct rarog_stap_writer *w)
{
	const struct rarog_probed_module *m = w->module;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < m->marks.names.n; i++)
		if (!m->marks.names.v[i].reason)
			r = rarog_stap_put_comment(w->text, m->first + (uint32_t)m->n + i,
						   m->marks.names.v[i].text);
	return r;
}

int rarog_stap_put_marks(const struct rarog_stap_writer *w)
{
	struct rarog_usdts notes = { 0 };
	int r = put_names(w);

	if (r == 0 && w->module->marks.v.n > 0)
		r = rarog_usdts_read(w->module->binary, &notes);
	if (r == 0)
		r = put_noted(w, &notes);
	if (r == 0)
		r = put_asked(w);
	rarog_usdts_release(&notes);
	return r;
}
