/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the program did with noise, and not without: a race, or a limit of time that it has. */
#ifndef RAROG_BLOW_FINDING_H
#define RAROG_BLOW_FINDING_H

#include "blow/run.h"

/** rarog_blow_ends_otherwise() - than the traced run: by its exit status or signal, not in time,
 * or, where that is compared, with something else printed */
bool rarog_blow_ends_otherwise(const struct rarog_blow_result *result,
			       const struct rarog_blow_outcome *run);

/** rarog_blow_finding_note() - @run of @f has ended otherwise: once more, or for the first time
 *
 * Takes its stacks. Return: 0; -ENOMEM.
 */
int rarog_blow_finding_note(struct rarog_blow_result *result, struct rarog_blow_function *f,
			    struct rarog_blow_outcome *run);

/** rarog_blow_finding_seen() - in how many of f's runs with noise that was seen; 0: it was not. */
uint64_t rarog_blow_finding_seen(const struct rarog_blow_result *result,
				 const struct rarog_blow_function *f);

/**
 * rarog_blow_finding_check() - @run had no noise
 *
 * Does it end otherwise, too, then that is none of noise's doing: what was found of that kind is no
 * finding. What is printed is not compared any more, and a line says so. Return: 0; -EIO with
 * message: it ends otherwise.
 */
int rarog_blow_finding_check(const struct rarog_blow_options *options,
			     struct rarog_blow_result *result,
			     const struct rarog_blow_outcome *run);

#endif
