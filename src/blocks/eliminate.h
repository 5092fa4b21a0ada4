/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gauss's elimination, for what bounds alone do not tell. */
#ifndef RAROG_BLOCKS_ELIMINATE_H
#define RAROG_BLOCKS_ELIMINATE_H

#include "blocks/equations.h"

/**
 * rarog_eliminate() - what the equations determine of the counts that are not known yet
 * @ranges: what is known of each; the determined ones become known
 *
 * Return: how many became known; -EDOM without message: they contradict each other; -ENOMEM.
 */
int rarog_eliminate(const struct rarog_equations *equations, struct rarog_bounds *ranges);

#endif
