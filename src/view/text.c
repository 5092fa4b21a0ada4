/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/short-name.h"
#include "base/utf8.h"

/* Code points that would move the cursor, reorder or vanish: C1 controls, zero-width characters,
 * line separators, directional marks, embeddings and isolates, the byte order mark, interlinear
 * marks and tags. */
static const struct {
	uint32_t first, last;
} unsafe[] = {
	{ 0x00, 0x1f },     { 0x7f, 0x9f },     { 0xad, 0xad },     { 0x61c, 0x61c },
	{ 0x180e, 0x180e }, { 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f },
	{ 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xfffe, 0xffff }, { 0xe0000, 0xe0fff },
};

const char *rarog_location_title(const struct rarog_location *location)
{
	if (location->demangled && *location->demangled)
		return location->demangled;
	return location->name && *location->name ? location->name : "?";
}

/* Decodes one code point. Return: its bytes, 0 if there is no valid one at @text. */
static size_t decode(const char *text, uint32_t *ret_code)
{
	static const uint32_t masks[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	size_t n = rarog_utf8_length(strnlen(text, 4), text);
	uint32_t code = (unsigned char)text[0] & masks[n];

	for (size_t i = 1; i < n; i++)
		code = code << 6 | ((unsigned char)text[i] & 0x3f);
	*ret_code = code;
	return n;
}

static bool is_unsafe(uint32_t code, bool ascii)
{
	if (ascii && code >= 0x80)
		return true;
	for (size_t i = 0; i < RAROG_COUNT(unsafe); i++)
		if (code >= unsafe[i].first && code <= unsafe[i].last)
			return true;
	return false;
}

/* Bytes from @text that may be shown as they are; stops at the first that may not. */
static size_t safe_span(const char *text, bool ascii)
{
	size_t i = 0;

	while (text[i]) {
		uint32_t code;
		size_t n = decode(text + i, &code);

		if (n == 0 || is_unsafe(code, ascii))
			break;
		i += n;
	}
	return i;
}

static int add_escape(struct rarog_str *to, const char **text)
{
	uint32_t code;
	size_t n = decode(*text, &code);
	int r = n > 1 ? rarog_str_addf(to, "\\u{%x}", code)
		      : rarog_str_addf(to, "\\x%02x", (unsigned char)**text);

	*text += n ? n : 1;
	return r;
}

int rarog_text_add_clean(struct rarog_str *to, const char *text, bool ascii)
{
	while (true) {
		size_t n = safe_span(text, ascii);
		int r = rarog_str_add_bytes(to, n, text);

		text += n;
		if (r < 0 || !*text)
			return r;
		r = add_escape(to, &text);
		if (r < 0)
			return r;
	}
}

int rarog_text_add_utf8(struct rarog_str *to, const char *text)
{
	int r = 0;

	while (*text && r == 0) {
		uint32_t code;
		size_t n = decode(text, &code);

		r = n ? rarog_str_add_bytes(to, n, text) : rarog_str_add(to, "\xef\xbf\xbd");
		text += n ? n : 1;
	}
	return r;
}

/* rarog_utf8_print() knows where to cut; its mark is not ASCII. */
int rarog_text_elide(struct rarog_str *text, int columns, bool ascii)
{
	rarog_cleanup(rarog_freep) char *cut = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&cut, &size);

	if (!memory)
		return rarog_oom();
	rarog_utf8_print(memory, rarog_str_text(text), columns);
	if (fclose(memory) != 0)
		return rarog_oom();
	const char *mark = ascii ? strstr(cut, "…") : NULL;

	rarog_str_clear(text);
	if (!mark)
		return rarog_str_add(text, cut);
	int r = rarog_str_add_bytes(text, (size_t)(mark - cut), cut);

	if (r == 0)
		r = rarog_str_add(text, "~");
	return r < 0 ? r : rarog_str_add(text, mark + strlen("…"));
}

int rarog_text_fit_name(struct rarog_str *text, int columns, bool ascii)
{
	struct rarog_str name = { 0 };

	if (text->length <= (size_t)columns)
		return 0;
	int r = rarog_short_name_add(&name, text->text, ascii ? "<~>" : "<…>");

	if (r < 0)
		return r;
	rarog_str_release(text);
	*text = name;
	return 0;
}

int rarog_xml_add(FILE *out, const char *text)
{
	static const char marks[] = "&<>\"";
	static const char *const names[] = { "&amp;", "&lt;", "&gt;", "&quot;" };
	rarog_cleanup(rarog_str_release) struct rarog_str clean = { 0 };
	int r = rarog_text_add_clean(&clean, text, false);

	for (const char *c = rarog_str_text(&clean); r == 0 && *c; c++) {
		const char *mark = strchr(marks, *c);

		if (mark)
			fputs(names[mark - marks], out);
		else
			fputc(*c, out);
	}
	return r;
}

int rarog_markdown_add(FILE *out, const char *text)
{
	rarog_cleanup(rarog_str_release) struct rarog_str clean = { 0 };
	int r = rarog_text_add_clean(&clean, text, false);

	for (const char *c = rarog_str_text(&clean); r == 0 && *c; c++) {
		if (strchr("\\`*_{}[]<>()#+-.!|~&@", *c))
			fputc('\\', out);
		fputc(*c, out);
	}
	return r;
}
