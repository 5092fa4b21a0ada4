/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/inline/code/module.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "agent/abi.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/str.h"
#include "binary/hooks.h"
#include "binary/kept-binaries.h"
#include "binary/mcount.h"
#include "binary/stack-switch.h"
#include "binary/unwinder.h"
#include "engine/inline/code/gates.h"
#include "engine/inline/code/jump-islands.h"
#include "engine/inline/code/module-marks.h"
#include "engine/inline/code/values.h"
#include "engine/place-change.h"
#include "plan/conflict.h"
#include "plan/function-match.h"
#include "plan/hook-rules.h"
#include "plan/obstacles.h"
#include "process/namespaces.h"

#define WALKER "_Unwind_Backtrace"

/*
 * Where the stack is walked, frames must show their true return addresses (doc/design/inline.md,
 * "Unwinding"); where the dynamic linker reports libraries, rarog must hear of it; where the stack
 * is switched, the agent goes with it; a function that is told a return address is told the true
 * one; rarog hears of a function that may forbid system calls.
 */
static const struct {
	const char *name;
	enum rarog_stub_kind kind;
} hooked[] = {
	{ "_Unwind_RaiseException", RAROG_STUB_UNHOOK },
	{ "_Unwind_Resume", RAROG_STUB_UNHOOK },
	{ "_Unwind_Resume_or_Rethrow", RAROG_STUB_UNHOOK },
	{ "_Unwind_ForcedUnwind", RAROG_STUB_UNHOOK },
	{ WALKER, RAROG_STUB_UNHOOK },
	{ "_ULx86_64_init_local", RAROG_STUB_UNHOOK }, /* libunwind: unw_init_local() … */
	{ "_ULx86_64_init_local2", RAROG_STUB_UNHOOK },
	{ "_ULx86_64_step", RAROG_STUB_UNHOOK },
	{ "unw_backtrace", RAROG_STUB_UNHOOK },
	{ "unw_backtrace2", RAROG_STUB_UNHOOK },
	{ "__unw_init_local", RAROG_STUB_UNHOOK }, /* … and LLVM's */
	{ "__unw_step", RAROG_STUB_UNHOOK },
	{ "_Unwind_SetIP", RAROG_STUB_SET_IP },
	{ "_dl_debug_state", RAROG_STUB_LOADED },
	{ "swapcontext", RAROG_STUB_SWAP_CONTEXT },
	{ "setcontext", RAROG_STUB_SET_CONTEXT },
	{ "jump_fcontext", RAROG_STUB_JUMP_STACK }, /* Boost.Context */
	{ "ontop_fcontext", RAROG_STUB_JUMP_STACK },
	{ "__cyg_profile_func_enter", RAROG_STUB_TELL_SECOND }, /* -finstrument-functions */
	{ "__cyg_profile_func_exit", RAROG_STUB_TELL_SECOND },
	{ "prctl", RAROG_STUB_PRCTL },
};

#define SETTER "setcontext"

static int find_hook(const struct rarog_function *f)
{
	for (size_t i = 0; i < RAROG_COUNT(hooked); i++)
		if (rarog_function_is_named(f, hooked[i].name))
			return (int)i;
	return -1;
}

static enum rarog_stub_kind kind_of(const struct rarog_plan *plan,
				    const struct rarog_plan_place *place)
{
	if (plan->detail == RAROG_DETAIL_COUNT)
		return RAROG_STUB_COUNT;
	if (plan->roots.include.n == 0)
		return RAROG_STUB_CALL;
	if (place->is_root)
		return RAROG_STUB_ROOT;
	return plan->within ? RAROG_STUB_WITHIN : RAROG_STUB_BELOW;
}

/* What --within and --not-below hang on must find room among too many functions, too. */
#define ROOTS 256

static bool has_room(const struct rarog_module *m, const struct rarog_plan *plan,
		     enum rarog_stub_kind kind)
{
	bool others_first = kind != RAROG_STUB_ROOT && (plan->within || plan->not_below);

	return m->probes.n + m->marks.names.n + (others_first ? ROOTS : 0) < RAROG_ID_WIDE;
}

const char *rarog_module_reason(enum rarog_site_verdict verdict)
{
	return verdict == RAROG_SITE_OK ? "is one too many for one program; choose with --func"
					: rarog_site_reason(verdict);
}

