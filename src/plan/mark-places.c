/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A mark that an author wrote stands on a nop that was put there for it. Here it may be any
 * instruction, so more has to be shown: that one begins there, and for a region that both lines are
 * in the same call of the same function (line-places.h, mark-site.h).
 */
#include "plan/mark-places.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "binary/instruction-start.h"
#include "binary/line-places.h"
#include "plan/call-places.h"
#include "plan/return-places.h"

#define NO_CODE   "has no code"
#define TWO_FILES "is a line of more than one file"
#define UNREAD    "is in a function that has other bytes than instructions"
#define NO_HEAD                                                                                    \
	"is a loop's head without code, and where its turns begin those of another may begin"
#define APART    "begins and ends in different functions"
#define INSIDE   "begins where it may have begun already, or not"
#define NO_PLACE "is in a function whose return address is not told for"

struct adding {
	struct rarog_binary *binary;
	struct rarog_marks *marks;
	struct rarog_code_graphs *graphs; /* NULL: not needed yet */
	struct rarog_source_lines lines;
	struct rarog_instruction_starts starts;
	const char *file; /* whose these are; NULL: none */
};

static void release(struct adding *a)
{
	rarog_code_graphs_free(a->graphs);
	rarog_source_lines_release(&a->lines);
	rarog_instruction_starts_release(&a->starts);
}

static int read_lines(struct adding *a, const char *file)
{
	if (a->file && strcmp(a->file, file) == 0)
		return 0;
	rarog_source_lines_release(&a->lines);
	a->file = file;
	return rarog_source_lines_read(a->binary, file, &a->lines);
}

/* -ENOTSUP, -EDOM: not to be told. */
static int find_places(struct adding *a, int line, struct rarog_line_places *ret_places)
{
	int r = a->graphs ? 0 : rarog_code_graphs_new(a->binary, &a->graphs);

	*ret_places = (struct rarog_line_places){ 0 };
	return r < 0 ? r : rarog_line_places_find(a->graphs, &a->lines, line, ret_places);
}

/* --- names and marks --- */

static int add_name(struct adding *a, const struct rarog_place_request *request, const char *reason,
		    char *take_hint)
{
	struct rarog_mark_name name = {
		.text = strdup(request->text),
		.every = request->every,
		.is_asked = true,
		.is_region = request->last > 0,
		.reason = reason,
		.hint = take_hint,
		.file = request->file ? a->lines.path : NULL,
		.line = request->file ? (int)request->first : 0,
		.last_line = request->file ? (int)request->last : 0,
	};

	if (name.text && rarog_vec_push(&a->marks->names, name) == 0)
		return 0;
	free(name.text);
	free(take_hint);
	return rarog_oom();
}

static int refuse(struct adding *a, const struct rarog_place_request *request, const char *reason)
{
	return add_name(a, request, reason, NULL);
}

static int add_mark(struct adding *a, uint64_t address, enum rarog_mark_action action)
{
	struct rarog_mark mark = {
		.address = address,
		.name = (uint32_t)a->marks->names.n - 1,
		.action = (uint8_t)action,
	};
	struct rarog_mark_name *name = &a->marks->names.v[mark.name];

	if (name->address == 0 || (action != RAROG_MARK_STOP && address < name->address))
		name->address = address;
	return rarog_vec_push(&a->marks->v, mark) < 0 ? rarog_oom() : 0;
}

static int add_marks(struct adding *a, const struct rarog_line_places *places,
		     enum rarog_mark_action action)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < places->v.n; i++)
		r = add_mark(a, places->v.v[i].address, action);
	return r;
}

/* --- regions: both ends are in the same functions --- */

/* Of each place the function whose frame it has; NULL: no memory. */
static long *hosts_of(const struct adding *a, const struct rarog_line_places *places)
{
	long *hosts = calloc(places->v.n + 1, sizeof(*hosts));

	for (size_t i = 0; hosts && i < places->v.n; i++)
		hosts[i] = rarog_binary_host(a->binary, places->v.v[i].function);
	return hosts;
}

static bool are_all_in(size_t n, const long hosts[n], size_t n_others, const long others[n_others])
{
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < n_others && others[k] != hosts[i])
			k++;
		if (k == n_others)
			return false;
	}
	return true;
}

