/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program is not touched: probes belong to its file, and are there before it is started. The
 * child that is to become it waits; execve() maps the file with the probes in it. Whoever runs the
 * same file at the same time passes them, too, and is not recorded (trace.bpf.c).
 *
 * While it runs, a thread takes events out of the ring. It looks by itself, at most a millisecond
 * after the last look: to be woken up would cost the program more than its probes.
 */
#include "collect/ebpf/ebpf.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "collect/ebpf/kernel.h"
#include "collect/ebpf/module.h"
#include "collect/ebpf/streams.h"
#include "collect/ebpf/wait.h"
#include "collect/header.h"
#include "collect/trace/inline/process.h"
#include "collect/trace/inline/tracer.h"
#include "collect/trace/unmatched.h"
#include "collect/untraced.h"

#define LOOK_AGAIN_NS 1000000

struct ebpf {
	const struct rarog_trace_options *options;
	RAROG_VEC(struct rarog_ebpf_module) modules;
	uint32_t n_probes;
	struct rarog_ebpf_kernel *kernel;
	struct rarog_profile_writer *writer;
	struct rarog_recorder *recorder;
	struct rarog_id_map *map;
	struct rarog_ebpf_streams *streams;
	struct rarog_software software;
	pthread_t reader;
	atomic_bool is_over; /* for the reader */
	int reader_result;
	char *reader_message;
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
	uint64_t epoch_ns;
	bool is_finished; /* the totals are known */
	struct rarog_ebpf_result result;
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* --- what is probed --- */

static int add_module(struct ebpf *e, const char *path)
{
	char real[PATH_MAX];
	int r;

	if (!realpath(path, real))
		return rarog_fail_errno("%s", path);
	r = rarog_vec_reserve(&e->modules, e->modules.n + 1);
	if (r < 0)
		return rarog_oom();
	r = rarog_ebpf_module_open(e->options->plan, real, e->n_probes,
				   &e->modules.v[e->modules.n]);
	if (r < 0)
		return r;
	e->n_probes += (uint32_t)e->modules.v[e->modules.n++].n;
	return 0;
}

static int fail_launch(struct ebpf *e, int r, const char *name)
{
	e->result.run.launch_error = r;
	if (r == -ENOENT)
		return rarog_fail(r, "%s: not found%s", name, strchr(name, '/') ? "" : " in PATH");
	return rarog_fail(r, "%s: cannot execute: %s", name, strerror(-r));
}

static int add_program(struct ebpf *e)
{
	const char *name = e->options->command->argv[0];
	char path[PATH_MAX];
	int r = rarog_program_find(name, path);

	if (r == 0 && access(path, X_OK) < 0)
		r = -errno;
	if (r < 0)
		return fail_launch(e, r, name);
	if (rarog_program_is_script(path))
		return rarog_fail(-ENOTSUP,
				  "--engine=ebpf: %s is a script; name the programs that it runs "
				  "by --binary=PATH",
				  name);
	return add_module(e, path);
}

static int add_running(struct ebpf *e)
{
	pid_t pid = e->options->attachment->pid;
	char path[PATH_MAX], link[64];
	int r = rarog_process_path(pid, path);

	return r < 0 ? r : add_module(e, rarog_process_file(pid, path, link));
}

static int add_modules(struct ebpf *e)
{
	const struct rarog_match *programs = &e->options->plan->programs;
	int r = 0;

	if (programs->include.n == 0)
		return e->options->attachment ? add_running(e) : add_program(e);
	for (size_t i = 0; r == 0 && i < programs->include.n; i++) {
		const char *path = programs->include.v[i].text;

		if (programs->include.v[i].kind != RAROG_PATTERN_NAME || access(path, R_OK) < 0)
			return rarog_fail(
				-EINVAL, "--binary=%s: with --engine=ebpf it must be a file's path",
				path);
		r = add_module(e, path);
	}
	return r;
}

static void sum_modules(struct ebpf *e)
{
	for (size_t i = 0; i < e->modules.n; i++) {
		e->result.functions += e->modules.v[i].n_wanted;
		e->result.probes += e->modules.v[i].n;
		e->result.slow += e->modules.v[i].n_slow;
	}
}

static int say_unmatched(struct ebpf *e)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	struct rarog_module one = { .is_probed = true };
	const struct rarog_modules all = { .first = &one, .plan = e->options->plan };
	int r = 0;

	for (size_t i = 0; r == 0 && i < e->modules.n; i++) {
		one.binary = e->modules.v[i].binary;
		r = rarog_unmatched(&all, &text);
	}
	if (r > 0)
		rarog_warn("%s", rarog_str_text(&text));
	return r < 0 ? r : 0;
}

