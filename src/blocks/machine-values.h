/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What registers and stack slots hold at a place in machine code, as far as it has to do with
 * counters: their addresses, and what was read from them.
 */
#ifndef RAROG_BLOCKS_MACHINE_VALUES_H
#define RAROG_BLOCKS_MACHINE_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

enum rarog_held_kind {
	RAROG_HELD_OTHER,    /* nothing of interest */
	RAROG_HELD_STACK,    /* a place on the stack: number bytes from base */
	RAROG_HELD_DISTANCE, /* a word of thread-local storage, and number */
	RAROG_HELD_COUNTER,  /* the address number, of or beside a counter as the linker put it */
	RAROG_HELD_OWN,      /* the same, of the thread's own */
	RAROG_HELD_READ,     /* what the counter at number held, and factor … */
	RAROG_HELD_SUM,      /* … or something unknown more */
	RAROG_HELD_PLACE,    /* the address number, of something else */
	RAROG_HELD_ENTRY,    /* an offset in the table at number … */
	RAROG_HELD_TARGET,   /* … and that, added: where it leads to */
	RAROG_HELD_LOST,     /* perhaps an address of a counter of the function base */
};

#define RAROG_HELD_ANY UINT32_MAX /* of any function */

struct rarog_held {
	uint8_t kind; /* enum rarog_held_kind */
	uint32_t base;
	int64_t number;
	int32_t factor; /* of an address: 1 if control also comes here without it, so that it is no
			   longer needed, or the register's other meaning is unknown */
};

struct rarog_held_slot {
	uint32_t base;
	int64_t offset;
	struct rarog_held held;
};

#define RAROG_HELD_REGISTERS 16

struct rarog_holding {
	bool is_seen; /* control was here; else nothing below is said */
	struct rarog_held registers[RAROG_HELD_REGISTERS];
	RAROG_VEC(struct rarog_held_slot) slots;
};

bool rarog_held_equal(const struct rarog_held *a, const struct rarog_held *b);

/** rarog_held_is_address() - is it, or may it be, an address of a counter? */
bool rarog_held_is_address(const struct rarog_held *held);

/* Of which function the counter at an address is; RAROG_HELD_ANY: of none. */
typedef uint32_t rarog_held_owner(const void *of, int64_t address);

/** rarog_held_move() - @held, and the number @by. */
struct rarog_held rarog_held_move(struct rarog_held held, int64_t by);

/** rarog_held_lose() - @held where it is not known any more what has become of it. */
struct rarog_held rarog_held_lose(struct rarog_held held, rarog_held_owner *owner, const void *of);

/** rarog_held_lose_both() - one of them, or both together, where it is not known which. */
struct rarog_held rarog_held_lose_both(struct rarog_held a, struct rarog_held b,
				       rarog_held_owner *owner, const void *of);

/** rarog_holding_slot() - what is on the stack there; nothing of interest if it is not known. */
struct rarog_held rarog_holding_slot(const struct rarog_holding *holding,
				     const struct rarog_held *place);

/** rarog_holding_store() - @size bytes at @place are @held from now on; 0, -ENOMEM. */
int rarog_holding_store(struct rarog_holding *holding, const struct rarog_held *place,
			uint32_t size, struct rarog_held held);

/** rarog_holding_forget() - what was read from the counter at @number (-1: any) is old. */
void rarog_holding_forget(struct rarog_holding *holding, int64_t number);

/** rarog_holding_join() - @into where control may also come with @from; whether it changed, or
 * -ENOMEM. */
int rarog_holding_join(struct rarog_holding *into, const struct rarog_holding *from,
		       rarog_held_owner *owner, const void *of);

/** rarog_holding_copy() - @to, released or zeroed, becomes @from; 0, -ENOMEM. */
int rarog_holding_copy(struct rarog_holding *to, const struct rarog_holding *from);

void rarog_holding_release(struct rarog_holding *holding); /* fits rarog_cleanup() */

#endif
