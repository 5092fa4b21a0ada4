/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is called seldom is recorded each time, in bursts, too; all others get the same rate of
 * recorded calls, the highest that the budget has room for. So what costs little stays exact, and
 * what is called most is thinned most. The rate is found by bisection. A gate costs the same
 * whether it lets one of N calls through or none, so nothing is only counted: where gates take too
 * much, functions are not even counted for a while, those whose calls are shortest first, as least
 * of the run is in what their gates take; each such while is twice as long as the one before. Where
 * there is room, because others are called less than they were, it is tried as soon as the room
 * pays for that.
 *
 * What was spent too much is saved again within the horizon, so the whole stays within the budget
 * and not just the present.
 */
#include "plan/budget.h"

#include <math.h>
#include <stdlib.h>

#include "agent/gate.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "plan/call-sampling.h"

#define AIM            0.8 /* of the budget: what calls cost is a guess */
#define HORIZON_NS     400e6
#define LEAST_NS       5e5   /* of the program's time; rates in less say nothing */
#define LEAST_PART     0.4   /* of the budget, whatever was spent before … */
#define LEAST_GATES    0.77  /* … (gates are left: functions that are off are not known) */
#define MOST_PART      1.5   /* … or was not */
#define LEAST_RATE     20e-9 /* recorded calls of a place per ns; below it times say little */
#define MOST_RATE      1.0
#define EXACT_CALLS    300  /* the first ones of a place are recorded, which may be all … */
#define EXACT_PART     0.2  /* … unless those of all take more than this of what may be spent */
#define CHEAP          1e-4 /* of what may be spent, is not worth leaving out calls */
#define RATE_MOVES     0.3  /* of the way to the best rate is gone at each step */
#define FAR_TOO_MUCH   1.5  /* of the room that there is */
#define HALVINGS       40
#define RATE_FALLS     0.3  /* weight of the present where a place is called less than before */
#define TRIED_RATE     1e-5 /* while it is tried there are some times, too */
#define TRIED_NS       20e6 /* … and so long, as its jump is not there at once */
#define OFF_FIRST      250e6
#define OFF_MOST       8e9
#define TRY_PART       0.2 /* of the room that there is, is for trying what is off … */
#define TURN_NS        1e6 /* … which stops the program twice, about so long together */
#define USUAL_NS       20e6 /* a place that is called much for less long than that is not off for it */
#define USUAL_LEAST_NS 15e6 /* … in the beginning */
#define WORTH          1e-3 /* of what may be spent, is saved by a place that is off, at least */
#define LEAST_OWN      0.25 /* of the time that it ran, is the program's at least: costs are guesses */
#define TIMES_PART     0.25 /* of what may be spent, is for times, whatever gates would take */
#define SLACK          4    /* a word this much too large is made smaller */

int rarog_budget_place(struct rarog_budget *b, uint32_t number, uint32_t least)
{
	const struct rarog_budget_place none = { .word = RAROG_GATE_EVERY };
	struct rarog_budget_place *place;

	while (b->places.n <= number)
		if (rarog_vec_push(&b->places, none) < 0)
			return rarog_oom();
	place = &b->places.v[number];
	place->is_there = true;
	place->least = place->word = least;
	return 0;
}

void rarog_budget_release(struct rarog_budget *b)
{
	rarog_vec_release(&b->places);
}

double rarog_budget_own_ns(const struct rarog_budget *b)
{
	return fmax(b->ran_ns - b->spent_ns, LEAST_OWN * b->ran_ns);
}

struct rarog_budget_left rarog_budget_count(const struct rarog_budget *b)
{
	struct rarog_budget_left left = { 0 };

	for (size_t i = 0; i < b->places.n; i++) {
		left.thinned += b->places.v[i].was_thinned;
		left.off += b->places.v[i].was_off;
	}
	return left;
}

static double aim(const struct rarog_budget *b)
{
	return AIM * b->share;
}

