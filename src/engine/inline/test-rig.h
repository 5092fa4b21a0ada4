/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The agent at work in rarog's own process, on functions of rarog's own: to measure what a probe
 * costs, and to test it. Everything is as in a measured program, only smaller, and chunks are
 * taken by the code that opened the test rig.
 */
#ifndef RAROG_ENGINE_INLINE_TEST_RIG_H
#define RAROG_ENGINE_INLINE_TEST_RIG_H

#include "base/cleanup.h"
#include "engine/inline/code/emit.h"

#define RAROG_TEST_RIG_STRANDS   8    /* number 0 records nothing */
#define RAROG_TEST_RIG_COUNTERS  512  /* of each strand */
#define RAROG_TEST_RIG_FUNCTIONS 4096 /* bytes for functions made in the test rig */

struct rarog_test_rig {
	uint8_t *memory; /* strands, control, chunks, counters, shadow stacks */
	size_t memory_size;
	uint8_t *code; /* agent and stubs, then functions */
	size_t code_size;
	struct rarog_emitter emitter;
	uint8_t *chunks;
	struct rarog_control *control;
	/* counters[strand * RAROG_TEST_RIG_COUNTERS + id]; of functions with gates two each */
	uint64_t *counters;
	uint32_t *gates;    /* gates[id], their words; NULL: there are none */
	uint8_t *steps;     /* next step of a probe: as in a program, a jump leads to a jump */
	uint8_t *functions; /* RAROG_TEST_RIG_FUNCTIONS bytes, writable until the test rig is set up
			     */
};

struct rarog_test_rig_options {
	uint32_t chunks;  /* that the agent may use, at least 1 */
	size_t stubs;     /* at most */
	const void *near; /* code that stubs must reach; NULL: only what is made in the test rig */
	uint64_t flags;   /* RAROG_AREA_… */
	bool has_gates;   /* its probes … */
	uint32_t word;    /* … and what their words are at first */
	bool has_chance;  /* as of --overhead; else calls may begin late */
};

/** rarog_test_rig_open() - 0; -EBUSY if %gs is in use here, -ENOMEM; with message. */
int rarog_test_rig_open(const struct rarog_test_rig_options *options,
			struct rarog_test_rig *ret_test_rig);
void rarog_test_rig_close(struct rarog_test_rig *w);

/**
 * rarog_test_rig_probe() - patch a function
 * @function: writable now; its first 5 bytes are whole instructions, none of them a branch
 *
 * Return: 0, errors of rarog_emit_stub().
 */
int rarog_test_rig_probe(struct rarog_test_rig *w, enum rarog_stub_kind kind, uint32_t id,
			 uint8_t *function);

/** rarog_test_rig_mark() - likewise, with a mark at @code. */
int rarog_test_rig_mark(struct rarog_test_rig *w, const struct rarog_mark_stub *mark,
			uint8_t *code);

/** rarog_test_rig_set_up() - after the last probe: make code executable. 0, -errno. */
int rarog_test_rig_set_up(struct rarog_test_rig *w);

/** rarog_test_rig_enter() - from here to rarog_test_rig_leave() probes of this thread, and of
 * threads that it starts, find the test rig. 0; -errno with message. */
int rarog_test_rig_enter(const struct rarog_test_rig *w);
void rarog_test_rig_leave(void);

struct rarog_strand_shared *rarog_test_rig_strand(const struct rarog_test_rig *w, uint32_t index);
struct rarog_strand_private *rarog_test_rig_private(const struct rarog_test_rig *w, uint32_t index);

#endif
