/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * older [-NUMBER]… PROGRAM …: as if the kernel were Linux 4.18, as far as its calls tell: what came
 * later has no number yet. To the program and all that it starts, by a filter of system calls.
 *
 * Compiled with -DALONE -shared -fPIC it is for LD_PRELOAD: the same for what one program calls by
 * libc, without a filter, which the engines notice.
 *
 * Numbers end at rseq (334); clone3, pidfd_open, close_range, openat2, … are behind. What came to
 * calls that there were has the answer of a kernel that does not know it. Calls with these numbers
 * are not known either: those that a kernel may be built without, or a container forbid.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LAST_NUMBER  334    /* rseq */
#define FIRST_OTHERS 512    /* those of x32 */
#define PTRACE_LAST  0x420d /* PTRACE_SECCOMP_GET_METADATA */
#define ADVICE_LAST  19     /* MADV_KEEPONFORK; … */
#define ADVICE_FIRST 100    /* … and MADV_HWPOISON */
#define PRCTL_LAST   53     /* PR_SET_SPECULATION_CTRL; … */
#define PRCTL_VMA    0x53564d41
#define MEMFD_FLAGS  7u

#ifdef ALONE
#include <dlfcn.h>
#include <string.h>
#include <sys/ptrace.h>

static int fail(int error)
{
	errno = error;
	return -1;
}

long syscall(long number, ...)
{
	static long (*next)(long, ...);
	long a[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++) a[i] = va_arg(args, long);
	va_end(args);
	if (number > LAST_NUMBER) return fail(ENOSYS);
	if (!next) *(void **)&next = dlsym(RTLD_NEXT, "syscall");
	return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

long ptrace(enum __ptrace_request request, ...)
{
	va_list args;
	long pid, a, b = 0, r;

	va_start(args, request);
	pid = va_arg(args, long);
	a = va_arg(args, long);
	b = va_arg(args, long);
	va_end(args);
	if ((int)request > PTRACE_LAST) return fail(EIO);
	if ((int)request < 1 || (int)request > 3) /* those that peek return by a pointer */
		return syscall(SYS_ptrace, (long)request, (long)(pid_t)pid, a, b);
	r = syscall(SYS_ptrace, (long)request, (long)(pid_t)pid, a, &b);
	if (r == 0) errno = 0;
	return r == 0 ? b : r;
}

int madvise(void *at, size_t size, int advice)
{
	if (advice > ADVICE_LAST && advice < ADVICE_FIRST) return fail(EINVAL);
	return (int)syscall(SYS_madvise, at, size, (long)advice, 0L, 0L, 0L);
}

int close_range(unsigned first, unsigned last, int flags)
{
	(void)first;
	(void)last;
	(void)flags;
	return fail(ENOSYS);
}
#else

#define LOAD(field)           BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(error)         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
#define ALLOW                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define JUMP(how, k, yes, no) BPF_JUMP(BPF_JMP | (how) | BPF_K, k, yes, no)

static int install(size_t n, struct sock_filter *filter)
{
	const struct sock_fprog program = { (unsigned short)n, filter };

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int refuse(void)
{
	struct sock_filter filter[] = {
		LOAD(nr),
		JUMP(BPF_JEQ, SYS_ptrace, 6, 0),
		JUMP(BPF_JEQ, SYS_madvise, 8, 0),
		JUMP(BPF_JEQ, SYS_prctl, 11, 0),
		JUMP(BPF_JEQ, SYS_memfd_create, 14, 0),
		JUMP(BPF_JGT, LAST_NUMBER, 0, 1),
		JUMP(BPF_JGE, FIRST_OTHERS, 0, 18),
		ALLOW,
		/* 8: ptrace */
		LOAD(args[0]),
		JUMP(BPF_JGT, PTRACE_LAST, 14, 0),
		ALLOW,
		/* 11: madvise */
		LOAD(args[2]),
		JUMP(BPF_JGT, ADVICE_LAST, 0, 9),
		JUMP(BPF_JGE, ADVICE_FIRST, 8, 9),
		ALLOW,
		/* 15: prctl */
		LOAD(args[0]),
		JUMP(BPF_JEQ, PRCTL_VMA, 6, 0),
		JUMP(BPF_JGT, PRCTL_LAST, 0, 4),
		JUMP(BPF_JGE, 0x1000, 3, 4), /* others' big numbers are older */
		/* 19: memfd_create */
		LOAD(args[1]),
		JUMP(BPF_JSET, ~MEMFD_FLAGS, 2, 0),
		ALLOW,
		/* 22 */
		ALLOW,
		ANSWER(EINVAL),
		ANSWER(EIO),
		ANSWER(ENOSYS),
	};

	return install(sizeof(filter) / sizeof(*filter), filter);
}

static int refuse_number(unsigned number)
{
	struct sock_filter filter[] = {
		LOAD(nr),
		JUMP(BPF_JEQ, number, 0, 1),
		ANSWER(ENOSYS),
		ALLOW,
	};

	return install(sizeof(filter) / sizeof(*filter), filter);
}

int main(int n, char **words)
{
	int i = 1, r = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);

	for (; r == 0 && i < n && *words[i] == '-'; i++) r = refuse_number((unsigned)atoi(words[i] + 1));
	if (i == n) {
		fprintf(stderr, "usage: older [-NUMBER]… PROGRAM …\n");
		return 125;
	}
	if (r < 0 || refuse() < 0) {
		perror("older");
		return 125;
	}
	execvp(words[i], words + i);
	perror(words[i]);
	return 127;
}
#endif
