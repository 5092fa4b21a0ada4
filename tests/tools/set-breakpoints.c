/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: set-breakpoints FILE OFFSET…              until the end of stdin; says "all met" when each
 *                                                  was hit on the first processor
 *        set-breakpoints --one-by-one SEED FILE OFFSET…   in an order of chance
 *
 * Breakpoints of the kernel (uprobes) at offsets of a file, in all processes, as perf and others
 * set them. Says "ready" when they are there. Exit status 77: not allowed here, with a line why.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint32_t type_of_uprobes(void)
{
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	unsigned type = 0;

	if (!f || fscanf(f, "%u", &type) != 1) /* NOLINT: of the kernel */
		type = 0;
	if (f)
		fclose(f);
	return type;
}

/* Return: its descriptor, -1: there can be none. */
static int set(const char *file, uint64_t offset)
{
	struct perf_event_attr attr = {
		.type = type_of_uprobes(),
		.size = sizeof(attr),
		.config1 = (uint64_t)(uintptr_t)file,
		.config2 = offset,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 && errno == 524) /* ENOTSUPP, of the kernel alone: not on this instruction */
		return -1;
	if (fd < 0) {
		printf("%s at %#llx: %s\n", file, (unsigned long long)offset, strerror(errno));
		exit(attr.type == 0 || errno == EACCES || errno == EPERM ? 77 : 1);
	}
	return fd;
}

/* An event counts on one processor; hits are asked of the program, the breakpoint is everywhere. */
static uint64_t hits(int fd)
{
	uint64_t n = 0;

	return read(fd, &n, sizeof(n)) == sizeof(n) ? n : 0;
}

static int is_over(int ms)
{
	struct pollfd end = { .fd = 0, .events = POLLIN | POLLHUP };

	return poll(&end, 1, ms) > 0;
}

static void set_one_by_one(unsigned seed, const char *file, int n, char **offsets)
{
	srand(seed);
	puts("ready");
	fflush(stdout);
	for (; n > 0 && !is_over(rand() % 8); n--) {
		int i = rand() % n;

		set(file, strtoull(offsets[i], NULL, 0));
		offsets[i] = offsets[n - 1];
	}
	is_over(-1);
}

static int are_met(int n, const int fds[])
{
	for (int i = 0; i < n; i++)
		if (fds[i] < 0 || hits(fds[i]) == 0)
			return 0;
	return 1;
}

static void hold(const char *file, int n, char **offsets)
{
	int *fds = calloc((size_t)n + 1, sizeof(*fds)), was_said = 0;

	for (int i = 0; i < n; i++)
		fds[i] = set(file, strtoull(offsets[i], NULL, 0));
	puts("ready");
	fflush(stdout);
	while (!is_over(was_said ? -1 : 20))
		if (!was_said && are_met(n, fds)) {
			was_said = 1;
			puts("all met");
			fflush(stdout);
		}
	free(fds);
}

int main(int argc, char **argv)
{
	if (argc > 4 && strcmp(argv[1], "--one-by-one") == 0)
		set_one_by_one((unsigned)strtoul(argv[2], NULL, 0), argv[3], argc - 4, argv + 4);
	else if (argc > 2)
		hold(argv[1], argc - 2, argv + 2);
	else
		return 2;
	return 0;
}
