/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Profiles as one file, to carry them where no network goes: parcels one after another, each with
 * its checksums, and an end that counts them. doc/design/carry.md has the bytes.
 */
#ifndef RAROG_STORE_BUNDLE_H
#define RAROG_STORE_BUNDLE_H

#include "store/parcel.h"

struct rarog_bundle_result {
	uint64_t parcels; /* written, or read */
	uint64_t added, known;
	uint64_t bytes; /* of profiles */
	uint64_t damaged;
};

/**
 * rarog_bundle_create() - write the rows ids[n] to @path, which is complete or not there
 * @vcs: may be NULL
 */
int rarog_bundle_create(struct rarog_store *store, struct rarog_vcs *vcs, const char *path,
			size_t n, const int64_t ids[n], struct rarog_bundle_result *ret_result);

/**
 * rarog_bundle_import() - add all that @path has
 * @progress: parcels done and all, may be NULL
 *
 * In portions: what is whole before a cut or damage is kept, and importing again goes on there. A
 * parcel that is damaged is left out and counted. Return: 0; -EINVAL no bundle; -EPROTONOSUPPORT a
 * newer one; -EBADMSG cut off or damaged, with message; *ret_result is set in any case.
 */
int rarog_bundle_import(struct rarog_store *store, const char *path,
			void (*progress)(uint64_t done, uint64_t all, void *user), void *user,
			struct rarog_bundle_result *ret_result);

#endif
