/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A probe's fast path is a few dozen instructions, of which one decides whether the event is there:
 * the store of the cursor. Before it the probe is taken back: its thread stands where it begins,
 * with the registers that it had. After it what is left is done here.
 *
 * If we are killed half-way the thread is where it was, or the probe begins anew and finds the busy
 * mark of itself: then it goes the agent's way for a probe that was left by siglongjmp. So the
 * registers come first when a probe is taken back, and last when it is ended.
 */
#include "engine/inline/code/probe-settle.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "base/cleanup.h"
#include "engine/inline/code/emit-delay.h"
#include "engine/inline/code/emit-noise.h"
#include "engine/inline/code/emit.h"
#include "engine/inline/code/mark-settle.h"
#include "process/memory.h"

#define STUB_ALIGN 64 /* at least */

/* Of struct rarog_strand_private, what lies side by side there. */
struct record {
	uint64_t top, limit, busy, last;
};

#define FIELD(name) (offsetof(struct record, name) + offsetof(struct rarog_strand_private, top))
_Static_assert(FIELD(limit) == offsetof(struct rarog_strand_private, limit), "limit");
_Static_assert(FIELD(busy) == offsetof(struct rarog_strand_private, busy), "busy");
_Static_assert(FIELD(last) == offsetof(struct rarog_strand_private, last), "last");

struct saved { /* by the stub, below the slot */
	uint64_t rcx, rdx, rax;
};

/* What a probe that stands there has done already. */
static const struct zone {
	bool is_leave, is_over, is_timed;
	int top; /* bytes that it is to be moved by */
} zones[] = {
	[RAROG_ZONE_ENTER] = { 0 },
	[RAROG_ZONE_ENTER_PUSHED] = { .top = -RAROG_FRAME_SIZE },
	[RAROG_ZONE_ENTERED] = { .is_over = true, .is_timed = true },
	[RAROG_ZONE_LEAVE] = { .is_leave = true },
	[RAROG_ZONE_LEAVE_TIMED] = { .is_leave = true, .is_timed = true },
	[RAROG_ZONE_LEAVE_POPPED] = { .is_leave = true, .is_timed = true, .top = RAROG_FRAME_SIZE },
	[RAROG_ZONE_LEFT] = { .is_leave = true, .is_over = true },
};

struct standing {
	pid_t tid;
	struct user_regs_struct *regs;
	struct rarog_agent_stub stub;
	uint64_t start; /* of the copy */
	uint64_t slot;
	struct saved saved;
	struct record record;
};

/* Return: bytes that are there. */
static size_t read_from(pid_t tid, uint64_t address, size_t n, void *ret_bytes)
{
	const struct iovec ours = { ret_bytes, n };
	const struct iovec theirs = { (void *)(uintptr_t)address, n };
	ssize_t got = rarog_memory_readv(tid, &ours, 1, &theirs);

	return got > 0 ? (size_t)got : 0;
}

static bool copy_from(pid_t tid, uint64_t address, size_t n, void *ret_bytes)
{
	return read_from(tid, address, n, ret_bytes) == n;
}

static uint64_t record_address(const struct standing *s)
{
	return s->regs->gs_base + RAROG_GS_TOP;
}

/* But for the limit, which is not only the thread's to write. */
static bool write_record(const struct standing *s)
{
	const size_t behind = offsetof(struct record, busy), n = sizeof(s->record) - behind;
	const uint8_t *record = (const void *)&s->record;
	const struct iovec ours[] = { { (void *)(uintptr_t)record, sizeof(s->record.top) },
				      { (void *)(uintptr_t)(record + behind), n } };
	const struct iovec theirs[] = {
		{ (void *)(uintptr_t)record_address(s), sizeof(s->record.top) },
		{ (void *)(uintptr_t)(record_address(s) + behind), n },
	};

	return rarog_memory_writev(s->tid, ours, 2, theirs) == (ssize_t)(n + sizeof(s->record.top));
}

static bool write_registers(const struct standing *s)
{
	return ptrace(PTRACE_SETREGS, s->tid, NULL, s->regs) == 0;
}

