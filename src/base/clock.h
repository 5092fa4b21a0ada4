/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What time it is, in nanoseconds. */
#ifndef RAROG_BASE_CLOCK_H
#define RAROG_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t rarog_timespec_ns(struct timespec time)
{
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static inline uint64_t rarog_now_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return rarog_timespec_ns(now);
}

/** rarog_now_ns() - CLOCK_MONOTONIC */
static inline uint64_t rarog_now_ns(void)
{
	return rarog_now_of(CLOCK_MONOTONIC);
}

/** rarog_epoch_ns() - since 1970 */
static inline uint64_t rarog_epoch_ns(void)
{
	return rarog_now_of(CLOCK_REALTIME);
}

#endif
