/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stack slots against a stack of bytes, each of which knows what wrote it; and that what two ways
 * bring together says nothing that is not so on both.
 */
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "blocks/machine-values.h"

enum { BYTES = 64, BASES = 2, STORES = 400, COUNTERS = 16, OWN = 4, ROUNDS = 20000 };

static uint64_t seed = 1;

static uint32_t pick(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 20) % n;
}

/* Four counters each. */
static uint32_t owner_of(const void *of, int64_t address)
{
	(void)of;
	return (uint32_t)(address / 8 / OWN);
}

static struct rarog_held any_held(void)
{
	struct rarog_held held = { .kind = (uint8_t)pick(RAROG_HELD_LOST + 1) };

	if (held.kind == RAROG_HELD_LOST)
		held.base = pick(4) ? pick(COUNTERS / OWN) : RAROG_HELD_ANY;
	else if (held.kind == RAROG_HELD_STACK)
		held.base = pick(BASES);
	if (held.kind != RAROG_HELD_OTHER && held.kind != RAROG_HELD_LOST)
		held.number = 8 * (int64_t)pick(COUNTERS);
	if (held.kind == RAROG_HELD_READ)
		held.factor = (int32_t)pick(3);
	return held;
}

/* --- slots --- */

struct byte {
	int store; /* 0: none; one that is not whole is none */
	int at;    /* which byte of it */
};

TEST(slots_are_what_was_stored)
{
	struct byte bytes[BASES][BYTES + 8] = { 0 };
	struct rarog_held stored[STORES + 1];
	struct rarog_holding holding = { .is_seen = true };

	for (int store = 1; store <= STORES; store++) {
		static const uint32_t sizes[] = { 8, 8, 8, 4, 1, 16 };
		uint32_t size = sizes[pick(6)];
		struct rarog_held place = { .kind = RAROG_HELD_STACK,
					    .base = pick(BASES),
					    .number = pick(BYTES - 16) };

		stored[store] = size == 8 ? any_held() : (struct rarog_held){ RAROG_HELD_OTHER };
		assert_int_equal(rarog_holding_store(&holding, &place, size, stored[store]), 0);
		for (uint32_t i = 0; i < size; i++)
			bytes[place.base][place.number + i] = (struct byte){ store, (int)i };
		for (int at = 0; at < BASES * BYTES; at++) {
			struct rarog_held here = { .base = (uint32_t)(at / BYTES),
						   .number = at % BYTES };
			const struct byte *first = &bytes[at / BYTES][at % BYTES];
			struct rarog_held truth = { RAROG_HELD_OTHER };
			struct rarog_held said = rarog_holding_slot(&holding, &here);
			bool is_whole = first->store > 0;

			for (int i = 0; i < 8; i++)
				is_whole &= first[i].store == first->store && first[i].at == i;
			if (is_whole)
				truth = stored[first->store];
			assert_true(rarog_held_equal(&truth, &said));
		}
	}
	rarog_holding_release(&holding);
}

/* --- where ways meet --- */

static struct rarog_holding any_holding(void)
{
	struct rarog_holding holding = { .is_seen = true };

	for (int i = 0; i < RAROG_HELD_REGISTERS; i++)
		holding.registers[i] = any_held();
	for (int i = 0; i < 4; i++) {
		struct rarog_held place = { .kind = RAROG_HELD_STACK, .number = 8 * (int)pick(4) };

		assert_int_equal(rarog_holding_store(&holding, &place, 8, any_held()), 0);
	}
	return holding;
}

/* May what is @truth be taken for @said? An address never for nothing, nor for another's. */
static bool covers(const struct rarog_held *said, const struct rarog_held *truth)
{
	struct rarog_held lost = rarog_held_lose(*truth, owner_of, NULL);

	if (rarog_held_equal(said, truth))
		return true;
	if (said->kind == RAROG_HELD_LOST)
		return lost.kind != RAROG_HELD_LOST || said->base == RAROG_HELD_ANY ||
		       said->base == lost.base;
	if (!rarog_held_is_address(truth))
		return said->kind == RAROG_HELD_OTHER ||
		       (rarog_held_is_address(said) && said->factor == 1);
	return said->kind == truth->kind && said->number == truth->number && said->factor == 1;
}

static struct rarog_held slot(const struct rarog_holding *holding, int number)
{
	return rarog_holding_slot(holding, &(struct rarog_held){ .number = 8 * number });
}

static void assert_covers(const struct rarog_holding *said, const struct rarog_holding *truth)
{
	for (int i = 0; i < RAROG_HELD_REGISTERS; i++)
		assert_true(covers(&said->registers[i], &truth->registers[i]));
	for (int i = 0; i < 4; i++) {
		struct rarog_held there = slot(truth, i), here = slot(said, i);

		assert_true(covers(&here, &there));
	}
}

/* As often as it changes: each thing only gets less known, so that is seldom. */
TEST(joins_say_what_is_so_on_all_ways)
{
	for (int round = 0; round < ROUNDS; round++) {
		struct rarog_holding ways[3], joined = { 0 };
		int changes = 0;

		for (int i = 0; i < 3; i++) {
			ways[i] = any_holding();
			assert_true(rarog_holding_join(&joined, &ways[i], owner_of, NULL) >= 0);
		}
		for (int i = 0; i < 30; i++)
			changes += rarog_holding_join(&joined, &ways[i % 3], owner_of, NULL);
		assert_int_equal(changes, 0); /* nothing is new about them */
		for (int i = 0; i < 3; i++) {
			assert_covers(&joined, &ways[i]);
			rarog_holding_release(&ways[i]);
		}
		rarog_holding_release(&joined);
	}
}

TEST(what_was_read_is_forgotten)
{
	for (int round = 0; round < 1000; round++) {
		struct rarog_holding before = any_holding(), after = { 0 };
		int64_t number = pick(2) ? 8 * (int64_t)pick(COUNTERS) : -1;

		assert_int_equal(rarog_holding_copy(&after, &before), 0);
		rarog_holding_forget(&after, number);
		for (int i = 0; i < RAROG_HELD_REGISTERS; i++) {
			const struct rarog_held *held = &before.registers[i];
			bool is_old =
				(held->kind == RAROG_HELD_READ || held->kind == RAROG_HELD_SUM) &&
				(number < 0 || held->number == number);
			struct rarog_held truth =
				is_old ? (struct rarog_held){ RAROG_HELD_OTHER } : *held;

			assert_true(rarog_held_equal(&after.registers[i], &truth));
		}
		rarog_holding_release(&before);
		rarog_holding_release(&after);
	}
}
