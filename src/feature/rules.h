/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a feature model demands, by the numbers of its features: names are looked up once, as plans
 * ask for each of many configurations whether the model allows it. */
#ifndef RAROG_FEATURE_RULES_H
#define RAROG_FEATURE_RULES_H

#include "feature/constraint.h"
#include "feature/model-file.h"

struct rarog_rules_numbers {
	RAROG_VEC(uint32_t) list;
};

struct rarog_rules_constraint {
	struct rarog_constraint its;
	struct rarog_rules_numbers features; /* that it names, ascending, each once */
};

struct rarog_rules_feature {
	bool is_mandatory;
	struct rarog_rules_numbers implies, excludes;
};

/* Zeroed: empty. */
struct rarog_rules {
	RAROG_VEC(struct rarog_rules_feature) features;
	RAROG_VEC(struct rarog_rules_numbers) alternatives;
	RAROG_VEC(struct rarog_rules_constraint) constraints;
};

#define RAROG_RULES_NONE SIZE_MAX

/** rarog_rules_make() - 0; -EINVAL with message (@file: of the model): two features of one name,
 * what is no feature, or no constraint; -ENOMEM. Release in any case. */
int rarog_rules_make(const struct rarog_feature_model *model, const char *file,
		     struct rarog_rules *ret_rules);
void rarog_rules_release(struct rarog_rules *rules);

/** rarog_rules_names() - the first feature that is in the way of what is on, by what is mandatory,
 * implied, excluded and alternative; RAROG_RULES_NONE. */
size_t rarog_rules_names(const struct rarog_rules *rules, const bool on[]);

/** rarog_rules_constraint() - the first constraint that does not hold; RAROG_RULES_NONE. */
size_t rarog_rules_constraint(const struct rarog_rules *rules, const bool on[]);

/** rarog_rules_allow() - may these features be on together, all others off? */
bool rarog_rules_allow(const struct rarog_rules *rules, const bool on[]);

#endif
