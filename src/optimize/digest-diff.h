/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is different between two builds of one program, function by function. */
#ifndef RAROG_OPTIMIZE_DIGEST_DIFF_H
#define RAROG_OPTIMIZE_DIGEST_DIFF_H

#include "binary/code-digest.h"

enum rarog_code_change {
	RAROG_CHANGE_NONE,
	RAROG_CHANGE_RENAMED, /* and nothing else */
	RAROG_CHANGE_CALLS,   /* it refers to others */
	RAROG_CHANGE_CODE,
	RAROG_CHANGE_DATA, /* its code is the same, what it reads is not */
	RAROG_CHANGE_NEW,
};

/**
 * rarog_digest_diff() - what has become of each item of @now since @then
 * @ret_changes: [now->v.n]: enum rarog_code_change
 *
 * An item that only one side has is the same as one that only the other has if both are alike and
 * refer to the same: it was renamed. Return: 0, -ENOMEM.
 */
int rarog_digest_diff(const struct rarog_code_digest *then, const struct rarog_code_digest *now,
		      uint8_t ret_changes[]);

/** rarog_digest_pack() - as bytes to be kept; the caller frees. NULL: no memory. */
char *rarog_digest_pack(const struct rarog_code_digest *digest);

/** rarog_digest_unpack() - 0; -EBADMSG without message: these are not such bytes; -ENOMEM. */
int rarog_digest_unpack(size_t n, const char *bytes, struct rarog_code_digest *ret_digest);

#endif
