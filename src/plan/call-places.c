/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which instructions call is told by the call graph. A call is a region of its caller: it begins at
 * the CALL and ends where that returns to. So the callee may be anywhere, also in a library, and be
 * measured itself or not; whatever leaves the caller's frame ends the region, as any other.
 *
 * Code may come to where a call returns without the call: an end alone means nothing.
 *
 * A call that an exception or longjmp leaves, and that the caller catches itself, has ended where
 * control is back in the caller: at the call's landing pad, and after a setjmp.
 */
#include "plan/call-places.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "binary/call-fold.h"
#include "binary/call-graph.h"
#include "binary/flow-calls.h"
#include "binary/instruction.h"
#include "binary/landing-pads.h"
#include "binary/source-lines.h"
#include "plan/function-match.h"

#define IS_JUMP  "one of these calls is a jump, which does not come back"
#define NO_FRAME "it is not told where the caller's return address is"
#define NO_END   "no jump can be written after one of these calls"

struct search {
	struct rarog_binary *binary;
	struct rarog_place_request *request;
	struct rarog_marks *marks;
	struct rarog_call_graph graph;
	bool *are_callees, *are_callers; /* [graph.callees.n]: the request means them */
	size_t first;                    /* of the marks of this request */
};

static void release(struct search *s)
{
	rarog_call_graph_release(&s->graph);
	free(s->are_callees);
	free(s->are_callers);
}

/* --- which functions are meant --- */

static bool is_meant(const struct search *s, struct rarog_match *match,
		     const struct rarog_callee *callee)
{
	const struct rarog_function *functions;
	long i = callee->kind == RAROG_CALLEE_FUNCTION
			 ? rarog_binary_find(s->binary, callee->address)
			 : -1;
	rarog_cleanup(rarog_freep) char *demangled = NULL;
	const char *names[] = { callee->name, NULL };

	if (callee->kind == RAROG_CALLEE_POINTER)
		return false;
	rarog_binary_functions(s->binary, &functions);
	if (i >= 0 && functions[i].address == callee->address &&
	    rarog_function_matches(match, &functions[i]))
		return true; /* else: its first clone, whose origin's name it has */
	demangled = rarog_demangle(callee->name);
	names[1] = demangled;
	return rarog_match_test(match, RAROG_COUNT(names), names);
}

static void ask(const struct search *s)
{
	rarog_functions_settle(&s->request->callee, s->binary);
	rarog_functions_settle(&s->request->caller, s->binary);
	for (size_t i = 0; i < s->graph.callees.n; i++) {
		s->are_callees[i] = is_meant(s, &s->request->callee, &s->graph.callees.v[i]);
		s->are_callers[i] = is_meant(s, &s->request->caller, &s->graph.callees.v[i]);
	}
}

/* --- names and marks --- */

static struct rarog_mark_name *last_name(const struct search *s)
{
	return &s->marks->names.v[s->marks->names.n - 1];
}

static int add_name(struct search *s, const struct rarog_call_edge *edge)
{
	const struct rarog_callee *callees = s->graph.callees.v;
	struct rarog_mark_name name = {
		.every = s->request->every,
		.is_asked = true,
		.is_region = true,
		.is_call = true,
	};

	name.text = s->request->file ? strdup(s->request->text)
				     : rarog_asprintf("%s@%s", callees[edge->to].name,
						      callees[edge->from].name);
	if (name.text && rarog_vec_push(&s->marks->names, name) == 0)
		return 0;
	free(name.text);
	return rarog_oom();
}

static int add_mark(struct search *s, uint64_t address, enum rarog_mark_action action)
{
	const struct rarog_mark mark = {
		.address = address,
		.name = (uint32_t)s->marks->names.n - 1,
		.action = (uint8_t)action,
	};

	return rarog_vec_push(&s->marks->v, mark) < 0 ? rarog_oom() : 0;
}

static bool decode(const struct search *s, uint64_t address, struct rarog_instruction *ret)
{
	size_t n = RAROG_INSTRUCTION_MAX;
	const uint8_t *code;

	do /* near the segment's end there are fewer */
		code = rarog_binary_bytes(s->binary, address, n);
	while (!code && --n > 0);
	return code && rarog_instruction_decode(n, code, address, ret);
}

/* How long the CALL there is; 0: it is a jump. */
static uint8_t length_of_call(const struct search *s, uint64_t address)
{
	struct rarog_instruction in;

	if (!decode(s, address, &in) ||
	    (in.flow != RAROG_FLOW_CALL && in.flow != RAROG_FLOW_INDIRECT_CALL))
		return 0;
	return in.length;
}

#define JUMPS_MOST 4

/* clang makes landing pads that only jump, two bytes one after another: no probe fits there. What
 * else comes to where they jump to is in no call either. */
