/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/html/page.h"

#include <assert.h>
#include <string.h>

extern const char rarog_page_start[], rarog_page_end[];

/* Cuts @rest at @mark: what is before it is returned, @rest becomes what is behind it. */
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
