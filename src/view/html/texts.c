/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Open addressing over indices; the table is kept half empty. */
#include "view/html/texts.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/error.h"
#include "base/vec.h"
#include "profile/profile.h"

static size_t slot_of(const struct rarog_html_texts *texts, const char *text)
{
	size_t at = (size_t)XXH3_64bits(text, strlen(text)) & (texts->size - 1);

	while (texts->slots[at] != RAROG_NONE && strcmp(texts->v[texts->slots[at]], text) != 0)
		at = (at + 1) & (texts->size - 1);
	return at;
}

static int grow(struct rarog_html_texts *texts)
{
	size_t size = texts->size ? texts->size * 2 : 256;
	uint32_t *slots = malloc(size * sizeof(*slots));

	if (!slots)
		return rarog_oom();
	memset(slots, 0xff, size * sizeof(*slots));
	free(texts->slots);
	texts->slots = slots;
	texts->size = size;
	for (size_t i = 0; i < texts->n; i++)
		texts->slots[slot_of(texts, texts->v[i])] = (uint32_t)i;
	return 0;
}

long rarog_html_texts_index(struct rarog_html_texts *texts, const char *text)
{
	if (!text)
		return -1;
	if ((texts->n + 1) * 2 > texts->size && grow(texts) < 0)
		return rarog_oom();
	size_t at = slot_of(texts, text);

	if (texts->slots[at] == RAROG_NONE) {
		if (rarog_vec_push(texts, text) < 0)
			return rarog_oom();
		texts->slots[at] = (uint32_t)texts->n - 1;
	}
	return (long)texts->slots[at];
}

void rarog_html_texts_release(struct rarog_html_texts *texts)
{
	rarog_vec_release(texts);
	free(texts->slots);
	*texts = (struct rarog_html_texts){ 0 };
}