static uint64_t after_jumps(const struct search *s, uint64_t address)
{
	struct rarog_instruction in;

	for (int i = 0; i < JUMPS_MOST && decode(s, address, &in) && in.flow == RAROG_FLOW_JUMP;
	     i++)
		address = in.target;
	return address;
}

/* What does not return has nothing after it: it ends with the caller's frame. */
static bool returns(const struct search *s, const struct rarog_call_edge *edge)
{
	return !(s->graph.callees.v[edge->to].flags & RAROG_CALLEE_NEVER);
}

/* Once of a name: calls may have a landing pad in common. */
static int add_left(struct search *s, uint64_t address)
{
	uint32_t name = (uint32_t)s->marks->names.n - 1;

	for (size_t i = s->marks->v.n; i > s->first && s->marks->v.v[i - 1].name == name; i--)
		if (s->marks->v.v[i - 1].address == address &&
		    s->marks->v.v[i - 1].action == RAROG_MARK_LEFT)
			return 0;
	return add_mark(s, address, RAROG_MARK_LEFT);
}

static int add_call(struct search *s, const struct rarog_call_edge *edge, uint64_t address)
{
	uint8_t length = length_of_call(s, address);
	uint64_t pad = length > 0 ? rarog_landing_pad(s->binary, address) : 0;
	struct rarog_mark_name *name = last_name(s);
	int r = add_mark(s, address, RAROG_MARK_BEGIN);

	if (name->address == 0 || address < name->address)
		name->address = address;
	if (length == 0)
		name->counted = IS_JUMP;
	if (r == 0 && length > 0 && returns(s, edge))
		r = add_mark(s, address + length, RAROG_MARK_STOP);
	return r == 0 && pad ? add_left(s, after_jumps(s, pad)) : r;
}

/* Where longjmp comes back to @caller. */
static int add_jumps_back(struct search *s, uint32_t caller)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < s->graph.edges.n; i++) {
		const struct rarog_call_edge *edge = &s->graph.edges.v[i];
		const uint64_t *sites = s->graph.sites.v + edge->first_site;

		if (edge->from != caller ||
		    rarog_call_end(s->graph.callees.v[edge->to].name) != RAROG_CALL_TWICE)
			continue;
		for (uint32_t k = 0; r == 0 && k < edge->n_sites; k++) {
			uint8_t length = length_of_call(s, sites[k]);

			r = length > 0 ? add_left(s, sites[k] + length) : 0;
		}
	}
	return r;
}

static bool is_on_line(const struct search *s, uint64_t address)
{
	struct rarog_source source;

	return !s->request->file || (rarog_binary_source(s->binary, address, &source) == 0 &&
				     source.file && (uint64_t)source.line == s->request->first &&
				     rarog_source_is_called(source.file, s->request->file));
}

/* Calls that compilers made for others to look at, and unwinders: nobody may be in between. */
static bool is_special(const struct search *s, uint32_t callee)
{
	const struct rarog_function function = { .name = s->graph.callees.v[callee].name };

	return rarog_function_is_special(&function);
}

static bool is_wanted(const struct search *s, const struct rarog_call_edge *edge)
{
	return (edge->kind == RAROG_CALL_DIRECT || edge->kind == RAROG_CALL_TAIL ||
		edge->kind == RAROG_CALL_LINKED) &&
	       s->are_callees[edge->to] && s->are_callers[edge->from] && !is_special(s, edge->to) &&
	       !is_special(s, edge->from);
}

/* Edges of a pair are together; a line's calls have one name. */
static bool has_name(const struct search *s, const struct rarog_call_edge *edge,
		     const struct rarog_call_edge *former)
{
	return s->marks->v.n > s->first &&
	       (s->request->file ||
		(former && former->from == edge->from && former->to == edge->to));
}

static int add_edge(struct search *s, const struct rarog_call_edge *edge,
		    const struct rarog_call_edge **former)
{
	const uint64_t *sites = s->graph.sites.v + edge->first_site;
	size_t before = s->marks->v.n;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < edge->n_sites; i++) {
		if (!is_on_line(s, sites[i]))
			continue;
		if (!has_name(s, edge, *former))
			r = add_name(s, edge);
		*former = edge;
		if (r == 0)
			r = add_call(s, edge, sites[i]);
	}
	return r == 0 && s->marks->v.n > before ? add_jumps_back(s, edge->from) : r;
}

static int add_request(struct search *s, struct rarog_place_request *request)
{
	const struct rarog_call_edge *former = NULL;
	int r = 0;

	s->request = request;
	s->first = s->marks->v.n;
	ask(s);
	for (size_t i = 0; r == 0 && i < s->graph.edges.n; i++)
		if (is_wanted(s, &s->graph.edges.v[i]))
			r = add_edge(s, &s->graph.edges.v[i], &former);
	request->is_found |= s->marks->v.n > s->first;
	return r;
}

/* --- which code is read --- */

