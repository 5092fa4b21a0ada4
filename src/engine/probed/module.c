/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counting leaves the program alone but for the time. To see a return, the kernel puts an address
 * of its own in the place of the return address: code that looks there sees it, and a stack that is
 * unwound or switched breaks. So with returns, programs that do such things are refused, and
 * functions that look there themselves are left out.
 */
#include "engine/probed/module.h"

#include <elf.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/error.h"
#include "base/log.h"
#include "base/lower-bound.h"
#include "binary/imports.h"
#include "binary/made-code.h"
#include "binary/mcount.h"
#include "engine/place-change.h"
#include "engine/probed/values.h"
#include "plan/function-match.h"
#include "plan/mark-values.h"
#include "plan/obstacles.h"
#include "plan/place-rows.h"
#include "process/namespaces.h"

/* Names in a file's string tables. The C library has some of these itself, so of a static program
 * they say nothing. */
static const struct {
	const char *name, *reason;
	bool is_in_libc;
	bool is_word; /* that may stand in a file for other reasons, as gawk's command does */
} breaks[] = {
	{ "__gxx_personality_v0", "may throw C++ exceptions" },
	{ "St9exception", "may throw C++ exceptions" }, /* its type, also when stripped */
	{ "rust_eh_personality", "may unwind its stack (Rust)" },
	{ "rust_panic", "may unwind its stack (Rust)" },
	{ "__objc_personality_v0", "may throw exceptions (Objective-C)" },
	{ "__gnat_personality_v0", "may raise exceptions (Ada)" },
	{ "sigaltstack", "has signal handlers on a stack of their own" },
	{ "makecontext", "switches stacks" },
	{ "swapcontext", "switches stacks" },
	{ "jump_fcontext", "switches stacks" },
	{ "ontop_fcontext", "switches stacks" },
	{ "__gcc_personality_v0", "cleans up when it is unwound (-fexceptions)" },
	{ "_Unwind_RaiseException", "may throw exceptions", .is_in_libc = true },
	{ "_Unwind_ForcedUnwind", "may unwind its stack", .is_in_libc = true },
	{ "_Unwind_Backtrace", "looks at its own stack", .is_in_libc = true },
	{ "backtrace", "looks at its own stack (backtrace)", .is_word = true },
	{ "unw_backtrace", "looks at its own stack (libunwind)" },
	{ "_ULx86_64_step", "looks at its own stack (libunwind)" },
	{ "__monstartup", "notes the callers of its functions (-pg)" },
};

static int fail_for_returns(const struct rarog_probed_module *m, const char *reason)
{
	return rarog_fail(-ENOTSUP,
			  "--engine=%s: %s %s, which return probes would break; "
			  "--detail=count counts its calls, --engine=inline measures them",
			  m->engine, m->name, reason);
}

/* A static program without names: by what its mcount() does. */
static bool has_mcount(const struct rarog_binary *binary)
{
	const struct rarog_function *functions;
	size_t n = rarog_binary_functions(binary, &functions);
	bool has = false;

	for (size_t i = 0; !has && i < n; i++)
		has = rarog_mcount_callee(binary, functions[i].address) != 0;
	return has;
}

/* Is it a function here, or one that the loader finds elsewhere? */
static bool has_function(const struct rarog_binary *binary, const char *name)
{
	rarog_cleanup(rarog_imports_release) struct rarog_imports imports = { 0 };
	bool has = rarog_binary_has_symbol(binary, name);

	if (!has && rarog_imports_read(binary, &imports) < 0)
		rarog_error_clear();
	for (size_t i = 0; !has && i < imports.list.n; i++)
		has = strcmp(imports.list.v[i].name, name) == 0;
	return has;
}

static bool has_breaker(const struct rarog_probed_module *m, size_t i)
{
	if (breaks[i].is_in_libc && !rarog_binary_interpreter(m->binary))
		return false;
	return rarog_file_names(m->path, breaks[i].name) &&
	       (!breaks[i].is_word || has_function(m->binary, breaks[i].name));
}

static int look_for_returns(const struct rarog_probed_module *m)
{
	for (size_t i = 0; i < RAROG_COUNT(breaks); i++)
		if (has_breaker(m, i))
			return fail_for_returns(m, breaks[i].reason);
	if (!rarog_binary_interpreter(m->binary) && rarog_binary_is_stripped(m->binary) &&
	    has_mcount(m->binary))
		return fail_for_returns(m, "notes the callers of its functions (-pg)");
	return 0;
}

