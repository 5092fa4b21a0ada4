/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/index.h"
#include "base/json-writer.h"
#include "base/str.h"
#include "base/vec.h"

TEST(fail_keeps_the_last_message)
{
	assert_int_equal(rarog_fail(-EINVAL, "x: %d", 3), -EINVAL);
	assert_string_equal(rarog_error_message(), "x: 3");
	assert_int_equal(rarog_fail(-EIO, "again: %s", rarog_error_message()), -EIO);
	assert_string_equal(rarog_error_message(), "again: x: 3");
	rarog_fail_prefix(-EIO, "file");
	assert_string_equal(rarog_error_message(), "file: again: x: 3");
}

TEST(vec_grows)
{
	RAROG_VEC(int) v = { 0 };

	for (int i = 0; i < 1000; i++)
		assert_int_equal(rarog_vec_push(&v, i), 0);
	assert_int_equal(v.n, 1000);
	assert_int_equal(v.v[999], 999);
	rarog_vec_release(&v);
	assert_int_equal(v.n, 0);
}

TEST(str_appends)
{
	rarog_cleanup(rarog_str_release) struct rarog_str s = { 0 };

	assert_string_equal(rarog_str_text(&s), "");
	rarog_str_add(&s, "ab");
	rarog_str_addf(&s, "%d-%s", 7, "long enough to make the buffer grow at least once");
	rarog_str_add_char(&s, '!');
	assert_string_equal(s.text, "ab7-long enough to make the buffer grow at least once!");
}

TEST(json_is_valid_whatever_the_bytes)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	struct rarog_json json;

	rarog_json_start(&json, f, false);
	rarog_json_object(&json, NULL);
	rarog_json_string(&json, "k", "a\"\\\n\x01\xff\xc3\xa9");
	rarog_json_array(&json, "n");
	rarog_json_int(&json, NULL, -1);
	rarog_json_double(&json, NULL, 0.5);
	rarog_json_null(&json, NULL);
	rarog_json_end_array(&json);
	rarog_json_end_object(&json);
	assert_int_equal(rarog_json_finish(&json), 0);
	fclose(f);
	assert_string_equal(text,
			    "{\"k\":\"a\\\"\\\\\\n\\u0001\\ufffd\xc3\xa9\",\"n\":[-1,0.5,null]}\n");
}

TEST(finished_json_has_no_open_end)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	struct rarog_json json;

	rarog_json_start_object(&json, f);
	rarog_json_array(&json, "n");
	rarog_json_object(&json, NULL);
	rarog_json_end_object(&json);
	rarog_json_array(&json, NULL);
	assert_int_equal(rarog_json_finish(&json), 0);
	fclose(f);
	assert_string_equal(text, "{\n  \"n\": [\n    {},\n    []\n  ]\n}\n");
}

static bool is_number(const void *list, size_t number, const void *key)
{
	return ((const uint32_t *)list)[number] == *(const uint32_t *)key;
}

/* Hashes that are all alike, too; every number is looked for again after the index has grown. */
TEST(index_finds_what_was_put)
{
	rarog_cleanup(rarog_index_release) struct rarog_index index = { 0 };
	static uint32_t list[1000];
	size_t n = 0;

	for (uint32_t i = 0; i < 2000; i++) {
		uint32_t key = i % 1000 * 7;
		uint64_t hash = key < 700 ? 3 : rarog_index_hash(key, 5);
		struct rarog_index_slot *slot = rarog_index_at(&index, hash, is_number, list, &key);

		if (!slot) /* an allocation fails on purpose */
			return;
		assert_int_equal(slot->entry, i < 1000 ? 0 : i % 1000 + 1);
		if (slot->entry)
			continue;
		list[n++] = key;
		slot->entry = (uint32_t)n;
	}
}
