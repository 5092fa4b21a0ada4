/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program or shared library as rarog sees it: its functions, their bounds, names, source lines,
 * and what was inlined where. Everything is in link-time virtual addresses ("vaddr"); adding the
 * load bias gives run-time addresses. A binary is immutable once opened.
 */
#ifndef RAROG_BINARY_BINARY_H
#define RAROG_BINARY_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct rarog_binary;

enum rarog_function_flags {
	RAROG_FUNCTION_IFUNC = 1 << 0,    /* an IFUNC resolver */
	RAROG_FUNCTION_COLD = 1 << 1,     /* a .cold part: jumped to, never called */
	RAROG_FUNCTION_CLONE = 1 << 2,    /* .part.N, .constprop.N, .isra.N, … */
	RAROG_FUNCTION_NAMELESS = 1 << 3, /* found through .eh_frame only; name is fn_<hex vaddr> */
	RAROG_FUNCTION_FOLDED = 1 << 4,   /* several distinct functions share this address (ICF) */
	RAROG_FUNCTION_GLOBAL = 1 << 5,   /* dynamic or global binding */
};

struct rarog_function {
	uint64_t address; /* vaddr of the entry */
	uint64_t size;    /* bytes; from the symbol, else the FDE, else the distance to the next */
	const char *name; /* the symbol, as in the file (without @VERSION) */
	uint32_t flags;   /* enum rarog_function_flags */
	uint32_t n_aliases;
	const char *const *aliases; /* other symbols at the same address */
	const char *unit;           /* a local symbol's source file (STT_FILE), NULL: unknown */
	bool has_fde;               /* .eh_frame covers the entry … */
	bool cfa_is_rsp_8;          /* … and says CFA = rsp+8 there (a real call entry) */
};

struct rarog_segment {
	uint64_t vaddr, memory_size, file_offset, file_size;
	uint32_t flags; /* PF_R | PF_W | PF_X */
};

/**
 * rarog_binary_open() - read an ELF file for x86-64
 * @path: file to read; its debug file (build-id, debuglink) is found and used too
 *
 * Return: 0; -ENOENT, -EACCES; -ENOEXEC not an ELF file for x86-64 (message says what it is);
 * -EINVAL truncated or malformed.
 */
int rarog_binary_open(const char *path, struct rarog_binary **ret_binary);

/** rarog_binary_open_as() - the same of the file at @path, which is called @name: a debug file is
 * looked for beside that. */
int rarog_binary_open_as(const char *path, const char *name, struct rarog_binary **ret_binary);

/** rarog_binary_open_memory() - the same for @n bytes in memory, which are copied; no debug file is
 * looked for. @name: for messages. */
int rarog_binary_open_memory(const char *name, size_t n, const uint8_t *bytes,
			     struct rarog_binary **ret_binary);
void rarog_binary_free(struct rarog_binary *binary);
RAROG_DEFINE_FREEP(rarog_binary);

const char *rarog_binary_path(const struct rarog_binary *binary);
const char *rarog_binary_build_id(const struct rarog_binary *binary); /* hex, "" if none */
bool rarog_binary_is_pie(const struct rarog_binary *binary);          /* ET_DYN */
bool rarog_binary_is_stripped(const struct rarog_binary *binary);     /* no .symtab anywhere */
/** rarog_binary_names_from() - the file whose .symtab names the functions, ".gnu_debugdata" for
 * MiniDebugInfo, NULL: none does; borrowed. */
const char *rarog_binary_names_from(const struct rarog_binary *binary);
bool rarog_binary_has_debug(const struct rarog_binary *binary);     /* DWARF line information … */
bool rarog_binary_has_own_debug(const struct rarog_binary *binary); /* … in the file itself */
const char *rarog_binary_interpreter(const struct rarog_binary *binary); /* NULL: static */
/** rarog_binary_is_library() - is it made to be a part of programs? */
bool rarog_binary_is_library(const struct rarog_binary *binary);
uint64_t rarog_binary_entry(const struct rarog_binary *binary);

