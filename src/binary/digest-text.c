/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of the item at hand, of which the hash is made, and the names to which it refers. */
#include <inttypes.h>

#include "binary/digest-maker.h"

int rarog_digest_put(struct rarog_digest_maker *m, size_t n, const void *bytes)
{
	return rarog_str_add_bytes(&m->text, n, bytes);
}

int rarog_digest_number(struct rarog_digest_maker *m, char kind, uint64_t number)
{
	return rarog_str_addf(&m->text, "%c%" PRIx64 ";", kind, number);
}

int rarog_digest_ref(struct rarog_digest_maker *m, const char *name, uint64_t offset)
{
	int r = rarog_vec_push(&m->digest->refs, name);

	return r < 0 ? r : rarog_digest_number(m, 'r', offset);
}
