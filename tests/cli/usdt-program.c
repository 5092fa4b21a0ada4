/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Marks where they are hard: what they must not change is checked here, and how often each is
 * passed is printed ("NAME COUNT"), by counters of the program's own. It ends with 1 if something
 * was changed.
 */
#include <alloca.h>
#include <pthread.h>
#include <rarog.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif
#define PASSED(name)                                                                               \
	do {                                                                                       \
		static atomic_long *n;                                                             \
		if (!n)                                                                            \
			n = counter_of(#name);                                                     \
		++*n;                                                                              \
	} while (0)
#define POINT(name)                                                                                \
	do {                                                                                       \
		PASSED(name);                                                                      \
		RAROG_POINT(name);                                                                 \
	} while (0)
#define BEGIN(name)                                                                                \
	do {                                                                                       \
		PASSED(name);                                                                      \
		RAROG_BEGIN(name);                                                                 \
	} while (0)

static struct counter {
	const char *name;
	atomic_long n;
} * counters; /* [64], shared by all processes */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long sum;
static int broken;

static NOINLINE atomic_long *counter_of(const char *name)
{
	size_t i = 0;

	pthread_mutex_lock(&lock);
	while (counters[i].name && strcmp(counters[i].name, name) != 0)
		i++;
	counters[i].name = name;
	pthread_mutex_unlock(&lock);
	return &counters[i].n;
}

static void expect(int is_so, const char *what)
{
	if (is_so)
		return;
	printf("%s was changed\n", what);
	broken = 1;
}

/* Variables below the stack pointer, which nobody but signal handlers knows to leave alone. */
long red_zone(long a, long b);
/* Flags that live across the mark. */
long flags(long a, long b);
/* Jumps to the mark itself, and to right after its five bytes. */
long targets(long n);
/* Vector registers. */
long vectors(void);
__asm__("	.text\n"
	"	.type red_zone, @function\n"
	"red_zone: .cfi_startproc\n"
	"	mov	%rdi, -8(%rsp)\n"
	"	mov	%rsi, -16(%rsp)\n"
	"	movq	$7, -128(%rsp)\n" RAROG_MARK_TEXT_(
		"red_zone",
		"") "	mov	-8(%rsp), %rax\n"
		    "	add	-16(%rsp), %rax\n"
		    "	add	-128(%rsp), %rax\n"
		    "	ret\n"
		    "	.cfi_endproc\n"
		    "	.size red_zone, . - red_zone\n"
		    "	.type flags, @function\n"
		    "flags: .cfi_startproc\n"
		    "	cmp	%rsi, %rdi\n" RAROG_MARK_TEXT_(
			    "flags",
			    "") "	setl	%al\n"
				"	setb	%cl\n"
				"	movzbl	%al, %eax\n"
				"	movzbl	%cl, %ecx\n"
				"	lea	(%rax,%rcx,2), %rax\n"
				"	ret\n"
				"	.cfi_endproc\n"
				"	.size flags, . - flags\n"
				"	.type targets, @function\n"
				"targets: .cfi_startproc\n"
				"	xor	%eax, %eax\n"
				"1:\n" RAROG_MARK_TEXT_(
					"turn",
					"") "2:	inc	%rax\n"
					    "	test	$1, %dil\n"
					    "	jz	3f\n"
					    "	dec	%rdi\n"
					    "	jmp	2b\n"
					    "3:	sub	$2, %rdi\n"
					    "	jg	1b\n"
					    "	ret\n"
					    "	.cfi_endproc\n"
					    "	.size targets, . - targets\n"
					    "	.type vectors, @function\n"
					    "vectors: .cfi_startproc\n"
					    "	pcmpeqd	%xmm0, %xmm0\n"
					    "	pcmpeqd	%xmm15, %xmm15\n" RAROG_MARK_TEXT_(
						    "vectors",
						    "") "	pand	%xmm15, %xmm0\n"
							"	movq	%xmm0, %rax\n"
							"	ret\n"
							"	.cfi_endproc\n"
							"	.size vectors, . - vectors\n");

NOINLINE static long at_entry(long a)
{
	RAROG_POINT(at_entry);
	return a + (sum & 1);
}

NOINLINE static long tail_called(long a)
{
	return a + 1;
}

NOINLINE static long calls_tail(long a)
{
	RAROG_BEGIN(before_tail);
	if (sum < 0)
		RAROG_END(before_tail); /* never */
	return tail_called(a);
}

NOINLINE static long returns_early(long a)
{
	BEGIN(early);
	if (a & 1)
		return at_entry(a);
	RAROG_END(early);
	return a;
}

static jmp_buf back;

NOINLINE static void jumps(int depth)
{
	BEGIN(left);
	if (depth == 0)
		longjmp(back, 1);
	if (sum > 0)
		jumps(depth - 1);
	RAROG_END(left);
}

NOINLINE static void catches(void)
{
	BEGIN(catches);
	if (!setjmp(back))
		jumps(3);
	RAROG_END(catches);
}

NOINLINE static long recurses(int depth)
{
	long n = 1;

	BEGIN(recurses);
	if (depth > 0)
		n = recurses(depth - 1) + recurses(depth - 1);
	RAROG_END(recurses);
	return n;
}

NOINLINE static long moves_stack(int n)
{
	char *more, some[n];

	memset(some, 1, (size_t)n);
	BEGIN(moved);
	more = alloca((size_t)n * 2);
	memset(more, 2, (size_t)n * 2);
	sum += at_entry(n);
	RAROG_END(moved);
	return some[n - 1] + more[n];
}

static inline __attribute__((always_inline)) long everywhere(long a)
{
	BEGIN(everywhere);
	a = tail_called(a);
	RAROG_END(everywhere);
	return a;
}

/* Ends with the next turn what the last one has left open. */
NOINLINE static void continues(int n)
{
	for (int i = 0; i < n; i++) {
		BEGIN(turns);
		if (i % 2)
			continue;
		sum += tail_called(i);
		RAROG_END(turns);
	}
}

NOINLINE static void *works(void *n)
{
	for (long i = 0; i < (long)n; i++) {
		BEGIN(works);
		sum += tail_called(i);
		POINT(worked);
		RAROG_END(works);
	}
	return NULL;
}

static void in_threads(void)
{
	pthread_t threads[8];

	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, works, (void *)1000L);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
}

