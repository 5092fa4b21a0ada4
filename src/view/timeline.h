/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The calls of a profile as a stream of "entered" and "left", in the order of time over all
 * strands or one strand after the other. Memory: one block and one open-call stack for each
 * strand that is alive at the same time.
 */
#ifndef RAROG_VIEW_TIMELINE_H
#define RAROG_VIEW_TIMELINE_H

#include "base/cleanup.h"
#include "profile/reader.h"

struct rarog_timeline;

enum rarog_moment_kind {
	RAROG_MOMENT_ENTER,
	RAROG_MOMENT_LEAVE,
	RAROG_MOMENT_LOST, /* count events are missing here */
};

struct rarog_moment {
	enum rarog_moment_kind kind;
	uint32_t strand, location; /* location: RAROG_NONE when lost */
	uint32_t end;              /* LEAVE: RAROG_OP_RETURN, _UNWOUND or _CLOSED */
	size_t depth;              /* calls of the strand open around this one */
	bool is_inherited;         /* ENTER: already open when the strand began (fork) */
	uint64_t clock_ticks;      /* when it happened, by the profile's clock */
	uint64_t ticks;            /* the same less what the strand had waited for rarog until
				      then: the program's own time, in which durations are exact */
	uint64_t begin_ticks;      /* LEAVE: ticks of its ENTER */
	uint64_t exclusive;        /* LEAVE: duration less the durations of what it called */
	uint64_t number;           /* of a function that values were captured with: which of its
				      calls in the strand, from 1; 0: began before what is there */
	uint64_t count;            /* LOST */
};

struct rarog_timeline_options {
	bool by_strand; /* strand after strand instead of by time */
	bool only_tid;
	uint32_t tid; /* of all strands of this thread only */
};

/**
 * rarog_timeline_new() - begin to walk the calls of @profile
 *
 * Return: 0; -ENODATA "PATH has no calls …" when only summaries were kept; -ENOENT when no strand
 * has the wanted tid.
 */
int rarog_timeline_new(struct rarog_profile *profile, const struct rarog_timeline_options *options,
		       struct rarog_timeline **ret_timeline);
void rarog_timeline_free(struct rarog_timeline *timeline);
RAROG_DEFINE_FREEP(rarog_timeline);

/**
 * rarog_timeline_next() - the next moment
 *
 * Every ENTER has its LEAVE: calls that a cut-off file leaves open are closed at the strand's last
 * event. Return: 1, 0 at the end, negative on a damaged block.
 */
int rarog_timeline_next(struct rarog_timeline *timeline, struct rarog_moment *ret_moment);

#endif
