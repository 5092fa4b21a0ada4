/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that know how often each of their functions is called, and from where.
 *
 * CALLED() in a function counts its calls by hand. A call written as CALL(f, …), DO(f, …) (no
 * result) or TAIL(f, …) (may become a jump) tells the function its caller. expect_print() prints
 * the sums, which the tests compare with what was measured in that same run:
 *
 *   expect NAME COUNT             calls of NAME
 *   edge CALLER NAME COUNT        of them from CALLER
 *   tail CALLER NAME COUNT        the same, by what may have become a jump: then CALLER has ended
 *   edge ? NAME COUNT             caller unknown: edges to NAME cannot be compared
 *
 * A count that differs from run to run (signal handlers) is printed as "expect~", "edge~", so that
 * the tests can still compare the rest of the output with an untraced run. Functions that cannot
 * hold a counter (too short, assembly) are announced with expect_calls() and expect_edge(). The
 * first function of a thread says BEGINS() before CALLED(): it has no caller.
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
	unsigned char is_called, varies, is_tail;
};

enum { EXPECT_BYTES = 1 << 20 };

#ifdef __cplusplus
extern "C" {
#endif
/* Made by the linker: the bounds of the section that the macros fill. */
extern struct expect_site __start_expect_sites[] __attribute__((weak, visibility("hidden")));
extern struct expect_site __stop_expect_sites[] __attribute__((weak, visibility("hidden")));
/* One row a site that calls, the first for those unknown; one column a site that is called. */
__attribute__((weak, visibility("hidden"))) unsigned long *expect_counts;
/* The site about to call; the function called takes it. */
__attribute__((weak, visibility("hidden"))) __thread struct expect_site *expect_caller;
#ifdef __cplusplus
}
#endif

#define EXPECT_SITE_(string, called, varying, tail)                                                \
	static struct expect_site site_                                                            \
		__attribute__((section("expect_sites"), used)) = { string, called, varying, tail }

#define EXPECT_COUNT_(string, varying)                                                             \
	do {                                                                                       \
		EXPECT_SITE_(string, 1, varying, 0);                                               \
		expect_count(&site_);                                                              \
	} while (0)

#define EXPECT_CALLING_(string, tail)                                                              \
	({                                                                                         \
		EXPECT_SITE_(string, 0, 0, tail);                                                  \
		expect_caller = &site_;                                                            \
	})

#define CALLED()          EXPECT_COUNT_(__func__, 0)
#define CALLED_AS(string) EXPECT_COUNT_(string, 0)
#define CALLED_VARYING()  EXPECT_COUNT_(__func__, 1)
#define CALLING()         EXPECT_CALLING_(__func__, 0)
#define BEGINS()                                                                                   \
	do {                                                                                       \
		EXPECT_SITE_("(outside)", 0, 0, 0);                                                \
		if (!expect_caller)                                                                \
			expect_caller = &site_;                                                    \
	} while (0)

/* The barrier after the call keeps it from becoming a jump. */
#define CALL(function, ...)                                                                        \
	({                                                                                         \
		CALLING();                                                                         \
		__typeof__(function(__VA_ARGS__)) result_ = function(__VA_ARGS__);                 \
		BARRIER();                                                                         \
		result_;                                                                           \
	})
#define DO(function, ...)                                                                          \
	do {                                                                                       \
		CALLING();                                                                         \
		function(__VA_ARGS__);                                                             \
		BARRIER();                                                                         \
	} while (0)
#define TAIL(function, ...) (EXPECT_CALLING_(__func__, 1), function(__VA_ARGS__))

__attribute__((always_inline)) static inline size_t expect_width(void)
{
	return (size_t)(__stop_expect_sites - __start_expect_sites);
}

__attribute__((always_inline)) static inline void expect_count(struct expect_site *site)
{
	struct expect_site *from = expect_caller;
	size_t row = from ? (size_t)(from - __start_expect_sites) + 1 : 0;

	expect_caller = NULL;
	__atomic_fetch_add(
		&expect_counts[row * expect_width() + (size_t)(site - __start_expect_sites)], 1,
		__ATOMIC_RELAXED);
}

__attribute__((constructor(101))) static void expect_init(void)
{
	void *map;

	if (expect_counts)
		return;
	map = mmap(NULL, EXPECT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED ||
	    (expect_width() + 1) * expect_width() * sizeof(*expect_counts) > EXPECT_BYTES)
		abort();
	expect_counts = (unsigned long *)map;
}

__attribute__((unused)) static void expect_calls(const char *name, unsigned long count)
{
	printf("expect %s %lu\n", name, count);
}

__attribute__((unused)) static void expect_edge(const char *from, const char *to,
						unsigned long count)
{
	printf("edge %s %s %lu\n", from, to, count);
}

__attribute__((unused)) static void expect_print(void)
{
	size_t n = expect_width();

	for (size_t to = 0; to < n; to++) {
		const struct expect_site *site = &__start_expect_sites[to];
		const char *varies = site->varies ? "~" : "";
		unsigned long sum = 0;

		for (size_t row = 0; row <= n; row++) {
			const struct expect_site *from =
				row ? &__start_expect_sites[row - 1] : NULL;
			unsigned long count = expect_counts[row * n + to];

			if (count)
				printf("%s%s %s %s %lu\n", from && from->is_tail ? "tail" : "edge",
				       varies, from ? from->name : "?", site->name, count);
			sum += count;
		}
		/* Only sites that are called have a column: others name the caller. */
		if (site->is_called)
			printf("expect%s %s %lu\n", varies, site->name, sum);
	}
	fflush(stdout);
}

#endif
