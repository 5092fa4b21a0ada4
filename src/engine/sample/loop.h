/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the kernel's rings to sums, while the program runs. */
#ifndef RAROG_ENGINE_SAMPLE_LOOP_H
#define RAROG_ENGINE_SAMPLE_LOOP_H

#include "engine/sample/events.h"
#include "engine/sample/order.h"
#include "engine/sample/sampled.h"

struct rarog_sample_loop {
	struct rarog_sample_events *events; /* borrowed */
	struct rarog_sampled *sampled;
	struct rarog_order order;
	enum rarog_sample_source source; /* of the ring that is being read */
	int error;                       /* the first; with message. Nothing is added after it */
};

/** rarog_sample_loop_look() - empty the rings, and add what is in order for a moment if that cannot
 * wait until the program has ended. */
void rarog_sample_loop_look(struct rarog_sample_loop *loop);

/** rarog_sample_loop_finish() - all that is left. 0 or the first error, with message. */
int rarog_sample_loop_finish(struct rarog_sample_loop *loop);
void rarog_sample_loop_release(struct rarog_sample_loop *loop);

#endif
