/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/function-name.h"

#include <string.h>

#include "base/cleanup.h"

/* May be followed by numbers, and by each other. */
static const char *const suffixes[] = { "constprop", "isra", "part",      "cold",
					"lto_priv",  "llvm", "localalias" };

/* Is @text[n], what follows a dot, one of these words or a number? */
static int is_suffix(const char *text, size_t n)
{
	size_t digits = strspn(text, "0123456789");

	if (n > 0 && digits >= n)
		return 1;
	for (size_t i = 0; i < RAROG_COUNT(suffixes); i++)
		if (strlen(suffixes[i]) == n && strncmp(text, suffixes[i], n) == 0)
			return 1;
	return 0;
}

size_t rarog_name_length(const char *symbol)
{
	size_t kept = strlen(symbol), at = kept;

	while (at > 1) {
		if (symbol[--at] != '.')
			continue;
		if (!is_suffix(symbol + at + 1, kept - at - 1))
			break;
		kept = at;
	}
	return kept;
}

/* After these, as the demangler has them of gcc, and of clang. */
static const char *const before_numbers[] = { "#", "$_" };

/* Length of the number at @at that is one of the compiler's; 0: none. */
static size_t number_at(const char *name, const char *at)
{
	for (size_t i = 0; i < RAROG_COUNT(before_numbers); i++) {
		size_t n = strlen(before_numbers[i]);

		if ((size_t)(at - name) >= n && strncmp(at - n, before_numbers[i], n) == 0)
			return strspn(at, "0123456789");
	}
	return 0;
}

char *rarog_name_family(const char *name)
{
	char *family = NULL, *to = NULL;

	for (const char *at = name; *at;) {
		size_t n = number_at(name, at);

		if (n > 0 && !family) {
			family = to = strdup(name);
			if (!family)
				return NULL;
			to += at - name;
		}
		at += n;
		if (family)
			*to++ = *at;
		at += *at != '\0';
	}
	if (family)
		*to = '\0';
	return family;
}

size_t rarog_binary_length(const char *file)
{
	const char *version = strstr(file, ".so.");

	return version ? (size_t)(version - file) + 3 : strlen(file);
}

const char *rarog_file_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "";
}
