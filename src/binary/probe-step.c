/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread that executes such an instruction executes the next one, exactly once: it does not
 * branch. With RAROG_PROBE_FAULTS it may fault instead (memory that is not there, a floating-point
 * exception that was asked for); then another must see to what became of the call.
 *
 * Memory below the stack pointer is left alone: a probe of the kernel may itself write there.
 */
#include "binary/probe-step.h"

#include "base/error.h"

/* The caller's part of the stack: arguments, there since the CALL has written beside them. */
#define STACK_ARGUMENTS 256

/* They do what they say, whatever their operands are. */
static const ZydisMnemonic harmless[] = {
	ZYDIS_MNEMONIC_MOV,          ZYDIS_MNEMONIC_MOVZX,        ZYDIS_MNEMONIC_MOVSX,
	ZYDIS_MNEMONIC_MOVSXD,       ZYDIS_MNEMONIC_LEA,          ZYDIS_MNEMONIC_XOR,
	ZYDIS_MNEMONIC_OR,           ZYDIS_MNEMONIC_AND,          ZYDIS_MNEMONIC_ADD,
	ZYDIS_MNEMONIC_SUB,          ZYDIS_MNEMONIC_CMP,          ZYDIS_MNEMONIC_TEST,
	ZYDIS_MNEMONIC_NOT,          ZYDIS_MNEMONIC_NEG,          ZYDIS_MNEMONIC_INC,
	ZYDIS_MNEMONIC_DEC,          ZYDIS_MNEMONIC_SHL,          ZYDIS_MNEMONIC_SHR,
	ZYDIS_MNEMONIC_SAR,          ZYDIS_MNEMONIC_ROL,          ZYDIS_MNEMONIC_ROR,
	ZYDIS_MNEMONIC_IMUL,         ZYDIS_MNEMONIC_BT,           ZYDIS_MNEMONIC_CMOVZ,
	ZYDIS_MNEMONIC_CMOVNZ,       ZYDIS_MNEMONIC_CMOVB,        ZYDIS_MNEMONIC_CMOVNB,
	ZYDIS_MNEMONIC_CMOVBE,       ZYDIS_MNEMONIC_CMOVNBE,      ZYDIS_MNEMONIC_CMOVL,
	ZYDIS_MNEMONIC_CMOVNL,       ZYDIS_MNEMONIC_CMOVLE,       ZYDIS_MNEMONIC_CMOVNLE,
	ZYDIS_MNEMONIC_CMOVS,        ZYDIS_MNEMONIC_CMOVNS,       ZYDIS_MNEMONIC_SETZ,
	ZYDIS_MNEMONIC_SETNZ,        ZYDIS_MNEMONIC_SETB,         ZYDIS_MNEMONIC_SETNB,
	ZYDIS_MNEMONIC_SETBE,        ZYDIS_MNEMONIC_SETNBE,       ZYDIS_MNEMONIC_SETL,
	ZYDIS_MNEMONIC_SETNL,        ZYDIS_MNEMONIC_SETLE,        ZYDIS_MNEMONIC_SETNLE,
	ZYDIS_MNEMONIC_SETS,         ZYDIS_MNEMONIC_SETNS,        ZYDIS_MNEMONIC_SBB,
	ZYDIS_MNEMONIC_ADC,          ZYDIS_MNEMONIC_MUL,          ZYDIS_MNEMONIC_SHLD,
	ZYDIS_MNEMONIC_SHRD,         ZYDIS_MNEMONIC_BSR,          ZYDIS_MNEMONIC_BSF,
	ZYDIS_MNEMONIC_CDQ,          ZYDIS_MNEMONIC_CDQE,         ZYDIS_MNEMONIC_CQO,
	ZYDIS_MNEMONIC_CWDE,         ZYDIS_MNEMONIC_BSWAP,        ZYDIS_MNEMONIC_PXOR,
	ZYDIS_MNEMONIC_XORPS,        ZYDIS_MNEMONIC_XORPD,        ZYDIS_MNEMONIC_MOVAPS,
	ZYDIS_MNEMONIC_MOVAPD,       ZYDIS_MNEMONIC_MOVDQA,       ZYDIS_MNEMONIC_MOVD,
	ZYDIS_MNEMONIC_VPBROADCASTB, ZYDIS_MNEMONIC_VPBROADCASTD, ZYDIS_MNEMONIC_VMOVD,
	ZYDIS_MNEMONIC_VMOVQ,        ZYDIS_MNEMONIC_VPXOR,        ZYDIS_MNEMONIC_VPXORQ,
	ZYDIS_MNEMONIC_VXORPS,       ZYDIS_MNEMONIC_MOVQ,         ZYDIS_MNEMONIC_NOP,
	ZYDIS_MNEMONIC_ENDBR64,      ZYDIS_MNEMONIC_MOVSS,        ZYDIS_MNEMONIC_MOVSD,
	ZYDIS_MNEMONIC_MOVUPS,       ZYDIS_MNEMONIC_MOVUPD,       ZYDIS_MNEMONIC_MOVDQU,
	ZYDIS_MNEMONIC_MOVHPS,       ZYDIS_MNEMONIC_MOVLPS,       ZYDIS_MNEMONIC_MOVHLPS,
	ZYDIS_MNEMONIC_MOVLHPS,      ZYDIS_MNEMONIC_PUNPCKLQDQ,   ZYDIS_MNEMONIC_PUNPCKLDQ,
	ZYDIS_MNEMONIC_SHUFPS,       ZYDIS_MNEMONIC_PSHUFD,       ZYDIS_MNEMONIC_UNPCKLPS,
	ZYDIS_MNEMONIC_PADDD,        ZYDIS_MNEMONIC_PADDQ,        ZYDIS_MNEMONIC_PAND,
	ZYDIS_MNEMONIC_POR,          ZYDIS_MNEMONIC_ANDPS,        ZYDIS_MNEMONIC_ANDPD,
};

