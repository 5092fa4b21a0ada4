/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records of several rings in the order of time. Each ring is in order; of two rings the later
 * record may be read first. What was written before the last but one reading began has been read by
 * the last one: it can be given away.
 */
#ifndef RAROG_ENGINE_SAMPLE_ORDER_H
#define RAROG_ENGINE_SAMPLE_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct rarog_ordered {
	uint64_t ns, number; /* number: in the order in which they came, of equal times */
	unsigned source;     /* the caller's */
	size_t n;
	void *bytes;
};

struct rarog_order {
	RAROG_VEC(struct rarog_ordered) pending, ready;
	size_t next; /* of .ready */
	void *given; /* bytes of the last one given away */
	size_t size; /* bytes of all that wait */
	uint64_t number, round_ns, last_ns;
	uint64_t late; /* came when later ones had been given away already */
};

/** rarog_order_add() - @bytes are copied. 0 or -ENOMEM. */
int rarog_order_add(struct rarog_order *order, uint64_t ns, unsigned source, size_t n,
		    const void *bytes);

/** rarog_order_round() - all rings were read, which began at @now_ns. 0 or -ENOMEM. */
int rarog_order_round(struct rarog_order *order, uint64_t now_ns);

/** rarog_order_finish() - nothing more will come. 0 or -ENOMEM. */
int rarog_order_finish(struct rarog_order *order);

/** rarog_order_next() - the next record that can be given away; NULL: none can yet. Its bytes are
 * valid until the next call. */
const struct rarog_ordered *rarog_order_next(struct rarog_order *order);

void rarog_order_release(struct rarog_order *order);

#endif
