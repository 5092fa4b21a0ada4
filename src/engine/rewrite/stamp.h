/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The machine code of a time stamp: it ends the time of one block and begins that of the next, so
 * that no instruction is left out, and each costs one reading of the clock.
 */
#ifndef RAROG_ENGINE_REWRITE_STAMP_H
#define RAROG_ENGINE_REWRITE_STAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAROG_STAMP_MOST 192 /* bytes */

/**
 * rarog_stamp_code() - the time from now on belongs to the cell that begins at word @cell of the
 * row; all registers stay, status flags if @keeps_flags. Return: bytes.
 */
size_t rarog_stamp_code(uint32_t cell, bool keeps_flags, uint8_t ret_code[RAROG_STAMP_MOST]);

/* What one costs, ticks. */
struct rarog_stamp_cost {
	double plain, keeping; /* keeping flags */
};

/** rarog_stamp_calibrate() - by running some. 0; -errno with message. */
int rarog_stamp_calibrate(struct rarog_stamp_cost *ret_cost);

#endif
