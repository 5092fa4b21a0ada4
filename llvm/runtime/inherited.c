/* SPDX-License-Identifier: MIT */
/*
 * Filters of system calls that were there before the program began: those that rarog itself is
 * under, whose harmlessness it has tried, and perhaps others, which nobody can look into. How many
 * there are the kernel tells by calls that the loader has made in this process, too. Where there is
 * one that is not known those are all that is called.
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

/* "/…/…+NUMBER": under so many filters all has been tried. */
static int tried_in(const char *folder)
{
	const char *number = strrchr(strrchr(folder, '/'), '+');
	char *end;
	long n = number ? strtol(number + 1, &end, 10) : UNTOLD;

	return n >= 0 && n <= INT_MAX && end > number + 1 && *end == '\0' ? (int)n : UNTOLD;
}

/* All of it or, where it is long (there may be many groups), so much of its end, at least. Returns
 * whether it is all. */
static bool read_end(int fd, size_t most, char text[most])
{
	size_t n = 0, half = most / 2;
	bool is_all = true;
	ssize_t got;

	while ((got = rarog_runtime_read(fd, text + n, most - 1 - n)) > 0) {
		n += (size_t)got;
		if (n < most - 1)
			break;
		memmove(text, text + half, n - half);
		n -= half;
		is_all = false;
	}
	text[n] = '\0';
	return is_all && n > 0;
}

/* NO_PROC: closed, or there is none; SOME: of an old kernel, which does not say how many. Who has
 * no descriptor left is taken to have none. */
static int inherited(void)
{
	static char text[16384];
	int fd = rarog_runtime_open("/proc/thread-self/status");
	const char *mode, *number;
	bool is_all;

	if (fd < 0 && (errno == ENOENT || errno == EACCES))
		return NO_PROC;
	if (fd < 0)
		return errno == EMFILE || errno == ENFILE ? 0 : SOME;
	is_all = read_end(fd, sizeof(text), text);
	rarog_runtime_close(fd);
	mode = strstr(text, "\nSeccomp:\t");
	if (!mode)
		return is_all ? 0 : SOME;
	number = strstr(mode, "\nSeccomp_filters:\t");
	if (strtol(strchr(mode, '\t'), NULL, 10) == 0)
		return 0;
	return number ? (int)strtol(strchr(number, '\t'), NULL, 10) : SOME;
}

/* Who has other rights than its caller opens nothing for that one. Where nobody is told who opens
 * it, that it was read is to be seen. */
static void tell(const char *folder)
{
	static char path[RAROG_COUNTER_PATH + 16];
	char byte;
	int fd;

	if (getauxval(AT_SECURE))
		return;
	snprintf(path, sizeof(path), "%s/" RAROG_COUNTER_FILTERED, folder);
	fd = rarog_runtime_open(path);
	if (fd < 0)
		return;
	rarog_runtime_read(fd, &byte, 1);
	rarog_runtime_close(fd);
}

/* Those of the program came later than rarog's; one that the kernel refused is counted as well. */
static bool is_known(int n, int tried)
{
	return n != NO_PROC && n - rarog_runtime_harmless_filters() <= tried;
}

/* Without /proc only prctl() tells. */
static bool is_free(int tried)
{
	int n = inherited();

	return is_known(n, tried) || (n == NO_PROC && prctl(PR_GET_SECCOMP) == 0);
}

bool rarog_runtime_may_begin(const char *folder)
{
	int tried = tried_in(folder);

	if (rarog_runtime_may_call() && (tried == UNTOLD || is_free(tried)))
		return true;
	if (tried != UNTOLD)
		tell(folder);
	rarog_runtime_call_no_more();
	return false;
}
