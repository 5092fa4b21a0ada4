/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a program that is not allowed certain system calls: they fail with EPERM, as in a sandbox.
 * usage: forbid ptrace|memfd_create|process_vm… COMMAND…
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	const char *name;
	int number;
} calls[] = {
	{ "ptrace", SYS_ptrace },
	{ "memfd_create", SYS_memfd_create },
	{ "futex", SYS_futex },
	{ "madvise", SYS_madvise },
	{ "perf_event_open", SYS_perf_event_open },
};

static int forbid(int number)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (strcmp(calls[i].name, argv[1]) != 0)
			continue;
		if (forbid(calls[i].number)) {
			perror("forbid");
			return 77;
		}
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		return 127;
	}
	return 2;
}
