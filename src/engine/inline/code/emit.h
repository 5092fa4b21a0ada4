/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Machine code for one code area: the agent, and a stub for every patched function
 * (agent/layout.h draws them).
 */
#ifndef RAROG_ENGINE_INLINE_CODE_EMIT_H
#define RAROG_ENGINE_INLINE_CODE_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/gate.h"
#include "agent/layout.h"
#include "agent/mark-set.h"
#include "binary/eh-frame.h"
#include "plan/noise.h"

enum rarog_stub_kind {
	RAROG_STUB_CALL,   /* record calls */
	RAROG_STUB_WITHIN, /* … only inside the root (--within) */
	RAROG_STUB_BELOW,  /* … only outside of it (--not-below) */
	RAROG_STUB_ROOT,   /* the root itself */
	RAROG_STUB_COUNT,  /* only count */
	RAROG_STUB_UNHOOK, /* an unwinder's entry: show true return addresses */
	RAROG_STUB_SET_IP, /* _Unwind_SetIP */
	RAROG_STUB_LOADED, /* the dynamic linker's _dl_debug_state */
	RAROG_STUB_SWAP_CONTEXT,
	RAROG_STUB_SET_CONTEXT,
	RAROG_STUB_JUMP_STACK, /* to the stack pointer that is its first argument */
	/* Functions that are told a return address of a traced call, as first or second argument:
	 * they get the true one. */
	RAROG_STUB_TELL_FIRST,
	RAROG_STUB_TELL_SECOND,
	RAROG_STUB_PRCTL,  /* may forbid system calls */
	RAROG_STUB_WALKED, /* the end of an unwinder that returns: stubs are put back */
	/* Marks: rarog_emit_mark() */
	RAROG_STUB_MARK_POINT,
	RAROG_STUB_MARK_BEGIN,
	RAROG_STUB_MARK_END,
	RAROG_STUB_MARK_COUNT, /* only count */
};

/** rarog_stub_is_needed() - does nothing go well without this hook? */
static inline bool rarog_stub_is_needed(enum rarog_stub_kind kind)
{
	return kind >= RAROG_STUB_UNHOOK && kind != RAROG_STUB_PRCTL && kind != RAROG_STUB_WALKED;
}

struct rarog_emitter {
	uint8_t *memory;  /* where we write … */
	uint64_t address; /* … and where the program sees it */
	size_t size, used;
	size_t gates;     /* where their words begin … */
	uint32_t n_gates; /* … and how many there is room for */
	/* Of the call or mark that is emitted next: has it a gate, which, and its first word. */
	bool is_gated;
	uint32_t gate, word;
	bool is_ordered;  /* RAROG_AREA_ORDERED */
	bool delays;      /* calls with a gate may begin late … */
	bool has_chance;  /* … or are recorded by chance: not each N-th, but so many of them */
	uint8_t noise;    /* enum rarog_noise: what they do then */
	uint64_t control; /* its address in the program … */
	uint64_t gained;  /* … of control.gained */
	uint64_t until;   /* … and of control.noise_until */
	size_t stub;      /* where the last one begins */
	struct rarog_agent_entries entries;
	struct rarog_agent_stub call; /* the one that is copied */
};

/** rarog_emit_size() - bytes that an area for @n functions needs at most. */
size_t rarog_emit_size(size_t n);

/** rarog_emit_return_distance() - from a shadow frame's stub address to the return address that
 * stands in its slot while the call runs, in bytes. */
uint64_t rarog_emit_return_distance(void);

/** rarog_emit_born() - from an area's start to where a thread is sent that has not run yet; after
 * 128 bytes at its stack pointer stands where it goes on. */
uint32_t rarog_emit_born(void);

/** rarog_emit_agent_entries() - places in the agent, from an area's start. */
struct rarog_agent_entries rarog_emit_agent_entries(void);

/** rarog_emit_agent_size() - bytes that the agent takes, at an area's start. */
size_t rarog_emit_agent_size(void);

/** rarog_emit_call_stub() - what is copied for a function whose calls are recorded. */
struct rarog_agent_stub rarog_emit_call_stub(bool is_ordered);

