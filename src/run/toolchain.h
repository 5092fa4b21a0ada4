/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The compilers that a build may use: what tells one set of them from another (a cached build is
 * good only for the same ones), and wrappers of the same names that map the build's directory to
 * "." in debug information and __FILE__, so that the same sources give the same binary in every
 * directory.
 */
#ifndef RAROG_RUN_TOOLCHAIN_H
#define RAROG_RUN_TOOLCHAIN_H

#include "base/str.h"

/* Zeroed: unknown. */
struct rarog_toolchain {
	struct rarog_str identity; /* a line for each compiler: name, path, version */
	char *wrappers;            /* directory for the front of PATH */
};

/** rarog_toolchain_read() - of PATH, $CC and $CXX; writes the wrappers to @directory. 0 or -errno
 */
int rarog_toolchain_read(const char *directory, struct rarog_toolchain *ret_toolchain);
void rarog_toolchain_release(struct rarog_toolchain *toolchain);

/** rarog_toolchain_enter() - in a worker: what builds in @directory find. 0 or -ENOMEM. */
int rarog_toolchain_enter(const struct rarog_toolchain *toolchain, const char *directory);

#endif
