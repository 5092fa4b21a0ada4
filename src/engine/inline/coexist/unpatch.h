/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jumps that leave a process while its threads run. The lock of breaks.c is held. */
#ifndef RAROG_ENGINE_INLINE_COEXIST_UNPATCH_H
#define RAROG_ENGINE_INLINE_COEXIST_UNPATCH_H

#include "base/vec.h"
#include "engine/inline/code/image.h"

struct rarog_taken {
	const struct rarog_installed *installed;
	struct rarog_patch *patch;
	bool is_done;
};

struct rarog_taking {
	struct rarog_remote *remote;
	RAROG_VEC(struct rarog_taken) patches;
};

/** rarog_taking_add() - @patch shall go, and the short jump that leads to it: that must not when
 * there are nops again */
void rarog_taking_add(struct rarog_taking *taking, const struct rarog_installed *installed,
		      struct rarog_patch *patch);

/** rarog_take_out() - all that were added are taken out, their semaphores lowered; the list is
 * empty then */
void rarog_take_out(struct rarog_taking *taking);

/** rarog_is_traced_here() - by us, who are told of its faults? */
bool rarog_is_traced_here(pid_t pid);

#endif
