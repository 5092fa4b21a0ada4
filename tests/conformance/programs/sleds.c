/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Short functions, loops at entries, recursion, calls through pointers and from the C library, a
 * function that looks at its return address: built with everything that makes compilers leave
 * places for instrumentation.
 *
 * ARGS: none; gmon: built with -pg, what a child counted is printed; patch: XRay's run-time system
 * writes to its sleds, turn and turn about.
 * OWN_HOOKS: hooks of -finstrument-functions that sum up what they are told. OWN_FENTRY:
 * __fentry__() that does so with what it sees, BLIND_FENTRY: that counts only. READS_TABLE: the
 * table of sleds is looked at. All sums are of distances, so that they do not depend on where the
 * program lies.
 */
#include "expect.h"
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __clang__
#define BARE __attribute__((no_instrument_function, xray_never_instrument))
#else
#define BARE __attribute__((no_instrument_function))
#endif

int main(int argc, char **argv);

__attribute__((used)) static unsigned long told, told_sum;

__attribute__((unused)) BARE static void tell(void *function, void *caller)
{
	unsigned long distance = (unsigned long)((uintptr_t)caller - (uintptr_t)main);

	if (distance + (8 << 20) > 16 << 20)
		distance = 1; /* from the C library */
	told++;
	told_sum = (told_sum << 5 | told_sum >> 59) ^ distance ^
		   (unsigned long)((uintptr_t)function - (uintptr_t)main) << 32;
}

#ifdef OWN_HOOKS
BARE void __cyg_profile_func_enter(void *function, void *caller)
{
	tell(function, caller);
}

BARE void __cyg_profile_func_exit(void *function, void *caller)
{
	tell(function, caller);
	BARRIER();
}
#endif

#ifdef OWN_FENTRY
BARE __attribute__((used)) void fentry_called(void *function, void *caller)
{
	tell(function, caller);
}

__asm__(".globl __fentry__\n.type __fentry__, @function\n__fentry__:\n"
	"push %rax\npush %rcx\npush %rdx\npush %rsi\npush %rdi\npush %r8\npush %r9\npush %r10\n"
	"sub $8, %rsp\nmov 72(%rsp), %rdi\nmov 80(%rsp), %rsi\ncall fentry_called\nadd $8, %rsp\n"
	"pop %r10\npop %r9\npop %r8\npop %rdi\npop %rsi\npop %rdx\npop %rcx\npop %rax\nret\n"
	".size __fentry__, . - __fentry__\n");
#endif

#ifdef BLIND_FENTRY
__asm__(".globl __fentry__\n.type __fentry__, @function\n__fentry__:\n"
	"push %rax\nmov told(%rip), %rax\ninc %rax\nmov %rax, told(%rip)\npop %rax\nret\n"
	".size __fentry__, . - __fentry__\n");
#endif

/* --- what is traced --- */

TRACED int tiny(void)
{
	BARRIER();
	return 1;
}

TRACED void empty(void)
{
	BARRIER();
}

/* Its loop may begin where its instructions do. */
TRACED int loop(int n)
{
	do {
		__asm__ volatile("" : "+r"(n));
	} while (--n > 0);
	return n;
}

TRACED int fibonacci(int n)
{
	CALLED();
	return n < 2 ? n : CALL(fibonacci, n - 1) + CALL(fibonacci, n - 2);
}

static unsigned long comparisons;

TRACED int compare(const void *a, const void *b)
{
	comparisons++;
	return *(const int *)a - *(const int *)b;
}

TRACED int sort(int n)
{
	int numbers[100];

	CALLED();
	for (int i = 0; i < n; i++)
		numbers[i] = i * 37 % 101;
	/* few enough for the C library's insertion sort or merge sort alike */
	qsort(numbers, (size_t)n, sizeof(*numbers), compare);
	return numbers[n / 2];
}

TRACED void *who_called(void)
{
	return __builtin_return_address(0);
}

TRACED int last(int x)
{
	CALLED();
	return x * 7;
}

TRACED int middle(int x)
{
	CALLED();
	return TAIL(last, x + 1);
}

TRACED int (*choose(int x))(int)
{
	CALLED();
	return x % 2 ? middle : last;
}

TRACED long many(int a, int b, int c, int d, int e, int f, int g, int h, double x)
{
	CALLED();
	return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8 + (long)(x * 9);
}

enum { ROUNDS = 50 };

