/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The process may have been killed between any two instructions, so nothing that counts for memory
 * safety is taken from what it was just writing: every record lies inside its chunk, every number
 * of another record is checked.
 */
#include "engine/vex/counted.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"

#define MAX_FILE (size_t)(16ull << 30)

struct parse {
	struct rarog_vex_counted *counted;
	const char *name;
	const struct rarog_vex_chunk *strands; /* NULL: none yet */
};

static int fail(const struct parse *p, const char *what)
{
	return rarog_fail(-EINVAL, "%s: %s", p->name, what);
}

/* --- records of a chunk --- */

/* Of records that begin with their length: is one at @at? */
static bool has_record(const struct rarog_vex_chunk *chunk, size_t at, size_t least)
{
	const uint8_t *records = (const uint8_t *)(chunk + 1);
	uint32_t length;

	if (chunk->used - at < least)
		return false;
	memcpy(&length, records + at, sizeof(length));
	return length >= least && length % 8 == 0 && length <= chunk->used - at;
}

static bool ends_inside(const char *text, const void *record, uint32_t length)
{
	return memchr(text, '\0', length - (size_t)(text - (const char *)record)) != NULL;
}

/* Ids are given in order. */
static int add_object(struct parse *p, const void *bytes)
{
	const struct rarog_vex_object *object = bytes;

	if (object->id != p->counted->objects.n ||
	    !ends_inside(object->path, bytes, object->length))
		return fail(p, "a program's or library's record is damaged");
	return rarog_vec_push(&p->counted->objects, object);
}

static int add_function(struct parse *p, const void *bytes)
{
	const struct rarog_vex_function *function = bytes;

	if (function->id != p->counted->functions.n || function->object >= p->counted->objects.n ||
	    !ends_inside(function->name, bytes, function->length))
		return fail(p, "a function's record is damaged");
	return rarog_vec_push(&p->counted->functions, function);
}

static int add_block(struct parse *p, const void *bytes)
{
	const struct rarog_vex_block *block = bytes;

	if (block->object >= p->counted->objects.n || block->n > block->length - sizeof(*block) ||
	    block->n == 0 || block->id != p->counted->blocks.n + 1)
		return fail(p, "a block's record is damaged");
	return rarog_vec_push(&p->counted->blocks, block);
}

static int add_access(struct parse *p, const void *bytes)
{
	const struct rarog_vex_access *access = bytes;

	if (access->object >= p->counted->objects.n)
		return fail(p, "a record of accesses is damaged");
	return rarog_vec_push(&p->counted->accesses, access);
}

static int add_call(struct parse *p, const void *bytes)
{
	const struct rarog_vex_call *call = bytes;
	size_t n = (size_t)call->n_enter + call->n_leave;

	if (n > 2 * RAROG_VALUES_MOST || call->length < sizeof(*call) + n * sizeof(uint64_t))
		return fail(p, "a call's record is damaged");
	return rarog_vec_push(&p->counted->calls, call);
}

static int add_nodes(struct parse *p, struct rarog_vex_chunk *chunk)
{
	struct rarog_vex_node *nodes = (struct rarog_vex_node *)(chunk + 1);
	int r = 0;

	for (size_t i = 0; r == 0 && i < chunk->used / sizeof(*nodes); i++) {
		size_t number = p->counted->nodes.n;

		if (number > 0 && (nodes[i].parent >= number || nodes[i].function == 0))
			return fail(p, "the call tree is damaged");
		r = rarog_vec_push(&p->counted->nodes, &nodes[i]);
	}
	return r;
}

/* --- chunks --- */

struct kind {
	size_t least; /* of a record */
	int (*add)(struct parse *p, const void *record);
};

static const struct kind kinds[] = {
	[RAROG_VEX_OBJECTS] = { sizeof(struct rarog_vex_object) + 1, add_object },
	[RAROG_VEX_FUNCTIONS] = { sizeof(struct rarog_vex_function) + 1, add_function },
	[RAROG_VEX_BLOCKS] = { sizeof(struct rarog_vex_block) + 1, add_block },
	[RAROG_VEX_CALLS] = { sizeof(struct rarog_vex_call), add_call },
	[RAROG_VEX_ACCESSES] = { sizeof(struct rarog_vex_access), add_access },
};

