/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Settings: what is read, what is said about what is wrong, and what an edit leaves alone. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "store/settings.h"

/* --- reading --- */

static int parse(const char *text, struct rarog_yaml_file *file)
{
	return rarog_yaml_parse("f.yml", strlen(text), text, file);
}

TEST(positions)
{
	rarog_cleanup(rarog_yaml_release) struct rarog_yaml_file file = { 0 };
	const char *text = "# žluť\na: 1\nb:\n  - x\n  - {k: 'ž v', l: [1, 2]}\n";
	const struct rarog_yaml *node;

	assert_int_equal(parse(text, &file), 0);
	node = rarog_yaml_find(file.root, "b.1.k");
	assert_non_null(node);
	assert_string_equal(node->text, "ž v");
	assert_int_equal(node->line, 5);
	assert_int_equal(node->column, 9);
	assert_memory_equal(text + node->start, "'ž v'", node->end - node->start);
	assert_false(node->is_plain);
	node = rarog_yaml_find(file.root, "b.1.l.1");
	assert_string_equal(node->text, "2");
	assert_null(rarog_yaml_find(file.root, "b.2"));
	assert_null(rarog_yaml_find(file.root, "b.x"));
	assert_null(rarog_yaml_find(file.root, "a.b"));
	/* a block ends with its last value */
	assert_int_equal(rarog_yaml_get(file.root, "b")->end, strlen(text) - 1);
}

TEST(aliases)
{
	rarog_cleanup(rarog_yaml_release) struct rarog_yaml_file file = { 0 };

	assert_int_equal(parse("a: &x [1, 2]\nb: *x\n", &file), 0);
	assert_ptr_equal(rarog_yaml_get(file.root, "a"), rarog_yaml_get(file.root, "b"));
}

TEST(empty)
{
	const char *const texts[] = { "", "\n", "# only a comment\n" };

	for (size_t i = 0; i < RAROG_COUNT(texts); i++) {
		rarog_cleanup(rarog_yaml_release) struct rarog_yaml_file file = { 0 };

		assert_int_equal(parse(texts[i], &file), 0);
		assert_int_equal(file.root->kind, RAROG_YAML_MAP);
		assert_int_equal(file.root->n, 0);
	}
}

struct mistake {
	const char *text, *message;
};

TEST(mistakes)
{
	static const struct mistake all[] = {
		{ "a: 1\na: 2\n", "f.yml:2:1: expected another key: 'a' is already in line 1" },
		{ "a:\n\t- b\n",
		  "f.yml:2:1: expected a value; indent with spaces, not tabs, and put a value that "
		  "begins with @, ` or % in quotes" },
		{ "a: [1, 2\n", "f.yml:2:1: expected ',' or ']'" },
		{ "a: b: c\n",
		  "f.yml:1:5: expected one key in a line; put a value that has ': ' in quotes, and "
		  "see whether the line above is indented as it should be" },
		{ "a: 1\n---\nb: 2\n", "f.yml:2:1: expected one document, not several" },
		{ "[a]: b\n", "f.yml:1:1: expected a word as the key" },
		{ "a: *b\n", "f.yml:1:4: expected a value: there is no &b above" },
		{ "a: &b [*b]\n", "f.yml:1:8: expected a value: *b would contain itself" },
		{ "a: !x 1\n", "f.yml:1:4: expected a value without the tag !x" },
		{ "a: 1\nb: \xff\n",
		  "f.yml:2:4: expected text in UTF-8: invalid leading UTF-8 octet" },
		{ "a: \"x\\0y\"\n", "f.yml:1:4: expected text without a zero byte" },
	};

	for (size_t i = 0; i < RAROG_COUNT(all); i++) {
		struct rarog_yaml_file file;

		assert_int_equal(parse(all[i].text, &file), -EINVAL);
		assert_string_equal(rarog_error_message(), all[i].message);
	}
}

