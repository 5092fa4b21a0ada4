/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/text-pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define CHUNK_BYTES 16384

static char *new_chunk(struct rarog_text_pool *texts, size_t wanted)
{
	size_t room = wanted > CHUNK_BYTES ? wanted : CHUNK_BYTES;
	char *chunk = malloc(room);

	if (!chunk || rarog_vec_push(texts, chunk) < 0) {
		free(chunk);
		return NULL;
	}
	texts->used = 0;
	texts->room = room;
	return chunk;
}

const char *rarog_text_pool_add(struct rarog_text_pool *texts, size_t n, const char *text)
{
	char *chunk = texts->n > 0 ? texts->v[texts->n - 1] : NULL;

	if (!chunk || n >= texts->room - texts->used)
		chunk = new_chunk(texts, n + 1);
	if (!chunk)
		return NULL;
	char *copy = chunk + texts->used;

	memcpy(copy, text, n);
	copy[n] = '\0';
	texts->used += n + 1;
	return copy;
}

void rarog_text_pool_release(struct rarog_text_pool *texts)
{
	for (size_t i = 0; i < texts->n; i++)
		free(texts->v[i]);
	rarog_vec_release(texts);
	texts->used = texts->room = 0;
}
