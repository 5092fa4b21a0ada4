/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A column is the difference of each value from its prediction, modulo 2^64, zigzag, LEB128: sorted
 * addresses, own indices and repeated values become mostly single bytes, which zstd then finishes.
 * Any 64-bit value survives, whatever the prediction. Tables of version 2 are folded first
 * (fold.h).
 */
#include "profile/rows.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "profile/buckets.h"
#include "profile/fold.h"

static bool refers(const struct rarog_field *field, const uint8_t *row, uint64_t index,
		   const size_t n_rows[])
{
	uint32_t to;

	memcpy(&to, row + field->offset, sizeof(to));
	switch (field->refers) {
	case RAROG_REFERS_MAY:
		return to == RAROG_NONE || to < n_rows[field->to];
	case RAROG_REFERS_MUST:
		return to < n_rows[field->to];
	case RAROG_REFERS_BELOW:
		return to < field->to;
	case RAROG_REFERS_EARLIER:
		return to == RAROG_NONE || to < index;
	default: /* RAROG_REFERS_TREE */
		return index == 0 ? to == RAROG_NONE : to < index;
	}
}

bool rarog_rows_check(const struct rarog_rows_format *format, uint64_t first, size_t n,
		      const void *rows, const size_t n_rows[])
{
	for (const struct rarog_field *field = format->columns;
	     field < format->columns + format->n_columns; field++) {
		const uint8_t *row = rows;

		for (size_t i = 0; field->refers && i < n; i++, row += format->row_size)
			if (!refers(field, row, first + i, n_rows))
				return false;
	}
	return true;
}

/* A field as the number that is stored. */
static inline uint64_t load(const uint8_t *row, unsigned offset, unsigned type)
{
	uint64_t wide;
	uint32_t narrow;
	uintptr_t number;
	bool flag;

	switch (type) {
	case RAROG_FIELD_U64:
		memcpy(&wide, row + offset, sizeof(wide));
		return wide;
	case RAROG_FIELD_BOOL:
		memcpy(&flag, row + offset, sizeof(flag));
		return flag;
	case RAROG_FIELD_TEXT:
		memcpy(&number, row + offset, sizeof(number));
		return number;
	default:
		memcpy(&narrow, row + offset, sizeof(narrow));
		return type == RAROG_FIELD_U32 ? (uint32_t)(narrow + 1) : narrow;
	}
}

static inline bool store(uint8_t *row, unsigned offset, unsigned type, uint64_t value,
			 size_t n_texts, const char *const texts[])
{
	uint32_t narrow = (uint32_t)value;
	const char *text;
	bool flag = value != 0;

	switch (type) {
	case RAROG_FIELD_U64:
		memcpy(row + offset, &value, sizeof(value));
		return true;
	case RAROG_FIELD_BOOL:
		memcpy(row + offset, &flag, sizeof(flag));
		return value <= 1;
	case RAROG_FIELD_TEXT:
		text = value > 0 && value <= n_texts ? texts[value - 1] : NULL;
		memcpy(row + offset, &text, sizeof(text));
		return value <= n_texts;
	default:
		narrow -= type == RAROG_FIELD_U32;
		memcpy(row + offset, &narrow, sizeof(narrow));
		return value <= UINT32_MAX;
	}
}

static inline uint64_t predict(unsigned type, unsigned how, unsigned other, const uint8_t *row,
			       uint64_t index, uint64_t last)
{
	switch (how) {
	case RAROG_PREDICT_LAST:
		return last;
	case RAROG_PREDICT_ROW:
		return index;
	case RAROG_PREDICT_OTHER:
		return load(row, other, type); /* that column is of the same type */
	default:
		return 0;
	}
}

static int encode_column(const struct rarog_field *column, const struct rarog_rows_format *format,
			 uint64_t first, size_t n, const uint8_t *rows, struct rarog_bytes *out)
{
	uint64_t last = 0;
	int r = rarog_bytes_room(out, n * RAROG_VARINT_MAX);

	if (r < 0)
		return r;
	uint8_t *to = out->v + out->n;

	for (size_t i = 0; i < n; i++) {
		const uint8_t *row = rows + i * format->row_size;
		uint64_t value = load(row, column->offset, column->type);

		to = rarog_put_varint(
			to, rarog_zigzag(value - predict(column->type, column->predict,
							 column->other, row, first + i, last)));
		last = value;
	}
	out->n = (size_t)(to - out->v);
	return 0;
}

