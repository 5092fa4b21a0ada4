/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/made-code.h"

#include <string.h>
#include <sys/mman.h>
#include <Zydis/Zydis.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "binary/imports.h"
#include "binary/internal.h"

struct line {
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static bool decode(const struct rarog_binary *binary, uint64_t at, uint64_t end, struct line *ret)
{
	const uint8_t *bytes = rarog_binary_bytes(binary, at, end - at);
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	return bytes && ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, end - at, &ret->in,
							    ret->operands));
}

static bool is_register(const ZydisDecodedOperand *o, ZydisRegister reg)
{
	return o->type == ZYDIS_OPERAND_TYPE_REGISTER && o->reg.value == reg;
}

/* --- frames --- */

#define PROLOGUE 24 /* bytes in which the frame pointer is set */

static bool is_move_to_rbp(const struct line *line)
{
	return line->in.mnemonic == ZYDIS_MNEMONIC_MOV &&
	       is_register(&line->operands[0], ZYDIS_REGISTER_RBP);
}

static bool is_push(const struct line *line, ZydisRegister reg)
{
	return line->in.mnemonic == ZYDIS_MNEMONIC_PUSH && is_register(&line->operands[0], reg);
}

/* push %rbp … mov %rsp,%rbp, and %rsp as it was. Return: after it; 0: it has no frame pointer. */
static uint64_t after_prologue(const struct rarog_binary *binary, const struct rarog_function *f)
{
	uint64_t end = f->address + f->size, last = f->address + PROLOGUE;
	bool pushed = false;
	struct line line;

	for (uint64_t at = f->address; at < last && decode(binary, at, end, &line);
	     at += line.in.length) {
		if (pushed && is_move_to_rbp(&line))
			return is_register(&line.operands[1], ZYDIS_REGISTER_RSP)
				       ? at + line.in.length
				       : 0;
		if (pushed && (line.in.mnemonic == ZYDIS_MNEMONIC_PUSH ||
			       is_register(&line.operands[0], ZYDIS_REGISTER_RSP)))
			return 0;
		pushed |= is_push(&line, ZYDIS_REGISTER_RBP);
	}
	return 0;
}

/* mov, movq 0(%rbp),…; but for %rbp, which is put back so */
static bool may_read_caller(const uint8_t *p)
{
	return (p[0] == 0x8b || p[0] == 0x7e) && (p[1] & 0xc7) == 0x45 && p[2] == 0;
}

static bool reads_caller(const struct line *line)
{
	const ZydisDecodedOperand *from = &line->operands[1];

	if (line->in.mnemonic != ZYDIS_MNEMONIC_MOV && line->in.mnemonic != ZYDIS_MNEMONIC_MOVQ)
		return false;
	return !is_register(&line->operands[0], ZYDIS_REGISTER_RBP) &&
	       from->type == ZYDIS_OPERAND_TYPE_MEMORY && from->size == 64 &&
	       from->mem.base == ZYDIS_REGISTER_RBP && from->mem.index == ZYDIS_REGISTER_NONE &&
	       from->mem.disp.value == 0;
}

/* Is %rbp used for something else from here on? What puts the caller's back is followed by the code
 * of another way through the function. */
static bool gives_up_frame(const struct line *line)
{
	const ZydisDecodedOperand *from = &line->operands[1];
	bool restores = from->type == ZYDIS_OPERAND_TYPE_MEMORY;

	return !restores && is_register(&line->operands[0], ZYDIS_REGISTER_RBP) &&
	       line->operands[0].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE &&
	       line->in.mnemonic != ZYDIS_MNEMONIC_POP;
}

static uint64_t find_read(const struct rarog_binary *binary, uint64_t at, uint64_t end)
{
	struct line line;

	for (; at < end && decode(binary, at, end, &line); at += line.in.length) {
		if (reads_caller(&line))
			return at;
		if (gives_up_frame(&line))
			return 0;
	}
	return 0;
}

static bool may_walk(const uint8_t *bytes, uint64_t size)
{
	for (uint64_t at = 0; bytes && at + 3 <= size; at++)
		if (may_read_caller(bytes + at))
			return true;
	return false;
}

