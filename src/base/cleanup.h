/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Scope-bound clean-up. A cleanup variable is initialised where it is declared; ownership leaves
 * it with rarog_take(). Never mixed with goto.
 */
#ifndef RAROG_BASE_CLEANUP_H
#define RAROG_BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define rarog_cleanup(function) __attribute__((cleanup(function)))

/* rarog_take(): the value of @pointer, which becomes NULL: ownership moves to the caller. */
#define rarog_take(pointer)                                                                        \
	__extension__({                                                                            \
		__typeof__(pointer) taken_ = (pointer);                                            \
		(pointer) = NULL;                                                                  \
		taken_;                                                                            \
	})

/* rarog_exchange(): the value of @variable, which becomes @...: what it owns moves likewise. */
#define rarog_exchange(variable, ...)                                                              \
	__extension__({                                                                            \
		__typeof__(variable) *from_ = &(variable), taken_ = *from_;                        \
		*from_ = (__VA_ARGS__);                                                            \
		taken_;                                                                            \
	})

/* rarog_take_struct(): the same of a struct, which becomes zero. */
#define rarog_take_struct(variable) rarog_exchange(variable, (__typeof__(variable)){ 0 })

/* rarog_take_fd(): the same for a file descriptor; the variable becomes -1. */
static inline int rarog_take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

/* RAROG_DEFINE_FREEP(rarog_x): defines rarog_x_freep() on top of rarog_x_free(). */
#define RAROG_DEFINE_FREEP(name)                                                                   \
	static inline void name##_freep(struct name **object)                                      \
	{                                                                                          \
		name##_free(*object);                                                              \
	}                                                                                          \
	struct name /* swallow the semicolon */

static inline void rarog_freep(void *pointer)
{
	free(*(void **)pointer);
}

static inline void rarog_fclosep(FILE **file)
{
	if (*file)
		fclose(*file);
}

static inline void rarog_closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#define RAROG_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
