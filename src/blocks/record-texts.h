/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of functions and files, which records name by their numbers. */
#ifndef RAROG_BLOCKS_RECORD_TEXTS_H
#define RAROG_BLOCKS_RECORD_TEXTS_H

#include "blocks/arithmetic-coder.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rarog_texts {
	char **v;
	uint32_t n, capacity;
	uint32_t place; /* in the section */
};

/* Those of a file, read when they are first asked for. */
struct rarog_name_pool {
	const uint8_t *bytes; /* the section RAROG_BLOCKS_NAMES; NULL: there is none */
	size_t size;
	struct rarog_texts **v;
	size_t n, capacity;
};

/** rarog_texts_code() - @texts, to be written or empty; an error is @s->error. */
void rarog_texts_code(struct rarog_coder *s, struct rarog_texts *texts);

/** rarog_texts_free() - NULL is fine. */
void rarog_texts_free(struct rarog_texts *texts);

/**
 * rarog_name_pool_at() - the texts that stand at @place of the section
 *
 * Return: 0; -EINVAL, -ENOMEM with message. @ret_texts is the pool's.
 */
int rarog_name_pool_at(struct rarog_name_pool *pool, uint32_t place,
		       const struct rarog_texts **ret_texts);

/**
 * rarog_name_pool_read() - texts that stand elsewhere: their size and they
 *
 * Return: bytes read; -EINVAL, -ENOMEM with message. @ret_texts is the pool's.
 */
long rarog_name_pool_read(struct rarog_name_pool *pool, const uint8_t *bytes, size_t n,
			  const struct rarog_texts **ret_texts);

/** rarog_name_pool_release() - the bytes are not the pool's. */
void rarog_name_pool_release(struct rarog_name_pool *pool);

#ifdef __cplusplus
}
#endif
#endif
