/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Profiles through the project's own git remote, under refs/rarog/profiles: a commit whose tree has
 * a blob for every profile and one for every row. Names are made of contents, so two trees merge by
 * union and nothing can be lost or overwritten. doc/design/carry.md has the layout.
 *
 * All of it happens in a bare repository of its own below the store, which is made for one exchange
 * and removed after it: the user's refs, index, objects, FETCH_HEAD and shallow boundary are not
 * touched, no hook runs.
 */
#ifndef RAROG_STORE_EXCHANGE_H
#define RAROG_STORE_EXCHANGE_H

#include "store/parcel.h"

#define RAROG_EXCHANGE_REF "refs/rarog/profiles"

struct rarog_exchange;

/**
 * rarog_exchange_open() - with the remote @remote: a name, an URL, a path
 * @remote: NULL: that of the current branch, origin, or the only one there is
 *
 * Return: 0; -ENOTSUP no git; -ENOENT no such remote, or none at all; -errno.
 */
int rarog_exchange_open(struct rarog_store *store, struct rarog_vcs *vcs, const char *remote,
			bool is_push, struct rarog_exchange **ret_exchange);
void rarog_exchange_free(struct rarog_exchange *exchange);
RAROG_DEFINE_FREEP(rarog_exchange);

/** rarog_exchange_remote() - what it is called; borrowed. */
const char *rarog_exchange_remote(const struct rarog_exchange *exchange);

struct rarog_exchange_result {
	uint64_t sent, known; /* rows */
	uint64_t bytes;       /* of profiles */
	uint64_t rounds;      /* others pushed at the same time: tries that it took */
	uint64_t damaged;     /* pull: left out */
};

/** rarog_exchange_push() - what of the rows ids[n] the remote has not. -EIO: the remote refuses,
 * with its words. When it returns 0, all of them are there. */
int rarog_exchange_push(struct rarog_exchange *exchange, size_t n, const int64_t ids[n],
			struct rarog_exchange_result *ret_result);

/**
 * rarog_exchange_pull() - what the remote has and the store has not
 * @versions: versions[n], names in full; n 0: of all versions
 *
 * Added in portions; ended in the middle, what was added is there.
 */
int rarog_exchange_pull(struct rarog_exchange *exchange, size_t n, const char *const versions[n],
			struct rarog_exchange_result *ret_result);

#endif
