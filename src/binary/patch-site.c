/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The proof that an entry may be replaced by `jmp rel32`, function by function, on the map of what
 * reaches the code. doc/design/patching.md has the rules with their reasons.
 *
 * Invariant: a verdict of OK means that, of the 5 bytes, only the first is ever executed as the
 * start of an instruction by anything but falling through from the first, that nothing reads or
 * writes them, and that the displaced instructions were moved by rarog_relocate() as a trial.
 */
#include "binary/patch-site.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "binary/code-links.h"
#include "binary/live-flags.h"
#include "binary/patch-place.h"
#include "binary/return-asked.h"
#include "binary/return-slot.h"
#include "binary/sled-entries.h"

static const char *const reasons[RAROG_SITE_VERDICTS] = {
	[RAROG_SITE_OK] = "can be traced",
	[RAROG_SITE_NOT_ENTRY] = "is not entered by calls",
	[RAROG_SITE_NO_FDE] = "has no unwind information that proves it is a function",
	[RAROG_SITE_CFA] = "is not entered with the return address on top of the stack",
	[RAROG_SITE_SHORT] = "is shorter than 5 bytes, and no padding follows",
	[RAROG_SITE_TARGET] = "has a branch target within its first 5 bytes",
	[RAROG_SITE_LOOP] = "jumps back to its own entry",
	[RAROG_SITE_DECODE] = "begins with bytes that are not instructions",
	[RAROG_SITE_RELOCATE] = "begins with an instruction that cannot be moved",
	[RAROG_SITE_SPECIAL] = "is part of the run-time system",
	[RAROG_SITE_IFUNC] = "chooses an implementation while the program is loaded",
	[RAROG_SITE_TEXTREL] = "is changed by the loader",
	[RAROG_SITE_RETURN] = "looks at its own return address",
	[RAROG_SITE_FLAGS] = "takes or returns processor flags",
	[RAROG_SITE_SLED] = "has nothing but a place that the program itself patches",
};

static const char *const kind_names[] = {
	[RAROG_SITE_ENTRY] = "entry",
	[RAROG_SITE_NOPS] = "nops",
	[RAROG_SITE_NOPS_BEFORE] = "nops before",
	[RAROG_SITE_CALL] = "call",
	[RAROG_SITE_BEHIND_CALL] = "behind call",
	[RAROG_SITE_BEHIND_NOPS] = "behind nops",
	[RAROG_SITE_BEHIND_XRAY] = "behind xray",
};

/* Code that depends on where its return address is, or runs before the program exists. */
static const char *const special_names[] = {
	"_start",
	"_init",
	"_fini",
	"_dl_start",
	"_dl_start_user",
	"_dl_relocate_static_pie",
	"__libc_start_main",
	"deregister_tm_clones",
	"register_tm_clones",
	"__do_global_dtors_aux",
	"__do_global_ctors_aux",
	"frame_dummy",
	"call_weak_fn",
	/* return twice, or on another stack */
	"vfork",
	"__vfork",
	"__libc_vfork",
	"setjmp",
	"_setjmp",
	"__setjmp",
	"sigsetjmp",
	"__sigsetjmp",
	"__sigsetjmp_cancel",
	"__sigsetjmp_tail",
	"savectx",
	"getcontext",
	"__getcontext",
	"setcontext",
	"__setcontext",
	"swapcontext",
	"__swapcontext",
	"makecontext",
	"__makecontext",
	"__start_context",
	"clone",
	"__clone",
	"clone3",
	"__clone3",
	"__clone_internal",
	"thread_start",
	/* entered by the kernel, with a signal frame */
	"__restore_rt",
	"__restore",
	"__kernel_rt_sigreturn",
	/* use or change their caller's frame */
	"_Unwind_RaiseException",
	"_Unwind_Resume",
	"_Unwind_Resume_or_Rethrow",
	"_Unwind_ForcedUnwind",
	"_Unwind_Backtrace",
	"__morestack",
	"__morestack_non_split",
	"__fentry__",
	"mcount",
	"_mcount",
	"__mcount_internal",
};

static const char *const special_prefixes[] = {
	"__x86_indirect_thunk_", "__x86_return_thunk",  "__llvm_retpoline_", "__llvm_lvi_thunk_",
	"_dl_runtime_resolve",   "_dl_runtime_profile", "_dl_tlsdesc_",
};

const char *rarog_site_reason(enum rarog_site_verdict verdict)
{
	return (unsigned)verdict < RAROG_SITE_VERDICTS ? reasons[verdict] : "is unknown";
}

const char *rarog_site_kind_name(enum rarog_site_kind kind)
{
	return (unsigned)kind < RAROG_SITE_KINDS ? kind_names[kind] : "unknown";
}

static bool is_special_name(const char *name)
{
	for (size_t i = 0; i < RAROG_COUNT(special_names); i++) {
		if (strcmp(name, special_names[i]) == 0)
			return true;
	}
	for (size_t i = 0; i < RAROG_COUNT(special_prefixes); i++) {
		if (strncmp(name, special_prefixes[i], strlen(special_prefixes[i])) == 0)
			return true;
	}
	return false;
}

static bool is_special(const struct rarog_function *function)
{
	if (is_special_name(function->name))
		return true;
	for (uint32_t i = 0; i < function->n_aliases; i++) {
		if (is_special_name(function->aliases[i]))
			return true;
	}
	return false;
}

static bool entry_reached(const struct rarog_judged *j, enum rarog_code_reach kind)
{
	return rarog_code_reached(j->map, j->function->address, 1, kind);
}

