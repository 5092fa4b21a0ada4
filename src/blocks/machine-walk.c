/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A counter is reached by its address (programs: relative to rip, or absolute, or from a register),
 * or by that address and the thread's distance, which a library reads from thread-local storage:
 * the slot, which is the distance and 1.
 *
 * Behind a call all registers but those of the result are what they were: what the callee may have
 * changed, nobody uses. An exception lands with the registers of any of the calls.
 */
#include "blocks/machine-walk.h"

#include <errno.h>
#include <stdlib.h>

#include <Zydis/Zydis.h>

#include "base/cleanup.h"
#include "base/error.h"

#define WORD        8
#define LEAST_FIXED 0x200000 /* no smaller address is a fixed one */

struct line {
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	uint64_t address;
};

struct walk {
	const struct rarog_binary *binary;
	const struct rarog_code_graph *graph;
	const struct rarog_walk_notes *notes;
	ZydisDecoder decoder;
	struct rarog_holding now;     /* at the instruction */
	struct rarog_holding thrown;  /* behind any call */
	struct rarog_holding *before; /* by block */
	bool *is_landing;             /* by block: it is also entered from outside */
	uint32_t *first;              /* by block: its ways, in next */
	uint32_t *next;
	uint32_t block;
	bool is_telling; /* all is known: say what is used … */
	bool is_reached; /* … in a block that control can come to */
	int r;
};

static const struct rarog_held other = { .kind = RAROG_HELD_OTHER };

/* --- what is told --- */

static void tell(struct walk *w, uint64_t counter, enum rarog_use_kind kind, int32_t factor)
{
	const struct rarog_native_use use = { counter, w->block, (uint8_t)kind, factor };

	if (w->is_telling && w->r == 0)
		w->r = w->notes->use(w->notes->context, &use);
}

/* @held is used in a way that is not understood. */
static void lose(struct walk *w, struct rarog_held held)
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

static struct rarog_held in_register(const struct walk *w, ZydisRegister reg)
{
	int number = number_of(reg);

	return number < 0 ? other : w->now.registers[number];
}

/* A part of a register says nothing of the whole. */
static bool is_whole(ZydisRegister reg)
{
	return reg >= ZYDIS_REGISTER_RAX && reg <= ZYDIS_REGISTER_R15;
}

static void set_register(struct walk *w, ZydisRegister reg, struct rarog_held held)
{
	int number = number_of(reg);

	if (number >= 0)
		w->now.registers[number] = held;
}

/* Also beside the counters: a library adds what is one less. */
static struct rarog_held constant(const struct walk *w, int64_t value)
{
	uint64_t at = (uint64_t)value;

	if (w->notes->first == w->notes->end || at + WORD < w->notes->first || at >= w->notes->end)
		return other;
	return (struct rarog_held){ .kind = RAROG_HELD_COUNTER, .number = value };
}

/* Where programs lie at fixed addresses, a number or what stands beside a register may be one. */
static struct rarog_held fixed(const struct walk *w, int64_t value)
{
	return w->notes->first >= LEAST_FIXED ? constant(w, value) : other;
}

static struct rarog_held moved(struct rarog_held held, int64_t by)
{
	switch (held.kind) {
	case RAROG_HELD_READ:
		if (by != (int32_t)by || __builtin_add_overflow(held.factor, by, &held.factor))
			held.kind = RAROG_HELD_SUM;
		return held;
	case RAROG_HELD_STACK:
	case RAROG_HELD_DISTANCE:
	case RAROG_HELD_COUNTER:
	case RAROG_HELD_OWN:
		held.number += by;
		return held;
	default:
		return held;
	}
}

static bool is_of_counter(const struct rarog_held *held)
{
	return held->kind == RAROG_HELD_READ || held->kind == RAROG_HELD_SUM;
}

static struct rarog_held sum_of(const struct walk *w, struct rarog_held a, struct rarog_held b)
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
	if (is_of_counter(&a) && b.kind == RAROG_HELD_OTHER)
		return (struct rarog_held){ .kind = RAROG_HELD_SUM, .number = a.number };
	if (rarog_held_is_address(&a))
		return rarog_held_lose(a, w->notes->owner, w->notes->of);
	return rarog_held_lose(b, w->notes->owner, w->notes->of);
}

