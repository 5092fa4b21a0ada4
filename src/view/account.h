/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What techniques have left out of a run, and why. */
#ifndef RAROG_VIEW_ACCOUNT_H
#define RAROG_VIEW_ACCOUNT_H

#include <stdio.h>

#include "optimize/optimize.h"

/** rarog_account_say() - one line for each file, and why a technique has stepped aside. */
void rarog_account_say(const struct rarog_optimizer *optimizer, FILE *out);

/** rarog_account_print() - function by function. 0, -ENOMEM. */
int rarog_account_print(const struct rarog_optimizer *optimizer, FILE *out, int width, bool colour);

#endif
