/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A function's cold part returns, too, or goes back into the function. */
#include "plan/return-places.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "binary/flow-tables.h"
#include "binary/instruction.h"
#include "plan/function-match.h"

struct search {
	struct rarog_binary *binary;
	struct rarog_marks *marks;
	const struct rarog_function *functions;
	size_t n;
	size_t host;                      /* whose returns they are */
	struct rarog_code_graphs *graphs; /* NULL: no function has asked yet */
	struct rarog_filled_words words;
};

#define NOT_CODE "has bytes that are no instructions"
#define BRANCH   "may return by a branch to another function"
#define POINTER  "may return by a jump through a pointer"

static int add_name(struct search *s, const struct rarog_place_request *request, uint64_t address,
		    const char *reason)
{
	struct rarog_mark_name name = {
		.text = rarog_asprintf("return@%s", s->functions[s->host].name),
		.every = request->every,
		.address = address,
		.is_asked = true,
		.is_return = true,
		.reason = reason,
	};

	if (name.text && rarog_vec_push(&s->marks->names, name) == 0)
		return 0;
	free(name.text);
	return rarog_oom();
}

static bool is_of_host(const struct search *s, uint64_t address)
{
	long i = rarog_binary_find(s->binary, address);

	return i >= 0 && rarog_binary_host(s->binary, (size_t)i) == (long)s->host;
}

static bool leaves(const struct search *s, const struct rarog_instruction *in)
{
	return in->flow == RAROG_FLOW_RETURN ||
	       (in->flow == RAROG_FLOW_JUMP && !is_of_host(s, in->target));
}

/* @ret_first: the name has none yet */
static int add_part(struct search *s, const struct rarog_place_request *request, size_t part,
		    bool *ret_first)
{
	const struct rarog_function *f = &s->functions[part];
	const uint8_t *code = rarog_binary_bytes(s->binary, f->address, f->size);
	struct rarog_instruction in;
	int r = 0;

	for (uint64_t at = 0; r == 0 && code && at < f->size; at += in.length) {
		struct rarog_mark mark = { .address = f->address + at, .action = RAROG_MARK_POINT };

		if (!rarog_instruction_decode(f->size - at, code + at, mark.address, &in))
			return 0;
		if (!leaves(s, &in))
			continue;
		if (*ret_first)
			r = add_name(s, request, mark.address, NULL);
		*ret_first = false;
		mark.name = (uint32_t)s->marks->names.n - 1;
		if (r == 0 && rarog_vec_push(&s->marks->v, mark) < 0)
			r = rarog_oom();
	}
	return r;
}

static int open_graphs(struct search *s)
{
	int r = s->graphs ? 0 : rarog_code_graphs_new(s->binary, &s->graphs);

	return r < 0 || s->words.binary ? r : rarog_filled_words_read(s->binary, &s->words);
}

/* Do all jumps through pointers of a function go through tables of its own? 1, 0, -errno. */
static int has_tables_only(struct search *s, size_t part)
{
	rarog_cleanup(rarog_code_graph_release) struct rarog_code_graph graph = { 0 };
	rarog_cleanup(rarog_flow_tables_release) struct rarog_flow_tables tables = { 0 };
	int r = open_graphs(s);

	if (r == 0)
		r = rarog_code_graphs_read(s->graphs, part, false, &graph);
	if (r == -ENOTSUP)
		return 0;
	if (r == 0)
		r = rarog_flow_tables_follow(s->graphs, &s->words, part, &graph, &tables);
	return r < 0 ? r : tables.n_unknown == 0;
}

/* *@reason: why not all ways out are seen; as it was: they are. */
static int judge_part(struct search *s, size_t part, const char **reason)
{
	const struct rarog_function *f = &s->functions[part];
	const uint8_t *code = rarog_binary_bytes(s->binary, f->address, f->size);
	struct rarog_instruction in;
	bool has_pointers = false;
	int r;

	for (uint64_t at = 0; code && at < f->size; at += in.length) {
		if (!rarog_instruction_decode(f->size - at, code + at, f->address + at, &in)) {
			*reason = NOT_CODE;
			return 0;
		}
		has_pointers |= in.flow == RAROG_FLOW_INDIRECT_JUMP;
		if (in.flow == RAROG_FLOW_INDIRECT_JUMP && in.memory_offset)
			*reason = POINTER;
		if (in.flow == RAROG_FLOW_BRANCH && !is_of_host(s, in.target))
			*reason = BRANCH;
	}
	r = has_pointers ? has_tables_only(s, part) : 1;
	if (r == 0)
		*reason = POINTER;
	return r < 0 ? r : 0;
}

static int add_function(struct search *s, const struct rarog_place_request *request)
{
	const char *reason = NULL;
	bool is_first = true;
	int r = 0;

	for (size_t i = 0; r == 0 && !reason && i < s->n; i++)
		if (rarog_binary_host(s->binary, i) == (long)s->host)
			r = judge_part(s, i, &reason);
	if (r < 0 || reason)
		return r < 0 ? r : add_name(s, request, s->functions[s->host].address, reason);
	for (size_t i = 0; r == 0 && i < s->n; i++)
		if (rarog_binary_host(s->binary, i) == (long)s->host)
			r = add_part(s, request, i, &is_first);
	return r;
}

int rarog_return_places_add(struct rarog_binary *binary, struct rarog_place_request *request,
			    struct rarog_marks *marks)
{
	struct search s = { .binary = binary, .marks = marks };
	size_t before = marks->names.n;
	int r = 0;

	s.n = rarog_binary_functions(binary, &s.functions);
	rarog_functions_settle(&request->callee, binary);
	for (s.host = 0; r == 0 && s.host < s.n; s.host++)
		if (!(s.functions[s.host].flags & RAROG_FUNCTION_COLD) &&
		    !rarog_function_is_special(&s.functions[s.host]) &&
		    rarog_function_matches(&request->callee, &s.functions[s.host]))
			r = add_function(&s, request);
	request->is_found |= marks->names.n > before;
	rarog_filled_words_release(&s.words);
	rarog_code_graphs_free(s.graphs);
	return r;
}
