/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a parameter's place to what a path of fields names. */
#ifndef RAROG_BINARY_VALUE_REACH_H
#define RAROG_BINARY_VALUE_REACH_H

#include "binary/dwarf-type.h"
#include "binary/value-path.h"

/* Where a parameter is. */
struct rarog_reach {
	struct rarog_type type;
	struct rarog_abi_place place;
	bool is_address; /* the place has the address of the parameter */
};

/**
 * rarog_reach_path() - @steps is the path after the parameter's name: "", "->x.y"
 * @stars: how often what is reached is dereferenced
 * @ret_die: the type: DW_AT_type of it; its addr is NULL where a size is the value
 *
 * Errors as rarog_signature_path().
 */
int rarog_reach_path(const struct rarog_reach *from, unsigned stars, const char *steps,
		     struct rarog_value_path *ret_path, Dwarf_Die *ret_die);

#endif
