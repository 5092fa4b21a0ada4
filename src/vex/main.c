/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A Valgrind tool that counts calls, instructions and blocks for Rarog (doc/design/vex.md). It
 * writes nothing at the end: the file that it counts into is complete at any time.
 */
#include "vex/code.h"
#include "vex/core.h"
#include "vex/instrument.h"
#include "vex/stack.h"
#include "vex/store.h"

#include "libvex.h"

static const HChar *folder, *values;

/* --- the program's environment --- */

static Bool starts_with(const HChar *text, const HChar *with)
{
	return VG_(strncmp)(text, with, VG_(strlen)(with)) == 0;
}

/* The pointers after the @at-th, and the auxiliary vector after them, move down by one. */
static void take_out(HChar **at)
{
	UWord *end = VG_(client_auxv);

	while (end[0] != 0) /* AT_NULL */
		end += 2;
	VG_(memmove)(at, at + 1, (SizeT)((HChar *)(end + 2) - (HChar *)(at + 1)));
	VG_(client_auxv)--;
}

/* Valgrind puts a library of its own in front; this tool needs none, and the program should find
 * what it finds without us. Return: nothing is left of it. */
static Bool clean_preload(HChar *entry)
{
	HChar *from = VG_(strchr)(entry, '=') + 1, *to = from;

	while (*from) {
		SizeT n = 0;
		const HChar *ours = VG_(strstr)(from, "/vgpreload_");

		while (from[n] && from[n] != ':')
			n++;
		if (!ours || ours >= from + n) {
			VG_(memmove)(to, from, n);
			to += n;
			*to++ = ':';
		}
		from += n + (from[n] == ':');
	}
	if (to[-1] == ':')
		to--;
	*to = '\0';
	return to[-1] == '=';
}

static void clean_environment(void)
{
	for (HChar **at = VG_(client_envp); *at;) {
		Bool is_preload =
			starts_with(*at, "LD_PRELOAD=") && VG_(strstr)(*at, "/vgpreload_") != NULL;

		if (starts_with(*at, "VALGRIND_LIB=") || starts_with(*at, "VALGRIND_LAUNCHER=") ||
		    (is_preload && clean_preload(*at)))
			take_out(at);
		else
			at++;
	}
}

/* The core moves its log to a high number and forgets to close the one it was opened with. */
static void close_log(void)
{
	struct vg_stat log, other;
	Int log_fd = VG_(log_output_sink).fd;

	if (log_fd < 256 || VG_(fstat)(log_fd, &log) != 0)
		return;
	for (Int fd = 3; fd < 256; fd++)
		if (VG_(fstat)(fd, &other) == 0 && other.dev == log.dev && other.ino == log.ino)
			VG_(close)(fd);
}

/* --- what the core calls --- */

static Bool take_option(const HChar *argument)
{
	return VG_STR_CLO(argument, "--folder", folder) ||
	       VG_STR_CLO(argument, "--values", values) ||
	       VG_BOOL_CLO(argument, "--accesses", instrument_accesses);
}

static void say_usage(void)
{
	VG_(printf)("    --folder=DIR              where files of counters are written\n");
	VG_(printf)("    --values=FILE             what is captured of which functions\n");
	VG_(printf)("    --accesses=no|yes         count loads and stores, too\n");
}

static void say_nothing(void)
{
}

static void start(void)
{
	/* exactness: no loop is unrolled, no jump followed, no condition made straight */
	VG_(clo_vex_control).iropt_unroll_thresh = 0;
	VG_(clo_vex_control).guest_chase = False;
	/* … and no load left out whose result is not needed */
	if (instrument_accesses)
		VG_(clo_vex_control).iropt_level = 0;
	if (!folder)
		VG_(fmsg_bad_option)("--folder", "is needed\n");
	if (values && *values)
		values_open(values);
	clean_environment();
	close_log();
	store_open(folder);
	stack_open();
}

static void start_thread(ThreadId thread, ULong blocks)
{
	(void)blocks;
	stack_thread(thread);
}

static void before_fork(ThreadId thread)
{
	(void)thread;
	store_before_fork();
}

static void fork_in_parent(ThreadId thread)
{
	(void)thread;
	store_fork_in_parent();
}

static void fork_in_child(ThreadId thread)
{
	(void)thread;
	values_fork();
	store_fork();
	code_zero();
	stack_fork();
}

/* A program that writes to the code of its own file (XRay's does) makes that code again what it was
 * when it has done so. The core looks for changes of generated code only. */
static void change_protection(Addr start, SizeT length, Bool reads, Bool writes, Bool executes)
{
	(void)reads;
	(void)writes;
	if (executes)
		VG_(discard_translations)(start, length, "rarog.protection");
}

static void end(Int status)
{
	(void)status;
}

static void before_options(void)
{
	VG_(details_name)("rarog-vex");
	VG_(details_version)(NULL);
	VG_(details_description)("counts of calls, instructions and blocks");
	VG_(details_copyright_author)("part of Rarog");
	VG_(details_bug_reports_to)("Rarog");
	VG_(basic_tool_funcs)(start, instrument, end);
	VG_(needs_command_line_options)(take_option, say_usage, say_nothing);
	VG_(track_start_client_code)(start_thread);
	VG_(track_pre_thread_ll_exit)(stack_thread_ends);
	VG_(track_change_mem_mprotect)(change_protection);
	VG_(atfork)(before_fork, fork_in_parent, fork_in_child);
}

VG_DETERMINE_INTERFACE_VERSION(before_options)