/** rarog_binary_missing_units() - compilation units whose split debug information (.dwo) is not
 * where it was built; a .dwp is not read. Their lines are known, what is inlined there is not.
 * Return: the number, -ENOMEM. */
long rarog_binary_missing_units(struct rarog_binary *binary);

/* Why a function may have no debug information. */
enum rarog_debug_lack {
	RAROG_DEBUG_NONE,      /* it was compiled without, or that is in a file of its own */
	RAROG_DEBUG_ELSEWHERE, /* in .dwo files that were not found */
	RAROG_DEBUG_UNREAD,    /* in .dwo files in which elfutils finds nothing (type units) */
	RAROG_DEBUG_PACKED,    /* compressed in a way that libelf does not know (zstd) */
	RAROG_DEBUG_DAMAGED,   /* some of it cannot be read */
};

/** rarog_binary_debug_lack() - what is known of that in @binary. */
enum rarog_debug_lack rarog_binary_debug_lack(struct rarog_binary *binary);

/** rarog_binary_has_symbol() - is @name (without @VERSION) defined here, as code or data? */
bool rarog_binary_has_symbol(const struct rarog_binary *binary, const char *name);

/** rarog_binary_symbol() - the vaddr of @name, code or data, also a local one; false: it is not
 * there, or at several places. */
bool rarog_binary_symbol(const struct rarog_binary *binary, const char *name,
			 uint64_t *ret_address);

/** rarog_binary_segments() - the PT_LOAD segments; borrowed. */
size_t rarog_binary_segments(const struct rarog_binary *binary,
			     const struct rarog_segment **ret_segments);

/** rarog_binary_functions() - all functions, sorted by address, one per address; borrowed. */
size_t rarog_binary_functions(const struct rarog_binary *binary,
			      const struct rarog_function **ret_functions);

/** rarog_function_is_named() - is that its symbol, or another at the same address? */
bool rarog_function_is_named(const struct rarog_function *function, const char *name);

/** rarog_binary_find() - index of the function that holds @vaddr (the innermost beginning before it
 * when they overlap); -1: none. */
long rarog_binary_find(const struct rarog_binary *binary, uint64_t vaddr);

/** rarog_binary_host() - the function on whose stack frame the one at index @function runs: itself,
 * or of a split-off part (.cold) the one that it was split off; -1 for -1. */
long rarog_binary_host(const struct rarog_binary *binary, long function);

/** rarog_binary_bytes() - @n file bytes at @vaddr, NULL if not all are in one segment; borrowed. */
const uint8_t *rarog_binary_bytes(const struct rarog_binary *binary, uint64_t vaddr, size_t n);

/** rarog_demangle() - C++ or Rust name for people, malloc'd; NULL if @name is not mangled. */
char *rarog_demangle(const char *name);

/** rarog_demangle_place() - the same of a place: of "FUNC@CALLER" and "return@FUNC", too. */
char *rarog_demangle_place(const char *name);

struct rarog_source {
	const char *file; /* borrowed; NULL: unknown */
	int line;
	int column; /* 0: unknown */
};

/** rarog_binary_source() - where the code at @vaddr comes from; opens the debug information at
 * the first call. Return: 0, or -ENODATA. */
int rarog_binary_source(struct rarog_binary *binary, uint64_t vaddr,
			struct rarog_source *ret_source);

/** rarog_binary_source_named() - the file that the compiler of the code at @vaddr knew as @name,
 * perhaps relative to where it ran, as a whole path; NULL: not known. Where it is not known whose
 * code is there, as all compilers knew it that knew such a file. Borrowed. */
const char *rarog_binary_source_named(struct rarog_binary *binary, uint64_t vaddr,
				      const char *name);

struct rarog_inlined {
	const char *name;       /* linkage name of what was inlined, else its plain name */
	size_t host;            /* index into rarog_binary_functions(): where it was inlined */
	struct rarog_source at; /* call site */
};

/** rarog_binary_inlined() - every inlined instance, sorted by name; borrowed.
 * Return: their number, 0 without DWARF; negative on error. */
long rarog_binary_inlined(struct rarog_binary *binary, const struct rarog_inlined **ret_inlined);

#endif
