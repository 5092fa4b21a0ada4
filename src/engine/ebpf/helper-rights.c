/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The helper is started by the user, so nothing that it inherits is believed:
 * not the environment, not the directory, not descriptors; of the socket only the maker that the
 * kernel tells. It then becomes that user but for two capabilities, so whatever else it
 * could be led to do, the caller could have done.
 */
#include "engine/ebpf/helper-rights.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/close-from.h"
#include "base/error.h"
#include "base/file.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#define CAP_BPF     39
#endif

#define WANTED ((1ull << CAP_PERFMON) | (1ull << CAP_BPF))

/* --- the helper itself --- */

static int set_capabilities(uint64_t set)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	for (int i = 0; i < 2; i++) {
		data[i].permitted = (uint32_t)(set >> 32 * i);
		data[i].effective = data[i].permitted;
	}
	return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}

static uint64_t permitted_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	if (syscall(SYS_capget, &header, data) < 0)
		return 0;
	return data[0].permitted | (uint64_t)data[1].permitted << 32;
}

/* By file capabilities, the user is the one that runs it; as root, sudo names it. */
static int find_caller(int socket, struct rarog_helper_caller *ret_caller)
{
	struct ucred maker;
	socklen_t size = sizeof(maker);

	if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &maker, &size) < 0)
		return -errno;
	if (getuid() != 0 && maker.uid != getuid())
		return -EPERM;
	*ret_caller = (struct rarog_helper_caller){ maker.uid, maker.gid };
	return 0;
}

static int become(const struct rarog_helper_caller *caller)
{
	if (geteuid() != 0)
		return 0;
	if (prctl(PR_SET_KEEPCAPS, 1) < 0 || setgroups(0, NULL) < 0 ||
	    setresgid(caller->gid, caller->gid, caller->gid) < 0 ||
	    setresuid(caller->uid, caller->uid, caller->uid) < 0)
		return -errno;
	return 0;
}

static int forget_surroundings(int socket)
{
	static const int ignored[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTSTP };
	sigset_t none;
	int nowhere;

	clearenv();
	umask(077);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (size_t i = 0; i < RAROG_COUNT(ignored); i++)
		signal(ignored[i], SIG_IGN);
	if (chdir("/") < 0 || (nowhere = open("/dev/null", O_RDWR)) < 0)
		return -errno;
	for (int fd = 0; fd < 3; fd++)
		if (fd != socket && dup2(nowhere, fd) < 0)
			return -errno;
	return rarog_close_from(3);
}

int rarog_helper_confine(int socket, struct rarog_helper_caller *ret_caller)
{
	struct rarog_helper_caller caller = { (uid_t)-1, (gid_t)-1 };
	int r = find_caller(socket, &caller);

	if (r == 0)
		r = forget_surroundings(socket);
	if (r == 0)
		r = become(&caller);
	if (r == 0)
		r = set_capabilities(permitted_capabilities() & WANTED);
	if (r == 0 && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_DUMPABLE, 0) < 0))
		r = -errno;
	if (r == 0)
		*ret_caller = caller;
	return r;
}

int rarog_helper_drop_all(void)
{
	return set_capabilities(0);
}

/* --- processes --- */

/* Four numbers after "\nUid:" and the like: real, effective, saved, of files. */
static bool are_all(const char *status, const char *key, unsigned long wanted)
{
	const char *at = strstr(status, key);
	char *end;

	if (!at)
		return false;
	at += strlen(key);
	for (int i = 0; i < 4; i++, at = end)
		if (strtoul(at, &end, 10) != wanted || end == at)
			return false;
	return true;
}

static bool has_capabilities(const char *status)
{
	const char *at = strstr(status, "\nCapPrm:");

	return !at || strtoull(at + strlen("\nCapPrm:"), NULL, 16) != 0;
}

/* The folder of a process that the kernel hides belongs to root. */
static bool is_visible(const struct rarog_helper_caller *caller, pid_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return stat(path, &st) == 0 && st.st_uid == caller->uid;
}

int rarog_helper_may_watch(const struct rarog_helper_caller *caller, pid_t pid)
{
	rarog_cleanup(rarog_freep) char *status = NULL;
	char path[64];

	if (pid <= 0)
		return rarog_fail(-EINVAL, "--engine=ebpf: %d is no process", (int)pid);
	if (caller->uid == 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (rarog_file_read(path, 1 << 16, &status, NULL) < 0)
		return rarog_fail(-ESRCH, "--engine=ebpf: there is no process %d", (int)pid);
	if (!are_all(status, "\nUid:", caller->uid) || !are_all(status, "\nGid:", caller->gid) ||
	    has_capabilities(status) || !is_visible(caller, pid))
		return rarog_fail(-EPERM,
				  "--engine=ebpf: process %d does not run with the rights of this "
				  "user; run rarog as root to measure it",
				  (int)pid);
	return 0;
}

/* --- files --- */

int rarog_helper_may_probe(const struct rarog_helper_caller *caller, int file, bool everywhere,
			   uint64_t *ret_size)
{
	int flags = fcntl(file, F_GETFL);
	struct stat st;

	if (flags < 0 || flags & O_PATH || (flags & O_ACCMODE) == O_WRONLY || fstat(file, &st) < 0)
		return rarog_fail(-EPERM, "--engine=ebpf: the file is not open for reading");
	if (!S_ISREG(st.st_mode))
		return rarog_fail(-EINVAL, "--engine=ebpf: only files can be probed");
	if (everywhere && caller->uid != 0 && st.st_uid != caller->uid)
		return rarog_fail(-EPERM,
				  "--engine=ebpf: the file belongs to somebody else, and would be "
				  "probed in everybody's processes; a copy of the file is "
				  "your own, and --no-follow probes one process only (not "
				  "with --every-process)");
	*ret_size = (uint64_t)st.st_size;
	return 0;
}
