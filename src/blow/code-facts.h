/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What machine code says of functions, for the choice of those that get noise: from how many places
 * they are called, whether their calls cost the same, whether they do I/O or take locks. */
#ifndef RAROG_BLOW_CODE_FACTS_H
#define RAROG_BLOW_CODE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rarog_blow_code_facts {
	size_t n_sites; /* calls of it in the code of its own file */
	bool varies;    /* there is a loop or a recursion in it, or below */
	bool does_io;   /* it calls functions that read or write, or is one */
	bool locks;     /* it calls functions that may wait for another thread, or is one */
};

struct rarog_blow_code;

/** rarog_blow_code_read() - of the file @path. 0; -errno with message. */
int rarog_blow_code_read(const char *path, struct rarog_blow_code **ret_code);
void rarog_blow_code_free(struct rarog_blow_code *code);

/** rarog_blow_code_facts() - of the function at @address; zeroed: nothing is known. */
struct rarog_blow_code_facts rarog_blow_code_facts(const struct rarog_blow_code *code,
						   uint64_t address);

#endif
