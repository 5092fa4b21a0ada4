/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where regions begin and end in the machine code of a function. */
#ifndef RAROG_FEATURE_CHANGES_H
#define RAROG_FEATURE_CHANGES_H

#include "feature/machine.h"

#define RAROG_FEATURE_CANDIDATES 5

/* From one stack to another; at the first of the addresses that will do. */
struct rarog_feature_change {
	uint32_t from, to;
	bool may_be_closed; /* of .from not all is open, or of .to some */
	uint64_t host;      /* the function that is left right after it; 0: it is not */
	size_t n, n_later;  /* none: only the function's return ends it */
	uint64_t at[RAROG_FEATURE_CANDIDATES];
	/* else here, where it is not known whether they are open */
	uint64_t later[RAROG_FEATURE_CANDIDATES];
};

struct rarog_feature_changes {
	RAROG_VEC(struct rarog_feature_change) list;
};

/** rarog_feature_changes_add() - those of @code, of a function of @machine. 0; -ENOMEM. */
int rarog_feature_changes_add(const struct rarog_feature_machine *machine,
			      const struct rarog_feature_code *code,
			      struct rarog_feature_changes *changes);

/** rarog_feature_stacks_common() - how many regions both have from outside on. */
uint32_t rarog_feature_stacks_common(const struct rarog_feature_machine *m,
				     const struct rarog_feature_stack *a,
				     const struct rarog_feature_stack *b);

#endif
