/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread may forbid itself to read time-stamp counters (prctl(PR_SET_TSC); the strict mode of
 * seccomp does so, too), which probes do. We do it for them: returns of open calls come here one by
 * one, new calls pass by the clock as soon as recording is off and no strand has room.
 */
#include "engine/inline/ptrace/stopped-clock.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <x86intrin.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/str.h"
#include "process/maps.h"
#include "process/memory.h"

static bool is_ours(pid_t tid, uint64_t address)
{
	rarog_cleanup(rarog_freep) char *path = rarog_maps_path_at(tid, address);

	return path && rarog_starts_with(path, "/memfd:rarog");
}

static bool reads_clock(pid_t tid, uint64_t address)
{
	static const uint8_t rdtsc[] = { 0x0f, 0x31 };
	uint8_t code[sizeof(rdtsc)];
	const struct iovec ours = { code, sizeof(code) };
	const struct iovec theirs = { (void *)(uintptr_t)address, sizeof(code) };

	return rarog_memory_readv(tid, &ours, 1, &theirs) == sizeof(code) &&
	       memcmp(code, rdtsc, sizeof(rdtsc)) == 0;
}

/* As the agent does by itself where a library brings it to. */
void rarog_recording_off(struct rarog_image *image, pid_t pid)
{
	const uint64_t none = 0;
	const struct iovec ours = { (void *)(uintptr_t)&none, sizeof(none) };

	for (uint32_t i = 1; i < RAROG_STRANDS; i++) {
		uint64_t at = image->base + RAROG_GS_LIMIT + (uint64_t)i * RAROG_STRAND_STRIDE;
		const struct iovec theirs = { (void *)(uintptr_t)at, sizeof(none) };

		if (rarog_image_strand(image, i)->state == RAROG_STRAND_ACTIVE &&
		    rarog_memory_writev(pid, &ours, 1, &theirs) < 0)
			break;
	}
}

bool rarog_stopped_clock(struct rarog_image *image, pid_t pid, pid_t tid)
{
	struct user_regs_struct regs;
	uint64_t now = __rdtsc();

	if (ptrace(PTRACE_GETREGS, tid, NULL, &regs) < 0 || !reads_clock(tid, regs.rip) ||
	    !is_ours(tid, regs.rip))
		return false;
	regs.rax = (uint32_t)now;
	regs.rdx = now >> 32;
	regs.rip += 2;
	if (ptrace(PTRACE_SETREGS, tid, NULL, &regs) < 0)
		return false;
	if (!__atomic_exchange_n(&image->control->off, 1, __ATOMIC_SEQ_CST))
		rarog_warn("process %d forbids itself to read the clock (strict seccomp, "
			   "PR_SET_TSC): no call is recorded from here on",
			   (int)pid);
	rarog_recording_off(image, pid);
	return true;
}
