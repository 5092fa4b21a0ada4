/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/rewrite/reason.h"

static const char *const texts[RAROG_REWRITE_REASONS] = {
	[RAROG_REWRITE_OK] = "is rewritten",
	[RAROG_REWRITE_SPECIAL] = "is start-up code, or switches stacks",
	[RAROG_REWRITE_FLAGS] = "takes or returns status flags",
	[RAROG_REWRITE_DECODE] = "has bytes that are no instructions",
	[RAROG_REWRITE_OVERLAP] = "shares bytes with another function",
	[RAROG_REWRITE_READ] = "has bytes that code reads",
	[RAROG_REWRITE_WRITTEN] = "is written to when it is loaded, or later",
	[RAROG_REWRITE_MIDDLE] = "is entered in the middle of an instruction",
	[RAROG_REWRITE_JUMP] = "jumps through a table of which nothing says where it leads",
	[RAROG_REWRITE_MOVE] = "has an instruction that works at its place only",
	[RAROG_REWRITE_ROOM] = "has no room for the jumps to its copy",
	[RAROG_REWRITE_FAR] = "refers to what is too far from its copy",
};

const char *rarog_rewrite_reason_text(enum rarog_rewrite_reason reason)
{
	return texts[reason];
}
