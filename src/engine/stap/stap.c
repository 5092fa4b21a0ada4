/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A script is made for the functions that are meant, SystemTap makes a kernel module of it, which
 * takes long and is kept by its cache, and runs it; what that prints goes the way of all events of
 * probes (probed/). As with ebpf the program is not touched, and is there, waiting, before the
 * probes are: its execve() maps the file with the probes in it.
 */
#include "engine/stap/stap.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/signals.h"
#include "engine/stap/output.h"
#include "engine/stap/script.h"
#include "engine/stap/tool.h"

#define READY_WITHIN_S 120 /* from its start, when the module is made already */
#define LOOK_NS        100000000ull

struct stap {
	struct rarog_probed run;
	struct rarog_stap_tool *tool;
	struct rarog_stap_output *output;
	int fd;           /* what the script prints; the tool's */
	pthread_t reader; /* if it … */
	bool is_read;     /* … is there */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_ready, is_over; /* under the lock */
	int reader_result;
	char *reader_message;
	unsigned long skipped;
	size_t n_missing;      /* functions that SystemTap does not find */
	uint64_t preparing_ns; /* until the module was made */
};

/* --- what it prints --- */

static void set(struct stap *s, bool *flag)
{
	pthread_mutex_lock(&s->lock);
	*flag = true;
	pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

static void on_ready(void *stap)
{
	struct stap *s = stap;

	set(s, &s->is_ready);
}

/* Is its number that of a function or mark? */
static bool has_probe(const struct rarog_probed_event *event)
{
	static const bool has[1 << RAROG_PROBED_KIND] = {
		[RAROG_PROBED_ENTRY] = true, [RAROG_PROBED_RETURN] = true,
		[RAROG_PROBED_POINT] = true, [RAROG_PROBED_BEGIN] = true,
		[RAROG_PROBED_STOP] = true,
	};

	return has[event->kind & (RAROG_COUNT(has) - 1) & ~RAROG_PROBED_VALUES];
}

static int on_event(void *stap, const struct rarog_probed_event *event)
{
	struct stap *s = stap;

	if (has_probe(event) && event->number >= s->run.n_probes)
		return rarog_fail(-EIO, "--engine=stap: a call of function %u of %u", event->number,
				  s->run.n_probes);
	return rarog_probed_streams_take(s->run.streams, event);
}

static int on_count(void *stap, uint64_t function, uint64_t count)
{
	struct stap *s = stap;

	if (function >= s->run.n_probes)
		return rarog_fail(-EIO, "--engine=stap: calls of function %lu of %u", function,
				  s->run.n_probes);
	return rarog_recorder_count(s->run.recorder, s->run.map->locations[function], count);
}

/* At the end, when all threads were heard of. */
static int on_rest(void *stap, uint32_t thread, uint32_t function, uint64_t n)
{
	struct stap *s = stap;

	return rarog_probed_streams_rest(s->run.streams, thread, function, n);
}

static int read_output(struct stap *s)
{
	char bytes[65536];
	ssize_t n;
	int r = 0;

	/* To its end in any case, or it could not end. */
	while ((n = read(s->fd, bytes, sizeof(bytes))) != 0) {
		if (n < 0 && errno != EINTR)
			return rarog_fail_errno("SystemTap's output");
		if (n > 0 && r == 0)
			r = rarog_stap_output_feed(s->output, (size_t)n, bytes);
	}
	return r;
}

static void *read_events(void *stap)
{
	struct stap *s = stap;

	s->reader_result = read_output(s);
	if (s->reader_result < 0)
		s->reader_message = strdup(rarog_error_message());
	set(s, &s->is_over);
	return NULL;
}

/* Signals are for the thread that waits for the program. */
static int start_reader(struct stap *s)
{
	sigset_t all, old;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	r = -pthread_create(&s->reader, NULL, read_events, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	s->is_read = r == 0;
	return r < 0 ? rarog_fail(r, "cannot start a thread: %s", strerror(-r)) : 0;
}

static void wait_to_settle(struct stap *s)
{
	uint64_t ns = rarog_epoch_ns() + LOOK_NS;
	const struct timespec until = { .tv_sec = (time_t)(ns / 1000000000),
					.tv_nsec = (long)(ns % 1000000000) };

	pthread_cond_timedwait(&s->changed, &s->lock, &until);
}

/* false: it has ended, or says nothing, or it is not wanted any more */
static bool await_ready(struct stap *s)
{
	uint64_t limit_ns = rarog_now_ns() + READY_WITHIN_S * 1000000000ull;
	bool is_ready;

	pthread_mutex_lock(&s->lock);
	while (!s->is_ready && !s->is_over && !rarog_signals_have_come() &&
	       rarog_now_ns() < limit_ns)
		wait_to_settle(s);
	is_ready = s->is_ready;
	pthread_mutex_unlock(&s->lock);
	return is_ready;
}

/* --- its start and its end --- */

static int stop(struct rarog_engine_run *run)
{
	struct stap *s = (struct stap *)run;
	int ended, r;

	s->run.end_ns = rarog_now_ns();
	if (!s->is_read)
		return 0;
	s->is_read = false;
	rarog_stap_tool_stop(s->tool);
	pthread_join(s->reader, NULL);
	r = s->reader_result;
	ended = rarog_stap_tool_end(s->tool, &s->skipped);
	if (r < 0)
		return rarog_fail(r, "%s", s->reader_message ? s->reader_message : "out of memory");
	return ended < 0 ? ended : rarog_probed_streams_finish(s->run.streams, s->run.end_ns);
}

static int start_tool(struct stap *s, pid_t target, uint64_t since_ns)
{
	const struct rarog_stap_output_options options = {
		.program = target,
		.take = on_event,
		.ready = on_ready,
		.count = on_count,
		.rest = on_rest,
		.context = s,
	};
	int r = rarog_probed_streams_begin(s->run.streams, target, since_ns != 0, since_ns);

	if (r == 0)
		r = rarog_stap_output_new(&options, &s->output);
	if (r < 0)
		return r;
	s->fd = rarog_stap_tool_start(s->tool, target);
	r = s->fd < 0 ? s->fd : start_reader(s);
	if (r < 0)
		return r;
	if (await_ready(s)) {
		rarog_stap_tool_running(s->tool);
		return 0;
	}
	r = stop(&s->run.base);
	if (rarog_signals_have_come())
		return rarog_fail(-EINTR, "--engine=stap: interrupted before there were probes");
	return r < 0 ? r : rarog_stap_tool_fail(s->tool, "has ended before it began");
}

/* What is recorded of a program that runs begins before the probes are there. */
static int start(struct rarog_engine_run *run, pid_t pid)
{
	struct stap *s = (struct stap *)run;
	uint64_t since_ns = run->options->attachment ? rarog_now_ns() : 0;
	int r;

	s->run.epoch_ns = rarog_epoch_ns();
	s->run.start_ns = since_ns;
	r = start_tool(s, pid, since_ns);
	if (since_ns == 0) {
		s->run.start_ns = rarog_now_ns();
		s->run.epoch_ns = rarog_epoch_ns();
	}
	return r;
}

/* --- before and after --- */

/* What SystemTap makes of the script that is made of what was found so far. Return: how many names
 * of marks it does not find; -errno with message. */
static long place_probes(struct stap *s)
{
	rarog_cleanup(rarog_str_release) struct rarog_str script = { 0 }, elaborated = { 0 };
	int r = rarog_stap_script(&s->run, &script);

	if (r < 0)
		return r;
	rarog_debug(RAROG_LOG_SITE, "SystemTap's script:\n%s", rarog_str_text(&script));
	rarog_stap_tool_free(s->tool);
	s->tool = NULL;
	r = rarog_stap_tool_new(rarog_str_text(&script), !s->run.base.options->plan->no_stap_cache,
				&s->tool);
	if (r == 0)
		r = rarog_stap_tool_elaborate(s->tool, &elaborated);
	return r < 0 ? r : rarog_stap_found(&s->run, rarog_str_text(&elaborated));
}

static int make_module(struct stap *s)
{
	uint64_t start_ns = rarog_now_ns();
	long n;
	int r;

	do
		n = place_probes(s);
	while (n > 0);
	r = n < 0 ? (int)n : rarog_stap_tool_compile(s->tool);
	s->preparing_ns = rarog_now_ns() - start_ns;
	return r;
}

/* What SystemTap has probes of, and which functions not although they may have some. */
static void count_probes(struct stap *s)
{
	s->n_missing = s->run.result.marks = 0;
	for (size_t i = 0; i < s->run.modules.n; i++) {
		const struct rarog_probed_module *m = &s->run.modules.v[i];

		s->run.result.marks += m->marks.v.n;
		for (size_t k = 0; k < m->n; k++)
			s->n_missing += rarog_stap_is_left_out(m, m->probes[k].function);
	}
}

static void say_missing(const struct stap *s)
{
	size_t n = s->run.result.probes;

	if (s->n_missing >= n && s->run.result.marks == 0)
		rarog_warn("no function could be probed; --debug=site says why");
	else if (s->n_missing > 0)
		rarog_warn("%zu of %zu functions are left out: SystemTap does not find them; "
			   "--debug=site names them",
			   s->n_missing, n);
}

static void add_losses(struct stap *s)
{
	struct rarog_stap_output_totals totals = rarog_stap_output_totals(s->output);

	if (totals.written > totals.lines)
		rarog_recorder_lose(s->run.recorder,
				    "beginnings and ends of calls (SystemTap's buffers were full)",
				    totals.written - totals.lines);
	if (totals.crowded > 0)
		rarog_recorder_lose(s->run.recorder, "calls (SystemTap's tables were full)",
				    totals.crowded);
	if (totals.outside > 0)
		rarog_recorder_lose(s->run.recorder, "calls (outside of --windows)",
				    totals.outside);
	if (!totals.is_whole)
		rarog_recorder_lose(s->run.recorder, "the end of SystemTap's output", 1);
	if (totals.damaged > 0)
		rarog_recorder_lose(s->run.recorder,
				    "lines of SystemTap's output that make no sense",
				    totals.damaged);
	if (s->skipped > 0)
		rarog_recorder_lose(s->run.recorder, "probes that SystemTap skipped", s->skipped);
}

static void write_script(struct rarog_json *json, struct rarog_probed *run)
{
	const struct stap *s = (const struct stap *)run;

	rarog_json_object(json, "kernel_probes");
	rarog_json_string(json, "links", "SystemTap");
	rarog_json_uint(json, "functions", run->result.probes - s->n_missing);
	rarog_json_uint(json, "preparing_ns", s->preparing_ns);
	rarog_probed_write_left(json, run);
	rarog_json_end_object(json);
}

/* --- the steps --- */

static int open_run(struct stap *s)
{
	int r = rarog_stap_check();

	if (r == 0)
		r = rarog_probed_find(&s->run);
	if (r == 0)
		r = make_module(s);
	if (r < 0)
		return r;
	count_probes(s);
	return rarog_probed_begin(&s->run);
}

/* What is counted beside what is told would need another table in the script. */
static unsigned can_do(const struct rarog_plan *plan)
{
	return plan->detail == RAROG_DETAIL_COUNT
		       ? 1u << RAROG_ACTION_COUNT
		       : 1u << RAROG_ACTION_SAMPLE | 1u << RAROG_ACTION_RECORD;
}

static int prepare(struct rarog_engine_run *run)
{
	struct stap *s = (struct stap *)run;
	int r;

	s->run.engine = "stap";
	s->run.at_entries = true;
	s->run.actions = can_do(run->options->plan);
	s->run.choose_marks = rarog_stap_marks_choose;
	s->run.write = write_script;
	s->fd = -1;
	s->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	s->changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	r = open_run(s);
	if (r < 0)
		return r;
	say_missing(s);
	rarog_probed_say_marks(&s->run);
	return 0;
}

static int finish(struct rarog_engine_run *run)
{
	struct stap *s = (struct stap *)run;
	int r = rarog_probed_say_unmatched(&s->run);

	if (r < 0)
		return r;
	add_losses(s);
	return rarog_probed_end(&s->run);
}

static void release(struct rarog_engine_run *run)
{
	struct stap *s = (struct stap *)run;

	rarog_stap_tool_free(s->tool);
	rarog_stap_output_free(s->output);
	rarog_probed_release(&s->run);
	free(s->reader_message);
}

const struct rarog_engine_steps rarog_stap_steps = {
	.size = sizeof(struct stap),
	.prepare = prepare,
	.start = start,
	.stop = stop,
	.finish = finish,
	.release = release,
};