/* It has the names of all that programs must not do, and does none of it by itself. */
static bool is_libc(const char *name)
{
	const char *slash = strrchr(name, '/');

	name = slash ? slash + 1 : name;
	return strncmp(name, "libc.so", 7) == 0 || strncmp(name, "libc-", 5) == 0;
}

/* What the programs do that a library is in is not looked at here. */
static int check_everywhere(const struct rarog_plan *plan, const struct rarog_probed_module *m)
{
	if (plan->detail == RAROG_DETAIL_COUNT || plan->no_functions)
		return 0;
	return rarog_fail(-ENOTSUP,
			  "--engine=%s: %s is a library, and return probes may break programs that "
			  "use it; --detail=count counts its calls",
			  m->engine, m->name);
}

/*
 * The kernel's breakpoints are in the pages of the code. What gives it other pages (large ones,
 * mostly) copies them, and the kernel does not know of these: they end the program. To do so it
 * must know where its code lies, and that pages are to be executed. (The C library in a static
 * program does both.)
 */
static int look_for_copies(const struct rarog_probed_module *m)
{
	bool is_static =
		!rarog_binary_interpreter(m->binary) && !rarog_binary_is_library(m->binary);

	if (is_static || !rarog_file_names(m->path, "/proc/self/maps") ||
	    !rarog_makes_code(m->binary))
		return 0;
	return rarog_fail(-ENOTSUP,
			  "--engine=%s: %s may copy its own code (it reads /proc/self/maps and "
			  "asks for memory to be executed), with the kernel's breakpoints in it; "
			  "--engine=inline measures it",
			  m->engine, m->name);
}

static int check(const struct rarog_plan *plan, const struct rarog_probed_module *m,
		 const struct rarog_probed_file *file)
{
	bool is_library =
		file->is_everywhere ? rarog_binary_is_library(m->binary) : file->is_library;
	int r = rarog_obstacles_of_file(plan, m->path, m->name);

	if (is_library && file->is_everywhere && r == 0)
		r = check_everywhere(plan, m);
	if (is_library && is_libc(m->name))
		return file->is_everywhere ? r : 0;
	if (r == 0)
		r = rarog_obstacles_in(plan, m->binary);
	if (r == 0)
		r = look_for_copies(m);
	if (r == 0 && plan->detail != RAROG_DETAIL_COUNT && !plan->no_functions)
		r = look_for_returns(m);
	return r;
}

/* --- probes --- */

/* Where @address is in the file. Functions are in segments that are. */
static uint64_t offset_of(const struct rarog_probed_module *m, uint64_t address)
{
	const struct rarog_segment *segments;
	size_t n = rarog_binary_segments(m->binary, &segments);

	for (size_t i = 0; i < n; i++)
		if (segments[i].flags & PF_X && address >= segments[i].vaddr &&
		    address - segments[i].vaddr < segments[i].file_size)
			return address - segments[i].vaddr + segments[i].file_offset;
	return 0;
}

static uint8_t verdict_of(const struct rarog_plan *plan, const struct rarog_function *f,
			  const struct rarog_probe_place *place)
{
	if (place->verdict != RAROG_SITE_OK || plan->detail == RAROG_DETAIL_COUNT)
		return place->verdict;
	if (rarog_function_is_special(f))
		return RAROG_SITE_SPECIAL;
	return place->may_return ? RAROG_SITE_OK : RAROG_SITE_RETURN;
}

static int leave_out(struct rarog_probed_module *m, uint32_t function, const char *reason)
{
	const struct rarog_function *functions;

	rarog_binary_functions(m->binary, &functions);
	rarog_debug(RAROG_LOG_SITE, "%s: %s left out: %s", m->name, functions[function].name,
		    reason);
	if (rarog_vec_push(&m->left, (struct rarog_probed_left){ function, reason }) < 0)
		return rarog_oom();
	return 0;
}

int rarog_probed_module_leave_out(struct rarog_probed_module *m, size_t i, const char *reason)
{
	return leave_out(m, m->probes[i].function, reason);
}

