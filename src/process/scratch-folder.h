/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A folder of our own in which a program that is measured leaves files of counters. */
#ifndef RAROG_PROCESS_SCRATCH_FOLDER_H
#define RAROG_PROCESS_SCRATCH_FOLDER_H

#include <limits.h>
#include <stdbool.h>

/* Zeroed: none. */
struct rarog_scratch_folder {
	char path[PATH_MAX];
	int folder; /* the same */
	int lock;   /* the mark in it, locked for as long as the folder is needed */
};

/**
 * rarog_scratch_folder_make() - below TMPDIR, or /tmp
 * @kind: a word of its name
 *
 * Folders that rarog has made for this user and does not hold any more, because it was killed, are
 * removed first. Return: 0; -errno with message; @ret_folder is none then.
 */
int rarog_scratch_folder_make(const char *kind, struct rarog_scratch_folder *ret_folder);

/** rarog_scratch_folder_remove() - with the files in it; none: nothing. */
void rarog_scratch_folder_remove(struct rarog_scratch_folder *folder);

/** rarog_scratch_folder_is_full() - is there no room for a counter in it? */
bool rarog_scratch_folder_is_full(const struct rarog_scratch_folder *folder);

#endif
