/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Do the processor's breakpoint registers fire? On some virtual machines they can be written, and
 * nothing ever happens. RAROG_TEST_NO_BREAKPOINT_REGISTERS: as if this were such a machine.
 */
#ifndef RAROG_TESTS_BREAKPOINT_REGISTERS_H
#define RAROG_TESTS_BREAKPOINT_REGISTERS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEBUG_REGISTER(n) (offsetof(struct user, u_debugreg) + (n) * sizeof(long))

__attribute__((noinline)) static void pass_breakpoint(void)
{
	__asm__ volatile("" ::: "memory");
}

static inline bool breakpoint_registers_fire(void)
{
	bool fire = false;
	int status;
	pid_t pid;

	if (getenv("RAROG_TEST_NO_BREAKPOINT_REGISTERS"))
		return false;
	pid = fork();
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		pass_breakpoint();
		_exit(0);
	}
	if (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) &&
	    ptrace(PTRACE_POKEUSER, pid, DEBUG_REGISTER(0), (uintptr_t)pass_breakpoint) == 0 &&
	    ptrace(PTRACE_POKEUSER, pid, DEBUG_REGISTER(7), 1) == 0 &&
	    ptrace(PTRACE_CONT, pid, NULL, NULL) == 0 && waitpid(pid, &status, 0) == pid)
		fire = WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
	kill(pid, SIGKILL);
	if (!WIFEXITED(status))
		waitpid(pid, NULL, 0);
	return fire;
}

#endif
