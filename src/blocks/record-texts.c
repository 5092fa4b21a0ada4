/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A text begins like the one before it, goes on byte by byte, the odds of each learned for the byte
 * before, and ends with 0. */
#include "blocks/record-texts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct models {
	struct rarog_number_odds count, same;
	struct rarog_odds bytes[256][256]; /* after that byte; the bits so far, after a 1 */
};

static uint8_t code_byte(struct rarog_coder *s, struct rarog_odds odds[256], uint8_t byte)
{
	unsigned bits = 1;

	for (int i = 7; i >= 0; i--)
		bits = bits << 1 | rarog_coder_bit(s, &odds[bits], byte >> i & 1);
	return (uint8_t)bits;
}

/* How long what two texts begin with is. */
static uint32_t beginning(const char *a, const char *b)
{
	uint32_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

static void write_text(struct rarog_coder *s, struct models *m, const char *before,
		       const char *text)
{
	uint32_t same = beginning(before, text);
	uint8_t last = same > 0 ? (uint8_t)text[same - 1] : 0;

	rarog_coder_number(s, &m->same, same);
	for (size_t i = same;; i++) {
		code_byte(s, m->bytes[last], (uint8_t)text[i]);
		last = (uint8_t)text[i];
		if (!last)
			return;
	}
}

static bool has_room(char **text, size_t n, size_t *capacity)
{
	char *more;

	if (n < *capacity)
		return true;
	*capacity = 2 * n + 32;
	more = realloc(*text, *capacity);
	*text = more ? more : *text;
	return more;
}

static char *read_text(struct rarog_coder *s, struct models *m, const char *before)
{
	size_t length = strlen(before), n = rarog_coder_number(s, &m->same, 0), capacity = 0;
	char *text = NULL;

	if (s->error == 0 && n > length)
		s->error = -EINVAL;
	if (s->error < 0 || !has_room(&text, n, &capacity)) {
		s->error = s->error ? s->error : -ENOMEM;
		return NULL;
	}
	memcpy(text, before, n);
	for (uint8_t last = n > 0 ? (uint8_t)before[n - 1] : 0;; n++) {
		if (!has_room(&text, n, &capacity))
			s->error = -ENOMEM;
		if (s->error < 0)
			break;
		last = code_byte(s, m->bytes[last], 0);
		text[n] = (char)last;
		if (!last && s->error == 0)
			return text;
	}
	free(text);
	return NULL;
}

static int make_room(struct rarog_texts *texts)
{
	uint32_t capacity = 2 * texts->capacity + 16;
	char **v;

	if (texts->n < texts->capacity)
		return 0;
	v = reallocarray(texts->v, capacity, sizeof(*v));
	if (!v)
		return -ENOMEM;
	texts->v = v;
	texts->capacity = capacity;
	return 0;
}

static void read_texts(struct rarog_coder *s, struct models *m, struct rarog_texts *texts,
		       uint32_t n)
{
	for (uint32_t i = 0; i < n && s->error == 0; i++) {
		const char *before = i > 0 ? texts->v[i - 1] : "";
		char *text;

		if (make_room(texts) < 0) {
			s->error = -ENOMEM;
			return;
		}
		text = read_text(s, m, before);
		if (text)
			texts->v[texts->n++] = text;
	}
}

void rarog_texts_code(struct rarog_coder *s, struct rarog_texts *texts)
{
	struct models *m = calloc(1, sizeof(*m));
	uint32_t n;

	if (!m) {
		s->error = -ENOMEM;
		return;
	}
	n = rarog_coder_number(s, &m->count, texts->n);
	if (s->is_reading)
		read_texts(s, m, texts, n);
	else
		for (uint32_t i = 0; i < n; i++)
			write_text(s, m, i > 0 ? texts->v[i - 1] : "", texts->v[i]);
	free(m);
}

void rarog_texts_free(struct rarog_texts *texts)
{
	if (!texts)
		return;
	for (uint32_t i = 0; i < texts->n; i++)
		free(texts->v[i]);
	free(texts->v);
	free(texts);
}
