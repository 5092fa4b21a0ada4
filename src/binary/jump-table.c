/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From the jump backwards, in the order of the bytes: what makes the target, which register has the
 * table's address, what the index was compared with:
 *
 *	cmp $7,%edi;  ja default;  lea table(%rip),%rdx
 *	movslq (%rdx,%rdi,4),%rax;  add %rdx,%rax;  jmp *%rax
 *
 *	mov (%rbx,%rax,8),%rax;  jmp *%rax            or  jmp *(%rbx,%rax,8)
 *	jmp *table(,%rax,8)
 *
 * The address may have been computed long before: then any LEA of the run to that register will do
 * if there is one only that is a table's. Nothing is taken on trust: an entry that does not lead to
 * an instruction of the function ends the table.
 */
#include "binary/jump-table.h"

#include <string.h>
#include <Zydis/Zydis.h>

#include "base/cleanup.h"
#include "base/lower-bound.h"

#define LOOK_BACK   48 /* instructions */
#define ENTRIES_MAX 65536
#define BYTE_VALUES 256

struct decoded {
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
};

struct looking {
	const struct rarog_code_map *map;
	const struct rarog_filled_words *words;
	const struct rarog_code_run *run;
	rarog_is_own_code *is_own;
	const void *context;
	size_t at; /* the instruction that reads the table */
	ZydisRegister base, index;
	struct rarog_jump_table table;
};

static ZydisDecoder decoder;

__attribute__((constructor)) static void set_up(void)
{
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

static bool decode(const struct rarog_code_run *run, size_t number, struct decoded *ret)
{
	uint32_t offset = run->offsets[number];

	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, run->code + offset, run->size - offset,
						   &ret->in, ret->operand));
}

static ZydisRegister whole(ZydisRegister reg)
{
	return ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
}

static ZydisRegister register_of(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER ? whole(operand->reg.value)
							    : ZYDIS_REGISTER_NONE;
}

static bool writes(const struct decoded *d, ZydisRegister reg)
{
	for (int i = 0; i < d->in.operand_count; i++)
		if (d->operand[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE &&
		    register_of(&d->operand[i]) == reg)
			return true;
	return false;
}

static uint64_t address_of(const struct looking *l, size_t number, const struct decoded *d,
			   const ZydisDecodedOperand *memory)
{
	return l->run->start + l->run->offsets[number] + d->in.length +
	       (uint64_t)memory->mem.disp.value;
}

/* --- what makes the target --- */

/* A word of a table: of offsets, or of addresses. */
static bool reads_table(struct looking *l, size_t number, const ZydisDecodedOperand *operand)
{
	const ZydisDecodedOperandMem *mem = &operand->mem;

	if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY || mem->index == ZYDIS_REGISTER_NONE ||
	    operand->size != 8u * mem->scale || (mem->scale != 4 && mem->scale != 8))
		return false;
	l->at = number;
	l->base = mem->base == ZYDIS_REGISTER_NONE ? mem->base : whole(mem->base);
	l->index = whole(mem->index);
	l->table.entry_bytes = mem->scale;
	l->table.address = mem->disp.has_displacement ? (uint64_t)mem->disp.value : 0;
	return true;
}

/* The instruction that reads the table whose word @reg has, or is added to, before @number. */
static bool find_read(struct looking *l, size_t number, ZydisRegister reg)
{
	ZydisRegister other = ZYDIS_REGISTER_NONE;
	size_t first = number > LOOK_BACK ? number - LOOK_BACK : 0;

	while (number-- > first) {
		struct decoded d;

		if (!decode(l->run, number, &d))
			return false;
		bool has = writes(&d, reg), has_other = other && writes(&d, other);

		if (!has && !has_other)
			continue;
		if (d.in.mnemonic == ZYDIS_MNEMONIC_ADD && has && !other &&
		    register_of(&d.operand[1])) {
			other = register_of(&d.operand[1]);
			continue;
		}
		if (d.in.mnemonic == ZYDIS_MNEMONIC_MOVSXD || d.in.mnemonic == ZYDIS_MNEMONIC_MOV) {
			if (reads_table(l, number, &d.operand[1]))
				return (l->table.entry_bytes == 4) == (other != 0);
			if (has && register_of(&d.operand[1])) {
				reg = register_of(&d.operand[1]);
				continue;
			}
		}
		if (has || d.in.mnemonic != ZYDIS_MNEMONIC_LEA)
			return false;
	}
	return false;
}

static bool find_target(struct looking *l, size_t number)
{
	struct decoded d;

	if (!decode(l->run, number, &d))
		return false;
	if (reads_table(l, number, &d.operand[0]))
		return l->table.entry_bytes == 8;
	return register_of(&d.operand[0]) && find_read(l, number, register_of(&d.operand[0]));
}

