/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "random-code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"

enum { REGISTERS = 16, SLOTS = HOMES - REGISTERS };

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };

static const int lasting[] = { RBX,       RBP,           R12,           R13,          R14,
			       REGISTERS, REGISTERS + 1, REGISTERS + 2, REGISTERS + 3 };
static const int passing[] = { RAX, RCX, RDX, RSI, R8, R9, R10, R11 };

enum { NEXT, BRANCH, TABLE, RETURN };

uint32_t random_code_pick(struct world *w, uint32_t n)
{
	w->seed ^= w->seed << 13;
	w->seed ^= w->seed >> 7;
	w->seed ^= w->seed << 17;
	return n > 0 ? (uint32_t)(w->seed >> 20) % n : 0;
}

static uint32_t pick(struct world *w, uint32_t n)
{
	return random_code_pick(w, n);
}

/* --- code --- */

static void put(struct world *w, unsigned n, const void *bytes)
{
	assert_true(w->n + n <= ARENA);
	memcpy(w->code + w->n, bytes, n);
	w->n += n;
}

static void put_byte(struct world *w, int byte)
{
	put(w, 1, &(uint8_t){ (uint8_t)byte });
}

static void put_word(struct world *w, int64_t word)
{
	put(w, 4, &(int32_t){ (int32_t)word });
}

/* Where an operand is. */
enum place_kind { IN_REGISTER, AT_ADDRESS, BEHIND, BEHIND_BOTH, OF_THREAD };

struct place {
	enum place_kind kind;
	int base, index;
	int64_t number; /* bytes, or the address */
};

static struct place in_register(int base)
{
	return (struct place){ IN_REGISTER, base, 0, 0 };
}

static struct place at_address(const void *address)
{
	return (struct place){ AT_ADDRESS, 0, 0, (int64_t)(intptr_t)address };
}

static struct place behind(int base, int64_t bytes)
{
	return (struct place){ BEHIND, base, 0, bytes };
}

static struct place of_home(int home)
{
	return home < REGISTERS ? in_register(home) : behind(RSP, 8 * (home - REGISTERS));
}

/* One operation on 64 bits: @reg is a register or the opcode's extension, @more bytes come after.
 */
static void put_op(struct world *w, int opcode, int reg, struct place place, unsigned more)
{
	int middle = (reg & 7) << 3, base = place.base & 7;

	if (place.kind == OF_THREAD)
		put_byte(w, 0x64);
	put_byte(w, 0x48 | reg >> 3 << 2 | place.index >> 3 << 1 | place.base >> 3);
	if (opcode > 0xff)
		put_byte(w, opcode >> 8);
	put_byte(w, opcode & 0xff);
	switch (place.kind) {
	case IN_REGISTER:
		put_byte(w, 0xc0 | middle | base);
		return;
	case AT_ADDRESS:
		put_byte(w, 0x05 | middle);
		put_word(w, place.number - (int64_t)(intptr_t)(w->arena + w->n + 4 + more));
		return;
	case OF_THREAD:
		put_byte(w, 0x04 | middle);
		put_byte(w, 0x25);
		break;
	case BEHIND_BOTH:
		put_byte(w, 0x84 | middle);
		put_byte(w, (place.index & 7) << 3 | base);
		break;
	default:
		put_byte(w, 0x80 | middle | (base == RSP ? RSP : base));
		if (base == RSP)
			put_byte(w, 0x24);
	}
	put_word(w, place.number);
}

static void put_load(struct world *w, int reg, struct place from)
{
	put_op(w, 0x8b, reg, from, 0);
}

static void put_store(struct world *w, struct place to, int reg)
{
	put_op(w, 0x89, reg, to, 0);
}

static void put_lea(struct world *w, int reg, struct place of)
{
	put_op(w, 0x8d, reg, of, 0);
}

static void put_number(struct world *w, struct place to, int32_t number)
{
	put_op(w, 0xc7, 0, to, 4);
	put_word(w, number);
}