static int add_probe(struct rarog_module *m, const struct rarog_plan *plan, uint32_t index,
		     const struct rarog_plan_place *place)
{
	struct rarog_probe probe = {
		.function = index,
		.kind = kind_of(plan, place),
		.every = rarog_place_planned(plan, place),
		.has_values = place->has_values,
		.stays = place->stays || place->has_values || place->is_root,
	};

	rarog_gates_set(&probe, probe.every);
	return rarog_vec_push(&m->probes, probe);
}

static int choose_probe(struct rarog_module *m, const struct rarog_plan *plan, uint32_t index,
			const struct rarog_function *f)
{
	const struct rarog_plan_place *place = rarog_place_set_function(&m->places, f->address);
	uint8_t verdict = m->sites[index].verdict;
	enum rarog_stub_kind kind;

	if (!place || !rarog_place_is_measured(place))
		return 0;
	kind = kind_of(plan, place);
	m->n_wanted++;
	if (rarog_function_is_special(f))
		verdict = RAROG_SITE_SPECIAL;
	if (verdict == RAROG_SITE_OK && has_room(m, plan, kind))
		return add_probe(m, plan, index, place);
	m->left_out[verdict]++;
	rarog_debug(RAROG_LOG_SITE, "%s: %s left out: %s", m->path, f->name,
		    rarog_module_reason(verdict));
	return rarog_vec_push(&m->left, (struct rarog_module_left){ index, verdict });
}

/* Of an unwinder without names, too. */
static bool is_unwinding(const struct rarog_module *m, const struct rarog_function *f)
{
	return m->hides_unwinder && !(f->flags & RAROG_FUNCTION_COLD) &&
	       rarog_unwinder_raises(m->binary, f);
}

static bool has_hooks(size_t n, const struct rarog_function functions[])
{
	for (size_t i = 0; i < n; i++)
		if (find_hook(&functions[i]) >= 0)
			return true;
	return false;
}

static bool is_hooked(const struct rarog_module *m, uint32_t function)
{
	for (size_t i = 0; i < m->hooks.n; i++)
		if (m->hooks.v[i].function == function)
			return true;
	return false;
}

static int add_hook(struct rarog_module *m, uint32_t function, enum rarog_stub_kind kind)
{
	if (m->sites[function].length == 0)
		return 0;
	return rarog_vec_push(&m->hooks,
			      (struct rarog_probe){ .function = function, .kind = (uint8_t)kind });
}

/* What walks the stack and returns says when it has done: there the stubs are put back, so that the
 * frames' returns are seen. The first call after it does that as well, but late. */
static int add_walk(struct rarog_module *m, uint32_t function, const struct rarog_function *f)
{
	struct rarog_unwinder_end ends[RAROG_UNWINDER_ENDS];
	size_t n = rarog_unwinder_ends(m->binary, f, ends);
	int r = add_hook(m, function, RAROG_STUB_UNHOOK);

	for (size_t i = 0; r == 0 && m->sites[function].length > 0 && i < n; i++)
		r = rarog_vec_push(&m->hooks, (struct rarog_probe){ .function = function,
								    .kind = RAROG_STUB_WALKED,
								    .inside = ends[i].address,
								    .length = ends[i].length });
	return r;
}

/* glibc's mcount() and __fentry__() pass what they see to a function, which is hooked; both to the
 * same. */
static int hook_mcount(struct rarog_module *m, const struct rarog_function *f)
{
	uint64_t callee = rarog_mcount_callee(m->binary, f->address);
	long index = callee ? rarog_binary_find(m->binary, callee) : -1;
	const struct rarog_function *functions;

	if (index < 0)
		return 0;
	rarog_binary_functions(m->binary, &functions);
	if (functions[index].address != callee || m->sites[index].length == 0)
		return rarog_fail(-ENOTSUP, "%s: cannot patch what mcount() calls", m->path);
	return is_hooked(m, (uint32_t)index) ? 0
					     : add_hook(m, (uint32_t)index, RAROG_STUB_TELL_FIRST);
}

static bool is_switch(enum rarog_stub_kind kind)
{
	return kind == RAROG_STUB_SWAP_CONTEXT || kind == RAROG_STUB_SET_CONTEXT ||
	       kind == RAROG_STUB_JUMP_STACK;
}

/* A program may call something else swapcontext, whose parameters are no contexts. What switches
 * sets the stack pointer, or has libc's setcontext() do it. */
