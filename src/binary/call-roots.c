/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a register was last set to, in the order of the bytes, is taken for what it has at the next
 * call. Compilers set arguments shortly before it; where that is wrong a function is only called a
 * root whose address is taken anyway.
 */
#include "binary/call-roots.h"

#include <string.h>

#include "base/cleanup.h"
#include "binary/flow-calls.h"

enum { RDX = 2, RCX = 1, RSI = 6, RDI = 7, R8 = 8, R9 = 9, ANYWHERE = 16 };

/* Functions that run what they are given, and in which argument. */
static const struct {
	const char *name;
	uint8_t argument;
	uint16_t root;
} takers[] = {
	{ "__libc_start_main", RDI, RAROG_ROOT_MAIN },
	{ "__libc_start_main", RCX, RAROG_ROOT_CONSTRUCTOR },
	{ "__libc_start_main", R8, RAROG_ROOT_DESTRUCTOR },
	{ "__cxa_atexit", RDI, RAROG_ROOT_DESTRUCTOR },
	{ "__cxa_at_quick_exit", RDI, RAROG_ROOT_DESTRUCTOR },
	{ "__cxa_thread_atexit", RDI, RAROG_ROOT_DESTRUCTOR },
	{ "__cxa_thread_atexit_impl", RDI, RAROG_ROOT_DESTRUCTOR },
	{ "at_quick_exit", RDI, RAROG_ROOT_DESTRUCTOR },
	{ "atexit", RDI, RAROG_ROOT_DESTRUCTOR },
	{ "on_exit", RDI, RAROG_ROOT_DESTRUCTOR },
	{ "pthread_create", RDX, RAROG_ROOT_THREAD },
	{ "thrd_create", RSI, RAROG_ROOT_THREAD },
	{ "clone", RDI, RAROG_ROOT_THREAD },
	{ "makecontext", RSI, RAROG_ROOT_THREAD },
	{ "signal", RSI, RAROG_ROOT_SIGNAL },
	{ "__sysv_signal", RSI, RAROG_ROOT_SIGNAL },
	{ "bsd_signal", RSI, RAROG_ROOT_SIGNAL },
	{ "sysv_signal", RSI, RAROG_ROOT_SIGNAL },
	{ "sigset", RSI, RAROG_ROOT_SIGNAL },
	{ "sigaction", ANYWHERE, RAROG_ROOT_SIGNAL },
	{ "__sigaction", ANYWHERE, RAROG_ROOT_SIGNAL },
	{ "timer_create", ANYWHERE, RAROG_ROOT_THREAD },
};

/* --- addresses of functions in code --- */

static uint8_t rex_of(const uint8_t *code, const struct rarog_instruction *in)
{
	uint8_t rex = in->opcode_offset > 0 ? code[in->opcode_offset - 1] : 0;

	return rex >> 4 == 4 ? rex : 0;
}

/* The register that LEA or MOV sets; ANYWHERE: it is stored. */
static unsigned set_register(const uint8_t *code, const struct rarog_instruction *in)
{
	uint8_t rex = rex_of(code, in), modrm = code[in->opcode_offset + 1];

	if (in->is_lea || in->opcode == 0x8b)
		return (modrm >> 3 & 7u) | (rex & 4u) << 1;
	if (in->opcode >= 0xb8 && in->opcode <= 0xbf)
		return (in->opcode & 7u) | (rex & 1u) << 3;
	if (in->opcode == 0xc7 && modrm >> 6 == 3)
		return (modrm & 7u) | (rex & 1u) << 3;
	return ANYWHERE;
}

/* The address that an instruction computes or has; 0: none. */
static uint64_t address_in(const struct rarog_call_scan *scan, const struct rarog_instruction *in)
{
	if (in->memory_offset && in->is_lea)
		return in->memory;
	if (in->memory_offset && in->opcode == 0x8b &&
	    rarog_word_is_constant(scan->binary, in->memory))
		return rarog_filled_words_value(&scan->words, in->memory);
	return in->absolute_size && !rarog_binary_is_pie(scan->binary) ? in->absolute : 0;
}

static long entry_at(const struct rarog_call_scan *scan, uint64_t address)
{
	long found = address ? rarog_binary_find(scan->binary, address) : -1;

	return found >= 0 && scan->functions[found].address == address ? found : -1;
}

/* Code that loads a word with an import's address may call it later. */
static long import_loaded(struct rarog_call_scan *scan, const struct rarog_instruction *in)
{
	const struct rarog_import *import =
		in->memory_offset && in->flow == RAROG_FLOW_NEXT && !in->is_lea
			? rarog_imports_find(scan->imports, in->memory)
			: NULL;

	if (!import || import->is_data)
		return -1;
	scan->is_import_taken[import - scan->imports->list.v] = true;
	return import->own ? entry_at(scan, import->own) : -1;
}

int rarog_call_note_taken(struct rarog_call_handed *handed, struct rarog_call_scan *scan,
			  const struct rarog_code_part *part, const uint8_t *code,
			  const struct rarog_instruction *in)
{
	long found = import_loaded(scan, in);
	unsigned reg;

	if (found < 0 && in->flow == RAROG_FLOW_NEXT)
		found = entry_at(scan, address_in(scan, in));
	if (found < 0)
		return 0;
	reg = set_register(code, in);
	if (reg < ANYWHERE)
		handed->by_register[reg] = (uint32_t)found + 1;
	handed->last[handed->n++ % RAROG_HANDED_KEPT] = (uint32_t)found + 1;
	if (part->owner == RAROG_CALL_NOWHERE)
		return 0;
	return rarog_vec_push(&scan->takes,
			      (struct rarog_digraph_arc){ part->owner, scan->origin[found] });
}

