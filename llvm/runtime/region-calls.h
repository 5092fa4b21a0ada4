/* SPDX-License-Identifier: MIT */
/*
 * System calls of regions that are compiled in, without libc: a thread that is to be cancelled is
 * not cancelled here, and errno stays.
 */
#ifndef RAROG_RUNTIME_REGION_CALLS_H
#define RAROG_RUNTIME_REGION_CALLS_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline long rarog_region_call(long n, const long a[6])
{
	register long d __asm__("r10");
	register long e __asm__("r8");
	register long f __asm__("r9");
	long r;

	d = a[3];
	e = a[4];
	f = a[5];
	__asm__ volatile("syscall"
			 : "=a"(r)
			 : "a"(n), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(d), "r"(e), "r"(f)
			 : "rcx", "r11", "memory");
	return r;
}

#define CALL(n, ...) rarog_region_call(n, (const long[6]){ __VA_ARGS__ })

static inline int open_path(const char *path, int flags)
{
	return (int)CALL(SYS_openat, AT_FDCWD, (long)path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
}

static inline void close_fd(int fd)
{
	CALL(SYS_close, fd);
}

/* NULL: no room; @fd -1: memory of its own */
static inline void *map(int fd, uint64_t at, uint64_t size)
{
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
	long r = CALL(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE, flags, fd, (long)at);

	return r < 0 && r > -4096 ? NULL : (void *)r; /* NOLINT(performance-no-int-to-ptr) */
}

static inline void unmap(void *memory, uint64_t size)
{
	if (memory)
		CALL(SYS_munmap, (long)memory, (long)size);
}

/* Where the file system cannot reserve, or signals come too fast for it. */
static inline bool fill(int fd, uint64_t end)
{
	static const char zeros[4096];
	long at = CALL(SYS_lseek, fd, 0, SEEK_END), n = 1;

	while (at >= 0 && n > 0 && (uint64_t)at < end) {
		n = CALL(SYS_pwrite64, fd, (long)zeros, sizeof(zeros), at);
		at += n;
	}
	return at >= 0 && n > 0;
}

/* A limit on files would end the program by SIGXFSZ. */
static inline bool reserve(int fd, uint64_t at, uint64_t size)
{
	uint64_t limit[2] = { 0 };
	long r = -EINTR;

	if (CALL(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)limit) < 0 || at + size > limit[0])
		return false;
	for (int i = 0; i < 16 && r == -EINTR; i++)
		r = CALL(SYS_fallocate, fd, 0, (long)at, (long)size);
	if (r == -EINTR || r == -EOPNOTSUPP)
		return fill(fd, at + size);
	return r == 0;
}

#endif
