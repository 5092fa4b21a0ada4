/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A hostile allocator: linked into a unit test (with --wrap), it runs the test once for every
 * allocation that the test makes, each time letting that one fail. Assertions of the test may then
 * fail (they expect success); what must not happen is a crash, an abort, or a sanitizer's report.
 * The failing runs are children, so that one cannot spoil the next.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_POINTS 600 /* enough for every test; loops repeat the same points */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t n);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t n);

extern bool oom_is_paused;
bool oom_is_paused;       /* a test may prepare and check in peace */
static long countdown;    /* > 0: the allocation that fails */
static bool *was_reached; /* shared with the parent */

static bool fails_now(void)
{
	if (oom_is_paused || countdown == 0 || --countdown > 0)
		return false;
	*was_reached = true;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return fails_now() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails_now() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails_now() ? NULL : __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return fails_now() ? NULL : __real_aligned_alloc(alignment, size);
}

char *__wrap_strdup(const char *text)
{
	return fails_now() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t n)
{
	return fails_now() ? NULL : __real_strndup(text, n);
}

/* In the child: what the test prints goes to @output. */
static void become_test(int output, long point)
{
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	countdown = point;
}

/* cmocka turns a signal into a failed test "with exception"; a sanitizer says ERROR or error. */
static bool is_crash(int output, int status)
{
	static const char *const signs[] = { "with exception", "Sanitizer", "runtime error" };
	static char text[1 << 16];
	ssize_t n = pread(output, text, sizeof(text) - 1, 0);

	text[n < 0 ? 0 : n] = '\0';
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (strstr(text, signs[i]))
			return true;
	return WIFSIGNALED(status);
}

static void report_crash(long point, int output)
{
	static char text[4096];
	ssize_t n = pread(output, text, sizeof(text) - 1, 0);

	text[n < 0 ? 0 : n] = '\0';
	fprintf(stderr, "allocation %ld failing: crash\n%s\n", point, text);
}

/* Return: 1 crashed, 0 survived; in the child it returns -1 and the test goes on. */
static int try_point(long point)
{
	int output = memfd_create("output", MFD_CLOEXEC), status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		become_test(output, point);
		return -1;
	}
	waitpid(pid, &status, 0);
	int crashed = is_crash(output, status);

	if (crashed)
		report_crash(point, output);
	close(output);
	return crashed;
}

__attribute__((constructor)) static void run_every_point(void)
{
	int crashes = 0;
	long point = 0;

	was_reached = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	do {
		*was_reached = false;
		int crashed = try_point(++point);

		if (crashed < 0)
			return;
		crashes += crashed;
	} while (*was_reached && point < MAX_POINTS);
	printf("1..1\n%s 1 - %ld allocations failed one by one\n", crashes ? "not ok" : "ok",
	       point - 1);
	fflush(stdout);
	_exit(crashes > 0);
}
