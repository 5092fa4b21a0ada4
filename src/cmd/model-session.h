/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From names of profiles to models, and these kept beside the profiles. */
#ifndef RAROG_CMD_MODEL_SESSION_H
#define RAROG_CMD_MODEL_SESSION_H

#include "cmd/model-args.h"
#include "cmd/model-profiles.h"
#include "cmd/option-choice.h"
#include "cmd/project.h"
#include "view/model/model-view.h"

#define RAROG_MODEL_PLOT "model-plot" /* kept with what the page draws of it */
#define RAROG_MODEL_ROWS 20           /* functions, if nothing is said and people read it */

/* Zeroed: empty. Not to be moved. */
struct rarog_model_session {
	const struct rarog_model_args *args;
	struct rarog_project project;
	struct rarog_option_choice options;
	struct rarog_model_profiles profiles;
	struct rarog_model_ask ask;
	struct rarog_costs costs;
	size_t n;
	struct rarog_modelled *estimates; /* estimates[n], of the first of costs */
	struct rarog_surface *surfaces;   /* surfaces[n] instead, of several variables */
};

/** rarog_model_session_run() - read, fit, and keep if all profiles are in the store
 * @s: .args and .project are set
 * @unit: NULL, or the word before the options
 * Return: 0; as rarog_model_profiles_open(), rarog_costs_read(), rarog_estimate(). */
int rarog_model_session_run(struct rarog_model_session *s, const char *unit, size_t n,
			    char *const operands[]);
void rarog_model_session_release(struct rarog_model_session *session);

/** rarog_model_session_view() - of what was found; borrows. */
struct rarog_model_view rarog_model_session_view(const struct rarog_model_session *session);

#endif
