/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * User statically-defined tracing probes: places that a program's author marked (sys/sdt.h). Each
 * is one nop, and a note that says where, how it is called, and where its arguments are.
 */
#ifndef RAROG_BINARY_USDT_H
#define RAROG_BINARY_USDT_H

#include "binary/binary.h"

struct rarog_usdt {
	const char *provider, *name; /* borrowed from the binary */
	const char *arguments;       /* "8@%rdi -4@-20(%rbp)": size@operand; "" none */
	uint64_t address;            /* of the nop */
	uint64_t semaphore;          /* of the counter that says whether it is used; 0: none */
	long function;               /* index into rarog_binary_functions(), -1: none */
};

struct rarog_usdts {
	struct rarog_usdt *v; /* by address, then name; one probe may have several places */
	size_t n, capacity;
};

/**
 * rarog_usdts_read() - those of @binary, which must live as long
 *
 * Notes that are cut off, or name a place outside of the code, are left out.
 *
 * Return: 0 (also without any), -ENOMEM.
 */
int rarog_usdts_read(const struct rarog_binary *binary, struct rarog_usdts *ret_usdts);
void rarog_usdts_release(struct rarog_usdts *usdts);

/**
 * rarog_usdt_begins() - does the probe @begin open what @end closes?
 *
 * Names that are the same but for one part (parts are separated by _, - or nothing at the ends):
 * begin and end, entry and return, start and finish, ... (document 000, Tracer).
 */
bool rarog_usdt_begins(const char *begin, const char *end);

/** rarog_usdt_region_name() - what is between @begin and @end, of which rarog_usdt_begins(): their
 * name without the part that differs; @begin where nothing is left. malloc'd, NULL: memory. */
char *rarog_usdt_region_name(const char *begin, const char *end);

#endif