/* They raise an exception if the program has asked for that, or for some numbers. */
static const ZydisMnemonic faulting[] = {
	ZYDIS_MNEMONIC_ADDSD,     ZYDIS_MNEMONIC_ADDSS,    ZYDIS_MNEMONIC_SUBSD,
	ZYDIS_MNEMONIC_SUBSS,     ZYDIS_MNEMONIC_MULSD,    ZYDIS_MNEMONIC_MULSS,
	ZYDIS_MNEMONIC_DIVSD,     ZYDIS_MNEMONIC_DIVSS,    ZYDIS_MNEMONIC_COMISD,
	ZYDIS_MNEMONIC_COMISS,    ZYDIS_MNEMONIC_UCOMISD,  ZYDIS_MNEMONIC_UCOMISS,
	ZYDIS_MNEMONIC_CVTSI2SD,  ZYDIS_MNEMONIC_CVTSI2SS, ZYDIS_MNEMONIC_CVTTSD2SI,
	ZYDIS_MNEMONIC_CVTTSS2SI, ZYDIS_MNEMONIC_CVTSS2SD, ZYDIS_MNEMONIC_CVTSD2SS,
	ZYDIS_MNEMONIC_DIV,       ZYDIS_MNEMONIC_IDIV,
};

static bool is_listed(size_t n, const ZydisMnemonic list[n], ZydisMnemonic mnemonic)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == mnemonic)
			return true;
	return false;
}

static bool is_known(const struct rarog_probe_step *step, const ZydisDecodedInstruction *in)
{
	if (in->attributes &
	    (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPNE | ZYDIS_ATTRIB_HAS_REPE))
		return false;
	return is_listed(RAROG_COUNT(harmless), harmless, in->mnemonic) ||
	       (step->liberties & RAROG_PROBE_FAULTS &&
		is_listed(RAROG_COUNT(faulting), faulting, in->mnemonic));
}

