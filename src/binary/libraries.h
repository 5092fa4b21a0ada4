/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The shared libraries that a program would be started with.
 */
#ifndef RAROG_BINARY_LIBRARIES_H
#define RAROG_BINARY_LIBRARIES_H

#include "binary/binary.h"

struct rarog_libraries {
	char **v; /* paths */
	size_t n, capacity;
};

/**
 * rarog_libraries_find() - ask the system's dynamic loader (as ldd does); the program itself and
 * a loader of its own are not run
 *
 * Return: 0 (a static program: none); -ENOENT with a message when a library is missing; -ENOTSUP
 * the program wants another loader; -errno.
 */
int rarog_libraries_find(const struct rarog_binary *binary, struct rarog_libraries *libraries);
void rarog_libraries_release(struct rarog_libraries *libraries);

#endif
