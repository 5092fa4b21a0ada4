/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where collect leaves a profile: in the project's store, or in a file. A profile for the store is
 * first written among the pending ones, so that a run that is killed before it is registered can
 * still be added (0@p).
 */
#ifndef RAROG_CMD_SAVING_H
#define RAROG_CMD_SAVING_H

#include "cmd/project.h"
#include "process/header.h"

struct rarog_saving {
	struct rarog_project project;
	struct rarog_provenance provenance;
	bool is_stored; /* else files */
	bool is_kept;   /* something is in the store */
};

/**
 * rarog_saving_open() - look around, before the program runs
 * @wants_file: the user named a file
 * @label: --label, NULL; in a store without git it is the version
 *
 * Return: 0; -EINVAL the label is none, or settings are wrong; -errno.
 */
int rarog_saving_open(const struct rarog_context *context, bool wants_file, const char *label,
		      struct rarog_saving *ret_saving);
void rarog_saving_release(struct rarog_saving *saving); /* fits rarog_cleanup() */

/** rarog_saving_path() - where to write the profile of @program; the caller frees. */
int rarog_saving_path(struct rarog_saving *saving, const char *program, char **ret_path);

/**
 * rarog_saving_keep() - register the profile @path, which then is gone
 * @ret_stored: where it is now; the caller frees
 *
 * On failure it stays pending, and the message says so.
 */
int rarog_saving_keep(struct rarog_saving *saving, const char *path, struct rarog_hash *ret_object,
		      char **ret_stored);

#endif
