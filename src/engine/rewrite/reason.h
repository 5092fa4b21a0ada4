/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a function is left as it is. */
#ifndef RAROG_ENGINE_REWRITE_REASON_H
#define RAROG_ENGINE_REWRITE_REASON_H

enum rarog_rewrite_reason {
	RAROG_REWRITE_OK = 0,
	RAROG_REWRITE_SPECIAL, /* by name: start-up code, signal restorers … */
	RAROG_REWRITE_FLAGS,   /* takes or returns status flags */
	RAROG_REWRITE_DECODE,  /* its bytes are not all instructions */
	RAROG_REWRITE_OVERLAP, /* shares bytes with another function */
	RAROG_REWRITE_READ,    /* code reads its bytes */
	RAROG_REWRITE_WRITTEN, /* the loader, or its own instrumentation, writes there */
	RAROG_REWRITE_MIDDLE,  /* something leads into the middle of an instruction */
	RAROG_REWRITE_JUMP,    /* jumps where nothing says */
	RAROG_REWRITE_MOVE,    /* an instruction that cannot run elsewhere */
	RAROG_REWRITE_ROOM,    /* no room for the jumps to its copy */
	RAROG_REWRITE_FAR,     /* the copy would not reach what it refers to */
	RAROG_REWRITE_REASONS
};

/** rarog_rewrite_reason_text() - one short phrase for people; static. */
const char *rarog_rewrite_reason_text(enum rarog_rewrite_reason reason);

#endif
