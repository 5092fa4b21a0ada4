/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/html/page.h"

#include <assert.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "view/text.h"

extern const char rarog_page_start[], rarog_page_end[];

/* Cuts @rest at @mark: what is before it is returned, @rest becomes what is after it. */
static struct rarog_page_part cut(struct rarog_page_part *rest, const char *mark)
{
	size_t length = strlen(mark);
	const char *at = memmem(rest->text, rest->n, mark, length);

	assert(at); /* web/build.mjs refuses a page without it */
	struct rarog_page_part before = { rest->text, (size_t)(at - rest->text) };

	rest->n -= before.n + length;
	rest->text = at + length;
	return before;
}

struct rarog_page rarog_page(void)
{
	struct rarog_page_part rest = { rarog_page_start,
					(size_t)(rarog_page_end - rarog_page_start) };
	struct rarog_page page;

	page.head = cut(&rest, "{{title}}");
	page.middle = cut(&rest, "{{data}}");
	page.tail = rest;
	return page;
}

void rarog_page_write_part(struct rarog_page_part part, FILE *out)
{
	fwrite(part.text, 1, part.n, out);
}

/* Text between tags: every character that means something there as a reference. */
int rarog_page_write_title(const char *title, FILE *out)
{
	rarog_cleanup(rarog_str_release) struct rarog_str clean = { 0 };
	int r = rarog_text_add_clean(&clean, title, false);

	if (r < 0)
		return r;
	for (const char *c = rarog_str_text(&clean); *c; c++) {
		if (*c == '&' || *c == '<' || *c == '>' || *c == '"')
			fprintf(out, "&#%d;", *c);
		else
			fputc(*c, out);
	}
	return 0;
}