static int add_records(struct parse *p, const struct rarog_vex_chunk *chunk)
{
	const struct kind *kind = &kinds[chunk->kind];
	const uint8_t *records = (const uint8_t *)(chunk + 1);
	int r = 0;

	for (size_t at = 0; r == 0 && has_record(chunk, at, kind->least);) {
		uint32_t length;

		memcpy(&length, records + at, sizeof(length));
		r = kind->add(p, records + at);
		at += length;
	}
	return r;
}

static int add_chunk(struct parse *p, struct rarog_vex_chunk *chunk)
{
	struct rarog_vex_head *head = (struct rarog_vex_head *)(chunk + 1);

	switch (chunk->kind) {
	case RAROG_VEX_HEAD:
		if (chunk->used < sizeof(*head) || head->version != RAROG_VEX_VERSION)
			return fail(p, "written by another version of rarog");
		head->command[sizeof(head->command) - 1] = '\0';
		p->counted->head = head;
		return 0;
	case RAROG_VEX_STRANDS:
		p->strands = chunk;
		return 0;
	case RAROG_VEX_NODES:
		return add_nodes(p, chunk);
	case RAROG_VEX_FRAMES:
		return 0;
	default:
		return chunk->kind < RAROG_COUNT(kinds) && kinds[chunk->kind].add
			       ? add_records(p, chunk)
			       : fail(p, "a chunk is of no known kind");
	}
}

static struct rarog_vex_chunk *chunk_at(const struct rarog_vex_counted *c, size_t at)
{
	struct rarog_vex_chunk *chunk = (struct rarog_vex_chunk *)(c->bytes + at);

	if (at + sizeof(*chunk) > c->n_bytes || chunk->magic != RAROG_VEX_MAGIC ||
	    chunk->size < sizeof(*chunk) || chunk->size % 8 != 0 || chunk->size > c->n_bytes - at ||
	    chunk->used > chunk->size - sizeof(*chunk))
		return NULL;
	return chunk;
}

/* A killed process may have left a last chunk that is still empty. Objects come before what refers
 * to them; so do they in the file, but for those of a later chunk. */
static int add_chunks(struct parse *p, uint32_t kind)
{
	const struct rarog_vex_chunk *chunk;
	int r = 0;

	for (size_t at = 0; r == 0 && (chunk = chunk_at(p->counted, at)); at += chunk->size)
		if (kind == 0 ? chunk->kind != RAROG_VEX_OBJECTS : chunk->kind == kind)
			r = add_chunk(p, (struct rarog_vex_chunk *)(p->counted->bytes + at));
	return r;
}

/* --- calls that were open --- */

static const struct rarog_vex_frame *frames_of(const struct parse *p, uint32_t number, uint32_t n)
{
	const struct rarog_vex_chunk *chunk;

	for (size_t at = 0; (chunk = chunk_at(p->counted, at)); at += chunk->size)
		if (chunk->kind == RAROG_VEX_FRAMES && chunk->first == number)
			return n <= chunk->used / sizeof(struct rarog_vex_frame)
				       ? (const struct rarog_vex_frame *)(chunk + 1)
				       : NULL;
	return NULL;
}

static void close_strand(struct parse *p, const struct rarog_vex_strand *strand)
{
	struct rarog_vex_counted *c = p->counted;
	const struct rarog_vex_frame *frames = frames_of(p, strand->frames, strand->depth);

	c->instructions += strand->instructions;
	for (uint32_t i = 0; frames && i < strand->depth; i++) {
		if (frames[i].is_folded || frames[i].node >= c->nodes.n ||
		    frames[i].start > strand->instructions)
			continue;
		c->nodes.v[frames[i].node]->inclusive += strand->instructions - frames[i].start;
		c->open[frames[i].node]++;
	}
}

