/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a script of script.c prints while it runs, line by line:
 *
 *   0 TID PID NS;FUNCTION PLACE      a call begins; PLACE: address of its return address, in hex
 *   1 TID PID NS;FUNCTION PLACE      it returns
 *   5 TID PID NS;NAME                a thread begins
 *   6 TID PID NS;NAME                … ends
 *   7 TID PID PPID NS;NAME THREAD    a process was made by THREAD of PPID
 *   7 TID PID PPID NS;NAME           a process begins to run a program
 *   8 TID PID PPID NS;NAME           … ends
 *   n FUNCTION COUNT                 calls counted (--detail=count)
 *   ready                            the probes are in
 *   written N                        the last line: so many of kinds 0 to 8 were printed
 *
 * Kinds 2 to 4 and 9 belong to other scripts of this format, which also leave out PID, PPID, PLACE
 * and THREAD: then calls end as they are nested.
 */
#ifndef RAROG_COLLECT_STAP_OUTPUT_H
#define RAROG_COLLECT_STAP_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "collect/probed/event.h"

struct rarog_stap_output;

struct rarog_stap_output_options {
	pid_t program; /* its first "7" tells nothing new; 0: none is known beforehand */
	rarog_probed_take *take;
	void (*ready)(void *context);                                   /* NULL: nobody waits */
	int (*count)(void *context, uint64_t function, uint64_t count); /* NULL: nobody counts */
	void *context;                                                  /* of all three */
};

struct rarog_stap_output_totals {
	uint64_t lines;   /* of kinds 0 to 9 that came */
	uint64_t written; /* … that were printed, as the script says */
	uint64_t damaged; /* lines that are none of these */
	bool is_whole;    /* "written" came */
};

/** rarog_stap_output_new() - 0 or -ENOMEM. */
int rarog_stap_output_new(const struct rarog_stap_output_options *options,
			  struct rarog_stap_output **ret_output);
void rarog_stap_output_free(struct rarog_stap_output *output);
RAROG_DEFINE_FREEP(rarog_stap_output);

/** rarog_stap_output_feed() - the next @n bytes, which may end anywhere. 0; -ENOMEM; what take() or
 * count() returned. */
int rarog_stap_output_feed(struct rarog_stap_output *output, size_t n, const char bytes[n]);

/** rarog_stap_output_totals() - so far. */
struct rarog_stap_output_totals rarog_stap_output_totals(const struct rarog_stap_output *output);

#endif
