/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the budget is too short for all functions, some get enough runs for an answer rather than
 * all of them too few: those first that take the most of the run, others when they are known.
 */
#ifndef RAROG_BLOW_TURNS_H
#define RAROG_BLOW_TURNS_H

#include "blow/blow.h"

/** rarog_blow_round() - runs of a round with @n open functions. */
double rarog_blow_round(const struct rarog_blow_mode *mode, size_t n);

/** rarog_blow_take_turns() - of the functions that are open: which are left until it is their turn,
 * if a run takes @taken_ns. */
void rarog_blow_take_turns(const struct rarog_blow_options *options,
			   struct rarog_blow_result *result, uint64_t taken_ns);

/** rarog_blow_next_turn() - open the next ones. Return: are there any? */
bool rarog_blow_next_turn(const struct rarog_blow_options *options,
			  struct rarog_blow_result *result, uint64_t taken_ns);

#endif
