/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Profiles of Perun, the performance version system in Python: its JSON in all three forms
 * (columns, "global", "snapshots") becomes a profile of ours. doc/design/import.md says what
 * becomes what; the whole file is kept as a note, so nothing is lost that has no place here.
 */
#ifndef RAROG_IMPORT_PERUN_H
#define RAROG_IMPORT_PERUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct rarog_perun;

/**
 * rarog_perun_parse() - read a profile
 * @name: for messages
 * @bytes: bytes[n]: JSON, the same by gzip or zlib, or an object of a repository (zlib)
 *
 * Any bytes are survived. Return: 0; -EINVAL not a profile of Perun; -EBADMSG it is cut off or
 * makes no sense, the message names the place; -EFBIG.
 */
int rarog_perun_parse(const char *name, size_t n, const void *bytes, struct rarog_perun **ret);
void rarog_perun_free(struct rarog_perun *perun);
RAROG_DEFINE_FREEP(rarog_perun);

/** rarog_perun_inflate() - what @bytes were before zlib or gzip; as they are if neither. One NUL
 * stands after them; the caller frees. -EBADMSG cut off or damaged; -EFBIG over 1 GiB. */
int rarog_perun_inflate(const char *name, size_t n, const void *bytes, char **ret_text,
			size_t *ret_n);

/** rarog_perun_origin() - the commit it was measured on, NULL: not said; borrowed. */
const char *rarog_perun_origin(const struct rarog_perun *perun);

struct rarog_perun_options {
	const char *commit, *tree; /* version that it belongs to, NULL: none */
	uint64_t started_ns;       /* since the epoch, 0: unknown */
	double unit_ns;            /* nanoseconds of an amount, 0: as the profile says */
};

struct rarog_perun_result {
	uint64_t resources; /* measurements read */
	uint64_t unfit;     /* amounts that are no sums of ours (negative, not a number …) */
	bool has_calls;     /* single calls could be told from their times */
	bool is_time;       /* amounts are times; else quantities */
	bool has_samples;   /* … of which all are samples, not calls */
	uint64_t samples;
	size_t n_locations;
};

/** rarog_perun_write() - as the profile file @path. 0, -errno. */
int rarog_perun_write(const struct rarog_perun *perun, const struct rarog_perun_options *options,
		      const char *path, struct rarog_perun_result *ret_result);

/** rarog_perun_unit() - nanoseconds of "ns", "us", "ms", "s" …; 0: it is no time. */
double rarog_perun_unit(const char *unit);

#endif