/* --- entries --- */

static bool is_lea_to(const struct decoded *d, ZydisRegister reg)
{
	return d->in.mnemonic == ZYDIS_MNEMONIC_LEA && register_of(&d->operand[0]) == reg &&
	       d->operand[1].mem.base == ZYDIS_REGISTER_RIP;
}

static bool leads_into(const struct looking *l, uint64_t target)
{
	const struct rarog_code_run *run = l->run;
	uint64_t offset = target - run->start;

	if (offset >= run->size)
		return l->is_own && l->is_own(l->context, run, target);
	size_t at = rarog_lower_bound(i, run->n, run->offsets[i] < offset);

	return at < run->n && run->offsets[at] == offset;
}

/* --- how long it is --- */

struct bound {
	ZydisRegister index;           /* the register that has it … */
	ZydisDecodedOperandMem memory; /* … or had it from here */
	bool is_in_memory, is_above;   /* a jump for what is above was seen */
	uint32_t most;                 /* values that the index may have; 0: not known … */
	bool is_known;                 /* … as the code asks for it */
};

static bool is_index(const struct bound *b, const ZydisDecodedOperand *operand)
{
	if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && b->is_in_memory)
		return operand->mem.base == b->memory.base &&
		       operand->mem.index == b->memory.index &&
		       operand->mem.disp.value == b->memory.disp.value;
	return b->index && register_of(operand) == b->index;
}

