/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One thread's events from the kernel, as the words of agent/abi.h. */
#ifndef RAROG_ENGINE_PROBED_STRAND_H
#define RAROG_ENGINE_PROBED_STRAND_H

#include "base/vec.h"
#include "engine/probed/event.h"

#include <stdbool.h>
#include <stdint.h>

/* Kernels follow so many returns of a thread at one time (MAX_URETPROBE_DEPTH); calls
 * further in are known to have ended when the next event says so. */
#define RAROG_PROBED_DEPTH_MAX 64
#define RAROG_PROBED_UNSEEN    "returns of calls more than 64 deep" /* lost */

struct rarog_probed_frame {
	uint64_t place; /* address of the return address; of a region: just below that of its
			   function, see RAROG_REGION_BELOW */
	uint32_t function;
	uint32_t calls; /* open ones up to here that are no regions */
	uint32_t site;  /* of a region: where it has begun */
};

struct rarog_probed_strand {
	uint64_t now; /* ns; 0: nothing was written yet */
	RAROG_VEC(struct rarog_probed_frame) open;
	const bool *has_results;   /* by function: its return tells values; NULL: none does */
	const bool *are_sampled;   /* likewise: not each of its beginnings is told */
	uint64_t n_unseen;         /* calls too deep for their returns to be seen */
	uint64_t n_unbegun;        /* ends of regions that were not open */
	RAROG_VEC(uint16_t) words; /* the caller takes them away and sets words.n to 0 */
};

void rarog_probed_strand_release(struct rarog_probed_strand *strand);

/**
 * rarog_probed_strand_enter() - a call of @function begins at @ns
 * @place: where its return address is
 *
 * Calls whose return address lay below have ended without a return that was seen; one whose return
 * address lay in the same place has jumped to @function: it has ended, too, unless it has results,
 * which it returns with @function's. 0 or -ENOMEM.
 */
int rarog_probed_strand_enter(struct rarog_probed_strand *strand, uint64_t ns, uint32_t function,
			      uint64_t place);

/** rarog_probed_strand_leave() - it returns. Nothing happens if no such call is open: it has ended
 * by a jump already, or its beginning was lost. 0 or -ENOMEM. */
int rarog_probed_strand_leave(struct rarog_probed_strand *strand, uint64_t ns, uint32_t function,
			      uint64_t place);

/** rarog_probed_strand_values() - what was captured at the beginning of the call, or region, that
 * has begun just now. 0 or -ENOMEM. */
int rarog_probed_strand_values(struct rarog_probed_strand *strand,
			       const struct rarog_probed_record *record);

/** rarog_probed_strand_leave_with() - as rarog_probed_strand_leave(), with what was captured. */
int rarog_probed_strand_leave_with(struct rarog_probed_strand *strand,
				   const struct rarog_probed_record *record);

/**
 * rarog_probed_strand_point() - a mark is passed
 * rarog_probed_strand_begin() - the region @function begins …
 * rarog_probed_strand_stop() - … and ends, if its function has begun it in this very call …
 * rarog_probed_strand_left() - … or has been left, likewise
 * @place: where the return address of the function is that the mark is in
 *
 * What was called by that function has ended. So has a region that the same call has begun at the
 * same @site (a part of its address) before. 0 or -ENOMEM.
 */
int rarog_probed_strand_point(struct rarog_probed_strand *strand, uint64_t ns, uint32_t function,
			      uint64_t place);
int rarog_probed_strand_begin(struct rarog_probed_strand *strand, uint64_t ns, uint32_t function,
			      uint64_t place, uint32_t site);
int rarog_probed_strand_stop(struct rarog_probed_strand *strand, uint64_t ns, uint32_t function,
			     uint64_t place);
int rarog_probed_strand_left(struct rarog_probed_strand *strand, uint64_t ns, uint32_t function,
			     uint64_t place);

/** rarog_probed_strand_point_with(), rarog_probed_strand_stop_with() - the same with what was
 * captured. */
int rarog_probed_strand_point_with(struct rarog_probed_strand *strand,
				   const struct rarog_probed_record *record);
int rarog_probed_strand_stop_with(struct rarog_probed_strand *strand,
				  const struct rarog_probed_record *record);

/** rarog_probed_strand_fork() - @child begins at @ns with the calls that are open in @parent. 0 or
 * -ENOMEM. */
int rarog_probed_strand_fork(const struct rarog_probed_strand *parent, uint64_t ns,
			     struct rarog_probed_strand *child);

#endif
