/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The facts of a machine as a table, for machine*.c and check/history-split.c. */
#ifndef RAROG_STORE_MACHINE_FACTS_H
#define RAROG_STORE_MACHINE_FACTS_H

#include <stddef.h>

#include "store/machine.h"

enum rarog_fact_type { RAROG_FACT_TEXT, RAROG_FACT_U32, RAROG_FACT_U64, RAROG_FACT_SWITCH };

struct rarog_fact {
	const char *name; /* key in the header */
	size_t offset;
	enum rarog_fact_type type;
	bool is_of_class;
	bool is_identity; /* else it only says which of several equal machines it was */
};

extern const struct rarog_fact rarog_facts_of_machine[];
extern const size_t rarog_n_facts_of_machine;

#endif
