/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a counter takes on this machine. */
#ifndef RAROG_ENGINE_REWRITE_COUNTER_COST_H
#define RAROG_ENGINE_REWRITE_COUNTER_COST_H

/** rarog_counter_cost() - ticks of one increment among others of other counters: the least that it
 * can take. Takes less than a millisecond. */
double rarog_counter_cost(void);

#endif
