/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stub of a mark, as far as it stands before what the mark has displaced. */
#ifndef RAROG_ENGINE_INLINE_CODE_EMIT_MARK_H
#define RAROG_ENGINE_INLINE_CODE_EMIT_MARK_H

#include "engine/inline/code/emit.h"

/** rarog_emit_mark_stub() - @set: where in the area mark->values stand, if there are any */
void rarog_emit_mark_stub(struct rarog_emitter *emitter, const struct rarog_mark_stub *mark,
			  size_t set);

#endif
