/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/obstacles.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "base/units.h"
#include "binary/forged-jump.h"
#include "binary/made-code.h"
#include "binary/mcount.h"
#include "binary/own-ends.h"
#include "binary/stack-switch.h"
#include "binary/symbols.h"
#include "binary/unwinder.h"
#include "plan/conflict.h"
#include "process/filters.h"
#include "process/namespaces.h"
#include "process/remote.h"

/*
 * Names in a file's string tables (section names survive `strip`) that tell of a run-time system
 * which reads or moves return addresses. Counting leaves return addresses alone.
 */
static const struct {
	const char *name, *reason;
} walkers[] = {
	{ ".go.buildinfo",
	  "is a Go program: its run-time moves stacks and reads return addresses" },
	{ "Builtins_InterpreterEntryTrampoline",
	  "has V8 in it, which reads return addresses on its stacks" },
	{ "_ZNK2v88internal7Isolate18embedded_blob_codeEv",
	  "has V8 in it, which reads return addresses on its stacks" },
	{ "caml_frametable", "is an OCaml program: its garbage collector reads return addresses" },
};

/* Switches of stacks that the agent follows, or that leave no stack to come back to. */
static const char *const switches[] = {
	"jump_fcontext", "ontop_fcontext", "swapcontext", "__swapcontext", "setcontext",
	"__setcontext",  "longjmp",        "__longjmp",   "siglongjmp",    NULL,
};

int rarog_obstacles_of_file(const struct rarog_plan *plan, const char *path, const char *name)
{
	for (size_t i = 0; plan->detail != RAROG_DETAIL_COUNT && i < RAROG_COUNT(walkers); i++)
		if (rarog_file_names(path, walkers[i].name))
			return rarog_fail(-ENOTSUP, "%s %s; --detail=count can count its calls",
					  name, walkers[i].reason);
	return 0;
}

/* Filters that the program inherited and rarog did not: what is to be called inside may be
 * forbidden there, on pain of death. */
static int look_at_filters(pid_t pid, const char *program)
{
	if (rarog_filters_on(pid) <= rarog_filters_on(getpid()))
		return 0;
	return rarog_fail(-ENOTSUP,
			  "%s was started under a seccomp filter, which may forbid what rarog has "
			  "to do inside; start it without the sandbox",
			  program);
}

int rarog_obstacles_check(const struct rarog_plan *plan, pid_t pid, const char *program)
{
	int r = rarog_obstacles_of_file(plan, program, program);

	return r < 0 || pid == 0 ? r : look_at_filters(pid, program);
}

/* Programs built with -pg refer to their ends as well, but read samples of their counter only. */
static bool reads_itself(const struct rarog_binary *binary)
{
	return !rarog_file_names(rarog_binary_path(binary), "__monstartup") &&
	       rarog_refers_to_ends(binary);
}

/* Programs that rarog cc has built read jump buffers, where their counters are noted. */
static uint64_t find_switch(const struct rarog_binary *binary)
{
	uint64_t at = rarog_stack_switch(binary, switches);

	if (at || rarog_file_names(rarog_binary_path(binary), "rarog_counters"))
		return at;
	return rarog_forges_jumps(binary);
}

/* A static program has the functions itself, under names of which these may be the ends. */
static bool maps_memory(const struct rarog_binary *binary)
{
	static const char *const maps[] = { "mmap", "mmap64", "mprotect", "pkey_mprotect" };
	bool names = !rarog_binary_interpreter(binary) && !rarog_binary_is_library(binary);

	for (size_t i = 0; !names && i < RAROG_COUNT(maps); i++)
		names = rarog_file_names(rarog_binary_path(binary), maps[i]);
	return names;
}

/* Most files do neither: what is looked for first is what is found soonest. Of a static program
 * without names it is not known whether it makes code. */
static bool walks_made_code(const struct rarog_binary *binary)
{
	bool is_unknown = rarog_binary_is_stripped(binary) && !rarog_binary_interpreter(binary) &&
			  !rarog_binary_is_library(binary);

	return maps_memory(binary) && rarog_walks_frames(binary) &&
	       (is_unknown || rarog_makes_code(binary));
}

#define REACH (UINT64_C(1) << 31) /* of a jump, and of an instruction's memory */

int rarog_obstacles_span(const struct rarog_binary *binary)
{
	const struct rarog_segment *segments;
	size_t n = rarog_binary_segments(binary, &segments);
	uint64_t low = UINT64_MAX, high = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t end = segments[i].vaddr + segments[i].memory_size;

		low = segments[i].vaddr < low ? segments[i].vaddr : low;
		high = end > high ? end : high;
	}
	if (n == 0 || high - low < REACH)
		return 0;
	return rarog_fail(-ENOTSUP,
			  "%s: no room for code within 2 GiB of all of its memory, of which it has "
			  "%s; --engine=ebpf, or vex, needs none",
			  rarog_binary_path(binary), rarog_format_bytes(high - low).text);
}

int rarog_obstacles_in(const struct rarog_plan *plan, const struct rarog_binary *binary)
{
	const char *path = rarog_binary_path(binary);
	uint64_t at;

	if (reads_itself(binary))
		return rarog_fail(
			-ENOTSUP,
			"%s looks at its own code (it knows where that begins or ends), which "
			"probes change; --engine vex and rarog collect sample leave it as it is",
			path);
	if (plan->detail == RAROG_DETAIL_COUNT)
		return 0;
	if (walks_made_code(binary))
		return rarog_fail(-ENOTSUP,
				  "%s makes code while it runs and reads return addresses on its "
				  "stacks; --detail=count can count its calls",
				  path);
	at = find_switch(binary);
	if (!at)
		return 0;
	return rarog_fail(-ENOTSUP,
			  "%s switches stacks in a way that cannot be followed (at %#" PRIx64
			  "); --detail=count can count its calls",
			  path, at);
}

