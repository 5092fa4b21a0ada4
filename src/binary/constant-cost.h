/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which functions take about the same with each call: those without loops and recursion that call
 * only such. What is called through pointers, functions of other files but for a few, system calls
 * and repeated string instructions are unknown, never constant.
 */
#ifndef RAROG_BINARY_CONSTANT_COST_H
#define RAROG_BINARY_CONSTANT_COST_H

#include "binary/call-scan.h"

enum rarog_cost {
	RAROG_COST_CONSTANT,
	RAROG_COST_UNKNOWN,
	RAROG_COST_VARYING, /* there is a loop, or recursion: only bounds of it would tell more */
};

/** rarog_own_costs() - of the code of each function of @scan without what it calls
 * @ret_costs: [functions]; of origins. 0, -ENOMEM. */
int rarog_own_costs(const struct rarog_call_scan *scan, uint8_t ret_costs[]);

/** rarog_constant_costs() - set RAROG_CALLEE_CONSTANT and _VARYING
 * @own: [callees]: enum rarog_cost of their own code. 0, -ENOMEM. */
int rarog_constant_costs(struct rarog_call_graph *graph, const uint8_t own[]);

#endif
