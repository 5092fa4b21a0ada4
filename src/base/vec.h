/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A growable array. Declare `RAROG_VEC(struct item) items;` zeroed; elements are items.v[0 …
 * items.n-1]. Growth is by half again, so pushing is amortised constant.
 */
#ifndef RAROG_BASE_VEC_H
#define RAROG_BASE_VEC_H

#include <errno.h>
#include <stddef.h>

#define RAROG_VEC(type)                                                                            \
	struct {                                                                                   \
		type *v;                                                                           \
		size_t n, capacity;                                                                \
	}

/* rarog_vec_reserve(): room for @wanted elements in all; 0 or -ENOMEM. */
#define rarog_vec_reserve(vec, wanted)                                                             \
	(rarog_vec_grow_((void **)&(vec)->v, &(vec)->capacity, (wanted), sizeof(*(vec)->v)) < 0    \
		 ? -ENOMEM                                                                         \
		 : 0)

/* rarog_vec_push(): append @...; 0 or -ENOMEM (the vector is then unchanged). */
#define rarog_vec_push(vec, ...)                                                                   \
	__extension__({                                                                            \
		int r_ = rarog_vec_reserve(vec, (vec)->n + 1);                                     \
		if (r_ == 0)                                                                       \
			(vec)->v[(vec)->n++] = (__VA_ARGS__);                                      \
		r_;                                                                                \
	})

/* rarog_vec_release(): free the elements' memory; the vector is empty and usable again. */
#define rarog_vec_release(vec) rarog_vec_free_((void **)&(vec)->v, &(vec)->n, &(vec)->capacity)

int rarog_vec_grow_(void **items, size_t *capacity, size_t wanted, size_t size);
void rarog_vec_free_(void **items, size_t *n, size_t *capacity);

#endif