/* Is this the entry of a function, and is the return address on top of the stack there? */
static enum rarog_site_verdict judge_frame(const struct rarog_judged *j)
{
	bool called = entry_reached(j, RAROG_REACH_CALL);
	bool jumped = entry_reached(j, RAROG_REACH_JUMP);

	if (j->function->has_fde && !j->function->cfa_is_rsp_8)
		return RAROG_SITE_CFA;
	if (j->sled) /* compilers leave them in functions, at the entry */
		return RAROG_SITE_OK;
	if (!j->function->has_fde && (!called || jumped))
		return RAROG_SITE_NO_FDE;
	/* Without symbols, what is only jumped to may be a split-off part. */
	if (j->function->flags & RAROG_FUNCTION_NAMELESS && jumped && !called &&
	    !entry_reached(j, RAROG_REACH_TAKEN))
		return RAROG_SITE_NOT_ENTRY;
	return RAROG_SITE_OK;
}

/* What the function is, before its bytes matter. */
static enum rarog_site_verdict judge_kind(const struct rarog_judged *j)
{
	if (j->function->flags & RAROG_FUNCTION_COLD)
		return RAROG_SITE_NOT_ENTRY;
	if (j->function->flags & RAROG_FUNCTION_IFUNC)
		return RAROG_SITE_IFUNC;
	if (is_special(j->function))
		return RAROG_SITE_SPECIAL;
	return judge_frame(j);
}

/* The probes change the flags. */
static bool flags_are_live(const struct rarog_judged *j)
{
	size_t size = j->function->size < j->available ? j->function->size : j->available;

	return entry_reached(j, RAROG_REACH_FLAGS) || rarog_flags_live(size, j->bytes);
}

/* --- all together --- */

/* What nothing else is against. */
static enum rarog_site_verdict judge_rest(const struct rarog_judged *j,
					  const struct rarog_site *site)
{
	if (site->offset == 0 && entry_reached(j, RAROG_REACH_OWN))
		return RAROG_SITE_LOOP;
	if (rarog_return_slot_used(j->map, j->function->address))
		return RAROG_SITE_RETURN;
	return flags_are_live(j) ? RAROG_SITE_FLAGS : RAROG_SITE_OK;
}

/* Where the next function begins, with the nops before it, which are for its own jump. */
static uint64_t next_of(const struct rarog_code_map *map, size_t index)
{
	uint64_t next =
		index + 1 < map->n_functions ? map->functions[index + 1].address : UINT64_MAX;
	const struct rarog_sled *sled = rarog_place_sled(map->binary, next);

	if (sled && sled->address < next && sled->address >= map->functions[index].address)
		return sled->address;
	return next;
}

static struct rarog_site judge_function(const struct rarog_code_map *map, size_t index)
{
	const struct rarog_function *function = &map->functions[index];
	const struct rarog_code_region *region = rarog_code_region_of(map, function->address);
	struct rarog_site site = { .kind = RAROG_SITE_ENTRY };

	if (!region)
		return (struct rarog_site){ .verdict = RAROG_SITE_NOT_ENTRY };
	uint64_t offset = function->address - region->start;
	struct rarog_judged j = {
		.map = map,
		.function = function,
		.sled = rarog_place_sled(map->binary, function->address),
		.next = next_of(map, index),
		.bytes = region->bytes + offset,
		.available = region->size - offset,
	};
	enum rarog_site_verdict kind = judge_kind(&j);
	enum rarog_site_verdict window = rarog_place_find(&j, &site);
	enum rarog_site_verdict verdict = kind != RAROG_SITE_OK ? kind : window;

	if (verdict == RAROG_SITE_OK)
		verdict = judge_rest(&j, &site);
	site.verdict = (uint8_t)verdict;
	return site;
}

/* --- hooks of -finstrument-functions --- */

static bool is_empty(const struct rarog_code_map *map, const struct rarog_function *function)
{
	const uint8_t *code = rarog_binary_bytes(map->binary, function->address, 1);

	if (code && rarog_is_endbr(function->size, code))
		code = rarog_binary_bytes(map->binary, function->address + RAROG_ENDBR_SIZE, 1);
	return code && *code == 0xc3; /* ret */
}

/* Are there any, and can those of this file be told the caller? */
static bool are_hooks_told(const struct rarog_code_map *map)
{
	bool any = false;

	for (size_t i = 0; i < map->links.n; i++)
		any |= map->links.v[i].kind == RAROG_LINK_HOOK;
	for (size_t i = 0; i < map->n_functions; i++) {
		const struct rarog_function *f = &map->functions[i];

		if (!rarog_is_instrument_hook(f))
			continue;
		any = true;
		if (judge_function(map, i).length == 0 && !is_empty(map, f))
			return false;
	}
	return any;
}

int rarog_patch_sites(const struct rarog_binary *binary, struct rarog_site **ret_sites)
{
	rarog_cleanup(rarog_code_map_release) struct rarog_code_map map = { .binary = binary };
	rarog_cleanup(rarog_freep) struct rarog_site *sites = NULL;
	int r = rarog_code_map_init(&map, binary);

	if (r < 0)
		return r;
	map.hooks_told = are_hooks_told(&map);
	sites = calloc(map.n_functions + 1, sizeof(*sites));
	if (!sites)
		return rarog_oom();
	for (size_t i = 0; i < map.n_functions; i++)
		sites[i] = judge_function(&map, i);
	rarog_return_asked(&map, sites);
	*ret_sites = rarog_take(sites);
	return 0;
}
