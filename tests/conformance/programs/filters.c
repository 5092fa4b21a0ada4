/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that forbid themselves system calls by seccomp while they run: all that they do not make
 * themselves, those of probes among them.
 * usage: filters thread|threads|all|first|child|grandchild|jump|signal [errno|trap|inside]…
 * errno, trap: what happens to such a call, else it kills; inside: a call is made before
 */
#include "expect.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MANY 400

static unsigned action = SECCOMP_RET_KILL_PROCESS;
static volatile int go, ready, ended;

TRACED unsigned work(unsigned x)
{
	CALLED();
	return x * 2654435761u + 1;
}

/* System calls that only probes would make in this program from here on. */
static int forbid(unsigned flags)
{
	static const int calls[] = { SYS_getpid, SYS_gettid, SYS_sigaltstack, SYS_mprotect,
				     SYS_membarrier };
	struct sock_filter filter[2 + 2 * 5] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
							  offsetof(struct seccomp_data, nr)) };
	struct sock_fprog program = { 0, filter };
	int n = 1;

	for (int i = 0; i < 5; i++) {
		filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							   (unsigned)calls[i], 0, 1);
		filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
	}
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = (unsigned short)n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) != 0)
		_exit(77);
	return 0;
}

static void until(volatile int *what, int n)
{
	while (*what < n)
		usleep(1000);
}

/* Its stack is ours: making one takes mprotect(). */
static pthread_t begin(void *(*function)(void *), unsigned long i)
{
	static char stacks[MANY + 1][32768] __attribute__((aligned(4096)));
	pthread_attr_t attributes;
	pthread_t id;

	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stacks[i], sizeof(stacks[i]));
	if (pthread_create(&id, &attributes, function, (void *)i))
		_exit(77);
	return id;
}

TRACED void *calls(void *argument)
{
	BEGINS();
	CALLED();
	CALL(work, (unsigned)(unsigned long)argument);
	return NULL;
}

/* --- a thread that begins under the filter --- */

static int mode_thread(void)
{
	forbid(0);
	pthread_join(begin(calls, 0), NULL);
	CALL(work, 1);
	return 0;
}

/* --- many threads, of which one sets it: for itself, or for all --- */

static unsigned setting;

TRACED void *waits(void *argument)
{
	unsigned long i = (unsigned long)argument;

	__atomic_fetch_add(&ready, 1, __ATOMIC_SEQ_CST);
	until(&go, 1);
	if (i == MANY / 2) {
		forbid(setting);
		go = 2;
	} else {
		until(&go, 2);
	}
	BEGINS();
	CALLED();
	CALL(calls, argument);
	__atomic_fetch_add(&ended, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static int many(void)
{
	pthread_t ids[MANY];

	for (unsigned long i = 0; i < MANY; i++)
		ids[i] = begin(waits, i);
	until(&ready, MANY);
	go = 1;
	for (unsigned long i = 0; i < MANY; i++)
		pthread_join(ids[i], NULL);
	return 0;
}

static int mode_threads(void)
{
	return many();
}

static int mode_all(void)
{
	setting = SECCOMP_FILTER_FLAG_TSYNC;
	return many();
}

/* --- the program's first call comes when it is set --- */

static int mode_first(void)
{
	forbid(0);
	CALL(work, 1);
	return 0;
}

/* --- children --- */

static int status_of(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

TRACED int in_child(int n)
{
	pid_t child;
	int status = 0;

	CALLED();
	CALL(work, 2);
	if (n == 0)
		return 0;
	child = fork();
	if (child == 0)
		_exit(CALL(in_child, n - 1));
	status = status_of(child);
	CALL(work, 3);
	return status;
}

static int mode_child(void)
{
	forbid(0);
	return CALL(in_child, 1);
}

static int mode_grandchild(void)
{
	pid_t child = fork();

	if (child == 0) {
		forbid(0);
		pthread_join(begin(calls, 0), NULL);
		_exit(CALL(in_child, 0));
	}
	CALL(work, 4);
	return status_of(child);
}

/* --- calls that are left without returning, also from a stack for signals --- */

static jmp_buf top;

TRACED void deep(int n)
{
	volatile char room[1000];

	CALLED();
	room[0] = 1;
	if (n == 0)
		longjmp(top, 1);
	DO(deep, n - room[0]);
}

TRACED void jumps(void)
{
	volatile int n = 0;

	CALLED();
	while (n < 100) {
		n++;
		if (setjmp(top) == 0)
			DO(deep, 10);
		CALL(work, 5);
	}
}

static int mode_jump(void)
{
	forbid(0);
	DO(jumps);
	return 0;
}

static pid_t here;

TRACED void handler(int signal)
{
	BEGINS();
	CALLED();
	DO(jumps);
}

static int mode_signal(void)
{
	static char stack[1 << 16];
	const stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

	if (sigaltstack(&alternate, NULL) || sigaction(SIGUSR1, &action, NULL))
		return 1;
	here = getpid();
	CALL(work, 6);
	forbid(0);
	for (int i = 0; i < 3; i++) {
		syscall(SYS_tgkill, here, here, SIGUSR1);
		DO(jumps);
	}
	return 0;
}

/* --- only read, write and exit are left, and the clock cannot be read --- */

TRACED unsigned many_calls(unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += work(i);
	return sum;
}

static int unclocked(unsigned long tsc)
{
	static char line[64];
	int n, status = tsc ? prctl(PR_SET_TSC, tsc) : prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);

	if (status < 0)
		return 77;
	n = snprintf(line, sizeof(line), "%u\n", many_calls(100000));
	if (write(1, line, (size_t)n) != n)
		n = 1;
	syscall(SYS_exit, n);
	return 1;
}

TRACED int mode_strict(void)
{
	return unclocked(0);
}

TRACED int mode_clock(void)
{
	return unclocked(PR_TSC_SIGSEGV);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*mode)(void);
	} modes[] = {
		{ "thread", mode_thread }, { "threads", mode_threads },
		{ "all", mode_all },       { "first", mode_first },
		{ "child", mode_child },   { "grandchild", mode_grandchild },
		{ "jump", mode_jump },     { "signal", mode_signal },
		{ "strict", mode_strict }, { "clock", mode_clock },
	};
	int status = 1;

	for (int i = 2; i < argc; i++) {
		if (strcmp(argv[i], "errno") == 0)
			action = SECCOMP_RET_ERRNO | EPERM;
		if (strcmp(argv[i], "trap") == 0)
			action = SECCOMP_RET_TRAP;
		if (strcmp(argv[i], "inside") == 0)
			CALL(work, 0);
	}
	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(argv[1], modes[i].name) == 0)
			status = modes[i].mode();
	expect_print();
	_exit(status);
}
