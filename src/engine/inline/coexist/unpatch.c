/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Taking out while threads run: a jump's first byte becomes a trap, so that nobody comes in by the
 * entry; then, from the last to the second, the others become the file's, so that whoever goes on
 * from a breakpoint in the middle meets a trap until all behind it is right; then the first. Who
 * runs into one of these traps stops for the tracer, waits for the lock, and tries again. Between
 * the steps is time for processors to have run what they have read before. A process that nobody
 * traces has no such traps; there it is one write, or two around a breakpoint.
 */
#include "engine/inline/coexist/unpatch.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "engine/inline/code/patch.h"
#include "engine/inline/coexist/semaphores.h"
#include "engine/inline/coexist/stub-place.h"
#include "process/task.h"

#define STEP_NS 20000 /* until no processor runs what it read before a write */

static bool read_byte(const struct rarog_taking *t, uint64_t address, uint8_t *ret)
{
	return pread(t->remote->memory, ret, 1, (off_t)address) == 1;
}

static void write_byte(const struct rarog_taking *t, uint64_t address, uint8_t byte)
{
	if (pwrite(t->remote->memory, &byte, 1, (off_t)address) != 1)
		rarog_debug(RAROG_LOG_INSTALL, "process %d: %#llx cannot be written",
			    (int)t->remote->pid, (unsigned long long)address);
}

static void close_entry(const struct rarog_taking *t, const struct rarog_patch *patch)
{
	uint8_t now;

	if (read_byte(t, patch->address, &now) && now == patch->bytes[0])
		write_byte(t, patch->address, RAROG_TRAP);
}

static void restore_byte(const struct rarog_taking *t, const struct rarog_patch *patch, int i)
{
	uint64_t address = patch->address + (uint64_t)i;
	uint8_t now, without;

	if (!read_byte(t, address, &now))
		return;
	without = rarog_patch_without(patch, i, now);
	if (without != now)
		write_byte(t, address, without);
}

static void pause_step(void)
{
	const struct timespec moment = { .tv_nsec = STEP_NS };

	nanosleep(&moment, NULL);
}

/* The kernel may have made a call of a breakpoint at a nop since we read it, and our bytes may be
 * in that now: it leads anywhere. The breakpoint is lost then. */
static void mend_nop(const struct rarog_taking *t, const struct rarog_patch *patch)
{
	uint8_t now[RAROG_PATCH_SIZE];

	if (rarog_remote_read(t->remote, patch->address, sizeof(now), now) == 0 &&
	    now[0] != patch->original[0] && now[0] != RAROG_INT3 &&
	    memcmp(now + 1, patch->original + 1, sizeof(now) - 1) == 0)
		rarog_remote_write(t->remote, patch->address, sizeof(now), patch->original);
}

/* Of a nop of five bytes that begins as the file's: nobody runs the others, and the next breakpoint
 * might make a call of it. false: it is not such a one. */
static bool restore_nop(const struct rarog_taking *t, const struct rarog_patch *patch)
{
	uint8_t now;
	bool is_done = rarog_patch_is_on_nop(patch) && read_byte(t, patch->address, &now) &&
		       now == patch->original[0] &&
		       rarog_remote_write(t->remote, patch->address + 1, RAROG_PATCH_SIZE - 1,
					  patch->original + 1) == 0;

	if (is_done)
		mend_nop(t, patch);
	return is_done;
}

static void take_out_stepwise(const struct rarog_taking *t)
{
	for (size_t i = 0; i < t->patches.n; i++) {
		struct rarog_taken *one = &t->patches.v[i];

		one->is_done = restore_nop(t, one->patch);
		if (!one->is_done)
			close_entry(t, one->patch);
	}
	pause_step();
	for (size_t i = 0; i < t->patches.n; i++)
		for (int at = t->patches.v[i].patch->n - 1; !t->patches.v[i].is_done && at > 0;
		     at--)
			restore_byte(t, t->patches.v[i].patch, at);
	pause_step();
	for (size_t i = 0; i < t->patches.n; i++)
		if (t->patches.v[i].is_done)
			mend_nop(t, t->patches.v[i].patch);
		else
			restore_byte(t, t->patches.v[i].patch, 0);
}

static bool is_kept(const struct rarog_patch *patch, int i, uint8_t now)
{
	return now == RAROG_INT3 && rarog_patch_without(patch, i, now) == now;
}

/* A breakpoint is not written: if it was removed since we read it, it would be nobody's. So what is
 * behind it goes first. */
static void restore_around(const struct rarog_taking *t, const struct rarog_patch *patch,
			   const uint8_t now[])
{
	for (int end = patch->n, i; end > 0; end = i - 1) {
		for (i = end; i > 0 && !is_kept(patch, i - 1, now[i - 1]); i--)
			;
		if (i < end)
			rarog_remote_write(t->remote, patch->address + (uint64_t)i,
					   (size_t)(end - i), patch->original + i);
	}
}

static void take_out_at_once(const struct rarog_taking *t)
{
	for (size_t i = 0; i < t->patches.n; i++) {
		const struct rarog_patch *patch = t->patches.v[i].patch;
		uint8_t now[RAROG_PATCH_SIZE];

		if (rarog_remote_read(t->remote, patch->address, patch->n, now) == 0)
			restore_around(t, patch, now);
	}
}

bool rarog_is_traced_here(pid_t pid)
{
	return rarog_process_status(pid, "TracerPid:") == getpid();
}

void rarog_take_out(struct rarog_taking *t)
{
	if (t->patches.n == 0)
		return;
	if (rarog_is_traced_here(t->remote->pid))
		take_out_stepwise(t);
	else
		take_out_at_once(t);
	for (size_t i = 0; i < t->patches.n; i++)
		rarog_semaphores_lower(t->remote, t->patches.v[i].installed, t->patches.v[i].patch);
	rarog_vec_release(&t->patches);
}

static void add(struct rarog_taking *t, const struct rarog_installed *installed,
		struct rarog_patch *patch)
{
	for (size_t i = 0; i < t->patches.n; i++)
		if (t->patches.v[i].patch == patch)
			return;
	if (rarog_vec_push(&t->patches, (struct rarog_taken){ installed, patch, false }) < 0)
		rarog_debug(RAROG_LOG_INSTALL, "no memory");
}

void rarog_taking_add(struct rarog_taking *t, const struct rarog_installed *installed,
		      struct rarog_patch *patch)
{
	struct rarog_patch *next = patch + 1;
	bool has_next = next < installed->patches + installed->n_patches;

	if (has_next && patch->n == RAROG_PATCH_SIZE && next->n == RAROG_SHORT_PATCH_SIZE &&
	    next->address == patch->address + RAROG_PATCH_SIZE)
		add(t, installed, next);
	add(t, installed, patch);
}