static int add_probe(struct rarog_probed_module *m, const struct rarog_probe_place *place,
		     uint64_t offset, const struct rarog_probed_probe *take_probe)
{
	const struct rarog_function *functions;

	rarog_binary_functions(m->binary, &functions);
	if (!place->is_quick)
		rarog_debug(RAROG_LOG_SITE, "%s: %s is single-stepped", m->name,
			    functions[take_probe->function].name);
	m->n_slow += !place->is_quick;
	m->n_captured += take_probe->values.all.n > 0;
	m->probes[m->n] = *take_probe;
	m->offsets[m->n++] = offset;
	return 0;
}

/* Further on, where a call that faults does not come by. What is captured is read at places that
 * are like the entry. Return: how many bytes of code such a fault may be in. */
static uint8_t go_further(const struct rarog_probed_module *m, const struct rarog_plan *plan,
			  const struct rarog_probed_probe *probe, struct rarog_probe_place *place)
{
	uint8_t further = plan->detail == RAROG_DETAIL_COUNT ? place->if_counted : place->if_told;

	if (!m->tells_faults || place->is_quick || probe->values.all.n > 0 || further == 0)
		return 0;
	place->offset = further;
	place->is_quick = true;
	return further;
}

/* false: the kernel does not execute the first instruction elsewhere */
static bool go_to_entry(struct rarog_probe_place *place)
{
	place->is_quick &= place->offset == 0;
	if (place->offset > 0 && !place->may_be_entry)
		return false;
	place->offset = 0;
	return true;
}

static int choose(struct rarog_probed_module *m, struct rarog_plan *plan, uint32_t index,
		  const struct rarog_function *f, const struct rarog_probe_place *judged)
{
	const struct rarog_plan_place *wanted = rarog_place_set_function(&m->places, f->address);
	struct rarog_probed_probe probe = { .function = index,
					    .may_be_entry = judged->may_be_entry };
	struct rarog_probe_place place = *judged;
	uint8_t verdict = verdict_of(plan, f, &place);
	uint64_t offset;
	int r;

	if (!wanted || !rarog_place_is_measured(wanted))
		return 0;
	probe.every = rarog_place_planned(plan, wanted);
	probe.stays = wanted->stays || wanted->has_values || wanted->is_root;
	m->n_wanted++;
	if (verdict == RAROG_SITE_OK && offset_of(m, f->address + place.offset) == 0)
		verdict = RAROG_SITE_NOT_ENTRY;
	if (verdict != RAROG_SITE_OK)
		return leave_out(m, index, rarog_site_reason(verdict));
	if (m->at_entries && !go_to_entry(&place))
		return leave_out(m, index, "cannot have a probe at its very entry");
	r = wanted->has_values ? rarog_probed_values_choose(m, plan, index, &place, &probe.values)
			       : 0;
	probe.stepped = go_further(m, plan, &probe, &place);
	probe.further = place.offset;
	offset = offset_of(m, f->address + place.offset);
	return r < 0 ? r : add_probe(m, &place, offset, &probe);
}

static int choose_all(struct rarog_probed_module *m, struct rarog_plan *plan)
{
	rarog_cleanup(rarog_freep) struct rarog_probe_place *places = NULL;
	const struct rarog_function *functions;
	size_t n = rarog_binary_functions(m->binary, &functions);
	int r = rarog_probe_places(m->binary, &places);

	if (r < 0)
		return r;
	m->probes = calloc(n + 1, sizeof(*m->probes));
	m->offsets = calloc(n + 1, sizeof(*m->offsets));
	if (!m->probes || !m->offsets)
		return rarog_oom();
	for (uint32_t i = 0; r == 0 && i < n; i++)
		r = choose(m, plan, i, &functions[i], &places[i]);
	return r;
}

/* They are in the order of functions. m->n: it has none. */
static size_t probe_of(const struct rarog_probed_module *m, size_t function)
{
	size_t from = rarog_lower_bound(i, m->n, m->probes[i].function < function);

	return from < m->n && m->probes[from].function == function ? from : m->n;
}

size_t rarog_probed_module_at(const struct rarog_probed_module *m, uint64_t address,
			      uint64_t *ret_distance)
{
	long function = rarog_binary_find(m->binary, address);
	const struct rarog_function *functions;

	if (function < 0)
		return m->n;
	rarog_binary_functions(m->binary, &functions);
	*ret_distance = address - functions[function].address;
	return probe_of(m, (size_t)function);
}

