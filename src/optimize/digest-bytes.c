/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A digest as JSON: the names, then for each item its name, its hash, whether it is a function, and
 * the names to which it refers, by their numbers, and its address.
 */
#include "optimize/digest-diff.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "optimize/name-json.h"

/* --- to bytes --- */

/* Every name that is referred to is that of an item. */
static json_t *item_to_json(const struct rarog_code_digest *digest,
			    const struct rarog_digest_item *item)
{
	json_t *refs = json_array();
	char hash[33];

	snprintf(hash, sizeof(hash), "%016" PRIx64 "%016" PRIx64, item->hash[0], item->hash[1]);
	for (uint32_t i = 0; refs && i < item->n_refs; i++) {
		long to = rarog_code_digest_find(digest, digest->refs.v[item->first_ref + i]);

		json_array_append_new(refs, json_integer(to));
	}
	return json_pack("[s, b, o, I]", hash, item->is_function, refs, (json_int_t)item->address);
}

char *rarog_digest_pack(const struct rarog_code_digest *digest)
{
	json_t *names = json_array(), *items = json_array(), *all;
	char *bytes;

	for (size_t i = 0; names && items && i < digest->v.n; i++) {
		const struct rarog_digest_item *item = &digest->v.v[i];

		json_array_append_new(names, rarog_name_pack(item->name));
		json_array_append_new(items, item_to_json(digest, item));
	}
	all = json_pack("{s:i, s:o, s:o}", "version", RAROG_CODE_DIGEST_VERSION, "names", names,
			"items", items);
	bytes = all ? json_dumps(all, JSON_COMPACT) : NULL;
	json_decref(all);
	return bytes;
}

/* --- from bytes --- */

static int add_names(struct rarog_code_digest *digest, json_t *names)
{
	rarog_cleanup(rarog_str_release) struct rarog_str scratch = { 0 };

	for (size_t i = 0; i < json_array_size(names); i++) {
		const char *text = rarog_name_unpack(json_array_get(names, i), &scratch);
		struct rarog_digest_item item = { 0 };

		if (!text)
			return -EBADMSG;
		item.name = rarog_text_pool_add(&digest->texts, strlen(text), text);
		if (!item.name || rarog_vec_push(&digest->v, item) < 0)
			return rarog_oom();
	}
	return 0;
}

static int add_refs(struct rarog_code_digest *digest, struct rarog_digest_item *item, json_t *refs)
{
	item->first_ref = (uint32_t)digest->refs.n;
	item->n_refs = (uint32_t)json_array_size(refs);
	for (uint32_t i = 0; i < item->n_refs; i++) {
		json_int_t to = json_integer_value(json_array_get(refs, i));

		if (to < 0 || (uint64_t)to >= digest->v.n)
			return -EBADMSG;
		if (rarog_vec_push(&digest->refs, digest->v.v[to].name) < 0)
			return rarog_oom();
	}
	return 0;
}

/* 16 hexadecimal digits */
static int read_half(const char *digits, uint64_t *ret_half)
{
	char half[17] = { 0 };

	memcpy(half, digits, 16);
	if (strspn(half, "0123456789abcdef") != 16)
		return -EBADMSG;
	*ret_half = strtoull(half, NULL, 16);
	return 0;
}

static int read_item(struct rarog_code_digest *digest, struct rarog_digest_item *item, json_t *row)
{
	const char *hash;
	int is_function;
	json_int_t address;
	json_t *refs;

	if (json_unpack(row, "[s, b, o, I]", &hash, &is_function, &refs, &address) < 0 ||
	    strlen(hash) != 32 || read_half(hash, &item->hash[0]) < 0 ||
	    read_half(hash + 16, &item->hash[1]) < 0)
		return -EBADMSG;
	item->is_function = is_function;
	item->address = (uint64_t)address;
	return add_refs(digest, item, refs);
}

static int is_sorted(const struct rarog_code_digest *digest)
{
	for (size_t i = 1; i < digest->v.n; i++)
		if (strcmp(digest->v.v[i - 1].name, digest->v.v[i].name) > 0)
			return -EBADMSG;
	return 0;
}

int rarog_digest_unpack(size_t n, const char *bytes, struct rarog_code_digest *ret_digest)
{
	rarog_cleanup(rarog_code_digest_release) struct rarog_code_digest digest = { 0 };
	json_t *all = json_loadb(bytes, n, 0, NULL), *names, *items;
	int version, r = -EBADMSG;

	if (all &&
	    json_unpack(all, "{s:i, s:o, s:o}", "version", &version, "names", &names, "items",
			&items) == 0 &&
	    version == RAROG_CODE_DIGEST_VERSION &&
	    json_array_size(names) == json_array_size(items))
		r = add_names(&digest, names);
	for (size_t i = 0; r == 0 && i < digest.v.n; i++)
		r = read_item(&digest, &digest.v.v[i], json_array_get(items, i));
	json_decref(all);
	if (r == 0)
		r = is_sorted(&digest);
	if (r == 0)
		*ret_digest = rarog_take_struct(digest);
	return r;
}
