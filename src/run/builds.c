/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Builds are claimed in the order of their keys by everybody, and all released before the next
 * portion: two runs that need each other's builds cannot wait for each other in a circle.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "run/log-file.h"
#include "run/portion.h"
#include "run/stop.h"

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

static struct rarog_checkout *find_build(struct rarog_portion *p, const struct rarog_hash *key)
{
	for (size_t i = 0; i < p->builds.n; i++)
		if (rarog_hash_equal(&p->builds.v[i].build.key, key))
			return &p->builds.v[i];
	return NULL;
}

static int list_builds(struct rarog_portion *p)
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
		if (rarog_row_missing(s, row) == 0)
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
static int fail_rows(struct rarog_portion *p, const struct rarog_checkout *c,
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

		if (rarog_row_missing(s, row) == 0)
			continue;
		r = key_of(s, row, &own);
		if (r < 0 || !rarog_hash_equal(&own, key))
			continue;
		s->runs_done += rarog_row_missing(s, row);
		row->state = RAROG_ROW_FAILED;
		row->outcome = RAROG_OUTCOME_NOT_BUILT;
		row->log = c->build.log;
		r = rarog_row_set_message(row, message);
		if (r == 0 && is_its_fault && !s->versions->list.v[row->version].changed_tree)
			r = rarog_attempt_put(s->repository->store, &attempt);
	}
	return r;
}

static size_t running(struct rarog_portion *p, struct rarog_guard *guards[], size_t most)
{
	size_t n = 0;

	for (size_t i = 0; i < p->builds.n && n < most; i++)
		if (p->builds.v[i].guard.pid > 0)
			guards[n++] = &p->builds.v[i].guard;
	return n;
}

static int end_build(struct rarog_portion *p, struct rarog_checkout *c)
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
static int wait_builds(struct rarog_portion *p, size_t most)
{
	int r = 0;

	for (;;) {
		struct rarog_guard *guards[64];
		size_t n = running(p, guards, RAROG_COUNT(guards));
		int over;

		if (n < most || n == 0)
			return r;
		over = rarog_guards_wait(n, guards);
		if (rarog_schedule_tick(p->s) != 0 || r < 0)
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

static int begin_build(struct rarog_portion *p, struct rarog_checkout *c)
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

int rarog_portion_build(struct rarog_portion *p)
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

int rarog_portion_directory(struct rarog_portion *p, const struct rarog_run_row *row,
			    const char **ret_directory)
{
	struct rarog_hash key;
	int r = key_of(p->s, row, &key);

	if (r == 0)
		*ret_directory = find_build(p, &key)->build.path;
	return r;
}

void rarog_portion_drop_builds(struct rarog_portion *p)
{
	for (size_t i = 0; i < p->builds.n; i++)
		rarog_checkout_release(&p->builds.v[i]);
	rarog_vec_release(&p->builds);
}
