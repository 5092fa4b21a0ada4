/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Landing pads: where an exception continues that leaves a call. */
#ifndef RAROG_BINARY_LANDING_PADS_H
#define RAROG_BINARY_LANDING_PADS_H

#include "binary/binary.h"
#include "binary/eh-frame.h"

/* Code of a function from which exceptions go to the same place. All are vaddr. */
struct rarog_call_site {
	uint64_t start, end; /* end is after the last byte */
	uint64_t pad;        /* 0: they leave the function */
	uint64_t action;     /* the first, for rarog_lsda_action(); 0: none, only clean-up */
};

/* The language-specific data of a function, and where reading is. */
struct rarog_lsda {
	const struct rarog_elf *elf;
	uint64_t start, base; /* of the function, of the pads */
	uint8_t encoding;     /* of the call sites */
	struct rarog_cursor sites;
	const uint8_t *actions, *end;
	uint64_t types; /* vaddr of the type table's end; 0: it has none */
	uint8_t type_encoding;
};

/** rarog_lsda_open() - false: the function of @fde has none, or it is damaged. */
bool rarog_lsda_open(const struct rarog_elf *elf, const struct rarog_fde *fde,
		     struct rarog_lsda *ret_lsda);

/** rarog_lsda_next() - the next call site; false: there is none. */
bool rarog_lsda_next(struct rarog_lsda *lsda, struct rarog_call_site *ret_site);

/** rarog_lsda_action() - what the action @number catches. Return: the number of the next one; 0:
 * none. @ret_filter: above 0 a type, 0 clean-up, below 0 a list of types */
uint64_t rarog_lsda_action(const struct rarog_lsda *lsda, uint64_t number, int64_t *ret_filter);

/** rarog_lsda_type() - where type @number is described, vaddr; 0: it is any type.
 * @ret_is_word: there is the address of it, which the loader fills in */
uint64_t rarog_lsda_type(const struct rarog_lsda *lsda, uint64_t number, bool *ret_is_word);

/** rarog_lsda_listed() - entry @at of the list of types of @filter, below 0; 0: its end. @at
 * becomes that of the next one; it begins with 0. */
uint64_t rarog_lsda_listed(const struct rarog_lsda *lsda, int64_t filter, size_t *at);

typedef void rarog_call_site_take(void *user, const struct rarog_call_site *site);

/**
 * rarog_landing_pads_each() - those that lead to a pad, of what the function of @fde has
 * @budget: bytes that may be read; less what was
 */
void rarog_landing_pads_each(const struct rarog_elf *elf, const struct rarog_fde *fde,
			     size_t *budget, rarog_call_site_take *take, void *user);

/** rarog_landing_pad() - where an exception lands that leaves the instruction at @address; 0: it
 * leaves the function. */
uint64_t rarog_landing_pad(const struct rarog_binary *binary, uint64_t address);

#endif
