/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decoding is Zydis'. Kinds are told by opcode bytes, not by mnemonic, because Zydis' minimal mode,
 * which knows lengths and fields only, takes a third of the time; a linear pass over megabytes of
 * code uses it, while bytes that will be moved are decoded in full.
 *
 * References: Intel SDM volume 2, appendix A (opcode maps).
 */
#include "binary/instruction.h"

#include <Zydis/Zydis.h>

struct opcode_kind {
	uint8_t first, last;
	uint8_t flow;
};

/* One-byte opcodes, then those after 0F; ranges in rising order. 0xff (r/m forms) is separate. */
static const struct opcode_kind one_byte[] = {
	{ 0x70, 0x7f, RAROG_FLOW_BRANCH }, { 0x90, 0x90, RAROG_FLOW_NOP },
	{ 0xc2, 0xc3, RAROG_FLOW_RETURN }, { 0xca, 0xcb, RAROG_FLOW_RETURN },
	{ 0xcc, 0xcc, RAROG_FLOW_BREAK },  { 0xcd, 0xce, RAROG_FLOW_SYSTEM },
	{ 0xcf, 0xcf, RAROG_FLOW_RETURN }, { 0xe0, 0xe3, RAROG_FLOW_COUNT },
	{ 0xe8, 0xe8, RAROG_FLOW_CALL },   { 0xe9, 0xe9, RAROG_FLOW_JUMP },
	{ 0xeb, 0xeb, RAROG_FLOW_JUMP },   { 0xf1, 0xf1, RAROG_FLOW_SYSTEM },
	{ 0xf4, 0xf4, RAROG_FLOW_STOP },
};
static const struct opcode_kind two_byte[] = {
	{ 0x05, 0x05, RAROG_FLOW_SYSTEM }, { 0x07, 0x07, RAROG_FLOW_RETURN },
	{ 0x0b, 0x0b, RAROG_FLOW_STOP },   { 0x1f, 0x1f, RAROG_FLOW_NOP },
	{ 0x34, 0x34, RAROG_FLOW_SYSTEM }, { 0x35, 0x35, RAROG_FLOW_RETURN },
	{ 0x80, 0x8f, RAROG_FLOW_BRANCH }, { 0xb9, 0xb9, RAROG_FLOW_STOP },
	{ 0xff, 0xff, RAROG_FLOW_STOP },
};

/* FF /r: calls and jumps through registers and memory; 3 and 5 are the far ones. */
static const uint8_t group_five[8] = {
	[2] = RAROG_FLOW_INDIRECT_CALL,
	[3] = RAROG_FLOW_SYSTEM,
	[4] = RAROG_FLOW_INDIRECT_JUMP,
	[5] = RAROG_FLOW_SYSTEM,
};

/* The same for the status flags; the groups 80, 81 and 83 are separate. */
static const struct opcode_kind one_byte_flags[] = {
	{ 0x00, 0x05, RAROG_FLAGS_WRITTEN }, { 0x08, 0x0d, RAROG_FLAGS_WRITTEN },
	{ 0x10, 0x15, RAROG_FLAGS_READ },    { 0x18, 0x1d, RAROG_FLAGS_READ },
	{ 0x20, 0x25, RAROG_FLAGS_WRITTEN }, { 0x28, 0x2d, RAROG_FLAGS_WRITTEN },
	{ 0x30, 0x35, RAROG_FLAGS_WRITTEN }, { 0x38, 0x3d, RAROG_FLAGS_WRITTEN },
	{ 0x70, 0x7f, RAROG_FLAGS_READ },    { 0x84, 0x85, RAROG_FLAGS_WRITTEN },
	{ 0x9c, 0x9c, RAROG_FLAGS_READ },    { 0x9f, 0x9f, RAROG_FLAGS_READ },
	{ 0xa8, 0xa9, RAROG_FLAGS_WRITTEN }, { 0xc0, 0xc1, RAROG_FLAGS_READ },
	{ 0xd0, 0xd3, RAROG_FLAGS_READ },    { 0xda, 0xdb, RAROG_FLAGS_READ },
	{ 0xe0, 0xe1, RAROG_FLAGS_READ },    { 0xf5, 0xf5, RAROG_FLAGS_READ },
};
static const struct opcode_kind two_byte_flags[] = {
	{ 0x2e, 0x2f, RAROG_FLAGS_WRITTEN },
	{ 0x40, 0x4f, RAROG_FLAGS_READ },
	{ 0x80, 0x9f, RAROG_FLAGS_READ },
};

struct flow_tables {
	uint8_t one[256], two[256];
	uint8_t one_flags[256], two_flags[256];
};

static struct flow_tables tables;
static ZydisDecoder full_decoder, scan_decoder;

static void fill(uint8_t table[256], size_t n, const struct opcode_kind kinds[n])
{
	for (size_t i = 0; i < n; i++) {
		for (unsigned op = kinds[i].first; op <= kinds[i].last; op++)
			table[op] = kinds[i].flow;
	}
}

