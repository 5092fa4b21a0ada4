/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the functions and the named data of a file do, in few bytes: a hash of each that does not
 * change when it moves or something else is renamed, and the names to which it refers. Calls and
 * addresses are names; constants without a name are their bytes; padding is nothing. Where nobody
 * knows how far something goes that has no name, all counts that lies between two that have one.
 * So there may be a change for nothing, but never none where there is one.
 */
#ifndef RAROG_BINARY_CODE_DIGEST_H
#define RAROG_BINARY_CODE_DIGEST_H

#include "base/vec.h"
#include "binary/binary.h"
#include "binary/text-pool.h"

/* Changes with what is hashed: digests of different versions are not compared. */
#define RAROG_CODE_DIGEST_VERSION 6

/* Name of the item that is what the variables of threads begin with. Which of them code means is a
 * number in it. */
#define RAROG_DIGEST_THREAD_DATA "=thread-local data"

struct rarog_digest_item {
	const char *name; /* borrowed from the digest; of data with a '=' before it */
	uint64_t address; /* not part of the hash */
	uint64_t hash[2];
	uint32_t first_ref, n_refs; /* in .refs, in the order of the code */
	bool is_function;           /* else data */
};

struct rarog_code_digest {
	struct rarog_text_pool texts;
	RAROG_VEC(struct rarog_digest_item) v; /* by name */
	RAROG_VEC(const char *) refs;          /* names, borrowed likewise */
};

/** rarog_code_digest_make() - 0, -ENOMEM, -EFBIG, -EINVAL. Release in any case. */
int rarog_code_digest_make(const struct rarog_binary *binary, struct rarog_code_digest *ret_digest);
void rarog_code_digest_release(struct rarog_code_digest *digest); /* fits rarog_cleanup() */

/** rarog_code_digest_find() - index; -ENOENT without message. */
long rarog_code_digest_find(const struct rarog_code_digest *digest, const char *name);

/** rarog_code_digest_settle() - after items were added: sort them by name. */
void rarog_code_digest_settle(struct rarog_code_digest *digest);

#endif
