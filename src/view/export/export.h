/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Formats of other programs. One file a format, one line in formats.c;
 * doc/howto/add-an-export-format.md.
 */
#ifndef RAROG_VIEW_EXPORT_EXPORT_H
#define RAROG_VIEW_EXPORT_EXPORT_H

#include <stdio.h>

#include "view/metric.h"
#include "view/sieve.h"

struct rarog_export_options {
	enum rarog_view_metric metric;    /* collapsed: of which lines say how much */
	struct rarog_sieve_options sieve; /* of which calls, where .needs_calls */
};

/* Profiles that can be written so. */
enum rarog_export_use {
	RAROG_EXPORT_OF_CALLS,    /* of calls and times */
	RAROG_EXPORT_OF_CONTEXTS, /* or of counts that know callers */
	RAROG_EXPORT_OF_BLOCKS,
	RAROG_EXPORT_OF_ALL,
};

#define RAROG_EXPORT_LARGE 50000000

struct rarog_export_format {
	const char *name, *summary;
	bool is_binary;   /* refused on a terminal */
	bool needs_calls; /* a profile of sums only cannot be written so */
	bool is_as_is;    /* single calls as they are, nothing summed up or concluded */
	enum rarog_export_use use;
	const char *
		when_large; /* said of a file of RAROG_EXPORT_LARGE bytes and more; NULL: nothing */

	/**
	 * write() - the whole profile to @out
	 *
	 * Errors of @out are left to the caller (ferror()); long loops should stop at one.
	 * Return: 0, negative with message.
	 */
	int (*write)(struct rarog_profile *profile, const struct rarog_export_options *options,
		     FILE *out);
};

/* All formats, NULL at the end. */
extern const struct rarog_export_format *const rarog_export_formats[];

/** rarog_export_format_find() - by name; NULL with a message that names the nearest. */
const struct rarog_export_format *rarog_export_format_find(const char *name);

extern const struct rarog_export_format rarog_export_callgrind;
extern const struct rarog_export_format rarog_export_chrome;
extern const struct rarog_export_format rarog_export_collapsed;
extern const struct rarog_export_format rarog_export_csv;
extern const struct rarog_export_format rarog_export_gcov;
extern const struct rarog_export_format rarog_export_json;
extern const struct rarog_export_format rarog_export_lcov;
extern const struct rarog_export_format rarog_export_original;
extern const struct rarog_export_format rarog_export_perfetto;
extern const struct rarog_export_format rarog_export_speedscope;

#endif