/* --- what was --- */

static double spent_at(const struct rarog_budget *b, const struct rarog_budget_place *p)
{
	return (double)(p->recorded - p->seen_recorded) * b->costs.recorded +
	       (double)(p->counted - p->seen_counted) * b->costs.skipped;
}

/* Up at once, down slowly: a burst is over before it is known of. */
static void learn_rate(struct rarog_budget_place *p, double own_ns, double weight)
{
	double calls = (double)(p->recorded - p->seen_recorded + p->counted - p->seen_counted);
	double rate = calls / own_ns;

	if (p->word != RAROG_GATE_OFF) {
		p->rate = rate > p->rate ? rate : p->rate + RATE_FALLS * (rate - p->rate);
		p->usual += weight * (rate - p->usual);
	}
	p->seen_recorded = p->recorded;
	p->seen_counted = p->counted;
}

/* While it is tried the present is all that counts; at first there is not much else. */
static double weight_of(const struct rarog_budget *b, const struct rarog_budget_place *p,
			double ran)
{
	double known_ns = fmin(fmax(b->ran_ns + ran, USUAL_LEAST_NS), USUAL_NS);

	return b->ran_ns < p->tried_until ? 1 : fmin(ran / known_ns, 1);
}

static void look_back(struct rarog_budget *b, double ran_ns)
{
	double ran = ran_ns - b->ran_ns, spent = b->lost_ns - b->seen_lost_ns, own;

	b->seen_lost_ns = b->lost_ns;
	for (size_t i = 0; i < b->places.n; i++)
		spent += spent_at(b, &b->places.v[i]);
	own = fmax(ran - spent, LEAST_OWN * ran);
	for (size_t i = 0; i < b->places.n; i++)
		learn_rate(&b->places.v[i], own, weight_of(b, &b->places.v[i], ran));
	b->ran_ns = ran_ns;
	b->spent_ns += fmin(spent, ran);
}

/* --- what is to be --- */

/* ns that may be spent per ns of the program's own. */
static double allowance(const struct rarog_budget *b)
{
	double saved = aim(b) * rarog_budget_own_ns(b) - b->spent_ns;
	double part = aim(b) + saved / HORIZON_NS;

	return fmin(fmax(part, LEAST_PART * aim(b)), MOST_PART * aim(b));
}

/* Tried: off until now, and not until the next step, to see how often it is called by now, and how
 * long that takes. None: it has no gate. */
enum fate { FATE_NONE, FATE_TIMED, FATE_OFF, FATE_TRIED };

static double gates(const struct rarog_budget *b, const uint8_t fates[])
{
	double sum = 0;

	for (size_t i = 0; i < b->places.n; i++)
		if (fates[i] == FATE_TIMED)
			sum += b->places.v[i].usual * b->costs.skipped;
	return sum;
}

/* A burst of calls of what is called seldom on the whole costs next to nothing. */
static bool is_cheap(const struct rarog_budget *b, const struct rarog_budget_place *p)
{
	double calls = (double)(p->recorded + p->counted);

	return calls * b->costs.recorded <= CHEAP * aim(b) * (rarog_budget_own_ns(b) + HORIZON_NS);
}

/* What times take, beside gates. */
static double times(const struct rarog_budget *b, const uint8_t fates[], double most)
{
	double sum = 0;

	for (size_t i = 0; i < b->places.n; i++) {
		const struct rarog_budget_place *p = &b->places.v[i];

		if (fates[i] == FATE_TIMED)
			sum += is_cheap(b, p) ? p->usual / p->least
					      : fmin(p->rate / p->least, most);
	}
	return sum * (b->costs.recorded - b->costs.skipped);
}

struct saving {
	size_t place;
	double saved, mean;
};