/* Adds a small number; with more than one there are several ways to say it. */
static void put_count(struct world *w, struct place to, int number)
{
	switch (pick(w, number == 1 ? 4 : 3)) {
	case 0:
		put_op(w, 0x81, 0, to, 4);
		put_word(w, number);
		return;
	case 1:
		put_op(w, 0x83, 5, to, 1);
		put_byte(w, -number & 0xff);
		return;
	case 2:
		put_op(w, 0x83, 0, to, 1);
		put_byte(w, number);
		return;
	default:
		put_op(w, 0xff, 0, to, 0);
	}
}

static void put_call(struct world *w, const uint8_t *target)
{
	put_byte(w, 0xe8);
	put_word(w, target - (w->arena + w->n + 4));
}

/* --- what homes mean --- */

static struct place counter(const struct world *w, int at)
{
	return at_address(w->counters + at);
}

static struct place slot(const struct world *w)
{
	return (struct place){ OF_THREAD, 0, 0, w->slot };
}

static struct content random_content(struct world *w)
{
	static const enum meaning meanings[] = { JUNK, NUMBER, COUNTER, COUNTER, OWNED, DISTANCE };
	struct content content = { meanings[pick(w, RAROG_COUNT(meanings))], 0 };

	if (content.meaning == COUNTER || content.meaning == OWNED)
		content.at =
			8 * (int)pick(w, COUNTERS) - (content.meaning == COUNTER && pick(w, 2));
	return content;
}

/* Another counter of the same owner: no compiler comes from one variable to the next. */
static int near(struct world *w, int at)
{
	return 8 * ((at + 1) / (8 * OWN) * OWN + (int)pick(w, OWN));
}

static void forget(struct world *w, int home)
{
	w->homes[home] = (struct content){ JUNK, 0 };
}

/* Into a register. */
static void make(struct world *w, int reg, struct content content)
{
	switch (content.meaning) {
	case NUMBER:
		put_number(w, in_register(reg), (int32_t)pick(w, 1000));
		break;
	case COUNTER:
		put_lea(w, reg, counter(w, content.at));
		break;
	case OWNED:
		put_lea(w, reg, counter(w, content.at - 1));
		put_op(w, 0x03, reg, slot(w), 0);
		break;
	case DISTANCE:
		put_load(w, reg, slot(w));
		break;
	default:
		break;
	}
	w->homes[reg] = content;
}

static bool is_same(struct content a, struct content b)
{
	return a.meaning == b.meaning && a.at == b.at;
}

/* A home that means @meaning; -1: none does. */
static int find(struct world *w, enum meaning meaning, bool is_register)
{
	int first = (int)pick(w, HOMES);

	for (int i = 0; i < HOMES; i++) {
		int home = (first + i) % HOMES;

		if (w->homes[home].meaning == meaning && (!is_register || home < REGISTERS))
			return home;
	}
	return -1;
}

static int any_register(struct world *w)
{
	return pick(w, 2) ? passing[pick(w, RAROG_COUNT(passing))] : lasting[pick(w, 5)];
}

static int any_passing_but(struct world *w, int reg)
{
	int other;

	do
		other = passing[pick(w, RAROG_COUNT(passing))];
	while (other == reg);
	return other;
}

/* --- what blocks do --- */

static void count_plainly(struct world *w)
{
	put_count(w, counter(w, 8 * (int)pick(w, COUNTERS)), pick(w, 3) ? 1 : (int)pick(w, 5));
}

static void make_any(struct world *w)
{
	make(w, any_register(w), random_content(w));
}

