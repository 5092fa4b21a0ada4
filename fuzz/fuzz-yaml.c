/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Settings files: the input is KEY LF VALUE LF and then a file. What can be read must print as
 * itself, in blocks and in one line; setting and unsetting KEY must give a file that can be read
 * and has (or lacks) it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "store/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void must_read(const char *text, const struct rarog_yaml *same)
{
	rarog_cleanup(rarog_yaml_release) struct rarog_yaml_file file = { 0 };

	if (rarog_yaml_parse("printed", strlen(text), text, &file) < 0 ||
	    !rarog_yaml_equal(file.root, same))
		abort();
}

static void print(const struct rarog_yaml *root)
{
	rarog_cleanup(rarog_str_release) struct rarog_str block = { 0 }, flow = { 0 };

	if (root->weight > 10000)
		return;
	if (rarog_yaml_print(root, 0, &block) < 0 || rarog_yaml_print_flow(root, &flow) < 0)
		return;
	must_read(rarog_str_text(&block), root);
	must_read(rarog_str_text(&flow), root);
	rarog_settings_check(root);
}

static void edit(const char *text, const char *key, const char *value)
{
	rarog_cleanup(rarog_str_release) struct rarog_str set = { 0 }, unset = { 0 };
	rarog_cleanup(rarog_yaml_release) struct rarog_yaml_file file = { 0 };
	rarog_cleanup(rarog_yaml_release) struct rarog_yaml_file without = { 0 };

	if (rarog_yaml_set("set", text, key, value, &set) == 0 &&
	    (rarog_yaml_parse("set", set.length, rarog_str_text(&set), &file) < 0 ||
	     !rarog_yaml_find(file.root, key)))
		abort();
	if (rarog_yaml_unset("unset", text, key, &unset) > 0 &&
	    rarog_yaml_parse("unset", unset.length, rarog_str_text(&unset), &without) < 0)
		abort();
}

/* The text up to the next line end; @at is moved after it. */
static char *line(const uint8_t *bytes, size_t n, size_t *at)
{
	const uint8_t *end = memchr(bytes + *at, '\n', n - *at);
	size_t length = end ? (size_t)(end - bytes) - *at : n - *at;
	char *text = strndup((const char *)bytes + *at, length);

	*at += length + (end != NULL);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	rarog_cleanup(rarog_yaml_release) struct rarog_yaml_file file = { 0 };
	size_t at = 0;
	rarog_cleanup(rarog_freep) char *key = line(bytes, n, &at);
	rarog_cleanup(rarog_freep) char *value = line(bytes, n, &at);
	rarog_cleanup(rarog_freep) char *text = strndup((const char *)bytes + at, n - at);

	if (!key || !value || !text)
		return 0;
	if (rarog_yaml_parse("fuzz", n - at, (const char *)bytes + at, &file) == 0)
		print(file.root);
	edit(text, key, value);
	return 0;
}
