/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/check-methods.h"

#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/table.h"
#include "cmd/check-history.h"

static int add_method(struct rarog_table *table, const struct rarog_check_method *m)
{
	int r = rarog_table_add(table, (struct rarog_cell[]){ { m->name, NULL, RAROG_STYLE_BOLD },
							      { m->short_name, NULL, 0 },
							      { m->summary, NULL, 0 } });

	for (size_t k = 0; r == 0 && m->thresholds && m->thresholds[k].name; k++) {
		char value[64];

		snprintf(value, sizeof(value), "  %s=%g", m->thresholds[k].name,
			 m->thresholds[k].standard);
		r = rarog_table_add(table,
				    (struct rarog_cell[]){ { value, NULL, 0 },
							   { NULL, NULL, 0 },
							   { m->thresholds[k].help, NULL, 0 } });
	}
	return r;
}

int rarog_check_list_methods(const struct rarog_context *context)
{
	static const struct rarog_column columns[] = { { .title = "method" },
						       { .title = "" },
						       { .title = "" } };
	rarog_cleanup(rarog_table_freep) struct rarog_table *table =
		rarog_table_new(RAROG_COUNT(columns), columns);
	int r = table ? 0 : rarog_oom();

	for (size_t i = 0; r == 0 && rarog_check_methods[i]; i++)
		r = add_method(table, rarog_check_methods[i]);
	if (r == 0)
		r = add_method(table, &rarog_check_history_rules);
	if (r == 0)
		rarog_table_print(table, stdout, isatty(STDOUT_FILENO) ? context->width : 0,
				  context->colour);
	return r;
}
