/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small helps on jansson, for src/store only. Objects may be NULL. */
#ifndef RAROG_STORE_JSON_TEXT_H
#define RAROG_STORE_JSON_TEXT_H

#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "store/object.h"

static inline void rarog_json_decrefp(json_t **json)
{
	json_decref(*json);
}

/* A member's text to *@text, the caller's; left as it is if there is none. 0 or -ENOMEM. */
static inline int rarog_json_copy(const json_t *object, const char *key, char **text)
{
	const char *from = json_string_value(json_object_get(object, key));
	char *copy = from ? strdup(from) : NULL;

	if (!copy)
		return from ? rarog_oom() : 0;
	free(*text);
	*text = copy;
	return 0;
}

static inline uint64_t rarog_json_amount(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (json_is_integer(value) && json_integer_value(value) > 0)
		return (uint64_t)json_integer_value(value);
	return 0;
}

/* Canonical: sorted keys, no blanks. NULL: no memory. The caller frees. */
static inline char *rarog_json_canonical(const json_t *json)
{
	return json_dumps(json, JSON_SORT_KEYS | JSON_COMPACT | JSON_ENCODE_ANY);
}

#endif
