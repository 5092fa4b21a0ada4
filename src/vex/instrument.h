/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is put into the program's code. */
#ifndef RAROG_VEX_INSTRUMENT_H
#define RAROG_VEX_INSTRUMENT_H

#include "vex/core.h"

extern Bool instrument_accesses; /* count what is done with memory, too */

/** instrument() - as tl_basic_tool_funcs() of Valgrind wants it. */
IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
		 const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
		 IRType host_word);

#endif