/* Of calls that last as long, those whose gate takes most. */
static int by_mean(const void *a, const void *b)
{
	const struct saving *x = a, *y = b;

	if (x->mean != y->mean)
		return x->mean < y->mean ? -1 : 1;
	return (x->saved < y->saved) - (x->saved > y->saved);
}

/* Whose calls have not ended yet are long. */
static double mean_of(const struct rarog_budget_place *p)
{
	return p->ended > 0 ? p->lasted / (double)p->ended : INFINITY;
}

/* What gates usually take of the program's own time. */
static size_t savings(const struct rarog_budget *b, const uint8_t fates[], struct saving all[],
		      double *ret_sum)
{
	size_t n = 0;
	double sum = 0;

	for (size_t i = 0; i < b->places.n; i++) {
		double saved = b->places.v[i].usual * b->costs.skipped;

		if (fates[i] != FATE_TIMED || saved <= WORTH * aim(b))
			continue;
		sum += saved;
		all[n++] = (struct saving){ i, saved, mean_of(&b->places.v[i]) };
	}
	*ret_sum = sum;
	return n;
}

/* What is shortest is off, until the rest has room for times. */
static void turn_some_off(const struct rarog_budget *b, uint8_t fates[], struct saving room[],
			  double allowed)
{
	double part = fmin(fmax(allowed, LEAST_GATES * aim(b)), aim(b));
	double sum, most = (1 - TIMES_PART) * part;
	size_t n = savings(b, fates, room, &sum);

	if (sum > most)
		qsort(room, n, sizeof(*room), by_mean);
	for (size_t i = 0; i < n && sum > most; i++) {
		fates[room[i].place] = FATE_OFF;
		sum -= room[i].saved;
	}
}

static double best_rate(const struct rarog_budget *b, const uint8_t fates[], double room)
{
	double low = log(LEAST_RATE), high = log(MOST_RATE);

	if (times(b, fates, MOST_RATE) <= room)
		return MOST_RATE;
	for (int i = 0; i < HALVINGS; i++) {
		double middle = (low + high) / 2;

		if (times(b, fates, exp(middle)) <= room)
			low = middle;
		else
			high = middle;
	}
	return exp(low);
}

/* A rate that swings makes totals unsure: weights do, too. But what takes far too much does not
 * wait. */
static double next_rate(const struct rarog_budget *b, const uint8_t fates[], double room)
{
	double best = best_rate(b, fates, room), next;

	next = b->rate > 0 ? b->rate * pow(best / b->rate, RATE_MOVES) : best;
	return fmin(next, best_rate(b, fates, FAR_TOO_MUCH * room));
}

/* Powers of two, and none for less than that, so that words change seldom. */
static uint32_t every(const struct rarog_budget_place *p, double most, uint64_t exact)
{
	double n = fmax(p->rate / most, p->least);
	double power = exp2(ceil(log2(n)));
	uint32_t word = power < RAROG_CALL_SAMPLING_MAX ? (uint32_t)power : RAROG_CALL_SAMPLING_MAX;

	if (n <= p->least || p->recorded + p->counted < exact)
		return p->least;
	if (p->word >= word && p->word < SLACK * (uint64_t)word)
		return p->word;
	return word;
}

/* The first time it is off for so long that trying all that is off has room in the budget. */
static void turn_off(struct rarog_budget *b, struct rarog_budget_place *p)
{
	double first = fmax(b->off_demand * TRIED_NS / (TRY_PART * aim(b)), OFF_FIRST);

	p->off_since = b->ran_ns;
	p->backoff = fmin(p->backoff > 0 ? 2 * p->backoff : first, OFF_MOST);
	p->off_until = b->ran_ns + p->backoff;
}

/* What was known of its rate is not any more. */
static uint32_t try_again(const struct rarog_budget *b, struct rarog_budget_place *p)
{
	uint32_t word = every(p, TRIED_RATE, b->exact);

	p->tried_until = b->ran_ns + TRIED_NS;
	p->rate = p->usual = 0;
	return word;
}

