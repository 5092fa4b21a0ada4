/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Valgrind's core: its headers for tools, and the few functions of it that have no declaration
 * there. The tool is linked with the core it is built for, so these cannot change beneath it.
 */
#ifndef RAROG_VEX_CORE_H
#define RAROG_VEX_CORE_H

#include <stdint.h>

#include "pub_tool_basics.h"
#include "pub_tool_vki.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_clientstate.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"

/* pub_core_aspacemgr.h */
extern SysRes VG_(am_shared_mmap_file_float_valgrind)(SizeT length, UInt prot, Int fd,
						      Off64T offset);
extern SysRes VG_(am_mmap_anon_float_valgrind)(SizeT size);
extern SysRes VG_(am_do_mmap_NO_NOTIFY)(Addr start, SizeT length, UInt prot, UInt flags, Int fd,
					Off64T offset);
/* pub_core_libcfile.h: move to a number that the program does not see */
extern Int VG_(safe_fd)(Int old);
/* pub_core_libcprint.h: where messages go; there is more in it */
extern struct {
	Int fd;
} VG_(log_output_sink);
/* pub_core_transtab.h: where the core may do so itself, as in a system call */
extern void VG_(discard_translations)(Addr start, ULong size, const HChar *who);
/* pub_core_clientstate.h: what the program finds on its stack */
extern UWord *VG_(client_auxv);

#endif
