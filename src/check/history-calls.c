/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/history-calls.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "profile/measured.h"

#define HASH_NONFATAL_OOM            1
#define uthash_nonfatal_oom(element) (void)(element)
#include <uthash.h>

struct rarog_call_index {
	struct rarog_history_call call;
	UT_hash_handle hh;
};

struct rarog_function_index {
	uint64_t name;
	RAROG_VEC(struct rarog_function_index *) callers;
	bool was_untimed; /* in any version */
	/* in the profile that is looked at */
	bool is_untimed;
	uint64_t set, reached; /* by the walk up from this one */
	UT_hash_handle hh;
};

void rarog_history_calls_release(struct rarog_history_calls *calls)
{
	struct rarog_call_index *pair, *next_pair;
	struct rarog_function_index *function, *next;

	HASH_ITER(hh, calls->pairs, pair, next_pair)
	{
		HASH_DEL(calls->pairs, pair);
		free(pair);
	}
	HASH_ITER(hh, calls->functions, function, next)
	{
		HASH_DEL(calls->functions, function);
		rarog_vec_release(&function->callers);
		free(function);
	}
	rarog_vec_release(&calls->list);
	rarog_vec_release(&calls->untimed);
	*calls = (struct rarog_history_calls){ 0 };
}

static struct rarog_function_index *find(struct rarog_history_calls *calls, uint64_t name)
{
	struct rarog_function_index *found;

	HASH_FIND(hh, calls->functions, &name, sizeof(name), found);
	return found;
}

/* NULL: no memory. */
static struct rarog_function_index *obtain(struct rarog_history_calls *calls, uint64_t name)
{
	struct rarog_function_index *function = find(calls, name);

	if (function)
		return function;
	function = calloc(1, sizeof(*function));
	if (!function)
		return NULL;
	function->name = name;
	HASH_ADD(hh, calls->functions, name, sizeof(name), function);
	if (!function->hh.tbl) {
		free(function);
		return NULL;
	}
	return function;
}

static bool is_new(const struct rarog_history_calls *calls, const struct rarog_history_call *call)
{
	struct rarog_call_index *pair;

	/* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): uthash reads bytes */
	HASH_FIND(hh, calls->pairs, call, sizeof(*call), pair);
	return !pair;
}

static int add_pair(struct rarog_history_calls *calls, const struct rarog_history_call *call)
{
	struct rarog_call_index *pair = calloc(1, sizeof(*pair));

	if (!pair)
		return rarog_oom();
	pair->call = *call;
	HASH_ADD(hh, calls->pairs, call, sizeof(*call), pair);
	if (!pair->hh.tbl) {
		free(pair);
		return rarog_oom();
	}
	return rarog_vec_push(&calls->list, *call) < 0 ? rarog_oom() : 0;
}

int rarog_history_calls_add(struct rarog_history_calls *calls,
			    const struct rarog_history_call *call)
{
	struct rarog_function_index *caller, *callee;
	bool was_known;

	if (!is_new(calls, call))
		return 0;
	was_known = find(calls, call->caller);
	caller = obtain(calls, call->caller);
	callee = obtain(calls, call->callee);
	if (!caller || !callee || rarog_vec_push(&callee->callers, caller) < 0)
		return rarog_oom();
	calls->is_stale |= was_known && callee->was_untimed;
	return add_pair(calls, call);
}

int rarog_history_calls_add_untimed(struct rarog_history_calls *calls, uint64_t function)
{
	struct rarog_function_index *found = obtain(calls, function);

	if (!found)
		return rarog_oom();
	if (found->was_untimed)
		return 0;
	found->was_untimed = true;
	return rarog_vec_push(&calls->untimed, function) < 0 ? rarog_oom() : 0;
}

/* --- one profile --- */

struct look {
	struct rarog_history_calls *calls;
	const struct rarog_location *locations;
	const struct rarog_node *nodes;
	long n, n_nodes;
	uint64_t *names; /* by location; 0: no function with a name */
	struct rarog_measured_table measured;
	RAROG_VEC(struct rarog_function_index *) untimed, stack;
};

static void look_release(struct look *look)
{
	free(look->names);
	rarog_measured_table_release(&look->measured);
	rarog_vec_release(&look->untimed);
	rarog_vec_release(&look->stack);
}

static uint64_t name_of(const struct rarog_location *location)
{
	const char *name = location->name;

	return name && *name && location->kind == RAROG_LOCATION_FUNCTION
		       ? XXH3_64bits(name, strlen(name))
		       : 0;
}

