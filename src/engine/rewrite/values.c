/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/rewrite/values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "engine/rewrite/emit.h"
#include "plan/value-request.h"

#define MOST  13  /* values at an entry, and at a return */
#define SAVED 144 /* bytes below the stack pointer as it was: the red zone, %rax, %rdx */
#define SIGN  (UINT64_C(1) << 63)

/* --- which --- */

static bool is_signed(const struct rarog_value_path *path)
{
	return path->kind == RAROG_VALUE_SIGNED;
}

static bool can_be_had(const struct rarog_value_path *path)
{
	return path->n_steps == 0 && path->finish == RAROG_VALUE_PLAIN &&
	       path->source != RAROG_VALUE_VECTOR && path->kind <= RAROG_VALUE_POINTER;
}

int rarog_rewrite_values_choose(struct rarog_rewrite_shape *shape, struct rarog_plan *plan,
				struct rarog_binary *binary)
{
	struct rarog_wanted_values *values = &shape->values;
	size_t n = 0;
	int r = plan->values.all.n > 0 ? rarog_value_requests_of(&plan->values, binary,
								 shape->number, MOST, values)
				       : 0;

	for (size_t i = 0; r == 0 && i < values->all.n; i++) {
		struct rarog_wanted_value one = values->all.v[i];

		if (can_be_had(&one.path)) {
			values->all.v[n++] = one;
			continue;
		}
		rarog_warn("%s of %s is no integer in a register or on the stack: it is not "
			   "captured; rarog collect trace does",
			   one.name, shape->function->name);
		values->n_enter -= !one.is_return;
		values->n_leave -= one.is_return;
		free(one.name);
		free(one.type);
	}
	values->all.n = n;
	return r;
}

/* --- machine code --- */

/* To %rax. */
static uint8_t *put_source(uint8_t *at, const struct rarog_value_path *path, bool is_return)
{
	static const uint8_t moves[][3] = {
		{ 0x48, 0x89, 0xf8 }, { 0x48, 0x89, 0xf0 }, { 0x48, 0x89, 0xd0 },
		{ 0x48, 0x89, 0xc8 }, { 0x4c, 0x89, 0xc0 }, { 0x4c, 0x89, 0xc8 },
	}; /* mov %rdi, %rsi, %rdx, %rcx, %r8, %r9 */
	bool is_rdx = path->number == (is_return ? 1 : 2);
	int32_t stack = SAVED + path->stack;

	if (path->source == RAROG_VALUE_STACK)
		return rarog_emit(RAROG_EMIT(at, 0x48, 0x8b, 0x84, 0x24), sizeof(stack),
				  (const uint8_t *)&stack); /* mov stack(%rsp),%rax */
	if (is_rdx)
		return RAROG_EMIT(at, 0x48, 0x8b, 0x04, 0x24); /* mov (%rsp),%rax */
	if (is_return)
		return RAROG_EMIT(at, 0x48, 0x8b, 0x44, 0x24, 0x08); /* mov 8(%rsp),%rax */
	return rarog_emit(at, sizeof(moves[0]), moves[path->number % 6]);
}

static uint8_t *put_bits(uint8_t *at, const struct rarog_value_path *path)
{
	uint8_t up = (uint8_t)(64 - path->bits - path->shift), down = (uint8_t)(64 - path->bits);

	if (down == 0)
		return at;
	at = RAROG_EMIT(at, 0x48, 0xc1, 0xe0, up);                              /* shl $,%rax */
	return RAROG_EMIT(at, 0x48, 0xc1, is_signed(path) ? 0xf8 : 0xe8, down); /* sar, shr */
}

static uint8_t *put_larger(uint8_t *at, uint32_t word)
{
	at = rarog_emit_word(RAROG_EMIT(at, 0x65, 0x48, 0x3b, 0x04, 0x25),
			     word);                                    /* cmp %gs:word,%rax */
	at = RAROG_EMIT(at, 0x76, 0x09, 0x65, 0x48, 0x89, 0x04, 0x25); /* jbe; mov %rax,%gs:word */
	return rarog_emit_word(at, word);
}