/* A copy of the rows, folded; NULL: this table is not. */
static int fold(const struct rarog_rows_format *format, uint64_t first, size_t n, const void *rows,
		void **ret_folded)
{
	bool is_folded = format->kind == RAROG_BLOCK_NODES || format->kind == RAROG_BLOCK_SUMMARIES;

	*ret_folded = NULL;
	if (!is_folded || n == 0)
		return 0;
	*ret_folded = malloc(n * format->row_size);
	if (!*ret_folded)
		return rarog_oom();
	memcpy(*ret_folded, rows, n * format->row_size);
	if (format->kind == RAROG_BLOCK_NODES)
		rarog_nodes_fold(first, n, *ret_folded);
	else
		rarog_summaries_fold(n, *ret_folded);
	return 0;
}

int rarog_rows_encode(const struct rarog_rows_format *format, uint64_t first, size_t n,
		      const void *rows, struct rarog_bytes *out)
{
	rarog_cleanup(rarog_freep) void *folded = NULL;
	int r = fold(format, first, n, rows, &folded);

	for (unsigned c = 0; r == 0 && c < format->n_columns; c++)
		r = encode_column(&format->columns[c], format, first, n, folded ? folded : rows,
				  out);
	return r == 0 && format->has_buckets ? rarog_buckets_encode(n, rows, out) : r;
}

struct decoding {
	const struct rarog_field *field;
	size_t row_size;
	uint64_t first;
	size_t n;
	struct rarog_byte_cursor *bytes;
	size_t n_texts;
	const char *const *texts;
	uint8_t *rows;
};

/* Called with constants for the usual kinds of column, so that each gets a loop of its own. */
static inline __attribute__((always_inline)) bool decode_as(const struct decoding *d, unsigned type,
							    unsigned how)
{
	struct rarog_byte_cursor bytes = *d->bytes;
	uint64_t last = 0;

	for (size_t i = 0; i < d->n; i++) {
		uint8_t *row = d->rows + i * d->row_size;

		last = predict(type, how, d->field->other, row, d->first + i, last) +
		       rarog_unzigzag(rarog_get_varint(&bytes));
		if (!store(row, d->field->offset, type, last, d->n_texts, d->texts))
			return false;
	}
	*d->bytes = bytes;
	return !bytes.bad;
}

static bool decode_column(const struct decoding *d)
{
	unsigned type = d->field->type, how = d->field->predict;

	if (type == RAROG_FIELD_U64 && how == RAROG_PREDICT_ZERO)
		return decode_as(d, RAROG_FIELD_U64, RAROG_PREDICT_ZERO);
	if (type == RAROG_FIELD_U64 && how == RAROG_PREDICT_OTHER)
		return decode_as(d, RAROG_FIELD_U64, RAROG_PREDICT_OTHER);
	if (type == RAROG_FIELD_U32 && how == RAROG_PREDICT_ZERO)
		return decode_as(d, RAROG_FIELD_U32, RAROG_PREDICT_ZERO);
	if (type == RAROG_FIELD_U32 && how == RAROG_PREDICT_ROW)
		return decode_as(d, RAROG_FIELD_U32, RAROG_PREDICT_ROW);
	return decode_as(d, type, how);
}

static void unfold(const struct rarog_rows_format *format, uint64_t first, size_t n, void *rows)
{
	if (format->kind == RAROG_BLOCK_NODES)
		rarog_nodes_unfold(first, n, rows);
	else if (format->kind == RAROG_BLOCK_SUMMARIES)
		rarog_summaries_unfold(n, rows);
}

int rarog_rows_decode(const struct rarog_rows_format *format, unsigned version, uint64_t first,
		      size_t n, struct rarog_byte_cursor *bytes, size_t n_texts,
		      const char *const texts[], void *rows,
		      struct rarog_histogram_bucket **ret_buckets)
{
	int r = 0;

	*ret_buckets = NULL;
	memset(rows, 0, n * format->row_size);
	for (unsigned c = 0; c < format->n_columns; c++) {
		const struct decoding decoding = {
			.field = &format->columns[c],
			.row_size = format->row_size,
			.first = first,
			.n = n,
			.bytes = bytes,
			.n_texts = n_texts,
			.texts = texts,
			.rows = rows,
		};

		if (!decode_column(&decoding))
			return -EBADMSG;
	}
	if (version > 1)
		unfold(format, first, n, rows);
	if (format->has_buckets)
		r = rarog_buckets_decode(version, n, rows, bytes, ret_buckets);
	return r == 0 && bytes->at != bytes->end ? -EBADMSG : r;
}
