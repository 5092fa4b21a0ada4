/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of the measured program: what is one, the key of a job, and finding by them. Keys are
 * SHA-256 as Python's hashlib has them of the canonical JSON. */
#include <errno.h>

#include "catalogue-sample.h"
#include "store/json-text.h"
#include "unit.h"

#define OPTIONS(text) ",\"configuration\":{" text "}"

/* --- texts --- */

static int set_all(size_t n, const char *const texts[n], struct rarog_configuration *configuration)
{
	struct rarog_strings list = { 0 };
	int r;

	for (size_t i = 0; i < n; i++)
		assert_int_equal(rarog_vec_push(&list, texts[i]), 0);
	r = rarog_configuration_set_all(configuration, &list);
	rarog_vec_release(&list);
	return r;
}

TEST(options_are_sorted_and_texts)
{
	rarog_cleanup(rarog_configuration_release) struct rarog_configuration of = { 0 };
	rarog_cleanup(rarog_str_release) struct rarog_str words = { 0 };
	rarog_cleanup(rarog_freep) char *json = NULL;
	double number;

	assert_int_equal(
		set_all(4, (const char *[]){ "level=6", "fast=true", "x=", "n=1e3=" }, &of), 0);
	json = rarog_configuration_json(&of);
	assert_string_equal(json, "{\"fast\":\"true\",\"level\":\"6\",\"n\":\"1e3=\",\"x\":\"\"}");
	assert_int_equal(rarog_configuration_words(json, " · ", &words), 0);
	assert_string_equal(words.text, " · fast=true level=6 n=1e3= x=");
	assert_string_equal(rarog_configuration_get(&of, "fast"), "true");
	assert_null(rarog_configuration_get(&of, "slow"));
	assert_true(rarog_configuration_number(&of, "level", &number));
	assert_true(number == 6);
	assert_false(rarog_configuration_number(&of, "fast", &number));
	assert_false(rarog_configuration_number(&of, "n", &number));
	assert_false(rarog_configuration_number(&of, "x", &number));
	assert_false(rarog_configuration_number(&of, "slow", &number));
}

TEST(a_value_with_spaces_is_one_option)
{
	rarog_cleanup(rarog_str_release) struct rarog_str words = { 0 };

	assert_int_equal(
		rarog_configuration_words("{\"a\":\"1 b=2\",\"b\":\"it's it\"}", "", &words), 0);
	assert_string_equal(words.text, "a='1 b=2' b=\"it's it\"");
}

TEST(an_option_is_taken_off)
{
	static const struct {
		const char *json, *name, *rest;
	} cases[] = {
		{ "{\"a\":\"1\",\"b\":\"2\",\"c\":\"3\"}", "b", "{\"a\":\"1\",\"c\":\"3\"}" },
		{ "{\"a\":\"1\",\"b\":\"2\"}", "b", "{\"a\":\"1\"}" },
		{ "{\"a\":\"1\"}", "a", "" },
		{ "{\"a\":\"1\"}", "b", "{\"a\":\"1\"}" },
		{ "{\"a\":\"1\"}", NULL, "{\"a\":\"1\"}" },
		{ "", "a", "" },
		{ NULL, NULL, "" },
	};

	for (size_t i = 0; i < RAROG_COUNT(cases); i++) {
		rarog_cleanup(rarog_freep) char *rest =
			rarog_configuration_without(cases[i].json, cases[i].name);

		assert_string_equal(rest, cases[i].rest);
	}
}

TEST(what_is_no_option_is_said_in_a_line)
{
	static const struct {
		const char *texts[2], *message;
	} wrong[] = {
		{ { "level" }, "--option level: expected NAME=VALUE" },
		{ { "=6" }, "the name of an option is empty" },
		{ { "a=1", "a=2" }, "option 'a' is given twice" },
		{ { "-a=1" }, "'-a': an option's name has letters" },
		{ { "a b=1" }, "'a b': an option's name has letters" },
		{ { "workload=1" }, "'workload': an option cannot be called so" },
		{ { "a=\xff" }, "the value of option 'a' is not UTF-8" },
	};

	for (size_t i = 0; i < RAROG_COUNT(wrong); i++) {
		rarog_cleanup(rarog_configuration_release) struct rarog_configuration of = { 0 };

		assert_int_equal(set_all(wrong[i].texts[1] ? 2 : 1, wrong[i].texts, &of), -EINVAL);
		assert_ptr_equal(strstr(rarog_error_message(), wrong[i].message),
				 rarog_error_message());
	}
}

TEST(a_header_may_say_anything)
{
	static const struct {
		const char *header, *json;
	} cases[] = {
		{ "{}", "" },
		{ "{\"configuration\":7}", "" },
		{ "{\"configuration\":{}}", "" },
		{ "{\"configuration\":{\"b\":6,\"a\":true,\"c\":[1],\"d\":null,\"e\":\"x\"}}",
		  "{\"a\":\"true\",\"b\":\"6\",\"e\":\"x\"}" },
	};

	for (size_t i = 0; i < RAROG_COUNT(cases); i++) {
		rarog_cleanup(rarog_job_release) struct rarog_job job = { 0 };
		rarog_cleanup(rarog_json_decrefp) json_t *header =
			json_loads(cases[i].header, 0, NULL);

		assert_int_equal(rarog_job_parse(header, &job), 0);
		assert_string_equal(job.configuration, cases[i].json);
	}
}

