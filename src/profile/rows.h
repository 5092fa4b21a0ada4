/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables as columns: one description of a struct's fields both encodes and decodes it.
 * Texts travel as numbers: 0 is NULL, else 1 + index in the strings section.
 */
#ifndef RAROG_PROFILE_ROWS_H
#define RAROG_PROFILE_ROWS_H

#include "profile/block.h"
#include "profile/profile.h"

enum rarog_field_type {
	RAROG_FIELD_U32 = 0, /* stored plus 1, so that RAROG_NONE is 0 */
	RAROG_FIELD_I32,
	RAROG_FIELD_U64,
	RAROG_FIELD_BOOL,
	RAROG_FIELD_TEXT, /* const char *; while encoding: the text's number */
};

enum rarog_field_predict {
	RAROG_PREDICT_ZERO = 0, /* the value itself */
	RAROG_PREDICT_LAST,     /* the row before, 0 for the first of a block */
	RAROG_PREDICT_ROW,      /* the row's own index in the table */
	RAROG_PREDICT_OTHER,    /* field at .other of the same row, a column before this one */
};

enum rarog_field_refers {
	RAROG_REFERS_NOT = 0,
	RAROG_REFERS_MAY,     /* to a row of section .to, or RAROG_NONE */
	RAROG_REFERS_MUST,    /* to a row of section .to */
	RAROG_REFERS_BELOW,   /* to nothing: it is a number below .to */
	RAROG_REFERS_EARLIER, /* to a row of this table before this one, or RAROG_NONE */
	RAROG_REFERS_TREE,    /* of row 0 RAROG_NONE, of others a row before */
};

struct rarog_field {
	const char *key;        /* in JSON */
	uint16_t offset, other; /* into the row's struct */
	uint8_t type, predict;
	uint8_t refers, to; /* U32 only */
};

/* A section that is a table. */
struct rarog_rows_format {
	enum rarog_block_kind kind;
	const char *name; /* in messages and JSON */
	size_t row_size;
	unsigned n_columns;
	const struct rarog_field *columns;
	bool has_buckets; /* rows are summaries: their bars follow the columns */
	bool keeps;       /* written rows may be replaced, so they stay in memory until the end */
	uint16_t version; /* in which rows are written; lower ones are read */
};

/* rarog_rows_format(): how a kind's rows are stored; NULL if the kind is no table. */
const struct rarog_rows_format *rarog_rows_format(unsigned kind);

/* rarog_rows_format_at(): the sections, in the order in which they are written; NULL: no more. */
const struct rarog_rows_format *rarog_rows_format_at(size_t i);

/* rarog_block_name(): the section's name in messages; "unknown" if there is none. */
const char *rarog_block_name(unsigned kind);

/* rarog_rows_version(): the newest coding of a kind of block that this rarog knows. */
unsigned rarog_rows_version(unsigned kind);

struct rarog_profile;
/* rarog_profile_rows(): a table by its kind; as rarog_profile_locations() and its like. */
long rarog_profile_rows(struct rarog_profile *profile, enum rarog_block_kind kind,
			const void **ret);

/**
 * rarog_rows_check() - do the rows refer to what exists?
 * @first: index of the first row: a node's parent and a process's parent come before it
 * @n_rows: how many rows each section has, by kind
 */
bool rarog_rows_check(const struct rarog_rows_format *format, uint64_t first, size_t n,
		      const void *rows, const size_t n_rows[]);

/**
 * rarog_rows_encode() - append the columns of @n rows
 * @first: index of the first of them in the table
 */
int rarog_rows_encode(const struct rarog_rows_format *format, uint64_t first, size_t n,
		      const void *rows, struct rarog_bytes *out);

/**
 * rarog_rows_decode() - the rows of one block
 * @version: of their coding, at most the format's
 * @texts: texts[], what TEXT columns point to
 * @rows: room for @n rows
 * @ret_buckets: the memory the rows' bars point into, NULL without bars; the caller frees it
 *
 * Return: 0, -EBADMSG (no message), -ENOMEM.
 */
int rarog_rows_decode(const struct rarog_rows_format *format, unsigned version, uint64_t first,
		      size_t n, struct rarog_byte_cursor *bytes, size_t n_texts,
		      const char *const texts[], void *rows,
		      struct rarog_histogram_bucket **ret_buckets);

#endif
