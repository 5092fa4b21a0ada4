/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/html/texts.h"

#include <string.h>
#include <xxhash.h>

#include "base/error.h"
#include "base/vec.h"

static bool is_text(const void *list, size_t number, const void *key)
{
	return strcmp(((const char *const *)list)[number], key) == 0;
}

long rarog_html_texts_index(struct rarog_html_texts *texts, const char *text)
{
	struct rarog_index_slot *slot;

	if (!text)
		return -1;
	slot = rarog_index_at(&texts->index, XXH3_64bits(text, strlen(text)), is_text, texts->v,
			      text);
	if (!slot || (!slot->entry && rarog_vec_push(texts, text) < 0))
		return rarog_oom();
	if (!slot->entry)
		slot->entry = (uint32_t)texts->n;
	return (long)slot->entry - 1;
}

void rarog_html_texts_release(struct rarog_html_texts *texts)
{
	rarog_vec_release(texts);
	rarog_index_release(&texts->index);
	*texts = (struct rarog_html_texts){ 0 };
}
