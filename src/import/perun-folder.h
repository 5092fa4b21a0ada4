/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A repository of Perun: the directory .perun with objects (profiles, and an index for each commit
 * under the commit's own name) and jobs (profiles that were not registered).
 */
#ifndef RAROG_IMPORT_PERUN_FOLDER_H
#define RAROG_IMPORT_PERUN_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rarog_perun_entry {
	uint32_t time;   /* s since the epoch */
	char object[41]; /* hexadecimal */
	const char *path;
};

/**
 * rarog_perun_index_parse() - the profiles that an index names
 * @bytes: bytes[n]; "pidx", version 1 or 2, count, entries: numbers in the byte order of the
 * machine that wrote it, which is found out by the version
 * @visit: the entry is borrowed; non-zero ends it and is returned
 *
 * Return: 0; -EINVAL no index; -EBADMSG cut off or damaged, with message; @visit has then seen the
 * entries before that.
 */
int rarog_perun_index_parse(const char *name, size_t n, const void *bytes,
			    int (*visit)(const struct rarog_perun_entry *entry, void *user),
			    void *user);

/* One profile of the repository. */
struct rarog_perun_found {
	const char *file;   /* where its bytes are */
	const char *name;   /* as people know it */
	const char *commit; /* NULL: in jobs */
	const char *object; /* SHA-1 that its bytes must have, NULL: jobs */
	uint32_t time;      /* 0: unknown */
};

/**
 * rarog_perun_folder_each() - all profiles, by commit
 * @path: the directory .perun, or the one that has it
 * @problem: an index that cannot be read, in words; the others go on
 *
 * Return: 0; non-zero of @visit; -ENOENT no such repository.
 */
int rarog_perun_folder_each(const char *path,
			    int (*visit)(const struct rarog_perun_found *found, void *user),
			    void (*problem)(const char *message, void *user), void *user);

/** rarog_perun_folder_read() - the profile's text, checked against its name; the caller frees.
 * -ENOENT, -EBADMSG with message. */
int rarog_perun_folder_read(const struct rarog_perun_found *found, char **ret_text, size_t *ret_n);

#endif
