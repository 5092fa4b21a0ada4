/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls that are recorded are known from their words, which come a chunk at a time; those that are
 * not from the counters of strands, which are read where they are. The program's time is the
 * processor time of its processes: what others have of the machine is none of its own.
 */
#include "engine/inline/ring/thinning.h"

#include <math.h>
#include <time.h>
#include <x86intrin.h>

#include "base/clock.h"
#include "base/error.h"
#include "engine/inline/code/known-areas.h"
#include "engine/inline/code/turned.h"
#include "engine/inline/ring/drain-state.h"
#include "events/stream.h"

#define LOOK_FIRST_NS 5000000 /* between looks, in the first … */
#define FIRST_NS      1000000000
#define LOOK_NS       10000000 /* … second, and later */
#define BURST_LEAST   20000    /* calls */

/* Calibrated costs are those of one stub that is always in the caches. In large programs stubs
 * displace code from them, and are displaced: in sqlite3 and python3.11 a recorded call of 30 takes
 * 36 ns instead of 16, one that is left out 2.4 instead of 0.8 (in lua 1.4). */
#define RECORDED_IN_PROGRAMS 2
#define GATES_IN_PROGRAMS    3

static bool is_on(const struct rarog_thinning *t)
{
	return t->budget.share > 0 || t->probing.threshold > 0;
}

void rarog_thinning_begin(struct rarog_thinning *t, const struct rarog_plan *plan,
			  const struct rarog_budget_costs *costs)
{
	*t = (struct rarog_thinning){ .budget = { .share = plan->overhead },
				      .probing = plan->probing };
	t->budget.costs = (struct rarog_budget_costs){
		.recorded = RECORDED_IN_PROGRAMS * costs->recorded,
		.skipped = GATES_IN_PROGRAMS * costs->skipped,
	};
	t->start_ticks = __rdtsc();
	t->start_ns = rarog_now_ns();
}

void rarog_thinning_release(struct rarog_thinning *t)
{
	rarog_budget_release(&t->budget);
	rarog_vec_release(&t->ended);
}

/* --- what comes --- */

static uint32_t location_of(const struct rarog_thinning *t, const struct rarog_image *image,
			    uint32_t id)
{
	uint32_t location = id < image->ids->n ? image->ids->locations[id] : RAROG_NONE;

	return location < t->budget.places.n ? location : RAROG_NONE;
}

static void note_entry(struct rarog_thinning *t, struct rarog_thinning_strand *s,
		       const struct rarog_image *image, const uint16_t *words)
{
	uint32_t id = words[1] == RAROG_ID_WIDE ? rarog_stream_u32(words + 2) : words[1];
	uint32_t location = location_of(t, image, id);

	s->now += words[0] & ~RAROG_WORD_ENTRY;
	t->unseen++;
	if (location != RAROG_NONE)
		t->budget.places.v[location].recorded++;
	if (s->depth < RAROG_COUNT(s->open))
		s->open[s->depth] = (struct rarog_thinning_call){ location, s->now };
	s->depth++;
}

static void note_exit(struct rarog_thinning *t, struct rarog_thinning_strand *s, uint16_t delta)
{
	const struct rarog_thinning_call *call;
	struct rarog_budget_place *place;

	s->now += delta;
	if (s->depth == 0 || --s->depth >= RAROG_COUNT(s->open))
		return;
	call = &s->open[s->depth];
	if (call->location == RAROG_NONE)
		return;
	place = &t->budget.places.v[call->location];
	place->ended++;
	place->lasted += (double)(s->now - call->entry);
}

static void note_escape(struct rarog_thinning *t, struct rarog_thinning_strand *s,
			const uint16_t *words)
{
	if (words[1] == RAROG_ESCAPE_TIME16)
		s->now += (uint64_t)words[2] << 15;
	else if (words[1] == RAROG_ESCAPE_TIME64)
		s->now += rarog_stream_u64(words + 2);
	else if (words[1] != RAROG_ESCAPE_VALUES)
		s->depth = 0;
	if (words[1] == RAROG_ESCAPE_WAIT)
		t->waited_ticks += rarog_stream_u64(words + 2);
}

static void note_record(struct rarog_thinning *t, struct rarog_thinning_strand *s,
			const struct rarog_image *image, const uint16_t *words)
{
	if (words[0] == RAROG_WORD_ESCAPE)
		note_escape(t, s, words);
	else if (words[0] & RAROG_WORD_ENTRY)
		note_entry(t, s, image, words);
	else
		note_exit(t, s, words[0]);
}

