/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/probing.h"

#include "agent/gate.h"

#define OFF_FIRST_NS 500e6 /* the documents' program looks twice a second */

static uint64_t calls(const struct rarog_budget_place *p)
{
	return p->recorded + p->counted;
}

static void turn_off(struct rarog_budget_place *p, double ran_ns)
{
	p->backoff = p->backoff > 0 ? 2 * p->backoff : OFF_FIRST_NS;
	p->off_until = ran_ns + p->backoff;
	p->word = RAROG_GATE_OFF;
	p->was_thinned = p->was_off = true;
}

/* Calls are counted from here on. */
static void turn_on(struct rarog_budget_place *p)
{
	p->seen_counted = calls(p);
	p->word = p->least;
}

static bool turn(struct rarog_budget_place *p, const struct rarog_probing *probing, double ran_ns)
{
	if (!p->is_there || p->stays)
		return false;
	if (p->word == RAROG_GATE_OFF) {
		if (!probing->reattaches || ran_ns < p->off_until)
			return false;
		turn_on(p);
		return true;
	}
	if (calls(p) - p->seen_counted < probing->threshold)
		return false;
	turn_off(p, ran_ns);
	return true;
}

void rarog_probing_step(struct rarog_budget *b, const struct rarog_probing *probing, double ran_ns,
			void (*change)(void *user, uint32_t number, uint32_t word), void *user)
{
	for (uint32_t i = 0; i < b->places.n; i++) {
		if (!turn(&b->places.v[i], probing, ran_ns))
			continue;
		b->changes++;
		change(user, i, b->places.v[i].word);
	}
	b->ran_ns = ran_ns;
}

void rarog_probing_write(struct rarog_json *json, const struct rarog_probing *probing,
			 uint64_t changes)
{
	if (probing->threshold == 0)
		return;
	rarog_json_object(json, "dynamic_probing");
	rarog_json_uint(json, "threshold", probing->threshold);
	rarog_json_bool(json, "reattach", probing->reattaches);
	rarog_json_uint(json, "changes", changes);
	rarog_json_end_object(json);
}
