/* SPDX-License-Identifier: MIT */
/*
 * Words of gates: what becomes of a function's calls. Probes that have a gate read its word at each
 * call, here or in the kernel; rarog may write it at any time. Another number N: every N-th is
 * recorded, the others are counted.
 */
#ifndef RAROG_AGENT_GATE_H
#define RAROG_AGENT_GATE_H

#define RAROG_GATE_OFF     0          /* they are not even counted */
#define RAROG_GATE_EVERY   1          /* they are recorded */
#define RAROG_GATE_COUNTED 0xffffffff /* they are only counted; as a signed number below 0 */

/* They are counted, and each begins late, by as many ticks of the time-stamp counter, or turns of a
 * loop: the other bits, at least 1. */
#define RAROG_GATE_DELAY  0x80000000
#define RAROG_GATE_TURNS  0x40000000 /* … with it */
#define RAROG_GATE_DEBTS  0x20000000 /* … with it: none of that, but see below */
#define RAROG_GATE_AMOUNT 0x1fffffff

/*
 * Debts: each call gains as many ticks, which all other threads owe from then on; or the calling
 * thread pauses for what it owes, or is about to wait, or to wake another, or several of these.
 */
#define RAROG_GATE_GAINS     0x10000000
#define RAROG_GATE_LOSES     0x40000000 /* … with it: the caller owes as much, and pays it at once */
#define RAROG_GATE_GAIN_MOST 0x0fffffff
#define RAROG_GATE_PAYS      1
#define RAROG_GATE_WAITS     2
#define RAROG_GATE_WAKES     4  /* another thread, perhaps */
#define RAROG_GATE_FIRST     8  /* … by what its first argument is the address of … */
#define RAROG_GATE_SECOND    16 /* … or its second; both: it waits for the first, wakes by this */
/* It waits only if the first argument leads to a semaphore of glibc whose value is 0, a lock for
 * reading that a writer has, or the flag of what is done once, and is being done: then up to now.
 */
#define RAROG_GATE_SEMAPHORE 32
#define RAROG_GATE_READS     64
#define RAROG_GATE_ONCE      128

#endif
