/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/describe.h"

#include <string.h>

void rarog_describe_row(const struct rarog_comparison *comparison, size_t row,
			struct rarog_change *change)
{
	const struct rarog_row_form *form = rarog_row_form(&comparison->rows[row]);
	const char *slash = form->binary ? strrchr(form->binary, '/') : NULL;

	change->row = row;
	change->location = rarog_row_name(&comparison->rows[row]);
	change->binary = slash ? slash + 1 : form->binary;
	change->file = form->file;
	change->line = form->line;
}

int rarog_note_chance(const struct rarog_comparison *comparison, const char *method,
		      struct rarog_verdict *verdict)
{
	const struct rarog_side *sides = comparison->sides;

	if (sides[RAROG_BASELINE].runs.n > 1 && sides[RAROG_TARGET].runs.n > 1)
		return 0;
	return rarog_verdict_note(verdict, "%s compares single runs: chance can look like a change",
				  method);
}
