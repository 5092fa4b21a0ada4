/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A list of different texts, for file names that thousands of functions share.
 */
#ifndef RAROG_VIEW_HTML_TEXTS_H
#define RAROG_VIEW_HTML_TEXTS_H

#include "base/index.h"

struct rarog_html_texts {
	size_t n, capacity;
	const char **v; /* borrowed, in the order of their first occurrence */
	struct rarog_index index;
};

/** rarog_html_texts_index() - index of @text, which is added if new (it must outlive the list).
 * Return: the index, -1 for NULL; -ENOMEM (below -1). */
long rarog_html_texts_index(struct rarog_html_texts *texts, const char *text);

void rarog_html_texts_release(struct rarog_html_texts *texts);

#endif
