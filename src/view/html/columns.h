/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the data of pages is written with: columns, not records. */
#ifndef RAROG_VIEW_HTML_COLUMNS_H
#define RAROG_VIEW_HTML_COLUMNS_H

#include "base/json-writer.h"
#include "profile/profile.h"

/* A column: KEY: [VALUE of each i < N]; WRITE is a statement that writes one value. */
#define RAROG_COLUMN(json, key, n, i, write)                                                       \
	do {                                                                                       \
		rarog_json_array(json, key);                                                       \
		for (size_t i = 0; i < (n); i++)                                                   \
			write;                                                                     \
		rarog_json_end_array(json);                                                        \
	} while (0)

/** rarog_html_index_member() - an index, -1 for RAROG_NONE. */
static inline void rarog_html_index_member(struct rarog_json *json, const char *key, uint32_t index)
{
	rarog_json_int(json, key, index == RAROG_NONE ? -1 : (int64_t)index);
}

static inline void rarog_html_index(struct rarog_json *json, uint32_t index)
{
	rarog_html_index_member(json, NULL, index);
}

#endif
