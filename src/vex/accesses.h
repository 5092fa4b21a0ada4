/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What instructions do with memory, in Valgrind's terms. */
#ifndef RAROG_VEX_ACCESSES_H
#define RAROG_VEX_ACCESSES_H

#include "vex/core.h"
#include "vex/record.h"

/* Where statements stand: in an instruction, which may be left before its end. */
struct accesses_place {
	Bool is_register_only; /* it touches no memory, whatever Valgrind makes of it */
	Bool is_atomic;        /* its loads are part of the exchange */
	Bool is_behind_exit;
};

/** accesses_begin() - the place at statement @at of @in, which begins an instruction. */
struct accesses_place accesses_begin(const IRSB *in, Int at);

/** accesses_step() - the place after @statement. */
void accesses_step(struct accesses_place *place, const IRStmt *statement);

/** accesses_always() - what the instruction that begins at statement @at of @in does each time. */
struct rarog_vex_access accesses_always(const IRSB *in, Int at);

/**
 * accesses_sometimes() - what a statement of @in does, unless accesses_always() tells it
 * @ret_guard: it does so if this is 1; NULL: when it is reached
 *
 * Return: False: nothing.
 */
Bool accesses_sometimes(const IRSB *in, const struct accesses_place *place, const IRStmt *statement,
			struct rarog_vex_access *ret_access, IRExpr **ret_guard);

#endif
