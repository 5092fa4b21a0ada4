/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/rewrite/linker.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "process/maps.h"

#define INT3 0xcc

#define LOOKS_MOST 100 /* a parent that waits in vfork() does not stop */

int rarog_rewrite_linker_watch(struct rarog_rewrite_image *image, struct rarog_remote *remote)
{
	static const uint8_t stop[] = { INT3 };
	uint64_t base = rarog_auxiliary(remote->pid, AT_BASE), address;
	rarog_cleanup(rarog_freep) char *path = base ? rarog_maps_path_at(remote->pid, base) : NULL;
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *linker = NULL;
	int r = path ? rarog_binary_open(path, &linker) : 0;

	if (r < 0 || !linker)
		return r;
	if (!rarog_binary_symbol(linker, "_dl_debug_state", &address))
		return rarog_fail(-ENOTSUP, "%s: does not say when libraries are loaded", path);
	r = rarog_remote_read(remote, base + address, sizeof(image->was), &image->was);
	if (r == 0)
		r = rarog_remote_write(remote, base + address, sizeof(stop), stop);
	if (r == 0)
		image->loaded = base + address;
	return r;
}

/* After the breakpoint is the middle of an instruction, or nothing. */
bool rarog_rewrite_linker_is_at(const struct rarog_rewrite_image *image, pid_t tid)
{
	struct user_regs_struct regs;

	return image && image->loaded && ptrace(PTRACE_GETREGS, tid, NULL, &regs) == 0 &&
	       regs.rip == image->loaded + 1;
}

static void take_out(const struct rarog_rewrite_image *image, pid_t tid)
{
	struct rarog_remote remote = { 0 };
	uint8_t there;

	if (rarog_remote_open_memory(tid, &remote) < 0) {
		rarog_error_clear();
		return;
	}
	if (rarog_remote_read(&remote, image->loaded, sizeof(there), &there) < 0 ||
	    (there == INT3 &&
	     rarog_remote_write(&remote, image->loaded, sizeof(image->was), &image->was) < 0))
		rarog_error_clear();
	rarog_remote_close(&remote);
}

static void step_back(pid_t tid)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &regs) < 0)
		return;
	regs.rip--;
	ptrace(PTRACE_SETREGS, tid, NULL, &regs);
}

/* Return: the signal that is on its way to it. */
static int signal_of(int status)
{
	return status >> 16 == 0 && WSTOPSIG(status) != (SIGTRAP | 0x80) ? WSTOPSIG(status) : 0;
}

bool rarog_rewrite_linker_leave(const struct rarog_rewrite_image *image, pid_t tid)
{
	int status, signal = 0;

	take_out(image, tid);
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	for (int i = 0; i < LOOKS_MOST; i++) {
		pid_t r = waitpid(tid, &status, WNOHANG | __WALL);

		if (r < 0 || (r == tid && !WIFSTOPPED(status)))
			return false;
		if (r == 0) {
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
			continue;
		}
		signal = signal_of(status);
		if (!rarog_rewrite_linker_is_at(image, tid))
			break;
		if (signal == SIGTRAP) {
			step_back(tid);
			signal = 0;
			break;
		}
		ptrace(PTRACE_CONT, tid, NULL, (void *)(intptr_t)signal); /* its trap comes next */
	}
	ptrace(PTRACE_DETACH, tid, NULL, (void *)(intptr_t)signal);
	return true;
}
