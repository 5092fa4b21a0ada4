/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The texts that people may mean a name by: the name itself, C++'s without parameters, without
 * template arguments, and without ABI tags.
 */
#ifndef RAROG_BASE_SPELLINGS_H
#define RAROG_BASE_SPELLINGS_H

#include <stddef.h>

#define RAROG_SPELLINGS 6

struct rarog_spellings {
	size_t n;
	const char *v[RAROG_SPELLINGS]; /* the name itself comes first */
	char *own[RAROG_SPELLINGS];
};

/** rarog_spellings_make() - those of @name, which is borrowed. Without memory there are fewer. */
void rarog_spellings_make(const char *name, struct rarog_spellings *ret_spellings);
void rarog_spellings_release(struct rarog_spellings *spellings);

#endif
