/* SPDX-License-Identifier: MIT */
/*
 * What the agent (the code inside the measured program) and rarog agree on: the event stream and
 * the shared memory. Plain structs and numbers only; included by C on both sides and by assembly.
 *
 * The event stream of a strand is a sequence of 16-bit little-endian words:
 *
 *   0ddd dddd dddd dddd                      EXIT   of the innermost open call, d ticks after
 *                                                   the previous event of this strand
 *   1ddd dddd dddd dddd  iiii iiii iiii iiii  ENTRY  into function i, d ticks (0 … 0x7ffe) later;
 *                                                   i = 0xffff: two more words hold a 32-bit id
 *   1111 1111 1111 1111  kkkk kkkk kkkk kkkk  ESCAPE of kind k, then the kind's payload words
 *
 * Time runs per strand: every event adds its delta to the strand's clock; escapes add what does not
 * fit into 15 bits. A strand begins with RAROG_ESCAPE_START, which sets the clock. A tail call is
 * an EXIT followed by an ENTRY with delta 0: the caller ends where the callee begins.
 */
#ifndef RAROG_AGENT_ABI_H
#define RAROG_AGENT_ABI_H

#define RAROG_ABI_VERSION 1

#define RAROG_WORD_ENTRY  0x8000
#define RAROG_WORD_ESCAPE 0xffff
#define RAROG_DELTA_MAX   0x7ffe /* largest delta that an ENTRY word holds; EXIT: 0x7fff */
#define RAROG_ID_WIDE     0xffff /* two more words follow with the id */

/* Escapes; payload in 16-bit words, least significant first. */
#define RAROG_ESCAPE_TIME16 1 /* 1: the clock advances by payload << 15 */
#define RAROG_ESCAPE_TIME64 2 /* 4: the clock advances by payload */
#define RAROG_ESCAPE_START  3 /* 4: the clock is payload (absolute ticks) */
#define RAROG_ESCAPE_DEPTH                                                                         \
	4 /* 2: that many calls are open now; the others (the innermost) ended                     \
		without returning (longjmp, exception); their end is the strand's clock now */
#define RAROG_ESCAPE_INHERIT                                                                       \
	5 /* 2: function id of a call already open when the strand began                           \
		(fork), outermost first; opened at the strand's clock */
#define RAROG_ESCAPE_WAIT                                                                          \
	6 /* 4: the strand waited that many ticks for ring space, ending at the                    \
		clock now; not the program's time: subtracted from open calls */
#define RAROG_ESCAPE_LOST   7 /* 4: that many events (entries and exits) were dropped here */
/* Values captured with the innermost open call: a word with their number n (1 … 15) and flags, a
 * word with a bit for each that could not be read, then n values of 4 words. */
#define RAROG_ESCAPE_VALUES 12
#define RAROG_VALUES_COUNT  0xf   /* the number */
#define RAROG_VALUES_RETURN 0x100 /* flag: the call has returned, its EXIT follows */

#endif