static struct rarog_thinning_strand *strand_of(struct rarog_thinning *t, uint32_t strand)
{
	struct rarog_thinning_strand *s = &t->strands[strand % RAROG_THINNING_STRANDS];

	if (s->strand != strand)
		s->depth = 0;
	s->strand = strand;
	return s;
}

void rarog_thinning_words(struct rarog_thinning *t, const struct rarog_image *image,
			  uint32_t strand, size_t n, const uint16_t words[n])
{
	struct rarog_thinning_strand *s = strand_of(t, strand);

	if (!is_on(t))
		return;
	for (size_t i = 0; i < n;) {
		int length =
			words[i] & RAROG_WORD_ENTRY ? rarog_stream_record(n - i, words + i) : 1;

		if (length <= 0)
			return; /* the assembler will say what is wrong */
		note_record(t, s, image, words + i);
		i += (size_t)length;
	}
}

int rarog_thinning_ended(struct rarog_thinning *t, uint32_t location, uint64_t n)
{
	if (!is_on(t))
		return 0;
	while (t->ended.n <= location)
		if (rarog_vec_push(&t->ended, 0) < 0)
			return rarog_oom();
	t->ended.v[location] += n;
	return 0;
}

/* --- looking --- */

static int add_places(struct rarog_thinning *t, const struct rarog_module *m)
{
	int r = 0;

	for (size_t i = 0; r == 0 && m->locations >= 0 && i < m->probes.n; i++) {
		uint32_t location = (uint32_t)(m->locations + (long)i);

		if (location < t->budget.places.n && t->budget.places.v[location].is_there)
			continue;
		r = rarog_budget_place(&t->budget, location, m->probes.v[i].every);
		if (r == 0)
			t->budget.places.v[location].stays = m->probes.v[i].stays;
	}
	return r;
}

static int find_places(struct rarog_thinning *t, const struct rarog_modules *modules)
{
	int r = 0;

	for (const struct rarog_module *m = modules->first; r == 0 && m; m = m->next)
		if (m->has_gates)
			r = add_places(t, m);
	return r;
}

static void add_row(struct rarog_thinning *t, const struct rarog_image *image, const uint64_t row[])
{
	uint32_t n = __atomic_load_n(&image->ids->n, __ATOMIC_ACQUIRE);

	for (uint32_t id = 0; id < n; id++) {
		uint32_t location = image->ids->locations[id];

		if (location < t->budget.places.n)
			t->budget.places.v[location].counted += row[2 * id + 1];
	}
}

static void add_rows(struct rarog_thinning *t, const struct rarog_image *image)
{
	size_t stride = image->counters_stride / sizeof(uint64_t);

	for (uint32_t word = 0; stride > 0 && word < RAROG_STRANDS / 64; word++) {
		uint64_t used =
			~__atomic_load_n(&image->control->strands_free[word], __ATOMIC_ACQUIRE);

		for (; used; used &= used - 1) {
			uint32_t strand = word * 64 + (uint32_t)__builtin_ctzll(used);

			if (rarog_image_strand(image, strand)->state == RAROG_STRAND_ACTIVE)
				add_row(t, image, image->counters + strand * stride);
		}
	}
}

static void count(struct rarog_drain *d)
{
	struct rarog_thinning *t = d->thinning;

	for (size_t i = 0; i < t->budget.places.n; i++)
		t->budget.places.v[i].counted = i < t->ended.n ? t->ended.v[i] : 0;
	for (const struct rarog_image *image = d->images; image; image = image->next)
		add_rows(t, image);
}

static uint64_t processor_ns(pid_t pid)
{
	struct timespec now;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &now) < 0)
		return 0;
	return rarog_timespec_ns(now);
}

/* What processes that have ended had run stays in the sum. */
static void note_ran(struct rarog_thinning *t, struct rarog_drained *p)
{
	uint64_t ns = processor_ns(p->pid);

	if (ns <= p->ran_ns)
		return;
	t->ran_ns += ns - p->ran_ns;
	p->ran_ns = ns;
}

/* What a program has run that was started is what getting it ready has taken of its time. What a
 * process had run before it became another program is not. */
void rarog_thinning_met(struct rarog_thinning *t, struct rarog_drained *p)
{
	if (!is_on(t) || !p->image)
		return;
	p->ran_ns = processor_ns(p->pid);
	if (!p->image->modules->leaves && p->index == 0)
		t->ready_ns += p->ran_ns;
}

