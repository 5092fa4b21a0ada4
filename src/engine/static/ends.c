/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/static/ends.h"

#include <string.h>

#include "events/stream.h"

static void take_escape(struct rarog_static_end *end, const uint16_t *words)
{
	const uint16_t *payload = words + 2;

	if (words[1] == RAROG_ESCAPE_START)
		end->ticks = rarog_stream_u64(payload);
	else if (words[1] == RAROG_ESCAPE_TIME64)
		end->ticks += rarog_stream_u64(payload);
	else if (words[1] == RAROG_ESCAPE_DEPTH)
		end->open = rarog_stream_u32(payload);
	else if (words[1] == RAROG_ESCAPE_INHERIT)
		end->open++;
}

static void take(struct rarog_static_end *end, const uint16_t *words)
{
	bool is_entry = words[0] & RAROG_WORD_ENTRY;

	if (words[0] == RAROG_WORD_ESCAPE) {
		take_escape(end, words);
		return;
	}
	end->ticks += words[0] & ~RAROG_WORD_ENTRY;
	if (is_entry)
		end->open++;
	else if (end->open > 0)
		end->open--;
}

struct rarog_static_end rarog_static_last_event(const struct rarog_static_file *file)
{
	struct rarog_static_end end = { .ticks = file->head->start };
	size_t n;
	const uint16_t *words = rarog_static_file_words(file, &n);

	for (int length; (length = rarog_stream_record(n, words)) > 0;) {
		take(&end, words);
		words += length;
		n -= (size_t)length;
	}
	return end;
}

/* Files are in the order of their starts. After exec() the first thread has another one. */
bool rarog_static_is_until_end(const struct rarog_static_files *files, size_t i, pid_t pid)
{
	const struct rarog_region_file *head = files->v.v[i].head;
	bool is_left = false, has_first = false;

	for (size_t k = 0; k < files->v.n; k++) {
		const struct rarog_region_file *other = files->v.v[k].head;

		if (other->pid != head->pid)
			continue;
		is_left |= k > i && strcmp(other->program, head->program) != 0;
		is_left |= k > i && other->tid == other->pid && has_first;
		has_first |= other->tid == other->pid;
	}
	return head->pid == (uint32_t)pid && !is_left;
}
