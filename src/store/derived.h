/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is computed from profiles and kept: models, verdicts, statistics over histories. Each is an
 * object under a key made of everything it depends on (hashes of the profiles, parameters, version
 * of the method), so it is either right or not found. They may be deleted at any time.
 */
#ifndef RAROG_STORE_DERIVED_H
#define RAROG_STORE_DERIVED_H

#include "store/store.h"

struct rarog_derived {
	const char *kind; /* "model", "verdict", "history", "call-graph" … */
	struct rarog_hash key;
	struct rarog_hash object;
	const char *version; /* a verdict's target: log shows it there; NULL */
	const char *base;    /* a verdict's base, NULL */
	const char *verdict; /* "degradation", "maybe", "none", "improvement", "inconclusive"; "" */
	uint32_t changes;
	uint64_t made_ns;
};

/** rarog_derived_put() - keep @bytes under kind and key. It goes when one of the @n_inputs
 * profiles goes (gc). @derived: .object is set here, .made_ns may be 0: now. */
int rarog_derived_put(struct rarog_store *store, struct rarog_derived *derived, size_t n,
		      const void *bytes, size_t n_inputs, const struct rarog_hash inputs[]);

/** rarog_derived_read() - the bytes and a NUL; the caller frees. Return: 1 found, 0 not, -errno. */
int rarog_derived_read(struct rarog_store *store, const char *kind, const struct rarog_hash *key,
		       char **ret_bytes, size_t *ret_n);

/** rarog_derived_of() - the bytes of all of a kind that were computed from profile @input, the
 * oldest first; non-zero of @visit ends it and is returned. @bytes: with a NUL, until it returns.
 */
int rarog_derived_of(struct rarog_store *store, const char *kind, const struct rarog_hash *input,
		     int (*visit)(const char *bytes, size_t n, void *user), void *user);

#endif
