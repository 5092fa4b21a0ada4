/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which function entries may be replaced by a 5-byte jump, proven on the binary: the rules of
 * doc/design/inline.md ("What may be patched"). A site is where the jump goes and how many bytes
 * of whole instructions it displaces.
 */
#ifndef RAROG_BINARY_PATCH_SITE_H
#define RAROG_BINARY_PATCH_SITE_H

#include "binary/binary.h"

#define RAROG_PATCH_SIZE       5   /* jmp rel32 */
#define RAROG_SHORT_PATCH_SIZE 2   /* jmp rel8 */
#define RAROG_BODY_MAX         128 /* upper bound of rarog_relocate()'s output */

enum rarog_site_verdict {
	RAROG_SITE_OK = 0,
	RAROG_SITE_NOT_ENTRY, /* .cold part, PLT, data */
	RAROG_SITE_NO_FDE,    /* nothing proves that CFA = rsp+8 at the entry */
	RAROG_SITE_CFA,       /* the FDE says that CFA is not rsp+8 */
	RAROG_SITE_SHORT,     /* shorter than 5 bytes and no padding after it */
	RAROG_SITE_TARGET,    /* a branch, jump table or pointer lands inside the window */
	RAROG_SITE_LOOP,      /* the entry is the head of the function's own loop */
	RAROG_SITE_DECODE,    /* bytes that are not instructions */
	RAROG_SITE_RELOCATE,  /* an instruction that cannot run elsewhere */
	RAROG_SITE_SPECIAL,   /* _start, vfork, setjmp, …: by name */
	RAROG_SITE_IFUNC,     /* a resolver, runs before relocation */
	RAROG_SITE_TEXTREL,   /* a load-time relocation writes into the window */
	RAROG_SITE_RETURN,    /* looks at its own return address: setjmp under any name, … */
	RAROG_SITE_FLAGS,     /* takes or returns processor flags */
	RAROG_SITE_SLED,      /* only where the program's own instrumentation may be written */
	RAROG_SITE_VERDICTS
};

/* Where the jump is written (doc/design/sleds.md). */
enum rarog_site_kind {
	RAROG_SITE_ENTRY = 0,   /* the entry, whatever stands there */
	RAROG_SITE_NOPS,        /* … which is nops that the compiler left for this */
	RAROG_SITE_NOPS_BEFORE, /* five bytes of nops before it, and a jump there of two bytes */
	RAROG_SITE_CALL,        /* … which is the call of __fentry__() */
	RAROG_SITE_BEHIND_CALL, /* after that call */
	RAROG_SITE_BEHIND_NOPS, /* after nops that the program writes to itself */
	RAROG_SITE_BEHIND_XRAY, /* after XRay's sled */
	RAROG_SITE_KINDS
};

struct rarog_site {
	uint8_t verdict; /* enum rarog_site_verdict */
	uint8_t kind;    /* enum rarog_site_kind */
	uint8_t offset;  /* bytes from the entry to what is displaced */
	uint8_t length;  /* bytes of whole instructions displaced (padding included): when OK, and
			  * for other verdicts where moving them would be safe; else 0 */
};

/** rarog_site_kind_name() - one word or two per kind, for people and programs; static. */
const char *rarog_site_kind_name(enum rarog_site_kind kind);

/** rarog_site_reason() - one short phrase for people per verdict; static. */
const char *rarog_site_reason(enum rarog_site_verdict verdict);

/**
 * rarog_patch_sites() - judge every function of @binary
 * @ret_sites: sites[n], n and order as rarog_binary_functions(); the caller frees
 *
 * One linear pass decodes all code and marks what branches, jump tables, relocation addends,
 * landing pads and pointer-like words reach; a second judges each entry.
 *
 * Return: 0, -ENOMEM.
 */
int rarog_patch_sites(const struct rarog_binary *binary, struct rarog_site **ret_sites);

/**
 * rarog_relocate() - rewrite displaced instructions so that they run at another address
 * @n: bytes displaced (rarog_site.length)
 * @code: their original bytes
 * @from: run-time address they come from
 * @to: run-time address they will run at; within 2 GiB of what they refer to
 * @room: size of @out
 *
 * Ends with a jump back to @from + @n unless the code never falls through. A displaced CALL pushes
 * the original return address, so that unwinders see the true one.
 *
 * Return: bytes written to @out, or -ERANGE (cannot be moved there), -ENOTSUP, -ENOSPC.
 */
int rarog_relocate(size_t n, const uint8_t code[n], uint64_t from, uint64_t to, size_t room,
		   uint8_t *out);

#endif
