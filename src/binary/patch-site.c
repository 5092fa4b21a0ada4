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
#include "binary/code-map.h"
#include "binary/instruction.h"
#include "binary/live-flags.h"
#include "binary/return-asked.h"
#include "binary/return-slot.h"

/* Where the trial puts its copy: far enough that no rel8 fits, near enough for rel32. */
#define TRIAL_DISTANCE (64ull << 20)

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

struct judge {
	const struct rarog_code_map *map;
	const struct rarog_function *function;
	uint64_t next;        /* the next function's entry; UINT64_MAX: none */
	const uint8_t *bytes; /* at the entry */
	size_t available;     /* bytes from there to the end of the code region */
};

const char *rarog_site_reason(enum rarog_site_verdict verdict)
{
	return (unsigned)verdict < RAROG_SITE_VERDICTS ? reasons[verdict] : "is unknown";
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

static bool entry_reached(const struct judge *j, enum rarog_reach kind)
{
	return rarog_code_reached(j->map, j->function->address, 1, kind);
}

/* Is this the entry of a function, and is the return address on top of the stack there? */
static enum rarog_site_verdict judge_frame(const struct judge *j)
{
	bool called = entry_reached(j, RAROG_REACH_CALL);
	bool jumped = entry_reached(j, RAROG_REACH_JUMP);

	if (j->function->has_fde && !j->function->cfa_is_rsp_8)
		return RAROG_SITE_CFA;
	if (!j->function->has_fde && (!called || jumped))
		return RAROG_SITE_NO_FDE;
	/* Without symbols, what is only jumped to may be a split-off part. */
	if (j->function->flags & RAROG_FUNCTION_NAMELESS && jumped && !called &&
	    !entry_reached(j, RAROG_REACH_TAKEN))
		return RAROG_SITE_NOT_ENTRY;
	return RAROG_SITE_OK;
}

static bool is_padding(const struct rarog_instruction *in)
{
	return in->flow == RAROG_FLOW_NOP || in->flow == RAROG_FLOW_BREAK;
}

/* May the instruction at offset @at be part of the displaced bytes? */
static enum rarog_site_verdict judge_instruction(const struct judge *j, size_t at, bool ended,
						 const struct rarog_instruction *in)
{
	bool outside = at >= j->function->size;

	if (at + in->length > j->next - j->function->address)
		return RAROG_SITE_SHORT;
	if (outside && !is_padding(in))
		return RAROG_SITE_SHORT;
	/* Behind a ret or jmp code is reached in a way that we missed. */
	if (ended && !is_padding(in))
		return RAROG_SITE_TARGET;
	return RAROG_SITE_OK;
}

/* Whole instructions that cover the window; padding behind a short function is used. */
static enum rarog_site_verdict measure(const struct judge *j, size_t *ret_length)
{
	bool ended = false;
	size_t at = 0;

	while (at < RAROG_PATCH_SIZE) {
		struct rarog_instruction in;

		if (at >= j->available || j->function->address + at >= j->next)
			return RAROG_SITE_SHORT;
		if (!rarog_instruction_decode(j->available - at, j->bytes + at,
					      j->function->address + at, &in))
			return at < j->function->size ? RAROG_SITE_DECODE : RAROG_SITE_SHORT;
		enum rarog_site_verdict verdict = judge_instruction(j, at, ended, &in);
		if (verdict != RAROG_SITE_OK)
			return verdict;
		ended |= !rarog_flow_goes_on(in.flow);
		at += in.length;
	}
	*ret_length = at;
	return RAROG_SITE_OK;
}

static enum rarog_site_verdict try_move(const struct judge *j, size_t length)
{
	uint8_t out[RAROG_BODY_MAX];
	uint64_t from = j->function->address;
	int r = rarog_relocate(length, j->bytes, from, from + TRIAL_DISTANCE, sizeof(out), out);

	return r < 0 ? RAROG_SITE_RELOCATE : RAROG_SITE_OK;
}

static enum rarog_site_verdict judge_window(const struct judge *j, size_t *ret_length)
{
	uint64_t entry = j->function->address;
	size_t length = 0;
	enum rarog_site_verdict verdict = measure(j, &length);

	if (verdict != RAROG_SITE_OK)
		return verdict;
	if (rarog_code_reached(j->map, entry + 1, RAROG_PATCH_SIZE - 1, RAROG_REACH_ANY))
		return RAROG_SITE_TARGET;
	if (rarog_code_reached(j->map, entry, length, RAROG_REACH_WRITTEN))
		return RAROG_SITE_TEXTREL;
	verdict = try_move(j, length);
	if (verdict == RAROG_SITE_OK)
		*ret_length = length;
	return verdict;
}

/* What the function is, before its bytes matter. */
static enum rarog_site_verdict judge_kind(const struct judge *j)
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
static bool flags_are_live(const struct judge *j)
{
	size_t size = j->function->size < j->available ? j->function->size : j->available;

	return entry_reached(j, RAROG_REACH_FLAGS) || rarog_flags_live(size, j->bytes);
}

static struct rarog_site judge_function(const struct rarog_code_map *map, size_t index)
{
	const struct rarog_function *function = &map->functions[index];
	const struct rarog_code_region *region = rarog_code_region_of(map, function->address);
	bool is_last = index + 1 == map->n_functions;
	size_t length = 0;

	if (!region)
		return (struct rarog_site){ .verdict = RAROG_SITE_NOT_ENTRY };
	uint64_t offset = function->address - region->start;
	struct judge j = {
		.map = map,
		.function = function,
		.next = is_last ? UINT64_MAX : map->functions[index + 1].address,
		.bytes = region->bytes + offset,
		.available = region->size - offset,
	};
	enum rarog_site_verdict kind = judge_kind(&j);
	enum rarog_site_verdict window = judge_window(&j, &length);
	enum rarog_site_verdict verdict = kind != RAROG_SITE_OK ? kind : window;

	if (verdict == RAROG_SITE_OK && entry_reached(&j, RAROG_REACH_OWN))
		verdict = RAROG_SITE_LOOP;
	if (verdict == RAROG_SITE_OK && rarog_return_slot_used(map->binary, function->address))
		verdict = RAROG_SITE_RETURN;
	if (verdict == RAROG_SITE_OK && flags_are_live(&j))
		verdict = RAROG_SITE_FLAGS;
	return (struct rarog_site){ .verdict = verdict, .length = (uint8_t)length };
}

int rarog_patch_sites(const struct rarog_binary *binary, struct rarog_site **ret_sites)
{
	rarog_cleanup(rarog_code_map_release) struct rarog_code_map map = { .binary = binary };
	rarog_cleanup(rarog_freep) struct rarog_site *sites = NULL;
	int r = rarog_code_map_init(&map, binary);

	if (r < 0)
		return r;
	sites = calloc(map.n_functions + 1, sizeof(*sites));
	if (!sites)
		return rarog_oom();
	for (size_t i = 0; i < map.n_functions; i++)
		sites[i] = judge_function(&map, i);
	rarog_return_asked(&map, sites);
	*ret_sites = rarog_take(sites);
	return 0;
}
