/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blow/stacks-json.h"

#include <string.h>

#include "base/error.h"

static json_t *row_of(const struct rarog_thread_stack *stack)
{
	json_t *frames = json_array();

	for (size_t i = 0; i < stack->n; i++)
		json_array_append_new(frames, json_string(stack->frames[i]));
	return json_pack("{s:i, s:b, s:I, s:i, s:o}", "tid", (int)stack->tid, "runs",
			 (int)stack->runs, "call", (json_int_t)stack->call, "waits_for",
			 (int)stack->waits_for, "frames", frames);
}

json_t *rarog_blow_stacks_row(const struct rarog_thread_stacks *stacks)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < stacks->v.n; i++)
		json_array_append_new(rows, row_of(&stacks->v.v[i]));
	return rows;
}

static json_int_t integer(const json_t *row, const char *key)
{
	return json_integer_value(json_object_get(row, key));
}

int rarog_blow_stacks_take(const json_t *rows, struct rarog_thread_stacks *ret_stacks)
{
	size_t i, k;
	json_t *row, *frame;

	*ret_stacks = (struct rarog_thread_stacks){ 0 };
	json_array_foreach (rows, i, row) {
		struct rarog_thread_stack stack = {
			.tid = (pid_t)integer(row, "tid"),
			.runs = json_is_true(json_object_get(row, "runs")),
			.call = (long)integer(row, "call"),
			.waits_for = (pid_t)integer(row, "waits_for"),
		};

		if (rarog_vec_push(&ret_stacks->v, stack) < 0)
			return rarog_oom();
		json_array_foreach (json_object_get(row, "frames"), k, frame) {
			struct rarog_thread_stack *last = &ret_stacks->v.v[i];
			const char *name = json_string_value(frame);

			if (k < RAROG_STACK_FRAMES && name && last->n == k)
				last->frames[k] = strdup(name);
			last->n += k < RAROG_STACK_FRAMES && last->frames[k];
		}
	}
	return 0;
}
