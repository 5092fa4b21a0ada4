/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a script of script.c prints while it runs, line by line:
 *
 *   0 TID PID NS;FUNCTION PLACE      a call begins; PLACE: address of its return address, in hex
 *   1 TID PID NS;FUNCTION PLACE      it returns
 *   2 TID PID NS;NAME PLACE SITE     a mark is passed, in the function whose return address is at
 *                                    PLACE; SITE: bits of the mark's own address; all in hex
 *   3 TID PID NS;NAME PLACE SITE     a region begins there
 *   4 TID PID NS;NAME PLACE SITE     … ends
 *   5 TID PID NS;NAME                a thread begins
 *   6 TID PID NS;NAME                … ends
 *   7 TID PID PPID NS;NAME THREAD    a process was made by THREAD of PPID
 *   7 TID PID PPID NS;NAME 0         a process begins to run a program
 *   8 TID PID PPID NS;NAME           … ends
 *   9 TID PID NS;NUMBER              the thread has that number for what is counted of each
 *   10 TID PID NS;NAME PLACE SITE    as 4, by an exception or longjmp
 *   n FUNCTION COUNT                 calls counted (--detail=count)
 *   s NUMBER FUNCTION COUNT          that thread ended so many calls before the next one would have
 *                                    been told
 *   crowded COUNT                    calls that were left out because a table was full
 *   outside COUNT                    … because they began outside of the windows
 *   ready                            the probes are in
 *   written N                        the last line: so many of kinds 0 to 10 were printed
 *
 * After what is in lines 0 to 4, ":UNREAD VALUE VALUE …" is what was captured there, in hex, 64
 * bits each; of UNREAD a bit for each that could not be read.
 *
 * Other scripts of this format leave out PID, PPID, PLACE and THREAD: then calls end as they are
 * nested. Their kinds 2 to 4 have names instead of numbers; these, and 9, are not read.
 */
#ifndef RAROG_ENGINE_STAP_OUTPUT_H
#define RAROG_ENGINE_STAP_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "engine/probed/event.h"

struct rarog_stap_output;

struct rarog_stap_output_options {
	pid_t program; /* its first "7" tells nothing new; 0: none is known beforehand */
	rarog_probed_take *take;
	void (*ready)(void *context);                                   /* NULL: none waits */
	int (*count)(void *context, uint64_t function, uint64_t count); /* NULL: none counts */
	/** rest() - a line "s"; NULL: none asks */
	int (*rest)(void *context, uint32_t thread, uint32_t function, uint64_t n);
	void *context; /* of all four */
};

struct rarog_stap_output_totals {
	uint64_t lines;   /* of kinds 0 to 10 that came */
	uint64_t written; /* … that were printed, as the script says */
	uint64_t damaged; /* lines that are none of these */
	uint64_t crowded; /* calls for which there was no room */
	uint64_t outside; /* calls that began outside of the windows */
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
