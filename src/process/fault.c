/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process/fault.h"

#include <signal.h>
#include <sys/ptrace.h>

#include "base/cleanup.h"

/* Of those that may be faults the cause is asked. */
bool rarog_signal_is_fault(pid_t tid, int signal)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };
	siginfo_t info;

	for (size_t i = 0; i < RAROG_COUNT(faults); i++)
		if (signal == faults[i])
			return ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) < 0 || info.si_code > 0;
	return false;
}
