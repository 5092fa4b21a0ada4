/* SPDX-License-Identifier: MIT */
/*
 * Filters of system calls that were there before the program began: those that rarog itself is
 * under, as in a container, are taken to let counting through; others cannot be read. How
 * many there are the kernel tells by calls that the loader has made in this process, too. Where
 * there are more than rarog's those are all that is called.
 */
#include "runtime.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

#include "by-number.h"

enum { UNTOLD = -1, NO_PROC = -1, SOME = INT_MAX };

/* "/…/…+NUMBER": so many filters is rarog under. */
static int known_in(const char *folder)
{
	const char *number = strrchr(strrchr(folder, '/'), '+');
	char *end;
	long n = number ? strtol(number + 1, &end, 10) : UNTOLD;

	return n >= 0 && n <= INT_MAX && end > number + 1 && *end == '\0' ? (int)n : UNTOLD;
}

/* NO_PROC: closed, or there is none; SOME: of an old kernel, which does not say how many, or of a
 * process in so many groups that their numbers fill the text. A process that has no descriptor left
 * is taken to have none. */
static int inherited(void)
{
	static char text[16384];
	int fd = rarog_runtime_open("/proc/thread-self/status");
	const char *mode, *number;
	ssize_t n;

	if (fd < 0 && (errno == ENOENT || errno == EACCES))
		return NO_PROC;
	if (fd < 0)
		return errno == EMFILE || errno == ENFILE ? 0 : SOME;
	n = rarog_runtime_read(fd, text, sizeof(text) - 1);
	rarog_runtime_close(fd);
	mode = strstr(text, "\nSeccomp:\t");
	if (!mode)
		return n > 0 && n < (ssize_t)sizeof(text) - 1 ? 0 : SOME;
	number = strstr(mode, "\nSeccomp_filters:\t");
	if (strtol(strchr(mode, '\t'), NULL, 10) == 0)
		return 0;
	return number ? (int)strtol(strchr(number, '\t'), NULL, 10) : SOME;
}

/* A program that has other rights than its caller opens nothing for that one. */
static void tell(const char *folder)
{
	static char path[RAROG_COUNTER_PATH + 16];
	int fd;

	if (getauxval(AT_SECURE))
		return;
	snprintf(path, sizeof(path), "%s/" RAROG_COUNTER_FILTERED, folder);
	fd = rarog_runtime_open(path);
	if (fd >= 0)
		rarog_runtime_close(fd);
}

/* Without /proc only prctl() tells. */
static bool is_free(int known)
{
	int n = inherited();

	return n == NO_PROC ? prctl(PR_GET_SECCOMP) == 0 : n <= known;
}

bool rarog_runtime_may_begin(const char *folder)
{
	int known = known_in(folder);

	if (rarog_runtime_may_call() && (known == UNTOLD || is_free(known)))
		return true;
	if (known != UNTOLD)
		tell(folder);
	rarog_runtime_call_no_more();
	return false;
}
