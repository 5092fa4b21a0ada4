/* SPDX-License-Identifier: MIT */
/*
 * Filters of system calls that were there before the program began: those that rarog itself is
 * under, whose harmlessness it has tried, and perhaps others, which nobody can look into. How many
 * there are the kernel tells by calls that the loader has made in this process, too. Where there is
 * one that is not known those are all that is called.
 */
#include "runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { UNTOLD = -1, NO_PROC = -1, SOME = INT_MAX };

/* "/…/…+NUMBER": under so many filters all has been tried. */
static int tried_in(const char *folder)
{
	const char *number = strrchr(strrchr(folder, '/'), '+');
	char *end;
	long n = number ? strtol(number + 1, &end, 10) : UNTOLD;

	return n >= 0 && n <= INT_MAX && end > number + 1 && *end == '\0' ? (int)n : UNTOLD;
}

/* NO_PROC; SOME: of an old kernel, which does not say how many. Who has no descriptor left is taken
 * to have none. */
static int inherited(void)
{
	static char text[16384]; /* there may be many groups */
	int fd = open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC);
	const char *mode, *number;
	ssize_t n;

	if (fd < 0 && errno == ENOENT)
		return NO_PROC;
	if (fd < 0)
		return errno == EMFILE || errno == ENFILE ? 0 : SOME;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	mode = strstr(text, "\nSeccomp:\t");
	if (!mode)
		return n > 0 && (size_t)n < sizeof(text) - 1 ? 0 : SOME;
	number = strstr(mode, "\nSeccomp_filters:\t");
	if (strtol(strchr(mode, '\t'), NULL, 10) == 0)
		return 0;
	return number ? (int)strtol(strchr(number, '\t'), NULL, 10) : SOME;
}

/* Returns whether that is noticed. Who has other rights than its caller opens nothing for that one.
 */
static bool tell(const char *folder)
{
	static char path[RAROG_COUNTER_PATH + 16];
	int fd;

	if (getauxval(AT_SECURE))
		return false;
	snprintf(path, sizeof(path), "%s/" RAROG_COUNTER_FILTERED, folder);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Those of the program came later than rarog's; one that the kernel refused is counted as well. */
static bool is_known(int n, int tried)
{
	return n != NO_PROC && n - rarog_runtime_harmless_filters() <= tried;
}

/* In a root without /proc only prctl() tells. */
static bool is_free(const char *folder, int tried)
{
	int n = rarog_runtime_may_call() ? inherited() : SOME;

	if (rarog_runtime_may_call() && is_known(n, tried))
		return true;
	return !tell(folder) && n == NO_PROC && prctl(PR_GET_SECCOMP) == 0;
}

bool rarog_runtime_may_begin(const char *folder)
{
	int tried = tried_in(folder);
	bool is_well = tried == UNTOLD ? rarog_runtime_may_call() : is_free(folder, tried);

	if (!is_well)
		rarog_runtime_call_no_more();
	return is_well;
}
