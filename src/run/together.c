/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A worker holds two processes, each with its version's directory and environment, lets both go and
 * waits for both. The scheduler alone would change over every few milliseconds, by its tick; a
 * metronome, a third process on that processor which does nothing but wake up, makes it choose
 * more often. On two noisy cores the ratio of equal runs of 40 ms scattered (standard deviation) by
 * 8 to 10 % in turn, 2 to 3 % at once, 1 to 2 % at once with the metronome.
 */
#include "run/together.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "process/untraced.h"
#include "run/log-file.h"
#include "run/measure.h"

#define BEAT_NS       500000L /* of the metronome */
#define FAILURES_MOST 2       /* rounds in a row */

struct session {
	const struct rarog_stage *stages;
	bool is_first;
	enum rarog_together_way way; /* as far as it is known */
	bool uses_several;           /* processors */
	struct rarog_command_line command, at_once;
	cpu_set_t processor;
	struct rarog_together runs;
};

/* What the worker answers; runs follow, pair by pair. */
struct answer {
	enum rarog_together_way known, used;
	bool uses_several;
	bool is_laid_out[2];
	size_t pairs;
};

/* --- the metronome --- */

static _Noreturn void beat(const cpu_set_t *processor)
{
	const struct timespec pause = { .tv_nsec = BEAT_NS };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_TIMERSLACK, 1ul);
	sched_setaffinity(0, sizeof(*processor), processor);
	for (;;)
		nanosleep(&pause, NULL);
}

static pid_t start_metronome(const cpu_set_t *processor)
{
	pid_t pid = fork();

	if (pid == 0)
		beat(processor);
	return pid;
}

static void stop_metronome(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* --- pairs --- */

static bool is_allowed(const struct session *s, const struct rarog_run_result *run)
{
	return rarog_stage_is_allowed(run, (void *)(uintptr_t)s->stages[0].task->matrix);
}

static int hold(struct session *s, size_t side, const struct rarog_command_line *command,
		struct rarog_untraced *run)
{
	int r = rarog_stage_enter(&s->stages[side]);

	return r < 0 ? r : rarog_untraced_hold(command, run);
}

static int run_at_once(struct session *s, size_t first, struct rarog_run_result pair[2])
{
	struct rarog_untraced runs[2];
	int r = hold(s, first, &s->at_once, &runs[0]);

	if (r < 0)
		return r;
	r = hold(s, !first, &s->at_once, &runs[1]);
	if (r < 0) {
		rarog_untraced_drop(&runs[0]);
		return r;
	}
	r = rarog_untraced_go(2, runs);
	pair[first] = runs[0].run;
	pair[!first] = runs[1].run;
	return r;
}

static int run_in_turn(struct session *s, size_t first, struct rarog_run_result pair[2])
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < 2; i++) {
		size_t side = i ^ first;
		struct rarog_untraced run;

		r = hold(s, side, &s->command, &run);
		if (r == 0)
			r = rarog_untraced_go(1, &run);
		if (r == 0)
			pair[side] = run.run;
	}
	return r;
}

/* Return: 1; 0 one failed; -errno. */
static int run_pair(struct session *s, enum rarog_together_way way, size_t first,
		    struct rarog_run_result pair[2])
{
	int r = way == RAROG_TOGETHER_AT_ONCE ? run_at_once(s, first, pair)
					      : run_in_turn(s, first, pair);

	return r < 0 ? r : is_allowed(s, &pair[0]) && is_allowed(s, &pair[1]);
}

static void forget(struct session *s)
{
	for (size_t side = 0; side < 2; side++)
		s->runs.runs[side].runs.n = 0;
}

/* Return: as run_pair(). */
static int run_pairs(struct session *s, enum rarog_together_way way)
{
	int64_t n = s->stages[0].task->matrix->untraced;
	size_t first = s->stages[0].round->seed & 1;
	int r = 1;

	forget(s);
	for (int64_t i = 0; r > 0 && i < n; i++) {
		struct rarog_run_result pair[2] = { { 0 } };

		r = run_pair(s, way, first ^ (i & 1), pair);
		for (size_t side = 0; r > 0 && side < 2; side++)
			if (rarog_vec_push(&s->runs.runs[side].runs, pair[side]) < 0)
				return rarog_oom();
	}
	return r;
}