static uint32_t decide(struct rarog_budget *b, struct rarog_budget_place *p, enum fate fate,
		       double most)
{
	if (fate == FATE_OFF && p->word != RAROG_GATE_OFF)
		turn_off(b, p);
	if (fate == FATE_TIMED && b->ran_ns >= p->off_until + p->backoff)
		p->backoff = 0;
	if (fate == FATE_TRIED)
		return p->word == RAROG_GATE_OFF ? try_again(b, p) : p->word;
	return fate == FATE_OFF ? RAROG_GATE_OFF
				: every(p, is_cheap(b, p) ? INFINITY : most, b->exact);
}

/* What trying takes, by what is known of it, is a part of the room in as much time. */
static bool is_due(const struct rarog_budget *b, const struct rarog_budget_place *p)
{
	double takes = p->usual * TRIED_NS * b->costs.skipped + TURN_NS;
	double room = TRY_PART * b->room;

	return b->ran_ns >= p->off_until ||
	       (room > 0 && b->ran_ns - p->off_since >= fmax(takes / room, OFF_FIRST));
}

/* How many first calls of a place are recorded. A program of thousands of functions has spent all
 * that it may in its first moment, else. */
static uint64_t exact_calls(const struct rarog_budget *b)
{
	double sum = 0;

	for (size_t i = 0; i < b->places.n; i++) {
		const struct rarog_budget_place *p = &b->places.v[i];

		sum += fmin((double)(p->recorded + p->counted), EXACT_CALLS) * b->costs.recorded;
	}
	return sum <= EXACT_PART * aim(b) * (rarog_budget_own_ns(b) + HORIZON_NS) ? EXACT_CALLS : 0;
}

static double off_demand(const struct rarog_budget *b, const uint8_t fates[])
{
	double sum = 0;

	for (size_t i = 0; i < b->places.n; i++)
		if (fates[i] == FATE_OFF)
			sum += b->places.v[i].usual * b->costs.skipped;
	return sum;
}

static void first_fates(const struct rarog_budget *b, uint8_t fates[])
{
	for (size_t i = 0; i < b->places.n; i++) {
		const struct rarog_budget_place *p = &b->places.v[i];

		if (!p->is_there)
			fates[i] = FATE_NONE;
		else if (p->word == RAROG_GATE_OFF)
			fates[i] = is_due(b, p) ? FATE_TRIED : FATE_OFF;
		else
			fates[i] = b->ran_ns < p->tried_until ? FATE_TRIED : FATE_TIMED;
	}
}

void rarog_budget_step(struct rarog_budget *b, double ran_ns,
		       void (*change)(void *user, uint32_t number, uint32_t word), void *user)
{
	rarog_cleanup(rarog_freep) uint8_t *fates = calloc(b->places.n + 1, sizeof(*fates));
	rarog_cleanup(rarog_freep) struct saving *room = calloc(b->places.n + 1, sizeof(*room));
	double allowed, taken;

	if (!fates || !room || ran_ns < b->ran_ns + LEAST_NS)
		return;
	look_back(b, ran_ns);
	allowed = allowance(b);
	first_fates(b, fates);
	turn_some_off(b, fates, room, allowed);
	b->off_demand = off_demand(b, fates);
	b->exact = exact_calls(b);
	taken = gates(b, fates);
	b->rate = next_rate(b, fates, fmax(allowed - taken, TIMES_PART * allowed));
	b->room = fmax(allowed - taken - times(b, fates, b->rate), 0);
	for (uint32_t i = 0; i < b->places.n; i++) {
		struct rarog_budget_place *p = &b->places.v[i];
		uint32_t word = p->is_there ? decide(b, p, fates[i], b->rate) : p->word;

		if (word == p->word)
			continue;
		p->word = word;
		p->was_thinned = true;
		p->was_off |= word == RAROG_GATE_OFF;
		b->changes++;
		change(user, i, word);
	}
}