/* Ten levels of ten aliases each are ten billion values. */
TEST(laughs)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	struct rarog_yaml_file file;

	rarog_str_add(&text, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
	for (int i = 1; i < 10; i++) {
		rarog_str_addf(&text, "a%d: &a%d [", i, i);
		for (int k = 0; k < 10; k++)
			rarog_str_addf(&text, "%s*a%d", k ? ", " : "", i - 1);
		rarog_str_add(&text, "]\n");
	}
	assert_int_equal(parse(text.text, &file), -EINVAL);
	assert_non_null(strstr(rarog_error_message(), "expected less"));
}

/* Levels that are only there through aliases count, too. */
TEST(deep)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	struct rarog_yaml_file file;

	rarog_str_add(&text, "a0: &a0 x\n");
	for (int i = 1; i < 100; i++)
		rarog_str_addf(&text, "a%d: &a%d [*a%d]\n", i, i, i - 1);
	assert_int_equal(parse(text.text, &file), -EINVAL);
	rarog_str_clear(&text);
	for (int i = 0; i < 100; i++)
		rarog_str_add_char(&text, '[');
	assert_int_equal(parse(text.text, &file), -EINVAL);
	assert_string_equal(rarog_error_message(), "f.yml:1:65: expected at most 64 levels");
}

static const struct rarog_yaml *value_of(struct rarog_yaml_file *file, const char *text)
{
	assert_int_equal(parse(text, file), 0);
	return file->root;
}

TEST(values)
{
	static const char *const choices[] = { "calls", "summary", "count", NULL };
	int64_t number = 0;
	uint64_t amount = 0;
	double real = 0;
	bool truth = false;
	int choice = -1;
	const char *text;

#define READ(yaml, call, expected)                                                                 \
	do {                                                                                       \
		rarog_cleanup(rarog_yaml_release) struct rarog_yaml_file f = { 0 };                \
		const struct rarog_yaml *node = value_of(&f, yaml);                                \
		assert_int_equal(call, expected);                                                  \
	} while (0)
#define WRONG(yaml, call, message)                                                                 \
	do {                                                                                       \
		READ(yaml, call, -EINVAL);                                                         \
		assert_string_equal(rarog_error_message(), "f.yml:1:1: expected " message);        \
	} while (0)
	READ("42", rarog_yaml_int(node, 0, 100, &number), 0);
	assert_int_equal(number, 42);
	WRONG("101", rarog_yaml_int(node, 0, 100, &number),
	      "a whole number from 0 to 100, not '101'");
	WRONG("99999999999999999999", rarog_yaml_int(node, INT64_MIN, INT64_MAX, &number),
	      "a whole number, not '99999999999999999999'");
	WRONG("4x", rarog_yaml_int(node, 1, INT64_MAX, &number),
	      "a whole number, at least 1, not '4x'");
	WRONG("[1]", rarog_yaml_int(node, 1, INT64_MAX, &number),
	      "a whole number, at least 1, not a list");
	READ("Yes", rarog_yaml_bool(node, &truth), 0);
	assert_true(truth);
	WRONG("maybe", rarog_yaml_bool(node, &truth), "true or false, not 'maybe'");
	READ("1.5e3", rarog_yaml_double(node, &real), 0);
	assert_true(real == 1500);
	WRONG("nan", rarog_yaml_double(node, &real), "a number, not 'nan'");
	READ("1h30m", rarog_yaml_duration(node, &amount), 0);
	assert_int_equal(amount, 5400000000000);
	WRONG("soon", rarog_yaml_duration(node, &amount), "a time (30s, 1.5m, 2h), not 'soon'");
	READ("64K", rarog_yaml_size(node, &amount), 0);
	assert_int_equal(amount, 65536);
	WRONG("{}", rarog_yaml_size(node, &amount), "a size (64K, 1.5G), not a map");
	READ("count", rarog_yaml_choice(node, choices, &choice), 0);
	assert_int_equal(choice, 2);
	WRONG("call", rarog_yaml_choice(node, choices, &choice),
	      "calls, summary or count, not 'call'");
	READ("1.10", rarog_yaml_text(node, &text), 0);
	WRONG("~", rarog_yaml_text(node, &text), "a text, not nothing");
#undef READ
#undef WRONG
}

