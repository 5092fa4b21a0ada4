/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compilers keep apart what they spill from variables whose address is taken, so nothing but
 * instructions that name a slot by the stack pointer or its copies changes it.
 */
#include "blocks/machine-values.h"

#include <string.h>

bool rarog_held_equal(const struct rarog_held *a, const struct rarog_held *b)
{
	return a->kind == b->kind && a->base == b->base && a->number == b->number &&
	       a->factor == b->factor;
}

bool rarog_held_is_address(const struct rarog_held *held)
{
	return held->kind == RAROG_HELD_COUNTER || held->kind == RAROG_HELD_OWN ||
	       held->kind == RAROG_HELD_LOST;
}

struct rarog_held rarog_held_move(struct rarog_held held, int64_t by)
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
	case RAROG_HELD_PLACE:
		held.number += by;
		return held;
	case RAROG_HELD_ENTRY:
	case RAROG_HELD_TARGET:
		return by == 0 ? held : (struct rarog_held){ RAROG_HELD_OTHER };
	default:
		return held;
	}
}

struct rarog_held rarog_held_lose(struct rarog_held held, rarog_held_owner *owner, const void *of)
{
	if (!rarog_held_is_address(&held))
		return (struct rarog_held){ RAROG_HELD_OTHER };
	if (held.kind != RAROG_HELD_LOST)
		held.base = owner(of, held.number);
	return (struct rarog_held){ .kind = RAROG_HELD_LOST, .base = held.base };
}

struct rarog_held rarog_held_lose_both(struct rarog_held a, struct rarog_held b,
				       rarog_held_owner *owner, const void *of)
{
	struct rarog_held x = rarog_held_lose(a, owner, of), y = rarog_held_lose(b, owner, of);

	if (x.kind != RAROG_HELD_LOST)
		return y;
	if (y.kind == RAROG_HELD_LOST && y.base != x.base)
		x.base = RAROG_HELD_ANY;
	return x;
}

static bool overlaps(const struct rarog_held_slot *slot, const struct rarog_held *place,
		     uint32_t size)
{
	return slot->base == place->base && slot->offset < place->number + (int64_t)size &&
	       place->number < slot->offset + 8;
}

struct rarog_held rarog_holding_slot(const struct rarog_holding *holding,
				     const struct rarog_held *place)
{
	for (size_t i = 0; i < holding->slots.n; i++) {
		const struct rarog_held_slot *slot = &holding->slots.v[i];

		if (slot->base == place->base && slot->offset == place->number)
			return slot->held;
	}
	return (struct rarog_held){ RAROG_HELD_OTHER };
}

int rarog_holding_store(struct rarog_holding *holding, const struct rarog_held *place,
			uint32_t size, struct rarog_held held)
{
	size_t kept = 0;

	for (size_t i = 0; i < holding->slots.n; i++)
		if (!overlaps(&holding->slots.v[i], place, size))
			holding->slots.v[kept++] = holding->slots.v[i];
	holding->slots.n = kept;
	if (held.kind == RAROG_HELD_OTHER)
		return 0;
	return rarog_vec_push(&holding->slots,
			      (struct rarog_held_slot){ place->base, place->number, held });
}

static bool is_old(const struct rarog_held *held, int64_t number)
{
	return (held->kind == RAROG_HELD_READ || held->kind == RAROG_HELD_SUM) &&
	       (number < 0 || held->number == number);
}

void rarog_holding_forget(struct rarog_holding *holding, int64_t number)
{
	size_t kept = 0;

	for (size_t i = 0; i < RAROG_HELD_REGISTERS; i++)
		if (is_old(&holding->registers[i], number))
			holding->registers[i] = (struct rarog_held){ RAROG_HELD_OTHER };
	for (size_t i = 0; i < holding->slots.n; i++)
		if (!is_old(&holding->slots.v[i].held, number))
			holding->slots.v[kept++] = holding->slots.v[i];
	holding->slots.n = kept;
}

/* --- where ways meet --- */

