/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Understood are registers, the values that they had at entry, memory relative to the frame, and
 * pieces of these. At the first instruction the frame is the 8 bytes above the stack pointer (CFA =
 * rsp + 8); what lies below that, or relative to a frame pointer that is not yet set, comes later.
 */
#include "binary/entry-place.h"

#include <dwarf.h>

#define EXPRESSIONS 4

/* In the order of DWARF's numbers: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8, r9. */
static int general_of(uint64_t number)
{
	static const int8_t order[] = { -1, 2, 3, -1, 1, 0, -1, -1, 4, 5 };

	return number < sizeof(order) ? order[number] : -1;
}

static bool set_register(struct rarog_abi_place *place, unsigned eightbyte, uint64_t number)
{
	bool is_vector = number >= 17 && number < 17 + RAROG_ABI_VECTOR;
	int general = general_of(number);

	if (eightbyte > 1 || (!is_vector && general < 0))
		return false;
	place->where = RAROG_ABI_REGISTERS;
	place->classes[eightbyte] = is_vector ? RAROG_ABI_SSE : RAROG_ABI_INTEGER;
	place->registers[eightbyte] = (uint8_t)(is_vector ? number - 17 : (uint64_t)general);
	return true;
}

/* The register of "its value at entry". */
static bool entry_register(Dwarf_Attribute *attribute, const Dwarf_Op *op, uint64_t *ret_number)
{
	Dwarf_Attribute inner;
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_getlocation_attr(attribute, op, &inner) != 0 ||
	    dwarf_getlocation(&inner, &ops, &n) != 0 || n != 1)
		return false;
	if (ops->atom >= DW_OP_reg0 && ops->atom <= DW_OP_reg31)
		*ret_number = ops->atom - DW_OP_reg0;
	else if (ops->atom == DW_OP_regx)
		*ret_number = ops->number;
	else
		return false;
	return true;
}

/* Is the frame that DW_OP_fbreg counts from the CFA? */
static bool frame_is_cfa(Dwarf_Die *function)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t n;

	return dwarf_attr_integrate(function, DW_AT_frame_base, &attribute) &&
	       dwarf_getlocation(&attribute, &ops, &n) == 0 && n == 1 &&
	       ops->atom == DW_OP_call_frame_cfa;
}

/* A memory operand as an offset from the stack pointer at the entry. */
static bool stack_offset(Dwarf_Die *function, const Dwarf_Op *op, int64_t *ret_offset)
{
	if (op->atom == DW_OP_fbreg && frame_is_cfa(function))
		*ret_offset = (int64_t)op->number + 8;
	else if (op->atom == DW_OP_call_frame_cfa)
		*ret_offset = 8;
	else if (op->atom == DW_OP_breg7)
		*ret_offset = (int64_t)op->number;
	else
		return false;
	return true;
}

static bool is_frame(const Dwarf_Op *op)
{
	return op->atom == DW_OP_fbreg || op->atom == DW_OP_breg6 || op->atom == DW_OP_breg7 ||
	       op->atom == DW_OP_call_frame_cfa;
}

/* The operations of one piece, up to DW_OP_piece or the end; sets how many they are. */
static enum rarog_entry_place read_piece(Dwarf_Die *function, Dwarf_Attribute *attribute, size_t n,
					 const Dwarf_Op ops[], uint64_t at, size_t *ret_used,
					 struct rarog_abi_place *place)
{
	uint64_t number = 0;
	int64_t offset;

	*ret_used = 1;
	if (ops->atom >= DW_OP_reg0 && ops->atom <= DW_OP_reg31)
		number = ops->atom - DW_OP_reg0;
	else if (ops->atom == DW_OP_regx)
		number = ops->number;
	else if (ops->atom == DW_OP_entry_value || ops->atom == DW_OP_GNU_entry_value) {
		if (!entry_register(attribute, ops, &number) || n < 2 ||
		    ops[1].atom != DW_OP_stack_value)
			return RAROG_ENTRY_UNKNOWN;
		*ret_used = 2;
	} else if (at == 0 && n == 1 && stack_offset(function, ops, &offset) && offset >= 8) {
		place->where = RAROG_ABI_STACK;
		place->stack = (int32_t)offset;
		return RAROG_ENTRY_KNOWN;
	} else {
		return is_frame(ops) ? RAROG_ENTRY_LATER : RAROG_ENTRY_UNKNOWN;
	}
	return at % 8 == 0 && set_register(place, (unsigned)(at / 8), number) ? RAROG_ENTRY_KNOWN
									      : RAROG_ENTRY_UNKNOWN;
}

static enum rarog_entry_place read_ops(Dwarf_Die *function, Dwarf_Attribute *attribute, size_t n,
				       const Dwarf_Op ops[], uint64_t size,
				       struct rarog_abi_place *place)
{
	uint64_t at = 0;

	while (n > 0) {
		size_t used;
		enum rarog_entry_place where =
			read_piece(function, attribute, n, ops, at, &used, place);

		if (where != RAROG_ENTRY_KNOWN)
			return where;
		ops += used;
		n -= used;
		if (n > 0 && ops->atom != DW_OP_piece)
			return RAROG_ENTRY_UNKNOWN;
		if (n > 0) {
			at += ops->number;
			ops++;
			n--;
		} else {
			at = size;
		}
	}
	/* an address in a register that stands for a value of another size is none of ours */
	return at >= size && (size <= 8 || place->where == RAROG_ABI_STACK ||
			      place->classes[1] != RAROG_ABI_NONE)
		       ? RAROG_ENTRY_KNOWN
		       : RAROG_ENTRY_UNKNOWN;
}

enum rarog_entry_place rarog_entry_place(Dwarf_Die *function, Dwarf_Die *parameter,
					 uint64_t address, uint64_t size,
					 struct rarog_abi_place *ret_place)
{
	struct rarog_abi_place place = { 0 };
	Dwarf_Attribute attribute;
	Dwarf_Op *ops[EXPRESSIONS];
	size_t lengths[EXPRESSIONS];
	enum rarog_entry_place where;

	if (!dwarf_attr(parameter, DW_AT_location, &attribute) ||
	    dwarf_getlocation_addr(&attribute, address, ops, lengths, EXPRESSIONS) != 1 ||
	    lengths[0] == 0)
		return RAROG_ENTRY_UNKNOWN;
	where = read_ops(function, &attribute, lengths[0], ops[0], size, &place);
	if (where == RAROG_ENTRY_KNOWN)
		*ret_place = place;
	return where;
}

bool rarog_entry_agrees(const struct rarog_abi_place *abi, const struct rarog_abi_place *seen)
{
	if (abi->where != seen->where)
		return false;
	if (abi->where == RAROG_ABI_STACK)
		return abi->stack == seen->stack;
	for (int i = 0; i < 2; i++) {
		bool is_passed =
			abi->classes[i] == RAROG_ABI_INTEGER || abi->classes[i] == RAROG_ABI_SSE;

		if (seen->classes[i] == RAROG_ABI_NONE || !is_passed)
			continue;
		if (abi->classes[i] != seen->classes[i] || abi->registers[i] != seen->registers[i])
			return false;
	}
	return true;
}
