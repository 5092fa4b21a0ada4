/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/error.h"
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
