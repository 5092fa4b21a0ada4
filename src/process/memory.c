/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"

static ssize_t move(int fd, const struct iovec *ours, const struct iovec *theirs, bool is_write)
{
	off_t at = (off_t)(uintptr_t)theirs->iov_base;

	return is_write ? pwrite(fd, ours->iov_base, ours->iov_len, at)
			: pread(fd, ours->iov_base, ours->iov_len, at);
}

/* As much as there is, from the first on, as the system call does. */
static ssize_t by_file(pid_t pid, const struct iovec *ours, size_t n, const struct iovec *theirs,
		       bool is_write)
{
	char path[64];
	rarog_cleanup(rarog_closep) int fd = -1;
	ssize_t sum = 0, moved;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, (is_write ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
	for (size_t i = 0; fd >= 0 && i < n; i++) {
		moved = move(fd, &ours[i], &theirs[i], is_write);
		if (moved < 0)
			return sum > 0 ? sum : -1;
		sum += moved;
		if ((size_t)moved < ours[i].iov_len)
			return sum;
	}
	return fd < 0 ? -1 : sum;
}

static bool is_refused(ssize_t r)
{
	return r < 0 && (errno == ENOSYS || errno == EPERM);
}

ssize_t rarog_memory_readv(pid_t pid, const struct iovec *ours, size_t n,
			   const struct iovec *theirs)
{
	ssize_t r = process_vm_readv(pid, ours, n, theirs, n, 0);

	return is_refused(r) ? by_file(pid, ours, n, theirs, false) : r;
}

ssize_t rarog_memory_writev(pid_t pid, const struct iovec *ours, size_t n,
			    const struct iovec *theirs)
{
	ssize_t r = process_vm_writev(pid, ours, n, theirs, n, 0);

	return is_refused(r) ? by_file(pid, ours, n, theirs, true) : r;
}