static void copy_any(struct world *w)
{
	int from = (int)pick(w, HOMES), to = (int)pick(w, HOMES), over = RAX;

	if (from == RSP || from == R15 || w->homes[from].meaning == JUNK || to == RSP ||
	    to == R15 || to == RDI)
		return;
	if (from < REGISTERS && to < REGISTERS && pick(w, 4) == 0) {
		struct content content = w->homes[from];

		if (to == from || w->homes[to].meaning == JUNK)
			return;
		put_op(w, 0x87, from, in_register(to), 0);
		w->homes[from] = w->homes[to];
		w->homes[to] = content;
		return;
	}
	if (from < REGISTERS && pick(w, 2)) {
		put_store(w, of_home(to), from);
	} else {
		over = to < REGISTERS ? to : RAX;
		put_load(w, over, of_home(from));
		w->homes[over] = w->homes[from];
		if (over != to)
			put_store(w, of_home(to), over);
	}
	w->homes[to] = w->homes[from];
}

static void push_and_pop(struct world *w)
{
	int from = find(w, pick(w, 2) ? COUNTER : OWNED, true), to = any_register(w);

	if (from < 0)
		return;
	if (from >= R8)
		put_byte(w, 0x41);
	put_byte(w, 0x50 | (from & 7));
	if (to >= R8)
		put_byte(w, 0x41);
	put_byte(w, 0x58 | (to & 7));
	w->homes[to] = w->homes[from];
}

/* To the next counters. */
static void move_on(struct world *w)
{
	int home = find(w, pick(w, 2) ? COUNTER : OWNED, true), by = 8 - 16 * (int)pick(w, 2);
	int at = home < 0 ? 0 : w->homes[home].at;

	if (home < 0 || at + by < -1 || (at + by + 1) / (8 * OWN) != (at + 1) / (8 * OWN))
		return;
	if (pick(w, 2)) {
		put_op(w, 0x83, 0, in_register(home), 1);
		put_byte(w, by & 0xff);
	} else {
		put_lea(w, home, behind(home, by));
	}
	w->homes[home].at = at + by;
}

static void count_by_address(struct world *w)
{
	int home = find(w, pick(w, 2) ? COUNTER : OWNED, true);

	if (home >= 0)
		put_count(w, behind(home, near(w, w->homes[home].at) - w->homes[home].at), 1);
}

/* As libraries do: a counter's address, and the thread's distance. */
static void count_by_distance(struct world *w)
{
	int distance = find(w, DISTANCE, true), address = find(w, COUNTER, true), at;

	if (distance < 0)
		return;
	if (address < 0 || pick(w, 3) == 0) {
		address = any_passing_but(w, distance);
		make(w, address, (struct content){ COUNTER, 8 * (int)pick(w, COUNTERS) - 1 });
	}
	at = w->homes[address].at;
	put_count(w, (struct place){ BEHIND_BOTH, address, distance, near(w, at) - at - 1 }, 1);
}

/* Read, add, write: without optimisation. */
static void count_by_reading(struct world *w)
{
	struct place place = counter(w, 8 * (int)pick(w, COUNTERS));
	int reg = passing[pick(w, RAROG_COUNT(passing))];

	put_load(w, reg, place);
	forget(w, reg);
	if (pick(w, 4) == 0)
		make(w, any_passing_but(w, reg), random_content(w));
	if (pick(w, 6) == 0) { /* a sum, that has not been kept in a register */
		int number = find(w, NUMBER, true);

		if (number >= 0 && number != reg)
			put_op(w, 0x01, number, in_register(reg), 0);
	}
	put_count(w, in_register(reg), 1);
	put_store(w, place, reg);
}

static void calculate(struct world *w)
{
	int to = find(w, NUMBER, true), from = find(w, NUMBER, false);

	if (to >= 0 && from >= 0)
		put_op(w, pick(w, 2) ? 0x03 : 0x33, to, of_home(from), 0);
}

static void call(struct world *w)
{
	put_call(w, w->helper);
	for (size_t i = 0; i < RAROG_COUNT(passing); i++)
		forget(w, passing[i]);
}

