/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/sample/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/lower-bound.h"

static int by_address(const void *a, const void *b)
{
	const struct rarog_kernel_symbol *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* "ffffffff81000000 T _stext\t[module]"; data and what has no address are left out. */
static int add_line(char *line, struct rarog_kernel *kernel)
{
	struct rarog_kernel_symbol symbol;
	char *end;

	symbol.address = strtoull(line, &end, 16);
	if (symbol.address == 0 || end[0] != ' ' || !strchr("tTwW", end[1]) || end[1] == '\0' ||
	    end[2] != ' ')
		return 0;
	symbol.name = strndup(end + 3, strcspn(end + 3, " \t\n"));
	if (symbol.name && rarog_vec_push(&kernel->symbols, symbol) == 0)
		return 0;
	free(symbol.name);
	return rarog_oom();
}

int rarog_kernel_read(const char *path, struct rarog_kernel *ret_kernel)
{
	rarog_cleanup(rarog_fclosep) FILE *f = fopen(path, "re");
	rarog_cleanup(rarog_freep) char *line = NULL;
	struct rarog_kernel kernel = { 0 };
	size_t capacity = 0;
	int r = 0;

	while (f && r == 0 && getline(&line, &capacity, f) > 0)
		r = add_line(line, &kernel);
	if (r < 0) {
		rarog_kernel_release(&kernel);
		return r;
	}
	if (kernel.symbols.n > 0)
		qsort(kernel.symbols.v, kernel.symbols.n, sizeof(*kernel.symbols.v), by_address);
	*ret_kernel = kernel;
	return 0;
}

long rarog_kernel_find(const struct rarog_kernel *kernel, uint64_t address)
{
	size_t low =
		rarog_lower_bound(i, kernel->symbols.n, kernel->symbols.v[i].address <= address);

	return (long)low - 1;
}

void rarog_kernel_release(struct rarog_kernel *kernel)
{
	for (size_t i = 0; i < kernel->symbols.n; i++)
		free(kernel->symbols.v[i].name);
	rarog_vec_release(&kernel->symbols);
}
