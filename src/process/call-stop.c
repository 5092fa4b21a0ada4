/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel says it since Linux 5.3. Before, registers do: at the entry there is -ENOSYS in %rax
 * (arch/x86/entry: what a call returns that a tracer takes away). A call that the kernel does not
 * know looks at its end as at its beginning; the end of such a one is not waited for.
 */
#include "process/call-stop.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#include <stddef.h>

static bool ask_registers(pid_t tid, struct rarog_call_stop *ret_stop)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &regs) < 0 || (long)regs.orig_rax < 0)
		return false;
	ret_stop->result = (long)regs.rax;
	ret_stop->is_entry = ret_stop->result == -ENOSYS;
	return true;
}

bool rarog_call_stop(pid_t tid, struct rarog_call_stop *ret_stop)
{
	struct __ptrace_syscall_info info = { 0 };

	if (ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof(info), &info) <= 0)
		return errno == EIO && ask_registers(tid, ret_stop);
	ret_stop->is_entry = info.op == PTRACE_SYSCALL_INFO_ENTRY;
	ret_stop->result = info.op == PTRACE_SYSCALL_INFO_EXIT ? info.exit.rval : 0;
	return ret_stop->is_entry || info.op == PTRACE_SYSCALL_INFO_EXIT;
}
