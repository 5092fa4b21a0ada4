/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A part of the calls of a profile, strand after strand, as a timeline of its own. */
#ifndef RAROG_VIEW_SIEVE_H
#define RAROG_VIEW_SIEVE_H

#include "base/match.h"
#include "view/run.h"
#include "view/timeline.h"

/* Zeroed: all calls. What is set must hold together. */
struct rarog_sieve_options {
	bool only_tid;
	uint32_t tid;
	uint64_t from_ns, to_ns; /* calls that were open in [from, to) of the run; to 0: its end */
	uint64_t min_ns;         /* calls that took so long */
	struct rarog_match *funcs; /* those, and what runs below them; NULL: all */
};

struct rarog_sieve;

/** rarog_sieve_new() - @run outlives it. As rarog_timeline_new(); -ENOENT a pattern of @options
 * that no function has. */
int rarog_sieve_new(const struct rarog_run *run, const struct rarog_sieve_options *options,
		    struct rarog_sieve **ret_sieve);
void rarog_sieve_free(struct rarog_sieve *sieve);
RAROG_DEFINE_FREEP(rarog_sieve);

/** rarog_sieve_next() - as rarog_timeline_next(); .depth counts what was let through. */
int rarog_sieve_next(struct rarog_sieve *sieve, struct rarog_moment *ret_moment);

#endif