static const char *const mcounts[] = { "mcount", "_mcount", "__fentry__" };

/* Asked for every library that is loaded: a look at its dynamic symbols, if it has the name. */
static bool exports_mcount(const char *library)
{
	rarog_cleanup(rarog_elf_freep) struct rarog_elf *elf = NULL;
	bool names = false, exports = false;

	for (size_t i = 0; i < RAROG_COUNT(mcounts) && !names; i++)
		names = rarog_file_names(library, mcounts[i]);
	if (!names)
		return false;
	if (rarog_elf_open(library, RAROG_ELF_PROGRAM, &elf) < 0)
		rarog_error_clear();
	for (size_t i = 0; elf && i < RAROG_COUNT(mcounts) && !exports; i++)
		exports = rarog_symbols_has(elf, SHT_DYNSYM, mcounts[i]);
	return exports;
}

/* glibc's can be told the truth; one that sees nothing needs not to be. */
static bool is_own_mcount(const struct rarog_binary *binary, const struct rarog_function *f)
{
	for (size_t i = 0; i < RAROG_COUNT(mcounts); i++)
		if (strcmp(f->name, mcounts[i]) == 0)
			return !rarog_mcount_callee(binary, f->address) &&
			       !rarog_mcount_is_blind(binary, f->address);
	return false;
}

static bool has_own_mcount(const char *library)
{
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *binary = NULL;
	const struct rarog_function *functions;
	bool has = false;

	if (!exports_mcount(library))
		return false;
	if (rarog_binary_open(library, &binary) < 0) {
		rarog_error_clear();
		return false;
	}
	size_t n = rarog_binary_functions(binary, &functions);
	for (size_t i = 0; i < n && !has; i++)
		has = is_own_mcount(binary, &functions[i]);
	return has;
}

const char *rarog_obstacles_of_all(const char *library)
{
	if (rarog_file_names(library, "PyInit__greenlet"))
		return "copies stacks away and back";
	return has_own_mcount(library) ? "has an mcount() that may look at return addresses" : NULL;
}

/*
 * What handlers of exceptions import, or define where they have names: a personality, or what
 * every personality calls, the most frequent first. Names that unwinders have in their messages
 * tell nothing.
 */
static const char *const handlers[] = {
	"__gxx_personality_v0",  "__gcc_personality_v0",
	"_Unwind_SetGR",         "_Unwind_GetLanguageSpecificData",
	"rust_eh_personality",   "__gnat_personality_v0",
	"__objc_personality_v0", "__gnu_objc_personality_v0",
	"__gdc_personality_v0",
};

bool rarog_obstacles_hides_unwinder(const char *path)
{
	/* of large C++ libraries the name stands at the beginning, the section's at the end */
	bool hides =
		!rarog_file_names(path, handlers[0]) && rarog_file_names(path, ".gcc_except_table");

	for (size_t i = 1; hides && i < RAROG_COUNT(handlers); i++)
		hides = !rarog_file_names(path, handlers[i]);
	return hides;
}

static bool has_unwinder(const struct rarog_binary *binary)
{
	const struct rarog_function *functions;
	size_t n = rarog_binary_functions(binary, &functions);

	for (size_t i = 0; i < n; i++)
		if (rarog_unwinder_raises(binary, &functions[i]))
			return true;
	return rarog_binary_has_symbol(binary, "_Unwind_RaiseException");
}

/* glibc's cleaning up, in a static program that nothing is raised in, loads gcc's unwinder if it
 * ever needs one. LLVM's has this message in it. */
static bool only_cleans_up(const struct rarog_binary *binary)
{
	return !rarog_binary_interpreter(binary) && !rarog_binary_is_library(binary) &&
	       !rarog_file_names(rarog_binary_path(binary), "_Unwind_Resume() can't return");
}

int rarog_obstacles_unwinder(const struct rarog_binary *binary)
{
	const char *path = rarog_binary_path(binary);

	if (!rarog_obstacles_hides_unwinder(path) || has_unwinder(binary) || only_cleans_up(binary))
		return 0;
	return rarog_fail(-ENOTSUP,
			  "%s has an unwinder in it whose functions have no names; --detail=count "
			  "can count its calls",
			  path);
}

/* Such a program runs, but untraced. */
static int check_gs(const char *path)
{
	return rarog_conflict_gs(path)
		       ? rarog_fail(-ENOTSUP,
				    "%s uses the %%gs register itself, as the probes would; "
				    "--engine ebpf and rarog collect sample do not need it",
				    path)
		       : 0;
}

char *rarog_obstacles_reason(const struct rarog_binary *binary)
{
	const struct rarog_plan plan = { .detail = RAROG_DETAIL_CALLS };
	const char *path = rarog_binary_path(binary);
	int r = rarog_obstacles_of_file(&plan, path, path);
	char *reason;

	if (r == 0)
		r = rarog_obstacles_span(binary);
	if (r == 0)
		r = rarog_obstacles_in(&plan, binary);
	if (r == 0)
		r = rarog_obstacles_unwinder(binary);
	if (r == 0 && !rarog_binary_is_library(binary))
		r = check_gs(path);
	if (r == 0)
		return NULL;
	reason = strdup(rarog_error_message());
	rarog_error_clear();
	return reason;
}

bool rarog_obstacles_rights(const char *program)
{
	struct stat st;

	if (geteuid() == 0 || stat(program, &st) < 0)
		return false;
	return (st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
	       (st.st_mode & S_ISGID && st.st_mode & S_IXGRP && st.st_gid != getegid()) ||
	       getxattr(program, "security.capability", NULL, 0) > 0;
}