/** rarog_emit_is_copy() - are @code, stub->size bytes, a copy of it? */
bool rarog_emit_is_copy(const struct rarog_agent_stub *stub, const uint8_t code[]);

/**
 * rarog_emit_start() - lay header and agent into an empty area
 * @area: what the agent must know
 */
void rarog_emit_start(struct rarog_emitter *emitter, uint8_t *memory, uint64_t address, size_t size,
		      const struct rarog_area *area);

#define RAROG_EMIT_GATE_PAGE 4096

/** rarog_emit_gates_size() - bytes that rarog_emit_gates() takes at most. */
size_t rarog_emit_gates_size(size_t n);

/** rarog_emit_gates() - room for the words of @n gates, at once after rarog_emit_start(): whole
 * pages in which no code is, so that writing there makes no processor forget any. */
void rarog_emit_gates(struct rarog_emitter *emitter, uint32_t n);

/** rarog_emit_counters_width() - counters of a function in a strand's row, of which the last is
 * that of its calls, or of those that were not recorded. */
static inline uint32_t rarog_emit_counters_width(bool only_counts)
{
	return only_counts ? 1 : 2;
}

/**
 * rarog_emit_stub() - a stub for the function at @from whose first @n bytes are displaced
 * @id: function id, below RAROG_ID_WIDE; ignored by the hooks
 * @jump: where the jump to the stub will stand: @from, or before it
 * @ret_patch: the 5 bytes of that jump
 *
 * Return: 0; -ERANGE, -ENOTSUP as rarog_relocate(); -ENOSPC.
 */
int rarog_emit_stub(struct rarog_emitter *emitter, enum rarog_stub_kind kind, uint32_t id,
		    uint64_t from, size_t n, const uint8_t code[], uint64_t jump,
		    uint8_t ret_patch[5]);

/**
 * rarog_emit_before() - before the stub that @patch jumps to, a hook's part
 * @kind: of the hook
 * @jump: as for rarog_emit_stub()
 * @patch: changed to jump here
 *
 * Return: 0; -ERANGE; -ENOSPC.
 */
int rarog_emit_before(struct rarog_emitter *emitter, enum rarog_stub_kind kind, uint64_t jump,
		      uint8_t patch[5]);

/**
 * rarog_emit_continue() - what was emitted last goes on at @next instead of after what it
 * displaced
 *
 * Return: 0; -ENOTSUP: it does not end by going on there.
 */
int rarog_emit_continue(struct rarog_emitter *emitter, uint64_t next);

/** rarog_emit_copy() - @n bytes of instructions from @from, which go on at @next. @ret_stub: as
 * below. Return: as rarog_emit_stub(). */
int rarog_emit_copy(struct rarog_emitter *emitter, uint64_t from, size_t n, const uint8_t code[],
		    uint64_t next, uint64_t *ret_stub);

struct rarog_mark_stub {
	enum rarog_stub_kind kind; /* RAROG_STUB_MARK_… */
	uint32_t id;
	uint32_t every;    /* one of so many passages is recorded; 0, 1: each */
	bool may_be_alone; /* an end that is passed although nothing was begun is no wonder */
	bool is_left;      /* an end: the region has been left before */
	struct rarog_return_place return_place;
	const struct rarog_mark_set *values; /* captured there; NULL: none */
};

/* Bytes that a mark with values needs besides its stub, at most. */
#define RAROG_EMIT_MARK_VALUES_SIZE 256

/**
 * rarog_emit_mark() - a stub for a mark at @from, which displaces @n bytes
 * @next: where the stub goes on, 0: after what it displaces
 * @ret_stub: its address in the program
 *
 * It preserves all registers, flags, and what lies below the stack pointer. Return: as
 * rarog_emit_stub().
 */
int rarog_emit_mark(struct rarog_emitter *emitter, const struct rarog_mark_stub *mark,
		    uint64_t from, size_t n, const uint8_t code[], uint64_t next,
		    uint64_t *ret_stub);

#endif