void rarog_probed_module_to_entry(struct rarog_probed_module *m, size_t i)
{
	struct rarog_probed_probe *probe = &m->probes[i];
	const struct rarog_function *functions;

	if (probe->further == 0)
		return;
	rarog_binary_functions(m->binary, &functions);
	rarog_debug(RAROG_LOG_SITE, "%s: %s is single-stepped", m->name,
		    functions[probe->function].name);
	m->n_slow++;
	m->offsets[i] -= probe->further;
	probe->further = probe->stepped = 0;
}

static uint64_t inode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? st.st_ino : 0;
}

/* There the kernel has the inode of the file below, which is another once it was copied up. */
static bool is_overlaid(const char *path)
{
	struct statfs fs;

	return statfs(path, &fs) == 0 && fs.f_type == OVERLAYFS_SUPER_MAGIC;
}

int rarog_probed_module_open(const char *engine, struct rarog_plan *plan,
			     const struct rarog_probed_file *file, uint32_t first,
			     struct rarog_probed_module *ret_module)
{
	struct rarog_probed_module m = {
		.engine = engine,
		.path = strdup(file->path),
		.name = strdup(file->name),
		.first = first,
		.inode = inode_of(file->path),
		.tells_faults = file->tells_faults && !is_overlaid(file->path),
		.at_entries = file->at_entries,
		.locations = -1,
	};
	int r = m.path && m.name ? rarog_binary_open_as(file->path, file->name, &m.binary)
				 : rarog_oom();

	if (r == 0)
		r = check(plan, &m, file);
	if (r == 0)
		r = rarog_marks_find(m.binary, m.name, plan, &m.marks);
	if (r == 0)
		r = rarog_place_set_resolve(plan, m.binary, m.name, &m.marks, &m.places);
	if (r == 0)
		rarog_place_set_restrict(&m.places, file->actions, engine);
	if (r == 0)
		r = choose_all(&m, plan);
	if (r < 0)
		rarog_probed_module_release(&m);
	else
		*ret_module = m;
	return r;
}

int rarog_probed_module_check(const char *engine, const struct rarog_plan *plan,
			      const struct rarog_probed_file *file)
{
	struct rarog_probed_module m = { .engine = engine,
					 .path = strdup(file->path),
					 .name = strdup(file->name) };
	int r = m.path && m.name ? rarog_binary_open_as(file->path, file->name, &m.binary)
				 : rarog_oom();

	if (r == 0)
		r = check(plan, &m, file);
	rarog_probed_module_release(&m);
	return r;
}

size_t rarog_probed_module_size(const struct rarog_probed_module *m)
{
	return m->n + m->marks.names.n;
}

void rarog_probed_module_release(struct rarog_probed_module *m)
{
	rarog_binary_free(m->binary);
	for (size_t i = 0; i < m->n; i++)
		rarog_wanted_values_release(&m->probes[i].values);
	free(m->probes);
	free(m->offsets);
	rarog_vec_release(&m->left);
	rarog_marks_release(&m->marks);
	rarog_place_set_release(&m->places);
	free(m->path);
	free(m->name);
	*m = (struct rarog_probed_module){ 0 };
}

/* --- the profile --- */

void rarog_probed_module_write_left(struct rarog_json *json, const struct rarog_probed_module *m)
{
	const struct rarog_function *functions;

	rarog_binary_functions(m->binary, &functions);
	for (size_t i = 0; i < m->left.n; i++) {
		rarog_json_object(json, NULL);
		rarog_json_string(json, "function", functions[m->left.v[i].function].name);
		rarog_json_string(json, "reason", m->left.v[i].reason);
		rarog_json_end_object(json);
	}
}

/* What is captured with their calls. */
static int tell_values(const struct rarog_probed_module *m, struct rarog_recorder *recorder)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < m->n; i++)
		if (m->probes[i].values.all.n > 0)
			r = rarog_recorder_add_values(recorder, (uint32_t)(m->locations + (long)i),
						      &m->probes[i].values);
	return r < 0 ? r
		     : rarog_recorder_add_mark_values(recorder, &m->marks,
						      (uint32_t)(m->locations + (long)m->n));
}

