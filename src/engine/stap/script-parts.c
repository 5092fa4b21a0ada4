/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/stap/script-parts.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "engine/stap/script.h"

/* As a text of SystemTap's language. */
int rarog_stap_quote(struct rarog_str *text, const char *value)
{
	int r = rarog_str_add(text, "\"");

	for (const char *c = value; r == 0 && *c; c++) {
		if ((unsigned char)*c < ' ')
			r = rarog_str_addf(text, "\\%03o", (unsigned char)*c);
		else
			r = rarog_str_addf(text, strchr("\\\"", *c) ? "\\%c" : "%c", *c);
	}
	return r < 0 ? r : rarog_str_add(text, "\"");
}

int rarog_stap_name_process(const char *path, struct rarog_str *text)
{
	int r;

	if (strpbrk(path, "*?[]{}"))
		return rarog_fail(-ENOTSUP,
				  "--engine=stap: %s: SystemTap takes such a path for a pattern; "
				  "give the program another name",
				  path);
	r = rarog_str_add(text, "process(");
	if (r == 0)
		r = rarog_stap_quote(text, path);
	return r < 0 ? r : rarog_str_add(text, ")");
}

int rarog_stap_put_comment(struct rarog_str *text, uint32_t number, const char *name)
{
	int r = rarog_str_addf(text, "# %u: ", number);

	for (const char *c = name; r == 0 && *c; c++)
		r = rarog_str_addf(text, "%c", (unsigned char)*c < ' ' ? '?' : *c);
	return r < 0 ? r : rarog_str_add(text, "\n");
}

bool rarog_stap_is_left_out(const struct rarog_probed_module *m, uint32_t function)
{
	for (size_t i = 0; i < m->left.n; i++)
		if (m->left.v[i].function == function)
			return true;
	return false;
}

bool rarog_stap_function_at(const struct rarog_probed_module *m, uint64_t address)
{
	uint64_t distance = 1;
	size_t i = rarog_probed_module_at(m, address, &distance);

	return i < m->n && distance == 0 && !rarog_stap_is_left_out(m, m->probes[i].function);
}