static bool is_clone_of(struct rarog_match *match, const struct rarog_function *function)
{
	size_t n = rarog_call_fold_name(function);
	rarog_cleanup(rarog_freep) char *origin =
		function->name[n] ? strndup(function->name, n) : NULL;
	rarog_cleanup(rarog_freep) char *demangled = origin ? rarog_demangle(origin) : NULL;
	const char *names[] = { origin, demangled };

	return origin && rarog_match_test(match, RAROG_COUNT(names), names);
}

static bool has_caller(const struct search *s, struct rarog_match *caller)
{
	const struct rarog_function *functions;
	size_t n = rarog_binary_functions(s->binary, &functions);

	rarog_functions_settle(caller, s->binary);
	for (size_t i = 0; i < n; i++)
		if (rarog_function_matches(caller, &functions[i]) ||
		    is_clone_of(caller, &functions[i]))
			return true;
	return false;
}

/* Of the libraries of a program few have it. 1, 0; -ENOMEM. */
static int may_have(const struct search *s, struct rarog_place_request *request)
{
	rarog_cleanup(rarog_source_lines_release) struct rarog_source_lines lines = { 0 };
	int r;

	if (!request->file)
		return has_caller(s, &request->caller);
	r = rarog_source_lines_read(s->binary, request->file, &lines);
	return r < 0 ? r : lines.path != NULL;
}

/* Reading all code takes time. */
static int need_graph(struct search *s, const char *path)
{
	const struct rarog_call_options options = { 0 };
	int r;

	if (s->are_callees)
		return 0;
	rarog_debug(RAROG_LOG_SITE, "%s: all its calls are read", path);
	r = rarog_call_graph_read(1, &s->binary, &options, &s->graph);
	if (r < 0)
		return r;
	s->are_callees = calloc(s->graph.callees.n + 1, sizeof(*s->are_callees));
	s->are_callers = calloc(s->graph.callees.n + 1, sizeof(*s->are_callers));
	return s->are_callees && s->are_callers ? 0 : rarog_oom();
}

int rarog_call_places_add(struct rarog_binary *binary, const char *path,
			  struct rarog_place_requests *requests, struct rarog_marks *marks)
{
	rarog_cleanup(release) struct search s = { .binary = binary, .marks = marks };
	int r = 0;

	for (size_t i = 0; r == 0 && i < requests->list.n; i++) {
		struct rarog_place_request *request = &requests->list.v[i];

		if (request->is_return || !rarog_place_request_is_call(request) ||
		    !rarog_place_request_is_in(request, path))
			continue;
		r = may_have(&s, request);
		if (r == 0)
			continue;
		if (r > 0)
			r = need_graph(&s, path);
		if (r == 0)
			r = add_request(&s, request);
	}
	return r;
}

/* --- regions or points --- */

static const char *reason_to_count(const struct rarog_mark *mark)
{
	if (mark->action == RAROG_MARK_LEFT)
		return NULL;
	if (mark->site.return_place.from == RAROG_RETURN_UNKNOWN)
		return NO_FRAME;
	return mark->action == RAROG_MARK_STOP && mark->site.verdict != RAROG_MARK_OK ? NO_END
										      : NULL;
}

static void count(struct rarog_marks *marks, struct rarog_mark_name *name)
{
	uint32_t number = (uint32_t)(name - marks->names.v);
	size_t n = 0;

	name->is_region = false;
	for (size_t i = 0; i < marks->v.n; i++) {
		struct rarog_mark mark = marks->v.v[i];

		if (mark.name == number && rarog_mark_ends(&mark))
			continue;
		if (mark.name == number)
			mark.action = RAROG_MARK_POINT;
		marks->v.v[n++] = mark;
	}
	marks->v.n = n;
}

/* Without the function's frame it is not known whose region it is. */
static bool is_lost(const struct rarog_mark *mark)
{
	return mark->action == RAROG_MARK_LEFT &&
	       mark->site.return_place.from == RAROG_RETURN_UNKNOWN;
}

static void drop_lost(struct rarog_marks *marks)
{
	size_t n = 0;

	for (size_t i = 0; i < marks->v.n; i++)
		if (is_lost(&marks->v.v[i]))
			marks->names.v[marks->v.v[i].name].is_left_open = true;
		else
			marks->v.v[n++] = marks->v.v[i];
	marks->v.n = n;
}

void rarog_call_places_settle(struct rarog_marks *marks)
{
	drop_lost(marks);
	for (size_t i = 0; i < marks->v.n; i++) {
		struct rarog_mark_name *name = &marks->names.v[marks->v.v[i].name];

		if (name->is_call && !name->counted)
			name->counted = reason_to_count(&marks->v.v[i]);
	}
	for (size_t i = 0; i < marks->names.n; i++)
		if (marks->names.v[i].counted)
			count(marks, &marks->names.v[i]);
}
