/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was mapped where in which process, as the kernel's records tell it, in their order.
 */
#ifndef RAROG_ENGINE_SAMPLE_SPACES_H
#define RAROG_ENGINE_SAMPLE_SPACES_H

#include <stdint.h>

#include "base/cleanup.h"
#include "base/vec.h"

/* Executable memory. */
struct rarog_space_mapping {
	uint64_t start, end, offset; /* offset: of the file */
	uint32_t file;               /* index of the spaces' files */
};

struct rarog_space {
	uint32_t pid;
	uint64_t version; /* another one: something is mapped elsewhere */
	RAROG_VEC(struct rarog_space_mapping) mappings; /* sorted, none overlaps another */
};

/* As the kernel tells it of mappings, which need not be what stat() says (overlayfs, btrfs). */
struct rarog_file_id {
	uint32_t major, minor;
	uint64_t inode; /* 0: not known */
};

struct rarog_space_file {
	char *path; /* as the kernel told it, seen from the process; owned */
	struct rarog_file_id id;
	uint32_t pid; /* of a process that mapped it */
};

struct rarog_spaces {
	RAROG_VEC(struct rarog_space) list;
	RAROG_VEC(struct rarog_space_file) files;
	uint64_t versions;
};

void rarog_spaces_release(struct rarog_spaces *spaces);

/** rarog_spaces_find() - of @pid; NULL: nothing was mapped there yet. */
struct rarog_space *rarog_spaces_find(const struct rarog_spaces *spaces, uint32_t pid);

/** rarog_spaces_file() - its number, which is a new one if none has mapped it before @pid does;
 * or -ENOMEM. */
long rarog_spaces_file(struct rarog_spaces *spaces, uint32_t pid, const char *path,
		       struct rarog_file_id id);

/** rarog_spaces_map() - @path is mapped; what was there is gone. Return: its number among the
 * files, or -ENOMEM. */
long rarog_spaces_map(struct rarog_spaces *spaces, uint32_t pid, uint64_t start, uint64_t size,
		      uint64_t offset, const char *path, struct rarog_file_id id);

/** rarog_spaces_fork() - @child is a copy of @parent. 0 or -ENOMEM. */
int rarog_spaces_fork(struct rarog_spaces *spaces, uint32_t parent, uint32_t child);

/** rarog_spaces_exec() - nothing is mapped any more. */
void rarog_spaces_exec(struct rarog_spaces *spaces, uint32_t pid);

/** rarog_space_at() - what is mapped at @address; NULL: nothing. */
const struct rarog_space_mapping *rarog_space_at(const struct rarog_space *space, uint64_t address);

#endif