/* The address that a memory operand names, without its segment. */
static struct rarog_held address_of(const struct walk *w, const struct line *line,
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
		base = moved(base, value);
	if (operand->mem.index == ZYDIS_REGISTER_NONE)
		return base;
	index = in_register(w, operand->mem.index);
	if (operand->mem.scale != 1)
		index = rarog_held_lose(index, w->notes->owner, w->notes->of);
	else if (!has_base && base.kind == RAROG_HELD_OTHER)
		return moved(index, value);
	else if (base.kind == RAROG_HELD_OTHER)
		index = moved(index, value);
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
static uint64_t counter_at(const struct walk *w, const struct line *line,
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
static struct rarog_held loaded(struct walk *w, const struct line *line,
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

static struct rarog_held value_of(struct walk *w, const struct line *line,
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
static void tell_all(struct walk *w, uint64_t at, uint32_t bytes, enum rarog_use_kind kind)
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
static void use_counter(struct walk *w, const struct line *line, const ZydisDecodedOperand *to,
			uint64_t at)
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

static void store(struct walk *w, const struct rarog_held *place, uint32_t bits,
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
static void use_memory(struct walk *w, const struct line *line)
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
static void do_anything(struct walk *w, const struct line *line)
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
static bool do_move(struct walk *w, const struct line *line)
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

static bool do_lea(struct walk *w, const struct line *line)
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

static bool do_add(struct walk *w, const struct line *line)
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
		held = moved(held, is_negative ? -from->imm.value.s : from->imm.value.s);
	else if (is_negative)
		return false;
	else
		held = sum_of(w, held, more);
	set_register(w, to, held);
	return true;
}

static bool do_increase(struct walk *w, const struct line *line)
{
	ZydisRegister to = target_of(line);

	if (to == ZYDIS_REGISTER_NONE)
		return is_memory(&line->operands[0]);
	set_register(w, to,
		     moved(in_register(w, to), line->in.mnemonic == ZYDIS_MNEMONIC_INC ? 1 : -1));
	return true;
}

/* The stack pointer, aligned: from here on places are told from its new value. */
static bool do_align(struct walk *w, const struct line *line)
{
	if (target_of(line) != ZYDIS_REGISTER_RSP)
		return false;
	w->now.registers[number_of(ZYDIS_REGISTER_RSP)] =
		(struct rarog_held){ .kind = RAROG_HELD_STACK, .base = (uint32_t)line->address };
	return true;
}

static bool do_push(struct walk *w, const struct line *line)
{
	struct rarog_held *top = &w->now.registers[number_of(ZYDIS_REGISTER_RSP)];

	*top = moved(*top, -WORD);
	store(w, top, 64, value_of(w, line, &line->operands[0]));
	return true;
}

static bool do_pop(struct walk *w, const struct line *line)
{
	struct rarog_held *top = &w->now.registers[number_of(ZYDIS_REGISTER_RSP)];
	struct rarog_held value =
		top->kind == RAROG_HELD_STACK ? rarog_holding_slot(&w->now, top) : other;

	*top = moved(*top, WORD);
	if (line->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER)
		set_register(w, line->operands[0].reg.value, value);
	return true;
}

static bool do_leave(struct walk *w, const struct line *line)
{
	struct rarog_held *top = &w->now.registers[number_of(ZYDIS_REGISTER_RSP)];
	struct rarog_held *frame = &w->now.registers[number_of(ZYDIS_REGISTER_RBP)];

	(void)line;
	*top = moved(*frame, WORD);
	*frame = other;
	return true;
}

static bool do_exchange(struct walk *w, const struct line *line)
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
static bool do_call(struct walk *w, const struct line *line)
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
	bool (*act)(struct walk *w, const struct line *line); /* false: as any other */
} acts[] = {
	{ ZYDIS_MNEMONIC_MOV, do_move },      { ZYDIS_MNEMONIC_LEA, do_lea },
	{ ZYDIS_MNEMONIC_ADD, do_add },       { ZYDIS_MNEMONIC_SUB, do_add },
	{ ZYDIS_MNEMONIC_INC, do_increase },  { ZYDIS_MNEMONIC_DEC, do_increase },
	{ ZYDIS_MNEMONIC_AND, do_align },     { ZYDIS_MNEMONIC_PUSH, do_push },
	{ ZYDIS_MNEMONIC_POP, do_pop },       { ZYDIS_MNEMONIC_LEAVE, do_leave },
	{ ZYDIS_MNEMONIC_XCHG, do_exchange }, { ZYDIS_MNEMONIC_CALL, do_call },
};

static void step(struct walk *w, const struct line *line)
{
	if (line->in.mnemonic == ZYDIS_MNEMONIC_NOP || line->in.mnemonic == ZYDIS_MNEMONIC_ENDBR64)
		return;
	use_memory(w, line);
	for (size_t i = 0; !clears(line) && i < RAROG_COUNT(acts); i++)
		if (acts[i].mnemonic == line->in.mnemonic && acts[i].act(w, line))
			return;
	do_anything(w, line);
}

/* --- along the graph --- */

/* What was read from a counter is followed inside of a block only. */
static int step_through(struct walk *w, uint32_t number)
{
	const struct rarog_code_graph_block *block = &w->graph->blocks.v[number];
	const uint8_t *code = rarog_binary_bytes(w->binary, block->address, block->size);
	struct line line;

	w->block = number;
	w->is_reached = w->before[number].is_seen;
	w->r = rarog_holding_copy(&w->now, &w->before[number]);
	for (uint32_t at = 0; w->r == 0 && code && at < block->size; at += line.in.length) {
		line.address = block->address + at;
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&w->decoder, code + at, block->size - at,
							 &line.in, line.operands)))
			break;
		step(w, &line);
	}
	rarog_holding_forget(&w->now, -1);
	return w->r;
}

