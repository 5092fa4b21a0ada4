/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A counter is reached by its address (programs: relative to rip, or absolute, or from a register),
 * or by that address and the thread's distance, which a library reads from thread-local storage:
 * the slot, which is the distance and 1.
 *
 * After a call all registers but those of the result are what they were: what the callee may have
 * changed is not used. An exception lands with the registers of any of the calls.
 */
#include "blocks/machine-step.h"

#include <errno.h>

#define WORD        8
#define LEAST_FIXED 0x200000 /* no smaller address is a fixed one */

struct line {
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	uint64_t address;
};

static const struct rarog_held other = { .kind = RAROG_HELD_OTHER };

/* --- what is told --- */

static void tell(struct rarog_steps *w, uint64_t counter, enum rarog_use_kind kind, int32_t factor)
{
	const struct rarog_native_use use = { counter, w->block, (uint8_t)kind, factor };

	if (w->is_telling && w->r == 0)
		w->r = w->notes->use(w->notes->context, &use);
}

/* @held is used in a way that is not understood. */
static void lose(struct rarog_steps *w, struct rarog_held held)
{
	held = rarog_held_lose(held, w->notes->owner, w->notes->of);
	if (held.kind == RAROG_HELD_LOST && w->is_telling && w->is_reached && w->r == 0)
		w->r = w->notes->lost(w->notes->context, held.base);
}

/* --- operands --- */

static int number_of(ZydisRegister reg)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	return whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15
		       ? (int)(whole - ZYDIS_REGISTER_RAX)
		       : -1;
}

static struct rarog_held in_register(const struct rarog_steps *w, ZydisRegister reg)
{
	int number = number_of(reg);

	return number < 0 ? other : w->now.registers[number];
}

/* A part of a register says nothing of the whole. */
static bool is_whole(ZydisRegister reg)
{
	return reg >= ZYDIS_REGISTER_RAX && reg <= ZYDIS_REGISTER_R15;
}

static void set_register(struct rarog_steps *w, ZydisRegister reg, struct rarog_held held)
{
	int number = number_of(reg);

	if (number >= 0)
		w->now.registers[number] = held;
}

/* Also beside the counters: a library adds what is one less. */
static bool is_near_counters(const struct rarog_steps *w, int64_t value)
{
	uint64_t at = (uint64_t)value;

	return w->notes->first != w->notes->end && at + WORD >= w->notes->first &&
	       at < w->notes->end;
}

static struct rarog_held constant(const struct rarog_steps *w, int64_t value)
{
	return (struct rarog_held){ .kind = is_near_counters(w, value) ? RAROG_HELD_COUNTER
								       : RAROG_HELD_PLACE,
				    .number = value };
}

/* Where programs lie at fixed addresses, a number or what stands beside a register may be one. */
static struct rarog_held fixed(const struct rarog_steps *w, int64_t value)
{
	return w->notes->first >= LEAST_FIXED && is_near_counters(w, value) ? constant(w, value)
									    : other;
}

static bool is_of_counter(const struct rarog_held *held)
{
	return held->kind == RAROG_HELD_READ || held->kind == RAROG_HELD_SUM;
}

/* The offset in a table, and the table. */
static bool is_of_table(const struct rarog_held *entry, const struct rarog_held *place)
{
	return entry->kind == RAROG_HELD_ENTRY && place->kind == RAROG_HELD_PLACE &&
	       entry->number == place->number;
}

static struct rarog_held sum_of(const struct rarog_steps *w, struct rarog_held a,
				struct rarog_held b)
{
	if (b.kind == RAROG_HELD_COUNTER || is_of_counter(&b)) {
		struct rarog_held swapped = a;

		a = b;
		b = swapped;
	}
	if (a.kind == RAROG_HELD_COUNTER && b.kind == RAROG_HELD_DISTANCE)
		return (struct rarog_held){ .kind = RAROG_HELD_OWN,
					    .number = a.number + b.number + 1,
					    .factor = a.factor };
	if (is_of_table(&a, &b) || is_of_table(&b, &a))
		return (struct rarog_held){ .kind = RAROG_HELD_TARGET, .number = a.number };
	if (is_of_counter(&a) && b.kind == RAROG_HELD_OTHER)
		return (struct rarog_held){ .kind = RAROG_HELD_SUM, .number = a.number };
	return rarog_held_lose_both(a, b, w->notes->owner, w->notes->of);
}

