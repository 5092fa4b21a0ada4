/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A portion is as many versions as are built at once; of a comparison, all. Builds are claimed in
 * the order of their keys by everybody, and all released before the next portion: two runs that
 * need each other's builds cannot wait for each other in a circle.
 *
 * Within a portion the runs go round by round, each round in an order of its own, so that what
 * slows the machine down for a while does not fall on one version alone.
 */
#include "run/schedule.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "run/checkout.h"
#include "run/log-file.h"
#include "run/shell.h"
#include "run/splitmix.h"
#include "run/stop.h"

const char *const rarog_row_state_names[RAROG_ROW_STATES] = { "to-do", "there", "known-failure",
							      "measured", "failed" };

void rarog_schedule_release(struct rarog_schedule *s)
{
	for (size_t i = 0; i < s->rows.n; i++) {
		free(s->rows.v[i].message);
		rarog_vec_release(&s->rows.v[i].profiles);
	}
	rarog_vec_release(&s->rows);
	rarog_machine_release(&s->machine);
	rarog_toolchain_release(&s->toolchain);
}

static int set_message(struct rarog_run_row *row, const char *message)
{
	free(row->message);
	row->message = strdup(message);
	return row->message ? 0 : rarog_oom();
}

/* --- the plan --- */

static int look_up(struct rarog_schedule *s, struct rarog_run_row *row)
{
	rarog_cleanup(rarog_attempt_release) struct rarog_attempt attempt = { 0 };
	const struct rarog_commit *commit = &s->versions->list.v[row->version];
	struct rarog_hash class;
	int r = rarog_machine_class(&s->machine, &class);

	row->state = RAROG_ROW_TODO;
	if (r == 0 && !s->options->in_place)
		r = rarog_attempt_find(s->repository->store, commit->name,
				       &s->tasks->list.v[row->task].job.key, &class, &attempt);
	if (r <= 0)
		return r;
	row->there = attempt.done;
	row->outcome = attempt.outcome;
	row->status = attempt.status;
	row->log = attempt.log;
	if (attempt.outcome == RAROG_OUTCOME_MEASURED) {
		if (row->there >= row->wanted && !s->options->again)
			row->state = RAROG_ROW_THERE;
		return 0;
	}
	if (!s->options->retry && !s->options->again)
		row->state = RAROG_ROW_KNOWN;
	return set_message(row, attempt.message ? attempt.message : "");
}

/* Runs that the row still needs. */
static uint32_t missing(const struct rarog_schedule *s, const struct rarog_run_row *row)
{
	uint32_t have = row->made + (s->options->again ? 0 : row->there);

	if (row->state != RAROG_ROW_TODO || have >= row->wanted)
		return 0;
	return row->wanted - have;
}

int rarog_schedule_plan(struct rarog_schedule *s)
{
	int r = rarog_machine_read(s->options->machine_class, &s->machine);

	if (r == 0)
		r = rarog_processors_choose(s->options->processors, &s->processors);
	for (size_t v = 0; r == 0 && v < s->versions->list.n; v++)
		for (size_t t = 0; r == 0 && t < s->tasks->list.n; t++) {
			struct rarog_run_row row = { .version = v, .task = t, .status = -1 };

			row.wanted = (uint32_t)s->tasks->list.v[t].matrix->repeat;
			r = rarog_vec_push(&s->rows, row) < 0 ? rarog_oom() : 0;
			if (r == 0)
				r = look_up(s, &s->rows.v[s->rows.n - 1]);
		}
	for (size_t i = 0; r == 0 && i < s->rows.n; i++)
		s->runs_total += missing(s, &s->rows.v[i]);
	return r;
}

/* --- waiting --- */

static int tick(void *user)
{
	struct rarog_schedule *s = user;

	if (s->options->progress)
		s->options->progress(s->runs_done, s->runs_total, s->options->user);
	return rarog_stop_signal();
}

/* --- builds of a portion --- */

struct portion {
	struct rarog_schedule *s;
	size_t first, end;                       /* rows */
	RAROG_VEC(struct rarog_checkout) builds; /* sorted by key */
};

