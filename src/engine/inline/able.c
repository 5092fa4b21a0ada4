/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is cheap is asked always, what costs a process only where there is a reason to doubt: a
 * filter may end the process that makes the call, so a child asks.
 */
#include "engine/inline/able.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "engine/inline/test-rig.h"

#define RAROG_RSEQ_CONFIGURATION 0x420f /* PTRACE_GET_RSEQ_CONFIGURATION; glibc 2.34 has it */

/* --- ptrace --- */

/* In the child: stop where a tracer would wait for it. */
static void be_traced(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		_exit(errno);
	raise(SIGSTOP);
	_exit(0);
}

/* @look at one that stands still, if there is something to look at. */
static int try_with(bool (*look)(pid_t pid))
{
	int status = 0;
	bool is_known;
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid == 0)
		be_traced();
	if (waitpid(pid, &status, WUNTRACED) != pid)
		return -errno;
	if (!WIFSTOPPED(status))
		return WIFEXITED(status) && WEXITSTATUS(status) ? -WEXITSTATUS(status) : -EPERM;
	is_known = !look || look(pid);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return is_known ? 0 : -EIO;
}

int rarog_tracing_try(void)
{
	return try_with(NULL);
}

/* A request that the kernel does not know is an EIO. */
static bool tells_sequences(pid_t pid)
{
	char place[64];

	return ptrace((enum __ptrace_request)RAROG_RSEQ_CONFIGURATION, pid, sizeof(place), place) >=
		       0 ||
	       errno != EIO;
}

bool rarog_tracing_tells_sequences(void)
{
	return try_with(tells_sequences) == 0;
}

static long setting(const char *path)
{
	rarog_cleanup(rarog_freep) char *text = NULL;

	return rarog_file_read(path, 64, &text, NULL) == 0 ? strtol(text, NULL, 10) : 0;
}

/* Is there a rule about it? No process has the number 0: the answer says so. */
static bool is_doubtful(void)
{
	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0)
		return true;
	errno = 0;
	return (ptrace(PTRACE_SEIZE, 0, NULL, NULL) < 0 && errno != ESRCH) ||
	       setting("/proc/sys/kernel/yama/ptrace_scope") >= 3 ||
	       setting("/sys/fs/selinux/booleans/deny_ptrace") > 0;
}

static int check_tracing(void)
{
	int r = is_doubtful() ? rarog_tracing_try() : 0;

	if (r == 0)
		return 0;
	return rarog_fail(r,
			  "ptrace is forbidden here (%s); in a container --cap-add=SYS_PTRACE, "
			  "else sysctl kernel.yama.ptrace_scope=1 allows it",
			  strerror(-r));
}

/* --- memory --- */

int rarog_executable_memory_try(void)
{
	rarog_cleanup(rarog_closep) int fd = memfd_create("rarog try", MFD_CLOEXEC);
	void *map;

	if (fd < 0 || ftruncate(fd, 4096) < 0)
		return -errno;
	map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	munmap(map, 4096);
	return 0;
}

static int check_memory(void)
{
	int r = rarog_executable_memory_try();

	if (r == 0)
		return 0;
	return rarog_fail(r,
			  "code made by rarog may not be executed here (memfd_create: %s); SELinux "
			  "or a filter of system calls must allow it",
			  strerror(-r));
}

/* What the stubs find their memory by. */
static int check_base(void)
{
	const struct rarog_test_rig_options options = { .chunks = 1, .stubs = 1 };
	struct rarog_test_rig test_rig;
	int r = rarog_test_rig_open(&options, &test_rig);

	if (r == 0)
		rarog_test_rig_close(&test_rig);
	return r;
}

int rarog_inline_able(void)
{
	int r = check_tracing();

	r = r < 0 ? r : check_memory();
	return r < 0 ? r : check_base();
}
