/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which changes of a jump's bytes do no harm until we come is stub-place.c's part; here they are
 * found. A jump of which anything was changed goes (take-out.c): what is int3 where an instruction
 * of the file begins stays, everything else becomes what the file has.
 *
 * A jump over a nop of five bytes stays as long as the breakpoint is there
 * (rarog_patch_is_passed()): the kernel may be about to write all five.
 *
 * Hooks do not go like this: exceptions and backtrace() would find our return addresses. The tracer
 * puts back all of these first (tracer-traps.c).
 */
#include "engine/inline/coexist/breaks.h"

#include <pthread.h>
#include <string.h>

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
#include "engine/inline/coexist/unpatch.h"

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

/* What a patch serves is not measured any more, or never was. */
static void tell(const struct rarog_installed *installed, const struct rarog_patch *patch,
		 enum rarog_drop why)
{
	struct rarog_module *m = installed->module;

	if (!patch->is_marks && !patch->is_spare)
		rarog_dropped_function(m, patch->function, why, patch->is_hook);
	for (uint32_t i = 0; i < patch->n_marks; i++)
		rarog_dropped_mark(m, m->marks.v.v[patch->first_mark + i].name, why);
}

void rarog_breaks_note(const struct rarog_installed *installed, struct rarog_patch *patch,
		       bool was_there)
{
	patch->is_out = true;
	tell(installed, patch, was_there ? RAROG_DROP_BREAK_BEFORE : RAROG_DROP_BREAK);
}

/* Memory has @now in @patch's place, by somebody else. */
void rarog_breaks_beware(struct rarog_module *m, const struct rarog_patch *patch,
			 const uint8_t now[])
{
	bool is_changed = rarog_patch_state(patch, now) == RAROG_PATCH_CHANGED;
	uint8_t at = RAROG_BREAKS_AT_ENTRIES;

	for (int i = 1; i < patch->n; i++)
		if (is_changed ? now[i] != patch->bytes[i]
			       : now[i] == RAROG_INT3 && patch->original[i] != RAROG_INT3)
			at = RAROG_BREAKS_BEHIND;
	if (at > m->breaks_at)
		m->breaks_at = at;
}

/* Where somebody sets breakpoints, a jump that does not stand all that may follow has to go before
 * there is one in it, which might be gone again when we come. */
static bool is_too_weak(const struct rarog_module *m, const struct rarog_patch *patch)
{
	static const uint8_t stands[] = {
		[RAROG_BREAKS_NOWHERE] = RAROG_PLACE_ANYWHERE,
		[RAROG_BREAKS_AT_ENTRIES] = RAROG_PLACE_ENTRY,
		[RAROG_BREAKS_BEHIND] = RAROG_PLACE_SAFE,
	};

	return !patch->is_hook && patch->quality > stands[m->breaks_at];
}

bool rarog_breaks_forbid(const struct rarog_installed *installed, const struct rarog_patch *patch)
{
	bool is_forbidden;

	rarog_breaks_lock();
	is_forbidden = is_too_weak(installed->module, patch);
	rarog_breaks_unlock();
	return is_forbidden;
}

void rarog_breaks_note_hook(struct rarog_image *image, const struct rarog_installed *installed,
			    struct rarog_patch *patch, bool was_there)
{
	bool is_known = patch->is_out;

