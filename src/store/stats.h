/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What runs teach later ones, and versions later versions: a folder for each version, and files in
 * it. It is apart from profiles, so gc of these does not take it. The folder itself is the index:
 * what anybody puts there or takes away is there or gone.
 */
#ifndef RAROG_STORE_STATS_H
#define RAROG_STORE_STATS_H

#include "base/vec.h"
#include "store/store.h"

/* The folder of what was measured of no version. */
#define RAROG_STATS_NO_VERSION "unversioned"

struct rarog_stats_file {
	char *version; /* as it was given */
	char *name;
	uint64_t bytes;
	int64_t changed_s;
	bool is_custom; /* Rarog gives no such names */
};

struct rarog_stats_version {
	char *name;
	size_t files;
	uint64_t bytes;
	bool is_custom; /* something that Rarog did not make; what is in it is not listed */
};

struct rarog_stats_list {
	RAROG_VEC(struct rarog_stats_version) versions; /* by name */
	RAROG_VEC(struct rarog_stats_file) files;       /* by version, then name */
};

/** rarog_stats_put() - keep @bytes as @name of @version (NULL: of none); it replaces an older one.
 * 0; -errno with message. */
int rarog_stats_put(struct rarog_store *store, const char *version, const char *name, size_t n,
		    const void *bytes);

/** rarog_stats_read() - the bytes and a NUL; the caller frees. Return: 1; 0: there is none, or it
 * is damaged; -errno with message. */
int rarog_stats_read(struct rarog_store *store, const char *version, const char *name,
		     char **ret_bytes, size_t *ret_n);

/** rarog_stats_list() - all there is. 0; -errno with message. */
int rarog_stats_list(struct rarog_store *store, struct rarog_stats_list *ret_list);
void rarog_stats_list_release(struct rarog_stats_list *list); /* fits rarog_cleanup() */

/** rarog_stats_remove() - @file; its folder as well if it is empty then and not @keep_folder. 0;
 * -errno with message. */
int rarog_stats_remove(struct rarog_store *store, const struct rarog_stats_file *file,
		       bool keep_folder);

/** rarog_stats_remove_version() - all of it; likewise. */
int rarog_stats_remove_version(struct rarog_store *store, const struct rarog_stats_version *version,
			       bool keep_folder);

/** rarog_stats_is_sound() - can it be read? 1, 0; -errno with message. */
int rarog_stats_is_sound(struct rarog_store *store, const struct rarog_stats_file *file);

#endif