uint64_t rarog_walks_frames(const struct rarog_binary *binary)
{
	const struct rarog_function *functions, *f;
	size_t n = rarog_binary_functions(binary, &functions);
	uint64_t found = 0;

	for (f = functions; found == 0 && f < functions + n; f++) {
		const uint8_t *bytes = rarog_binary_bytes(binary, f->address, f->size);
		uint64_t start = may_walk(bytes, f->size) ? after_prologue(binary, f) : 0;

		if (start)
			found = find_read(binary, start, f->address + f->size);
	}
	return found;
}

/* --- memory for code --- */

static const char *const makers[] = { "mmap", "mmap64", "mprotect", "pkey_mprotect" };

static bool is_maker(const char *name)
{
	for (size_t i = 0; name && i < RAROG_COUNT(makers); i++)
		if (strcmp(name, makers[i]) == 0)
			return true;
	return false;
}

static bool is_own_maker(const struct rarog_binary *binary, uint64_t target)
{
	long index = rarog_binary_find(binary, target);
	const struct rarog_function *functions, *f;
	bool is = false;

	if (index < 0)
		return false;
	rarog_binary_functions(binary, &functions);
	f = &functions[index];
	if (f->address != target)
		return false;
	is = is_maker(f->name);
	for (uint32_t i = 0; !is && i < f->n_aliases; i++)
		is = is_maker(f->aliases[i]);
	return is;
}

static bool calls_maker(const struct rarog_imports *imports, const struct line *line, uint64_t at)
{
	const ZydisDecodedOperand *to = &line->operands[0];
	uint64_t target;

	if (line->in.mnemonic != ZYDIS_MNEMONIC_CALL && line->in.mnemonic != ZYDIS_MNEMONIC_JMP)
		return false;
	if (!ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&line->in, to, at, &target)))
		return false;
	if (to->type == ZYDIS_OPERAND_TYPE_MEMORY)
		return is_maker(rarog_imports_word(imports, target));
	return is_maker(rarog_imports_stub(imports, target)) ||
	       is_own_maker(imports->binary, target);
}

#define NEAR 14 /* instructions */

static bool is_third_argument(const ZydisDecodedOperand *o)
{
	return is_register(o, ZYDIS_REGISTER_EDX) || is_register(o, ZYDIS_REGISTER_RDX) ||
	       is_register(o, ZYDIS_REGISTER_DL);
}

/* mov $5,…; add $7,%edx and the like: permissions are a number below 8, and the third argument. */
static bool allows_execution(const struct line *line)
{
	const ZydisDecodedOperand *to = &line->operands[0], *from = &line->operands[1];
	bool is_part =
		line->in.mnemonic == ZYDIS_MNEMONIC_ADD || line->in.mnemonic == ZYDIS_MNEMONIC_OR;

	if (line->in.mnemonic != ZYDIS_MNEMONIC_MOV && !is_part)
		return false;
	return to->type == ZYDIS_OPERAND_TYPE_REGISTER && (!is_part || is_third_argument(to)) &&
	       from->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && (from->imm.value.u & ~7ull) == 0 &&
	       from->imm.value.u & PROT_EXEC;
}

static uint64_t find_maker(const struct rarog_imports *imports, const struct rarog_function *f)
{
	uint64_t end = f->address + f->size;
	int since = NEAR;
	struct line line;

	for (uint64_t at = f->address; at < end && decode(imports->binary, at, end, &line);
	     at += line.in.length) {
		since = allows_execution(&line) ? 0 : since + 1;
		if (since < NEAR && calls_maker(imports, &line, at))
			return at;
		if (line.in.mnemonic == ZYDIS_MNEMONIC_CALL)
			since = NEAR; /* that had other arguments */
	}
	return 0;
}

uint64_t rarog_makes_code(const struct rarog_binary *binary)
{
	rarog_cleanup(rarog_imports_release) struct rarog_imports imports = { 0 };
	const struct rarog_function *functions;
	size_t n = rarog_binary_functions(binary, &functions);
	uint64_t found = 0;

	if (rarog_imports_read(binary, &imports) < 0) {
		rarog_error_clear();
		return 0;
	}
	for (size_t i = 0; found == 0 && i < n; i++)
		found = find_maker(&imports, &functions[i]);
	return found;
}
