/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One ELF file, opened and checked: after rarog_elf_open() every header, section and segment is
 * known to lie inside the file, so that readers of its parts check only the parts' own contents.
 */
#ifndef RAROG_BINARY_ELF_FILE_H
#define RAROG_BINARY_ELF_FILE_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct rarog_elf_section {
	const char *name;
	const Elf64_Shdr *header;
	Elf_Scn *scn;
};

enum rarog_elf_role {
	RAROG_ELF_PROGRAM,
	RAROG_ELF_DEBUG, /* a separate debug file: its segments have no bytes; n_segments is 0 */
};

struct rarog_elf {
	char *path;
	int fd;      /* -1: from memory */
	char *image; /* a copy of it; NULL: it is mapped */
	enum rarog_elf_role role;
	Elf *elf;
	const uint8_t *bytes; /* the whole file */
	size_t size;
	const Elf64_Ehdr *header;
	/* copies: in the file they may lie at any address, and libelf changes those of what it
	 * decompresses */
	size_t n_segments;
	Elf64_Phdr *segments;
	size_t n_sections;
	struct rarog_elf_section *sections;
	Elf64_Shdr *headers; /* [n_sections] */
	char *build_id;      /* lower-case hex, "" if none */
};

/**
 * rarog_elf_open() - open an ELF file for x86-64
 *
 * Return: 0; -ENOENT, -EACCES, …; -ENOEXEC something else (message says what); -EINVAL malformed.
 */
int rarog_elf_open(const char *path, enum rarog_elf_role role, struct rarog_elf **ret_elf);

/** rarog_elf_open_as() - the same of the file at @path, which is called @name. */
int rarog_elf_open_as(const char *path, const char *name, enum rarog_elf_role role,
		      struct rarog_elf **ret_elf);

/** rarog_elf_open_memory() - the same for @n bytes in memory, which are copied. */
int rarog_elf_open_memory(const char *name, enum rarog_elf_role role, size_t n,
			  const uint8_t *bytes, struct rarog_elf **ret_elf);

void rarog_elf_free(struct rarog_elf *elf);
RAROG_DEFINE_FREEP(rarog_elf);

/** rarog_elf_section() - the first section called @name, NULL if there is none; borrowed. */
const struct rarog_elf_section *rarog_elf_section(const struct rarog_elf *elf, const char *name);

/** rarog_elf_section_bytes() - a section's raw bytes, NULL if it has none in the file. */
const uint8_t *rarog_elf_section_bytes(const struct rarog_elf *elf,
				       const struct rarog_elf_section *section, size_t *ret_n);

/**
 * rarog_elf_section_unpacked() - a section's bytes, those of a compressed one as they were before
 * @ret_n: how many
 *
 * NULL: it has none in the file, or they cannot be unpacked. Borrowed.
 */
const uint8_t *rarog_elf_section_unpacked(const struct rarog_elf_section *section, size_t *ret_n);

/** rarog_elf_bytes() - file bytes from @vaddr to the end of its segment; NULL: not in the file. */
const uint8_t *rarog_elf_bytes(const struct rarog_elf *elf, uint64_t vaddr, size_t *ret_n);

/** rarog_elf_interpreter() - PT_INTERP's text, NULL if there is none; borrowed. */
const char *rarog_elf_interpreter(const struct rarog_elf *elf);

#endif
