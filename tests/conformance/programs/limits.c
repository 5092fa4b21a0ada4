/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * More than Rarog can follow, and surroundings that it must not touch.
 * usage: limits threads N | sandbox PROGRAM… | go
 */
#include "expect.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Every program that Go's linker made has this section; here it makes one that only looks so. */
__attribute__((section(".go.buildinfo"), used)) static const char build_info[] = "none";

TRACED unsigned leaf(unsigned x)
{
	return x * 2654435761u + 1;
}

static pthread_barrier_t all_there;

static void *thread(void *argument)
{
	unsigned x = leaf((unsigned)(unsigned long)argument);

	pthread_barrier_wait(&all_there);
	return (void *)(unsigned long)leaf(x);
}

static int threads(unsigned long n)
{
	pthread_t *ids = calloc(n, sizeof(*ids));
	pthread_attr_t small;

	if (!ids)
		return 77;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 * 1024);
	pthread_barrier_init(&all_there, NULL, (unsigned)n);
	for (unsigned long i = 0; i < n; i++)
		if (pthread_create(&ids[i], &small, thread, (void *)i))
			return 77; /* not allowed here */
	for (unsigned long i = 0; i < n; i++)
		pthread_join(ids[i], NULL);
	printf("%lu threads\n", n);
	free(ids);
	return 0;
}

/* A process that makes a memfd below is killed. */
static int sandbox(char **argv)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 77;
	execv(argv[0], argv);
	return 9;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "threads"))
		return threads(strtoul(argv[2], NULL, 10));
	if (argc >= 3 && !strcmp(argv[1], "sandbox"))
		return sandbox(argv + 2);
	printf("%u\n", leaf(1));
	return 5;
}