/* --- printing --- */

TEST(print_and_read)
{
	static const char *const texts[] = {
		"a: 1\nb: [x, {c: d}, []]\nc: {}\nd: 'it''s'\n",
		"- - 1\n  - 2\n- a: b\n  c: [d]\n-\n",
		"a: '1'\nb: 'true'\nc: '~'\nd: ''\ne: ' x'\nf: '- x'\ng: '#x'\nh: 'a: b'\n",
		"i: 'a #b'\n",
		"a: \"line\\nline\\t\\x07\"\nb: \"\\N\\L\\P\\uFEFF\"\n'k: 1': -q\n'-': --x\n",
		"a: |\n  text\n   more\n\nb: >-\n  folded\n  text\n",
		"u: http://x/y\nw: c:\\x\nx: '...'\ny: '---'\nz: '[a'\nž: ž\n",
	};

	for (size_t i = 0; i < RAROG_COUNT(texts); i++) {
		rarog_cleanup(rarog_yaml_release) struct rarog_yaml_file a = { 0 }, b = { 0 },
									 c = { 0 };
		rarog_cleanup(rarog_str_release) struct rarog_str block = { 0 }, flow = { 0 };

		assert_int_equal(parse(texts[i], &a), 0);
		assert_int_equal(rarog_yaml_print(a.root, 0, &block), 0);
		assert_int_equal(rarog_yaml_print_flow(a.root, &flow), 0);
		assert_int_equal(parse(block.text, &b), 0);
		assert_int_equal(parse(flow.text, &c), 0);
		assert_true(rarog_yaml_equal(a.root, b.root));
		assert_true(rarog_yaml_equal(a.root, c.root));
	}
}

TEST(printed)
{
	rarog_cleanup(rarog_yaml_release) struct rarog_yaml_file file = { 0 };
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };

	assert_int_equal(parse("{a: [1, {b: 2, c: 'x y'}], d: {}, e: '5', f: 5}", &file), 0);
	assert_int_equal(rarog_yaml_print(file.root, 2, &text), 0);
	assert_string_equal(text.text, "  a:\n    - 1\n    - b: 2\n      c: x y\n  d: {}\n"
				       "  e: '5'\n  f: 5\n");
}

/* --- editing --- */

struct edit {
	const char *before, *key, *value, *after; /* value NULL: unset; after NULL: refused */
};

