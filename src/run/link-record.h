/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the wrappers of compilers (toolchain.h) write down of a build: its links, a command each, so
 * that a program can be linked again.
 */
#ifndef RAROG_RUN_LINK_RECORD_H
#define RAROG_RUN_LINK_RECORD_H

#include "base/vec.h"

#define RAROG_LINK_RECORDS ".rarog-links" /* folder in the build's directory, a file a process */

/* Zeroed: none. */
struct rarog_link {
	char *text;                   /* holds what the others point to */
	const char *directory;        /* where it ran */
	RAROG_VEC(const char *) argv; /* the compiler first; not NULL-terminated */
	size_t output;                /* index into argv of the file made; 0: it is a.out */
};

/**
 * rarog_link_find() - the last command that linked @program
 * @directory: the build's
 * @program: path of the file
 *
 * Return: 1; 0: there is none; -errno.
 */
int rarog_link_find(const char *directory, const char *program, struct rarog_link *ret_link);
void rarog_link_release(struct rarog_link *link);

#endif