static bool is_namesake(const struct rarog_module *m, const struct rarog_function *f)
{
	bool imports =
		rarog_file_names(m->path, SETTER) && !rarog_binary_has_symbol(m->binary, SETTER);

	return !imports && !rarog_sets_stack(m->binary, f);
}

/* Something else of this name calls libc's, or is no such thing. */
static bool calls_kernel(const struct rarog_module *m, const struct rarog_function *f)
{
	static const uint8_t syscall[] = { 0x0f, 0x05 };
	const uint8_t *code = rarog_binary_bytes(m->binary, f->address, f->size);

	return code && memmem(code, f->size, syscall, sizeof(syscall));
}

/* It may be a function of the program, or libc's in a static one: its calls count as any other's.
 */
static int judge_prctl(struct rarog_module *m, struct rarog_plan *plan, uint32_t index,
		       const struct rarog_function *f, bool probed)
{
	size_t n = m->probes.n;
	int r = probed ? choose_probe(m, plan, index, f) : 0;

	if (r < 0 || !calls_kernel(m, f))
		return r;
	if (m->probes.n == n)
		return add_hook(m, index, RAROG_STUB_PRCTL);
	m->probes.v[n].is_told = true;
	m->n_told++;
	return 0;
}

static int judge_function(struct rarog_module *m, struct rarog_plan *plan, uint32_t index,
			  const struct rarog_function *f, bool probed)
{
	int hook = find_hook(f);

	if (hook >= 0 && is_switch(hooked[hook].kind) && is_namesake(m, f))
		hook = -1;
	if (hook >= 0 && hooked[hook].kind == RAROG_STUB_PRCTL)
		return judge_prctl(m, plan, index, f, probed);
	if (hook >= 0 && strcmp(hooked[hook].name, WALKER) == 0)
		return add_walk(m, index, f);
	if (hook >= 0)
		return add_hook(m, index, hooked[hook].kind);
	if (is_unwinding(m, f))
		return add_hook(m, index, RAROG_STUB_UNHOOK);
	return probed && !is_hooked(m, index) ? choose_probe(m, plan, index, f) : 0;
}

/* Probes that ask whether they are inside of a root do not wait. */
static unsigned can_do(const struct rarog_plan *plan)
{
	bool delays = plan->delays && plan->roots.include.n == 0;

	return 1u << RAROG_ACTION_COUNT | 1u << RAROG_ACTION_SAMPLE | 1u << RAROG_ACTION_RECORD |
	       (delays ? 1u << RAROG_ACTION_DELAY | 1u << RAROG_ACTION_GAIN |
				 1u << RAROG_ACTION_EVEN | 1u << RAROG_ACTION_SETTLE
		       : 0);
}

static int find_places(struct rarog_module *m, struct rarog_plan *plan)
{
	int r = rarog_marks_find(m->binary, m->path, plan, &m->marks);

	if (r == 0)
		r = rarog_place_set_resolve(plan, m->binary, m->path, &m->marks, &m->places);
	if (r == 0)
		rarog_place_set_restrict(&m->places, can_do(plan), "inline");
	return r;
}

/* A library of which nothing is patched is not judged: most of them, and it is what takes time. */
static int judge(struct rarog_module *m, struct rarog_plan *plan, bool probed)
{
	const struct rarog_function *functions;
	size_t n = rarog_binary_functions(m->binary, &functions);
	bool is_judged = probed || m->hides_unwinder || has_hooks(n, functions);
	int r = probed ? rarog_obstacles_of_file(plan, m->path, m->path) : 0;

	if (r == 0 && probed)
		r = rarog_obstacles_span(m->binary);
	if (r == 0 && probed)
		r = rarog_obstacles_in(plan, m->binary);
	if (r == 0 && probed && plan->hooked && rarog_hooks_any(m->binary))
		r = rarog_hook_rules_add(plan, m->binary, m->path);
	if (r == 0 && is_judged && !m->sites)
		r = rarog_patch_sites(m->binary, &m->sites);
	if (!is_judged || !m->sites)
		return r;

	if (r == 0 && probed)
		r = find_places(m, plan);
	for (uint32_t i = 0; r == 0 && i < n; i++)
		r = hook_mcount(m, &functions[i]);
	for (uint32_t i = 0; r == 0 && i < n; i++)
		r = judge_function(m, plan, i, &functions[i], probed);
	if (r == 0 && plan->detail != RAROG_DETAIL_COUNT)
		r = rarog_obstacles_unwinder(m->binary);
	return r < 0 ? r : rarog_module_place_marks(m, plan);
}

