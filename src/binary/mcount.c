/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Both are assembly and have been the same for twenty years: they save the seven registers that
 * arguments come in, load the two addresses, call.
 *
 *	sub  $S,%rsp                    S: 0x38, of __fentry__ 0x40
 *	mov  %rax,(%rsp) … %r9,0x30(%rsp)
 *	mov  S(%rsp),%rsi
 *	mov  8(%rbp),%rdi               of __fentry__ S+8(%rsp)
 *	call __mcount_internal
 */
#include "binary/mcount.h"

#include <string.h>

#include <Zydis/Zydis.h>

#include "binary/sled-entries.h"

#define SAVE                                                                                       \
	0x48, 0x89, 0x04, 0x24, 0x48, 0x89, 0x4c, 0x24, 0x08, 0x48, 0x89, 0x54, 0x24, 0x10, 0x48,  \
		0x89, 0x74, 0x24, 0x18, 0x48, 0x89, 0x7c, 0x24, 0x20, 0x4c, 0x89, 0x44, 0x24,      \
		0x28, 0x4c, 0x89, 0x4c, 0x24, 0x30

static const uint8_t mcount[] = { 0x48, 0x83, 0xec, 0x38, SAVE, 0x48, 0x8b, 0x74,
				  0x24, 0x38, 0x48, 0x8b, 0x7d, 0x08, 0xe8 };
static const uint8_t fentry[] = { 0x48, 0x83, 0xec, 0x40, SAVE, 0x48, 0x8b, 0x74,
				  0x24, 0x40, 0x48, 0x8b, 0x7c, 0x24, 0x48, 0xe8 };

/* Where a CALL goes whose opcode is the last of @n bytes that must be at @address; 0: they are not.
 */
static uint64_t callee_behind(const struct rarog_binary *binary, uint64_t address, size_t n,
			      const uint8_t *code)
{
	const uint8_t *bytes = rarog_binary_bytes(binary, address, n + 4);
	int32_t distance;

	if (!bytes || memcmp(bytes, code, n) != 0)
		return 0;
	memcpy(&distance, bytes + n, 4);
	return address + n + 4 + (uint64_t)(int64_t)distance;
}

uint64_t rarog_mcount_callee(const struct rarog_binary *binary, uint64_t address)
{
	const uint8_t *bytes = rarog_binary_bytes(binary, address, RAROG_ENDBR_SIZE);
	uint64_t callee;

	if (bytes && rarog_is_endbr(RAROG_ENDBR_SIZE, bytes))
		address += RAROG_ENDBR_SIZE;
	callee = callee_behind(binary, address, sizeof(mcount), mcount);
	return callee ? callee : callee_behind(binary, address, sizeof(fentry), fentry);
}

static bool is_stack(ZydisRegister reg)
{
	return reg == ZYDIS_REGISTER_RSP || reg == ZYDIS_REGISTER_RBP;
}

static bool sees_stack(const ZydisDecodedOperand *operand)
{
	return (operand->type == ZYDIS_OPERAND_TYPE_REGISTER && is_stack(operand->reg.value)) ||
	       (operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
		(is_stack(operand->mem.base) || is_stack(operand->mem.index)));
}

static bool goes_on(const ZydisDecodedInstruction *in, const ZydisDecodedOperand operands[])
{
	for (int i = 0; i < in->operand_count_visible; i++)
		if (sees_stack(&operands[i]))
			return false;
	return in->meta.branch_type == ZYDIS_BRANCH_TYPE_NONE &&
	       in->meta.category != ZYDIS_CATEGORY_SYSCALL &&
	       in->meta.category != ZYDIS_CATEGORY_INTERRUPT;
}

#define BLIND_MOST 64 /* instructions */

bool rarog_mcount_is_blind(const struct rarog_binary *binary, uint64_t address)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction in;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (int i = 0; i < BLIND_MOST; i++, address += in.length) {
		size_t n = ZYDIS_MAX_INSTRUCTION_LENGTH;
		const uint8_t *bytes = rarog_binary_bytes(binary, address, n);

		if (!bytes ||
		    !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, n, &in, operands)))
			return false;
		if (in.meta.category == ZYDIS_CATEGORY_RET)
			return true;
		if (!goes_on(&in, operands))
			return false;
	}
	return false;
}
