/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/inline/code/jumps.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "engine/inline/code/dropped.h"
#include "engine/inline/code/known-areas.h"
#include "engine/inline/code/patch.h"
#include "engine/inline/code/semaphores.h"

/* What a patch serves is not measured any more, or never was. A spare hook is worth a word only if
 * others go with it. */
void rarog_jumps_tell(const struct rarog_installed *installed, const struct rarog_patch *patch,
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
	rarog_jumps_tell(installed, patch, RAROG_DROP_BREAK_BEFORE);
}

void rarog_jumps_lose_hook(struct rarog_image *image, const struct rarog_installed *installed,
			   struct rarog_patch *patch, bool was_there)
{
	bool is_known = patch->is_out;

	patch->is_out = true;
	rarog_jumps_tell(installed, patch, was_there ? RAROG_DROP_BREAK_BEFORE : RAROG_DROP_BREAK);
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
 * breakpoint's place, which no thread meets there then. The kernel takes back only what is int3. */
static void found(struct rarog_image *image, const struct rarog_installed *installed,
		  struct rarog_patch *patch, uint8_t now[])
{
	rarog_known_lock();
	if (patch->is_hook) {
		rarog_jumps_lose_hook(image, installed, patch, true);
		if (is_recording(image))
			memcpy(now, patch->bytes, patch->n);
	} else {
		note(installed, patch);
	}
	rarog_known_unlock();
}

int rarog_jumps_write(struct rarog_image *image, struct rarog_remote *remote,
		      const struct rarog_installed *installed)
{
	rarog_cleanup(rarog_semaphores_release) struct rarog_semaphores semaphores = { 0 };
	int r;

	rarog_known_lock();
	r = rarog_semaphores_look(remote, installed, &semaphores);
	if (r == 0)
		r = rarog_patches_write(image, remote, installed, found);
	if (r == 0)
		r = rarog_semaphores_settle(remote, &semaphores);
	rarog_known_unlock();
	return r;
}

int rarog_jumps_restore(struct rarog_remote *remote, const struct rarog_installed *installed,
			bool but_hooks)
{
	rarog_cleanup(rarog_semaphores_release) struct rarog_semaphores semaphores = { 0 };
	int r;

	rarog_known_lock();
	r = rarog_semaphores_look(remote, installed, &semaphores);
	if (r == 0)
		r = rarog_patches_restore(remote, installed, but_hooks);
	if (r == 0)
		r = rarog_semaphores_settle(remote, &semaphores);
	rarog_known_unlock();
	return r;
}