/* The address that a memory operand names, without its segment. */
static struct rarog_held address_of(const struct rarog_steps *w, const struct line *line,
				    const ZydisDecodedOperand *operand)
{
	bool has_base = operand->mem.base != ZYDIS_REGISTER_NONE;
	struct rarog_held base = in_register(w, operand->mem.base), index;
	int64_t value = operand->mem.disp.has_displacement ? operand->mem.disp.value : 0;

	if (operand->mem.base == ZYDIS_REGISTER_RIP)
		base = constant(w, (int64_t)line->address + line->in.length + value);
	else if (fixed(w, value).kind == RAROG_HELD_COUNTER)
		base = sum_of(w, fixed(w, value), base);
	else
		base = rarog_held_move(base, value);
	if (operand->mem.index == ZYDIS_REGISTER_NONE)
		return base;
	index = in_register(w, operand->mem.index);
	if (operand->mem.scale != 1)
		index = rarog_held_lose(index, w->notes->owner, w->notes->of);
	else if (!has_base && base.kind == RAROG_HELD_OTHER)
		return rarog_held_move(index, value);
	else if (base.kind == RAROG_HELD_OTHER)
		index = rarog_held_move(index, value);
	return sum_of(w, base, index);
}

static bool is_memory(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
	       operand->mem.type == ZYDIS_MEMOP_TYPE_MEM;
}

/* Nothing else is reached relative to GS, or has an address that is one more and a displacement of
 * one less. */
static bool is_no_other(const struct rarog_held *place, const ZydisDecodedOperand *operand)
{
	return place->number % WORD == 0 &&
	       (place->kind == RAROG_HELD_OWN || operand->mem.segment == ZYDIS_REGISTER_GS);
}

/* The counter that it is; 0: none. @ret_place: what the address is, lost if there is doubt. */
static uint64_t counter_at(const struct rarog_steps *w, const struct line *line,
			   const ZydisDecodedOperand *operand, struct rarog_held *ret_place)
{
	struct rarog_held place = address_of(w, line, operand);
	uint64_t at = (uint64_t)place.number;

	if (rarog_held_is_address(&place) && place.factor && !is_no_other(&place, operand))
		place = rarog_held_lose(place, w->notes->owner, w->notes->of);
	*ret_place = place;
	if (place.kind != RAROG_HELD_COUNTER && place.kind != RAROG_HELD_OWN)
		return 0;
	return at + operand->size / 8 > w->notes->first && at < w->notes->end ? at : 0;
}

/* What is read there. */
static struct rarog_held loaded(struct rarog_steps *w, const struct line *line,
				const ZydisDecodedOperand *operand)
{
	struct rarog_held place;
	uint64_t counter = counter_at(w, line, operand, &place);

	if (counter)
		return (struct rarog_held){ .kind = RAROG_HELD_READ, .number = (int64_t)counter };
	if (operand->size != 64)
		return other;
	if (operand->mem.segment == ZYDIS_REGISTER_FS || place.kind == RAROG_HELD_DISTANCE)
		return (struct rarog_held){ .kind = RAROG_HELD_DISTANCE };
	if (place.kind == RAROG_HELD_STACK)
		return rarog_holding_slot(&w->now, &place);
	if (operand->mem.base == ZYDIS_REGISTER_RSP &&
	    in_register(w, ZYDIS_REGISTER_RSP).kind != RAROG_HELD_STACK)
		return (struct rarog_held){ .kind = RAROG_HELD_LOST, .base = RAROG_HELD_ANY };
	return other;
}

static struct rarog_held value_of(struct rarog_steps *w, const struct line *line,
				  const ZydisDecodedOperand *operand)
{
	if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		return fixed(w, operand->imm.value.s);
	if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER)
		return is_whole(operand->reg.value) ? in_register(w, operand->reg.value) : other;
	return is_memory(operand) ? loaded(w, line, operand) : other;
}

/* --- what an instruction does to counters --- */

/* Of a whole word; what is wider or elsewhere reaches several. */
static void tell_all(struct rarog_steps *w, uint64_t at, uint32_t bytes, enum rarog_use_kind kind)
{
	for (uint64_t word = at & ~(uint64_t)(WORD - 1); word < at + bytes; word += WORD)
		if (word >= w->notes->first && word < w->notes->end)
			tell(w, word, kind, 0);
}