static void in_processes(void)
{
	pid_t child;
	int status = 0;

	BEGIN(forks);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		works((void *)100L);
		RAROG_END(forks); /* of its parent's beginning */
		_exit(broken);
	}
	waitpid(child, &status, 0);
	RAROG_END(forks);
	expect(status == 0, "the child");
}

static void check(void)
{
	for (long i = 0; i < 1000; i++) {
		expect(red_zone(i, 5) == i + 12, "the red zone");
		expect(flags(i, 500) == (i < 500 ? 3 : 0) && flags(-1, i) == 1, "a flag");
		expect(vectors() == -1, "a vector register");
		sum += at_entry(i);
	}
	expect(targets(10) == 5 && targets(11) == 6, "a jump");
}

int main(void)
{
	long n = 3;

	counters = calloc(64, sizeof(*counters));
	check();
	sum += calls_tail(n) + returns_early(1) + returns_early(2) + recurses(6) + moves_stack(99);
	sum += everywhere(1) + everywhere(2) * everywhere(n);
	catches();
	continues(10);
	in_threads();
	in_processes();
	/* those in assembly cannot count; the child's are in its own memory */
	printf("at_entry 1002\nbefore_tail 1\nflags 2000\nred_zone 1000\nturn 10\nvectors 1000\n");
	for (size_t i = 0; counters[i].name; i++)
		printf("%s %ld\n", counters[i].name,
		       counters[i].n + (strncmp(counters[i].name, "work", 4) == 0 ? 100 : 0));
	return broken;
}
