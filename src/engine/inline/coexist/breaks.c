/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A changed jump leads to a trap (island-place.c), so the program lives until we come; which may be
 * because a thread has met one (break-traps.c), or because of a look. Then the tracer stops all
 * threads, and all jumps of that file go: what is int3 where an instruction of the file begins
 * stays, everything else becomes what the file has.
 *
 * Hooks do not go like this: exceptions and backtrace() would find our return addresses. The tracer
 * puts back all of these first (tracer-traps.c).
 */
#include "engine/inline/coexist/breaks.h"

#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "engine/inline/code/dropped.h"
#include "engine/inline/code/jumps.h"
#include "engine/inline/code/known-areas.h"
#include "engine/inline/code/patch.h"
#include "engine/inline/code/semaphores.h"
#include "process/task.h"

void rarog_breaks_lose(struct rarog_image *image, struct rarog_installed *installed,
		       struct rarog_patch *patch, pid_t pid)
{
	patch->is_changed = true;
	if (patch->is_hook) {
		rarog_jumps_lose_hook(image, installed, patch, false);
		__atomic_store_n(&image->hook_out, true, __ATOMIC_SEQ_CST);
		return;
	}
	installed->is_lost = true;
	__atomic_store_n(&image->lost_in, pid, __ATOMIC_SEQ_CST);
}

/* --- looking --- */

struct looking {
	struct rarog_image *image;
	struct rarog_installed *installed;
	struct rarog_remote *remote;
	bool is_traced, knows_traced;
};

/* By us: we are told of its faults. */
static bool looks_at_traced(struct looking *l)
{
	if (!l->knows_traced)
		l->is_traced = rarog_process_status(l->remote->pid, "TracerPid:") == getpid();
	l->knows_traced = true;
	return l->is_traced;
}

/* The kernel has made a call of a breakpoint at a nop, and of our jump there. */
static bool is_new_call(const struct rarog_patch *patch, const uint8_t now[])
{
	return rarog_patch_is_call(patch, now) && !patch->is_out && !patch->is_changed;
}

static void look_at(void *context, struct rarog_patch *patch, uint8_t *now)
{
	struct looking *l = context;
	enum rarog_patch_state state = rarog_patch_state(patch, now);
	bool is_left = l->installed->is_lost && state == RAROG_PATCH_OURS && !patch->is_hook;
	bool is_call = !l->installed->is_lost && is_new_call(patch, now);

	if (is_call)
		rarog_semaphores_lower(l->remote, l->installed, patch);
	patch->is_changed |= is_call;
	if ((!is_call && !is_left && state != RAROG_PATCH_CHANGED) || !looks_at_traced(l))
		return;
	if (is_left)
		__atomic_store_n(&l->image->lost_in, l->remote->process, __ATOMIC_SEQ_CST);
	else
		rarog_breaks_lose(l->image, l->installed, patch, l->remote->process);
}

size_t rarog_breaks_look(struct rarog_image *image, pid_t pid)
{
	struct rarog_remote remote = { .memory = -1 };
	struct looking l = { .image = image, .remote = &remote };
	size_t n = 0;

	if (rarog_remote_open_memory(pid, &remote) < 0)
		return 0;
	rarog_known_lock();
	for (size_t i = 0; i < image->installed.n; i++) {
		l.installed = &image->installed.v[i];
		/* of a library that is not there any more nothing can be read */
		if (rarog_area_serves(&remote, image, l.installed) &&
		    rarog_patches_visit(&remote, l.installed, false, look_at, &l) == 0)
			n += l.installed->n_patches;
	}
	rarog_known_unlock();
	rarog_remote_close(&remote);
	return n;
}

/* Of which nothing is measured from here on. */
static void leave(struct rarog_remote *remote, const struct rarog_installed *installed)
{
	if (rarog_jumps_restore(remote, installed, true) < 0)
		rarog_debug(RAROG_LOG_INSTALL, "%s: %s", installed->module->path,
			    rarog_error_message());
	for (size_t i = 0; i < installed->n_patches; i++)
		if (installed->patches[i].is_changed && !installed->patches[i].is_hook)
			rarog_jumps_tell(installed, &installed->patches[i], RAROG_DROP_BREAK);
}

void rarog_breaks_leave(struct rarog_image *image, pid_t pid)
{
	struct rarog_remote remote = { .memory = -1 };

	if (rarog_remote_open_memory(pid, &remote) < 0)
		return;
	rarog_known_lock();
	for (size_t i = 0; i < image->installed.n; i++)
		if (image->installed.v[i].is_lost &&
		    rarog_area_serves(&remote, image, &image->installed.v[i]))
			leave(&remote, &image->installed.v[i]);
	rarog_known_unlock();
	rarog_remote_close(&remote);
}
