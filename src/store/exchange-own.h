/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of an exchange, for exchange*.c only. */
#ifndef RAROG_STORE_EXCHANGE_OWN_H
#define RAROG_STORE_EXCHANGE_OWN_H

#include "store/exchange.h"
#include "store/git-run.h"

#define RAROG_EXCHANGE_NAME                                                                        \
	"rarog-exchange" /* of the remote, in the repository of the exchange                       \
			  */
#define RAROG_EXCHANGE_TIP "refs/exchange/profiles" /* what was fetched */

/* A blob in the remote's tree. */
struct rarog_exchange_entry {
	const char *path, *id; /* into .listing */
};

struct rarog_exchange {
	struct rarog_store *store;
	struct rarog_vcs *vcs;
	char *remote, *directory;
	struct rarog_git git;
	char tip[80]; /* "": the remote has none yet */
	char *listing;
	RAROG_VEC(struct rarog_exchange_entry) entries; /* by path */
};

/** rarog_exchange_fetch() - learn the remote's tree; may be called again. */
int rarog_exchange_fetch(struct rarog_exchange *x);

/** rarog_exchange_find() - the blob at @path, NULL: none. */
const struct rarog_exchange_entry *rarog_exchange_find(const struct rarog_exchange *x,
						       const char *path);

/* "rows/xx/…62/OBJECT-ROW": by the SHA-256 of the version's name ("": none). */
struct rarog_row_path {
	char text[4 + 1 + 2 + 1 + 62 + 1 + 64 + 1 + 16 + 1];
};
struct rarog_row_path rarog_exchange_row(const struct rarog_parcel *parcel, size_t n,
					 const char *words);

/* "profiles/xx/…62" */
struct rarog_profile_path {
	char text[8 + 1 + 2 + 1 + 62 + 1];
};
struct rarog_profile_path rarog_exchange_profile(const struct rarog_hash *object);

#endif
