/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The page that web/ builds, embedded in the program, cut at the places where text goes in.
 */
#ifndef RAROG_VIEW_HTML_PAGE_H
#define RAROG_VIEW_HTML_PAGE_H

#include <stddef.h>
#include <stdio.h>

struct rarog_page_part {
	const char *text; /* static, not terminated */
	size_t n;
};

struct rarog_page {
	struct rarog_page_part head;   /* up to the title */
	struct rarog_page_part middle; /* up to the data */
	struct rarog_page_part tail;
};

/** rarog_page() - the page; its marks are checked when rarog is built and by a test. */
struct rarog_page rarog_page(void);

/** rarog_page_write_part() - errors are for the owner of @out to ask (ferror). */
void rarog_page_write_part(struct rarog_page_part part, FILE *out);

/** rarog_page_write_title() - @title as text between tags. 0, -ENOMEM. */
int rarog_page_write_title(const char *title, FILE *out);

#endif
