/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which files below a directory, and of some others, are opened while a program runs, and what is
 * in them: two versions that run the same programs and open the same files do the same.
 */
#ifndef RAROG_RUN_OPENED_H
#define RAROG_RUN_OPENED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json-writer.h"
#include "base/vec.h"
#include "run/words.h"

#define RAROG_OPENED_EACH 128 /* of so many the header says which, too */

struct rarog_opened_folder {
	int watch;
	char *path;
};

/* Zeroed: nothing is watched. */
struct rarog_opened {
	char *root;
	int notices; /* descriptor + 1; 0: nothing is watched (any more) */
	size_t files;
	char digest[33]; /* "": not known, or not yet */
	uint64_t
		each[RAROG_OPENED_EACH]; /* digests of the first names, once there is that of all */
	bool is_lost;                    /* something that was opened is not among the names */
	RAROG_VEC(struct rarog_opened_folder) folders;
	RAROG_VEC(char *) names; /* what was opened before a pause, and links out of the tree */
};

/**
 * rarog_opened_watch() - from here on, files below @directory, by whomever they are opened
 * @outside: absolute paths elsewhere: files, which count whether they are opened or not, and
 * folders
 *
 * What is below ".git" is no input. A link out of the tree, or in such a folder, counts by where
 * it leads to, and what is there, or below it, if it is opened. Where there are too many folders,
 * or the kernel does not allow it, nothing is watched. 0; -ENOMEM.
 */
int rarog_opened_watch(const char *directory, const struct rarog_words *outside,
		       struct rarog_opened *opened);

/**
 * rarog_opened_pause() - what was opened so far is kept; until rarog_opened_watch() is called
 * again, nothing is watched. 0; -ENOMEM.
 */
int rarog_opened_pause(struct rarog_opened *opened);

/**
 * rarog_opened_write() - member "opened": how many files and folders, and a digest of their names
 * and of what is in them (of a program that was linked anew: of what was built); of a few, one of
 * each, too. What is opened after the first call does not count.
 *
 * Nothing is written where a notice was lost, or where more than a gibibyte would have to be read.
 */
void rarog_opened_write(struct rarog_json *json, struct rarog_opened *opened);
void rarog_opened_release(struct rarog_opened *opened);

#endif