static int look_init(struct rarog_profile *profile, struct look *look)
{
	int r;

	look->n = rarog_profile_locations(profile, &look->locations);
	look->n_nodes = rarog_profile_nodes(profile, &look->nodes);
	r = rarog_measured_table_load(profile, &look->measured);
	if (look->n < 0 || look->n_nodes < 0)
		return (int)(look->n < 0 ? look->n : look->n_nodes);
	look->names = calloc((size_t)look->n + 1, sizeof(*look->names));
	if (!look->names)
		return rarog_oom();
	for (long i = 0; i < look->n; i++)
		look->names[i] = name_of(&look->locations[i]);
	return r;
}

static uint64_t name_at(const struct look *look, uint32_t location)
{
	return (long)location < look->n ? look->names[location] : 0;
}

static int learn_calls(const struct look *look)
{
	int r = 0;

	for (long i = 1; r == 0 && i < look->n_nodes; i++) {
		uint32_t parent = look->nodes[i].parent;
		const struct rarog_history_call call = {
			(long)parent < look->n_nodes ? name_at(look, look->nodes[parent].location)
						     : 0,
			name_at(look, look->nodes[i].location)
		};

		if (call.caller && call.callee)
			r = rarog_history_calls_add(look->calls, &call);
	}
	return r;
}

static int learn_untimed(struct look *look)
{
	int r = 0;

	for (long i = 0; r == 0 && i < look->n; i++) {
		struct rarog_function_index *function;

		if (!look->names[i] || rarog_how_is_timed(look->measured.how[i]))
			continue;
		r = rarog_history_calls_add_untimed(look->calls, look->names[i]);
		function = r == 0 ? find(look->calls, look->names[i]) : NULL;
		if (!function || function->is_untimed) /* several of a name count as one */
			continue;
		function->is_untimed = true;
		r = rarog_vec_push(&look->untimed, function) < 0 ? rarog_oom() : 0;
	}
	return r;
}

/* Up from @untimed, through others that have no times, to those whose times contain it. */
static int walk_up(struct look *look, struct rarog_function_index *untimed)
{
	int r = rarog_vec_push(&look->stack, untimed);

	while (r >= 0 && look->stack.n > 0) {
		struct rarog_function_index *at = look->stack.v[--look->stack.n];

		for (size_t i = 0; r >= 0 && i < at->callers.n; i++) {
			struct rarog_function_index *caller = at->callers.v[i];

			if (caller->reached == untimed->name)
				continue;
			caller->reached = untimed->name;
			caller->set += untimed->name;
			if (caller->is_untimed)
				r = rarog_vec_push(&look->stack, caller);
		}
	}
	return r < 0 ? rarog_oom() : 0;
}

static void forget(const struct look *look)
{
	struct rarog_function_index *function, *next;

	HASH_ITER(hh, look->calls->functions, function, next)
	{
		function->is_untimed = false;
		function->set = function->reached = 0;
	}
}

static int find_sets(struct look *look, uint64_t sets[])
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < look->untimed.n; i++)
		r = walk_up(look, look->untimed.v[i]);
	for (long i = 0; r == 0 && i < look->n; i++) {
		const struct rarog_function_index *function =
			look->names[i] ? find(look->calls, look->names[i]) : NULL;

		sets[i] = function ? function->set : 0;
	}
	if (look->untimed.n > 0)
		forget(look);
	return r;
}

static int set_all(struct rarog_profile *profile, long n, uint64_t sets[])
{
	uint64_t set;
	int r = rarog_untimed_set(profile, &set);

	for (long i = 0; r == 0 && i < n; i++)
		sets[i] = set;
	return r;
}

int rarog_history_calls_sets(struct rarog_history_calls *calls, struct rarog_profile *profile,
			     uint64_t **ret_sets)
{
	rarog_cleanup(look_release) struct look look = { .calls = calls };
	int r = look_init(profile, &look);

	*ret_sets = calloc((size_t)(look.n > 0 ? look.n : 0) + 1, sizeof(**ret_sets));
	if (r == 0 && !*ret_sets)
		r = rarog_oom();
	if (r < 0)
		return r;
	if (look.n_nodes <= 1)
		return set_all(profile, look.n, *ret_sets);
	r = learn_calls(&look);
	if (r == 0)
		r = learn_untimed(&look);
	return r < 0 ? r : find_sets(&look, *ret_sets);
}
