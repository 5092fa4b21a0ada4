/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The section comes from a file that may be anything: each number is checked before it is used. */
#include "blocks/record-probes.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "blocks/record-code.h"
#include "blocks/record-texts.h"
#include "profile/bytes.h"

/* --- the head --- */

static int check_head(const unsigned char *bytes, size_t size)
{
	uint32_t own;

	if (size < RAROG_RECORD_HEAD)
		return rarog_fail(-EINVAL, "a record of blocks is cut off");
	own = rarog_load_u32(bytes) % RAROG_RECORD_MOST;
	/* the first four versions had it elsewhere */
	if (bytes[3] != RAROG_BLOCKS_VERSION)
		return rarog_fail(-ENOTSUP,
				  "compiled by a rarog whose records are of version %u, this one "
				  "reads %u; compile again",
				  bytes[3] ? bytes[3] : bytes[8], RAROG_BLOCKS_VERSION);
	if (own < RAROG_RECORD_HEAD || own > size)
		return rarog_fail(-EINVAL, "a record of blocks claims %u of %zu bytes", own, size);
	if (bytes[8] % 4 >= RAROG_BLOCKS_N_PLACEMENTS ||
	    bytes[8] / 4 % 4 >= RAROG_BLOCKS_N_THREADS || bytes[8] >= 2 * RAROG_RECORD_HAS_PATHS)
		return rarog_fail(-EINVAL, "a record of blocks has unknown settings");
	return 0;
}

/* @address: of the record. Leaves @c after the texts. */
static int read_head(struct rarog_byte_cursor *c, uint64_t address, struct rarog_name_pool *pool,
		     struct rarog_block_record *record)
{
	const uint8_t *head = rarog_get_bytes(c, RAROG_RECORD_HEAD);
	const uint8_t *absolute;
	long n;

	record->placement = head[8] % 4;
	record->threads = head[8] / 4 % 4;
	if (head[8] & RAROG_RECORD_IS_ABSOLUTE) {
		absolute = rarog_get_bytes(c, sizeof(uint64_t));
		record->counters = absolute ? rarog_load_u64(absolute) : 0;
		return rarog_name_pool_at(pool, rarog_load_u32(head + 4), &record->texts);
	}
	record->counters = address + 4 + (uint64_t)(int64_t)(int32_t)rarog_load_u32(head + 4);
	n = rarog_name_pool_read(pool, c->at, (size_t)(c->end - c->at), &record->texts);
	if (n < 0)
		return (int)n;
	rarog_get_bytes(c, (uint64_t)n);
	return 0;
}

/* --- the rest --- */

/* Are the numbers of all texts such of texts? */
static bool has_texts(const struct rarog_block_record *record)
{
	uint32_t n = record->texts->n;

	for (uint32_t i = 0; i < record->n_frames; i++)
		if (record->frames[i].name >= n || record->frames[i].file >= n)
			return false;
	for (uint32_t i = 0; i < record->n_parts; i++)
		if (record->parts[i].file >= n)
			return false;
	return record->name_text < n && record->file_text < n;
}

/* Moves @c after it. */
static int read_body(struct rarog_byte_cursor *c, bool has_size, struct rarog_block_record *record)
{
	uint64_t left = (uint64_t)(c->end - c->at), n = has_size ? rarog_get_varint(c) : left;
	const uint8_t *bytes = rarog_get_bytes(c, n);
	struct rarog_coder s;
	int r;

	rarog_coder_read(&s, bytes ? bytes : c->end, bytes ? n : 0);
	rarog_record_code(&s, record);
	r = rarog_coder_finish(&s);
	if (r == -ENOMEM)
		return rarog_oom();
	if (r < 0 || c->bad || !has_texts(record))
		return rarog_fail(-EINVAL, "a record of blocks is damaged");
	record->name = record->texts->v[record->name_text];
	record->file = record->texts->v[record->file_text];
	return 0;
}

long rarog_record_read(const unsigned char *bytes, size_t size, uint64_t address,
		       struct rarog_name_pool *pool, struct rarog_block_record *ret_record)
{
	struct rarog_block_record record = { 0 };
	struct rarog_byte_cursor c;
	uint32_t own;
	int r = check_head(bytes, size);

	if (r < 0)
		return r;
	own = rarog_load_u32(bytes) % RAROG_RECORD_MOST;
	c = (struct rarog_byte_cursor){ .at = bytes, .end = bytes + own };
	r = read_head(&c, address, pool, &record);
	if (r == 0)
		r = read_body(&c, bytes[8] & RAROG_RECORD_HAS_PROBES, &record);
	if (r == 0 && !c.bad)
		r = rarog_record_read_probes(&c, bytes[8], &record);
	if (r == 0 && (c.bad || c.at != c.end))
		r = rarog_fail(-EINVAL, "a record of blocks is damaged");
	if (r < 0) {
		rarog_record_release(&record);
		return r;
	}
	*ret_record = record;
	return (long)own;
}

void rarog_record_release(struct rarog_block_record *record)
{
	free(record->flow.edges);
	free(record->blocks);
	free(record->lines);
	free(record->loops);
	free(record->frames);
	free(record->parts);
	*record = (struct rarog_block_record){ 0 };
}
