/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The context tree of one run as it is counted: by rows, without what the probes cost. */
#ifndef RAROG_CHECK_PLACES_H
#define RAROG_CHECK_PLACES_H

#include "check/comparison.h"

struct rarog_code_place {
	uint32_t row;        /* RAROG_NONE: of no function */
	bool is_folded;      /* counted with its parent's row */
	double exclusive_ns; /* CPU or wall time, at least 0 */
	double probed_ns;    /* … with what the probes may have cost */
	double waited_ns;    /* where it is compared, else 0 */
};

/**
 * rarog_places_read() - of run @run of side @side of a comparison whose .row_of and .inlining are
 * set; @nodes are that run's
 *
 * Times are CPU times if .is_cpu_time says so.
 * Return: 0, -EBADMSG, -ENOMEM.
 */
int rarog_places_read(const struct rarog_comparison *comparison, size_t side, size_t run, size_t n,
		      const struct rarog_node nodes[], struct rarog_code_place ret_places[]);

#endif
