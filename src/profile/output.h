/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A file that has no name until it is complete. Freed without rarog_output_commit(), killed or out
 * of disk: nothing is left behind.
 */
#ifndef RAROG_PROFILE_OUTPUT_H
#define RAROG_PROFILE_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct rarog_output;

/** rarog_output_new() - begin the file that will be called @path (its directory must exist). */
int rarog_output_new(const char *path, struct rarog_output **ret_output);
void rarog_output_free(struct rarog_output *output);
RAROG_DEFINE_FREEP(rarog_output);

/** rarog_output_write() - append; 0 or -errno with a message that names the path and the remedy. */
int rarog_output_write(struct rarog_output *output, size_t n, const void *data);

/** rarog_output_size() - bytes written so far. */
uint64_t rarog_output_size(const struct rarog_output *output);

/** rarog_output_commit() - sync, give the file its name (replacing an older one atomically), sync
 * the directory. */
int rarog_output_commit(struct rarog_output *output);

#endif
