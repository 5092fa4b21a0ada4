/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Libraries of an image: which of them are patched, as they come or where they are already. */
#include "engine/inline/code/image.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "engine/inline/code/area.h"
#include "engine/inline/code/module-marks.h"
#include "plan/obstacles.h"
#include "process/maps.h"
#include "process/namespaces.h"

int rarog_image_linker(struct rarog_modules *modules, pid_t pid, struct rarog_module **ret_module)
{
	uint64_t base = rarog_auxiliary(pid, AT_BASE);
	rarog_cleanup(rarog_freep) char *path = base ? rarog_maps_path_at(pid, base) : NULL;

	*ret_module = NULL;
	return path ? rarog_modules_get(modules, path, false, ret_module) : 0;
}

#define JMP_REL8  0xeb
#define JMP_REL32 0xe9

/* One of the places that are patched, and the jump that is put there. */
static uint64_t first_place(const struct rarog_module *m, uint8_t *ret_jump)
{
	const struct rarog_probe *first = m->hooks.n ? &m->hooks.v[0] : &m->probes.v[0];
	bool is_mark = m->hooks.n + m->probes.n == 0;
	bool is_short = !is_mark && rarog_module_is_short(m, first);

	*ret_jump = is_short ? JMP_REL8 : JMP_REL32;
	return is_mark ? m->marks.v.v[0].address - m->marks.v.v[0].site.before
		       : rarog_module_place(m, first);
}

/* A jump stands where the file has none. What differs otherwise may be a foreign breakpoint. */
static bool is_patched(struct rarog_remote *remote, const struct rarog_module *m, uint64_t bias)
{
	uint8_t jump, now;
	uint64_t place = first_place(m, &jump);
	const uint8_t *original = rarog_binary_bytes(m->binary, place, 1);

	return !original || rarog_remote_read(remote, bias + place, 1, &now) < 0 ||
	       (now == jump && *original != jump);
}

/* --- which libraries need hooks --- */

static bool is_libc(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return rarog_starts_with(name, "libc.so") || rarog_starts_with(name, "libc-");
}

static bool names_switch(const char *path)
{
	return rarog_file_names(path, "swapcontext") || rarog_file_names(path, "setcontext") ||
	       rarog_file_names(path, "jump_fcontext");
}

/* Programs and libraries built with -pg */
static bool names_mcount(const char *path)
{
	return rarog_file_names(path, "mcount") || rarog_file_names(path, "_mcount") ||
	       rarog_file_names(path, "__fentry__");
}

/* Must the library be read for its hooks? libc, which is large, only if a module uses them. */
static bool needs_hooks(bool uses_libc, const char *path)
{
	if (rarog_file_names(path, "_Unwind_RaiseException") ||
	    rarog_file_names(path, "_ULx86_64_init_local") || rarog_obstacles_hides_unwinder(path))
		return true;
	if (is_libc(path))
		return uses_libc;
	return names_switch(path) || rarog_file_names(path, "__cyg_profile_func_enter");
}

/* Does anything use what libc must be hooked for: switches of stacks, mcount()? */
static bool has_users(long n, const struct rarog_mapped mapped[])
{
	for (long i = 0; i < n; i++)
		if (!is_libc(mapped[i].path) &&
		    (names_switch(mapped[i].path) || names_mcount(mapped[i].path)))
			return true;
	return false;
}

static bool may_forbid(long n, const struct rarog_mapped mapped[])
{
	for (long i = 0; i < n; i++)
		if (!is_libc(mapped[i].path) && rarog_file_names(mapped[i].path, "prctl"))
			return true;
	return false;
}

/* Is libc only read for prctl()'s hook, things go on without. */
static bool is_needed(const struct rarog_image *image, const char *path, bool probed)
{
	return probed || !is_libc(path) || image->uses_libc;
}

/* What is open now ends as ever; nothing that begins later has its return address exchanged. */
static void record_no_more(struct rarog_image *image, const char *reason)
{
	if (!__atomic_exchange_n(&image->control->off, 1, __ATOMIC_SEQ_CST))
		rarog_warn("no call is recorded from here on: %s", reason);
}

static int install_library(struct rarog_image *image, struct rarog_remote *remote,
			   const struct rarog_mapped *mapped)
{
	bool probed = rarog_modules_probes_library(image->modules, mapped->path);
	bool counts = image->modules->plan->detail == RAROG_DETAIL_COUNT;
	struct rarog_module *m = NULL;
	int r;

	if (!probed && !needs_hooks(image->uses_libc || image->may_forbid, mapped->path))
		return 0;
	r = probed ? rarog_modules_get_library(image->modules, mapped->path, &m)
		   : rarog_modules_get(image->modules, mapped->path, false, &m);
	if (r == 0 && rarog_module_size(m) > 0 && !is_patched(remote, m, mapped->bias))
		r = rarog_area_install(image, remote, m, mapped->bias);
	if (r < 0 && m && m->hooks.n > 0 && !counts && is_needed(image, mapped->path, probed))
		return rarog_fail_prefix(
			r, "%s, without whose hooks calls can only be counted (--detail=count)",
			mapped->path);
	if (r < 0 && !counts && rarog_obstacles_hides_unwinder(mapped->path))
		record_no_more(image, rarog_error_message());
	else if (r < 0)
		rarog_warn("%s is not traced: %s", mapped->path, rarog_error_message());
	return 0;
}

