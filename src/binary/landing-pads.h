/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Landing pads: where an exception continues that leaves a call. */
#ifndef RAROG_BINARY_LANDING_PADS_H
#define RAROG_BINARY_LANDING_PADS_H

#include "binary/binary.h"
#include "binary/eh-frame.h"

/* Code of a function from which exceptions go to the same place. All are vaddr. */
struct rarog_call_site {
	uint64_t start, end; /* end is after the last byte */
	uint64_t pad;
};

typedef void rarog_call_site_take(void *user, const struct rarog_call_site *site);

/**
 * rarog_landing_pads_each() - those that the function of @fde has
 * @budget: bytes that may be read; less what was
 */
void rarog_landing_pads_each(const struct rarog_elf *elf, const struct rarog_fde *fde,
			     size_t *budget, rarog_call_site_take *take, void *user);

/** rarog_landing_pad() - where an exception lands that leaves the instruction at @address; 0: it
 * leaves the function. */
uint64_t rarog_landing_pad(const struct rarog_binary *binary, uint64_t address);

#endif
