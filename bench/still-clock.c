/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A clock that stands still, to be preloaded: programs that print how long they took execute a few
 * instructions more or fewer for other digits.
 */
#include <sys/time.h>
#include <time.h>

#define NOW 1000000000 /* September 2001 */

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	(void)zone;
	*now = (struct timeval){ .tv_sec = NOW };
	return 0;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	(void)clock;
	*now = (struct timespec){ .tv_sec = NOW };
	return 0;
}

time_t time(time_t *now)
{
	if (now)
		*now = NOW;
	return NOW;
}