/* --- the key --- */

static const char *key_of(const char *header)
{
	static char digits[RAROG_HASH_DIGITS + 1];
	rarog_cleanup(rarog_job_release) struct rarog_job job = { 0 };
	rarog_cleanup(rarog_json_decrefp) json_t *json = json_loads(header, 0, NULL);

	assert_int_equal(rarog_job_parse(json, &job), 0);
	strcpy(digits, rarog_hash_hex(&job.key).text);
	return digits;
}

#define HEADER                                                                                     \
	"{\"command\":[\"./p\",\"-x\"],\"workload\":\"w\",\"collector\":\"trace\",\"engine\":"     \
	"\"inline\""

TEST(options_are_part_of_the_key_and_none_changes_no_key)
{
	assert_string_equal(key_of(HEADER "}"),
			    "42a4e943b499ff42493bfecf65eaf4c0ebdfd50e3a4ccc423b97234463057951");
	assert_string_equal(key_of(HEADER OPTIONS("") "}"),
			    "42a4e943b499ff42493bfecf65eaf4c0ebdfd50e3a4ccc423b97234463057951");
	assert_string_equal(key_of(HEADER OPTIONS("\"level\":\"6\",\"fast\":\"true\"") "}"),
			    "26455c925ff0b93f47661d56b91d674b1e62512af27db617755c2318b27687e2");
}

TEST(a_job_that_is_written_is_read_again)
{
	rarog_cleanup(rarog_job_release) struct rarog_job job = { 0 }, again = { 0 };
	rarog_cleanup(rarog_json_decrefp) json_t *json = NULL;
	rarog_cleanup(rarog_freep) char *text = NULL;
	struct rarog_json_text out;

	job.command = strdup("./p");
	job.collector = strdup("trace");
	job.configuration = strdup("{\"level\":\"6\"}");
	assert_int_equal(rarog_job_seal(&job), 0);
	assert_non_null(rarog_json_text_start(&out));
	rarog_json_object(&out.json, NULL);
	rarog_json_string(&out.json, "collector", "trace");
	rarog_job_write(&out.json, &job);
	rarog_json_end_object(&out.json);
	text = rarog_json_text_end(&out);
	json = json_loads(text, 0, NULL);
	assert_int_equal(rarog_job_parse(json, &again), 0);
	assert_true(rarog_hash_equal(&job.key, &again.key));
}

/* --- the catalogue --- */

static void add(struct rarog_store *store, unsigned n, const char *more)
{
	sample_add(store, &(struct sample){ .commit = A, .started_s = n, .more = more }, NULL);
}

static int64_t count(struct rarog_store *store, size_t n, const char *const texts[n])
{
	rarog_cleanup(rarog_configuration_release) struct rarog_configuration of = { 0 };
	rarog_cleanup(rarog_freep) char *json = NULL;

	assert_int_equal(set_all(n, texts, &of), 0);
	json = rarog_configuration_json(&of);
	return rarog_record_count(store,
				  &(struct rarog_record_filter){ .version = A, .options = json });
}

static const char *refused(struct rarog_store *store, const char *text)
{
	rarog_cleanup(rarog_configuration_release) struct rarog_configuration of = { 0 };

	assert_int_equal(set_all(1, &text, &of), 0);
	assert_int_equal(rarog_options_check(store, &of), -EINVAL);
	return rarog_error_message();
}

TEST_WITH(profiles_are_found_by_their_options, sample_enter, sample_leave)
{
	struct rarog_store *store = create();

	add(store, 1, "");
	add(store, 2, OPTIONS("\"level\":\"9\""));
	add(store, 3, OPTIONS("\"level\":\"10\",\"fast\":\"true\""));
	add(store, 4, OPTIONS("\"level\":\"10\",\"fast\":\"false\""));
	assert_int_equal(count(store, 0, NULL), 4);
	assert_int_equal(count(store, 1, (const char *[]){ "level=10" }), 2);
	assert_int_equal(count(store, 2, (const char *[]){ "level=10", "fast=true" }), 1);
	assert_int_equal(count(store, 2, (const char *[]){ "level=9", "fast=true" }), 0);
	assert_string_equal(refused(store, "level=1"),
			    "option 'level' has no value '1'; it has 9, 10");
	assert_string_equal(
		refused(store, "levle=1"),
		"no profile was measured with an option 'levle'; there are fast, level");
	rarog_store_free(store);
	assert_string_equal(ask_sql("SELECT configuration FROM job ORDER BY id"),
			    "\n{\"level\":\"9\"}\n{\"fast\":\"true\",\"level\":\"10\"}\n"
			    "{\"fast\":\"false\",\"level\":\"10\"}");
}
