/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Written by a program that may have been killed at any moment, or by nobody we know. */
#include "blocks/counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "profile/bytes.h"

/* The areas whose space is there: a thread whose area was never made has counted elsewhere. */
static size_t n_whole_areas(const struct rarog_counter_file *head, size_t size)
{
	size_t n = (size - RAROG_COUNTER_BODY) / head->size;

	return n < head->n_areas ? n : head->n_areas;
}

static int check_head(const char *name, size_t size, const struct rarog_counter_file *head)
{
	if (memcmp(head->magic, RAROG_COUNTER_MAGIC, sizeof(head->magic)) != 0)
		return rarog_fail(-EINVAL, "%s: is no file of block counters", name);
	if (head->version != RAROG_COUNTER_VERSION)
		return rarog_fail(
			-ENOTSUP,
			"%s: written by a rarog whose counters are of version %u, this one "
			"reads %u; link the program again",
			name, head->version, RAROG_COUNTER_VERSION);
	if (head->size == 0 || head->size % 8 != 0 || head->size > size - RAROG_COUNTER_BODY ||
	    head->id_size > sizeof(head->build_id))
		return rarog_fail(-EINVAL, "%s: file of block counters is cut off or damaged",
				  name);
	return 0;
}

uint64_t rarog_counters_add(uint64_t one, uint64_t other)
{
	if (!((one | other) & RAROG_COUNTER_EXTREME))
		return one + other;
	return one > other ? one : other;
}

static void add_area(struct rarog_counters *counters, const uint8_t *area)
{
	for (size_t i = 0; i < counters->n; i++)
		counters->values[i] =
			rarog_counters_add(counters->values[i], rarog_load_u64(area + 8 * i));
}

/* Of areas that threads have, or had last. */
static int take_threads(struct rarog_counters *counters, const uint8_t *bytes)
{
	size_t n =
		counters->n_areas < RAROG_COUNTER_AREAS ? counters->n_areas : RAROG_COUNTER_AREAS;

	counters->threads = calloc(n + 1, sizeof(*counters->threads));
	if (!counters->threads)
		return rarog_oom();
	for (size_t i = 0; i < n; i++) {
		uint32_t owner = rarog_load_u32(bytes + RAROG_COUNTER_OWNERS + 4 * i);

		if (owner != 0 && owner != UINT32_MAX) /* none, or none yet */
			counters->threads[counters->n_threads++] =
				(struct rarog_counters_thread){ owner & RAROG_COUNTER_THREAD,
								owner & RAROG_COUNTER_STATE };
	}
	return 0;
}

static char *hex(size_t n, const uint8_t *bytes)
{
	char *text = malloc(2 * n + 1);

	for (size_t i = 0; text && i < n; i++) {
		text[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
		text[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
	}
	if (text)
		text[2 * n] = '\0';
	return text;
}

static int fill(struct rarog_counters *counters, const struct rarog_counter_file *head)
{
	counters->pid = head->pid;
	counters->parent = head->parent;
	counters->pid_space = head->pid_space;
	counters->is_shared = head->flags & RAROG_COUNTER_IS_SHARED;
	counters->lost_children = head->flags & RAROG_COUNTER_LOST_CHILD;
	counters->lost_ends = head->flags & RAROG_COUNTER_LOST_END;
	counters->has_jumped = head->flags & RAROG_COUNTER_JUMPED;
	counters->is_closed = head->flags & RAROG_COUNTER_CLOSED;
	counters->ended_by = head->ended_by;
	counters->n_areas = head->n_areas;
	counters->bias = head->bias;
	counters->start = head->start;
	counters->n = head->size / 8;
	counters->program = strndup(head->path, sizeof(head->path));
	counters->binary = strndup(head->binary, sizeof(head->binary));
	counters->build_id = hex(head->id_size, head->build_id);
	counters->values = calloc(counters->n, sizeof(*counters->values));
	return counters->program && counters->binary && counters->build_id && counters->values
		       ? 0
		       : rarog_oom();
}

int rarog_counters_parse(const char *name, size_t size, const uint8_t *bytes,
			 struct rarog_counters **ret_counters)
{
	rarog_cleanup(rarog_counters_freep) struct rarog_counters *counters =
		calloc(1, sizeof(*counters));
	struct rarog_counter_file head;
	int r;

	if (!counters)
		return rarog_oom();
	if (size < RAROG_COUNTER_BODY)
		return rarog_fail(-EINVAL, "%s: is no file of block counters", name);
	memcpy(&head, bytes, sizeof(head));
	r = check_head(name, size, &head);
	if (r == 0)
		r = fill(counters, &head);
	if (r == 0)
		r = take_threads(counters, bytes);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n_whole_areas(&head, size); i++)
		add_area(counters, bytes + RAROG_COUNTER_BODY + i * head.size);
	*ret_counters = rarog_take(counters);
	return 0;
}

void rarog_counters_free(struct rarog_counters *counters)
{
	if (!counters)
		return;
	free(counters->program);
	free(counters->binary);
	free(counters->build_id);
	free(counters->values);
	free(counters->threads);
	free(counters);
}