/* Out of sight: other code counts by it. */
static void let_go(struct world *w)
{
	int home = find(w, COUNTER, true);

	if (home < 0 || pick(w, 30) > 0 || w->homes[home].at % 8 != 0)
		return;
	put_store(w, at_address(w->sink), home);
	forget(w, RAX);
	put_load(w, RAX, at_address(w->sink));
	put_count(w, behind(RAX, 0), 1);
}

/* What is in a register gets lost in another way: half of it is used, or it is multiplied. */
static void take_apart(struct world *w)
{
	int home = find(w, pick(w, 2) ? COUNTER : OWNED, true);

	if (home < 0 || home == RAX || home == RCX || pick(w, 30) > 0 || w->homes[home].at < 0 ||
	    w->homes[home].at % 8 != 0)
		return;
	forget(w, RCX);
	make(w, RAX, (struct content){ NUMBER, 0 });
	put_lea(w, RCX, (struct place){ BEHIND_BOTH, home, RAX, 0 }); /* and a number … */
	put_op(w, 0x2b, RCX, in_register(RAX), 0);                    /* … less */
	put_count(w, behind(RCX, 0), 1);
}

static void (*const acts[])(struct world *) = {
	count_plainly, make_any, make_any,          copy_any,         copy_any,
	push_and_pop,  move_on,  count_by_address,  count_by_address, calculate,
	call,          let_go,   count_by_distance, count_by_reading, take_apart,
};

/* --- how they follow each other --- */

static void make_ways(struct world *w)
{
	w->n_blocks = 2 + (int)pick(w, BLOCKS - 1);
	for (int b = 0; b < w->n_blocks; b++) {
		struct block *block = &w->blocks[b];
		int next = b + 1;

		block->end = next < w->n_blocks ? (int)pick(w, RETURN) : RETURN;
		block->n_ways = block->end == TABLE ? WAYS : block->end == BRANCH ? 2 : 1;
		/* the first way is taken when no decisions are left, and leads on */
		for (int i = 0; i < WAYS; i++)
			block->ways[i] =
				i == 0 ? next : 1 + (int)pick(w, (uint32_t)w->n_blocks - 1);
		if (block->end == RETURN)
			block->n_ways = 0;
		for (int home = 0; home < HOMES; home++)
			forget(w, home);
		memset(block->homes, 0, sizeof(block->homes));
		for (size_t i = 0; b > 0 && i < RAROG_COUNT(lasting); i++)
			block->homes[lasting[i]] = random_content(w);
	}
}

/* One home cannot be made ready for two that want it otherwise: one of them goes without. */
static bool weaken(struct world *w, const struct block *block)
{
	bool is_changed = false;

	for (int i = 0; i < block->n_ways; i++)
		for (int k = 0; k < i; k++)
			for (int home = 0; home < HOMES; home++) {
				struct content *a = &w->blocks[block->ways[i]].homes[home];
				struct content *b = &w->blocks[block->ways[k]].homes[home];

				if (a->meaning == JUNK || b->meaning == JUNK || is_same(*a, *b))
					continue;
				*(pick(w, 2) ? a : b) = (struct content){ JUNK, 0 };
				is_changed = true;
			}
	return is_changed;
}

static void agree(struct world *w)
{
	bool is_changed = true;

	while (is_changed) {
		is_changed = false;
		for (int b = 0; b < w->n_blocks; b++)
			is_changed |= weaken(w, &w->blocks[b]);
	}
}

static void get_ready(struct world *w, const struct block *block)
{
	for (int i = 0; i < block->n_ways; i++)
		for (int home = HOMES - 1; home >= 0; home--) {
			struct content wanted = w->blocks[block->ways[i]].homes[home];

			if (wanted.meaning == JUNK || is_same(wanted, w->homes[home]))
				continue;
			make(w, home < REGISTERS ? home : RAX, wanted);
			if (home >= REGISTERS)
				put_store(w, of_home(home), RAX);
			w->homes[home] = wanted;
		}
}