/* --- which way --- */

/* With several threads or processes of its own, it would have less of one processor than of all. */
static bool is_alone(const struct rarog_run_result *run)
{
	uint64_t cpu_ns = rarog_run_cpu_ns(run);

	return run->main_ns > 0 && run->main_ns >= cpu_ns - cpu_ns / 10;
}

/* Not known after a pair that failed. */
static int find_way(struct session *s)
{
	struct rarog_run_result pair[2] = { { 0 } };
	int r = run_pair(s, RAROG_TOGETHER_IN_TURN, 0, pair);

	if (r <= 0)
		return r;
	s->uses_several = !is_alone(&pair[0]) || !is_alone(&pair[1]);
	s->way = s->uses_several ? RAROG_TOGETHER_IN_TURN : RAROG_TOGETHER_AT_ONCE;
	return 0;
}

static int run_at_once_pairs(struct session *s)
{
	pid_t metronome = start_metronome(&s->processor);
	int r = run_pairs(s, RAROG_TOGETHER_AT_ONCE);

	stop_metronome(metronome);
	return r;
}

/* In the way that is known, else in the next worse one. */
static int run_whatever_way(struct session *s)
{
	enum rarog_together_way used = RAROG_TOGETHER_NOT;
	int r = s->way == RAROG_TOGETHER_UNKNOWN ? find_way(s) : 0;

	if (r == 0 && s->way == RAROG_TOGETHER_AT_ONCE) {
		r = run_at_once_pairs(s);
		if (r > 0)
			used = RAROG_TOGETHER_AT_ONCE;
	}
	if (r == 0 && (s->way == RAROG_TOGETHER_AT_ONCE || s->way == RAROG_TOGETHER_IN_TURN)) {
		r = run_pairs(s, RAROG_TOGETHER_IN_TURN);
		if (r > 0)
			used = RAROG_TOGETHER_IN_TURN;
	}
	s->runs.way = used;
	return r < 0 ? r : 0;
}

/* --- the worker --- */

static int lay_out(struct session *s, size_t side)
{
	int r = chdir(s->stages[side].subject->directory) < 0
			? rarog_fail_errno("%s: cannot enter", s->stages[side].subject->directory)
			: rarog_stage_lay_out(&s->stages[side]);

	s->runs.is_laid_out[side] = r > 0;
	return r < 0 ? r : rarog_stage_pre_run(&s->stages[side]);
}

/* Both on the first of the program's processors, or, not pinned, on the first that there is. */
static void choose_processor(struct session *s)
{
	cpu_set_t from = s->stages[0].bench->processors->program;

	if (!s->stages[0].bench->processors->is_pinned)
		sched_getaffinity(0, sizeof(from), &from);
	CPU_ZERO(&s->processor);
	for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&s->processor) == 0; i++)
		if (CPU_ISSET(i, &from))
			CPU_SET(i, &s->processor);
}

static int prepare(struct session *s)
{
	int r = rarog_stage_environment(&s->stages[0]);

	for (size_t side = 0; r == 0 && side < 2; side++)
		r = lay_out(s, side);
	if (r == 0)
		r = rarog_stage_drop_output();
	choose_processor(s);
	rarog_stage_command(&s->stages[0], &s->command);
	s->at_once = s->command;
	s->at_once.processors = &s->processor;
	return r;
}

static int warm_up(struct session *s)
{
	int64_t n = s->is_first ? s->stages[0].task->matrix->warmup : 0;
	int r = 0;

	for (int64_t i = 0; r >= 0 && i < n; i++) {
		struct rarog_run_result pair[2] = { { 0 } };

		r = run_pair(s, RAROG_TOGETHER_IN_TURN, 0, pair);
	}
	return r < 0 ? r : 0;
}

