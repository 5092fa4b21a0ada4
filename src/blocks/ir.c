/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blocks/ir.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/lower-bound.h"
#include "binary/debug-file.h"
#include "binary/elf-file.h"
#include "blocks/record.h"

enum { FUNCTION = 1, BLOCK = 2 };

/* The line at @at without its newline; returns where the next begins. */
static size_t next_line(size_t n, const char *bytes, size_t at, size_t *ret_length)
{
	const char *end = memchr(bytes + at, '\n', n - at);

	*ret_length = end ? (size_t)(end - bytes) - at : n - at;
	return end ? at + *ret_length + 1 : n;
}

static int add_function(struct rarog_ir *ir, const char *name, size_t length)
{
	const struct rarog_ir_function function = { .name = name,
						    .name_length = length,
						    .first = ir->blocks.n };

	return rarog_vec_push(&ir->functions, function) == 0 ? 0 : rarog_oom();
}

static int add_block(struct rarog_ir *ir, const char *number, size_t length)
{
	struct rarog_ir_block block = { .text = number + length + 1 };

	for (size_t i = 0; i < length && number[i] >= '0' && number[i] <= '9'; i++)
		block.instructions = 10 * block.instructions + (uint32_t)(number[i] - '0');
	ir->functions.v[ir->functions.n - 1].n++;
	return rarog_vec_push(&ir->blocks, block) == 0 ? 0 : rarog_oom();
}

/* Lines before all blocks belong to none. */
static int parse(struct rarog_ir *ir, size_t n)
{
	int r = 0;

	for (size_t at = 0, next, length; r == 0 && at < n; at = next) {
		const char *line = ir->bytes + at;

		next = next_line(n, ir->bytes, at, &length);
		if (*line == FUNCTION && length > 0)
			r = add_function(ir, line + 1, length - 1);
		else if (*line == BLOCK && length > 0 && ir->functions.n > 0 && next > at + length)
			r = add_block(ir, line + 1, length - 1);
		else if (ir->functions.n > 0 && ir->functions.v[ir->functions.n - 1].n > 0)
			ir->blocks.v[ir->blocks.n - 1].n += next - at;
	}
	return r;
}

static int compare_names(const struct rarog_ir_function *function, const char *name, size_t length)
{
	size_t least = length < function->name_length ? length : function->name_length;
	int order = memcmp(function->name, name, least);

	if (order != 0)
		return order;
	return (function->name_length > length) - (function->name_length < length);
}

static int by_name(const void *a, const void *b)
{
	const struct rarog_ir_function *x = a, *y = b;
	int order = compare_names(x, y->name, y->name_length);

	return order ? order : (x->name > y->name) - (x->name < y->name);
}

int rarog_ir_parse(size_t n, char *take_bytes, struct rarog_ir *ret_ir)
{
	int r;

	*ret_ir = (struct rarog_ir){ .bytes = take_bytes };
	r = parse(ret_ir, n);
	if (r < 0)
		rarog_ir_release(ret_ir);
	else if (ret_ir->functions.n > 1)
		qsort(ret_ir->functions.v, ret_ir->functions.n, sizeof(*ret_ir->functions.v),
		      by_name);
	return r;
}

/* Returns 1 if @elf has it. */
static int read_section(const struct rarog_elf *elf, struct rarog_ir *ret_ir)
{
	const struct rarog_elf_section *section = rarog_elf_section(elf, RAROG_BLOCKS_IR);
	const uint8_t *bytes;
	char *copy;
	size_t n = 0;
	int r;

	if (!section || section->header->sh_type == SHT_NOBITS)
		return 0;
	bytes = rarog_elf_section_unpacked(section, &n);
	copy = malloc(n + 1);
	if (!copy)
		return rarog_oom();
	if (bytes)
		memcpy(copy, bytes, n);
	r = rarog_ir_parse(bytes ? n : 0, copy, ret_ir);
	return r < 0 ? r : 1;
}

int rarog_ir_read(const struct rarog_elf *elf, struct rarog_ir *ret_ir)
{
	rarog_cleanup(rarog_elf_freep) struct rarog_elf *debug = NULL;
	int r;

	*ret_ir = (struct rarog_ir){ 0 };
	r = read_section(elf, ret_ir);
	if (r == 0)
		debug = rarog_debug_file_find(elf);
	if (debug)
		r = read_section(debug, ret_ir);
	return r < 0 ? r : 0;
}

void rarog_ir_release(struct rarog_ir *ir)
{
	rarog_vec_release(&ir->functions);
	rarog_vec_release(&ir->blocks);
	free(ir->bytes);
	*ir = (struct rarog_ir){ 0 };
}

static size_t first_of(const struct rarog_ir *ir, const char *name, size_t length)
{
	return rarog_lower_bound(i, ir->functions.n,
				 compare_names(&ir->functions.v[i], name, length) < 0);
}

const struct rarog_ir_block *rarog_ir_take(struct rarog_ir *ir, const char *name, size_t n,
					   uint32_t (*instructions)(const void *data, size_t block),
					   const void *data)
{
	size_t length = strlen(name);

	for (size_t i = first_of(ir, name, length);
	     i < ir->functions.n && compare_names(&ir->functions.v[i], name, length) == 0; i++) {
		struct rarog_ir_function *function = &ir->functions.v[i];
		size_t k = 0;

		if (function->is_taken || function->n != n)
			continue;
		while (k < n &&
		       ir->blocks.v[function->first + k].instructions == instructions(data, k))
			k++;
		if (k < n)
			continue;
		function->is_taken = true;
		return ir->blocks.v + function->first;
	}
	return NULL;
}
