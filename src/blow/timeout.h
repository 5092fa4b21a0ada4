/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long a run may take before it hangs. */
#ifndef RAROG_BLOW_TIMEOUT_H
#define RAROG_BLOW_TIMEOUT_H

#include "blow/blow.h"

/**
 * rarog_blow_timeout() - of a run with noise, in ns; 0: none
 * @least_ns: of one call's noise, whatever is asked
 * @own: the function that has noise of its own; NULL: none has
 */
uint64_t rarog_blow_timeout(const struct rarog_blow_options *options,
			    const struct rarog_blow_result *result, uint64_t least_ns,
			    const struct rarog_blow_function *own);

/** rarog_blow_check_timeout() - a run that cannot be over in time is no hang. 0; -ERANGE with
 * message: the limit that was asked for is too short for noise in @f. */
int rarog_blow_check_timeout(const struct rarog_blow_options *options,
			     const struct rarog_blow_result *result, uint64_t least_ns,
			     const struct rarog_blow_function *f);

#endif