static const struct edit edits[] = {
	/* a value that is there */
	{ "# c\ngc:\n  keep: 3   # why\n\n# end\n", "gc.keep", "5",
	  "# c\ngc:\n  keep: 5   # why\n\n# end\n" },
	{ "a: 'x'\n", "a", "y z", "a: y z\n" },
	{ "a: {b: 1, c: 2} # k\n", "a.b", "[1, 2]", "a: {b: [1, 2], c: 2} # k\n" },
	{ "a:   # k\n", "a", "1", "a: 1   # k\n" },
	{ "a:\nb: 2\n", "a", "1", "a: 1\nb: 2\n" },
	{ "a:\n  - x\n  - y # z\nb: 1\n", "a", "[p]", "a: [p] # z\nb: 1\n" },
	{ "a:\n  - x\n  - y\n", "a.1", "z", "a:\n  - x\n  - z\n" },
	{ "a: |\n  text\n  more\nb: 1\n", "a", "t", "a: t\nb: 1\n" },
	{ "a: 1", "a", "2", "a: 2" },
	{ "ž: ž # ž\nb: 1\n", "b", "2", "ž: ž # ž\nb: 2\n" },
	{ "\"a\" : 1\r\nb: 2\r\n", "a", "3", "\"a\" : 3\r\nb: 2\r\n" },
	/* one that is not */
	{ "", "gc.keep", "5", "gc:\n  keep: 5\n" },
	{ "# only\n", "a", "1", "# only\na: 1\n" },
	{ "a: 1", "b", "2", "a: 1\nb: 2\n" },
	{ "a: 1 # c\n\n# end\n", "b", "2", "a: 1 # c\nb: 2\n\n# end\n" },
	{ "gc:\n    x: 1\n    # in\nb: 2\n", "gc.y", "2",
	  "gc:\n    x: 1\n    y: 2\n    # in\nb: 2\n" },
	{ "gc:\n  x:\n    - 1\n    - 2\nb: 2\n", "gc.y.z", "2",
	  "gc:\n  x:\n    - 1\n    - 2\n  y:\n    z: 2\nb: 2\n" },
	{ "gc: {x: 1}\n", "gc.y.z", "2", "gc: {x: 1, y: {z: 2}}\n" },
	{ "gc: {}\n", "gc.y", "2", "gc: {y: 2}\n" },
	{ "gc:\nb: 2\n", "gc.y.z", "2", "gc:\n  y:\n    z: 2\nb: 2\n" },
	{ "gc: # k\n", "gc.y", "2", "gc:\n  y: 2 # k\n" },
	/* refused */
	{ "a: &x 1\nb: *x\n", "a", "2", NULL },
	{ "a: &x 1\nb: *x\n", "b", "2", NULL },
	{ "a: 1\n", "a.b", "2", NULL },
	{ "a: [1]\n", "a.b", "2", NULL },
	{ "a: 1\n", "b", "[", NULL },
	{ "a: 1\n", "b..c", "1", NULL },
	/* taken away */
	{ "# c\na: 1\n# d\nb: 2 # e\nc: 3\n", "b", NULL, "# c\na: 1\n# d\nc: 3\n" },
	{ "gc:\n  x: 1\n  y: 2\n", "gc.y", NULL, "gc:\n  x: 1\n" },
	{ "gc:\n  x: 1\nb: 2\n", "gc.x", NULL, "b: 2\n" },
	{ "gc:\n  x: 1", "gc.x", NULL, "" },
	{ "gc:\n  x:\n    - 1\n    - 2\n  y: 2\n", "gc.x", NULL, "gc:\n  y: 2\n" },
	{ "gc: {x: 1, y: 2}\n", "gc.x", NULL, "gc: {y: 2}\n" },
	{ "gc: {x: 1, y: 2}\n", "gc.y", NULL, "gc: {x: 1}\n" },
	{ "a:\n  - x: 1\n    y: 2\n  - z: 1\n", "a.0.x", NULL, "a:\n  - y: 2\n  - z: 1\n" },
	{ "a:\n  - x\n  - y\n", "a.0", NULL, "a:\n  - y\n" },
	{ "a: |\n  text\nb: 1\n", "a", NULL, "b: 1\n" },
	{ "a:\nb: 1\n", "a", NULL, "b: 1\n" },
};

TEST(edited)
{
	for (size_t i = 0; i < RAROG_COUNT(edits); i++) {
		const struct edit *e = &edits[i];
		rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
		int r = e->value ? rarog_yaml_set("f", e->before, e->key, e->value, &text)
				 : rarog_yaml_unset("f", e->before, e->key, &text);

		if (!e->after) {
			assert_int_equal(r, -EINVAL);
			continue;
		}
		if (r < 0)
			print_message("%s\n%s", rarog_error_message(), e->before);
		assert_true(r >= 0);
		assert_string_equal(rarog_str_text(&text), e->after);
	}
}

TEST(nothing_to_unset)
{
	struct rarog_str text = { 0 };

	assert_int_equal(rarog_yaml_unset("f", "a: 1\n", "b", &text), 0);
	assert_int_equal(rarog_yaml_unset("f", "a: 1\n", "a.b", &text), 0);
	assert_int_equal(rarog_yaml_unset("f", "", "a", &text), 0);
	assert_null(text.text);
}

/* --- scopes --- */

static char directory[] = "/tmp/rarog-test-settings-XXXXXX";

static void write_text(const char *name, const char *text)
{
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/%s", directory, name);
	rarog_cleanup(rarog_fclosep) FILE *f = fopen(path, "we");

	assert_non_null(f);
	fputs(text, f);
}

