/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code areas lie near the object that they serve, each in a memfd of its own: writable here while
 * it is made, executable there, never both. An area stays for as long as its image: a library that
 * is closed and loaded again at the same place finds it still there, and only the patches, which
 * went with the library's pages, are written again.
 */
#include "engine/inline/code/area.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/abi.h"
#include "base/error.h"
#include "base/log.h"
#include "engine/inline/code/area-draft.h"
#include "engine/inline/code/area-marks.h"
#include "engine/inline/code/dropped.h"
#include "engine/inline/code/gates.h"
#include "engine/inline/code/island-place.h"
#include "engine/inline/code/jump-islands.h"
#include "engine/inline/code/jumps.h"
#include "engine/inline/code/known-areas.h"
#include "engine/inline/code/patch.h"
#include "engine/inline/code/values.h"
#include "plan/place-rows.h"

#define JMP_REL32 0xe9

#define TRIES 8

static int area_init(struct rarog_area_draft *area, struct rarog_image *image,
		     struct rarog_remote *remote, struct rarog_module *m, uint64_t bias)
{
	struct rarog_area header = image->header;
	struct rarog_area_place place;
	uint64_t address;
	int r = -EEXIST;

	for (int i = 0; r == -EEXIST && i < TRIES; i++) {
		rarog_area_draft_release(area);
		*area = (struct rarog_area_draft){ .bias = bias };
		r = rarog_area_draft_map(area, remote, m, &address);
	}
	if (r == -EEXIST)
		r = rarog_fail(-ENOMEM, "process %d: cannot map code near its program",
			       (int)remote->pid);
	if (r < 0)
		return r;
	if (!__atomic_load_n(&image->control->filtered, __ATOMIC_SEQ_CST))
		rarog_remote_hide(remote, address, area->size); /* a filter may kill for it */
	header.serial = ++image->areas_made;
	if (image->areas_made == 1)
		image->born = address + rarog_emit_born();
	place = (struct rarog_area_place){ address, area->size, header.serial, area->code_size };
	if (rarog_known_add_place(image, &place) < 0)
		return rarog_oom();
	rarog_emit_start(&area->emitter, area->memory, address, area->code_size, &header);
	rarog_gates_emit(&area->emitter, m, image->modules->plan);
	return 0;
}

/* --- jumps and stubs --- */

static int add_marks(struct rarog_area_draft *area, const struct rarog_module *m,
		     const struct rarog_displaced *block, struct rarog_patch *patch)
{
	int r = 0;

	patch->first_mark = (uint32_t)block->first;
	patch->n_marks = (uint8_t)block->n;
	patch->semaphores = (uint32_t)area->semaphores.n;
	for (size_t i = 0; r == 0 && i < block->n; i++) {
		uint64_t semaphore = m->marks.v.v[block->first + i].semaphore;

		if (semaphore)
			r = rarog_vec_push(&area->semaphores, area->bias + semaphore);
	}
	patch->n_semaphores = (uint8_t)(area->semaphores.n - patch->semaphores);
	return r;
}

/* At an entry, to the five bytes before it. */
static int add_short_jump(struct rarog_area_draft *area, uint64_t entry, uint32_t function,
			  const uint8_t code[])
{
	const uint8_t distance = (uint8_t) - (RAROG_SHORT_PATCH_SIZE + RAROG_PATCH_SIZE);
	struct rarog_patch patch = {
		.address = entry,
		.place = entry - RAROG_PATCH_SIZE,
		.function = function,
		.n = RAROG_SHORT_PATCH_SIZE,
		.length = RAROG_SHORT_PATCH_SIZE,
		.starts = rarog_jump_window_starts(RAROG_SHORT_PATCH_SIZE, code, entry),
		.bytes = { 0xeb, distance },
		.original = { code[0], code[1] },
	};

	return rarog_vec_push(&area->patches, patch);
}

static void put_jump(uint8_t bytes[RAROG_PATCH_SIZE], uint64_t from, uint64_t to)
{
	uint32_t distance = (uint32_t)(to - from - RAROG_PATCH_SIZE);

	bytes[0] = JMP_REL32;
	memcpy(bytes + 1, &distance, sizeof(distance));
}

/* To the step. */
static struct rarog_patch make_patch(const struct rarog_area_draft *area,
				     const struct rarog_island *step, uint32_t function)
{
	struct rarog_patch patch = {
		.address = area->bias + step->window.address,
		.place = area->bias + step->place,
		.function = function,
		.n = RAROG_PATCH_SIZE,
		.length = RAROG_PATCH_SIZE,
		.starts = step->window.starts,
	};

	memcpy(patch.original, step->window.original, sizeof(patch.original));
	put_jump(patch.bytes, patch.address, patch.place);
	return patch;
}