void rarog_thinning_gone(struct rarog_thinning *t, struct rarog_drained *p)
{
	if (is_on(t) && p->image)
		note_ran(t, p);
}

/* What getting ready took, or that it waited for rarog, or stood still, is as bad as what its
 * probes took. */
static double lost_ns(const struct rarog_thinning *t)
{
	double ns_per_tick =
		(double)(rarog_now_ns() - t->start_ns) / (double)(__rdtsc() - t->start_ticks);

	return (double)t->ready_ns + (double)t->waited_ticks * ns_per_tick +
	       (double)__atomic_load_n(&t->stood_ns, __ATOMIC_RELAXED);
}

static double ran_ns(struct rarog_drain *d)
{
	struct rarog_thinning *t = d->thinning;

	for (size_t i = 0; i < d->processes.n; i++)
		if (d->processes.v[i].image)
			note_ran(t, &d->processes.v[i]);
	t->budget.lost_ns = fmax(t->budget.lost_ns, lost_ns(t)); /* the rate of ticks wavers */
	return (double)t->ran_ns + t->budget.lost_ns;
}

static struct rarog_module *module_of(const struct rarog_modules *modules, uint32_t location)
{
	struct rarog_module *m = modules->first;

	while (m && (m->locations < 0 || (long)location < m->locations ||
		     (long)location >= m->locations + (long)m->probes.n))
		m = m->next;
	return m;
}

/* Of a place of which the plan wants each N-th call the first epoch has N. */
static int tell_first(struct rarog_drain *d, uint32_t location)
{
	struct rarog_budget_place *place = &d->thinning->budget.places.v[location];

	if (place->is_told || place->least == RAROG_GATE_EVERY)
		return 0;
	place->is_told = true;
	return rarog_recorder_epoch(d->recorder, location, 0, place->least, 0);
}

static void change(void *drain, uint32_t location, uint32_t word)
{
	struct rarog_drain *d = drain;
	struct rarog_module *m = module_of(d->images->modules, location);
	struct rarog_gate_change gate;
	int r;

	if (!m)
		return;
	gate = (struct rarog_gate_change){ m, location - (uint32_t)m->locations };
	r = tell_first(d, location);
	if (r == 0)
		r = rarog_recorder_epoch(d->recorder, location, __rdtsc(), word,
					 d->thinning->budget.places.v[location].counted);
	if (r < 0)
		d->thinning->result = r;
	rarog_gates_set(&m->probes.v[gate.number], word);
	for (struct rarog_image *image = d->images; image; image = image->next) {
		rarog_known_set_gates(image, &gate);
		rarog_turned_want(image, m, gate.number, word == RAROG_GATE_OFF);
	}
}

static void plan_next(struct rarog_thinning *t)
{
	uint64_t ns = rarog_now_ns() - t->start_ns, ticks = __rdtsc() - t->start_ticks;
	uint64_t pause = ns < FIRST_NS ? LOOK_FIRST_NS : LOOK_NS;

	t->next_ticks = __rdtsc() + (uint64_t)((double)pause * (double)ticks / (double)(ns + 1));
	t->unseen = 0;
}

/* More was recorded since the last look than may be until the next: another phase of the program
 * has begun. Calls come a chunk at a time, so few of them say nothing. */
static bool is_burst(const struct rarog_thinning *t)
{
	return (double)t->unseen * t->budget.costs.recorded > t->budget.share * LOOK_NS &&
	       t->unseen > BURST_LEAST;
}

bool rarog_thinning_is_due(const struct rarog_thinning *t)
{
	return is_on(t) && (__rdtsc() >= t->next_ticks || is_burst(t));
}

/* A budget knows better than a threshold. */
static void step(struct rarog_drain *d)
{
	struct rarog_thinning *t = d->thinning;

	if (t->budget.share > 0)
		rarog_budget_step(&t->budget, ran_ns(d), change, d);
	else
		rarog_probing_step(&t->budget, &t->probing, ran_ns(d), change, d);
}

int rarog_thinning_look(struct rarog_drain *d)
{
	struct rarog_thinning *t = d->thinning;
	int r;

	if (!d->images || !rarog_thinning_is_due(t))
		return 0;
	rarog_known_lock();
	r = find_places(t, d->images->modules);
	if (r == 0) {
		count(d);
		step(d);
	}
	rarog_known_unlock();
	plan_next(t);
	return r < 0 ? r : t->result;
}
