/* SPDX-License-Identifier: MIT */
/*
 * System calls by their numbers: read(), open(), close() and unlink() may be a C program's own
 * functions, which do something else, and libc's end a thread that was cancelled.
 */
#ifndef RAROG_LLVM_RUNTIME_BY_NUMBER_H
#define RAROG_LLVM_RUNTIME_BY_NUMBER_H

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* glibc's: no thread was made by any of its functions; others do not have it. */
extern char __libc_single_threaded __attribute__((weak));

/* For reading, by the call that the loader makes: glibc's, or musl's. */
static inline int rarog_runtime_open(const char *path)
{
	int flags = O_RDONLY | O_CLOEXEC;

	return (int)(&__libc_single_threaded ? syscall(SYS_openat, AT_FDCWD, path, flags)
					     : syscall(SYS_open, path, flags));
}

static inline ssize_t rarog_runtime_read(int fd, void *bytes, size_t n)
{
	return syscall(SYS_read, fd, bytes, n);
}

static inline void rarog_runtime_close(int fd)
{
	syscall(SYS_close, fd);
}

static inline void rarog_runtime_unlink(const char *path)
{
	syscall(SYS_unlink, path);
}

#endif
