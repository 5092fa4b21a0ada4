/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/wrap.h"

#include <string.h>

int rarog_columns(const char *text, size_t n)
{
	int width = 0;

	for (size_t i = 0; i < n; i++)
		width += ((unsigned char)text[i] & 0xc0) != 0x80;
	return width;
}

/* The words of one paragraph; returns where it ends. */
static const char *wrap_paragraph(FILE *out, const char *text, int column, int indent, int width)
{
	int at = column;

	while (*text && strncmp(text, "\n\n", 2) != 0) {
		size_t n = strcspn(text, " \n");
		int word = rarog_columns(text, n);

		if (n > 0 && at > indent && at + 1 + word > width) {
			fprintf(out, "\n%*s", indent, "");
			at = indent;
		}
		if (n > 0 && at > indent)
			at += fprintf(out, " ");
		at += word;
		fwrite(text, 1, n, out);
		text += n;
		if (strncmp(text, "\n ", 2) == 0) {
			break;
		}
		text += *text && strncmp(text, "\n\n", 2) != 0;
	}
	fputc('\n', out);
	return text + (*text == '\n');
}

void rarog_wrap(FILE *out, const char *text, int column, int indent, int width)
{
	while (*text) {
		size_t line = strcspn(text, "\n");

		if (*text == '\n') { /* between paragraphs */
			fputc('\n', out);
			text++;
			continue;
		}
		if (column < indent)
			column += fprintf(out, "%*s", indent - column, "");
		if (*text == ' ') {
			fprintf(out, "%.*s\n", (int)line, text);
			text += line + (text[line] == '\n');
		} else {
			text = wrap_paragraph(out, text, column, indent, width);
		}
		column = 0;
	}
}
