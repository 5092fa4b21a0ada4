/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A mangled name has each identifier of the source as it is, after its length: "3foo". What else a
 * demangler writes are words of its own ("operator", "unsigned", "std"). So of a pattern one
 * identifier that is none of these is looked for, in a set of all of them; of a glob a part of one.
 * A symbol that has none passes not. Where that is not for sure, all pass.
 */
#include "plan/name-filter.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/lower-bound.h"
#include "base/str.h"

#define LONG 63 /* and longer: the last bit of lengths */

/* What libiberty writes that no symbol has, for C++ and Rust. */
static const char *const made[] = {
	/* abbreviations of the standard library */
	"std",
	"allocator",
	"basic_string",
	"string",
	"char_traits",
	"istream",
	"ostream",
	"iostream",
	"basic_istream",
	"basic_ostream",
	"basic_iostream",
	/* types */
	"signed",
	"unsigned",
	"bool",
	"char",
	"char8_t",
	"char16_t",
	"char32_t",
	"wchar_t",
	"short",
	"int",
	"long",
	"float",
	"double",
	"__float128",
	"_Float",
	"__int128",
	"void",
	"boolean",
	"byte",
	"decimal32",
	"decimal64",
	"decimal128",
	"half",
	"__bf16",
	"auto",
	"decltype",
	"nullptr",
	"__vector",
	"vector",
	"complex",
	"_Complex",
	"imaginary",
	"_Imaginary",
	"restrict",
	"__restrict",
	"volatile",
	"const",
	"transaction_safe",
	"noexcept",
	"throw",
	/* operators and expressions */
	"operator",
	"new",
	"delete",
	"sizeof",
	"alignof",
	"typeid",
	"typename",
	"template",
	"requires",
	"co_await",
	"dynamic_cast",
	"static_cast",
	"const_cast",
	"reinterpret_cast",
	"true",
	"false",
	"this",
	"fp",
	"parm",
	"default",
	"arg",
	"lambda",
	"unnamed",
	"type",
	"global",
	"pack",
	"string literal",
	/* what stands after a name; what may stand before one has a letter of its own: is_special()
	 */
	"clone",
	"abi",
	"anonymous",
	"namespace",
	"friend",
	"enable_if",
	/* Rust's */
	"impl",
	"as",
	"dyn",
	"mut",
	"extern",
	"unsafe",
	"str",
	"u8",
	"i8",
	"u16",
	"i16",
	"u32",
	"i32",
	"u64",
	"i64",
	"u128",
	"i128",
	"usize",
	"isize",
	"f32",
	"f64",
	"closure",
	"shim",
	"punycode",
	"C",
};

