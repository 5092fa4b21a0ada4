/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Arguments and results of chosen functions: how many, the least, the most and the sum, in words of
 * the row. Integers in registers and on the stack; what is in memory is for collect trace.
 */
#ifndef RAROG_ENGINE_REWRITE_VALUES_H
#define RAROG_ENGINE_REWRITE_VALUES_H

#include "engine/rewrite/module.h"
#include "plan/plan.h"
#include "plan/value-table.h"

/* The words of a value. */
enum {
	RAROG_ROW_VALUES_COUNT,
	RAROG_ROW_VALUES_LOW, /* of the sum, 128 bits */
	RAROG_ROW_VALUES_HIGH,
	RAROG_ROW_VALUES_MOST,  /* signed ones plus 2^63 … */
	RAROG_ROW_VALUES_LEAST, /* … and the complement of that */
	RAROG_ROW_VALUES_WORDS
};

#define RAROG_ROW_VALUES_MOST_CODE 128 /* bytes for each value, and 32 */

/** rarog_rewrite_values_choose() - what is wanted of a function, and can be had. 0, -ENODATA
 * without message: it has no debug information; -ENOMEM. */
int rarog_rewrite_values_choose(struct rarog_rewrite_shape *shape, struct rarog_plan *plan,
				struct rarog_binary *binary);

/** rarog_rewrite_values_code() - machine code at the entry, or at a return; registers stay, flags
 * do not. Return: bytes; 0: nothing is wanted there. */
size_t rarog_rewrite_values_code(const struct rarog_rewrite_shape *shape, bool is_return,
				 uint8_t *ret_code);

/** rarog_rewrite_values_add() - the words of one value of a row to those of all. */
void rarog_rewrite_values_add(uint64_t *sums, const uint64_t *words);

/** rarog_rewrite_values_write() - of a function with calls, into @table. 0; negative with message.
 */
int rarog_rewrite_values_write(const struct rarog_rewrite_module *module,
			       const struct rarog_rewrite_shape *shape, uint32_t location,
			       struct rarog_profile_writer *writer,
			       struct rarog_value_table *table);

#endif
