/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Nobody says whether a signal went to us or to all of our process group. So a process of ours does
 * nothing but belong to that group: what it gets went to the group.
 */
#ifndef RAROG_PROCESS_WITNESS_H
#define RAROG_PROCESS_WITNESS_H

#include <signal.h>
#include <stdbool.h>

struct rarog_witness;

/**
 * rarog_witness_new() - begin to look out for @signals (no real-time ones)
 *
 * It is a child of the calling thread, shares our memory, and ends with that thread at the latest.
 * waitpid() with __WALL may tell of its end, if somebody kills it.
 *
 * Return: NULL: there cannot be one; else for rarog_witness_free().
 */
struct rarog_witness *rarog_witness_new(const sigset_t *signals);

/** rarog_witness_free() - NULL: nothing. */
void rarog_witness_free(struct rarog_witness *witness);

/**
 * rarog_witness_saw() - has @signal come to the group since the last answer that it had?
 *
 * The kernel sends to those first that joined a group last, so a signal that has reached us has
 * reached the witness; only kill(-1, …) begins with the oldest, so no is said after a moment.
 * Also true if there is no answer.
 */
bool rarog_witness_saw(struct rarog_witness *witness, int signal);

#endif
