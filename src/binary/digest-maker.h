/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a digest is made, for code-digest.c and digest-address.c: the text that is hashed of the item
 * at hand. */
#ifndef RAROG_BINARY_DIGEST_MAKER_H
#define RAROG_BINARY_DIGEST_MAKER_H

#include "base/str.h"
#include "binary/call-scan.h"
#include "binary/code-digest.h"
#include "binary/code-objects.h"
#include "binary/thread-words.h"

#define RAROG_DIGEST_FAR 16384 /* bytes from a table to an address that stands for it */

struct rarog_digest_maker {
	const struct rarog_binary *binary;
	struct rarog_call_scan scan;
	struct rarog_code_objects objects;
	struct rarog_thread_words threads;
	const char **names;      /* [functions] */
	const char **part_names; /* [parts]: of code that is in no function; NULL: it is in one */
	bool *is_wanted;         /* [objects]: somebody refers to it */
	uint64_t *section_hash;  /* [sections] of code; 0: nobody has asked for it */
	struct rarog_code_digest *digest;
	/* Numbers in code, or in data, may be addresses: they are not relocated. */
	bool has_addresses, has_words;
	size_t budget; /* entries of exception tables to be read: those of hostile files overlap */
	/* of the function or the data at hand: */
	struct rarog_str text;
	bool is_gap;               /* it is one of the objects that lie between others */
	uint64_t start, end;       /* 0: data */
	bool reads;                /* the instruction uses what is there, not its address … */
	size_t most;               /* … bytes of it at most; 0: not known */
	bool takes, is_indexed;    /* it takes an address; that of what it adds an index to */
	RAROG_VEC(uint32_t) steps; /* offsets of its instructions that do anything */
};

/* Appending to the text. 0, -ENOMEM. */
int rarog_digest_put(struct rarog_digest_maker *m, size_t n, const void *bytes);
int rarog_digest_number(struct rarog_digest_maker *m, char kind, uint64_t number);
int rarog_digest_ref(struct rarog_digest_maker *m, const char *name, uint64_t offset);

/** rarog_digest_threads() - what the variables of threads begin with is one item: which of them is
 * meant is a number in the code. */
int rarog_digest_threads(struct rarog_digest_maker *m);

/** rarog_digest_address() - what is at @address; @depth: pointers in data on the way there. */
int rarog_digest_address(struct rarog_digest_maker *m, uint64_t address, int depth);

/** rarog_digest_outside() - the code takes @address: what begins after it or ends there, and may be
 * meant. 1: something is told apart by how far it is; 0. */
int rarog_digest_outside(struct rarog_digest_maker *m, uint64_t address);

/** rarog_digest_word() - a pointer at @word, or eight bytes of something else. */
int rarog_digest_word(struct rarog_digest_maker *m, uint64_t word, const uint8_t bytes[8],
		      int depth);

/** rarog_digest_bytes() - of data, with what is meant by pointers. */
int rarog_digest_bytes(struct rarog_digest_maker *m, uint64_t address, size_t n,
		       const uint8_t bytes[n], int depth);

/** rarog_digest_step() - the number of the instruction at @address of the function at hand. */
uint64_t rarog_digest_step(const struct rarog_digest_maker *m, uint64_t address);

/** rarog_digest_is_address() - may a number in code be an address? */
bool rarog_digest_is_address(const struct rarog_digest_maker *m, uint64_t value);

/** rarog_digest_is_pointer() - may a word of data be one, of which no relocation tells? */
bool rarog_digest_is_pointer(const struct rarog_digest_maker *m, const uint8_t bytes[8]);

#endif