static void answer(const struct session *s, struct rarog_str *reply)
{
	const struct rarog_together *t = &s->runs;
	struct answer answer = { .known = s->way,
				 .used = t->way,
				 .uses_several = s->uses_several,
				 .pairs = t->way == RAROG_TOGETHER_NOT ? 0 : t->runs[0].runs.n };

	memcpy(answer.is_laid_out, t->is_laid_out, sizeof(answer.is_laid_out));
	rarog_str_add_bytes(reply, sizeof(answer), (const char *)&answer);
	for (size_t i = 0; i < answer.pairs; i++)
		for (size_t side = 0; side < 2; side++)
			rarog_str_add_bytes(reply, sizeof(t->runs[side].runs.v[i]),
					    (const char *)&t->runs[side].runs.v[i]);
}

static int work(void *user, struct rarog_str *reply)
{
	struct session *s = user;
	int r = prepare(s);

	if (r == 0)
		r = warm_up(s);
	if (r == 0)
		r = run_whatever_way(s);
	if (r == 0)
		answer(s, reply);
	rarog_together_release(&s->runs);
	return r;
}

/* --- outside of it --- */

/* @known: now, NOT if the worker failed, too. */
static void learn(const struct answer *answer, struct rarog_together_way_of *of)
{
	enum rarog_together_way known = answer->known;

	if (known == RAROG_TOGETHER_NOT)
		known = of->way;
	if (answer->uses_several)
		of->why = RAROG_TOGETHER_THREADS;
	of->failures = answer->used == known ? 0 : of->failures + 1;
	of->way = of->failures < FAILURES_MOST ? known : answer->used;
	if (of->failures >= FAILURES_MOST) {
		of->why = RAROG_TOGETHER_FAILED;
		of->failures = 0;
	}
}

static int read_runs(const char *at, size_t pairs, struct rarog_together *together)
{
	for (size_t i = 0; i < 2 * pairs; i++, at += sizeof(struct rarog_run_result)) {
		struct rarog_run_result run;

		memcpy(&run, at, sizeof(run));
		if (rarog_vec_push(&together->runs[i % 2].runs, run) < 0)
			return rarog_oom();
	}
	return 0;
}

static int read_answer(const struct rarog_guard_end *end, struct rarog_together_way_of *of,
		       struct rarog_together *together)
{
	struct answer answer = { .known = RAROG_TOGETHER_NOT, .used = RAROG_TOGETHER_NOT };

	if (end->code == 0 && end->n_reply >= sizeof(answer))
		memcpy(&answer, end->reply, sizeof(answer));
	learn(&answer, of);
	together->way = answer.used;
	together->why = answer.used == RAROG_TOGETHER_AT_ONCE ? NULL
			: answer.used == of->way && of->why   ? of->why
							      : RAROG_TOGETHER_FAILED;
	memcpy(together->is_laid_out, answer.is_laid_out, sizeof(answer.is_laid_out));
	return answer.pairs ? read_runs(end->reply + sizeof(answer), answer.pairs, together) : 0;
}

int rarog_together_run(const struct rarog_stage stages[2], bool is_first, int (*tick)(void *user),
		       void *user, struct rarog_together_way_of *of,
		       struct rarog_together *together)
{
	struct session session = { .stages = stages, .is_first = is_first, .way = of->way };
	rarog_cleanup(rarog_closep) int log = rarog_log_file_open(stages[0].bench->scratch);
	const struct rarog_guard_options options = {
		.work = work,
		.user = &session,
		.directory = stages[0].subject->directory,
		.log = log,
		.input = -1,
	};
	struct rarog_guard_end end = { 0 };
	struct rarog_guard guard;
	int r = log < 0 ? log : rarog_guard_start(&options, &guard);

	if (r == 0)
		r = rarog_run_wait(&guard, tick, user, &end);
	if (r == 0 && end.code == -ECANCELED)
		r = end.code;
	if (r == 0)
		r = read_answer(&end, of, together);
	if (r == 0 && end.code < 0)
		rarog_error_clear(); /* alone it fails again, and that will be told */
	free(end.reply);
	return r;
}

void rarog_together_release(struct rarog_together *together)
{
	for (size_t side = 0; side < 2; side++)
		rarog_beside_release(&together->runs[side]);
	*together = (struct rarog_together){ 0 };
}
