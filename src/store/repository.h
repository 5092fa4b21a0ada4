/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A version system and its store, as commands want them: found from the current directory. */
#ifndef RAROG_STORE_REPOSITORY_H
#define RAROG_STORE_REPOSITORY_H

#include "store/store.h"
#include "store/vcs.h"

struct rarog_repository {
	struct rarog_vcs *vcs;
	struct rarog_store *store;
};

/** rarog_repository_open() - @start: NULL: here. -ENOENT: no repository, or none initialised. */
int rarog_repository_open(const char *start, const struct rarog_store_options *options,
			  struct rarog_repository *ret_repository);
void rarog_repository_release(struct rarog_repository *repository);

#endif
