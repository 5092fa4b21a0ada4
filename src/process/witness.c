/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The witness sleeps on a futex with its signals blocked; when it is asked it fetches those that
 * are pending. It shares our memory, so that a large one need not be copied, and with it errno: it
 * makes its system calls by itself.
 */
#include "process/witness.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STACK      65536
#define OLD_FILES  1024     /* to close, where the kernel has no close_range() */
#define KERNEL_SET 8        /* bytes of its sigset_t */
#define MOMENT_NS  10000000 /* until kill(-1, …) has got around */
#define PATIENCE   10       /* seconds without an answer */

struct rarog_witness {
	pid_t pid, parent;
	uint64_t signals;
	uint64_t seen;            /* a bit for each, 1 << signal - 1 */
	uint32_t asked, answered; /* numbers of questions, futexes */
	_Alignas(16) unsigned char stack[STACK];
};

/* --- the process --- */

/* It ends wherever it is: what a sanitizer had noted of its stack would stay in our memory. */
#define UNCHECKED __attribute__((no_sanitize("address", "undefined"), noinline))

static UNCHECKED long call(long number, long a, long b, long c, long d)
{
	register long fourth __asm__("r10") = d;

	__asm__ volatile("syscall"
			 : "+a"(number)
			 : "D"(a), "S"(b), "d"(c), "r"(fourth)
			 : "rcx", "r11", "memory");
	return number;
}

static UNCHECKED void close_files(void)
{
	if (call(SYS_close_range, 0, -1, 0, 0) == 0)
		return;
	for (long fd = 0; fd < OLD_FILES; fd++)
		call(SYS_close, fd, 0, 0, 0);
}

/* What is ignored and not blocked does not wait, and costs nobody a place in a queue. */
static UNCHECKED void ignore_others(const uint64_t *signals)
{
	struct {
		void (*handler)(int);
		uint64_t flags, restorer, mask;
	} action = { .handler = SIG_IGN };

	for (long signal = 1; signal < _NSIG; signal++)
		if (!(*signals & 1ull << (signal - 1)))
			call(SYS_rt_sigaction, signal, (long)&action, 0, KERNEL_SET);
	call(SYS_rt_sigprocmask, SIG_SETMASK, (long)signals, 0, KERNEL_SET);
}

static UNCHECKED void fetch(struct rarog_witness *w)
{
	const struct timespec none = { 0 };
	long signal;

	while ((signal = call(SYS_rt_sigtimedwait, (long)&w->signals, 0, (long)&none, KERNEL_SET)) >
	       0)
		__atomic_fetch_or(&w->seen, 1ull << (signal - 1), __ATOMIC_SEQ_CST);
}

static UNCHECKED int witness(void *data)
{
	struct rarog_witness *w = data;

	call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0);
	call(SYS_prctl, PR_SET_NAME, (long)"rarog-witness", 0, 0);
	ignore_others(&w->signals);
	close_files();
	while (call(SYS_getppid, 0, 0, 0, 0) == w->parent) {
		uint32_t asked = __atomic_load_n(&w->asked, __ATOMIC_SEQ_CST);

		if (asked == w->answered) {
			call(SYS_futex, (long)&w->asked, FUTEX_WAIT_PRIVATE, asked, 0);
			continue;
		}
		fetch(w);
		__atomic_store_n(&w->answered, asked, __ATOMIC_SEQ_CST);
		call(SYS_futex, (long)&w->answered, FUTEX_WAKE_PRIVATE, 1, 0);
	}
	call(SYS_exit, 0, 0, 0, 0);
	return 0;
}

/* --- who asks it --- */

struct rarog_witness *rarog_witness_new(const sigset_t *signals)
{
	struct rarog_witness *w =
		mmap(NULL, sizeof(*w), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigset_t all, old;

	if (w == MAP_FAILED)
		return NULL;
	w->parent = getpid();
	for (int signal = 1; signal < SIGRTMIN; signal++)
		if (sigismember(signals, signal) == 1)
			w->signals |= 1ull << (signal - 1);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old); /* no handler of ours runs there */
	w->pid = clone(witness, w->stack + STACK, CLONE_VM, w);
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (w->pid < 0) {
		munmap(w, sizeof(*w));
		return NULL;
	}
	return w;
}

void rarog_witness_free(struct rarog_witness *witness)
{
	if (!witness)
		return;
	kill(witness->pid, SIGKILL);
	while (waitpid(witness->pid, NULL, __WALL) < 0 && errno == EINTR)
		;
	munmap(witness, sizeof(*witness));
}

static bool ask(struct rarog_witness *w)
{
	uint32_t question = __atomic_add_fetch(&w->asked, 1, __ATOMIC_SEQ_CST), answered;
	const struct timespec second = { .tv_sec = 1 };

	syscall(SYS_futex, &w->asked, FUTEX_WAKE_PRIVATE, 1, NULL);
	for (int i = 0; i < PATIENCE; i++) {
		while ((answered = __atomic_load_n(&w->answered, __ATOMIC_SEQ_CST)) != question)
			if (syscall(SYS_futex, &w->answered, FUTEX_WAIT_PRIVATE, answered,
				    &second) < 0 &&
			    errno == ETIMEDOUT)
				break;
		if (answered == question)
			return true;
		if (kill(w->pid, 0) < 0)
			return false;
	}
	return false;
}

bool rarog_witness_saw(struct rarog_witness *witness, int signal)
{
	const struct timespec moment = { .tv_nsec = MOMENT_NS };
	uint64_t bit = 1ull << (signal - 1);

	for (int i = 0; i < 2; i++) {
		if (i > 0)
			nanosleep(&moment, NULL);
		if (!ask(witness) ||
		    __atomic_fetch_and(&witness->seen, ~bit, __ATOMIC_SEQ_CST) & bit)
			return true;
	}
	return false;
}