static int compare_keys(const void *a, const void *b)
{
	const struct rarog_checkout *first = a, *second = b;

	return memcmp(&first->build.key, &second->build.key, sizeof(first->build.key));
}

static int key_of(const struct rarog_schedule *s, const struct rarog_run_row *row,
		  struct rarog_hash *ret_key)
{
	return rarog_checkout_key(&s->versions->list.v[row->version],
				  s->tasks->list.v[row->task].matrix, &s->toolchain, ret_key);
}

static struct rarog_checkout *find_build(struct portion *p, const struct rarog_hash *key)
{
	for (size_t i = 0; i < p->builds.n; i++)
		if (rarog_hash_equal(&p->builds.v[i].build.key, key))
			return &p->builds.v[i];
	return NULL;
}

static int list_builds(struct portion *p)
{
	struct rarog_schedule *s = p->s;
	int r = 0;

	for (size_t i = p->first; r == 0 && i < p->end; i++) {
		const struct rarog_run_row *row = &s->rows.v[i];
		struct rarog_checkout c = RAROG_CHECKOUT_NONE;

		c.repository = s->repository;
		c.toolchain = &s->toolchain;
		c.commit = &s->versions->list.v[row->version];
		c.matrix = s->tasks->list.v[row->task].matrix;
		if (missing(s, row) == 0)
			continue;
		r = key_of(s, row, &c.build.key);
		if (r == 0 && !find_build(p, &c.build.key) && rarog_vec_push(&p->builds, c) < 0)
			r = rarog_oom();
	}
	if (p->builds.n > 0)
		qsort(p->builds.v, p->builds.n, sizeof(*p->builds.v), compare_keys);
	return r;
}

/* The build of @c is not there; the rows that need it say why. @is_its_fault: of the sources, or of
 * the lines that build them: it would fail again, and that is remembered. */
static int fail_rows(struct portion *p, const struct rarog_checkout *c,
		     const struct rarog_hash *key, bool is_its_fault, const char *message)
{
	struct rarog_schedule *s = p->s;
	int r = 0;

	s->build_failures++;
	for (size_t i = p->first; r == 0 && i < p->end; i++) {
		struct rarog_run_row *row = &s->rows.v[i];
		struct rarog_attempt attempt = {
			.version = s->versions->list.v[row->version].name,
			.tree = s->versions->list.v[row->version].tree,
			.job = &s->tasks->list.v[row->task].job,
			.machine = &s->machine,
			.outcome = RAROG_OUTCOME_NOT_BUILT,
			.status = -1,
			.message = message,
			.log = c->build.log,
		};
		struct rarog_hash own;

		if (missing(s, row) == 0)
			continue;
		r = key_of(s, row, &own);
		if (r < 0 || !rarog_hash_equal(&own, key))
			continue;
		s->runs_done += missing(s, row);
		row->state = RAROG_ROW_FAILED;
		row->outcome = RAROG_OUTCOME_NOT_BUILT;
		row->log = c->build.log;
		r = set_message(row, message);
		if (r == 0 && is_its_fault)
			r = rarog_attempt_put(s->repository->store, &attempt);
	}
	return r;
}

static size_t running(struct portion *p, struct rarog_guard *guards[], size_t most)
{
	size_t n = 0;

	for (size_t i = 0; i < p->builds.n && n < most; i++)
		if (p->builds.v[i].guard.pid > 0)
			guards[n++] = &p->builds.v[i].guard;
	return n;
}

static int end_build(struct portion *p, struct rarog_checkout *c)
{
	struct rarog_hash key = c->build.key;
	int r = rarog_checkout_end(c);

	if (r == 0 && c->build.is_good) {
		p->s->built++;
		return 0;
	}
	if (r == 0 || r == -EREMOTEIO || r == -EIO) {
		rarog_cleanup(rarog_freep) char *message = strdup(rarog_error_message());

		return message ? fail_rows(p, c, &key, r == 0, message) : rarog_oom();
	}
	return r;
}

