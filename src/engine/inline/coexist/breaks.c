/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A changed jump leads to a trap (stub-place.c), so the program lives until we come; which may be
 * because a thread has met one (break-traps.c), or because of a look. Then the tracer stops all
 * threads, and all jumps of that file go: what is int3 where an instruction of the file begins
 * stays, everything else becomes what the file has.
 *
 * Hooks do not go like this: exceptions and backtrace() would find our return addresses. The tracer
 * puts back all of these first (tracer-traps.c).
 */
#include "engine/inline/coexist/breaks.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "engine/inline/code/dropped.h"
#include "engine/inline/code/emit.h"
#include "engine/inline/code/known-areas.h"
#include "engine/inline/code/patch.h"
#include "engine/inline/coexist/breaks-found.h"
#include "engine/inline/coexist/semaphores.h"
#include "engine/inline/coexist/stub-place.h"
#include "process/task.h"

/* Of all patches, their semaphores, and of where areas are. Who writes patches is called back. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/* Who changes image->places holds both, so that who only asks whether an address is in one of them,
 * at each signal, does not wait for a look. */
static pthread_mutex_t places_lock = PTHREAD_MUTEX_INITIALIZER;

void rarog_breaks_lock(void)
{
	pthread_mutex_lock(&lock);
}

void rarog_breaks_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

/* --- what is known --- */

/* What a patch serves is not measured any more, or never was. A spare hook is worth a word only if
 * others go with it. */
static void tell(const struct rarog_installed *installed, const struct rarog_patch *patch,
		 enum rarog_drop why)
{
	struct rarog_module *m = installed->module;
	bool is_alone = why == RAROG_DROP_BREAK_BEFORE || m->probes.n == 0;

	if (!patch->is_marks && !(patch->is_spare && is_alone))
		rarog_dropped_function(m, patch->function, why, patch->is_hook);
	for (uint32_t i = 0; i < patch->n_marks; i++)
		rarog_dropped_mark(m, m->marks.v.v[patch->first_mark + i].name, why);
}

static void note(const struct rarog_installed *installed, struct rarog_patch *patch)
{
	patch->is_out = true;
	tell(installed, patch, RAROG_DROP_BREAK_BEFORE);
}

static void note_hook(struct rarog_image *image, const struct rarog_installed *installed,
		      struct rarog_patch *patch, bool was_there)
{
	bool is_known = patch->is_out;

	patch->is_out = true;
	tell(installed, patch, was_there ? RAROG_DROP_BREAK_BEFORE : RAROG_DROP_BREAK);
	if (!__atomic_exchange_n(&image->control->off, 1, __ATOMIC_SEQ_CST) || !is_known)
		rarog_warn("%s: %s has a breakpoint of somebody else's (perf probe, bpftrace, "
			   "--engine=ebpf?), and the program cannot be measured without it: no "
			   "call is recorded%s",
			   installed->module->path,
			   rarog_dropped_name(installed->module, patch->function),
			   was_there ? "" : " from here on");
}

void rarog_breaks_lose(struct rarog_image *image, struct rarog_installed *installed,
		       struct rarog_patch *patch, pid_t pid)
{
	patch->is_changed = true;
	if (patch->is_hook) {
		note_hook(image, installed, patch, false);
		__atomic_store_n(&image->hook_out, true, __ATOMIC_SEQ_CST);
		return;
	}
	installed->is_lost = true;
	__atomic_store_n(&image->lost_in, pid, __ATOMIC_SEQ_CST);
}

static bool is_recording(const struct rarog_image *image)
{
	for (uint32_t i = 1; i < RAROG_STRANDS; i++)
		if (rarog_image_strand(image, i)->state == RAROG_STRAND_ACTIVE)
			return true;
	return false;
}

/* Of a hook that is missing nothing may depend: where calls are open already it is put in the
 * breakpoint's place, which nobody meets there then. The kernel takes back only what is int3. */
void rarog_breaks_found(struct rarog_image *image, const struct rarog_installed *installed,
			struct rarog_patch *patch, uint8_t now[])
{
	rarog_breaks_lock();
	if (patch->is_hook) {
		note_hook(image, installed, patch, true);
		if (is_recording(image))
			memcpy(now, patch->bytes, patch->n);
	} else {
		note(installed, patch);
	}
	rarog_breaks_unlock();
}

int rarog_breaks_keep(struct rarog_image *image, const struct rarog_installed *now)
{
	int r;

	rarog_breaks_lock();
	r = rarog_vec_push(&image->installed, *now);
	rarog_breaks_unlock();
	return r;
}

int rarog_breaks_add_place(struct rarog_image *image, const struct rarog_area_place *place)
{
	int r;

	rarog_breaks_lock();
	pthread_mutex_lock(&places_lock);
	r = rarog_vec_push(&image->places, *place);
	pthread_mutex_unlock(&places_lock);
	rarog_breaks_unlock();
	return r;
}