static uint8_t *put_value(uint8_t *at, const struct rarog_value_path *path, bool is_return,
			  uint32_t word)
{
	at = put_bits(put_source(at, path, is_return), path);
	at = RAROG_EMIT(at, 0x65, 0x48, 0xff, 0x04, 0x25); /* incq %gs:COUNT */
	at = rarog_emit_word(at, word + RAROG_ROW_VALUES_COUNT);
	at = is_signed(path) ? RAROG_EMIT(at, 0x48, 0x99)
			     : RAROG_EMIT(at, 0x31, 0xd2); /* cqo; xor %edx,%edx */
	at = rarog_emit_word(RAROG_EMIT(at, 0x65, 0x48, 0x01, 0x04, 0x25),
			     word + RAROG_ROW_VALUES_LOW);
	at = rarog_emit_word(RAROG_EMIT(at, 0x65, 0x48, 0x11, 0x14, 0x25),
			     word + RAROG_ROW_VALUES_HIGH);
	if (is_signed(path))
		at = RAROG_EMIT(at, 0x48, 0x0f, 0xba, 0xf8, 0x3f); /* btc $63,%rax */
	at = put_larger(at, word + RAROG_ROW_VALUES_MOST);
	at = RAROG_EMIT(at, 0x48, 0xf7, 0xd0); /* not %rax */
	return put_larger(at, word + RAROG_ROW_VALUES_LEAST);
}

size_t rarog_rewrite_values_code(const struct rarog_rewrite_shape *shape, bool is_return,
				 uint8_t *ret_code)
{
	const struct rarog_wanted_values *values = &shape->values;
	uint8_t *at = ret_code;

	if ((is_return ? values->n_leave : values->n_enter) == 0)
		return 0;
	at = RAROG_EMIT(at, 0x48, 0x8d, 0x64, 0x24, 0x80, 0x50,
			0x52); /* lea -128(%rsp),%rsp; push */
	for (uint32_t i = 0; i < values->all.n; i++)
		if (values->all.v[i].is_return == is_return)
			at = put_value(at, &values->all.v[i].path, is_return,
				       shape->first_value + i * RAROG_ROW_VALUES_WORDS);
	at = RAROG_EMIT(at, 0x5a, 0x58, 0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0,
			0); /* pop; lea 128(%rsp) */
	return (size_t)(at - ret_code);
}

/* --- sums --- */

void rarog_rewrite_values_add(uint64_t *sums, const uint64_t *words)
{
	uint64_t low = sums[RAROG_ROW_VALUES_LOW] + words[RAROG_ROW_VALUES_LOW];

	sums[RAROG_ROW_VALUES_COUNT] += words[RAROG_ROW_VALUES_COUNT];
	sums[RAROG_ROW_VALUES_HIGH] +=
		words[RAROG_ROW_VALUES_HIGH] + (low < words[RAROG_ROW_VALUES_LOW]);
	sums[RAROG_ROW_VALUES_LOW] = low;
	for (int i = RAROG_ROW_VALUES_MOST; i <= RAROG_ROW_VALUES_LEAST; i++)
		sums[i] = words[i] > sums[i] ? words[i] : sums[i];
}

static struct rarog_argument_sum sum_of(const struct rarog_value_path *path, const uint64_t *words)
{
	uint64_t bias = is_signed(path) ? SIGN : 0;
	__int128 whole = (__int128)((unsigned __int128)words[RAROG_ROW_VALUES_HIGH] << 64 |
				    words[RAROG_ROW_VALUES_LOW]);
	double sum = is_signed(path) ? (double)whole : (double)(unsigned __int128)whole;
	struct rarog_argument_sum all = { .count = words[RAROG_ROW_VALUES_COUNT],
					  .min = ~words[RAROG_ROW_VALUES_LEAST] ^ bias,
					  .max = words[RAROG_ROW_VALUES_MOST] ^ bias };

	memcpy(&all.sum, &sum, sizeof(sum));
	return all;
}

int rarog_rewrite_values_write(const struct rarog_rewrite_module *m,
			       const struct rarog_rewrite_shape *shape, uint32_t location,
			       struct rarog_profile_writer *writer, struct rarog_value_table *table)
{
	const struct rarog_value_columns *columns;
	int r = 0;

	if (shape->values.all.n == 0)
		return 0;
	r = rarog_value_table_add(table, location, &shape->values, writer);
	columns = rarog_value_table_columns(table, location);
	for (uint32_t i = 0; r == 0 && columns && i < shape->values.all.n; i++) {
		const uint64_t *words = m->counts + (shape->first_value - m->first_counter) +
					i * RAROG_ROW_VALUES_WORDS;
		struct rarog_argument_sum *sum = &table->sums.v[columns->first + i];
		uint32_t argument = sum->argument;

		if (words[RAROG_ROW_VALUES_COUNT] == 0)
			continue;
		*sum = sum_of(&shape->values.all.v[i].path, words);
		sum->argument = argument;
	}
	return r;
}