/* Until fewer than @most are being built. */
static int wait_builds(struct portion *p, size_t most)
{
	int r = 0;

	for (;;) {
		struct rarog_guard *guards[64];
		size_t n = running(p, guards, RAROG_COUNT(guards));
		int over;

		if (n < most || n == 0)
			return r;
		over = rarog_guards_wait(n, guards);
		if (tick(p->s) != 0 || r < 0)
			for (size_t i = 0; i < n; i++)
				rarog_guard_stop(guards[i]);
		for (size_t i = 0; over >= 0 && i < p->builds.n; i++)
			if (&p->builds.v[i].guard == guards[over]) {
				int failed = end_build(p, &p->builds.v[i]);

				if (failed < 0 && r == 0) {
					r = failed;
					most = 1; /* all must end */
				}
				break;
			}
	}
}

static int begin_build(struct portion *p, struct rarog_checkout *c)
{
	struct rarog_schedule *s = p->s;
	rarog_cleanup(rarog_freep) char *message = NULL;
	struct rarog_hash key = c->build.key;
	char last[200];
	int r = rarog_checkout_begin(c, &key, s->options->retry, s->scratch);

	if (r != 0)
		return r < 0 ? r : 0;
	if (c->build.is_good) {
		s->cached++;
		return 0;
	}
	rarog_log_file_recall(rarog_store_objects(s->repository->store), &c->build.log,
			      sizeof(last), last);
	message = rarog_asprintf("build: it is known not to build%s%s; --retry tries again",
				 *last ? ": " : "", last);
	return message ? fail_rows(p, c, &key, true, message) : rarog_oom();
}

static int make_builds(struct portion *p)
{
	int r = list_builds(p);

	for (size_t i = 0; r == 0 && i < p->builds.n; i++) {
		if (rarog_stop_signal())
			r = rarog_fail(-ECANCELED, "interrupted");
		if (r == 0)
			r = begin_build(p, &p->builds.v[i]);
		if (r == 0)
			r = wait_builds(p, p->s->options->parallel);
	}
	if (r == 0)
		return wait_builds(p, 1);
	for (size_t i = 0; i < p->builds.n; i++)
		rarog_guard_stop(&p->builds.v[i].guard);
	wait_builds(p, 1);
	return r;
}

/* --- runs of a portion --- */

static void note_outcome(struct rarog_schedule *s, struct rarog_run_row *row,
			 const struct rarog_run_outcome *outcome)
{
	row->outcome = outcome->outcome;
	row->status = outcome->status;
	row->log = outcome->log;
	row->lost += outcome->lost;
	row->post_failed |= outcome->post_failed;
	if (outcome->outcome != RAROG_OUTCOME_MEASURED || outcome->post_failed)
		set_message(row, outcome->message);
	if (outcome->outcome != RAROG_OUTCOME_MEASURED) {
		s->runs_done += missing(s, row);
		row->state = RAROG_ROW_FAILED;
		return;
	}
	s->runs_done++;
	row->made++;
	row->calls += outcome->calls;
	row->wall_ns += outcome->wall_ns;
	row->profile_bytes += outcome->profile_bytes;
	rarog_vec_push(&row->profiles, outcome->profile);
	if (missing(s, row) == 0)
		row->state = RAROG_ROW_MEASURED;
}

static int measure_row(struct portion *p, struct rarog_run_row *row,
		       const struct rarog_run_round *round)
{
	struct rarog_schedule *s = p->s;
	const struct rarog_task *task = &s->tasks->list.v[row->task];
	const char *root = rarog_vcs_root(s->repository->vcs);
	const struct rarog_run_bench bench = {
		.store = s->repository->store,
		.machine = &s->machine,
		.processors = &s->processors,
		.scratch = s->scratch,
		.root = root,
	};
	struct rarog_run_subject subject = {
		.commit = &s->versions->list.v[row->version],
		.state = s->options->in_place ? s->options->state : NULL,
		.directory = root,
		.is_git = rarog_vcs_kind(s->repository->vcs) == RAROG_VCS_GIT,
	};
	struct rarog_run_outcome outcome;
	struct rarog_hash key;
	int r = 0;

	if (!s->options->in_place) {
		r = key_of(s, row, &key);
		if (r < 0)
			return r;
		subject.directory = find_build(p, &key)->build.path;
	}
	r = rarog_run_measure(&bench, &subject, s->tasks, task, !row->is_started, round, tick, s,
			      &outcome);
	row->is_started = true;
	if (r == 0)
		note_outcome(s, row, &outcome);
	return r;
}