static bool is_of_identifier(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Is @word, whole or as a part, one of the demangler's? */
static bool is_made(const struct rarog_filter_word *word, bool is_part)
{
	for (size_t i = 0; i < RAROG_COUNT(made); i++)
		if (is_part ? memmem(made[i], strlen(made[i]), word->text, word->length) != NULL
			    : strlen(made[i]) == word->length &&
				      memcmp(made[i], word->text, word->length) == 0)
			return true;
	return false;
}

/* The next word from *text on that is none of the demangler's. */
static bool next_word(const char **text, bool is_part, struct rarog_filter_word *ret_word)
{
	while (**text) {
		struct rarog_filter_word word = { .text = *text };

		while (is_of_identifier(word.text[word.length]))
			word.length++;
		*text += word.length > 0 ? word.length : 1;
		*ret_word = word;
		if (word.length > 0 && !isdigit((unsigned char)*word.text) &&
		    !is_made(&word, is_part))
			return true;
	}
	return false;
}

/* Nothing is told of what stands in brackets (sets of globs, tags, clones, lambdas), nor of letters
 * that are none of ASCII, which Rust writes in another way. */
static bool is_plain(const char *text)
{
	for (; *text; text++)
		if (strchr("[]{}\\\"'", *text) || (unsigned char)*text >= 0x80)
			return false;
	return true;
}

/* One of them will do: the longest. */
static int add_name(struct rarog_name_filter *filter, const char *text)
{
	struct rarog_filter_word word, longest = { .length = 0 };

	while (next_word(&text, false, &word))
		if (word.length > longest.length)
			longest = word;
	filter->passes_all |= longest.length == 0;
	filter->lengths |= 1ull << (longest.length < LONG ? longest.length : LONG);
	return rarog_vec_push(&filter->names, longest);
}

static int add_glob(struct rarog_name_filter *filter, const char *text)
{
	struct rarog_filter_word word;
	size_t n = filter->parts.n;
	int r = 0;

	while (r == 0 && next_word(&text, true, &word)) {
		word.glob = filter->n_globs;
		r = rarog_vec_push(&filter->parts, word);
	}
	filter->passes_all |= filter->parts.n == n;
	filter->n_globs++;
	return r;
}

int rarog_name_filter_add(struct rarog_name_filter *filter, const struct rarog_pattern *pattern)
{
	int r = 0;

	if (pattern->kind == RAROG_PATTERN_REGEX || !is_plain(pattern->text))
		filter->passes_all = true;
	else
		r = rarog_pattern_is_name(pattern) ? add_name(filter, pattern->text)
						   : add_glob(filter, pattern->text);
	return r < 0 ? rarog_oom() : 0;
}

/* --- asking --- */

static int compare(const struct rarog_filter_word *a, const struct rarog_filter_word *b)
{
	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	return memcmp(a->text, b->text, a->length);
}

static int by_text(const void *a, const void *b)
{
	return compare(a, b);
}

static bool has_name(const struct rarog_name_filter *filter, const char *text, size_t length)
{
	const struct rarog_filter_word word = { .text = text, .length = length };
	const struct rarog_filter_word *v = filter->names.v;
	size_t n = filter->names.n, i;

	if (!(filter->lengths >> (length < LONG ? length : LONG) & 1))
		return false;
	i = rarog_lower_bound(k, n, compare(&v[k], &word) < 0);
	return i < n && compare(&v[i], &word) == 0;
}

/* What stands after the number that ends at @text, of @left bytes. Rust may have a '_' between. */
static bool is_name_at(const struct rarog_name_filter *filter, const char *text, size_t left,
		       size_t length)
{
	if (length == 0 || length > left)
		return false;
	return has_name(filter, text, length) ||
	       (*text == '_' && length < left && has_name(filter, text + 1, length));
}

/* The first digits at @digits may be something else's: "15name" may be "1" and "5name". */
static bool has_name_after(const struct rarog_name_filter *filter, const char *digits,
			   const char *text, size_t left)
{
	size_t length = 0, unit = 1;

	for (const char *digit = text; digit-- > digits && unit <= left; unit *= 10) {
		length += (size_t)(*digit - '0') * unit;
		if (is_name_at(filter, text, left, length))
			return true;
	}
	return false;
}

static bool has_any_name(const struct rarog_name_filter *filter, const char *symbol, size_t n)
{
	const char *end = symbol + n;

	while (symbol < end) {
		const char *text = symbol;

		while (*text >= '0' && *text <= '9')
			text++;
		if (text > symbol && has_name_after(filter, symbol, text, (size_t)(end - text)))
			return true;
		symbol = text > symbol ? text : symbol + 1;
	}
	return false;
}

/* Of a glob all must be there. */
static bool has_any_glob(const struct rarog_name_filter *filter, const char *symbol, size_t n)
{
	const struct rarog_filter_word *v = filter->parts.v;

	for (size_t i = 0, end; i < filter->parts.n; i = end) {
		bool has_all = true;

		for (end = i; end < filter->parts.n && v[end].glob == v[i].glob; end++)
			has_all = has_all && memmem(symbol, n, v[end].text, v[end].length);
		if (has_all)
			return true;
	}
	return false;
}

/* Thunks, what threads' variables need, and such are called by more words than the symbol has. */
static bool is_special(const char *symbol)
{
	size_t z = strspn(symbol, "_");

	return z > 0 && symbol[z] == 'Z' && (symbol[z + 1] == 'T' || symbol[z + 1] == 'G');
}

bool rarog_name_filter_passes(struct rarog_name_filter *filter, const char *symbol)
{
	size_t n = strlen(symbol);

	if (filter->passes_all || is_special(symbol) ||
	    strchr(symbol, '$')) /* Rust's names of before have these */
		return true;
	if (!filter->is_sorted && filter->names.n > 1)
		qsort(filter->names.v, filter->names.n, sizeof(*filter->names.v), by_text);
	filter->is_sorted = true;
	return has_any_glob(filter, symbol, n) ||
	       (filter->names.n > 0 && has_any_name(filter, symbol, n));
}

void rarog_name_filter_release(struct rarog_name_filter *filter)
{
	rarog_vec_release(&filter->names);
	rarog_vec_release(&filter->parts);
}
