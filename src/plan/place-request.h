/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Places in the code without a mark, as people name them (--at): [BINARY#]FILE:LINE, [BINARY#]
 * FILE:LINE-LINE for what is between, and the same with addresses (0x…) in the place of lines; and
 * after that, if only every N-th passage is to be recorded, #N. Or calls: FUNC@CALLER by names or
 * patterns, FUNC@FILE:LINE by the line of the call. Or where a function returns: return@FUNC.
 */
#ifndef RAROG_PLAN_PLACE_REQUEST_H
#define RAROG_PLAN_PLACE_REQUEST_H

#include "base/match.h"
#include "base/vec.h"

struct rarog_place_request {
	char *given;               /* all of it */
	char *text;                /* after BINARY#: what it is called in the profile */
	struct rarog_match binary; /* zeroed: any */
	bool is_return;            /* where callee returns is meant, not calls of it */
	struct rarog_match callee; /* zeroed: no call … */
	struct rarog_match caller; /* … by this one; zeroed: by the line */
	char *file;                /* NULL: an address or caller */
	uint64_t first, last;      /* lines or addresses; last 0: no region */
	uint32_t every;            /* one of so many passages is recorded; 0: each */
	bool is_found;             /* a binary has it, measured or not; see mark-places.c */
};

struct rarog_place_requests {
	RAROG_VEC(struct rarog_place_request) list;
};

/** rarog_place_requests_add() - one of --at; what is there already is not there twice. Return: 0;
 * -EINVAL with message; -ENOMEM. */
int rarog_place_requests_add(struct rarog_place_requests *requests, const char *text);
void rarog_place_requests_release(struct rarog_place_requests *requests);

/** rarog_place_request_is_in() - may it be in the binary @path? */
bool rarog_place_request_is_in(struct rarog_place_request *request, const char *path);

/** rarog_place_request_is_call() - are calls of a function meant, or returns? */
bool rarog_place_request_is_call(const struct rarog_place_request *request);

/** rarog_place_request_is_line() - is a single line meant, which begins and has no end? */
bool rarog_place_request_is_line(const struct rarog_place_request *request);

#endif
