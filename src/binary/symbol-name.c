/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gcc and clang name what they derive from a function by a suffix after a dot; the table has those
 * seen in gcc 4-14 and clang 3-19. Names of C functions have no dot, C++ manglings none before the
 * suffix, Rust's legacy mangling has "..", which matches no word.
 */
#include "binary/symbol-name.h"

#include <ctype.h>
#include <string.h>

#include "base/cleanup.h"
#include "binary/binary.h"

static const struct {
	const char *word;
	uint32_t flag;
} suffixes[] = {
	{ "cold", RAROG_FUNCTION_COLD },       { "part", RAROG_FUNCTION_CLONE },
	{ "constprop", RAROG_FUNCTION_CLONE }, { "isra", RAROG_FUNCTION_CLONE },
	{ "lto_priv", RAROG_FUNCTION_CLONE },  { "localalias", RAROG_FUNCTION_CLONE },
	{ "llvm", RAROG_FUNCTION_CLONE },      { "clone", RAROG_FUNCTION_CLONE },
	{ "simdclone", RAROG_FUNCTION_CLONE }, { "specialized", RAROG_FUNCTION_CLONE },
	{ "warm", RAROG_FUNCTION_CLONE },      { "resolver", RAROG_FUNCTION_IFUNC },
	{ "__part", RAROG_FUNCTION_COLD }, /* a basic block in a section of its own */
};

static uint32_t suffix_flag(size_t n, const char *word)
{
	for (size_t i = 0; i < RAROG_COUNT(suffixes); i++)
		if (strlen(suffixes[i].word) == n && memcmp(suffixes[i].word, word, n) == 0)
			return suffixes[i].flag;
	return 0;
}

uint32_t rarog_symbol_name_flags(const char *name)
{
	uint32_t flags = 0;

	/* a name may begin with a dot: search after the first character */
	for (const char *dot = name[0] ? strchr(name + 1, '.') : NULL; dot;) {
		const char *word = dot + 1;

		dot = strchr(word, '.');
		flags |= suffix_flag(dot ? (size_t)(dot - word) : strlen(word), word);
	}
	return flags;
}

size_t rarog_symbol_name_host(const char *name)
{
	for (const char *dot = name[0] ? strchr(name + 1, '.') : NULL; dot;) {
		const char *word = dot + 1, *next = strchr(word, '.');

		if (suffix_flag(next ? (size_t)(next - word) : strlen(word), word) ==
		    RAROG_FUNCTION_COLD)
			return (size_t)(dot - name);
		dot = next;
	}
	return strlen(name);
}

int rarog_symbol_name_compare(const char *a, const char *b)
{
	size_t under_a = strspn(a, "_"), under_b = strspn(b, "_");
	size_t length_a = strlen(a), length_b = strlen(b);

	if (under_a != under_b)
		return under_a < under_b ? -1 : 1;
	if (length_a != length_b)
		return length_a < length_b ? -1 : 1;
	return strcmp(a, b);
}

/* Itanium ABI: C1 C2 C3 (constructors), D0 D1 D2 (destructors): the same but for that digit. */
static bool same_structor(const char *a, const char *b)
{
	unsigned differences = 0;

	if (strncmp(a, "_Z", 2) != 0 || strlen(a) != strlen(b))
		return false;
	for (size_t i = 1; a[i]; i++) {
		if (a[i] == b[i])
			continue;
		if ((a[i - 1] != 'C' && a[i - 1] != 'D') || a[i - 1] != b[i - 1] ||
		    !isdigit((unsigned char)a[i]) || !isdigit((unsigned char)b[i]))
			return false;
		differences++;
	}
	return differences == 1;
}

/* The part of a name that its aliases share: without what libraries put before it. */
static const char *stem(const char *name, size_t *ret_length)
{
	static const char *const prefixes[] = { "GI_", "IO_", "libc_", "new_", "old_", "pthread_" };
	const char *start = name + strspn(name, "_");

	for (size_t i = 0; i < RAROG_COUNT(prefixes); i++) {
		size_t n = strlen(prefixes[i]);

		if (start != name && strncmp(start, prefixes[i], n) == 0)
			start += n + strspn(start + n, "_");
	}
	*ret_length = strcspn(start, ".");
	return start;
}

bool rarog_symbol_names_alike(const char *a, const char *b)
{
	size_t length_a, length_b;
	const char *stem_a = stem(a, &length_a), *stem_b = stem(b, &length_b);

	if (strncmp(a, "_Z", 2) == 0 && strncmp(b, "_Z", 2) == 0)
		return same_structor(a, b) ||
		       (length_a == length_b && memcmp(stem_a, stem_b, length_a) == 0);
	if (length_a == 0 || length_b == 0)
		return false;
	return length_a >= length_b ? memmem(stem_a, length_a, stem_b, length_b) != NULL
				    : memmem(stem_b, length_b, stem_a, length_a) != NULL;
}