/* Before main(), so that decoding needs neither a lock nor a flag and threads may share it. */
__attribute__((constructor)) static void set_up(void)
{
	ZydisDecoderInit(&full_decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	ZydisDecoderInit(&scan_decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	ZydisDecoderEnableMode(&scan_decoder, ZYDIS_DECODER_MODE_MINIMAL, ZYAN_TRUE);
	fill(tables.one, sizeof(one_byte) / sizeof(one_byte[0]), one_byte);
	fill(tables.two, sizeof(two_byte) / sizeof(two_byte[0]), two_byte);
	fill(tables.one_flags, sizeof(one_byte_flags) / sizeof(one_byte_flags[0]), one_byte_flags);
	fill(tables.two_flags, sizeof(two_byte_flags) / sizeof(two_byte_flags[0]), two_byte_flags);
}

static bool has_prefix(const ZydisDecodedInstruction *in, uint8_t value)
{
	for (int i = 0; i < in->raw.prefix_count; i++) {
		if (in->raw.prefixes[i].value == value)
			return true;
	}
	return false;
}

static uint8_t flow_of_one_byte(const ZydisDecodedInstruction *in)
{
	if (in->opcode == 0xff)
		return group_five[in->raw.modrm.reg];
	if (in->opcode == 0xc7 && in->raw.imm[0].is_relative)
		return RAROG_FLOW_BEGIN;
	/* F3 90 is pause, and 41 90 is xchg r8d,eax */
	if (in->opcode == 0x90 && (has_prefix(in, 0xf3) || in->raw.rex.B))
		return RAROG_FLOW_NEXT;
	return tables.one[in->opcode];
}

static uint8_t flow_of(const ZydisDecodedInstruction *in)
{
	if (in->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
		return RAROG_FLOW_NEXT;
	if (in->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT)
		return flow_of_one_byte(in);
	if (in->opcode_map != ZYDIS_OPCODE_MAP_0F)
		return RAROG_FLOW_NEXT;
	/* only /0 is the documented nop; the others were given meanings (cldemote, …) */
	if (in->opcode == 0x1f && in->raw.modrm.reg != 0)
		return RAROG_FLOW_NEXT;
	return tables.two[in->opcode];
}

static uint8_t flags_of(const ZydisDecodedInstruction *in)
{
	bool is_adc_or_sbb = in->raw.modrm.reg == 2 || in->raw.modrm.reg == 3;

	if (in->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
		return RAROG_FLAGS_OTHER;
	if (in->opcode_map == ZYDIS_OPCODE_MAP_0F)
		return tables.two_flags[in->opcode];
	if (in->opcode_map != ZYDIS_OPCODE_MAP_DEFAULT) /* adcx, adox */
		return in->opcode == 0xf6 ? RAROG_FLAGS_READ : RAROG_FLAGS_OTHER;
	if (in->opcode >= 0x80 && in->opcode <= 0x83)
		return is_adc_or_sbb ? RAROG_FLAGS_READ : RAROG_FLAGS_WRITTEN;
	return tables.one_flags[in->opcode];
}

/* Offset of the last opcode byte in a legacy instruction: prefixes, then 0F when in that map. */
static uint8_t opcode_offset(const ZydisDecodedInstruction *in)
{
	return in->raw.prefix_count + (in->opcode_map == ZYDIS_OPCODE_MAP_0F ? 1 : 0);
}

static bool operand_uses_rsp(const ZydisDecodedInstruction *in)
{
	bool extended = in->raw.rex.B;

	if (in->raw.modrm.rm != 4 || extended)
		return false;
	return in->raw.modrm.mod == 3 || in->raw.sib.base == 4;
}

static void note_memory(const ZydisDecodedInstruction *in, uint64_t next,
			struct rarog_instruction *ret)
{
	if (in->raw.disp.size != 32)
		return;
	if (in->raw.modrm.offset == 0 || in->raw.modrm.mod != 0 || in->raw.modrm.rm != 5) {
		ret->displacement = (uint64_t)in->raw.disp.value;
		return;
	}
	ret->memory_offset = in->raw.disp.offset;
	ret->memory = next + (uint64_t)in->raw.disp.value;
	ret->short_prefixes |= has_prefix(in, 0x67);
}

static void note_immediate(const ZydisDecodedInstruction *in, uint64_t next,
			   struct rarog_instruction *ret)
{
	if (in->raw.imm[0].is_relative) {
		ret->relative_size = in->raw.imm[0].size / 8;
		ret->target = next + (uint64_t)in->raw.imm[0].value.s;
		/* Intel ignores 66 here, AMD takes 16 bits; with REX.W both agree. */
		ret->short_prefixes |= has_prefix(in, 0x66) && !in->raw.rex.W;
	} else if (in->raw.imm[0].size >= 32) {
		ret->absolute_size = in->raw.imm[0].size / 8;
		ret->absolute = in->raw.imm[0].value.u;
	}
}

static bool decode(const ZydisDecoder *decoder, size_t n, const uint8_t code[n], uint64_t address,
		   struct rarog_instruction *ret)
{
	ZydisDecodedInstruction in;

	if (n > RAROG_INSTRUCTION_MAX)
		n = RAROG_INSTRUCTION_MAX;
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(decoder, NULL, code, n, &in)))
		return false;
	*ret = (struct rarog_instruction){
		.length = in.length,
		.flow = flow_of(&in),
		.flags = flags_of(&in),
		.opcode = in.opcode,
		.opcode_offset = opcode_offset(&in),
		.is_lea = in.opcode == 0x8d && in.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT,
		.uses_stack_pointer = operand_uses_rsp(&in),
	};
	note_memory(&in, address + in.length, ret);
	if (in.raw.imm[0].size)
		note_immediate(&in, address + in.length, ret);
	return true;
}

bool rarog_instruction_decode(size_t n, const uint8_t code[n], uint64_t address,
			      struct rarog_instruction *ret)
{
	return decode(&full_decoder, n, code, address, ret);
}

bool rarog_instruction_scan(size_t n, const uint8_t code[n], uint64_t address,
			    struct rarog_instruction *ret)
{
	return decode(&scan_decoder, n, code, address, ret);
}

size_t rarog_instruction_memory_size(size_t n, const uint8_t code[n])
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction in;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&full_decoder, code, n, &in, operands)))
		return 0;
	for (size_t i = 0; i < in.operand_count_visible; i++)
		if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    operands[i].mem.type == ZYDIS_MEMOP_TYPE_MEM)
			return operands[i].size / 8;
	return 0;
}
