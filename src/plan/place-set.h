/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The places of one file, and what is to be done at each of them. The plan has patterns and rules;
 * here they are resolved, once for each file, and the plan's judge changes the actions before
 * anything is patched. Engines read nothing else about which functions and marks they measure.
 */
#ifndef RAROG_PLAN_PLACE_SET_H
#define RAROG_PLAN_PLACE_SET_H

#include "base/vec.h"
#include "binary/binary.h"
#include "plan/plan.h"

struct rarog_marks;

enum rarog_place_at {
	RAROG_AT_FUNCTION,    /* all of its calls */
	RAROG_AT_REGION_EDGE, /* where a region of two marks begins or ends */
	RAROG_AT_USDT,        /* a USDT probe that is a point */
	RAROG_AT_LINE,        /* a line or an address of the code */
	RAROG_AT_CALL,        /* a call of one function by another */
};

enum rarog_action {
	RAROG_ACTION_OFF,    /* nobody asked for it */
	RAROG_ACTION_PRUNED, /* it was asked for, and then found not worth its cost */
	RAROG_ACTION_COUNT,  /* how often, no times */
	RAROG_ACTION_SAMPLE, /* every n-th time */
	RAROG_ACTION_RECORD, /* every time */
	RAROG_ACTION_DELAY,  /* how often, and each time n ns late */
	RAROG_ACTION_GAIN,   /* how often, and each time all other threads owe n ns, … */
	RAROG_ACTION_EVEN,   /* … and it is late by as much, so nothing is gained in all */
	RAROG_ACTION_SETTLE, /* how often, and a thread pauses for what it owes: n says when */
};

/* Bits of n of SETTLE. */
enum rarog_settle {
	RAROG_SETTLE_PAYS = 1,  /* what is owed, before it is called */
	RAROG_SETTLE_WAITS = 2, /* what others gain from now until the thread's next call of any
				 * place is forgiven, up to when one was last woken by the same
				 * object: it waits, and is woken by a thread that has paid … */
	RAROG_SETTLE_WAKES = 4, /* … and that said so before */
	/* The object, as a lock, is what the first argument is the address of, or the second; with
	 * both a thread waits for the first, and wakes others by the second. Neither: it is not
	 * known, and all such are one. */
	RAROG_SETTLE_FIRST = 8,
	RAROG_SETTLE_SECOND = 16,
	/* The first argument is an object of glibc that says whether it waits at all: a semaphore,
	 * a lock that is taken for reading, the flag of what is done once. */
	RAROG_SETTLE_SEMAPHORE = 32,
	RAROG_SETTLE_READS = 64,
	RAROG_SETTLE_ONCE = 128,
	RAROG_SETTLE_LOOKS = RAROG_SETTLE_SEMAPHORE | RAROG_SETTLE_READS | RAROG_SETTLE_ONCE,
};

struct rarog_plan_place {
	uint64_t address;   /* vaddr */
	const char *reason; /* why the action is not RECORD; a word, static; NULL: it is */
	const char *mark;   /* its name, borrowed; NULL: it is a function */
	uint32_t index;     /* of rarog_binary_functions(), or of the names of marks */
	uint32_t n;         /* SAMPLE, DELAY, GAIN, SETTLE; else 0 */
	uint8_t kind;       /* enum rarog_place_at */
	uint8_t action;     /* enum rarog_action */
	bool is_root;       /* --within or --not-below hang on it: it is measured in any case */
	bool has_values;    /* values are asked of its calls */
	bool stays;         /* no technique may switch it off while the program runs */
};

/* Zeroed: empty. */
struct rarog_place_set {
	const char *path;                     /* of the file, borrowed … */
	const char *build_id;                 /* … and hex, "": none; borrowed */
	RAROG_VEC(struct rarog_plan_place) v; /* by address, then kind */
};

/**
 * rarog_place_set_resolve() - what @plan means of @binary, called @path
 * @marks: those of @binary (rarog_marks_find()), of which some may be left out now
 *
 * Asks the plan's judge last. Return: 0; -ENOMEM; the judge's error. Release in any case.
 */
int rarog_place_set_resolve(struct rarog_plan *plan, struct rarog_binary *binary, const char *path,
			    struct rarog_marks *marks, struct rarog_place_set *ret_set);

/** rarog_place_set_add_functions() - the first part of that: one place for each of @n functions
 * that can be called. @functions: sorted by address. 0, -ENOMEM. */
int rarog_place_set_add_functions(struct rarog_place_set *set, struct rarog_plan *plan, size_t n,
				  const struct rarog_function functions[n]);

/** rarog_place_set_restrict() - the engine can only do @actions (bits of enum rarog_action):
 * what is to be done otherwise is recorded, which one line says. */
void rarog_place_set_restrict(struct rarog_place_set *set, unsigned actions, const char *engine);

/** rarog_place_set_function() - of the function that begins at @address, NULL: it is no place. */
struct rarog_plan_place *rarog_place_set_function(const struct rarog_place_set *set,
						  uint64_t address);

void rarog_place_set_release(struct rarog_place_set *set);

/** rarog_place_is_measured() - does anything at all happen there? */
bool rarog_place_is_measured(const struct rarog_plan_place *place);

/** rarog_action_names - "off", "pruned", "count", "sample", "record", "delay", "gain",
 * "settle", NULL. */
extern const char *const rarog_action_names[];

#endif