static void close_strands(struct parse *p)
{
	const struct rarog_vex_strand *strands =
		p->strands ? (const struct rarog_vex_strand *)(p->strands + 1) : NULL;
	size_t n = strands ? p->strands->used / sizeof(*strands) : 0;
	const struct rarog_vex_hot *hot = &p->counted->head->hot;

	for (size_t i = 0; i < n; i++) {
		struct rarog_vex_strand strand = strands[i];

		if (i == hot->strand) {
			strand.instructions = hot->instructions;
			strand.depth = hot->depth;
		}
		close_strand(p, &strand);
	}
}

/* A call that was being closed when the process was killed may be a few instructions off. */
static void split_inclusive(struct rarog_vex_counted *c)
{
	for (size_t i = 0; i < c->nodes.n; i++)
		c->exclusive[i] = i == 0 ? c->instructions : c->nodes.v[i]->inclusive;
	for (size_t i = c->nodes.n; i-- > 1;) {
		uint64_t *of = &c->exclusive[c->nodes.v[i]->parent];
		uint64_t inclusive = c->nodes.v[i]->inclusive;

		*of -= inclusive < *of ? inclusive : *of;
	}
}

/* --- all --- */

static int parse(struct parse *p)
{
	struct rarog_vex_counted *c = p->counted;
	int r = rarog_vec_push(&c->objects, NULL);

	if (r == 0)
		r = rarog_vec_push(&c->functions, NULL);
	if (r == 0)
		r = add_chunks(p, RAROG_VEX_OBJECTS);
	if (r == 0)
		r = add_chunks(p, 0);
	if (r == 0 && (!c->head || c->nodes.n == 0))
		r = fail(p, "cut off");
	if (r < 0)
		return r == -ENOMEM ? rarog_oom() : r;
	for (size_t i = 1; i < c->nodes.n; i++)
		if (c->nodes.v[i]->function >= c->functions.n)
			return fail(p, "the call tree is damaged");
	for (size_t i = 0; i < c->calls.n; i++)
		if (c->calls.v[i]->function == 0 || c->calls.v[i]->function >= c->functions.n)
			return fail(p, "a call's record is damaged");
	for (size_t i = 0; i < c->accesses.n; i++)
		if (c->accesses.v[i]->block > c->blocks.n)
			return fail(p, "a record of accesses is damaged");
	c->exclusive = calloc(c->nodes.n, sizeof(*c->exclusive));
	c->open = calloc(c->nodes.n, sizeof(*c->open));
	if (!c->exclusive || !c->open)
		return rarog_oom();
	close_strands(p);
	split_inclusive(c);
	return 0;
}

/* Of @n bytes, which were allocated and are taken in any case. */
static int parse_bytes(const char *name, size_t n, uint8_t *take_bytes,
		       struct rarog_vex_counted **ret_counted)
{
	rarog_cleanup(rarog_vex_counted_freep) struct rarog_vex_counted *c = calloc(1, sizeof(*c));
	struct parse p = { .counted = c, .name = name };
	int r;

	if (!c) {
		free(take_bytes);
		return rarog_oom();
	}
	c->n_bytes = n;
	c->bytes = take_bytes;
	r = parse(&p);
	if (r == 0)
		*ret_counted = rarog_take(c);
	return r;
}

int rarog_vex_counted_read(const char *path, struct rarog_vex_counted **ret_counted)
{
	char *bytes = NULL;
	size_t n = 0;
	int r = rarog_file_read(path, MAX_FILE, &bytes, &n);

	return r < 0 ? r : parse_bytes(path, n, (uint8_t *)bytes, ret_counted);
}

void rarog_vex_counted_free(struct rarog_vex_counted *counted)
{
	if (!counted)
		return;
	rarog_vec_release(&counted->objects);
	rarog_vec_release(&counted->functions);
	rarog_vec_release(&counted->blocks);
	rarog_vec_release(&counted->accesses);
	rarog_vec_release(&counted->calls);
	rarog_vec_release(&counted->nodes);
	free(counted->exclusive);
	free(counted->open);
	free(counted->bytes);
	free(counted);
}