static void say_slow(const struct ebpf *e)
{
	if (e->result.probes == 0)
		rarog_warn("no function could be probed; --debug=site says why");
	else if (e->result.slow > 0)
		rarog_warn("%zu of %zu functions are single-stepped by the kernel, which makes "
			   "their calls much dearer; rarog doctor has numbers, --debug=site names",
			   e->result.slow, e->result.probes);
}

/* --- the profile's beginning --- */

static void directory_of(const char *path, char directory[PATH_MAX])
{
	const char *slash = strrchr(path, '/');

	snprintf(directory, PATH_MAX, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
	if (slash == path)
		snprintf(directory, PATH_MAX, "/");
}

static int open_profile(struct ebpf *e)
{
	char directory[PATH_MAX];
	struct rarog_recorder_options options = { .plan = e->options->plan,
						  .directory = directory };
	int r = rarog_profile_writer_new(e->options->output, &e->writer);

	directory_of(e->options->output, directory);
	options.writer = e->writer;
	if (r == 0)
		r = rarog_recorder_new(&options, &e->recorder);
	if (r < 0)
		return r;
	e->map = rarog_recorder_id_map(e->recorder, e->n_probes + 1);
	if (!e->map)
		return rarog_oom();
	for (size_t i = 0; r == 0 && i < e->modules.n; i++)
		r = rarog_ebpf_module_announce(&e->modules.v[i], e->recorder, e->map);
	return r < 0 ? r : rarog_ebpf_streams_new(e->recorder, e->map, &e->streams);
}

/* --- reading while it runs --- */

static void *read_events(void *ebpf)
{
	const struct timespec pause = { .tv_nsec = LOOK_AGAIN_NS };
	struct ebpf *e = ebpf;
	bool is_last;
	long n;

	do {
		is_last = atomic_load(&e->is_over);
		n = rarog_ebpf_kernel_read(e->kernel, rarog_ebpf_streams_take, e->streams);
		if (n == 0 && !is_last)
			nanosleep(&pause, NULL);
	} while (n > 0 || (n == 0 && !is_last));
	e->reader_result = (int)n;
	if (n < 0)
		e->reader_message = strdup(rarog_error_message());
	return NULL;
}

/* Signals are for the thread that waits for the program. */
static int start_reader(struct ebpf *e)
{
	sigset_t all, old;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	r = -pthread_create(&e->reader, NULL, read_events, e);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return r < 0 ? rarog_fail(r, "cannot start a thread: %s", strerror(-r)) : 0;
}

static int stop_reader(struct ebpf *e)
{
	uint64_t start = now_ns(CLOCK_MONOTONIC);

	rarog_ebpf_kernel_stop(e->kernel);
	e->result.detach_ns = now_ns(CLOCK_MONOTONIC) - start;
	atomic_store(&e->is_over, true);
	pthread_join(e->reader, NULL);
	if (e->reader_result < 0)
		return rarog_fail(e->reader_result, "%s",
				  e->reader_message ? e->reader_message : "out of memory");
	return rarog_ebpf_streams_finish(e->streams, e->end_ns);
}

static int probe_all(struct ebpf *e, pid_t pid)
{
	uint64_t start = now_ns(CLOCK_MONOTONIC);
	pid_t only = e->options->plan->follow ? 0 : pid;
	int r = 0;

	for (size_t i = 0; r == 0 && i < e->modules.n; i++)
		r = rarog_ebpf_module_attach(&e->modules.v[i], e->kernel, only);
	e->result.attach_ns = now_ns(CLOCK_MONOTONIC) - start;
	return r;
}

/* --- the run --- */

static int run_held(struct ebpf *e, struct rarog_untraced *one)
{
	int r = rarog_untraced_go(1, one), stopped;

	e->end_ns = now_ns(CLOCK_MONOTONIC);
	e->result.run = one->run;
	stopped = stop_reader(e);
	return r < 0 ? r : stopped;
}

static int run_program(struct ebpf *e)
{
	struct rarog_untraced one = { .child = RAROG_LAUNCH_NONE };
	int r = rarog_untraced_hold(e->options->command, &one);

	if (r < 0)
		return r;
	r = rarog_ebpf_streams_begin(e->streams, one.child.pid, false, 0);
	if (r == 0)
		r = rarog_ebpf_kernel_watch(e->kernel, one.child.pid, RAROG_EBPF_WAITING);
	if (r == 0)
		r = probe_all(e, one.child.pid);
	if (r == 0)
		r = start_reader(e);
	if (r < 0) {
		rarog_untraced_drop(&one);
		return r;
	}
	e->start_ns = now_ns(CLOCK_MONOTONIC);
	return run_held(e, &one);
}

/* Probes first: what is recorded begins at one moment for all functions. */
static int watch_program(struct ebpf *e)
{
	const struct rarog_attachment *attachment = e->options->attachment;
	int r = probe_all(e, attachment->pid), stopped;

	e->start_ns = now_ns(CLOCK_MONOTONIC);
	if (r == 0)
		r = rarog_ebpf_streams_begin(e->streams, attachment->pid, true, e->start_ns);
	if (r == 0)
		r = rarog_ebpf_kernel_watch(e->kernel, attachment->pid, RAROG_EBPF_FOLLOWED);
	if (r == 0)
		r = start_reader(e);
	if (r < 0)
		return r;
	r = rarog_ebpf_wait(attachment->pid, attachment->duration_ns);
	e->end_ns = now_ns(CLOCK_MONOTONIC);
	e->result.run.wait_status = -1;
	e->result.run.wall_ns = e->end_ns - e->start_ns;
	stopped = stop_reader(e);
	return r < 0 ? r : stopped;
}

/* --- what came of it --- */

static int add_counts(struct ebpf *e)
{
	rarog_cleanup(rarog_freep) uint64_t *counts = calloc(e->n_probes + 1, sizeof(*counts));
	int r = counts ? 0 : rarog_oom();

	if (r == 0 && e->options->plan->detail == RAROG_DETAIL_COUNT && e->n_probes > 0)
		r = rarog_ebpf_kernel_counts(e->kernel, counts);
	for (uint32_t i = 0; r == 0 && i < e->n_probes; i++)
		if (counts[i] > 0)
			r = rarog_recorder_count(e->recorder, e->map->locations[i], counts[i]);
	return r;
}

static void add_losses(struct ebpf *e)
{
	static const char *const what[RAROG_EBPF_LOST_KINDS] = {
		[RAROG_EBPF_LOST_CALLS] = "calls (the kernel's ring was full)",
		[RAROG_EBPF_LOST_ENDS] = "ends of calls (the kernel's ring was full)",
		[RAROG_EBPF_LOST_PROCESSES] = "processes (too many at one time)",
		[RAROG_EBPF_LOST_NOTES] = "starts and ends of threads (the kernel's ring was full)",
	};

	for (uint32_t i = 0; i < RAROG_EBPF_LOST_KINDS; i++) {
		uint64_t n = rarog_ebpf_kernel_lost(e->kernel, i);

		if (n > 0)
			rarog_recorder_lose(e->recorder, what[i], n);
	}
}

static void write_end(struct rarog_json *json, const struct ebpf *e)
{
	const struct rarog_run_result *run = &e->result.run;

	rarog_json_object(json, "end");
	if (e->options->attachment)
		rarog_json_bool(json, "detached", kill(e->options->attachment->pid, 0) == 0);
	else if (WIFEXITED(run->wait_status))
		rarog_json_int(json, "exit_status", WEXITSTATUS(run->wait_status));
	else
		rarog_json_int(json, "signal", WTERMSIG(run->wait_status));
	rarog_json_bool(json, "timed_out", run->timed_out);
	if (e->options->attachment) { /* its processor time began before */
		rarog_json_uint(json, "wall_ns", run->wall_ns);
	} else {
		rarog_run_write_times(json, run);
		rarog_json_uint(json, "max_rss_bytes", (uint64_t)run->usage.ru_maxrss * 1024);
	}
	rarog_json_end_object(json);
}

static void write_probes(struct rarog_json *json, const struct ebpf *e)
{
	rarog_json_object(json, "kernel_probes");
	rarog_json_string(json, "links", rarog_ebpf_links_name(rarog_ebpf_kernel_links(e->kernel)));
	rarog_json_uint(json, "functions", e->result.probes);
	rarog_json_uint(json, "single_stepped", e->result.slow);
	rarog_json_uint(json, "attach_ns", e->result.attach_ns);
	rarog_json_uint(json, "detach_ns", e->result.detach_ns);
	rarog_json_array(json, "left_out");
	for (size_t i = 0; i < e->modules.n; i++)
		rarog_ebpf_module_write_left(json, &e->modules.v[i]);
	rarog_json_end_array(json);
	rarog_json_end_object(json);
}

static void write_cpu_time(struct rarog_json *json, const struct ebpf *e)
{
	if (e->options->plan->detail == RAROG_DETAIL_COUNT)
		return;
	rarog_json_object(json, "cpu_time");
	rarog_json_bool(json, "is_known", false);
	rarog_json_string(json, "why", "the engine ebpf does not tell it");
	rarog_json_end_object(json);
}

static void write_totals(struct rarog_json *json, const struct ebpf *e)
{
	const struct rarog_recorder_totals *totals = &e->result.totals;

	rarog_json_object(json, "totals");
	rarog_json_uint(json, "calls", totals->calls);
	rarog_json_uint(json, "raw_bytes", totals->raw_bytes);
	rarog_json_uint(json, "functions", e->result.functions);
	rarog_json_uint(json, "patched", e->result.probes);
	rarog_json_uint(json, "images", e->modules.n);
	rarog_json_uint(json, "open", totals->open);
	rarog_json_uint(json, "unwound", totals->unwound);
	rarog_json_uint(json, "lost", totals->lost);
	rarog_json_end_object(json);
	if (totals->became_summary && !totals->had_no_room)
		rarog_json_string(json, "switched", "calls to summary at max_size_bytes");
	if (totals->had_no_room)
		rarog_json_string(json, "switched", "calls to summary: no room on the disk");
}

static void write_rest(struct rarog_json *json, void *ebpf)
{
	struct ebpf *e = ebpf;

	rarog_trace_write_plan(json, "ebpf", e->options->plan);
	rarog_software_write(json, &e->software);
	write_end(json, e);
	write_probes(json, e);
	write_cpu_time(json, e);
	if (e->is_finished)
		write_totals(json, e);
}

static int write_header(struct ebpf *e, bool is_final)
{
	const struct rarog_header header = {
		.argv = e->options->command->argv,
		.started_ns = e->epoch_ns,
		.describe = e->options->describe,
		.user = e->options->user,
		.write = write_rest,
		.collector = e,
	};

	e->is_finished = is_final;
	return rarog_header_set(e->writer, &header);
}

static int end_program(struct ebpf *e)
{
	uint32_t program = rarog_ebpf_streams_program(e->streams);

	if (program == RAROG_NONE)
		return 0;
	return rarog_recorder_end_process(e->recorder, program, e->end_ns,
					  e->result.run.wait_status);
}

static int describe_modules(struct ebpf *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < e->modules.n; i++)
		r = rarog_ebpf_module_describe(&e->modules.v[i], e->recorder, &e->software);
	return r;
}