/* The copy that the thread stands in. What may be one is read at once: at each signal's cost. */
static bool find_copy(struct standing *s)
{
	uint64_t first = s->regs->rip & ~(uint64_t)(STUB_ALIGN - 1);
	uint64_t from = first - (s->stub.size & ~(uint64_t)(STUB_ALIGN - 1));
	size_t n = first - from + s->stub.size;
	rarog_cleanup(rarog_freep) uint8_t *code = malloc(n);
	size_t got = code ? read_from(s->tid, from, n, code) : 0;

	for (uint64_t at = 0; at <= first - from; at += STUB_ALIGN) {
		s->start = from + at;
		if (s->regs->rip - s->start < s->stub.size && at + s->stub.size <= got &&
		    rarog_emit_is_copy(&s->stub, code + at))
			return true;
	}
	return false;
}

/* Noise is the program's own time: signals come as they would while it computes. */
static bool is_in_delay(const struct standing *s)
{
	uint8_t code[RAROG_EMIT_DELAY_SIZE];
	size_t got = read_from(s->tid, s->regs->rip - sizeof(code), sizeof(code), code);

	return got == sizeof(code) &&
	       (rarog_emit_is_delay(got, code, got) || rarog_emit_is_noise(got, code, got));
}

static const struct rarog_agent_zone *find_zone(const struct standing *s)
{
	uint64_t at = s->regs->rip - s->start;

	for (size_t i = 0; i < RAROG_ZONES; i++)
		if (at >= s->stub.zones[i].from && at < s->stub.zones[i].to)
			return &s->stub.zones[i];
	return NULL;
}

static bool read_state(struct standing *s)
{
	s->slot = s->regs->rsp + sizeof(s->saved);
	return copy_from(s->tid, s->regs->rsp, sizeof(s->saved), &s->saved) &&
	       copy_from(s->tid, record_address(s), sizeof(s->record), &s->record);
}

/* Where the body has returned to stands there again: a return after a switch of stacks that
 * we were not told of is known by it. */
static bool write_slot(const struct standing *s)
{
	uint64_t behind = s->start + s->stub.body + 4;
	const struct iovec ours = { &behind, sizeof(behind) };
	const struct iovec theirs = { (void *)(uintptr_t)s->slot, sizeof(behind) };

	return rarog_memory_writev(s->tid, &ours, 1, &theirs) == sizeof(behind);
}

/* After the call of the body, or to the beginning. */
static bool take_back(struct standing *s, const struct zone *zone)
{
	bool is_marked = s->record.busy == s->slot;

	if (zone->is_timed)
		s->record.last -= s->regs->rax;
	s->regs->rcx = s->saved.rcx;
	s->regs->rdx = s->saved.rdx;
	s->regs->rax = s->saved.rax;
	s->regs->rip = s->start + (zone->is_leave ? s->stub.body + 4 : 0);
	s->regs->rsp = s->slot + (zone->is_leave ? 8 : 0);
	s->record.top += (uint64_t)(int64_t)zone->top;
	s->record.busy = 0;
	return write_registers(s) && (!zone->is_leave || write_slot(s)) &&
	       (!is_marked || write_record(s));
}

static bool end(struct standing *s, const struct zone *zone, uint32_t to)
{
	if (zone->is_timed)
		s->record.last = s->regs->rdx;
	s->record.busy = 0;
	s->regs->rip = s->start + to;
	return write_record(s) && write_registers(s);
}

/* Is the call one that was chosen among those that are left out, and is not recorded yet? Its
 * turn would be forgotten by a process that is forked now. */
static bool is_chosen(const struct standing *s)
{
	uint64_t at = s->regs->rip - s->start;

	return at < s->stub.body || (at >= s->stub.marked && at < s->stub.enter + 4);
}

bool rarog_probe_settle(pid_t tid, const struct rarog_area *header, struct user_regs_struct *regs)
{
	struct standing s = { tid, regs,
			      .stub = rarog_emit_call_stub(header->flags & RAROG_AREA_ORDERED) };
	const struct rarog_agent_zone *at;
	const struct zone *zone;
	bool does_last;

	if (header->counters_stride && is_in_delay(&s))
		return true;
	if (!find_copy(&s))
		return rarog_mark_settle(tid, regs);
	if (header->counters_stride && is_chosen(&s))
		return false;
	at = find_zone(&s);
	if (!at)
		return true;
	if (!read_state(&s))
		return false;
	zone = &zones[at->kind];
	does_last = zone->is_over || zone->is_timed || zone->top;
	if (does_last && s.record.busy != s.slot)
		return false; /* not ours, whatever it is */
	return zone->is_over ? end(&s, zone, at->to) : take_back(&s, zone);
}
