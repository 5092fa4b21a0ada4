/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A jump is one instruction, so no thread is inside of one, and it may be taken out at any time. In
 * its place are several; it is put in when no thread stands between them.
 */
#include "engine/inline/code/turned.h"

#include "base/error.h"
#include "base/log.h"
#include "engine/inline/code/known-areas.h"
#include "engine/inline/code/patch.h"
#include "process/contexts.h"

/* What serves marks, too, stays; and a short jump, which leads to the long one. */
static bool may_turn(const struct rarog_patch *patch)
{
	return patch->n == RAROG_PATCH_SIZE && patch->n_marks == 0 && !patch->is_marks &&
	       !patch->is_hook && !patch->is_out;
}

static void want(struct rarog_image *image, const struct rarog_installed *installed, uint64_t place,
		 bool is_out)
{
	struct rarog_patch *patch =
		rarog_patches_find(installed->n_patches, installed->patches, place);

	if (!patch || patch->address != place || !may_turn(patch) || patch->is_turned == is_out)
		return;
	patch->is_turned = is_out;
	patch->turn = __atomic_add_fetch(&image->turns, 1, __ATOMIC_SEQ_CST);
}

void rarog_turned_want(struct rarog_image *image, const struct rarog_module *m, uint32_t number,
		       bool is_out)
{
	const struct rarog_probe *probe = &m->probes.v[number];

	if (rarog_module_is_short(m, probe))
		return;
	for (size_t i = 0; i < image->installed.n; i++) {
		const struct rarog_installed *installed = &image->installed.v[i];

		if (installed->module == m)
			want(image, installed, installed->bias + rarog_module_place(m, probe),
			     is_out);
	}
}

/* --- writing --- */

struct turning {
	struct rarog_image *image;
	struct rarog_remote *remote;
	const struct rarog_threads *threads;
	struct rarog_interrupted contexts; /* where handlers return to, inside of places */
	bool all_stand;
	uint64_t seen;
};

static bool is_inside(const struct rarog_patch *patch, uint64_t address)
{
	return address > patch->address && address < patch->address + patch->length;
}

/* Of a place where a jump shall be put in. */
static bool is_in_the_way(const void *context, uint64_t address)
{
	const struct turning *t = context;

	for (size_t i = 0; i < t->image->installed.n; i++) {
		const struct rarog_installed *installed = &t->image->installed.v[i];
		const struct rarog_patch *patch =
			rarog_patches_find(installed->n_patches, installed->patches, address);

		if (patch && patch->turn > t->seen && !patch->is_turned &&
		    is_inside(patch, address))
			return true;
	}
	return false;
}

static bool is_free(const struct turning *t, const struct rarog_patch *patch)
{
	for (size_t i = 0; i < t->threads->v.n; i++)
		if (is_inside(patch, t->threads->v.v[i].regs.rip))
			return false;
	for (size_t i = 0; i < t->contexts.v.n; i++)
		if (is_inside(patch, t->contexts.v.v[i]))
			return false;
	return t->all_stand;
}

/* Return: 0; -EAGAIN: not now; errors of writing. */
static int turn(const struct turning *t, const struct rarog_patch *patch)
{
	const uint8_t *bytes = patch->is_turned ? patch->original : patch->bytes;
	enum rarog_patch_state from = patch->is_turned ? RAROG_PATCH_OURS : RAROG_PATCH_AS_FILE;
	uint8_t now[RAROG_PATCH_SIZE];
	int r = rarog_remote_read(t->remote, patch->address, patch->n, now);

	if (r < 0 || rarog_patch_state(patch, now) != from)
		return r;
	if (!patch->is_turned && !is_free(t, patch))
		return -EAGAIN;
	return rarog_remote_write(t->remote, patch->address, patch->n, bytes);
}

static int turn_all(const struct turning *t, const struct rarog_installed *installed)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < installed->n_patches; i++) {
		struct rarog_patch *patch = &installed->patches[i];

		if (patch->turn <= t->seen)
			continue;
		r = turn(t, patch);
		if (r == -EAGAIN) {
			patch->turn = __atomic_add_fetch(&t->image->turns, 1, __ATOMIC_SEQ_CST);
			r = 0;
		}
	}
	return r;
}

static int write_all(struct turning *t)
{
	int r = rarog_contexts_find(t->remote, t->threads, is_in_the_way, t, &t->contexts);

	for (size_t i = 0; r == 0 && i < t->image->installed.n; i++) {
		const struct rarog_installed *installed = &t->image->installed.v[i];

		if (!installed->is_lost && rarog_area_serves(t->remote, t->image, installed))
			r = turn_all(t, installed);
	}
	return r;
}

uint64_t rarog_turned_write(struct rarog_image *image, const struct rarog_threads *threads,
			    bool all_stand, uint64_t seen)
{
	struct rarog_remote remote = { .memory = -1 };
	struct turning t = { .image = image,
			     .remote = &remote,
			     .threads = threads,
			     .all_stand = all_stand,
			     .seen = seen };
	uint64_t until;
	int r;

	rarog_known_lock();
	until = __atomic_load_n(&image->turns, __ATOMIC_SEQ_CST);
	r = rarog_remote_open_memory(threads->anyone, &remote);
	if (r == 0)
		r = write_all(&t);
	rarog_known_unlock();
	if (r < 0)
		rarog_debug(RAROG_LOG_INSTALL, "process %d: %s", (int)threads->pid,
			    rarog_error_message());
	rarog_vec_release(&t.contexts.v);
	rarog_remote_close(&remote);
	return until;
}
