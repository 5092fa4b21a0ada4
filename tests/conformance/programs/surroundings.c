/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a program can see of its surroundings must be what it would see alone.
 * usage: surroundings show
 * ARGS…|signals|pending|tracer|close-fds|chdir|chroot|seccomp|limits|return-address|backtrace
 */
#include "expect.h"
#include "work.h"
#include <dirent.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern char **environ;

/* Prints the value of a field of /proc/self/status. */
static void show_status(const char *field)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, field, strlen(field)))
			printf("%s", line);
	if (f)
		fclose(f);
}

/* Is main() inside an executable mapping of this very program that is not writable? */
static void show_maps(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[1024], flags[8] = "";
	unsigned long low, high, here = (unsigned long)&show_maps;
	int found = 0, writable = 0;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx %7s", &low, &high, flags) != 3)
			continue;
		found += low <= here && here < high && !strncmp(flags, "r-xp", 4);
		writable += flags[1] == 'w' && flags[2] == 'x';
	}
	if (f)
		fclose(f);
	printf("maps: main %d, writable and executable %d\n", found, writable);
}

static void show_signals(void)
{
	sigset_t mask;

	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (int i = 1; i < 65; i++) {
		struct sigaction action = { 0 };

		sigaction(i, NULL, &action);
		if (sigismember(&mask, i) || action.sa_handler != SIG_DFL)
			printf("signal %d: blocked %d, default %d\n", i, sigismember(&mask, i),
			       action.sa_handler == SIG_DFL);
	}
}

static void show_fds(void)
{
	struct stat st;

	for (int fd = 0; fd < 1024; fd++)
		if (!fstat(fd, &st) && fd > 2)
			printf("open descriptor %d\n", fd);
	for (int fd = 0; fd < 3; fd++)
		printf("isatty(%d) %d\n", fd, isatty(fd));
}

TRACED int mode_show(int argc, char **argv)
{
	char cwd[4096];

	for (int i = 0; i < argc; i++)
		printf("argv[%d] '%s'\n", i, argv[i]);
	for (char **e = environ; *e; e++)
		printf("environment %s\n", *e);
	printf("cwd %s, argv[0] %s\n", getcwd(cwd, sizeof(cwd)), argv[0]);
	printf("umask %o, dumpable %d, no_new_privs %d\n", umask(0), prctl(PR_GET_DUMPABLE),
	       prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	show_status("Name:");
	show_status("Threads:");
	show_status("Seccomp:");
	show_maps();
	show_signals();
	show_fds();
	return 0;
}

TRACED int mode_signals(void)
{
	show_signals();
	return 0;
}

/* How often blocked signals come: six are waited for, and a moment for more than that. */
TRACED int mode_pending(void)
{
	static const struct timespec long_enough = { .tv_sec = 10 },
				     a_moment = { .tv_nsec = 50000000 };
	int real_time = 0, usr1 = 0, signal;
	sigset_t wanted;

	sigemptyset(&wanted);
	sigaddset(&wanted, SIGRTMIN + 1);
	sigaddset(&wanted, SIGUSR1);
	while ((signal = sigtimedwait(&wanted, NULL,
				      real_time + usr1 < 6 ? &long_enough : &a_moment)) > 0) {
		real_time += signal == SIGRTMIN + 1;
		usr1 += signal == SIGUSR1;
	}
	printf("pending: %d RTMIN+1, %d USR1\n", real_time, usr1);
	return 0;
}

TRACED int mode_tracer(void)
{
	show_status("TracerPid:");
	return 0;
}

TRACED int mode_close_fds(void)
{
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	syscall(SYS_close_range, 3, ~0u, 0);
	printf("%u\n", CALL(work, 100000));
	return 0;
}

TRACED int mode_chdir(void)
{
	if (chdir("/"))
		return 1;
	printf("%u\n", CALL(work, 1000));
	return 0;
}

TRACED int mode_chroot(void)
{
	char directory[] = "chroot-XXXXXX"; /* where it runs, which is cleared away */

	if (!mkdtemp(directory) || chroot(directory) || chdir("/"))
		return 77; /* needs root */
	printf("%u\n", CALL(work, 100000));
	rmdir("/");
	expect_print();
	_exit(0);
}

/* Only write, futex and exit are allowed from here on. */
TRACED int mode_seccomp(void)
{
#define ALLOW(number)                                                                              \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),                                         \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	static struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(SYS_write),
		ALLOW(SYS_futex),
		ALLOW(SYS_exit_group),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	printf("before\n"); /* stdio has its buffer now */
	fflush(stdout);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 77;
	printf("%u\n", CALL(work, 3000000));
	expect_print();
	_exit(0);
}

/* Small files, few descriptors, no locked memory: the agent must do without. */
TRACED int mode_limits(void)
{
	struct rlimit none = { 0, 0 }, few = { 8, 8 }, small = { 65536, 65536 };

	setrlimit(RLIMIT_FSIZE, &small);
	setrlimit(RLIMIT_NOFILE, &few);
	setrlimit(RLIMIT_MEMLOCK, &none);
	signal(SIGXFSZ, SIG_DFL);
	printf("%u\n", CALL(work, 100000));
	return 0;
}

TRACED void *own_caller(void)
{
	CALLED();
	return __builtin_return_address(0);
}

/* A function that looks at its own return address sees the true caller. */
TRACED int mode_return_address(void)
{
	Dl_info info;
	int found = dladdr(CALL(own_caller), &info);

	printf("caller in %s\n", found ? strrchr(info.dli_fname, '/') : "nowhere");
	return 0;
}

TRACED int frames(int depth)
{
	void *frame[64];
	int n;

	CALLED();
	if (depth) {
		n = CALL(frames, depth - 1);
		BARRIER();
		return n;
	}
	n = backtrace(frame, 64);
	for (int i = 0; i < n; i++) {
		Dl_info info;

		if (!dladdr(frame[i], &info))
			printf("frame %d is nowhere\n", i);
	}
	return n;
}

TRACED int mode_backtrace(void)
{
	printf("%d frames\n", CALL(frames, 10));
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} modes[] = {
		{ "signals", mode_signals },
		{ "pending", mode_pending },
		{ "tracer", mode_tracer },
		{ "close-fds", mode_close_fds },
		{ "chdir", mode_chdir },
		{ "chroot", mode_chroot },
		{ "seccomp", mode_seccomp },
		{ "limits", mode_limits },
		{ "return-address", mode_return_address },
		{ "backtrace", mode_backtrace },
	};
	const char *mode = argc > 1 ? argv[1] : "show";
	int r = -1;

	if (!strcmp(mode, "show"))
		r = mode_show(argc, argv);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(modes[i].name, mode))
			r = modes[i].run();
	expect_print();
	return r;
}