void rarog_breaks_drop_place(struct rarog_image *image)
{
	rarog_breaks_lock();
	pthread_mutex_lock(&places_lock);
	image->places.n--;
	pthread_mutex_unlock(&places_lock);
	rarog_breaks_unlock();
}

void rarog_breaks_keep_places(struct rarog_image *image, const bool wanted[])
{
	size_t n = 0;

	pthread_mutex_lock(&places_lock);
	for (size_t i = 0; i < image->places.n; i++)
		if (wanted[i])
			image->places.v[n++] = image->places.v[i];
	image->places.n = n;
	pthread_mutex_unlock(&places_lock);
}

static enum rarog_code code_in(const struct rarog_area_place *place, uint64_t at)
{
	if (at >= place->size)
		return RAROG_CODE_PROGRAMS;
	if (at >= place->code_size)
		return RAROG_CODE_STEPS;
	return at < rarog_emit_agent_size() ? RAROG_CODE_AGENT : RAROG_CODE_STUBS;
}

enum rarog_code rarog_breaks_code_at(const struct rarog_image *image, uint64_t address,
				     uint64_t *ret_at)
{
	enum rarog_code found = RAROG_CODE_PROGRAMS;

	pthread_mutex_lock(&places_lock);
	for (size_t i = 0; found == RAROG_CODE_PROGRAMS && i < image->places.n; i++) {
		*ret_at = address - image->places.v[i].address;
		found = code_in(&image->places.v[i], *ret_at);
	}
	pthread_mutex_unlock(&places_lock);
	return found;
}

/* --- looking --- */

struct looking {
	struct rarog_image *image;
	struct rarog_installed *installed;
	struct rarog_remote *remote;
	bool is_traced, knows_traced;
};

/* By us, who are told of its faults. */
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
	rarog_breaks_lock();
	for (size_t i = 0; i < image->installed.n; i++) {
		l.installed = &image->installed.v[i];
		/* of a library that is not there any more nothing can be read */
		if (rarog_area_serves(&remote, image, l.installed) &&
		    rarog_patches_visit(&remote, l.installed, false, look_at, &l) == 0)
			n += l.installed->n_patches;
	}
	rarog_breaks_unlock();
	rarog_remote_close(&remote);
	return n;
}

/* --- all of a module --- */

int rarog_breaks_write(struct rarog_image *image, struct rarog_remote *remote,
		       const struct rarog_installed *installed)
{
	rarog_cleanup(rarog_semaphores_release) struct rarog_semaphores semaphores = { 0 };
	int r;

	rarog_breaks_lock();
	r = rarog_semaphores_look(remote, installed, &semaphores);
	if (r == 0)
		r = rarog_patches_write(image, remote, installed);
	if (r == 0)
		r = rarog_semaphores_settle(remote, &semaphores);
	rarog_breaks_unlock();
	return r;
}

static int restore(struct rarog_remote *remote, const struct rarog_installed *installed,
		   bool but_hooks)
{
	rarog_cleanup(rarog_semaphores_release) struct rarog_semaphores semaphores = { 0 };
	int r;

	rarog_breaks_lock();
	r = rarog_semaphores_look(remote, installed, &semaphores);
	if (r == 0)
		r = rarog_patches_restore(remote, installed, but_hooks);
	if (r == 0)
		r = rarog_semaphores_settle(remote, &semaphores);
	rarog_breaks_unlock();
	return r;
}

int rarog_breaks_restore(struct rarog_remote *remote, const struct rarog_installed *installed)
{
	return restore(remote, installed, false);
}

/* Of which nothing is measured from here on. */
static void leave(struct rarog_remote *remote, const struct rarog_installed *installed)
{
	if (restore(remote, installed, true) < 0)
		rarog_debug(RAROG_LOG_INSTALL, "%s: %s", installed->module->path,
			    rarog_error_message());
	for (size_t i = 0; i < installed->n_patches; i++)
		if (installed->patches[i].is_changed && !installed->patches[i].is_hook)
			tell(installed, &installed->patches[i], RAROG_DROP_BREAK);
}

void rarog_breaks_leave(struct rarog_image *image, pid_t pid)
{
	struct rarog_remote remote = { .memory = -1 };

	if (rarog_remote_open_memory(pid, &remote) < 0)
		return;
	rarog_breaks_lock();
	for (size_t i = 0; i < image->installed.n; i++)
		if (image->installed.v[i].is_lost &&
		    rarog_area_serves(&remote, image, &image->installed.v[i]))
			leave(&remote, &image->installed.v[i]);
	rarog_breaks_unlock();
	rarog_remote_close(&remote);
}
