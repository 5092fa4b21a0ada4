/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The machine between its runs (machine-run.c): memory, blocks of calls, the end. machine-loop.c
 * has entries and exits, machine-escape.c the rest of the records, machine-call.h what both do to a
 * call.
 */
#include "events/machine.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "events/machine-call.h"
#include "events/pages.h"

#define FIRST_FRAMES 256

int rarog_strand_machine_reserve(struct rarog_strand_machine *m, size_t n)
{
	size_t grown = m->n_frames ? 2 * m->n_frames : FIRST_FRAMES;
	struct rarog_open_call *frames;

	if (n <= m->n_frames)
		return 0;
	if (grown < n)
		grown = n;
	frames = realloc(m->frames, grown * sizeof(*frames));
	if (!frames)
		return rarog_oom();
	m->frames = frames;
	m->n_frames = grown;
	return 0;
}

int rarog_strand_machine_init(struct rarog_strand_machine *machine,
			      struct rarog_strand_machine_shared *shared,
			      const struct rarog_assembler_sink *sink, uint32_t strand)
{
	*machine = (struct rarog_strand_machine){
		.shared = shared,
		.is_compensating = shared->compensate || shared->compensate_self,
		.off_cpu_from = UINT64_MAX,
		.batch = { .sink = sink, .strand = strand },
	};
	int r = rarog_strand_machine_reserve(machine, FIRST_FRAMES);

	if (r < 0)
		return r;
	machine->frames[0] = (struct rarog_open_call){ .tag = FLAGS }; /* the sentinel */
	return 0;
}

void rarog_strand_machine_release(struct rarog_strand_machine *machine)
{
	rarog_batch_release(&machine->batch);
	free(machine->frames);
	free(machine->functions);
	free(machine->stats);
	free(machine->ends);
	rarog_vec_release(&machine->values.open);
	rarog_vec_release(&machine->values.rows);
	rarog_vec_release(&machine->off_cpu.spans);
	rarog_vec_release(&machine->off_cpu.marks);
	free(machine->off_cpu.stats);
	*machine = (struct rarog_strand_machine){ 0 };
}

void rarog_strand_machine_shared_release(struct rarog_strand_machine_shared *shared)
{
	rarog_tree_release(&shared->tree);
	rarog_histograms_release(&shared->histograms);
	free(shared->seen);
	shared->seen = NULL;
	shared->n_seen = 0;
}

static int count_locations(uint32_t strand, size_t n, const uint32_t *locations,
			   size_t *ret_locations)
{
	size_t n_locations = 0;

	if (n > RAROG_MACHINE_FUNCTIONS_MAX)
		return rarog_fail(-EINVAL, "strand %u: too many functions: %zu", strand, n);
	for (size_t i = 0; i < n; i++) {
		if (locations[i] >= RAROG_NONE - RAROG_OP_ENTRY)
			return rarog_fail(-EINVAL, "strand %u: function %zu has no location",
					  strand, i);
		if (locations[i] >= n_locations)
			n_locations = locations[i] + (size_t)1;
	}
	*ret_locations = n_locations;
	return 0;
}

/* Two functions of a strand with one location would recurse without knowing of each other. */
static int check_distinct(struct rarog_strand_machine *m, size_t n, const uint32_t *locations,
			  size_t n_locations)
{
	struct rarog_strand_machine_shared *shared = m->shared;

	if (n_locations > shared->n_seen) {
		if (rarog_pages_grow(&shared->seen, shared->n_seen, n_locations,
				     sizeof(*shared->seen)) < 0)
			return rarog_oom();
		shared->n_seen = n_locations;
	}
	shared->announcement++;
	for (size_t i = 0; i < n; i++) {
		if (shared->seen[locations[i]] == shared->announcement)
			return rarog_fail(-EINVAL, "strand %u: two functions at location %u",
					  m->batch.strand, locations[i]);
		shared->seen[locations[i]] = shared->announcement;
	}
	return 0;
}