/* Where we write what @step has. */
static uint8_t *memory_of(const struct rarog_area_draft *area, const struct rarog_island *step)
{
	return area->memory + area->code_size + (step->place - area->steps->places.base);
}

/* @i: number of the hook or probe among the module's steps */
static int emit_probe(struct rarog_area_draft *area, struct rarog_module *m, size_t i, uint32_t id)
{
	const struct rarog_probe *probe = rarog_islands_probe(m, i);
	const struct rarog_island *step = &area->steps->steps[i];
	uint64_t from = rarog_module_place(m, probe);
	const struct rarog_displaced *block = rarog_block_at(&area->blocks, from);
	size_t n = rarog_module_displaced(m, probe);
	const uint8_t *code = rarog_binary_bytes(m->binary, from, n);
	struct rarog_patch patch = make_patch(area, step, probe->function);
	uint64_t next = 0;
	int r = 0;

	if (!code || step->place == 0)
		return code ? -ENOSPC : -EFAULT;
	patch.is_hook = rarog_stub_is_needed(probe->kind);
	patch.is_spare = probe->kind >= RAROG_STUB_UNHOOK && !patch.is_hook;
	if (block) {
		n = m->marks.v.v[block->first].address - from;
		r = rarog_area_emit_marks(&area->emitter, m, area->bias, area->first_mark_id, block,
					  &next);
	}
	area->emitter.is_gated = m->has_gates && i >= m->hooks.n;
	area->emitter.gate = (uint32_t)(i - m->hooks.n);
	area->emitter.word = probe->gate;
	if (r == 0)
		r = rarog_emit_stub(&area->emitter, probe->kind, id, area->bias + from, n, code,
				    patch.place, memory_of(area, step));
	if (r == 0 && block)
		r = rarog_emit_continue(&area->emitter, next);
	if (r == 0 && block)
		r = add_marks(area, m, block, &patch);
	if (r == 0)
		rarog_values_emit(m, probe, &area->emitter);
	if (r == 0 && probe->is_told)
		r = rarog_emit_before(&area->emitter, RAROG_STUB_PRCTL, patch.place,
				      memory_of(area, step));
	if (r == 0)
		r = rarog_vec_push(&area->patches, patch);
	return r < 0 || !rarog_module_is_short(m, probe)
		       ? r
		       : add_short_jump(area, area->bias + from, probe->function, code);
}

/* --- modules in a process --- */

static int gather_rows(const struct rarog_module *m, struct rarog_place_rows *rows)
{
	const struct rarog_function *functions;
	int r = 0;

	rarog_binary_functions(m->binary, &functions);
	for (size_t i = 0; r == 0 && i < m->probes.n; i++) {
		const struct rarog_function *f = &functions[m->probes.v[i].function];

		r = rarog_place_rows_add(rows, f, rarog_place_set_function(&m->places, f->address));
	}
	if (r == 0)
		r = rarog_place_rows_add_marks(rows, &m->marks, m->counts_marks);
	for (size_t i = 0; r == 0 && i < m->left.n; i++)
		r = rarog_place_rows_add_left(rows, &functions[m->left.v[i].function],
					      rarog_module_reason(m->left.v[i].verdict));
	return r < 0 ? r : rarog_place_rows_add_rest(rows, &m->places, functions);
}

/* Names only; source lines cost a look into DWARF and are added after the run. */
static int add_locations(struct rarog_image *image, struct rarog_module *m, uint64_t bias)
{
	rarog_cleanup(rarog_place_rows_release) struct rarog_place_rows rows = { 0 };
	struct rarog_profile_binary binary = {
		.path = m->path,
		.build_id = rarog_binary_build_id(m->binary),
		.load_bias = bias,
	};
	int r = m->locations >= 0 ? 0 : gather_rows(m, &rows);

	if (r < 0 || m->locations >= 0 || (rows.locations.n == 0 && !rows.others))
		return r;
	m->locations = rarog_recorder_add_places(image->recorder, &binary, &rows);
	return m->locations < 0 ? (int)m->locations : rarog_values_announce(m, image->recorder);
}