static enum rarog_use_kind kind_of(const struct line *line, const struct rarog_held *value,
				   int64_t counter, int32_t *ret_factor)
{
	const ZydisDecodedOperand *from = &line->operands[1];
	bool is_number = from->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
	int32_t number = is_number ? (int32_t)from->imm.value.s : 0;

	*ret_factor = 1;
	switch (line->in.mnemonic) {
	case ZYDIS_MNEMONIC_INC:
		return RAROG_USE_ADD;
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
		*ret_factor = line->in.mnemonic == ZYDIS_MNEMONIC_ADD ? number : -number;
		if (is_number)
			return RAROG_USE_ADD;
		return line->in.mnemonic == ZYDIS_MNEMONIC_ADD ? RAROG_USE_SUM : RAROG_USE_ODD;
	case ZYDIS_MNEMONIC_MOV:
		*ret_factor = value->factor;
		if (value->number != counter)
			return RAROG_USE_ODD;
		if (value->kind == RAROG_HELD_READ)
			return RAROG_USE_ADD;
		return value->kind == RAROG_HELD_SUM ? RAROG_USE_SUM : RAROG_USE_ODD;
	default:
		return RAROG_USE_ODD;
	}
}

/* An instruction whose operand @to is the counter at @at. */
static void use_counter(struct rarog_steps *w, const struct line *line,
			const ZydisDecodedOperand *to, uint64_t at)
{
	bool writes = to->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
	struct rarog_held value = other;
	int32_t factor = 0;
	enum rarog_use_kind kind = RAROG_USE_READ;

	if (writes && to->size == 64 && at % WORD == 0 && to == &line->operands[0]) {
		if (line->in.operand_count_visible > 1)
			value = value_of(w, line, &line->operands[1]);
		kind = kind_of(line, &value, (int64_t)at, &factor);
		tell(w, at, kind, factor);
	} else {
		tell_all(w, at, to->size / 8, writes ? RAROG_USE_ODD : RAROG_USE_READ);
	}
	if (writes)
		rarog_holding_forget(&w->now, -1);
}

static void store(struct rarog_steps *w, const struct rarog_held *place, uint32_t bits,
		  struct rarog_held value)
{
	if (place->kind != RAROG_HELD_STACK) {
		lose(w, value);
		return;
	}
	if (bits != 64) {
		lose(w, value);
		value = other;
	}
	if (w->r == 0)
		w->r = rarog_holding_store(&w->now, place, bits / 8, value);
}

