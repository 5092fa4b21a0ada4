/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Of a function's time only what it had a processor for can be gained: waiting is no opportunity,
 * and gets no noise; it grows and shrinks with what is waited for.
 */
#include "blow/mode.h"

#include <math.h>
#include <string.h>

#include "blow/blow.h"
#include "engine/place-change.h"

static uint64_t clamp(const struct rarog_blow_options *o, double ns)
{
	return (uint64_t)(fmin(fmax(ns, (double)o->least_ns), (double)o->most_ns) + 0.5);
}

static double self_of(const struct rarog_blow_function *f)
{
	return (double)f->self_ns / (double)f->calls;
}

static void set(struct rarog_plan_place *place, enum rarog_action action, uint64_t n)
{
	place->action = action;
	place->n = (uint32_t)n;
}

/* --- slow --- */

static void choose_slow(const struct rarog_blow_options *o, struct rarog_blow_function *f)
{
	f->delay_ns = clamp(o, f->target_ns / (double)f->calls);
}

static void act_slow(const struct rarog_blow_function *f, enum rarog_blow_what what,
		     struct rarog_plan_place *place)
{
	if (what == RAROG_BLOW_OWN)
		set(place, RAROG_ACTION_DELAY, f->delay_ns);
	else
		set(place, RAROG_ACTION_COUNT, 0);
}

static double injected_slow(const struct rarog_blow_function *f, bool is_own, double gained_ns)
{
	(void)gained_ns;
	return is_own ? f->spent_ns : 0;
}

static void answer_slow(struct rarog_blow_function *f, uint64_t traced_ns)
{
	(void)traced_ns;
	f->answer = f->estimate;
	f->width = f->answer.high - f->answer.low;
}

/* --- speed --- */

/* A function whose part would be below the least noise gets none: nothing is known of it then, and
 * the others are slowed as before. */
static void choose_speed(const struct rarog_blow_options *o, struct rarog_blow_function *f)
{
	double ns = o->strength * self_of(f);

	f->delay_ns = ns < (double)o->least_ns ? 0 : clamp(o, ns);
}

static void act_speed(const struct rarog_blow_function *f, enum rarog_blow_what what,
		      struct rarog_plan_place *place)
{
	if (what == RAROG_BLOW_OWN || f->delay_ns == 0)
		set(place, RAROG_ACTION_COUNT, 0);
	else
		set(place, RAROG_ACTION_DELAY, f->delay_ns);
}

static double injected_speed(const struct rarog_blow_function *f, bool is_own, double gained_ns)
{
	(void)gained_ns;
	return is_own ? 0 : f->spent_ns;
}

/* What f takes may be off, too, which has nothing to do with how far off the slope is. */
static void widen(struct rarog_blow_function *f)
{
	struct rarog_blow_estimate *a = &f->answer;
	double off = a->value * f->self_error;

	a->low = a->value - hypot(a->value - a->low, off);
	a->high = a->value + hypot(a->high - a->value, off);
}

/* The part of what f takes that the run would be shorter by. */
static void scale(struct rarog_blow_function *f, double share, bool is_pause)
{
	const struct rarog_blow_estimate *e = &f->estimate;

	f->answer = *e;
	f->answer.value = share * (is_pause ? 1 - e->value : e->value);
	f->answer.low = share * (is_pause ? 1 - e->high : e->low);
	f->answer.high = share * (is_pause ? 1 - e->low : e->high);
	f->width = f->answer.high - f->answer.low;
	if (f->self_error > 0)
		widen(f);
}

static void answer_speed(struct rarog_blow_function *f, uint64_t traced_ns)
{
	scale(f, (double)f->self_ns / (double)traced_ns, false);
}

/* --- causal --- */

/* At most all that a call takes. */
static void choose_causal(const struct rarog_blow_options *o, struct rarog_blow_function *f)
{
	double part = fmin(f->part, 1);

	f->delay_ns = (uint64_t)fmax(fmin(part * self_of(f), (double)o->most_ns), 1);
}

static void act_causal(const struct rarog_blow_function *f, enum rarog_blow_what what,
		       struct rarog_plan_place *place)
{
	if (what == RAROG_BLOW_OWN)
		set(place, RAROG_ACTION_GAIN, f->delay_ns);
	else if (what == RAROG_BLOW_CONTROL)
		set(place, RAROG_ACTION_EVEN, f->delay_ns);
	else
		set(place, RAROG_ACTION_SETTLE, RAROG_SETTLE_PAYS);
}

static double injected_causal(const struct rarog_blow_function *f, bool is_own, double gained_ns)
{
	(void)f;
	return is_own ? gained_ns : 0;
}

/* If no pause reached the end (slope 0) the run would be shorter by all of it. Threads that are in
 * f at the same time gain only once, so what was gained is less than what it takes. */
static void answer_causal(struct rarog_blow_function *f, uint64_t traced_ns)
{
	double span = f->n_runs > 0 ? f->spans_ns / (double)f->n_runs : 0;

	scale(f, span / (double)traced_ns, true);
}

const struct rarog_blow_mode rarog_blow_modes[] = {
	{ .name = "slow",
	  .grows = true,
	  .choose = choose_slow,
	  .act = act_slow,
	  .injected = injected_slow,
	  .answer = answer_slow },
	{ .name = "speed",
	  .noise = "busy in all but it",
	  .is_gain = true,
	  .choose = choose_speed,
	  .act = act_speed,
	  .injected = injected_speed,
	  .answer = answer_speed },
	{ .name = "causal",
	  .noise = "speed-up",
	  .is_gain = true,
	  .is_virtual = true,
	  .grows = true,
	  .choose = choose_causal,
	  .act = act_causal,
	  .injected = injected_causal,
	  .answer = answer_causal },
	{ .name = NULL },
};

const char *const rarog_blow_noise_names[] = {
	[RAROG_NOISE_BUSY] = "busy",   [RAROG_NOISE_SLEEP] = "sleep",
	[RAROG_NOISE_YIELD] = "yield", [RAROG_NOISE_MEMORY] = "memory",
	[RAROG_NOISE_LOCK] = "lock",   [RAROG_NOISES] = NULL,
};

const char *rarog_blow_noise_name(const struct rarog_blow_options *options)
{
	return options->mode->noise ? options->mode->noise : rarog_blow_noise_names[options->kind];
}

bool rarog_blow_is_possible(const struct rarog_blow_mode *mode,
			    const struct rarog_blow_estimate *answer)
{
	return !mode->is_gain || answer->value <= RAROG_BLOW_GAIN_MOST;
}

const struct rarog_blow_mode *rarog_blow_mode_find(const char *name)
{
	const struct rarog_blow_mode *mode = rarog_blow_modes;

	while (mode->name && strcmp(mode->name, name) != 0)
		mode++;
	return mode->name ? mode : NULL;
}
