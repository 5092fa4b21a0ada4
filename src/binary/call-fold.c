/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions are sorted by the name of their origin; those of one name stand together. Local
 * functions of several files may have one name: the file tells them apart, where it is known.
 */
#include "binary/call-fold.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "binary/symbol-name.h"

#define PARTS (RAROG_FUNCTION_COLD | RAROG_FUNCTION_CLONE)

struct named {
	const struct rarog_function *function;
	size_t length; /* of the origin's name */
	uint32_t number;
};

size_t rarog_call_fold_name(const struct rarog_function *function)
{
	const char *name = function->name, *dot = name[0] ? strchr(name + 1, '.') : NULL;

	if (!(function->flags & PARTS))
		return strlen(name);
	/* the first dot after which a suffix stands: ".L" of a name's own is none */
	while (dot && !(rarog_symbol_name_flags(dot - 1) & PARTS && strchr(dot + 1, '.') == NULL)) {
		const char *next = strchr(dot + 1, '.');
		size_t n = next ? (size_t)(next - dot) : strlen(dot);
		char word[32] = "x";

		if (n + 2 <= sizeof(word)) {
			memcpy(word + 1, dot, n);
			word[n + 1] = '\0';
			if (rarog_symbol_name_flags(word) & PARTS)
				break;
		}
		dot = next;
	}
	return dot ? (size_t)(dot - name) : strlen(name);
}

static const char *unit_of(const struct named *a)
{
	return a->function->unit ? a->function->unit : "";
}

static int compare_names(const struct named *x, const struct named *y)
{
	size_t n = x->length < y->length ? x->length : y->length;
	int order = memcmp(x->function->name, y->function->name, n);

	return order ? order : (x->length > y->length) - (x->length < y->length);
}

/* The origin comes before its clones. */
static int compare(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = compare_names(x, y);
	bool x_part = x->function->flags & PARTS, y_part = y->function->flags & PARTS;

	if (order == 0)
		order = x_part - y_part;
	if (order == 0)
		order = strcmp(unit_of(x), unit_of(y));
	return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* Those without a file are of any: global ones, and their parts. */
static bool is_of_unit(const struct named *part, const struct named *origin)
{
	return !part->function->unit || !origin->function->unit ||
	       strcmp(part->function->unit, origin->function->unit) == 0;
}

static bool is_part(const struct named *named)
{
	return named->function->flags & PARTS;
}

/* The one before @i that it is of; a hidden function may be said to be of a wrong file: it is the
 * origin if no other function has the name. */
static const struct named *find_origin(size_t i, const struct named named[],
				       const uint32_t origin[])
{
	for (size_t k = 0; k < i; k++)
		if (origin[named[k].number] == named[k].number && is_of_unit(&named[i], &named[k]))
			return &named[k];
	return !is_part(&named[0]) && is_part(&named[1]) ? &named[0] : NULL;
}

/* Origins of one name: named[0 … n - 1], sorted. */
static void fold_group(size_t n, const struct named named[n], uint32_t origin[])
{
	for (size_t i = 1; i < n; i++) {
		const struct named *found =
			is_part(&named[i]) ? find_origin(i, named, origin) : NULL;

		if (found)
			origin[named[i].number] = found->number;
	}
}

int rarog_call_fold(const struct rarog_binary *binary, bool keep_parts, uint32_t ret_origin[])
{
	const struct rarog_function *functions;
	size_t n = rarog_binary_functions(binary, &functions);
	struct named *named = calloc(n + 1, sizeof(*named));

	if (!named)
		return rarog_oom();
	for (size_t i = 0; i < n; i++) {
		ret_origin[i] = (uint32_t)i;
		named[i] = (struct named){ &functions[i], rarog_call_fold_name(&functions[i]),
					   (uint32_t)i };
	}
	if (n > 0 && !keep_parts)
		qsort(named, n, sizeof(*named), compare);
	for (size_t i = 0, end; !keep_parts && i < n; i = end) {
		for (end = i + 1; end < n && compare_names(&named[i], &named[end]) == 0;)
			end++;
		fold_group(end - i, named + i, ret_origin);
	}
	free(named);
	return 0;
}