/* --- what is handed over --- */

static void note_root(struct rarog_call_scan *scan, uint32_t function, uint16_t root)
{
	if (function > 0)
		scan->roots[scan->origin[function - 1]] |= root;
}

static bool is_called(const struct rarog_call_scan *scan, const struct rarog_call_target *target,
		      const char *name)
{
	if (target->import != RAROG_CALL_NOWHERE)
		return strcmp(scan->imports->list.v[target->import].name, name) == 0;
	return rarog_function_is_named(&scan->functions[target->function], name);
}

/* @target is given @function, 1 more than its number. */
static int note_given(struct rarog_call_scan *scan, const struct rarog_call_target *target,
		      uint32_t function, uint16_t root)
{
	if (function == 0)
		return 0;
	note_root(scan, function, root);
	if (target->import == RAROG_CALL_NOWHERE)
		return 0;
	return rarog_vec_push(&scan->backs, (struct rarog_digraph_arc){
						    target->import, scan->origin[function - 1] });
}

static int note_taker(const struct rarog_call_handed *handed, struct rarog_call_scan *scan,
		      const struct rarog_call_target *target, size_t taker)
{
	uint8_t argument = takers[taker].argument;
	int r = 0;

	if (argument < ANYWHERE)
		return note_given(scan, target, handed->by_register[argument], takers[taker].root);
	for (size_t i = 0; r == 0 && i < RAROG_HANDED_KEPT; i++)
		r = note_given(scan, target, handed->last[i], takers[taker].root);
	return r;
}

/* Other functions of other files may call what they are given. */
static int note_callbacks(const struct rarog_call_handed *handed, struct rarog_call_scan *scan,
			  const struct rarog_call_target *target)
{
	static const uint8_t arguments[] = { RDI, RSI, RDX, RCX, R8, R9 };
	int r = 0;

	if (rarog_call_end(scan->imports->list.v[target->import].name) == RAROG_CALL_RETURNS)
		return 0;
	for (size_t i = 0; r == 0 && i < RAROG_COUNT(arguments); i++)
		r = note_given(scan, target, handed->by_register[arguments[i]],
			       RAROG_ROOT_CALLBACK);
	return r;
}

int rarog_call_handed_over(struct rarog_call_handed *handed, struct rarog_call_scan *scan,
			   const struct rarog_code_part *part,
			   const struct rarog_call_target *target)
{
	bool is_taker = false;
	int r = 0;

	for (size_t i = 0; r == 0 && target && handed->n > 0 && i < RAROG_COUNT(takers); i++) {
		/* the function that is called at the very start is main, whatever its name */
		bool is_start = takers[i].root == RAROG_ROOT_MAIN &&
				part->start == rarog_binary_entry(scan->binary);

		if (!is_start && !is_called(scan, target, takers[i].name))
			continue;
		r = note_taker(handed, scan, target, i);
		is_taker = true;
	}
	if (r == 0 && target && target->import != RAROG_CALL_NOWHERE && handed->n > 0 && !is_taker)
		r = note_callbacks(handed, scan, target);
	memset(handed->by_register, 0, sizeof(handed->by_register));
	return r;
}

/* --- tables of the file --- */

static const struct {
	uint32_t type;
	uint16_t root;
} arrays[] = {
	{ SHT_PREINIT_ARRAY, RAROG_ROOT_CONSTRUCTOR },
	{ SHT_INIT_ARRAY, RAROG_ROOT_CONSTRUCTOR },
	{ SHT_FINI_ARRAY, RAROG_ROOT_DESTRUCTOR },
};

static void read_array(struct rarog_call_scan *scan, const Elf64_Shdr *header, uint16_t root)
{
	for (uint64_t at = 0; at + 8 <= header->sh_size; at += 8) {
		long found = entry_at(scan,
				      rarog_filled_words_value(&scan->words, header->sh_addr + at));

		if (found >= 0)
			note_root(scan, (uint32_t)found + 1, root);
	}
}

static void read_arrays(struct rarog_call_scan *scan)
{
	const struct rarog_elf *elf = scan->binary->elf;

	for (size_t i = 0; i < elf->n_sections; i++)
		for (size_t k = 0; k < RAROG_COUNT(arrays); k++)
			if (elf->sections[i].header->sh_type == arrays[k].type)
				read_array(scan, elf->sections[i].header, arrays[k].root);
}

static void note_named(struct rarog_call_scan *scan, const char *name, uint16_t root)
{
	uint64_t address;
	long found =
		rarog_binary_symbol(scan->binary, name, &address) ? entry_at(scan, address) : -1;

	if (found >= 0)
		note_root(scan, (uint32_t)found + 1, root);
}

int rarog_call_roots_read(struct rarog_call_scan *scan)
{
	long start = entry_at(scan, rarog_binary_entry(scan->binary));

	if (start >= 0)
		note_root(scan, (uint32_t)start + 1, RAROG_ROOT_START);
	if (!rarog_binary_is_library(scan->binary))
		note_named(scan, "main", RAROG_ROOT_MAIN);
	note_named(scan, "_init", RAROG_ROOT_CONSTRUCTOR);
	note_named(scan, "_fini", RAROG_ROOT_DESTRUCTOR);
	read_arrays(scan);
	for (size_t i = 0; i < scan->words.list.n; i++)
		if (scan->words.list.v[i].is_resolver)
			note_root(scan, (uint32_t)(entry_at(scan, scan->words.list.v[i].value) + 1),
				  RAROG_ROOT_RESOLVER);
	for (uint32_t i = 0; i < scan->n; i++)
		if (scan->functions[i].flags & RAROG_FUNCTION_IFUNC)
			note_root(scan, i + 1, RAROG_ROOT_RESOLVER);
	return 0;
}
