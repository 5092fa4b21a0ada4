/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What reaches which byte of a binary's code: one bit a byte and kind. "Reached" errs on the side
 * of yes: data decoded as code and words that merely look like addresses count.
 */
#ifndef RAROG_BINARY_CODE_MAP_H
#define RAROG_BINARY_CODE_MAP_H

#include "base/vec.h"
#include "binary/internal.h"

enum rarog_code_reach {
	RAROG_REACH_ANY,     /* anything below, or data that may hold the address */
	RAROG_REACH_CALL,    /* a direct call */
	RAROG_REACH_JUMP,    /* a direct branch, from wherever it is; but for OWN */
	RAROG_REACH_OWN,     /* a direct branch of a function to its own first byte */
	RAROG_REACH_FOREIGN, /* a direct branch from another function, or from none */
	RAROG_REACH_TAKEN,   /* its address is taken: by code, data, relocation, table or symbol */
	RAROG_REACH_FLAGS,   /* a direct call whose caller reads flags afterwards */
	RAROG_REACH_WRITTEN, /* a load-time relocation writes here */
	RAROG_REACH_NAMED, /* its address is taken, and not only by what may be a table of offsets:
			      nothing says how long those are */
	RAROG_REACH_PAD,   /* an exception may land here */
	RAROG_REACH_KINDS
};

/* One of the binary's code ranges. */
struct rarog_code_region {
	uint64_t start, size; /* vaddr, bytes */
	const uint8_t *bytes; /* borrowed from the binary */
	uint64_t *bits[RAROG_REACH_KINDS];
};

/* Address that code computes as rip + constant: perhaps of a table of 32-bit offsets. */
struct rarog_code_base {
	uint64_t address;
	uint32_t function; /* index of the function that does so; UINT32_MAX: none */
};

/* A jump out of a function, direct or through a word of memory: a tail call. */
struct rarog_code_exit {
	uint64_t target; /* where it goes, or the address of that word */
	uint32_t function;
};

enum rarog_link_kind {
	RAROG_LINK_NONE = 0,
	RAROG_LINK_ASKING,     /* looks at its return address */
	RAROG_LINK_MCOUNT,     /* glibc's looks at its caller's return address … */
	RAROG_LINK_OWN_MCOUNT, /* … the program's own, which may do so, too */
	RAROG_LINK_HOOK,       /* __cyg_profile_func_enter, _exit */
};

/* A word that the loader fills with a function of another file. */
struct rarog_code_link {
	uint64_t word;
	enum rarog_link_kind kind;
};

struct rarog_code_map {
	const struct rarog_binary *binary;
	const struct rarog_function *functions; /* borrowed */
	size_t n_functions;
	RAROG_VEC(struct rarog_code_region) regions; /* sorted, disjoint */
	RAROG_VEC(struct rarog_code_base) bases;
	RAROG_VEC(struct rarog_code_exit) exits;
	RAROG_VEC(struct rarog_code_link) links; /* words filled with functions of other files */
	bool hooks_told; /* hooks of -finstrument-functions are called, and can be told the truth */
	bool reads_sleds; /* code refers to a table of sleds: it may patch them itself */
};

/**
 * rarog_code_map_init() - decode all code of @binary once and gather everything that reaches it
 *
 * Return: 0, -ENOMEM, or -EFBIG (more code than RAROG_CODE_MAX). @map needs
 * rarog_code_map_release() in any case.
 */
int rarog_code_map_init(struct rarog_code_map *map, const struct rarog_binary *binary);
void rarog_code_map_release(struct rarog_code_map *map);

#define RAROG_CODE_MAX (1ull << 30)

/** rarog_code_region_of() - the region that contains @address; NULL: not code. */
const struct rarog_code_region *rarog_code_region_of(const struct rarog_code_map *map,
						     uint64_t address);

/** rarog_code_reach() - note that @address is reached; ignored when it is not code. */
void rarog_code_reach(struct rarog_code_map *map, uint64_t address, enum rarog_code_reach kind);

/** rarog_code_reach_table() - … that what may be a table of offsets has it. */
void rarog_code_reach_table(struct rarog_code_map *map, uint64_t address);

/** rarog_code_reached() - is any byte of [@address, @address + @n) reached so? */
bool rarog_code_reached(const struct rarog_code_map *map, uint64_t address, size_t n,
			enum rarog_code_reach kind);

/** rarog_code_function() - index of the last function that starts at or below @address;
 * UINT32_MAX: none. */
uint32_t rarog_code_function(const struct rarog_code_map *map, uint64_t address);

/* The parts of rarog_code_map_init(), one file each; 0 or negative errno. */
int rarog_code_sweep(struct rarog_code_map *map);   /* code-sweep.c */
int rarog_code_tables(struct rarog_code_map *map);  /* code-tables.c */
int rarog_code_data(struct rarog_code_map *map);    /* code-data.c */
int rarog_code_landing(struct rarog_code_map *map); /* code-landing.c */

#endif
