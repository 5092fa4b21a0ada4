/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/html/ir.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "binary/elf-file.h"
#include "blocks/ir.h"
#include "view/html/columns.h"

struct binary {
	const char *state;
	struct rarog_ir ir;
};

struct binaries {
	size_t n;
	struct binary *v;
};

static void binaries_release(struct binaries *binaries)
{
	for (size_t i = 0; binaries->v && i < binaries->n; i++)
		rarog_ir_release(&binaries->v[i].ir);
	free(binaries->v);
}

static int read_binary(const struct rarog_profile_binary *from, struct binary *binary)
{
	rarog_cleanup(rarog_elf_freep) struct rarog_elf *elf = NULL;
	int r = from->path ? rarog_elf_open(from->path, RAROG_ELF_PROGRAM, &elf) : -ENOENT;

	binary->state = "missing";
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	binary->state = "rebuilt";
	if (from->build_id && strcmp(from->build_id, elf->build_id) != 0)
		return 0;
	r = rarog_ir_read(elf, &binary->ir);
	binary->state = binary->ir.functions.n > 0 ? "written" : "unwritten";
	return r;
}

static int read_all(const struct rarog_run *run, struct binaries *binaries)
{
	int r = 0;

	binaries->n = run->n_binaries;
	binaries->v = calloc(binaries->n + 1, sizeof(*binaries->v));
	if (!binaries->v)
		return rarog_oom();
	for (size_t i = 0; r == 0 && i < binaries->n; i++)
		r = read_binary(&run->binaries[i], &binaries->v[i]);
	return r;
}

static uint32_t instructions(const void *data, size_t block)
{
	return ((const struct rarog_block_count *)data)[block].instructions;
}

/* Functions are asked for in the order of the linked file, also those that never ran. */
static void write_function(const struct rarog_coverage *coverage, struct binaries *binaries,
			   const struct rarog_tally_function *function, struct rarog_json *json)
{
	const struct rarog_location *location = rarog_coverage_location(coverage, function);
	const struct rarog_ir_block *blocks = NULL;

	if (location->binary < binaries->n && location->name)
		blocks = rarog_ir_take(&binaries->v[location->binary].ir, location->name,
				       function->n, instructions,
				       coverage->tally.blocks + function->first);
	for (uint32_t i = 0; i < function->n; i++) {
		if (blocks && function->n_executed > 0)
			rarog_json_string_n(json, NULL, blocks[i].n, blocks[i].text);
		else
			rarog_json_null(json, NULL);
	}
}

int rarog_html_ir_write(const struct rarog_coverage *coverage, bool is_wanted,
			struct rarog_json *json)
{
	rarog_cleanup(binaries_release) struct binaries binaries = { 0 };
	int r = is_wanted ? read_all(&coverage->run, &binaries) : 0;

	if (r < 0)
		return r;
	rarog_json_object(json, "ir");
	RAROG_COLUMN(json, "state", binaries.n, i,
		     rarog_json_string(json, NULL, binaries.v[i].state));
	rarog_json_array(json, "text");
	for (size_t i = 0; is_wanted && i < coverage->tally.n; i++)
		write_function(coverage, &binaries, &coverage->tally.functions[i], json);
	rarog_json_end_array(json);
	rarog_json_end_object(json);
	return 0;
}
