/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records of an object file stand together and share their texts, so the last ones are asked
 * for again most of the time. */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "blocks/record-texts.h"
#include "profile/bytes.h"

static int add(struct rarog_name_pool *pool, struct rarog_texts *take_texts)
{
	if (pool->n == pool->capacity) {
		size_t capacity = 2 * pool->capacity + 8;
		struct rarog_texts **v =
			reallocarray(pool->v, capacity, sizeof(struct rarog_texts *));

		if (!v) {
			rarog_texts_free(take_texts);
			return rarog_oom();
		}
		pool->v = v;
		pool->capacity = capacity;
	}
	pool->v[pool->n++] = take_texts;
	return 0;
}

static int decode(const uint8_t *bytes, size_t n, struct rarog_texts *texts)
{
	struct rarog_coder s;
	int r;

	rarog_coder_read(&s, bytes, n);
	rarog_texts_code(&s, texts);
	r = rarog_coder_finish(&s);
	if (r == -ENOMEM)
		return rarog_oom();
	return r < 0 ? rarog_fail(r, "the names of counted functions are damaged") : 0;
}

static long read_at(struct rarog_name_pool *pool, uint32_t place, const uint8_t *bytes, size_t n,
		    const struct rarog_texts **ret_texts)
{
	uint32_t size = n >= sizeof(size) ? rarog_load_u32(bytes) : 0;
	struct rarog_texts *texts;
	int r;

	if (size < sizeof(size) || size > n)
		return rarog_fail(-EINVAL, "the names of counted functions are cut off");
	texts = calloc(1, sizeof(*texts));
	if (!texts)
		return rarog_oom();
	r = decode(bytes + sizeof(size), size - sizeof(size), texts);
	if (r < 0) {
		rarog_texts_free(texts);
		return r;
	}
	texts->place = place;
	r = add(pool, texts);
	if (r == 0)
		*ret_texts = texts;
	return r < 0 ? r : (long)size;
}

long rarog_name_pool_read(struct rarog_name_pool *pool, const uint8_t *bytes, size_t n,
			  const struct rarog_texts **ret_texts)
{
	return read_at(pool, UINT32_MAX, bytes, n, ret_texts);
}

int rarog_name_pool_at(struct rarog_name_pool *pool, uint32_t place,
		       const struct rarog_texts **ret_texts)
{
	long r;

	for (size_t i = pool->n; i-- > 0;)
		if (pool->v[i]->place == place) {
			*ret_texts = pool->v[i];
			return 0;
		}
	if (place >= pool->size)
		return rarog_fail(-EINVAL, "the names of counted functions are missing");
	r = read_at(pool, place, pool->bytes + place, pool->size - place, ret_texts);
	return r < 0 ? (int)r : 0;
}

void rarog_name_pool_release(struct rarog_name_pool *pool)
{
	for (size_t i = 0; i < pool->n; i++)
		rarog_texts_free(pool->v[i]);
	free(pool->v);
	*pool = (struct rarog_name_pool){ 0 };
}
