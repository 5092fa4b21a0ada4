/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Written by a program that may have been killed at any moment, or by an unknown one. */
#include "blocks/counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "profile/bytes.h"

/* The areas whose space is there: a thread whose area was never made has counted elsewhere. */
static uint64_t n_whole_areas(const struct rarog_counter_file *head, uint64_t size)
{
	uint64_t n = (size - RAROG_COUNTER_BODY) / head->size;

	return n < head->n_areas ? n : head->n_areas;
}

static int cut_off(const char *name)
{
	return rarog_fail(-EINVAL, "%s: file of block counters is cut off or damaged", name);
}

static int check_head(const char *name, uint64_t size, const struct rarog_counter_file *head)
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
		return cut_off(name);
	return 0;
}

uint64_t rarog_counters_add(uint64_t one, uint64_t other)
{
	if (!((one | other) & RAROG_COUNTER_EXTREME))
		return one + other;
	return one > other ? one : other;
}

#define PART 4096 /* counters that are read at a time */

/* What is 0 touches no memory: a file may have holes. */
static int add_area(const char *name, struct rarog_counters *counters, FILE *file)
{
	uint8_t part[8 * PART];

	for (size_t i = 0, n; i < counters->n; i += n) {
		n = counters->n - i < PART ? counters->n - i : PART;
		if (fread(part, 8, n, file) != n)
			return cut_off(name);
		for (size_t j = 0; j < n; j++) {
			uint64_t value = rarog_load_u64(part + 8 * j);
			uint64_t *sum = &counters->values[i + j];

			if (value)
				*sum = rarog_counters_add(*sum, value);
		}
	}
	return 0;
}

/* A thread that may be in clean-ups does not only wait. */
static uint32_t state_of(uint32_t owner)
{
	uint32_t state = owner & RAROG_COUNTER_STATE;

	return state == RAROG_COUNTER_WAITS &&
			       (owner & (RAROG_COUNTER_CANCELLED | RAROG_COUNTER_LEAVES))
		       ? RAROG_COUNTER_RUNS
		       : state;
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
								state_of(owner) };
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
	counters->is_forked = head->flags & RAROG_COUNTER_FORKED;
	counters->tells_threads = head->flags & RAROG_COUNTER_TELLS_THREADS;
	counters->n_begun = head->n_begun;
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

int rarog_counters_read(const char *name, uint64_t size, FILE *file,
			struct rarog_counters **ret_counters)
{
	rarog_cleanup(rarog_counters_freep) struct rarog_counters *counters =
		calloc(1, sizeof(*counters));
	uint8_t bytes[RAROG_COUNTER_BODY];
	struct rarog_counter_file head;
	int r;

	if (!counters)
		return rarog_oom();
	if (size < sizeof(bytes) || fread(bytes, sizeof(bytes), 1, file) != 1)
		return rarog_fail(-EINVAL, "%s: is no file of block counters", name);
	memcpy(&head, bytes, sizeof(head));
	r = check_head(name, size, &head);
	if (r == 0)
		r = fill(counters, &head);
	if (r == 0)
		r = take_threads(counters, bytes);
	for (uint64_t i = 0; r == 0 && i < n_whole_areas(&head, size); i++)
		r = add_area(name, counters, file);
	if (r == 0)
		*ret_counters = rarog_take(counters);
	return r;
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
