/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What .eh_frame says about code: which ranges are described, and whether the canonical frame
 * address (CFA) at some address is rsp+8 with the return address just below it, that is, whether
 * the code there finds the stack as a CALL leaves it.
 */
#ifndef RAROG_BINARY_EH_FRAME_H
#define RAROG_BINARY_EH_FRAME_H

#include "binary/cursor.h"
#include "binary/elf-file.h"

struct rarog_fde {
	uint64_t start, end; /* vaddr; end is after the last byte */
	uint64_t offset;     /* of the entry in the section */
	uint64_t lsda;       /* vaddr of the language-specific data; 0: none */
};

struct rarog_eh_frame {
	const struct rarog_elf *elf;
	uint64_t vaddr; /* of the section */
	size_t n_bytes;
	const uint8_t *bytes;
	size_t n, capacity;
	struct rarog_fde *v; /* sorted by start */
};

/**
 * rarog_eh_frame_read() - read every FDE of @elf; borrows @elf
 * Return: 0 (without .eh_frame: no FDEs); -EINVAL malformed; -ENOMEM.
 */
int rarog_eh_frame_read(const struct rarog_elf *elf, struct rarog_eh_frame *frame);
void rarog_eh_frame_release(struct rarog_eh_frame *frame);

/** rarog_eh_frame_find() - the FDE that covers @vaddr, NULL if none does; borrowed. */
const struct rarog_fde *rarog_eh_frame_find(const struct rarog_eh_frame *frame, uint64_t vaddr);

/** rarog_eh_frame_is_entry() - does @fde say CFA = rsp+8, return address at CFA-8, at @vaddr? */
bool rarog_eh_frame_is_entry(const struct rarog_eh_frame *frame, const struct rarog_fde *fde,
			     uint64_t vaddr);

/* Where the return address of the function that code is in lies: a register, and a distance. */
struct rarog_return_place {
	enum { RAROG_RETURN_UNKNOWN = 0, RAROG_RETURN_FROM_RSP, RAROG_RETURN_FROM_RBP } from;
	int32_t offset; /* bytes */
};

/** rarog_eh_frame_return_place() - where it lies before the instruction at @vaddr is executed;
 * unknown where no FDE says so, or not by one of these two registers. */
struct rarog_return_place rarog_eh_frame_return_place(const struct rarog_eh_frame *frame,
						      uint64_t vaddr);

/**
 * rarog_eh_frame_goes_to_handlers() - does the function of @fde end by going where an exception is
 * handled?
 *
 * What it hands over there is in rax and rdx, which therefore lie on its stack and are said to: as
 * in functions that use __builtin_eh_return(), and in no others, since both are the callers' to
 * save.
 */
bool rarog_eh_frame_goes_to_handlers(const struct rarog_eh_frame *frame,
				     const struct rarog_fde *fde);

/** rarog_eh_number() - a number in one of the DW_EH_PE formats, without what it is relative to. */
uint64_t rarog_eh_number(struct rarog_cursor *c, uint8_t encoding);

#endif