/* 1: they are, 0: they are not. */
static int are_in_same(const struct adding *a, const struct rarog_line_places *begins,
		       const struct rarog_line_places *ends)
{
	rarog_cleanup(rarog_freep) long *first = hosts_of(a, begins);
	rarog_cleanup(rarog_freep) long *last = hosts_of(a, ends);

	if (!first || !last)
		return rarog_oom();
	return are_all_in(begins->v.n, first, ends->v.n, last) &&
	       are_all_in(ends->v.n, last, begins->v.n, first);
}

static bool have_frames(const struct adding *a, const struct rarog_line_places *places)
{
	for (size_t i = 0; i < places->v.n; i++)
		if (rarog_mark_return_place(a->binary, places->v.v[i].address).from ==
		    RAROG_RETURN_UNKNOWN)
			return false;
	return true;
}

/* NULL: the pair is a region. */
static int judge_pair(struct adding *a, struct rarog_line_places *begins,
		      const struct rarog_line_places *ends, const char **ret_reason)
{
	int r = are_in_same(a, begins, ends);

	*ret_reason = NULL;
	if (r < 0)
		return r;
	if (r == 0)
		*ret_reason = APART;
	else if (!have_frames(a, begins) || !have_frames(a, ends))
		*ret_reason = NO_PLACE;
	if (*ret_reason)
		return 0;
	r = rarog_line_places_pair(a->graphs, begins, ends);
	if (r == -ENOTSUP)
		*ret_reason = INSIDE;
	return r == -ENOTSUP ? 0 : r;
}

/* --- lines --- */

static int refuse_two_files(struct adding *a, const struct rarog_place_request *request)
{
	char *hint = rarog_asprintf("%s and %s", a->lines.path, a->lines.other);

	return hint ? add_name(a, request, TWO_FILES, hint) : rarog_oom();
}

/* What is meant may be the line before or after it, but that is not ours to say. */
static char *hint_of_empty(const struct adding *a, int line)
{
	int next = rarog_source_lines_next(&a->lines, line + 1, false);

	if (next)
		return rarog_asprintf("the next line that has some is %d", next);
	next = rarog_source_lines_next(&a->lines, line - 1, true);
	return next ? rarog_asprintf("the last line that has some is %d", next)
		    : rarog_asprintf("no line of %s has some", a->lines.path);
}

static int refuse_empty(struct adding *a, const struct rarog_place_request *request, uint64_t line)
{
	char *hint = hint_of_empty(a, (int)line);

	return hint ? add_name(a, request, NO_CODE, hint) : rarog_oom();
}

static int add_region(struct adding *a, const struct rarog_place_request *request,
		      struct rarog_line_places *begins, const struct rarog_line_places *ends)
{
	const char *reason;
	int r = judge_pair(a, begins, ends, &reason);

	if (r < 0 || reason)
		return r < 0 ? r : refuse(a, request, reason);
	r = add_name(a, request, NULL, NULL);
	if (r == 0)
		r = add_marks(a, begins, RAROG_MARK_BEGIN);
	return r < 0 ? r : add_marks(a, ends, RAROG_MARK_STOP);
}

static bool are_optimized(const struct adding *a, const struct rarog_line_places *places)
{
	const struct rarog_function *functions;

	rarog_binary_functions(a->binary, &functions);
	for (size_t i = 0; i < places->v.n; i++) {
		long host = rarog_binary_host(a->binary, places->v.v[i].function);

		if (rarog_source_lines_optimized(&a->lines, &functions[host]))
			return true;
	}
	return false;
}

static int add_point(struct adding *a, const struct rarog_place_request *request,
		     const struct rarog_line_places *places)
{
	int r = add_name(a, request, NULL, NULL);

	return r < 0 ? r : add_marks(a, places, RAROG_MARK_POINT);
}