/* Fisher and Yates. */
static void shuffle(size_t n, size_t order[], struct rarog_splitmix *random)
{
	for (size_t i = n; i > 1; i--) {
		size_t k = rarog_splitmix_below(random, (uint32_t)i), other = order[k];

		order[k] = order[i - 1];
		order[i - 1] = other;
	}
}

/* One run of every row that needs one, in some order. Return: how many. */
static int measure_round(struct portion *p, uint32_t number, size_t *order,
			 struct rarog_splitmix *random)
{
	struct rarog_schedule *s = p->s;
	size_t n = 0;
	int r = 0;

	for (size_t i = p->first; i < p->end; i++)
		if (missing(s, &s->rows.v[i]) > 0)
			order[n++] = i;
	shuffle(n, order, random);
	for (size_t i = 0; r == 0 && i < n; i++) {
		struct rarog_run_round round = { .series = s->options->series, .number = number };

		round.seed = rarog_splitmix_next(random);
		r = measure_row(p, &s->rows.v[order[i]], &round);
		if (r == 0 && tick(s) != 0)
			r = rarog_fail(-ECANCELED, "interrupted");
	}
	return r < 0 ? r : (int)n;
}

/* Somebody else may have measured while we waited. */
static int look_again(struct portion *p)
{
	struct rarog_schedule *s = p->s;
	int r = 0;

	for (size_t i = p->first; r == 0 && i < p->end; i++)
		if (s->rows.v[i].state == RAROG_ROW_TODO)
			r = look_up(s, &s->rows.v[i]);
	return r;
}

/* Rows that have enough count as done. */
static int look_at_round(struct portion *p, uint32_t rounds)
{
	struct rarog_schedule *s = p->s;
	bool is_last = true;
	int r;

	for (size_t i = p->first; i < p->end; i++)
		is_last &= missing(s, &s->rows.v[i]) == 0;
	if (is_last || !s->options->enough)
		return 0;
	r = s->options->enough(s, rounds, s->options->user);
	for (size_t i = p->first; r > 0 && i < p->end; i++) {
		s->runs_total -= missing(s, &s->rows.v[i]);
		if (s->rows.v[i].state == RAROG_ROW_TODO)
			s->rows.v[i].state = RAROG_ROW_MEASURED;
	}
	return r < 0 ? r : 0;
}

static int measure(struct portion *p)
{
	struct rarog_schedule *s = p->s;
	size_t n = p->end - p->first;
	rarog_cleanup(rarog_freep) size_t *order = malloc((n + 1) * sizeof(*order));
	struct rarog_splitmix random = rarog_splitmix_stream(s->options->seed, p->first);
	rarog_cleanup(rarog_closep) int lock = -1;
	int r;

	if (!order)
		return rarog_oom();
	lock = rarog_measure_lock(s->repository->store, tick, s);
	r = lock < 0 ? lock : look_again(p);
	for (uint32_t round = 0; r == 0; round++) {
		int made = measure_round(p, round, order, &random);

		if (made <= 0)
			return made;
		r = look_at_round(p, round + 1);
	}
	return r;
}

/* --- the whole --- */

/* The work tree is built where it is, as its owner does. */
static int work_build(void *user, struct rarog_str *reply)
{
	const struct rarog_matrix *matrix = user;

	(void)reply;
	return rarog_shell_run("build", &matrix->build);
}

