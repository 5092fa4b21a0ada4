/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Marks: single instructions inside functions, which may be replaced by a 5-byte jump, or not. At
 * most USDT probes, where a compiler put a nop because an author asked for it.
 */
#ifndef RAROG_BINARY_MARK_SITE_H
#define RAROG_BINARY_MARK_SITE_H

#include "binary/binary.h"
#include "binary/eh-frame.h"

enum rarog_mark_verdict {
	RAROG_MARK_OK = 0,
	RAROG_MARK_NOWHERE, /* in no function */
	RAROG_MARK_MIDDLE,  /* inside of an instruction, or among bytes that are none */
	RAROG_MARK_TARGET,  /* a branch, jump table or pointer lands after its first byte */
	RAROG_MARK_END,     /* less than five bytes before its function's end */
	RAROG_MARK_MOVE,    /* an instruction there cannot run elsewhere */
	RAROG_MARK_WRITTEN, /* the loader, or the program itself, writes there */
	RAROG_MARK_EARLY,   /* in an IFUNC resolver: runs before relocation */
	RAROG_MARK_TAKEN,   /* after another probe, with no way from there to here */
	RAROG_MARK_STACK,   /* it is not known where the stack is; not told by rarog_mark_sites() */
	RAROG_MARK_VERDICTS
};

struct rarog_mark_site {
	uint8_t verdict;  /* enum rarog_mark_verdict */
	uint8_t before;   /* bytes of whole instructions displaced, before the address … */
	uint8_t length;   /* … and from there on; 0: not OK */
	bool is_long_nop; /* it is one nop of five bytes */
	bool has_frame;   /* unwind information describes the stack there */
	struct rarog_return_place return_place; /* before the instruction is executed */
};

/** rarog_mark_return_place() - where the return address of the function at @address is before it is
 * executed. */
struct rarog_return_place rarog_mark_return_place(const struct rarog_binary *binary,
						  uint64_t address);

/** rarog_mark_reason() - one short phrase for people per verdict; static. */
const char *rarog_mark_reason(enum rarog_mark_verdict verdict);

/**
 * rarog_mark_sites() - may a jump be written at addresses[n] of @binary?
 * @ret_sites: sites[n]
 *
 * The rules of doc/design/patching.md for what reaches the window and for moving what is displaced.
 * Where the five bytes from the address on will not do, the jump may be written some instructions
 * before it, if every way to the address leads there. Nothing is said of the stack or
 * the flags: a probe there must leave both as they are.
 *
 * Return: 0, -ENOMEM, -EFBIG.
 */
int rarog_mark_sites(const struct rarog_binary *binary, size_t n, const uint64_t addresses[n],
		     struct rarog_mark_site ret_sites[n]);

/**
 * rarog_mark_divides() - do the instructions from @start lead to @end, nowhere else first, and may
 * they run elsewhere?
 * @is_last: they need not lead to @end
 */
bool rarog_mark_divides(const struct rarog_binary *binary, uint64_t start, uint64_t end,
			bool is_last);

#endif
