/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that are started often, git for one, have the same places in every process, unless the
 * kernel has put something into the way: then all are looked for anew.
 */
#include "engine/inline/code/jump-islands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct rarog_probe *rarog_islands_probe(const struct rarog_module *m, size_t i)
{
	return i < m->hooks.n ? &m->hooks.v[i] : &m->probes.v[i - m->hooks.n];
}

/* Bytes that are displaced. */
struct displaced {
	uint64_t from;
	size_t n;
};

static struct displaced of_probe(const struct rarog_module *m, const struct rarog_probe *probe)
{
	size_t nops = rarog_module_is_short(m, probe) ? RAROG_PATCH_SIZE : 0;

	return (struct displaced){ rarog_module_place(m, probe) - nops,
				   nops + rarog_module_displaced(m, probe) };
}

static struct displaced of_block(const struct rarog_displaced *block)
{
	return (struct displaced){ block->start, block->end - block->start };
}

/* false: the file has no such bytes. */
static bool make_window(const struct rarog_module *m, struct displaced displaced,
			struct rarog_jump_window *ret_window)
{
	const uint8_t *bytes = rarog_binary_bytes(m->binary, displaced.from, displaced.n);

	if (!bytes || displaced.n < RAROG_PATCH_SIZE)
		return false;
	*ret_window = (struct rarog_jump_window){
		.address = displaced.from,
		.starts = rarog_jump_window_starts(displaced.n, bytes, displaced.from),
	};
	memcpy(ret_window->original, bytes, RAROG_PATCH_SIZE);
	return true;
}

void rarog_islands_free(struct rarog_islands *steps)
{
	if (!steps)
		return;
	rarog_island_places_release(&steps->places);
	free(steps->steps);
	free(steps);
}

static void choose_one(const struct rarog_module *m, struct displaced displaced,
		       struct rarog_islands *s, struct rarog_island *step)
{
	int r = make_window(m, displaced, &step->window)
			? rarog_island_place(&s->places, &step->window, &step->place)
			: -EFAULT;

	s->n_unsafe += r > 0;
}

static void choose(const struct rarog_module *m, const struct rarog_blocks *blocks,
		   struct rarog_islands *s)
{
	struct rarog_island *step = s->steps;

	for (size_t i = 0; i < m->hooks.n + m->probes.n; i++)
		choose_one(m, of_probe(m, rarog_islands_probe(m, i)), s, step++);
	for (size_t i = 0; i < blocks->n; i++)
		if (!blocks->v[i].probe)
			choose_one(m, of_block(&blocks->v[i]), s, step++);
}

static size_t count(const struct rarog_module *m, const struct rarog_blocks *blocks)
{
	size_t n = m->hooks.n + m->probes.n;

	for (size_t i = 0; i < blocks->n; i++)
		n += !blocks->v[i].probe;
	return n;
}

static bool is_still_good(const struct rarog_islands *s, const struct rarog_islands_room *room)
{
	bool is_good = s && s->places.base == room->base && s->places.size == room->span;

	for (size_t i = 0; is_good && i < s->n; i++)
		is_good = !rarog_jump_window_meets(&s->steps[i].window, s->steps[i].place,
						   room->n_code, room->code);
	return is_good;
}

static struct rarog_islands *make(const struct rarog_module *m, const struct rarog_blocks *blocks,
				  const struct rarog_islands_room *room)
{
	struct rarog_islands *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->n = count(m, blocks);
	s->steps = calloc(s->n + 1, sizeof(*s->steps));
	if (!s->steps || rarog_island_places_init(&s->places, room->base, room->span) < 0) {
		rarog_islands_free(s);
		return NULL;
	}
	s->places.n_code = room->n_code;
	s->places.code = room->code;
	choose(m, blocks, s);
	s->places.n_code = 0; /* borrowed */
	s->places.code = NULL;
	return s;
}

int rarog_islands_choose(struct rarog_module *m, const struct rarog_blocks *blocks,
			 const struct rarog_islands_room *room,
			 const struct rarog_islands **ret_steps)
{
	if (!is_still_good(m->steps, room)) {
		rarog_islands_free(m->steps);
		m->steps = make(m, blocks, room);
	}
	*ret_steps = m->steps;
	return m->steps ? 0 : -ENOMEM;
}