TRACED long work(void)
{
	long sum = 0;

	CALLED();
	for (int i = 0; i < ROUNDS; i++) {
		int (*chosen)(int) = CALL(choose, i);

		sum += tiny() + loop(i);
		empty();
		CALLING();
		sum += chosen(i);
		BARRIER();
		sum += CALL(many, i, 2, 3, 4, 5, 6, 7, i, i / 2.0);
	}
	sum += CALL(fibonacci, 12) + CALL(sort, 60);
	return sum;
}

/* --- what it is compared with --- */

#pragma pack(push, 1)
struct arc {
	uint64_t from, to;
	int32_t count;
};
struct histogram {
	uint64_t low, high;
	int32_t size;
	char rest[20];
};
#pragma pack(pop)

enum { ARCS = 1000 };

BARE static int compare_arcs(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct arc));
}

/* The arcs of gmon.out, sorted, as distances from the lowest address. */
BARE static int print_gmon(void)
{
	static struct arc arcs[ARCS];
	struct histogram histogram = { 0, 0, 0, "" };
	FILE *file = fopen("gmon.out", "r");
	int n = 0, tag;

	if (!file || fseek(file, 20, SEEK_SET) < 0)
		return printf("no gmon.out\n"), 1;
	while ((tag = fgetc(file)) != EOF && n < ARCS) {
		if (tag == 0 && fread(&histogram, sizeof(histogram), 1, file) == 1)
			fseek(file, 2 * histogram.size, SEEK_CUR);
		else if (tag != 1 || fread(&arcs[n++], sizeof(*arcs), 1, file) != 1)
			break;
	}
	fclose(file);
	qsort(arcs, (size_t)n, sizeof(*arcs), compare_arcs);
	printf("%d arcs\n", n);
	for (int i = 0; i < n; i++)
		printf("%lx -> %lx %d\n", (long)(arcs[i].from - histogram.low),
		       (long)(arcs[i].to - histogram.low), arcs[i].count);
	return 0;
}

#ifdef XRAY
int __xray_set_handler(void (*handler)(int32_t, int));
int __xray_patch(void);
int __xray_unpatch(void);

static unsigned long events[4], event_sum;

BARE static void on_event(int32_t function, int type)
{
	events[type & 3]++;
	event_sum = (event_sum << 5 | event_sum >> 59) ^ (unsigned long)function;
}

BARE TRACED static long patch_and_work(void)
{
	long sum = CALL(work);

	__xray_set_handler(on_event);
	for (int i = 0; i < 3; i++) {
		__xray_patch();
		sum += CALL(work);
		__xray_unpatch();
		sum += CALL(work);
	}
	printf("events %lu %lu %lu %lx\n", events[0], events[1], events[2], event_sum);
	return sum;
}
#endif

#ifdef READS_TABLE
extern const uint64_t __start___patchable_function_entries[];
extern const uint64_t __stop___patchable_function_entries[];

BARE static void print_table(void)
{
	const uint64_t *at = __start___patchable_function_entries;
	unsigned long sum = 0;

	/* the bytes that a program which patches itself would write to */
	for (; at < __stop___patchable_function_entries; at++)
		sum = sum * 31 + *(const unsigned char *)*at + ((const unsigned char *)*at)[4];
	printf("table %lx\n", sum);
}
#endif

/* Runs in a child, so that what -pg counts is written before it is read. */
BARE TRACED static int in_child(long (*run)(void))
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		printf("sum %ld\n", CALL(run));
		printf("told %lu %lx\n", told, told_sum);
		expect_calls("compare", comparisons);
		expect_edge("sort", "compare", comparisons);
		exit(0); /* writes gmon.out */
	}
	waitpid(pid, &status, 0);
	return status;
}

BARE int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int times = 1, r = 0;

#ifdef XRAY
	if (strcmp(mode, "patch") == 0) {
		r = in_child(patch_and_work);
		times = 7;
	} else
#endif
		r = in_child(work);
	if (strcmp(mode, "gmon") == 0)
		r |= print_gmon();
#ifdef READS_TABLE
	print_table();
#endif
	printf("own caller %s\n", (uintptr_t)who_called() - (uintptr_t)main < 4096 ? "main" : "?");
	expect_calls("tiny", (unsigned long)(times * ROUNDS));
	expect_calls("empty", (unsigned long)(times * ROUNDS));
	expect_calls("loop", (unsigned long)(times * ROUNDS));
	expect_print();
	return r;
}