static int join_next(struct walk *w, uint32_t number, bool *is_open)
{
	for (uint32_t i = w->first[number]; i < w->first[number + 1]; i++) {
		int r = rarog_holding_join(&w->before[w->next[i]], &w->now, w->notes->owner,
					   w->notes->of);

		if (r < 0)
			return r;
		is_open[w->next[i]] |= r > 0;
	}
	return 0;
}

static int join_landings(struct walk *w, bool *is_open)
{
	for (uint32_t b = 1; b < w->graph->blocks.n; b++) {
		int r = w->is_landing[b] ? rarog_holding_join(&w->before[b], &w->thrown,
							      w->notes->owner, w->notes->of)
					 : 0;

		if (r < 0)
			return r;
		is_open[b] |= r > 0;
	}
	return 0;
}

/* One round over all open blocks; whether any is open again. */
static int round_of_all(struct walk *w, bool *is_open)
{
	int n = 0, r = 0;

	for (uint32_t b = 0; r == 0 && b < w->graph->blocks.n; b++) {
		if (!is_open[b])
			continue;
		is_open[b] = false;
		n = 1;
		r = step_through(w, b);
		if (r == 0)
			r = join_next(w, b, is_open);
	}
	if (r == 0)
		r = join_landings(w, is_open);
	return r < 0 ? r : n;
}

static int find_all(struct walk *w)
{
	rarog_cleanup(rarog_freep) bool *is_open = calloc(w->graph->blocks.n, sizeof(*is_open));
	int r = is_open ? 1 : -ENOMEM;

	if (is_open)
		is_open[0] = true;
	w->before[0].is_seen = true;
	w->before[0].registers[number_of(ZYDIS_REGISTER_RSP)].kind = RAROG_HELD_STACK;
	while (r > 0)
		r = round_of_all(w, is_open);
	return r;
}

/* Blocks that control never reached by what is known may still be: data in tables. There nothing is
 * known of any register, so only what names a counter itself is seen. */
static int tell_all_blocks(struct walk *w)
{
	int r = 0;

	w->is_telling = true;
	for (uint32_t b = 0; r == 0 && b < w->graph->blocks.n; b++)
		r = step_through(w, b);
	return r;
}

static int index_ways(struct walk *w)
{
	const struct rarog_code_graph *graph = w->graph;
	size_t n = graph->blocks.n;

	w->first = calloc(n + 2, sizeof(*w->first));
	w->next = calloc(graph->edges.n + 1, sizeof(*w->next));
	w->is_landing = calloc(n, sizeof(*w->is_landing));
	w->before = calloc(n, sizeof(*w->before));
	if (!w->first || !w->next || !w->is_landing || !w->before)
		return -ENOMEM;
	for (size_t i = 0; i < graph->edges.n; i++) {
		const struct rarog_code_graph_edge *edge = &graph->edges.v[i];

		if (edge->to == RAROG_GRAPH_OUTSIDE)
			continue;
		if (edge->from == RAROG_GRAPH_OUTSIDE)
			w->is_landing[edge->to] = true;
		else
			w->first[edge->from + 2]++;
	}
	for (size_t b = 0; b < n; b++)
		w->first[b + 2] += w->first[b + 1];
	for (size_t i = 0; i < graph->edges.n; i++) {
		const struct rarog_code_graph_edge *edge = &graph->edges.v[i];

		if (edge->from != RAROG_GRAPH_OUTSIDE && edge->to != RAROG_GRAPH_OUTSIDE)
			w->next[w->first[edge->from + 1]++] = edge->to;
	}
	return 0;
}

int rarog_native_walk(const struct rarog_binary *binary, const struct rarog_code_graph *graph,
		      const struct rarog_walk_notes *notes)
{
	struct walk w = { .binary = binary, .graph = graph, .notes = notes };
	int r = index_ways(&w);

	ZydisDecoderInit(&w.decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (r == 0)
		r = find_all(&w);
	if (r == 0)
		r = tell_all_blocks(&w);
	for (size_t b = 0; w.before && b < graph->blocks.n; b++)
		rarog_holding_release(&w.before[b]);
	rarog_holding_release(&w.now);
	rarog_holding_release(&w.thrown);
	free(w.first);
	free(w.next);
	free(w.is_landing);
	free(w.before);
	return r < 0 ? rarog_oom() : 0;
}