int rarog_strand_machine_functions(struct rarog_strand_machine *machine, size_t n,
				   const uint32_t *locations)
{
	size_t old = machine->n_functions, n_locations = 0;
	int r = count_locations(machine->batch.strand, n, locations, &n_locations);

	if (r < 0 || n <= old)
		return r;
	r = check_distinct(machine, n, locations, n_locations);
	if (r < 0)
		return r;
	r = rarog_histograms_reserve(&machine->shared->histograms, n_locations);
	if (r < 0)
		return r;
	if (rarog_pages_grow(&machine->functions, old, n, sizeof(*machine->functions)) < 0 ||
	    (machine->ends &&
	     rarog_pages_grow(&machine->ends, old, n, sizeof(*machine->ends)) < 0) ||
	    (machine->off_cpu.stats && rarog_pages_grow(&machine->off_cpu.stats, old, n,
							sizeof(*machine->off_cpu.stats)) < 0) ||
	    rarog_pages_grow(&machine->stats, old, n, sizeof(*machine->stats)) < 0)
		return rarog_oom();
	for (size_t i = old; i < n; i++)
		machine->functions[i].location = locations[i];
	machine->n_functions = n;
	return 0;
}

int rarog_strand_machine_block(struct rarog_strand_machine *m, uint64_t clock)
{
	int r = rarog_batch_begin(&m->batch, clock, m->depth);

	if (r < 0)
		return r;
	for (size_t i = 1; i <= m->depth; i++)
		m->batch.open.v[m->batch.open.n++] =
			m->functions[frame_function(&m->frames[i])].location;
	return 0;
}

int rarog_strand_machine_next_block(struct rarog_strand_machine *m)
{
	int r = rarog_batch_flush(&m->batch);

	if (r < 0)
		return r;
	/* Deltas since the last operation are raw, so the block starts at its raw clock. */
	return rarog_strand_machine_block(m, m->last + m->waits);
}

int rarog_strand_machine_op(struct rarog_strand_machine *m, uint32_t op, uint64_t delta)
{
	if (!m->is_keeping)
		return 0;
	if (m->batch.n == m->batch.capacity) {
		int r = rarog_strand_machine_next_block(m);

		if (r < 0)
			return r;
	}
	m->batch.op[m->batch.n] = op;
	m->batch.delta[m->batch.n++] = delta;
	return 0;
}

void rarog_strand_machine_first_row(struct rarog_strand_machine *m,
				    struct rarog_strand_machine_function *function)
{
	function->row = rarog_histograms_row(&m->shared->histograms, function->location);
	if (!function->row)
		m->shared->is_out_of_memory = true;
}

static struct rarog_stats_ends *ends_of(struct rarog_strand_machine *m, uint32_t id)
{
	if (!m->ends)
		m->ends = calloc(m->n_functions, sizeof(*m->ends));
	return m->ends ? &m->ends[id] : NULL;
}

int rarog_strand_machine_close_calls(struct rarog_strand_machine *m, size_t n, enum rarog_op op)
{
	for (; n > 0; n--) {
		struct rarog_open_call *frame = &m->frames[m->depth];
		struct rarog_stats_ends *ends = ends_of(m, frame_function(frame));
		/* First, because a block that begins with it still has the call open. */
		int r = rarog_strand_machine_op(m, op, m->now - m->last);

		if (r < 0)
			return r;
		if (!ends)
			return rarog_oom();
		ends->unwound += op == RAROG_OP_UNWOUND;
		ends->open += op == RAROG_OP_CLOSED;
		settle_any(m, frame, m->now);
		m->depth--;
		m->last = m->now;
	}
	return 0;
}

int rarog_strand_machine_stop_calls(struct rarog_strand_machine *machine)
{
	int r = machine->is_keeping ? rarog_batch_flush(&machine->batch) : 0;

	if (r == 0)
		r = rarog_strand_machine_flush_values(machine);

	rarog_batch_release(&machine->batch);
	machine->is_keeping = false;
	return r;
}

int rarog_strand_machine_close(struct rarog_strand_machine *machine, uint64_t end_ticks)
{
	uint64_t clock = machine->now + machine->waits;

	machine->open += machine->depth;
	if (end_ticks > clock && end_ticks <= RAROG_MACHINE_CLOCK_MAX)
		machine->now += end_ticks - clock;
	int r = rarog_strand_machine_absorb(machine, machine->now, false);

	if (r == 0)
		r = rarog_strand_machine_close_calls(machine, machine->depth, RAROG_OP_CLOSED);
	return r < 0 ? r : rarog_strand_machine_stop_calls(machine);
}
