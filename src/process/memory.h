/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory of a process that may run: process_vm_readv(2), which kernels may be built without and
 * containers forbid, or /proc/PID/mem. */
#ifndef RAROG_PROCESS_MEMORY_H
#define RAROG_PROCESS_MEMORY_H

#include <sys/types.h>
#include <sys/uio.h>

/** rarog_memory_readv() - as process_vm_readv(); @theirs[i] is as long as @ours[i]. */
ssize_t rarog_memory_readv(pid_t pid, const struct iovec *ours, size_t n,
			   const struct iovec *theirs);

/** rarog_memory_writev() - the same for process_vm_writev(). */
ssize_t rarog_memory_writev(pid_t pid, const struct iovec *ours, size_t n,
			    const struct iovec *theirs);

#endif