/* Memory operands: counters, lost addresses, the stack. Only a plain move keeps a value. */
static void use_memory(struct rarog_steps *w, const struct line *line)
{
	for (int i = 0; i < line->in.operand_count; i++) {
		const ZydisDecodedOperand *operand = &line->operands[i];
		struct rarog_held place, value = other;
		uint64_t counter;

		if (!is_memory(operand))
			continue;
		counter = counter_at(w, line, operand, &place);
		if (counter) {
			use_counter(w, line, operand, counter);
			continue;
		}
		if (place.kind == RAROG_HELD_LOST)
			lose(w, place);
		if (!(operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		if (i == 0 && line->in.mnemonic == ZYDIS_MNEMONIC_MOV)
			value = value_of(w, line, &line->operands[1]);
		if (line->in.mnemonic != ZYDIS_MNEMONIC_PUSH &&
		    line->in.mnemonic != ZYDIS_MNEMONIC_CALL)
			store(w, &place, operand->size, value);
	}
}

/* --- what it does to registers --- */

static bool clears(const struct line *line)
{
	const ZydisDecodedOperand *a = &line->operands[0], *b = &line->operands[1];

	return (line->in.mnemonic == ZYDIS_MNEMONIC_XOR ||
		line->in.mnemonic == ZYDIS_MNEMONIC_SUB ||
		line->in.mnemonic == ZYDIS_MNEMONIC_SBB) &&
	       a->type == ZYDIS_OPERAND_TYPE_REGISTER && b->type == a->type &&
	       a->reg.value == b->reg.value;
}

static bool only_compares(const struct line *line)
{
	return line->in.mnemonic == ZYDIS_MNEMONIC_CMP || line->in.mnemonic == ZYDIS_MNEMONIC_TEST;
}

/* Whatever it is: what it reads gets out of sight, what it writes is something else. */
static void do_anything(struct rarog_steps *w, const struct line *line)
{
	for (int i = 0; i < line->in.operand_count; i++) {
		const ZydisDecodedOperand *operand = &line->operands[i];

		if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ && !only_compares(line) &&
		    !clears(line))
			lose(w, in_register(w, operand->reg.value));
	}
	for (int i = 0; i < line->in.operand_count; i++) {
		const ZydisDecodedOperand *operand = &line->operands[i];

		if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			set_register(w, operand->reg.value, other);
	}
}

/* The 64-bit register that is written first; NONE: there is none. */
static ZydisRegister target_of(const struct line *line)
{
	const ZydisDecodedOperand *to = &line->operands[0];

	return to->type == ZYDIS_OPERAND_TYPE_REGISTER && is_whole(to->reg.value)
		       ? to->reg.value
		       : ZYDIS_REGISTER_NONE;
}

/* A 32-bit constant may be an address, too. */
static bool do_move(struct rarog_steps *w, const struct line *line)
{
	const ZydisDecodedOperand *to = &line->operands[0], *from = &line->operands[1];

	if (is_memory(to))
		return true; /* done */
	if (to->type != ZYDIS_OPERAND_TYPE_REGISTER || number_of(to->reg.value) < 0)
		return false;
	if (!is_whole(to->reg.value) &&
	    !(from->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && to->size == 32))
		return false;
	set_register(w, to->reg.value, value_of(w, line, from));
	return true;
}

static bool do_lea(struct rarog_steps *w, const struct line *line)
{
	ZydisRegister to = target_of(line);
	struct rarog_held place = address_of(w, line, &line->operands[1]);

	if (to == ZYDIS_REGISTER_NONE) {
		lose(w, place); /* half of it */
		return false;
	}
	set_register(w, to, place);
	return true;
}

static bool do_add(struct rarog_steps *w, const struct line *line)
{
	bool is_negative = line->in.mnemonic == ZYDIS_MNEMONIC_SUB;
	const ZydisDecodedOperand *from = &line->operands[1];
	ZydisRegister to = target_of(line);
	struct rarog_held held, more;

	if (to == ZYDIS_REGISTER_NONE)
		return false;
	held = in_register(w, to);
	more = value_of(w, line, from);
	if (from->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && held.kind != RAROG_HELD_OTHER)
		held = rarog_held_move(held, is_negative ? -from->imm.value.s : from->imm.value.s);
	else if (is_negative)
		return false;
	else
		held = sum_of(w, held, more);
	set_register(w, to, held);
	return true;
}

static bool do_increase(struct rarog_steps *w, const struct line *line)
{
	ZydisRegister to = target_of(line);

	if (to == ZYDIS_REGISTER_NONE)
		return is_memory(&line->operands[0]);
	set_register(w, to,
		     rarog_held_move(in_register(w, to),
				     line->in.mnemonic == ZYDIS_MNEMONIC_INC ? 1 : -1));
	return true;
}

/* An entry of a table of offsets, by its number. */
static bool do_extend(struct rarog_steps *w, const struct line *line)
{
	const ZydisDecodedOperand *from = &line->operands[1];
	ZydisRegister to = target_of(line);
	struct rarog_held table;

	if (to == ZYDIS_REGISTER_NONE || !is_memory(from) || from->size != 32 ||
	    from->mem.scale != 4 || (from->mem.disp.has_displacement && from->mem.disp.value != 0))
		return false;
	table = in_register(w, from->mem.base);
	if (table.kind != RAROG_HELD_PLACE)
		return false;
	set_register(w, to,
		     (struct rarog_held){ .kind = RAROG_HELD_ENTRY, .number = table.number });
	return true;
}

static bool do_jump(struct rarog_steps *w, const struct line *line)
{
	const ZydisDecodedOperand *to = &line->operands[0];
	struct rarog_held held =
		to->type == ZYDIS_OPERAND_TYPE_REGISTER ? in_register(w, to->reg.value) : other;

	if (held.kind != RAROG_HELD_TARGET)
		return false;
	w->table = (uint64_t)held.number;
	return true;
}

/* The stack pointer, aligned: from here on places are told from its new value. */
static bool do_align(struct rarog_steps *w, const struct line *line)
{
	if (target_of(line) != ZYDIS_REGISTER_RSP)
		return false;
	w->now.registers[number_of(ZYDIS_REGISTER_RSP)] =
		(struct rarog_held){ .kind = RAROG_HELD_STACK, .base = (uint32_t)line->address };
	return true;
}

static bool do_push(struct rarog_steps *w, const struct line *line)
{
	struct rarog_held *top = &w->now.registers[number_of(ZYDIS_REGISTER_RSP)];

	*top = rarog_held_move(*top, -WORD);
	store(w, top, 64, value_of(w, line, &line->operands[0]));
	return true;
}

static bool do_pop(struct rarog_steps *w, const struct line *line)
{
	struct rarog_held *top = &w->now.registers[number_of(ZYDIS_REGISTER_RSP)];
	struct rarog_held value =
		top->kind == RAROG_HELD_STACK ? rarog_holding_slot(&w->now, top) : other;

	*top = rarog_held_move(*top, WORD);
	if (line->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER)
		set_register(w, line->operands[0].reg.value, value);
	return true;
}

static bool do_leave(struct rarog_steps *w, const struct line *line)
{
	struct rarog_held *top = &w->now.registers[number_of(ZYDIS_REGISTER_RSP)];
	struct rarog_held *frame = &w->now.registers[number_of(ZYDIS_REGISTER_RBP)];

	(void)line;
	*top = rarog_held_move(*frame, WORD);
	*frame = other;
	return true;
}

static bool do_exchange(struct rarog_steps *w, const struct line *line)
{
	const ZydisDecodedOperand *a = &line->operands[0], *b = &line->operands[1];
	struct rarog_held held;

	if (target_of(line) == ZYDIS_REGISTER_NONE || b->type != ZYDIS_OPERAND_TYPE_REGISTER)
		return false;
	held = in_register(w, a->reg.value);
	set_register(w, a->reg.value, in_register(w, b->reg.value));
	set_register(w, b->reg.value, held);
	return true;
}

/* What was read from counters may be old now: the callee counts, too. */
static bool do_call(struct rarog_steps *w, const struct line *line)
{
	const ZydisDecodedOperand *to = &line->operands[0];
	uint64_t target = to->type == ZYDIS_OPERAND_TYPE_IMMEDIATE
				  ? line->address + line->in.length + (uint64_t)to->imm.value.s
				  : 0;
	int r;

	rarog_holding_forget(&w->now, -1);
	if (target && target == w->notes->enter)
		return true;
	set_register(w, ZYDIS_REGISTER_RAX, other);
	set_register(w, ZYDIS_REGISTER_RDX, other);
	r = rarog_holding_join(&w->thrown, &w->now, w->notes->owner, w->notes->of);
	w->r = r < 0 ? r : w->r;
	return true;
}

static const struct {
	ZydisMnemonic mnemonic;
	bool (*act)(struct rarog_steps *w, const struct line *line); /* false: as any other */
} acts[] = {
	{ ZYDIS_MNEMONIC_MOV, do_move },      { ZYDIS_MNEMONIC_LEA, do_lea },
	{ ZYDIS_MNEMONIC_ADD, do_add },       { ZYDIS_MNEMONIC_SUB, do_add },
	{ ZYDIS_MNEMONIC_INC, do_increase },  { ZYDIS_MNEMONIC_DEC, do_increase },
	{ ZYDIS_MNEMONIC_AND, do_align },     { ZYDIS_MNEMONIC_PUSH, do_push },
	{ ZYDIS_MNEMONIC_POP, do_pop },       { ZYDIS_MNEMONIC_LEAVE, do_leave },
	{ ZYDIS_MNEMONIC_XCHG, do_exchange }, { ZYDIS_MNEMONIC_CALL, do_call },
	{ ZYDIS_MNEMONIC_MOVSXD, do_extend }, { ZYDIS_MNEMONIC_JMP, do_jump },
};

static void step(struct rarog_steps *w, const struct line *line)
{
	if (line->in.mnemonic == ZYDIS_MNEMONIC_NOP || line->in.mnemonic == ZYDIS_MNEMONIC_ENDBR64)
		return;
	use_memory(w, line);
	for (size_t i = 0; !clears(line) && i < RAROG_COUNT(acts); i++)
		if (acts[i].mnemonic == line->in.mnemonic && acts[i].act(w, line))
			return;
	do_anything(w, line);
}

void rarog_steps_init(struct rarog_steps *steps, const struct rarog_walk_notes *notes)
{
	*steps = (struct rarog_steps){ .notes = notes };
	ZydisDecoderInit(&steps->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

void rarog_steps_release(struct rarog_steps *steps)
{
	rarog_holding_release(&steps->now);
	rarog_holding_release(&steps->thrown);
}

struct rarog_holding rarog_steps_at_entry(void)
{
	struct rarog_holding holding = { .is_seen = true };

	holding.registers[number_of(ZYDIS_REGISTER_RSP)].kind = RAROG_HELD_STACK;
	return holding;
}

int rarog_steps_through(struct rarog_steps *steps, uint32_t block,
			const struct rarog_holding *before, const struct rarog_code *code)
{
	struct line line;

	steps->block = block;
	steps->is_reached = before->is_seen;
	steps->table = 0;
	steps->r = rarog_holding_copy(&steps->now, before);
	for (uint32_t at = 0; steps->r == 0 && code->bytes && at < code->size;
	     at += line.in.length) {
		line.address = code->address + at;
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&steps->decoder, code->bytes + at,
							 code->size - at, &line.in, line.operands)))
			break;
		step(steps, &line);
	}
	rarog_holding_forget(&steps->now, -1);
	return steps->r;
}
