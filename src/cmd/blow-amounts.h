/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers on the command line of rarog blow. Each: 0; -EINVAL with message; -ENOMEM. */
#ifndef RAROG_CMD_BLOW_AMOUNTS_H
#define RAROG_CMD_BLOW_AMOUNTS_H

#include "blow/blow.h"

/** rarog_blow_parse_number() - @text of --@option, from @least to @most. */
int rarog_blow_parse_number(const char *text, const char *option, double least, double most,
			    double *ret_value);

/** rarog_blow_parse_budget() - a time; a plain number is one of runs. */
int rarog_blow_parse_budget(const char *text, struct rarog_blow_options *blow);

/** rarog_blow_parse_least_time() - a part of the run; a number with a unit is of one call. */
int rarog_blow_parse_least_time(const char *text, struct rarog_blow_choice *choice);

#endif
