/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The calls of a profile for a timeline of bounded size. The longest calls, and the longest few of
 * each function, are there one by one; all others are summed up: by thread, depth and slice of
 * time. So no call is left out, however many there are.
 */
#ifndef RAROG_VIEW_HTML_SPANS_H
#define RAROG_VIEW_HTML_SPANS_H

#include "base/vec.h"
#include "view/run.h"

#define RAROG_SPANS_SINGLE 40000 /* calls one by one, about */
#define RAROG_SPANS_SUMS   60000 /* sums at most */
#define RAROG_SPANS_DEPTH  100   /* calls deeper than that are summed up in one row */

/* One call. Ticks are of the profile's clock. */
struct rarog_span {
	uint32_t strand, depth, location;
	uint64_t begin, extent;
	uint64_t waited; /* of the extent, for rarog: no time of the call */
};

/* Calls that began in one slice of time. */
struct rarog_span_sum {
	uint32_t strand, depth, slice;
	uint32_t location; /* of the longest of them */
	uint64_t calls, ticks, longest;
};

struct rarog_span_loss {
	uint32_t strand;
	uint64_t at, count;
};

struct rarog_spans {
	uint64_t from, to;                     /* what is looked at, ticks */
	uint64_t slice_ticks;                  /* width of a slice, the first begins at from */
	uint64_t calls;                        /* in all: as singles and in sums */
	RAROG_VEC(struct rarog_span) single;   /* by strand, depth, begin */
	RAROG_VEC(struct rarog_span_sum) sums; /* by strand, depth, slice */
	RAROG_VEC(struct rarog_span_loss) losses;
};

/**
 * rarog_spans_read() - those of @run that overlap @from to @to, ns since its start
 *
 * Reads the calls twice. Return: 0; -EBADMSG; -ENOMEM; -ENODATA when only sums were kept.
 */
int rarog_spans_read(const struct rarog_run *run, uint64_t from_ns, uint64_t to_ns,
		     struct rarog_spans *ret_spans);
void rarog_spans_release(struct rarog_spans *spans);

#endif
