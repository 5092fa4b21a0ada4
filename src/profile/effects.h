/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What experiments with noise say of each place (`rarog blow`), in the terms that tables and
 * comparisons of versions use.
 */
#ifndef RAROG_PROFILE_EFFECTS_H
#define RAROG_PROFILE_EFFECTS_H

#include "base/vec.h"
#include "profile/reader.h"

struct rarog_effect_row {
	const struct rarog_experiment *experiment;
	bool is_bent;              /* it does not grow as the noise does: the value is of little */
	bool is_gain;              /* the effect is a part of the run, else of the delay */
	double value, low, high;   /* 95 % interval */
	uint64_t calls;            /* of the traced run … */
	double total_ns;           /* … on the stack in it */
	double share;              /* … as a part of it */
	double sensitivity;        /* how much slower the run, by how much slower the place; NAN */
	double critical_calls;     /* NAN: it is a gain */
	double fitness, influence; /* as documented for Perun; NAN: not known */
	double opportunity;        /* likewise: the share, whatever was measured */
};

struct rarog_effects {
	RAROG_VEC(struct rarog_effect_row) v;
	double run_ns;  /* without noise */
	char *settings; /* JSON: mode, progress point and strength */
};

/** rarog_effects_read() - 0; -EBADMSG a damaged section; -ENOMEM. None: .v.n is 0. Release in any
 * case; borrows from @profile. */
int rarog_effects_read(struct rarog_profile *profile, struct rarog_effects *ret_effects);
void rarog_effects_release(struct rarog_effects *effects); /* fits rarog_cleanup() */

/** rarog_effects_exist() - does @profile have experiments? */
bool rarog_effects_exist(struct rarog_profile *profile);

/** rarog_influence() - of a run with noise: R / D, by how much slower it became and by how much
 * slower the function did (M. Liščinský, Brno 2021, 6.4). */
double rarog_influence(double time, double base, double injected, double total);

#endif
