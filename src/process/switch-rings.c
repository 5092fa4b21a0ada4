/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Times are CLOCK_MONOTONIC_RAW, which runs as evenly as the time-stamp counter and is there on
 * machines where the kernel does not tell users how its own clock is computed (virtual ones). A
 * pair of both clocks, read when records are, and one from long before make a straight line.
 */
#include "process/switch-rings.h"

#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

#include "base/clock.h"
#include "base/error.h"
#include "process/event-rings.h"

#define READINGS  5
#define ANCHOR_NS 1000000000ull /* how old the other pair becomes */

/* What sample_id_all puts after every record. */
struct sample_id {
	uint32_t pid, tid;
	uint64_t time; /* ns */
};

struct record_switch {
	struct perf_event_header header;
	struct sample_id id;
};

struct record_task {
	struct perf_event_header header;
	uint32_t pid, parent_pid, tid, parent_tid;
	uint64_t time;
	struct sample_id id;
};

struct record_lost {
	struct perf_event_header header;
	uint64_t event, lost;
	struct sample_id id;
};

union record {
	struct perf_event_header header;
	struct record_switch change;
	struct record_task task;
	struct record_lost lost;
};

struct pair {
	uint64_t ticks, ns;
};

struct rarog_switch_rings {
	struct rarog_event_rings *rings;
	struct pair anchor, next_anchor, now;
};

static struct pair read_pair(void)
{
	struct pair best = { 0 };
	uint64_t best_gap = UINT64_MAX;

	for (int i = 0; i < READINGS; i++) {
		struct timespec time;
		uint64_t before = __rdtsc(), after;

		clock_gettime(CLOCK_MONOTONIC_RAW, &time);
		after = __rdtsc();
		if (after - before >= best_gap)
			continue;
		best_gap = after - before;
		best.ticks = before + best_gap / 2;
		best.ns = rarog_timespec_ns(time);
	}
	return best;
}

/* The anchor is one to two seconds old; in the beginning as old as we are. */
static void look_at_clocks(struct rarog_switch_rings *r)
{
	r->now = read_pair();
	if (r->now.ns - r->next_anchor.ns < ANCHOR_NS)
		return;
	r->anchor = r->next_anchor;
	r->next_anchor = r->now;
}

static uint64_t ticks_of(const struct rarog_switch_rings *r, uint64_t ns)
{
	double rate = (double)(r->now.ticks - r->anchor.ticks) / (double)(r->now.ns - r->anchor.ns);

	return r->now.ticks + (uint64_t)(int64_t)((double)(int64_t)(ns - r->now.ns) * rate);
}

/* --- opening --- */

int rarog_switch_rings_new(pid_t pid, unsigned pages, struct rarog_switch_rings **ret_rings)
{
	struct perf_event_attr attr = rarog_event_rings_notes(CLOCK_MONOTONIC_RAW);
	rarog_cleanup(rarog_switch_rings_freep) struct rarog_switch_rings *r =
		calloc(1, sizeof(*r));
	int result;

	if (!r)
		return rarog_oom();
	attr.context_switch = 1;
	r->anchor = r->next_anchor = read_pair();
	result = rarog_event_rings_new(&attr, pid, pages, "context switches", &r->rings);
	if (result < 0)
		return result;
	*ret_rings = rarog_take(r);
	return 0;
}

void rarog_switch_rings_free(struct rarog_switch_rings *rings)
{
	if (rings)
		rarog_event_rings_free(rings->rings);
	free(rings);
}

/* --- reading --- */

static enum rarog_switch_kind kind_of(uint16_t misc)
{
	if (!(misc & PERF_RECORD_MISC_SWITCH_OUT))
		return RAROG_SWITCH_IN;
	return misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? RAROG_SWITCH_PREEMPTED
							  : RAROG_SWITCH_WAITS;
}

struct reading {
	const struct rarog_switch_rings *rings;
	rarog_switch_visit *visit;
	void *context;
};

/* What @record tells; false: nothing that we ask for. */
static bool read_record(const struct perf_event_header *header, struct rarog_switch *ret_found,
			uint64_t *ret_ns)
{
	const union record *record = (const void *)header;

	switch (header->type) {
	case PERF_RECORD_SWITCH:
		ret_found->kind = kind_of(header->misc);
		ret_found->tid = record->change.id.tid;
		*ret_ns = record->change.id.time;
		return true;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		ret_found->kind =
			header->type == PERF_RECORD_FORK ? RAROG_SWITCH_BORN : RAROG_SWITCH_GONE;
		ret_found->tid = record->task.tid;
		*ret_ns = record->task.time;
		return true;
	case PERF_RECORD_LOST:
		ret_found->kind = RAROG_SWITCH_LOST;
		*ret_ns = record->lost.id.time;
		return true;
	default:
		return false;
	}
}

static int visit_record(void *context, const struct perf_event_header *record)
{
	const struct reading *reading = context;
	const struct rarog_switch_rings *r = reading->rings;
	struct rarog_switch found = { .ticks = r->now.ticks, .kind = RAROG_SWITCH_LOST };
	uint64_t ns = r->now.ns;

	/* Without a record: the kernel tells of a loss with the next that has room, which may never
	 * come. */
	if (record && !read_record(record, &found, &ns))
		return 0;
	found.ticks = ticks_of(r, ns);
	return reading->visit(reading->context, &found);
}

int rarog_switch_rings_read(struct rarog_switch_rings *rings, rarog_switch_visit *visit,
			    void *context)
{
	struct reading reading = { rings, visit, context };

	if (!rarog_event_rings_has(rings->rings))
		return 0;
	look_at_clocks(rings);
	return rarog_event_rings_read(rings->rings, visit_record, &reading);
}
