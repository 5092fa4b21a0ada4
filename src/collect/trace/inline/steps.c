/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that are started often, git for one, have the same places in every process, unless the
 * kernel has put something into the way: then all are looked for anew.
 */
#include "collect/trace/inline/steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct rarog_probe *rarog_steps_probe(const struct rarog_module *m, size_t i)
{
	return i < m->hooks.n ? &m->hooks.v[i] : &m->probes.v[i - m->hooks.n];
}

/* false: the file has no such bytes. */
static bool make_window(const struct rarog_module *m, const struct rarog_probe *probe,
			struct rarog_window *ret_window)
{
	const struct rarog_site *site = &m->sites[probe->function];
	size_t nops = site->kind == RAROG_SITE_NOPS_BEFORE ? RAROG_PATCH_SIZE : 0;
	uint64_t from = rarog_module_place(m, probe) - nops;
	size_t n = nops + site->length;
	const uint8_t *bytes = rarog_binary_bytes(m->binary, from, n);

	if (!bytes || n < RAROG_PATCH_SIZE)
		return false;
	*ret_window = (struct rarog_window){
		.address = from,
		.starts = rarog_window_starts(n, bytes, from),
	};
	memcpy(ret_window->original, bytes, RAROG_PATCH_SIZE);
	return true;
}

void rarog_steps_free(struct rarog_steps *steps)
{
	if (!steps)
		return;
	rarog_stub_places_release(&steps->places);
	free(steps->steps);
	free(steps);
}

static void choose(struct rarog_module *m, struct rarog_steps *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct rarog_step *step = &s->steps[i];
		int r = make_window(m, rarog_steps_probe(m, i), &step->window)
				? rarog_stub_place(&s->places, &step->window, &step->place)
				: -EFAULT;

		if (r >= 0)
			s->quality[r]++;
	}
}

static bool is_still_good(const struct rarog_steps *s, uint64_t base, size_t span, size_t n_code,
			  const struct rarog_range code[])
{
	return s && s->places.base == base && s->places.size == span &&
	       !rarog_stub_places_meet(&s->places, n_code, code);
}

int rarog_steps_choose(struct rarog_module *m, uint64_t base, size_t span, size_t n_code,
		       const struct rarog_range code[], const struct rarog_steps **ret_steps)
{
	struct rarog_steps *s = m->steps;

	if (!is_still_good(s, base, span, n_code, code)) {
		rarog_steps_free(s);
		m->steps = s = calloc(1, sizeof(*s));
		if (!s)
			return -ENOMEM;
		s->n = m->hooks.n + m->probes.n;
		s->steps = calloc(s->n + 1, sizeof(*s->steps));
		if (!s->steps || rarog_stub_places_init(&s->places, base, span) < 0) {
			rarog_steps_free(s);
			m->steps = NULL;
			return -ENOMEM;
		}
		s->places.n_code = n_code;
		s->places.code = code;
		choose(m, s);
		s->places.n_code = 0; /* borrowed */
		s->places.code = NULL;
	}
	*ret_steps = s;
	return 0;
}