static void put_bit(struct world *w) /* the next decision, into the carry flag */
{
	put_op(w, 0xd1, 5, in_register(R15), 0);
}

static void put_jump(struct world *w, const char *opcode, unsigned n, int block)
{
	put(w, n, opcode);
	w->jumps[block] = w->n;
	put_word(w, 0);
}

static void put_table(struct world *w, const struct block *block)
{
	put_load(w, RCX, in_register(R15));
	put_op(w, 0x83, 4, in_register(RCX), 1); /* and */
	put_byte(w, WAYS - 1);
	put_bit(w);
	put_bit(w);
	put_lea(w, RAX, at_address(w->tables + 4 * w->table));
	put(w, 4, "\x48\x63\x0c\x88"); /* movslq (%rax,%rcx,4), %rcx */
	put_op(w, 0x01, RAX, in_register(RCX), 0);
	put(w, 2, "\xff\xe1"); /* jmp *%rcx */
	for (int i = 0; i < WAYS; i++)
		w->entries[w->table++] = block->ways[i];
}

static void put_prologue(struct world *w)
{
	put(w, 10, "\x53\x55\x41\x54\x41\x55\x41\x56\x41\x57"); /* push rbx, rbp, r12 … r15 */
	put_op(w, 0x83, 5, in_register(RSP), 1);
	put_byte(w, 8 * SLOTS + 8);
	put_load(w, R15, in_register(RDI));
}

static void put_epilogue(struct world *w)
{
	put_op(w, 0x83, 0, in_register(RSP), 1);
	put_byte(w, 8 * SLOTS + 8);
	put(w, 11, "\x41\x5f\x41\x5e\x41\x5d\x41\x5c\x5d\x5b\xc3");
}

static void put_block(struct world *w, int number)
{
	struct block *block = &w->blocks[number];

	block->first = w->n;
	memcpy(w->homes, block->homes, sizeof(w->homes));
	if (number == 0)
		put_prologue(w);
	put_op(w, 0xff, 0, at_address(w->tally + 8 * number), 0);
	for (uint32_t i = pick(w, 12); i > 0; i--)
		acts[pick(w, RAROG_COUNT(acts))](w);
	get_ready(w, block);
	switch (block->end) {
	case BRANCH:
		put_bit(w);
		put_jump(w, "\x0f\x82", 2, number);
		break;
	case TABLE:
		put_table(w, block);
		break;
	case RETURN:
		put_epilogue(w);
		break;
	default:
		break;
	}
}

/* With as few instructions as can be. */
static void fill_up(struct world *w)
{
	while (w->n + 9 <= ARENA)
		put(w, 9, "\x66\x0f\x1f\x84\0\0\0\0\0");
	while (w->n < ARENA)
		put_byte(w, 0x90);
}

/* The fall through goes to the next block, which the last way of a branch does not have to be. */
void random_code_make(struct world *w)
{
	w->n = w->table = 0;
	memset(w->entries, 0, sizeof(w->entries));
	memset(w->jumps, 0, sizeof(w->jumps));
	make_ways(w);
	agree(w);
	for (int b = 0; b < w->n_blocks; b++)
		put_block(w, b);
	for (int b = 0; b < w->n_blocks; b++) {
		int32_t to = w->blocks[b].end == BRANCH
				     ? (int32_t)w->blocks[w->blocks[b].ways[1]].first
				     : 0;

		if (w->jumps[b])
			memcpy(w->code + w->jumps[b], &(int32_t){ to - (int32_t)w->jumps[b] - 4 },
			       4);
	}
	for (uint32_t i = 0; i < w->table; i++)
		w->entries[i] = (int32_t)(w->arena + w->blocks[w->entries[i]].first -
					  (w->tables + i / WAYS * WAYS * 4));
	fill_up(w);
	memcpy(w->arena, w->code, sizeof(w->code));
	memcpy(w->tables, w->entries, sizeof(w->entries));
}