static int add_inlined(struct ebpf *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < e->modules.n; i++)
		r = rarog_ebpf_module_inlined(&e->modules.v[i], e->writer);
	return r;
}

static int write_profile(struct ebpf *e)
{
	const struct rarog_clock clock = { .hz = 1000000000,
					   .origin_ticks = e->start_ns,
					   .origin_ns = e->epoch_ns };
	int r = end_program(e);

	rarog_profile_set_clock(e->writer, &clock);
	if (r == 0)
		r = add_counts(e);
	add_losses(e);
	if (r == 0)
		r = describe_modules(e);
	if (r == 0)
		r = write_header(e, false);
	if (r == 0)
		r = rarog_recorder_finish(e->recorder, e->end_ns, &e->result.totals);
	if (r == 0)
		r = add_inlined(e);
	if (r == 0)
		r = write_header(e, true);
	return r < 0 ? r
		     : rarog_profile_put(e->writer, e->options->output, e->options->keep,
					 &e->result.profile_bytes);
}

static int collect(struct ebpf *e)
{
	struct rarog_ebpf_kernel_options options = {
		.counts = e->options->plan->detail == RAROG_DETAIL_COUNT,
		.follow = e->options->plan->follow,
	};
	int r = add_modules(e);

	options.n_probes = e->n_probes;
	if (r == 0)
		r = rarog_ebpf_kernel_new(&options, &e->kernel);
	if (r == 0)
		r = open_profile(e);
	if (r < 0)
		return r;
	sum_modules(e);
	say_slow(e);
	e->epoch_ns = now_ns(CLOCK_REALTIME);
	r = e->options->attachment ? watch_program(e) : run_program(e);
	if (r == 0)
		r = say_unmatched(e);
	return r < 0 ? r : write_profile(e);
}

int rarog_ebpf(const struct rarog_trace_options *options, struct rarog_ebpf_result *ret_result)
{
	struct ebpf e = { .options = options };
	int r = collect(&e);

	rarog_ebpf_kernel_free(e.kernel);
	rarog_ebpf_streams_free(e.streams);
	rarog_recorder_free(e.recorder);
	rarog_profile_writer_free(e.writer);
	for (size_t i = 0; i < e.modules.n; i++)
		rarog_ebpf_module_release(&e.modules.v[i]);
	rarog_vec_release(&e.modules);
	rarog_software_release(&e.software);
	free(e.reader_message);
	*ret_result = e.result;
	return r;
}
