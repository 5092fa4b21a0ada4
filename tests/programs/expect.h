/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that know how often each of their functions is called.
 *
 * CALLED() in a function counts its calls by hand; expect_print() prints the counts as lines
 * "expect NAME COUNT", which the tests compare with what rarog measured in that same run. Functions
 * that cannot hold a counter (too short, assembly) are announced with expect_calls(). A count that
 * differs from run to run (signal handlers) is printed as "expect~", so that the tests can still
 * compare the rest of the output with an untraced run.
 *
 * The counters are shared memory: children created by fork() count into them too.
 */
#ifndef RAROG_TESTS_EXPECT_H
#define RAROG_TESTS_EXPECT_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifdef __clang__
#define TRACED __attribute__((noinline, used))
#else
#define TRACED __attribute__((noinline, noclone, used))
#endif

/* Keeps the compiler from folding, moving or dropping a call. */
#define BARRIER() __asm__ volatile("" ::: "memory")

struct expect_site {
	const char *name;
	int varies;
};

#ifdef __cplusplus
extern "C" {
#endif
/* Made by the linker: the bounds of the section that CALLED() fills. */
extern struct expect_site __start_expect_sites[] __attribute__((weak, visibility("hidden")));
extern struct expect_site __stop_expect_sites[] __attribute__((weak, visibility("hidden")));
__attribute__((weak, visibility("hidden"))) unsigned long *expect_counts;
#ifdef __cplusplus
}
#endif

#define EXPECT_COUNT_(string, varying)                                                             \
	do {                                                                                       \
		static struct expect_site site_                                                    \
			__attribute__((section("expect_sites"), used)) = { string, varying };      \
		__atomic_fetch_add(&expect_counts[&site_ - __start_expect_sites], 1,               \
				   __ATOMIC_RELAXED);                                              \
	} while (0)

#define CALLED()          EXPECT_COUNT_(__func__, 0)
#define CALLED_AS(string) EXPECT_COUNT_(string, 0)
#define CALLED_VARYING()  EXPECT_COUNT_(__func__, 1)

__attribute__((constructor(101))) static void expect_init(void)
{
	void *map;

	if (expect_counts)
		return;
	map = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		abort();
	expect_counts = (unsigned long *)map;
}

__attribute__((unused)) static void expect_calls(const char *name, unsigned long count)
{
	printf("expect %s %lu\n", name, count);
}

__attribute__((unused)) static void expect_print(void)
{
	for (struct expect_site *s = __start_expect_sites; s < __stop_expect_sites; s++)
		printf("expect%s %s %lu\n", s->varies ? "~" : "", s->name,
		       expect_counts[s - __start_expect_sites]);
	fflush(stdout);
}

#endif
