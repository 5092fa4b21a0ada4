/* SPDX-License-Identifier: MIT */
/*
 * The system calls that llvm/runtime makes in the program: a filter may kill for one of them that
 * the program itself never makes, so that is asked or tried first.
 */
#ifndef RAROG_BLOCKS_COUNTER_CALLS_H
#define RAROG_BLOCKS_COUNTER_CALLS_H

#include <sys/syscall.h>

/* At any time; … */
#define RAROG_COUNTER_CALLS                                                                        \
	SYS_openat, SYS_close, SYS_prlimit64, SYS_fallocate, SYS_mmap, SYS_munmap, SYS_readlink,   \
		SYS_ftruncate, SYS_unlink, SYS_getpid, SYS_getppid, SYS_gettid, SYS_tgkill,        \
		SYS_arch_prctl, SYS_rt_sigprocmask, SYS_sigaltstack, SYS_rt_sigaction

/* … only where a program begins, or a library is opened. SYS_open is musl's. */
#define RAROG_COUNTER_FIRST_CALLS SYS_open, SYS_read, SYS_pwrite64, SYS_shmat, SYS_shmdt, SYS_prctl

#endif