/* The module's first function id in this image. */
static long module_ids(struct rarog_image *image, struct rarog_module *m)
{
	size_t n = rarog_module_n_locations(m);

	for (size_t i = 0; i < image->first_ids.n; i++)
		if (image->first_ids.v[i] == m)
			return image->first_id.v[i];
	if (image->ids->n + n > RAROG_ID_WIDE)
		return rarog_fail(-E2BIG, "%s: more than %d functions; choose some with --func",
				  m->path, RAROG_ID_WIDE);
	if (rarog_vec_push(&image->first_ids, m) < 0 ||
	    rarog_vec_push(&image->first_id, image->ids->n) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		image->ids->locations[image->ids->n + i] = (uint32_t)(m->locations + (long)i);
	__atomic_fetch_add(&image->ids->n, (uint32_t)n, __ATOMIC_RELEASE);
	return image->ids->n - (long)n;
}

/* Marks are in functions. */
static int emit_block(struct rarog_area_draft *area, const struct rarog_module *m,
		      const struct rarog_displaced *block, const struct rarog_island *step)
{
	long function = rarog_binary_find(m->binary, block->start);
	struct rarog_patch patch = make_patch(area, step, (uint32_t)(function < 0 ? 0 : function));
	uint64_t stub;
	int r = step->place == 0 ? -ENOSPC : 0;

	patch.is_marks = true;
	patch.length = (uint8_t)(block->end - block->start);
	if (r == 0)
		r = rarog_area_emit_block(&area->emitter, m, area->bias, area->first_mark_id, block,
					  &stub);
	if (r == 0)
		r = add_marks(area, m, block, &patch);
	if (r < 0)
		return r;
	put_jump(memory_of(area, step), patch.place, stub);
	return rarog_vec_push(&area->patches, patch);
}

/* A name is measured at all of its places or at none. */
static int fail_marks(const struct rarog_module *m, int r)
{
	return rarog_fail(r, "%s: cannot patch its marks; --no-usdt leaves them out", m->path);
}

static int emit_marks(struct rarog_area_draft *area, const struct rarog_module *m)
{
	const struct rarog_island *step = area->steps->steps + m->hooks.n + m->probes.n;
	int r = 0;

	for (size_t i = 0; r == 0 && i < area->blocks.n; i++)
		if (!area->blocks.v[i].probe)
			r = emit_block(area, m, &area->blocks.v[i], step++);
	return r < 0 ? fail_marks(m, r) : 0;
}

/* A function whose probe cannot be there is left out, unless marks depend on it. */
static int emit_function(struct rarog_area_draft *area, struct rarog_module *m, uint32_t i,
			 uint32_t first_id)
{
	const struct rarog_probe *probe = &m->probes.v[i];
	int r = emit_probe(area, m, m->hooks.n + i, first_id + i);

	if (r == 0 || r == -ENOMEM)
		return r < 0 ? rarog_oom() : 0;
	rarog_debug(RAROG_LOG_INSTALL, "%s: function %u: %s", m->path, probe->function,
		    strerror(-r));
	if (rarog_block_at(&area->blocks, rarog_module_place(m, probe)))
		return fail_marks(m, r);
	rarog_dropped_function(m, probe->function, RAROG_DROP_PLACE, false);
	return 0;
}

/* A filter is seen without the hook as well, only later. */
static int emit_hook(struct rarog_area_draft *area, struct rarog_module *m, size_t i)
{
	int r = emit_probe(area, m, i, 0);

	return r == -ENOMEM || rarog_stub_is_needed(m->hooks.v[i].kind) ? r : 0;
}

static int emit_module(struct rarog_area_draft *area, struct rarog_module *m, uint32_t first_id)
{
	int r = 0;

	area->first_mark_id = first_id + (uint32_t)m->probes.n;
	for (size_t i = 0; r == 0 && i < m->hooks.n; i++)
		r = emit_hook(area, m, i);
	if (r < 0)
		return rarog_fail(r, "%s: cannot hook the unwinder", m->path);
	for (uint32_t i = 0; r == 0 && i < m->probes.n; i++)
		r = emit_function(area, m, i, first_id);
	return r < 0 ? r : emit_marks(area, m);
}

/* --- modules that come back --- */

/* Children that open the same library one by one have areas of their own, at the same address as a
 * rule: then they are one to us, which all of them have. Return: is it so? */
static bool share_known(struct rarog_image *image, const struct rarog_installed *now,
			struct rarog_area_draft *area)
{
	struct rarog_area header = image->header;
	const struct rarog_installed *known = rarog_known_like(image, now);

	if (!known)
		return false;
	header.serial = known->serial;
	memcpy(area->memory, &header, sizeof(header));
	rarog_known_drop_place(image); /* that is known, too */
	return true;
}

/* What is written there from now on, the program reads. */
static int keep_gates(struct rarog_installed *installed, struct rarog_area_draft *area)
{
	const struct rarog_emitter *e = &area->emitter;
	size_t size = rarog_emit_gates_size(e->n_gates) - RAROG_EMIT_GATE_PAGE;
	uint8_t *gates = area->memory + e->gates, *end = area->memory + area->code_size;

	if (!installed->module->has_gates)
		return 0;
	if (rarog_known_add_gates(installed, gates, size) < 0)
		return rarog_oom();
	munmap(area->memory, e->gates);
	munmap(gates + size, (size_t)(end - gates) - size + area->steps_size);
	area->memory = NULL;
	return 0;
}

/* Patches are few bytes, so that coming back is only writing them again. */
static int keep(struct rarog_image *image, struct rarog_module *m, uint64_t bias,
		struct rarog_area_draft *area)
{
	const struct rarog_installed now = {
		.module = m,
		.bias = bias,
		.address = area->emitter.address,
		.serial = image->areas_made,
		.n_patches = area->patches.n,
		.patches = area->patches.v,
		.semaphores = area->semaphores.v,
	};
	int r;

	rarog_patches_sort(area->patches.n, area->patches.v);
	if (share_known(image, &now, area))
		return 0;
	r = rarog_known_add(image, &now);
	if (r < 0)
		return rarog_oom();
	area->patches.v = NULL; /* moved */
	area->patches.n = 0;
	area->semaphores.v = NULL;
	area->semaphores.n = 0;
	return 0;
}

/* A process that loads a library at ever new addresses: areas are never taken away from it, because
 * returns may still lead there. */
#define AREAS_MOST 256

static bool are_too_many(const struct rarog_image *image, struct rarog_remote *remote,
			 const struct rarog_module *m)
{
	size_t n = 0, theirs = 0;

	for (size_t i = 0; i < image->installed.n; i++)
		n += image->installed.v[i].module == m;
	for (size_t i = 0; n >= AREAS_MOST && i < image->installed.n; i++)
		theirs += image->installed.v[i].module == m &&
			  rarog_area_serves(remote, image, &image->installed.v[i]);
	return theirs >= AREAS_MOST;
}

static int install_new(struct rarog_image *image, struct rarog_remote *remote,
		       struct rarog_module *m, uint64_t bias)
{
	rarog_cleanup(rarog_area_draft_release) struct rarog_area_draft area = { 0 };
	struct rarog_installed *installed;
	long first_id = 0;
	int r = area_init(&area, image, remote, m, bias);

	if (r == 0)
		r = add_locations(image, m, bias);
	if (r == 0 && rarog_module_n_locations(m) > 0)
		first_id = module_ids(image, m);
	if (r < 0 || first_id < 0)
		return r < 0 ? r : (int)first_id;
	r = emit_module(&area, m, (uint32_t)first_id);
	if (r < 0)
		return r;
	rarog_debug(RAROG_LOG_INSTALL,
		    "%s: %zu patches, %zu bytes of code at %#llx, %zu of steps; breakpoints may "
		    "harm %zu",
		    m->path, area.patches.n, area.emitter.used,
		    (unsigned long long)area.emitter.address, area.steps->places.used,
		    area.steps->n_unsafe);
	r = keep(image, m, bias, &area);
	if (r < 0)
		return r;
	installed = rarog_known_find(image, remote, m, bias);
	if (!installed)
		return rarog_fail(-ESRCH, "process %d has ended", (int)remote->pid);
	r = keep_gates(installed, &area);
	return r < 0 ? r : rarog_jumps_write(image, remote, installed);
}

int rarog_area_install(struct rarog_image *image, struct rarog_remote *remote,
		       struct rarog_module *m, uint64_t bias)
{
	struct rarog_installed *installed = rarog_known_find(image, remote, m, bias);

	if (rarog_module_size(m) == 0)
		return 0;
	if (installed)
		return rarog_jumps_write(image, remote, installed);
	if (are_too_many(image, remote, m))
		return rarog_fail(-E2BIG, "it was loaded at %d different addresses", AREAS_MOST);
	return install_new(image, remote, m, bias);
}

int rarog_area_restore(struct rarog_image *image, struct rarog_remote *remote)
{
	int result = 0;

	for (size_t i = 0; i < image->installed.n; i++) {
		const struct rarog_installed *installed = &image->installed.v[i];
		int r = rarog_jumps_restore(remote, installed, false);

		/* of a library that is not there any more nothing can be read */
		if (r < 0)
			rarog_debug(RAROG_LOG_INSTALL, "%s: %s", installed->module->path,
				    rarog_error_message());
		if (r < 0 && r != -EFAULT)
			result = r;
	}
	return result;
}

int64_t rarog_area_unmap(struct rarog_image *image, struct rarog_remote *remote)
{
	int64_t result = 0;

	for (size_t i = 0; i < image->places.n; i++) {
		const struct rarog_area_place *place = &image->places.v[i];
		int64_t r = 0;

		if (rarog_area_is_there(remote, image, place))
			r = remote->call(
				remote, SYS_munmap,
				(int64_t[6]){ (int64_t)place->address, (int64_t)place->size });
		result = result < 0 ? result : r;
	}
	return result;
}

void rarog_areas_release(struct rarog_image *image)
{
	rarog_vec_release(&image->places);
	rarog_vec_release(&image->avoid);
	for (size_t i = 0; i < image->installed.n; i++)
		rarog_known_release(&image->installed.v[i]);
	rarog_vec_release(&image->installed);
}
