/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "optimize/name-json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/utf8.h"

static bool is_utf8(const char *name)
{
	for (size_t n = strlen(name), length; n > 0; n -= length, name += length) {
		length = rarog_utf8_length(n, name);
		if (length == 0)
			return false;
	}
	return true;
}

static json_t *pack_bytes(const char *name)
{
	rarog_cleanup(rarog_str_release) struct rarog_str digits = { 0 };
	int r = 0;

	for (const char *c = name; r == 0 && *c; c++)
		r = rarog_str_addf(&digits, "%02x", (unsigned)(unsigned char)*c);
	return r < 0 ? NULL : json_pack("{s:s}", "bytes", rarog_str_text(&digits));
}

json_t *rarog_name_pack(const char *name)
{
	return is_utf8(name) ? json_string(name) : pack_bytes(name);
}

static const char *unpack_bytes(const char *digits, struct rarog_str *scratch)
{
	size_t n = strlen(digits);
	int r = n % 2 == 0 && strspn(digits, "0123456789abcdef") == n ? 0 : -1;

	rarog_str_clear(scratch);
	for (size_t i = 0; r == 0 && i < n; i += 2) {
		const char two[] = { digits[i], digits[i + 1], '\0' };
		unsigned long byte = strtoul(two, NULL, 16);

		r = byte ? rarog_str_add_char(scratch, (char)byte) : -1;
	}
	return r == 0 ? rarog_str_text(scratch) : NULL;
}

const char *rarog_name_unpack(const json_t *packed, struct rarog_str *scratch)
{
	const char *digits = json_string_value(json_object_get(packed, "bytes"));

	return digits ? unpack_bytes(digits, scratch) : json_string_value(packed);
}

json_t *rarog_name_show(const char *name)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	int r = 0;

	for (size_t n = strlen(name), length; r == 0 && n > 0; n -= length, name += length) {
		length = rarog_utf8_length(n, name);
		r = length > 0 ? rarog_str_add_bytes(&text, length, name)
			       : rarog_str_add(&text, "\xef\xbf\xbd");
		length = length > 0 ? length : 1;
	}
	return r < 0 ? NULL : json_string(rarog_str_text(&text));
}