static int gather_rows(const struct rarog_probed_module *m, struct rarog_place_rows *rows)
{
	const struct rarog_function *functions;
	int r = 0;

	rarog_binary_functions(m->binary, &functions);
	for (size_t i = 0; r == 0 && i < m->n; i++) {
		const struct rarog_function *f = &functions[m->probes[i].function];

		r = rarog_place_rows_add(rows, f, rarog_place_set_function(&m->places, f->address));
	}
	if (r == 0)
		r = rarog_place_rows_add_marks(rows, &m->marks, m->counts_marks);
	for (size_t i = 0; r == 0 && i < m->left.n; i++)
		r = probe_of(m, m->left.v[i].function) < m->n
			    ? 0 /* it has a row */
			    : rarog_place_rows_add_left(rows, &functions[m->left.v[i].function],
							m->left.v[i].reason);
	return r < 0 ? r : rarog_place_rows_add_rest(rows, &m->places, functions);
}

int rarog_probed_module_announce(struct rarog_probed_module *m, struct rarog_recorder *recorder,
				 struct rarog_id_map *map)
{
	rarog_cleanup(rarog_place_rows_release) struct rarog_place_rows rows = { 0 };
	size_t n = rarog_probed_module_size(m);
	const struct rarog_profile_binary binary = { m->name, rarog_binary_build_id(m->binary), 0 };
	int r = gather_rows(m, &rows);

	if (r < 0)
		return r;
	m->locations = rarog_recorder_add_places(recorder, &binary, &rows);
	if (m->locations < 0)
		return (int)m->locations;
	for (uint32_t i = 0; i < n; i++)
		map->locations[m->first + i] = (uint32_t)m->locations + i;
	map->n = m->first + (uint32_t)n;
	return tell_values(m, recorder);
}

/* After the rows of probes, marks, and functions that have no probe. */
static uint32_t first_pruned(const struct rarog_probed_module *m)
{
	size_t n = m->n + m->marks.names.n;

	for (size_t i = 0; i < m->left.n; i++)
		n += probe_of(m, m->left.v[i].function) >= m->n;
	return (uint32_t)m->locations + (uint32_t)n;
}

static int add_sources(struct rarog_probed_module *m, struct rarog_recorder *recorder)
{
	const struct rarog_function *functions;
	int r = 0;

	rarog_binary_functions(m->binary, &functions);
	for (size_t i = 0; r == 0 && i < m->n; i++) {
		uint64_t address = functions[m->probes[i].function].address;
		struct rarog_source source;

		if (rarog_binary_source(m->binary, address, &source) == 0)
			r = rarog_recorder_set_source(recorder,
						      (uint32_t)m->locations + (uint32_t)i,
						      source.file, (uint32_t)source.line);
	}
	if (r == 0)
		r = rarog_recorder_set_mark_sources(recorder, &m->marks, m->binary,
						    (uint32_t)(m->locations + (long)m->n));
	return r < 0 ? r
		     : rarog_recorder_set_pruned_sources(recorder, &m->places, m->binary,
							 first_pruned(m));
}

static uint32_t location_of(const struct rarog_probed_module *m, size_t function)
{
	size_t i = probe_of(m, function);

	return i < m->n ? (uint32_t)m->locations + (uint32_t)i : RAROG_NONE;
}

int rarog_probed_module_inlined(struct rarog_probed_module *m, struct rarog_profile_writer *writer)
{
	const struct rarog_inlined *inlined;
	long n = rarog_binary_inlined(m->binary, &inlined);
	int r = 0;

	for (long i = 0; r == 0 && i < n; i++) {
		const struct rarog_inlined_into into = {
			.name = inlined[i].name,
			.host = location_of(m, inlined[i].host),
			.file = inlined[i].at.file,
			.line = (uint32_t)inlined[i].at.line,
		};

		if (into.host != RAROG_NONE)
			r = rarog_profile_add_inlined(writer, 1, &into);
	}
	return r;
}

int rarog_probed_module_describe(struct rarog_probed_module *m, struct rarog_recorder *recorder,
				 struct rarog_software *software)
{
	int r = add_sources(m, recorder);

	return r < 0 ? r : rarog_software_add_program(software, m->binary);
}