	rarog_breaks_note(installed, patch, was_there);
	if (!__atomic_exchange_n(&image->control->off, 1, __ATOMIC_SEQ_CST) || !is_known)
		rarog_warn("%s: %s has a breakpoint of somebody else's (perf probe, bpftrace, "
			   "--engine=ebpf?), and the program cannot be measured without it: no "
			   "call is recorded%s",
			   installed->module->path,
			   rarog_dropped_name(installed->module, patch->function),
			   was_there ? "" : " from here on");
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
	rarog_breaks_beware(installed->module, patch, now);
	if (patch->is_hook) {
		rarog_breaks_note_hook(image, installed, patch, true);
		if (is_recording(image))
			memcpy(now, patch->bytes, patch->n);
	} else {
		rarog_breaks_note(installed, patch, true);
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
	const struct rarog_installed *installed;
	struct rarog_taking taking;
	bool is_traced, knows_traced;
};

static bool looks_at_traced(struct looking *l)
{
	if (!l->knows_traced) {
		l->is_traced = rarog_is_traced_here(l->taking.remote->pid);
		l->knows_traced = true;
	}
	return l->is_traced;
}

/* While it is as we wrote it: must it go nevertheless? Where nobody is traced taking it out is a
 * risk of its own. */
static bool is_unwanted(struct looking *l, const struct rarog_patch *patch, const uint8_t now[])
{
	return !rarog_patch_is_rest_as_file(l->installed, patch, now) ||
	       (is_too_weak(l->installed->module, patch) && looks_at_traced(l));
}

static void look_at(void *context, struct rarog_patch *patch, uint8_t *now)
{
	struct looking *l = context;
	enum rarog_patch_state state = rarog_patch_state(patch, now);

	if (state == RAROG_PATCH_BREAKPOINT || state == RAROG_PATCH_CHANGED)
		rarog_breaks_beware(l->installed->module, patch, now);
	if (state == RAROG_PATCH_BREAKPOINT && !patch->is_out) {
		rarog_breaks_note(l->installed, patch, false);
		/* else there was no jump yet: a library that is just being loaded */
		if (rarog_patch_is_call(patch, now))
			rarog_semaphores_lower(l->taking.remote, l->installed, patch);
	}
	if (rarog_patch_is_passed(patch, now) && !patch->is_hook) {
		tell(l->installed, patch, RAROG_DROP_BREAK);
		return;
	}
	if (state != RAROG_PATCH_CHANGED &&
	    (state != RAROG_PATCH_OURS || !is_unwanted(l, patch, now)))
		return;
	if (patch->is_hook)
		rarog_breaks_note_hook(l->image, l->installed, patch, false);
	else
		rarog_breaks_note(l->installed, patch, false);
	if (patch->is_hook && looks_at_traced(l))
		__atomic_store_n(&l->image->hook_out, true, __ATOMIC_SEQ_CST);
	else
		rarog_taking_add(&l->taking, l->installed, patch);
}

/* What is seen in one jump may be a reason for others to go. Return: patches looked at. */
static size_t look_into(struct looking *l)
{
	const struct rarog_module *m = l->installed->module;
	uint8_t before;

	do {
		before = m->breaks_at;
		/* of a library that is not there any more nothing can be read */
		if (rarog_patches_visit(l->taking.remote, l->installed, false, look_at, l) < 0)
			return 0;
	} while (m->breaks_at != before);
	return l->installed->n_patches;
}

size_t rarog_breaks_look(struct rarog_image *image, pid_t pid)
{
	struct rarog_remote remote = { .memory = -1 };
	struct looking l = { .image = image, .taking.remote = &remote };
	size_t n = 0;

	if (rarog_remote_open_memory(pid, &remote) < 0)
		return 0;
	rarog_breaks_lock();
	for (size_t i = 0; i < image->installed.n; i++) {
		l.installed = &image->installed.v[i];
		if (rarog_area_serves(&remote, image, l.installed))
			n += look_into(&l);
	}
	rarog_take_out(&l.taking);
	rarog_breaks_unlock();
	rarog_remote_close(&remote);
	return n;
}

/* --- all of a module --- */

/* @image: patches are written; NULL: restored. What a look takes out in between would have its
 * semaphores lowered twice. */
static int settle(struct rarog_image *image, struct rarog_remote *remote,
		  const struct rarog_installed *installed)
{
	rarog_cleanup(rarog_semaphores_release) struct rarog_semaphores semaphores = { 0 };
	int r;

	rarog_breaks_lock();
	r = rarog_semaphores_look(remote, installed, &semaphores);
	if (r == 0)
		r = image ? rarog_patches_write(image, remote, installed)
			  : rarog_patches_restore(remote, installed);
	if (r == 0)
		r = rarog_semaphores_settle(remote, &semaphores);
	rarog_breaks_unlock();
	return r;
}

int rarog_breaks_write(struct rarog_image *image, struct rarog_remote *remote,
		       const struct rarog_installed *installed)
{
	return settle(image, remote, installed);
}

int rarog_breaks_restore(struct rarog_remote *remote, const struct rarog_installed *installed)
{
	return settle(NULL, remote, installed);
}