static int add_lines(struct adding *a, const struct rarog_place_request *request)
{
	rarog_cleanup(rarog_line_places_release) struct rarog_line_places first = { 0 };
	rarog_cleanup(rarog_line_places_release) struct rarog_line_places last = { 0 };
	int r = find_places(a, (int)request->first, &first);

	if (r == 0 && request->last)
		r = find_places(a, (int)request->last, &last);
	if (r == -ENOTSUP || r == -EDOM)
		return refuse(a, request, r == -EDOM ? NO_HEAD : UNREAD);
	if (r < 0)
		return r;
	if (first.v.n == 0)
		return refuse_empty(a, request, request->first);
	if (request->last && last.v.n == 0)
		return refuse_empty(a, request, request->last);
	if (request->last)
		return add_region(a, request, &first, &last);
	r = add_point(a, request, &first);
	if (r == 0)
		a->marks->names.v[a->marks->names.n - 1].is_optimized = are_optimized(a, &first);
	return r;
}

static int add_file(struct adding *a, struct rarog_place_request *request)
{
	int r = read_lines(a, request->file);

	if (r < 0 || !a->lines.path)
		return r;
	request->is_found = true;
	return a->lines.other ? refuse_two_files(a, request) : add_lines(a, request);
}

/* --- addresses --- */

static struct rarog_line_place place_at(const struct adding *a, uint64_t address)
{
	long function = rarog_binary_find(a->binary, address);

	return (struct rarog_line_place){ .address = address,
					  .function = function < 0 ? 0 : (uint32_t)function };
}

static int add_pair(struct adding *a, const struct rarog_place_request *request)
{
	struct rarog_line_place ends[] = { place_at(a, request->first),
					   place_at(a, request->last) };
	struct rarog_line_places begin = { .v = { &ends[0], 1, 1 } };
	const struct rarog_line_places end = { .v = { &ends[1], 1, 1 } };

	return add_region(a, request, &begin, &end);
}

static int add_address(struct adding *a, struct rarog_place_request *request)
{
	struct rarog_line_place place = place_at(a, request->first);
	const struct rarog_line_places places = { .v = { &place, 1, 1 } };
	int r;

	if (rarog_binary_find(a->binary, request->first) < 0)
		return 0;
	request->is_found = true;
	r = rarog_instruction_starts_at(&a->starts, a->binary, request->first);
	if (r > 0 && request->last)
		r = rarog_instruction_starts_at(&a->starts, a->binary, request->last);
	if (r < 0)
		return r;
	if (r == 0)
		return refuse(a, request, rarog_mark_reason(RAROG_MARK_MIDDLE));
	return request->last ? add_pair(a, request) : add_point(a, request, &places);
}

static int add_request(struct adding *a, struct rarog_place_request *request)
{
	if (request->is_return)
		return rarog_return_places_add(a->binary, request, a->marks);
	if (rarog_place_request_is_call(request)) /* all of them together: call-places.h */
		return 0;
	return request->file ? add_file(a, request) : add_address(a, request);
}

/* --- the code there --- */

static int judge(struct adding *a, size_t n, struct rarog_mark marks[n])
{
	rarog_cleanup(rarog_freep) uint64_t *addresses = calloc(n + 1, sizeof(*addresses));
	rarog_cleanup(rarog_freep) struct rarog_mark_site *sites = calloc(n + 1, sizeof(*sites));
	int r;

	if (!addresses || !sites)
		return rarog_oom();
	for (size_t i = 0; i < n; i++)
		addresses[i] = marks[i].address;
	r = n > 0 ? rarog_mark_sites(a->binary, n, addresses, sites) : 0;
	for (size_t i = 0; r == 0 && i < n; i++) {
		int starts = rarog_instruction_starts_at(&a->starts, a->binary, addresses[i]);

		marks[i].site = sites[i];
		if (starts < 0)
			r = starts;
		else if (starts == 0)
			marks[i].site.verdict = RAROG_MARK_MIDDLE;
		else if (sites[i].verdict == RAROG_MARK_OK && !sites[i].has_frame)
			marks[i].site.verdict = RAROG_MARK_STACK;
	}
	return r;
}

int rarog_mark_places_add(struct rarog_binary *binary, const char *path, struct rarog_plan *plan,
			  struct rarog_marks *marks)
{
	rarog_cleanup(release) struct adding a = { .binary = binary, .marks = marks };
	size_t n = marks->v.n;
	int r = 0;

