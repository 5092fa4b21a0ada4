/* SPDX-License-Identifier: GPL-3.0-or-later */
/* refuse WHAT… -- PROGRAM …: the kernel refuses WHAT to it, and all that it starts: new files
 * (create; kill-create: it ends a maker of one), System V shared memory (shm; kill-shm), records of
 * events (perf), notices of what happens to files (inotify), to trace (ptrace), to trace what runs
 * already (seize), programs in the kernel (bpf), files of memory (memfd), the base of %gs
 * (gs-base); or ends a caller of the system call of that number. */
#include <asm/prctl.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ERRNO       (SECCOMP_RET_ERRNO | EPERM)
#define ALLOW       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static int refuse(unsigned number, unsigned how)
{
	struct sock_filter filter[] = {
		LOAD(nr),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, how),
		ALLOW,
	};
	const struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int refuse_create(unsigned how)
{
	struct sock_filter filter[] = {
		LOAD(nr),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
		LOAD(args[2]),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_CREAT, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, how),
		ALLOW,
	};
	const struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* If that is its first argument. */
static int refuse_with(unsigned number, unsigned first)
{
	struct sock_filter filter[] = {
		LOAD(nr),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
		LOAD(args[0]),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, ERRNO),
		ALLOW,
	};
	const struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int n, char **words)
{
	int i = 1, r = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);

	for (; i < n && r == 0 && strcmp(words[i], "--") != 0; i++) {
		if (strcmp(words[i], "create") == 0)
			r = refuse_create(ERRNO);
		else if (strcmp(words[i], "kill-create") == 0)
			r = refuse_create(SECCOMP_RET_KILL_PROCESS);
		else if (*words[i] >= '0' && *words[i] <= '9')
			r = refuse((unsigned)atoi(words[i]), SECCOMP_RET_KILL_PROCESS);
		else if (strcmp(words[i], "shm") == 0)
			r = refuse(SYS_shmget, ERRNO) < 0 || refuse(SYS_shmat, ERRNO) < 0 ? -1 : 0;
		else if (strcmp(words[i], "kill-shm") == 0)
			r = refuse(SYS_shmat, SECCOMP_RET_KILL_PROCESS);
		else if (strcmp(words[i], "perf") == 0)
			r = refuse(SYS_perf_event_open, ERRNO);
		else if (strcmp(words[i], "inotify") == 0)
			r = refuse(SYS_inotify_init1, ERRNO);
		else if (strcmp(words[i], "ptrace") == 0)
			r = refuse(SYS_ptrace, ERRNO);
		else if (strcmp(words[i], "bpf") == 0)
			r = refuse(SYS_bpf, ERRNO);
		else if (strcmp(words[i], "memfd") == 0)
			r = refuse(SYS_memfd_create, ERRNO);
		else if (strcmp(words[i], "gs-base") == 0)
			r = refuse_with(SYS_arch_prctl, ARCH_SET_GS);
		else if (strcmp(words[i], "seize") == 0)
			r = refuse_with(SYS_ptrace, PTRACE_SEIZE);
		else
			r = -1;
	}
	if (r < 0 || i + 1 >= n) {
		fprintf(stderr, "usage: refuse create|kill-create|shm|kill-shm|perf|inotify|ptrace|seize|"
				"bpf|memfd|gs-base|NUMBER… -- PROGRAM …\n");
		return 125;
	}
	execvp(words[i + 1], words + i + 1);
	return 127;
}
