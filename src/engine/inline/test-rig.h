/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The agent at work in rarog's own process, on functions of rarog's own: to measure what a probe
 * costs, and to test it. Everything is as in a measured program, only smaller, and chunks are
 * taken by whoever opened the workshop.
 */
#ifndef RAROG_ENGINE_INLINE_TEST_RIG_H
#define RAROG_ENGINE_INLINE_TEST_RIG_H

#include "base/cleanup.h"
#include "engine/inline/code/emit.h"

#define RAROG_WORKSHOP_STRANDS   8    /* number 0 records nothing */
#define RAROG_WORKSHOP_COUNTERS  512  /* of each strand */
#define RAROG_WORKSHOP_FUNCTIONS 4096 /* bytes for functions made in the workshop */

struct rarog_workshop {
	uint8_t *memory; /* strands, control, chunks, counters, shadow stacks */
	size_t memory_size;
	uint8_t *code; /* agent and stubs, then functions */
	size_t code_size;
	struct rarog_emitter emitter;
	uint8_t *chunks;
	struct rarog_control *control;
	uint64_t *counters; /* counters[strand * RAROG_WORKSHOP_COUNTERS + id] */
	uint8_t *steps;     /* next step of a probe: as in a program, a jump leads to a jump */
	uint8_t *functions; /* RAROG_WORKSHOP_FUNCTIONS bytes, writable until the workshop is set up
			     */
};

struct rarog_workshop_options {
	uint32_t chunks;  /* that the agent may use, at least 1 */
	size_t stubs;     /* at most */
	const void *near; /* code that stubs must reach; NULL: only what is made in the workshop */
	uint64_t flags;   /* RAROG_AREA_… */
	uint32_t every;   /* which calls are recorded; 0, 1: every one */
};

/** rarog_workshop_open() - 0; -EBUSY if %gs is in use here, -ENOMEM; with message. */
int rarog_workshop_open(const struct rarog_workshop_options *options,
			struct rarog_workshop *ret_workshop);
void rarog_workshop_close(struct rarog_workshop *workshop);

/**
 * rarog_workshop_probe() - patch a function
 * @function: writable now; its first 5 bytes are whole instructions, none of them a branch
 *
 * Return: 0, errors of rarog_emit_stub().
 */
int rarog_workshop_probe(struct rarog_workshop *workshop, enum rarog_stub_kind kind, uint32_t id,
			 uint8_t *function);

/** rarog_workshop_set_up() - after the last probe: make code executable. 0, -errno. */
int rarog_workshop_set_up(struct rarog_workshop *workshop);

/** rarog_workshop_enter() - from here to rarog_workshop_leave() probes of this thread, and of
 * threads that it starts, find the workshop. 0; -errno with message. */
int rarog_workshop_enter(const struct rarog_workshop *workshop);
void rarog_workshop_leave(void);

struct rarog_strand_shared *rarog_workshop_strand(const struct rarog_workshop *workshop,
						  uint32_t index);
struct rarog_strand_private *rarog_workshop_private(const struct rarog_workshop *workshop,
						    uint32_t index);

#endif