static int build_recipe(struct portion *p, const struct rarog_matrix *matrix)
{
	struct rarog_schedule *s = p->s;
	rarog_cleanup(rarog_closep) int log = rarog_log_file_open(s->scratch);
	struct rarog_guard_options options = {
		.work = work_build,
		.user = (void *)(uintptr_t)matrix,
		.directory = rarog_vcs_root(s->repository->vcs),
		.timeout_ns = matrix->build_timeout_ns,
		.log = log,
		.input = -1,
	};
	struct rarog_guard guard;
	struct rarog_guard_end end = { 0 };
	int r = log < 0 ? log : rarog_guard_start(&options, &guard);

	if (r == 0)
		r = rarog_run_wait(&guard, tick, s, &end);
	free(end.reply);
	if (r == 0 && end.code < 0) {
		rarog_cleanup(rarog_freep) char *message = strdup(rarog_error_message());
		char last[200];

		rarog_log_file_last(log, sizeof(last), last);
		r = rarog_fail(end.code, "%s%s%s", message ? message : "", *last ? ": " : "", last);
	}
	s->built += r == 0;
	return r;
}

static bool same_recipe(const struct rarog_matrix *a, const struct rarog_matrix *b)
{
	bool is_same = a->build.n == b->build.n;

	for (size_t i = 0; is_same && i < a->build.n; i++)
		is_same = strcmp(a->build.v[i], b->build.v[i]) == 0;
	return is_same;
}

/* Jobs that are built differently cannot share a work tree: each recipe, then its jobs. */
static int build_and_measure_here(struct portion *p, const struct rarog_matrix *matrix)
{
	struct rarog_schedule *s = p->s;
	size_t first = p->first, end = p->end;
	int r = matrix->build.n > 0 && !s->options->no_build ? build_recipe(p, matrix) : 0;

	for (size_t i = first; r == 0 && i < end; i++) {
		if (!same_recipe(s->tasks->list.v[s->rows.v[i].task].matrix, matrix) ||
		    missing(s, &s->rows.v[i]) == 0)
			continue;
		for (p->first = p->end = i; p->end < end; p->end++)
			if (!same_recipe(s->tasks->list.v[s->rows.v[p->end].task].matrix, matrix))
				break;
		r = measure(p);
	}
	p->first = first;
	p->end = end;
	return r;
}

static int run_in_place(struct portion *p)
{
	struct rarog_schedule *s = p->s;
	int r = 0;

	for (size_t i = p->first; r == 0 && i < p->end; i++)
		if (missing(s, &s->rows.v[i]) > 0)
			r = build_and_measure_here(p, s->tasks->list.v[s->rows.v[i].task].matrix);
	return r;
}

static void say_done(const struct portion *p)
{
	const struct rarog_schedule *s = p->s;
	size_t n = s->tasks->list.n;

	for (size_t i = p->first; s->options->done && i < p->end; i += n)
		s->options->done(&s->rows.v[i], n, s->options->user);
}

static int run_portion(struct rarog_schedule *s, size_t first, size_t end)
{
	struct portion p = { .s = s, .first = first, .end = end };
	int r;

	if (s->options->in_place) {
		r = run_in_place(&p);
	} else {
		r = make_builds(&p);
		if (r == 0 && p.builds.n > 0)
			r = measure(&p);
	}
	for (size_t i = 0; i < p.builds.n; i++)
		rarog_checkout_release(&p.builds.v[i]);
	rarog_vec_release(&p.builds);
	say_done(&p);
	return r;
}

static int prepare(struct rarog_schedule *s)
{
	rarog_cleanup(rarog_freep) char *compilers = NULL;
	int r = rarog_scratch_compilers(s->repository->store, &compilers);

	return r < 0 ? r : rarog_toolchain_read(compilers, &s->toolchain);
}

int rarog_schedule_run(struct rarog_schedule *s)
{
	size_t n = s->tasks->list.n;
	size_t together = s->options->parallel > 0 ? s->options->parallel : 1;
	size_t portion = s->options->series ? s->rows.n : n * together;
	int r = s->runs_total > 0 ? prepare(s) : 0;

	for (size_t i = 0; r == 0 && i < s->rows.n; i += portion)
		r = run_portion(s, i, i + portion < s->rows.n ? i + portion : s->rows.n);
	if (r == 0 && s->options->max_build_bytes && !s->options->in_place)
		r = rarog_builds_prune(s->repository->store, s->options->max_build_bytes, NULL);
	return r;
}
