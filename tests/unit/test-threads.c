/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread that is made to leave a place in steps, while signals arrive. Oracle: the process lives.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/trace/inline/threads.h"

#define ROUNDS 20
#define LOOKS  12 /* after which it is stepping: what runs by itself is looked at ten times */

extern const char has_sent[]; /* the instruction after that by which it sends itself a signal */

__attribute__((noinline, noreturn)) static void send_itself(int signal)
{
	__asm__ volatile("1: mov %0, %%eax\n\t"
			 "syscall\n"
			 "has_sent: jmp 1b"
			 :
			 : "i"(SYS_kill), "D"((long)getpid()), "S"((long)signal)
			 : "rax", "rcx", "r11", "memory");
	__builtin_unreachable();
}

static pid_t start(int signal)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid > 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	send_itself(signal);
}

struct place {
	int looks;
	uint64_t last;
	bool is_left;
};

/* Until it has made the step by which the signal is sent. */
static bool is_inside(const void *context, uint64_t address)
{
	struct place *place = *(struct place *const *)context;

	place->is_left |=
		++place->looks > LOOKS && address != place->last && address == (uintptr_t)has_sent;
	place->last = address;
	return !place->is_left;
}

static void leave_once(pid_t pid)
{
	struct place place = { 0 }, *at = &place;
	struct rarog_threads threads;
	int r = rarog_threads_stop(pid, NULL, &threads);

	if (r == -EPERM) {
		print_message("ptrace is forbidden here\n");
		skip();
	}
	assert_int_equal(r, 0);
	assert_int_equal(rarog_threads_leave(&threads, is_inside, &at), 0);
	rarog_threads_let_go(&threads);
	rarog_threads_release(&threads);
}

/* SIGCONT stops whoever is traced, before the SIGTRAP of the step in which it came is told. */
static void no_step_outlasts_a_signal_that_came_with_it(void **state)
{
	pid_t pid = start(SIGCONT);
	int status;

	(void)state;
	for (int i = 0; i < ROUNDS; i++)
		leave_once(pid);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_step_outlasts_a_signal_that_came_with_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