/* A variable of the binary's own: it is there for as long as the code is. */
static bool is_own_data(const struct rarog_binary *binary, uint64_t address, uint64_t size)
{
	const struct rarog_segment *segments;
	size_t n = rarog_binary_segments(binary, &segments);

	for (size_t i = 0; i < n; i++)
		if (address >= segments[i].vaddr && size <= segments[i].file_size &&
		    address - segments[i].vaddr <= segments[i].file_size - size)
			return true;
	return false;
}

/* Arguments on the stack, as long as its pointer is where the CALL has left it. */
static bool is_argument(const struct rarog_probe_step *step, const ZydisDecodedOperandMem *mem)
{
	return mem->base == ZYDIS_REGISTER_RSP && mem->index == ZYDIS_REGISTER_NONE &&
	       mem->disp.value >= 8 && mem->disp.value < STACK_ARGUMENTS &&
	       !(step->liberties & RAROG_PROBE_STACK);
}

/* Reading it never fails. */
static bool is_there(const struct rarog_probe_step *step, const ZydisDecodedInstruction *in,
		     const ZydisDecodedOperand *operand, uint64_t address)
{
	const ZydisDecodedOperandMem *mem = &operand->mem;

	if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE ||
	    mem->segment == ZYDIS_REGISTER_FS || mem->segment == ZYDIS_REGISTER_GS)
		return false;
	return is_argument(step, mem) ||
	       (mem->base == ZYDIS_REGISTER_RIP &&
		is_own_data(step->binary, address + in->length + (uint64_t)mem->disp.value,
			    operand->size / 8));
}

static bool is_below_stack(const ZydisDecodedOperandMem *mem)
{
	return mem->base == ZYDIS_REGISTER_RSP && mem->disp.value < 0;
}

static bool is_safe_memory(struct rarog_probe_step *step, const ZydisDecodedInstruction *in,
			   const ZydisDecodedOperand *operand, uint64_t address)
{
	if (operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN || in->mnemonic == ZYDIS_MNEMONIC_NOP ||
	    is_there(step, in, operand, address))
		return true;
	if (!(step->liberties & RAROG_PROBE_FAULTS) || is_below_stack(&operand->mem))
		return false;
	if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
		step->has_stored = true;
	return true;
}

/* The bit of a register that passes an argument, as value-path.h numbers them; 0: passes none. */
static uint8_t argument_bit(ZydisRegister whole)
{
	static const ZydisRegister passing[] = { ZYDIS_REGISTER_RDI, ZYDIS_REGISTER_RSI,
						 ZYDIS_REGISTER_RDX, ZYDIS_REGISTER_RCX,
						 ZYDIS_REGISTER_R8,  ZYDIS_REGISTER_R9 };

	for (size_t i = 0; i < RAROG_COUNT(passing); i++)
		if (passing[i] == whole)
			return (uint8_t)(1u << i);
	return 0;
}

static bool is_safe_register(struct rarog_probe_step *step, const ZydisDecodedOperand *operand)
{
	ZydisRegister whole =
		ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, operand->reg.value);

	if (!(operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
		return true;
	step->written |= argument_bit(whole);
	return whole != ZYDIS_REGISTER_RSP || step->liberties & RAROG_PROBE_STACK;
}

static bool is_safe_operand(struct rarog_probe_step *step, const ZydisDecodedInstruction *in,
			    const ZydisDecodedOperand *operand, uint64_t address)
{
	switch (operand->type) {
	case ZYDIS_OPERAND_TYPE_MEMORY:
		return is_safe_memory(step, in, operand, address);
	case ZYDIS_OPERAND_TYPE_REGISTER:
		return is_safe_register(step, operand);
	case ZYDIS_OPERAND_TYPE_IMMEDIATE:
		return true;
	default:
		return false;
	}
}

size_t rarog_probe_step(struct rarog_probe_step *step, size_t n, const uint8_t code[n],
			uint64_t address)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction in;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&step->decoder, code, n, &in, operands)) ||
	    !is_known(step, &in))
		return 0;
	for (size_t i = 0; i < in.operand_count; i++)
		if (!is_safe_operand(step, &in, &operands[i], address))
			return 0;
	return in.length;
}