	for (size_t i = 0; r == 0 && i < plan->places.list.n; i++) {
		struct rarog_place_request *request = &plan->places.list.v[i];

		if (rarog_place_request_is_in(request, path))
			r = add_request(&a, request);
	}
	if (r == 0)
		r = rarog_call_places_add(binary, path, &plan->places, marks);
	if (r == 0)
		r = judge(&a, marks->v.n - n, marks->v.v + n);
	if (r == 0)
		rarog_call_places_settle(marks);
	return r;
}

/* --- what else there is --- */

#define NEAR 8 /* lines that are tried, before and after it */

struct near {
	struct adding adding;
	bool (*is_possible)(const void *context, const struct rarog_mark *mark);
	const void *context;
	size_t n_before, n; /* of the lines: before it, all */
	int lines[2 * NEAR];
	bool are_possible[2 * NEAR];
	RAROG_VEC(struct rarog_mark) marks; /* name: whose of the lines */
};

/* That of the line with number @i. */
static int add_near_marks(struct near *n, uint32_t i)
{
	rarog_cleanup(rarog_line_places_release) struct rarog_line_places places = { 0 };
	int r = find_places(&n->adding, n->lines[i], &places);

	if (r < 0)
		return r == -ENOTSUP || r == -EDOM ? 0 : r;
	n->are_possible[i] = places.v.n > 0;
	for (size_t k = 0; r == 0 && k < places.v.n; k++)
		r = rarog_vec_push(&n->marks, (struct rarog_mark){ .address = places.v.v[k].address,
								   .name = i });
	return r < 0 ? rarog_oom() : 0;
}

/* The nearest come first. */
static int add_near_lines(struct near *n, int line, bool backwards)
{
	int r = 0;

	for (int i = 0; r == 0 && i < NEAR; i++) {
		line = rarog_source_lines_next(&n->adding.lines, backwards ? line - 1 : line + 1,
					       backwards);
		if (line == 0)
			break;
		n->lines[n->n++] = line;
		r = add_near_marks(n, (uint32_t)n->n - 1);
	}
	return r;
}

/* All at once: to look at a place, all code of the binary is looked at first. */
static int judge_near(struct near *n, int line)
{
	int r;

	n->n = n->marks.n = 0;
	r = add_near_lines(n, line, true);
	n->n_before = n->n;
	if (r == 0)
		r = add_near_lines(n, line, false);
	if (r == 0)
		r = judge(&n->adding, n->marks.n, n->marks.v);
	for (size_t i = 0; r == 0 && i < n->marks.n; i++)
		n->are_possible[n->marks.v[i].name] &= n->is_possible(n->context, &n->marks.v[i]);
	return r;
}

/* 0: none of those that were tried. */
static int first_possible(const struct near *n, size_t from, size_t end)
{
	while (from < end && !n->are_possible[from])
		from++;
	return from < end ? n->lines[from] : 0;
}

static int hint(struct near *n, struct rarog_mark_name *name)
{
	int line = name->is_end_refused ? name->last_line : name->line;
	int r = read_lines(&n->adding, name->file), before, behind;

	if (r == 0)
		r = judge_near(n, line);
	if (r < 0)
		return r;
	before = first_possible(n, 0, n->n_before);
	behind = first_possible(n, n->n_before, n->n);
	if (before && behind)
		name->hint = rarog_asprintf("lines %d and %d can be", before, behind);
	else if (before || behind)
		name->hint = rarog_asprintf("line %d can be", before ? before : behind);
	else
		name->hint = strdup("no line near it can be");
	return name->hint ? 0 : rarog_oom();
}

int rarog_mark_places_hint(struct rarog_binary *binary, struct rarog_marks *marks,
			   bool (*is_possible)(const void *context, const struct rarog_mark *mark),
			   const void *context)
{
	struct near n = { .adding = { .binary = binary, .marks = marks },
			  .is_possible = is_possible,
			  .context = context };
	int r = 0;

	for (size_t i = 0; r == 0 && i < marks->names.n; i++) {
		struct rarog_mark_name *name = &marks->names.v[i];

		if (name->is_asked && name->reason && name->refused_at && name->file)
			r = hint(&n, name);
	}
	rarog_vec_release(&n.marks);
	release(&n.adding);
	return r;
}