static bool has_constant(const struct decoded *d)
{
	return d->operand[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
	       d->operand[1].imm.value.u < ENTRIES_MAX;
}

/* The index is a copy of something else. Does the search go on? */
static bool follow_copy(struct bound *b, const struct decoded *d)
{
	const ZydisDecodedOperand *from = &d->operand[1];

	if (d->in.mnemonic == ZYDIS_MNEMONIC_MOVZX && from->size == 8)
		b->most = BYTE_VALUES;
	else if (d->in.mnemonic != ZYDIS_MNEMONIC_MOV && d->in.mnemonic != ZYDIS_MNEMONIC_MOVZX &&
		 d->in.mnemonic != ZYDIS_MNEMONIC_MOVSXD)
		return false;
	b->index = register_of(from);
	b->is_in_memory = from->type == ZYDIS_OPERAND_TYPE_MEMORY;
	if (b->is_in_memory)
		b->memory = from->mem;
	return b->index || b->is_in_memory;
}

/* Returns whether the search goes on. */
static bool look_for_bound(struct bound *b, const struct decoded *d)
{
	if (d->in.mnemonic == ZYDIS_MNEMONIC_JNBE) {
		b->is_above = true;
		return true;
	}
	if (d->in.meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
	    d->in.meta.category == ZYDIS_CATEGORY_RET)
		return false;
	if (d->in.mnemonic == ZYDIS_MNEMONIC_CMP && b->is_above && has_constant(d) &&
	    is_index(b, &d->operand[0])) {
		b->most = (uint32_t)d->operand[1].imm.value.u + 1;
		b->is_known = true;
		return false;
	}
	if (!b->index || !writes(d, b->index))
		return true;
	if (d->in.mnemonic == ZYDIS_MNEMONIC_AND && has_constant(d)) {
		b->most = (uint32_t)d->operand[1].imm.value.u + 1;
		b->is_known = true;
		return false;
	}
	return follow_copy(b, d);
}

static void find_bound(struct looking *l)
{
	struct bound b = { .index = l->index };
	size_t first = l->at > LOOK_BACK ? l->at - LOOK_BACK : 0;

	for (size_t i = l->at; i-- > first;) {
		struct decoded d;

		if (!decode(l->run, i, &d) || !look_for_bound(&b, &d))
			break;
	}
	l->table.entries = b.most;
	l->table.is_bounded = b.is_known;
}

/* Where the next table begins that code names. */
static uint64_t next_table(const struct rarog_code_map *map, uint64_t address)
{
	size_t at = rarog_lower_bound(i, map->bases.n, map->bases.v[i].address <= address);

	return at < map->bases.n ? map->bases.v[at].address : UINT64_MAX;
}

static uint32_t count_entries(const struct looking *l, struct rarog_jump_table *table)
{
	uint64_t end = table->is_bounded ? UINT64_MAX : next_table(l->map, table->address);
	uint32_t most = table->entries ? table->entries : ENTRIES_MAX, n = 0;

	while (n < most && table->address + (uint64_t)n * table->entry_bytes < end &&
	       leads_into(l, rarog_jump_table_target(l->words, table, n)))
		n++;
	table->is_bounded &= n == most;
	table->entries = n;
	return n;
}

/* --- where it is --- */

/* @entire: it must have as many entries as the index has values. */
static bool is_table(const struct looking *l, uint64_t address, bool entire)
{
	struct rarog_jump_table table = l->table;

	table.address += address;
	return count_entries(l, &table) > 0 && (!entire || table.is_bounded == l->table.is_bounded);
}

static bool take_base(struct looking *l, size_t number, const struct decoded *d, bool entire)
{
	uint64_t address = address_of(l, number, d, &d->operand[1]);

	if (!is_table(l, address, entire))
		return false;
	l->table.address += address;
	return true;
}

/* The register was set far from here: the nearest LEA before it, or after it, that will do. */
static bool find_far_base(struct looking *l)
{
	for (size_t i = 0; i < l->run->n; i++) {
		size_t number = i < l->at ? l->at - 1 - i : i;
		const uint8_t *code = l->run->code + l->run->offsets[number];
		struct decoded d;

		if (code[0] >> 4 == 4 && code[1] == 0x8d && decode(l->run, number, &d) &&
		    is_lea_to(&d, l->base) && take_base(l, number, &d, true))
			return true;
	}
	return false;
}

static bool is_same_place(const ZydisDecodedOperand *a, const ZydisDecodedOperandMem *b)
{
	return a->type == ZYDIS_OPERAND_TYPE_MEMORY && a->mem.base == b->base &&
	       a->mem.index == b->index && a->mem.disp.value == b->disp.value;
}

/* The LEA whose result the instruction @number stores. */
static bool take_stored(struct looking *l, size_t number, ZydisRegister reg)
{
	size_t first = number > LOOK_BACK ? number - LOOK_BACK : 0;

	while (number-- > first) {
		struct decoded d;

		if (!decode(l->run, number, &d))
			return false;
		if (writes(&d, reg))
			return is_lea_to(&d, reg) && take_base(l, number, &d, true);
	}
	return false;
}

/* The register was kept on the stack. */
static bool find_stored_base(struct looking *l, const ZydisDecodedOperandMem *place)
{
	for (size_t i = 0; i < l->run->n; i++) {
		const uint8_t *code = l->run->code + l->run->offsets[i];
		struct decoded d;

		if (code[0] >> 4 == 4 && code[1] == 0x89 && decode(l->run, i, &d) &&
		    is_same_place(&d.operand[0], place) &&
		    take_stored(l, i, register_of(&d.operand[1])))
			return true;
	}
	return false;
}

static bool find_base(struct looking *l)
{
	size_t first = l->at > LOOK_BACK ? l->at - LOOK_BACK : 0;

	if (!l->base)
		return l->table.address != 0 && is_table(l, 0, false);
	for (size_t i = l->at; i-- > first;) {
		struct decoded d;

		if (!decode(l->run, i, &d) || d.in.meta.category == ZYDIS_CATEGORY_UNCOND_BR)
			break;
		if (!writes(&d, l->base))
			continue;
		if (is_lea_to(&d, l->base) && take_base(l, i, &d, false))
			return true;
		if (d.in.mnemonic == ZYDIS_MNEMONIC_MOV &&
		    d.operand[1].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    find_stored_base(l, &d.operand[1].mem))
			return true;
		break;
	}
	return find_far_base(l);
}

bool rarog_jump_table_find(const struct rarog_code_map *map, const struct rarog_filled_words *words,
			   const struct rarog_code_run *run, size_t number,
			   rarog_is_own_code *is_own, const void *context,
			   struct rarog_jump_table *ret_table)
{
	struct looking l = { map, words, run, is_own, context, 0, 0, 0, { 0 } };

	if (!find_target(&l, number))
		return false;
	find_bound(&l);
	if (!find_base(&l))
		return false;
	l.table.jump = run->start + run->offsets[number];
	count_entries(&l, &l.table);
	*ret_table = l.table;
	return true;
}

uint64_t rarog_jump_table_target(const struct rarog_filled_words *words,
				 const struct rarog_jump_table *table, uint32_t number)
{
	uint64_t at = table->address + (uint64_t)number * table->entry_bytes;
	const uint8_t *bytes = rarog_binary_bytes(words->binary, at, table->entry_bytes);
	int32_t offset;

	if (!bytes)
		return 0;
	if (table->entry_bytes == sizeof(uint64_t))
		return rarog_filled_words_value(words, at);
	memcpy(&offset, bytes, sizeof(offset));
	return table->address + (uint64_t)(int64_t)offset;
}
