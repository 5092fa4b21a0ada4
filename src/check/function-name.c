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