/* What is open now ends as ever; nothing that begins later has its return address exchanged. */
static void look_for_copies(struct rarog_image *image, long n, const struct rarog_mapped mapped[])
{
	if (image->control->off || image->modules->plan->detail == RAROG_DETAIL_COUNT)
		return;
	for (long i = 0; i < n; i++) {
		const char *reason = mapped[i].is_library && !is_libc(mapped[i].path)
					     ? rarog_obstacles_of_all(mapped[i].path)
					     : NULL;

		if (!reason)
			continue;
		__atomic_store_n(&image->control->off, 1, __ATOMIC_SEQ_CST);
		rarog_warn("%s %s: no call is recorded from here on; --detail=count can count them",
			   mapped[i].path, reason);
		return;
	}
}

int rarog_image_loaded(struct rarog_image *image, struct rarog_remote *remote)
{
	struct rarog_mapped *mapped;
	long n = rarog_maps_objects(remote->pid, &mapped);
	int r = n < 0 ? (int)n : 0;

	image->uses_libc = image->uses_libc || has_users(n, mapped);
	image->may_forbid = image->may_forbid || may_forbid(n, mapped);
	look_for_copies(image, n, mapped);
	for (long i = 0; r == 0 && i < n; i++) {
		if (!mapped[i].is_library)
			continue;
		r = rarog_software_add_library(&image->modules->software, mapped[i].path);
		if (r == 0)
			r = install_library(image, remote, &mapped[i]);
	}
	rarog_maps_free(n, mapped);
	return r;
}

/* --- before a program that runs is stopped --- */

struct windows {
	struct rarog_modules *modules;
	pid_t pid;
	RAROG_VEC(uint64_t) entries;
};

static int add_mark_windows(struct windows *w, const struct rarog_module *m, uint64_t bias)
{
	rarog_cleanup(rarog_blocks_release) struct rarog_blocks blocks = { 0 };
	int r = m->marks.v.n > 0 ? rarog_module_blocks(m, &blocks) : 0;

	for (size_t i = 0; r == 0 && i < blocks.n; i++)
		if (!blocks.v[i].probe)
			r = rarog_vec_push(&w->entries, bias + blocks.v[i].start);
	return r < 0 ? rarog_oom() : 0;
}

static int add_windows(struct windows *w, const struct rarog_module *m, uint64_t bias)
{
	int r = 0;

	if (!m)
		return 0;
	for (size_t i = 0; r == 0 && i < m->probes.n + m->hooks.n; i++) {
		const struct rarog_probe *probe =
			i < m->probes.n ? &m->probes.v[i] : &m->hooks.v[i - m->probes.n];

		r = rarog_vec_push(&w->entries, bias + rarog_module_place(m, probe));
	}
	return r < 0 ? rarog_oom() : add_mark_windows(w, m, bias);
}

/* What cannot be read now will not be patched either, with a warning then. */
static int add_library(struct windows *w, bool uses_libc, const struct rarog_mapped *mapped)
{
	bool probed = rarog_modules_probes_library(w->modules, mapped->path);
	struct rarog_module *m;

	if (!probed && !needs_hooks(uses_libc, mapped->path))
		return 0;
	if (probed ? rarog_modules_get_library(w->modules, mapped->path, &m) < 0
		   : rarog_modules_get(w->modules, mapped->path, false, &m) < 0)
		return 0;
	return add_windows(w, m, mapped->bias);
}

static int add_libraries(struct windows *w)
{
	struct rarog_mapped *mapped;
	long n = rarog_maps_objects(w->pid, &mapped);
	bool uses_libc = n > 0 && (has_users(n, mapped) || may_forbid(n, mapped));
	bool counts = w->modules->plan->detail == RAROG_DETAIL_COUNT;
	int r = n < 0 ? (int)n : 0;

	for (long i = 0; r == 0 && i < n; i++) {
		const char *reason;

		if (!mapped[i].is_library)
			continue;
		r = add_library(w, uses_libc, &mapped[i]);
		reason = counts || is_libc(mapped[i].path) ? NULL
							   : rarog_obstacles_of_all(mapped[i].path);
		if (r == 0 && reason)
			r = rarog_fail(-ENOTSUP, "%s %s; --detail=count can count calls",
				       mapped[i].path, reason);
	}
	rarog_maps_free(n, mapped);
	return r;
}

static int compare_addresses(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

long rarog_image_windows(struct rarog_modules *modules, pid_t pid, const char *program,
			 uint64_t **ret_entries)
{
	struct windows w = { .modules = modules, .pid = pid };
	struct rarog_module *m;
	int r = rarog_modules_get(modules, program, true, &m);

	if (r == 0)
		r = add_windows(&w, m,
				rarog_auxiliary(pid, AT_ENTRY) - rarog_binary_entry(m->binary));
	if (r == 0)
		r = rarog_image_linker(modules, pid, &m);
	if (r == 0)
		r = add_windows(&w, m, rarog_auxiliary(pid, AT_BASE));
	if (r == 0)
		r = add_libraries(&w);
	if (r < 0) {
		rarog_vec_release(&w.entries);
		return r;
	}
	if (w.entries.n > 0)
		qsort(w.entries.v, w.entries.n, sizeof(*w.entries.v), compare_addresses);
	*ret_entries = w.entries.v;
	return (long)w.entries.n;
}
