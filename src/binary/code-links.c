/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/code-links.h"

#include <string.h>

#include "binary/instruction.h"
#include "binary/mcount.h"

#define STUB_SIZE 11 /* endbr64, and a jump with a prefix */
#define ENDBR     0x1e

static const struct {
	const char *name;
	enum rarog_link_kind elsewhere, here; /* in another file, in this one */
} named[] = {
	/* functions of the C library that do as their caller's library would */
	{ "dlopen", RAROG_LINK_ASKING, RAROG_LINK_NONE },
	{ "dlmopen", RAROG_LINK_ASKING, RAROG_LINK_NONE },
	{ "dlsym", RAROG_LINK_ASKING, RAROG_LINK_NONE },
	{ "dlvsym", RAROG_LINK_ASKING, RAROG_LINK_NONE },
	/* -pg: they look at their caller's caller */
	{ "mcount", RAROG_LINK_MCOUNT, RAROG_LINK_OWN_MCOUNT },
	{ "_mcount", RAROG_LINK_MCOUNT, RAROG_LINK_OWN_MCOUNT },
	{ "__fentry__", RAROG_LINK_MCOUNT, RAROG_LINK_OWN_MCOUNT },
	/* -finstrument-functions: they are told their caller's caller */
	{ "__cyg_profile_func_enter", RAROG_LINK_HOOK, RAROG_LINK_HOOK },
	{ "__cyg_profile_func_exit", RAROG_LINK_HOOK, RAROG_LINK_HOOK },
};

enum rarog_link_kind rarog_code_link_named(const char *name)
{
	for (size_t i = 0; i < RAROG_COUNT(named); i++)
		if (strcmp(name, named[i].name) == 0)
			return named[i].elsewhere;
	return RAROG_LINK_NONE;
}

static enum rarog_link_kind kind_here(const char *name)
{
	for (size_t i = 0; i < RAROG_COUNT(named); i++)
		if (strcmp(name, named[i].name) == 0)
			return named[i].here;
	return RAROG_LINK_NONE;
}

enum rarog_link_kind rarog_code_link_word(const struct rarog_code_map *map, uint64_t word)
{
	for (size_t i = 0; i < map->links.n; i++)
		if (map->links.v[i].word == word)
			return map->links.v[i].kind;
	return RAROG_LINK_NONE;
}

/* The word through which a stub of the procedure linkage table at @address jumps; 0: it is none. */
static uint64_t word_of_stub(const struct rarog_code_map *map, uint64_t address)
{
	const uint8_t *bytes = rarog_binary_bytes(map->binary, address, STUB_SIZE);
	struct rarog_instruction in;

	for (size_t at = 0; bytes && at < STUB_SIZE; at += in.length) {
		if (!rarog_instruction_decode(STUB_SIZE - at, bytes + at, address + at, &in))
			return 0;
		if (in.flow == RAROG_FLOW_INDIRECT_JUMP)
			return in.memory_offset ? in.memory : 0;
		if (at > 0 || in.opcode != ENDBR)
			return 0;
	}
	return 0;
}

static enum rarog_link_kind kind_by_names(const struct rarog_function *f)
{
	enum rarog_link_kind kind = kind_here(f->name);

	for (uint32_t i = 0; i < f->n_aliases && kind == RAROG_LINK_NONE; i++)
		kind = kind_here(f->aliases[i]);
	return kind;
}

bool rarog_is_instrument_hook(const struct rarog_function *function)
{
	return kind_by_names(function) == RAROG_LINK_HOOK;
}

static enum rarog_link_kind kind_of_function(const struct rarog_code_map *map, uint64_t address)
{
	uint32_t index = rarog_code_function(map, address);

	if (rarog_mcount_callee(map->binary, address))
		return RAROG_LINK_MCOUNT; /* glibc's in a static program */
	if (index == UINT32_MAX || map->functions[index].address != address)
		return RAROG_LINK_NONE;
	enum rarog_link_kind kind = kind_by_names(&map->functions[index]);

	return kind == RAROG_LINK_OWN_MCOUNT && rarog_mcount_is_blind(map->binary, address)
		       ? RAROG_LINK_MCOUNT
		       : kind;
}

enum rarog_link_kind rarog_code_link(const struct rarog_code_map *map, uint64_t target)
{
	enum rarog_link_kind kind = kind_of_function(map, target);

	return kind == RAROG_LINK_NONE && map->links.n > 0
		       ? rarog_code_link_word(map, word_of_stub(map, target))
		       : kind;
}