static void module_free(struct rarog_module *m)
{
	if (!m)
		return;
	rarog_vec_release(&m->probes);
	rarog_vec_release(&m->hooks);
	rarog_vec_release(&m->dropped);
	rarog_vec_release(&m->left);
	rarog_islands_free(m->steps);
	for (size_t i = 0; i < m->values.n; i++)
		rarog_wanted_values_release(&m->values.v[i]);
	rarog_vec_release(&m->values);
	rarog_marks_release(&m->marks);
	free(m->mark_gates);
	rarog_place_set_release(&m->places);
	rarog_binary_free(m->binary);
	free(m->sites);
	free(m->path);
	free(m);
}

static void module_freep(struct rarog_module **m)
{
	module_free(*m);
}

/* What is known of its bytes alone may be of a run before. */
static int open_file(struct rarog_module *m, const struct rarog_plan *plan)
{
	struct rarog_kept_binary kept = rarog_kept_binaries_take(plan->kept, m->path, &m->file);

	m->binary = kept.binary;
	m->sites = kept.sites;
	return m->binary ? 0 : rarog_binary_open(m->path, &m->binary);
}

int rarog_modules_get(struct rarog_modules *modules, const char *path, bool probed,
		      struct rarog_module **ret_module)
{
	rarog_cleanup(module_freep) struct rarog_module *m = NULL;
	struct stat st;
	int r;

	if (stat(path, &st) < 0)
		return rarog_fail_errno("%s", path);
	for (m = modules->first; m; m = m->next)
		if (rarog_file_is_same(&m->file, &st)) {
			*ret_module = rarog_take(m);
			return 0;
		}
	m = calloc(1, sizeof(*m));
	if (!m || !(m->path = strdup(path)))
		return rarog_oom();
	m->file = st;
	m->locations = -1;
	m->is_probed = probed;
	m->uses_gs = probed && rarog_conflict_gs(path);
	m->hides_unwinder = rarog_obstacles_hides_unwinder(path);
	r = open_file(m, modules->plan);
	if (r == 0)
		r = judge(m, modules->plan, probed);
	if (r == 0)
		r = rarog_values_choose(m, modules->plan);
	if (r < 0)
		return r;
	rarog_gates_add_module(modules, m);
	*ret_module = rarog_take(m);
	return 0;
}

/* @reason is a sentence about it, as a rule. */
static void warn_of_library(const char *path, const char *reason)
{
	bool is_named = rarog_starts_with(reason, path) && reason[strlen(path)] == ' ';

	rarog_warn("%s is not traced: %s%s", path, is_named ? "it" : "",
		   is_named ? reason + strlen(path) : reason);
}

int rarog_modules_get_library(struct rarog_modules *modules, const char *path,
			      struct rarog_module **ret_module)
{
	rarog_cleanup(rarog_freep) char *reason = NULL;
	int r = rarog_modules_get(modules, path, true, ret_module);

	if (r != -ENOTSUP)
		return r;
	reason = strdup(rarog_error_message());
	if (!reason)
		return rarog_oom();
	r = rarog_modules_get(modules, path, false, ret_module);
	if (r == 0)
		warn_of_library(path, reason);
	return r;
}

bool rarog_modules_probes_library(const struct rarog_modules *modules, const char *path)
{
	const struct rarog_plan *plan = modules->plan;

	return plan->libraries && (!plan->hooked || rarog_file_names(path, RAROG_HOOKS_TABLE));
}

/* For the next run; where there is none, this frees it. */
static void keep_file(const struct rarog_plan *plan, struct rarog_module *m)
{
	const struct rarog_kept_binary kept = { m->binary, m->sites };

	rarog_kept_binaries_keep(plan->kept, m->path, &m->file, kept);
	m->binary = NULL;
	m->sites = NULL;
}

void rarog_modules_release(struct rarog_modules *modules)
{
	while (modules->first) {
		struct rarog_module *next = modules->first->next;

		keep_file(modules->plan, modules->first);
		module_free(modules->first);
		modules->first = next;
	}
	rarog_software_release(&modules->software);
}
