/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the programs in the kernel and rarog agree on: plain numbers and structs, for both sides. */
#ifndef RAROG_COLLECT_EBPF_ABI_H
#define RAROG_COLLECT_EBPF_ABI_H

#include "../probed/event.h" /* the ring has these */

#define RAROG_EBPF_RING_BYTES    (64 << 20)
#define RAROG_EBPF_PROCESSES_MAX 32768 /* at one time */

/* Values of the map "processes": what is known of a process of the run. */
#define RAROG_EBPF_WAITING  1 /* to be started by rarog: its execve() is still to come */
#define RAROG_EBPF_FOLLOWED 2

/* Indices of the map "settings". */
#define RAROG_EBPF_SET_FOLLOW 0 /* children, too */
#define RAROG_EBPF_SETTINGS   1

/* Indices of the map "lost": what did not fit into the ring, or into "processes". */
#define RAROG_EBPF_LOST_CALLS     0 /* with their ends */
#define RAROG_EBPF_LOST_ENDS      1 /* of calls that are recorded */
#define RAROG_EBPF_LOST_PROCESSES 2
#define RAROG_EBPF_LOST_NOTES     3 /* of starts and ends of processes */
#define RAROG_EBPF_LOST_MARKS     4
#define RAROG_EBPF_LOST_KINDS     5

/*
 * A probe's cookie is its number. That of a mark has more:
 *
 *	63 … 36 signed distance | 35 … 34 kind less RAROG_PROBED_POINT | 33 from rbp | 32 zero |
 *	31 … 0 number
 *
 * The function's return address is that far from rsp, or rbp.
 */
#define RAROG_EBPF_COOKIE_RBP      (1ull << 33)
#define RAROG_EBPF_COOKIE_KIND     34
#define RAROG_EBPF_COOKIE_DISTANCE 36

#endif