/* One of both is an address of a counter, and the other none: code that uses it as one has it. */
static struct rarog_held perhaps(struct rarog_held held)
{
	if (held.kind != RAROG_HELD_LOST)
		held.factor = 1;
	return held;
}

static bool is_same_address(const struct rarog_held *a, const struct rarog_held *b)
{
	return a->kind == b->kind && a->number == b->number && a->kind != RAROG_HELD_LOST;
}

static struct rarog_held meet(const struct rarog_held *a, const struct rarog_held *b,
			      rarog_held_owner *owner, const void *of)
{
	if (rarog_held_equal(a, b))
		return *a;
	if (!rarog_held_is_address(a) && !rarog_held_is_address(b))
		return (struct rarog_held){ RAROG_HELD_OTHER };
	if (!rarog_held_is_address(b) || is_same_address(a, b))
		return perhaps(*a);
	if (!rarog_held_is_address(a))
		return perhaps(*b);
	return rarog_held_lose_both(*a, *b, owner, of);
}

static bool meet_registers(struct rarog_holding *into, const struct rarog_holding *from,
			   rarog_held_owner *owner, const void *of)
{
	bool is_changed = false;

	for (size_t i = 0; i < RAROG_HELD_REGISTERS; i++) {
		struct rarog_held held = meet(&into->registers[i], &from->registers[i], owner, of);

		is_changed |= !rarog_held_equal(&held, &into->registers[i]);
		into->registers[i] = held;
	}
	return is_changed;
}

/* What only one of both has may be an address all the same. */
static int meet_slots(struct rarog_holding *into, const struct rarog_holding *from,
		      rarog_held_owner *owner, const void *of)
{
	size_t n = into->slots.n;
	int is_changed = 0;

	for (size_t i = 0; i < n; i++) {
		struct rarog_held_slot *slot = &into->slots.v[i];
		struct rarog_held place = { .base = slot->base, .number = slot->offset };
		struct rarog_held there = rarog_holding_slot(from, &place);
		struct rarog_held held = meet(&slot->held, &there, owner, of);

		is_changed |= !rarog_held_equal(&held, &slot->held);
		slot->held = held;
	}
	for (size_t i = 0; i < from->slots.n; i++) {
		const struct rarog_held_slot *slot = &from->slots.v[i];
		struct rarog_held place = { .base = slot->base, .number = slot->offset };
		struct rarog_held here = rarog_holding_slot(into, &place);

		if (!rarog_held_is_address(&slot->held) || here.kind != RAROG_HELD_OTHER)
			continue;
		if (rarog_vec_push(&into->slots, (struct rarog_held_slot){ slot->base, slot->offset,
									   perhaps(slot->held) }) <
		    0)
			return -ENOMEM;
		is_changed = 1;
	}
	return is_changed;
}

int rarog_holding_join(struct rarog_holding *into, const struct rarog_holding *from,
		       rarog_held_owner *owner, const void *of)
{
	bool is_changed;
	int r;

	if (!from->is_seen)
		return 0;
	if (!into->is_seen) {
		r = rarog_holding_copy(into, from);
		return r < 0 ? r : 1;
	}
	is_changed = meet_registers(into, from, owner, of);
	r = meet_slots(into, from, owner, of);
	return r < 0 ? r : r | is_changed;
}

int rarog_holding_copy(struct rarog_holding *to, const struct rarog_holding *from)
{
	to->slots.n = 0;
	if (rarog_vec_reserve(&to->slots, from->slots.n) < 0)
		return -ENOMEM;
	if (from->slots.n > 0)
		memcpy(to->slots.v, from->slots.v, from->slots.n * sizeof(*from->slots.v));
	to->slots.n = from->slots.n;
	memcpy(to->registers, from->registers, sizeof(to->registers));
	to->is_seen = from->is_seen;
	return 0;
}

void rarog_holding_release(struct rarog_holding *holding)
{
	rarog_vec_release(&holding->slots);
	holding->is_seen = false;
}