static int set_up(void **state)
{
	rarog_cleanup(rarog_freep) char *user = NULL;

	(void)state;
	assert_non_null(mkdtemp(directory));
	user = rarog_asprintf("%s/rarog", directory);
	mkdir(user, 0777);
	setenv("XDG_CONFIG_HOME", directory, 1);
	return 0;
}

static int tear_down(void **state)
{
	rarog_cleanup(rarog_freep) char *command = rarog_asprintf("rm -r '%s'", directory);

	(void)state;
	return system(command);
}

TEST(scopes)
{
	rarog_cleanup(rarog_settings_freep) struct rarog_settings *s = NULL;
	const char *given[] = { "gc.keep=3", "gc.keep=7", "machine.class= lab 1 ",
				"jobs=[{command: x}]", "profile.name=%cmd%-%date%" };
	struct rarog_strings runtime = { .v = given, .n = 5 };
	const struct rarog_yaml *values[RAROG_SCOPES];
	enum rarog_scope_kind scope;

	write_text("rarog/config.yml", "gc: {keep: 1, max-size: 1K}\nstatus: {sort: size}\n");
	write_text(".rarog.yml", "gc:\n  keep: 2\n  max-size: 2K\n");
	assert_int_equal(rarog_settings_open(directory, &runtime, &s), 0);
	assert_int_equal(rarog_settings_int(s, "gc.keep"), 7);
	assert_int_equal(rarog_settings_size(s, "gc.max-size"), 2048);
	assert_string_equal(rarog_settings_text(s, "machine.class"), " lab 1 ");
	assert_string_equal(rarog_settings_text(s, "profile.name"), "%cmd%-%date%");
	assert_int_equal(rarog_settings_choice(s, "status.sort"), 5);
	assert_true(rarog_settings_bool(s, "collect.store"));
	assert_int_equal(rarog_settings_duration(s, "gc.grace"), 14 * 86400 * 1000000000ull);
	assert_null(rarog_settings_text(s, "core.editor"));
	assert_non_null(rarog_settings_get(s, "gc.max-size", &scope));
	assert_int_equal(scope, RAROG_SCOPE_REPOSITORY);
	assert_int_equal(rarog_settings_gather(s, "gc.keep", values), 3);
	assert_string_equal(values[0]->text, "7");
	assert_string_equal(values[2]->text, "1");
	assert_string_equal(rarog_yaml_find(rarog_settings_get(s, "jobs", NULL), "0.command")->text,
			    "x");
}

static void expect_refusal(const char *file, const char *given, const char *message)
{
	const char *list[] = { given };
	struct rarog_strings runtime = { .v = list, .n = given != NULL };
	struct rarog_settings *settings = NULL;

	write_text("rarog/config.yml", "");
	write_text(".rarog.yml", file);
	assert_int_equal(rarog_settings_open(directory, &runtime, &settings), -EINVAL);
	assert_string_equal(
		strstr(rarog_error_message(), message) ? message : rarog_error_message(), message);
}

TEST(refusals)
{
	expect_refusal("gc:\n  kep: 1\n", NULL,
		       "/.rarog.yml:2:3: unknown key 'kep'; did you mean keep?");
	expect_refusal("gcc: 1\n", NULL, "/.rarog.yml:1:1: unknown key 'gcc'; did you mean gc?");
	expect_refusal("gc: 1\n", NULL, "/.rarog.yml:1:5: expected a map of settings, not '1'");
	expect_refusal("gc: {keep: x}\n", NULL, "/.rarog.yml:1:12: expected a whole number from 0");
	expect_refusal("- a\n", NULL, "/.rarog.yml:1:1: expected a map of settings, not a list");
	expect_refusal("", "gc.keep", "-c gc.keep: expected KEY=VALUE");
	expect_refusal("", "gc.kep=1", "-c: unknown setting 'gc.kep'; did you mean gc.keep");
	expect_refusal("", "gc.max-size=big", "-c gc.max-size:1:1: expected a size");
	expect_refusal("profile:\n  name: '%cm%'\n", NULL,
		       "/.rarog.yml:2:9: template '%cm%': there");
	expect_refusal("", "jobs=[", "-c jobs:2:1: expected a value");
}

GROUP(set_up, tear_down)
