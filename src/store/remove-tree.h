/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_STORE_REMOVE_TREE_H
#define RAROG_STORE_REMOVE_TREE_H

#include <stdint.h>

/** rarog_remove_tree() - a directory and all in it, never through a symbolic link; 0 also when it
 * is not there. Directories without write permission are made writable first. */
int rarog_remove_tree(const char *path);

/** rarog_tree_bytes() - what the file system spends on it; 0 when it is not there. */
uint64_t rarog_tree_bytes(const char *path);

#endif
