/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program is not touched: probes belong to its file, and are there before it is started. The
 * child that is to become it waits; execve() maps the file with the probes in it. What runs the
 * same file at the same time passes them, too, and is not recorded (trace.bpf.c).
 *
 * While it runs, a thread takes events out of the ring. It looks by itself, at most a millisecond
 * after the last look: to be woken up would cost the program more than its probes.
 */
#include "engine/ebpf/ebpf.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "engine/ebpf/abilities.h"
#include "engine/ebpf/counts.h"
#include "engine/ebpf/faults.h"
#include "engine/ebpf/kernel.h"
#include "engine/ebpf/marks.h"
#include "engine/ebpf/probing.h"
#include "engine/ebpf/sums.h"
#include "engine/probed/ended.h"
#include "engine/probed/marks.h"
#include "engine/probed/strand.h"
#include "plan/function-match.h"
#include "plan/value-set.h"

#define LOOK_AGAIN_NS 1000000

#define FAULTED "calls (the program crashed before their probe)"
#define HANDLED "calls, perhaps (the program has handled a fault before their probe)"
#define UNTOLD                                                                                     \
	"faults, perhaps before probes (the kernel's ring was full or its map of the memory busy)"

struct ebpf {
	struct rarog_probed run;
	struct rarog_ebpf_kernel *kernel;
	enum rarog_ebpf_mode mode;
	struct rarog_ebpf_function *functions; /* [run.n_probes]: as the kernel knows them now */
	pthread_t reader;                      /* if it … */
	bool is_read;                          /* … is there */
	atomic_bool is_over;                   /* for the reader */
	int reader_result;
	char *reader_message;
	RAROG_VEC(uint32_t) crashed; /* functions, for calls that are in no counter */
	uint64_t n_handled;          /* faults before probes that a handler gets to know of … */
	struct rarog_probed_event handled; /* … and the last of them */
	uint64_t attach_ns, detach_ns;
	struct rarog_ebpf_probing probing;
};

static void say_slow(const struct rarog_probed_result *result)
{
	if (result->probes + result->marks == 0)
		rarog_warn("no function could be probed; --debug=site says why");
	else if (result->slow > 0)
		rarog_warn("%zu of %zu functions are single-stepped by the kernel, which makes "
			   "their calls much dearer; rarog doctor has numbers, --debug=site names",
			   result->slow, result->probes);
}

/* --- reading while it runs --- */

static int note_handled(struct ebpf *e, const struct rarog_probed_event *event)
{
	e->n_handled++;
	e->handled = *event;
	return 0;
}

/* The handler could not be called: that fault and this one are of one call. */
static void take_back(struct ebpf *e, const struct rarog_probed_event *event)
{
	if (!rarog_ebpf_is_delivered_again(&e->handled, event))
		return;
	e->n_handled--;
	e->handled = (struct rarog_probed_event){ 0 };
}

/* Their probe has never told of these calls. */
static int take_fault(struct ebpf *e, const struct rarog_probed_event *event)
{
	struct rarog_probed_event entry = *event;

	if (!rarog_ebpf_fault_in(&e->run, event, &entry.number))
		return 0;
	if (!(event->kind & RAROG_PROBED_FATAL))
		return note_handled(e, event);
	take_back(e, event);
	if (e->mode == RAROG_EBPF_COUNTS)
		return rarog_vec_push(&e->crashed, entry.number) < 0 ? rarog_oom() : 0;
	entry.kind = RAROG_PROBED_ENTRY;
	if (e->mode != RAROG_EBPF_SUMS && e->functions[entry.number].every == RAROG_GATE_EVERY)
		return rarog_probed_streams_take(e->run.streams, &entry);
	rarog_recorder_lose(e->run.recorder, FAULTED, 1);
	return 0;
}

static int take_event(void *ebpf, const struct rarog_probed_event *event)
{
	struct ebpf *e = ebpf;

	rarog_ebpf_probing_call(&e->probing, event);
	return rarog_ebpf_is_fault(event) ? take_fault(e, event)
					  : rarog_probed_streams_take(e->run.streams, event);
}

static void *read_events(void *ebpf)
{
	const struct timespec pause = { .tv_nsec = LOOK_AGAIN_NS };
	struct ebpf *e = ebpf;
	bool is_last;
	long n;

	do {
		is_last = atomic_load(&e->is_over);
		n = rarog_ebpf_kernel_read(e->kernel, take_event, e);
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
	e->is_read = r == 0;
	return r < 0 ? rarog_fail(r, "cannot start a thread: %s", strerror(-r)) : 0;
}

static int stop(struct rarog_engine_run *run)
{
	struct ebpf *e = (struct ebpf *)run;
	int stopped;

	e->run.end_ns = rarog_now_ns();
	if (!e->is_read)
		return 0;
	stopped = rarog_ebpf_kernel_stop(e->kernel);
	e->detach_ns = rarog_now_ns() - e->run.end_ns;
	atomic_store(&e->is_over, true);
	pthread_join(e->reader, NULL);
	if (e->reader_result < 0)
		return rarog_fail(e->reader_result, "%s",
				  e->reader_message ? e->reader_message : "out of memory");
	return stopped < 0 ? stopped : rarog_probed_streams_finish(e->run.streams, e->run.end_ns);
}

static int attach(struct rarog_probed_module *m, struct rarog_ebpf_kernel *kernel, pid_t only)
{
	rarog_cleanup(rarog_freep) bool *refused = calloc(m->n + 1, sizeof(*refused));
	int r = refused ? rarog_ebpf_kernel_attach(kernel, m->path, m->n, m->offsets, m->first,
						   only, refused)
			: rarog_oom();

	for (size_t i = 0; r == 0 && i < m->n; i++)
		if (refused[i])
			r = rarog_probed_module_leave_out(m, i, RAROG_PROBED_REFUSED);
	return r;
}

static int probe_all(struct ebpf *e, pid_t pid)
{
	uint64_t begun_ns = rarog_now_ns();
	pid_t only = e->run.base.options->plan->follow ? 0 : pid;
	int r = 0;

	for (size_t i = 0; r == 0 && i < e->run.modules.n; i++) {
		/* the kernel asks the last one first: a function begins before its first mark */
		r = rarog_ebpf_marks_attach(&e->run.modules.v[i], e->kernel, only);
		if (r == 0)
			r = attach(&e->run.modules.v[i], e->kernel, only);
	}
	e->attach_ns = rarog_now_ns() - begun_ns;
	return r < 0 ? r : rarog_ebpf_kernel_seal(e->kernel);
}

/* --- the start --- */

static int watch_child(struct ebpf *e, pid_t pid)
{
	int r = rarog_probed_streams_begin(e->run.streams, pid, false, 0);

	if (r == 0)
		r = rarog_ebpf_kernel_watch(e->kernel, pid, RAROG_EBPF_WAITING);
	return r < 0 ? r : probe_all(e, pid);
}

static int watch_one(struct ebpf *e, pid_t pid)
{
	int r = rarog_probed_streams_begin(e->run.streams, pid, true, e->run.start_ns);

	if (r == 0)
		r = rarog_ebpf_kernel_watch(e->kernel, pid, RAROG_EBPF_FOLLOWED);
	return rarog_probed_unless_ended(pid, r);
}

/* But for this one: each event would make others. */
static int watch_everybody(struct ebpf *e, const struct rarog_attachment *attachment)
{
	const struct rarog_binary *binary = e->run.modules.v[0].binary;
	int r = rarog_probed_streams_everybody(e->run.streams, attachment->path, attachment->file,
					       rarog_binary_is_library(binary));

	if (r == 0)
		r = rarog_ebpf_kernel_watch(e->kernel, getpid(), RAROG_EBPF_WAITING);
	if (r == 0 && rarog_ebpf_kernel_is_split(e->kernel))
		rarog_warn("only processes of this user are measured; root measures all that run "
			   "%s",
			   attachment->file);
	return r < 0 ? r : rarog_ebpf_kernel_watch(e->kernel, 0, RAROG_EBPF_EVERYBODY);
}

/* Probes first: what is recorded begins at one moment for all functions. */
static int watch_running(struct ebpf *e, const struct rarog_attachment *attachment)
{
	int r = probe_all(e, attachment->pid);

	e->run.start_ns = rarog_now_ns();
	if (r < 0)
		return r;
	return attachment->file ? watch_everybody(e, attachment) : watch_one(e, attachment->pid);
}

static int start(struct rarog_engine_run *run, pid_t pid)
{
	const struct rarog_attachment *attachment = run->options->attachment;
	struct ebpf *e = (struct ebpf *)run;
	int r = attachment ? watch_running(e, attachment) : watch_child(e, pid);

	if (r == 0)
		r = start_reader(e);
	if (!attachment)
		e->run.start_ns = rarog_now_ns();
	return r;
}

/* --- what came of it --- */

/* Is not every call told, or may not later? */
static bool skips_any(const struct ebpf *e)
{
	const struct rarog_plan *plan = e->run.base.options->plan;

	return plan->switches || plan->probing.threshold > 0 || rarog_plan_thins(plan);
}

static int add_sums(struct ebpf *e)
{
	const struct rarog_ebpf_delivery delivery = {
		.kernel = e->kernel,
		.streams = e->run.streams,
		.map = e->run.map,
		.recorder = e->run.recorder,
	};
	int r = skips_any(e) ? rarog_ebpf_deliver_skipped(&delivery) : 0;

	return r < 0 || e->mode != RAROG_EBPF_SUMS ? r : rarog_ebpf_deliver_sums(&delivery);
}

static int add_counts(struct ebpf *e)
{
	rarog_cleanup(rarog_freep) uint64_t *counts = calloc(e->run.n_probes + 1, sizeof(*counts));
	int r = counts ? 0 : rarog_oom();

	if (r == 0 && e->mode == RAROG_EBPF_COUNTS && e->run.n_probes > 0)
		r = rarog_ebpf_counts(e->kernel, e->run.n_probes, counts);
	for (size_t i = 0; r == 0 && i < e->crashed.n; i++)
		counts[e->crashed.v[i]]++;
	for (uint32_t i = 0; r == 0 && i < e->run.n_probes; i++)
		if (counts[i] > 0)
			r = rarog_recorder_count(e->run.recorder, e->run.map->locations[i],
						 counts[i]);
	return r;
}

static void add_losses(struct ebpf *e)
{
	static const char *const what[RAROG_EBPF_LOST_KINDS] = {
		[RAROG_EBPF_LOST_CALLS] = "calls (the kernel's ring was full)",
		[RAROG_EBPF_LOST_ENDS] = "ends of calls (the kernel's ring was full)",
		[RAROG_EBPF_LOST_PROCESSES] = "processes (too many at one time)",
		[RAROG_EBPF_LOST_FOREIGN] = "programs (with more rights than this user's)",
		[RAROG_EBPF_LOST_MARKS] = "marks (the kernel's ring was full)",
		[RAROG_EBPF_LOST_NOTES] = "starts and ends of threads (the kernel's ring was full)",
		[RAROG_EBPF_LOST_SUMS] = "calls (no room in the kernel for their sums)",
		[RAROG_EBPF_LOST_RETURNS] = RAROG_PROBED_UNSEEN,
		[RAROG_EBPF_LOST_CONTEXTS] = "contexts folded",
		[RAROG_EBPF_LOST_BUCKETS] = "durations in no histogram",
		[RAROG_EBPF_LOST_FAULTS] = UNTOLD,
	};

	if (e->n_handled > 0)
		rarog_recorder_lose(e->run.recorder, HANDLED, e->n_handled);
	for (uint32_t i = 0; i < RAROG_EBPF_LOST_KINDS; i++) {
		uint64_t n = rarog_ebpf_lost(e->kernel, i);

		if (n > 0)
			rarog_recorder_lose(e->run.recorder, what[i], n);
	}
}

static void write_probes(struct rarog_json *json, struct rarog_probed *run)
{
	static const char *const modes[RAROG_EBPF_MODES] = {
		[RAROG_EBPF_EVENTS] = "told one by one",
		[RAROG_EBPF_VALUES] = "told one by one, with values",
		[RAROG_EBPF_SUMS] = "summed up in the kernel",
		[RAROG_EBPF_COUNTS] = "counted in the kernel",
	};
	const struct ebpf *e = (const struct ebpf *)run;

	rarog_json_object(json, "kernel_probes");
	rarog_json_string(json, "links", rarog_ebpf_links_name(rarog_ebpf_kernel_links(e->kernel)));
	rarog_json_string(json, "calls", modes[e->mode]);
	rarog_json_uint(json, "functions", e->run.result.probes);
	rarog_json_uint(json, "single_stepped", e->run.result.slow);
	rarog_json_uint(json, "attach_ns", e->attach_ns);
	rarog_json_uint(json, "detach_ns", e->detach_ns);
	if (e->run.base.options->attachment && e->run.base.options->attachment->file)
		rarog_json_bool(json, "only_own_processes", rarog_ebpf_kernel_is_split(e->kernel));
	rarog_probed_write_left(json, run);
	rarog_json_end_object(json);
	rarog_probing_write(json, &e->probing.how, e->probing.budget.changes);
}

/* Sums are made in the kernel where everything is calls, and the kernel can. */
static enum rarog_ebpf_mode mode_of(const struct rarog_probed *run)
{
	if (run->base.options->plan->detail == RAROG_DETAIL_COUNT)
		return RAROG_EBPF_COUNTS;
	if (run->result.captured > 0)
		return RAROG_EBPF_VALUES;
	return run->base.options->plan->detail == RAROG_DETAIL_SUMMARY &&
			       run->base.options->plan->probing.threshold == 0 &&
			       run->result.marks == 0
		       ? RAROG_EBPF_SUMS
		       : RAROG_EBPF_EVENTS;
}

/* Which file that is, as the kernel knows it. */
static int choose_everybody(const struct rarog_attachment *attachment,
			    struct rarog_ebpf_kernel_options *options)
{
	struct stat st;

	if (!attachment || !attachment->file)
		return 0;
	if (stat(attachment->path, &st) < 0)
		return rarog_fail_errno("%s", attachment->file);
	options->everybody = true;
	options->device = major(st.st_dev) << 20 | minor(st.st_dev);
	options->inode = st.st_ino;
	return 0;
}

static int load(struct ebpf *e, struct rarog_ebpf_kernel_options *options)
{
	int r = choose_everybody(e->run.base.options->attachment, options);

	if (r < 0)
		return r;
	options->mode = e->mode = mode_of(&e->run);
	r = rarog_ebpf_kernel_new(options, &e->kernel);
	if (r != -ENOTSUP || e->mode != RAROG_EBPF_SUMS)
		return r;
	rarog_debug(RAROG_LOG_INSTALL, "sums are not made in the kernel: %s",
		    rarog_error_message());
	options->mode = e->mode = RAROG_EBPF_EVENTS;
	return rarog_ebpf_kernel_new(options, &e->kernel);
}

/* Words of gates. */
static void choose_told(const struct ebpf *e, const struct rarog_probed_module *m,
			struct rarog_ebpf_function functions[])
{
	for (size_t i = 0; i < m->n; i++, functions++)
		functions->every = m->probes[i].every;
	for (size_t i = 0; i < m->marks.names.n; i++, functions++)
		functions->every =
			rarog_mark_planned(e->run.base.options->plan, &m->marks.names.v[i]);
}

/* What the programs in the kernel are to know of functions. */
static int load_with_functions(struct ebpf *e)
{
	struct rarog_ebpf_function *functions = e->functions =
		calloc(e->run.n_probes + (size_t)1, sizeof(*functions));
	rarog_cleanup(rarog_freep) struct rarog_value_set *sets =
		calloc(e->run.result.captured + 1, sizeof(*sets));
	rarog_cleanup(rarog_freep) struct rarog_ebpf_mark *marks =
		calloc(e->run.result.marks + 1, sizeof(*marks));
	struct rarog_ebpf_kernel_options options = {
		.n_probes = e->run.n_probes,
		.follow = e->run.base.options->plan->follow,
		.skips = skips_any(e),
		.functions = functions,
		.sets = sets,
		.marks = marks,
	};
	size_t n_told = 0;

	if (!functions || !sets || !marks)
		return rarog_oom();
	for (size_t i = 0; i < e->run.modules.n; i++) {
		const struct rarog_probed_module *m = &e->run.modules.v[i];

		choose_told(e, m, functions + m->first);
		for (size_t k = 0; k < m->n; k++) {
			struct rarog_ebpf_function *f = &functions[m->first + k];

			if (m->probes[k].values.all.n == 0)
				continue;
			rarog_value_set_make(&m->probes[k].values, &sets[options.n_sets]);
			f->values = ++options.n_sets;
		}
		n_told += rarog_ebpf_marks_tell(m, marks + m->first_mark);
	}
	options.n_marks = n_told > 0 ? (uint32_t)e->run.result.marks : 0;
	return load(e, &options);
}

/* A probe is in every process that has the file mapped, unless it is for one alone. */
int rarog_ebpf_check_libraries(const struct rarog_plan *plan,
			       const struct rarog_attachment *attachment)
{
	if (!plan->libraries || !plan->follow)
		return 0;
	if (attachment && attachment->file)
		return rarog_fail(-EINVAL,
				  "--engine=ebpf: --every-process measures one file; "
				  "leave out --libs (and --strategy all and a_sampled, which have "
				  "it), or name the library instead");
	return rarog_fail(-EINVAL, "--engine=ebpf: probes in libraries would be in every process "
				   "of this machine; --no-follow puts them into the program alone");
}

/* --- switching --- */

static void change_some(struct ebpf *e, const struct rarog_place_change *change,
			const struct rarog_probed_module *m, size_t first, size_t n)
{
	for (size_t i = first; i < first + n; i++)
		e->functions[m->first + i].every = rarog_place_word(change, m->probes[i].every);
}

static void change_mark(struct ebpf *e, const struct rarog_place_change *change,
			const struct rarog_probed_module *m, size_t name)
{
	e->functions[m->first + m->n + name].every = rarog_place_word(
		change, rarog_mark_planned(e->run.base.options->plan, &m->marks.names.v[name]));
}

static int change_all(struct ebpf *e, const struct rarog_place_change *change)
{
	for (size_t i = 0; i < e->run.modules.n; i++) {
		const struct rarog_probed_module *m = &e->run.modules.v[i];

		change_some(e, change, m, 0, m->n);
		for (size_t k = 0; k < m->marks.names.n; k++)
			change_mark(e, change, m, k);
	}
	return rarog_ebpf_kernel_tell(e->kernel, 0, e->run.n_probes, e->functions);
}

static int change_one(struct ebpf *e, const struct rarog_place_change *change)
{
	size_t module, probe;
	uint32_t number;
	int r = rarog_probed_find_place(&e->run, change, &module, &probe);

	if (r < 0)
		return r;
	number = e->run.modules.v[module].first + (uint32_t)probe;
	if (probe < e->run.modules.v[module].n)
		change_some(e, change, &e->run.modules.v[module], probe, 1);
	else
		change_mark(e, change, &e->run.modules.v[module],
			    probe - e->run.modules.v[module].n);
	return rarog_ebpf_kernel_tell(e->kernel, number, 1, &e->functions[number]);
}

static int set_place(struct rarog_engine_run *run, const struct rarog_place_change *change)
{
	struct ebpf *e = (struct ebpf *)run;
	int r = rarog_place_check("ebpf", run->options->plan, change);

	if (r < 0)
		return r;
	return change->module ? change_one(e, change) : change_all(e, change);
}

/* --- the steps --- */

static int open_run(struct ebpf *e)
{
	const struct rarog_trace_options *options = e->run.base.options;
	int r = rarog_ebpf_check_libraries(options->plan, options->attachment);

	if (r == 0)
		r = rarog_probed_find(&e->run);
	if (r == 0)
		r = load_with_functions(e);
	if (r == 0)
		r = rarog_probed_begin(&e->run);
	return r < 0 ? r : rarog_ebpf_probing_begin(&e->probing, &e->run);
}

static long drain(struct rarog_engine_run *run)
{
	struct ebpf *e = (struct ebpf *)run;

	return rarog_ebpf_probing_look(&e->probing, &e->run, e->kernel, e->functions);
}

static int prepare(struct rarog_engine_run *run)
{
	struct ebpf *e = (struct ebpf *)run;
	int r;

	e->run.engine = "ebpf";
	e->run.tells_skipped = true;
	e->run.tells_faults = rarog_ebpf_sees_faults();
	e->run.actions =
		1u << RAROG_ACTION_COUNT | 1u << RAROG_ACTION_SAMPLE | 1u << RAROG_ACTION_RECORD;
	e->run.choose_marks = rarog_probed_marks_choose;
	e->run.write = write_probes;
	r = open_run(e);
	if (r < 0)
		return r;
	say_slow(&e->run.result);
	rarog_probed_say_marks(&e->run);
	e->run.epoch_ns = rarog_epoch_ns();
	return 0;
}

static int finish(struct rarog_engine_run *run)
{
	const struct rarog_attachment *attachment = run->options->attachment;
	struct ebpf *e = (struct ebpf *)run;
	int r;

	if (attachment && attachment->file && rarog_probed_streams_joined(e->run.streams) == 0)
		rarog_warn("no process ran %s while it was measured", attachment->file);
	r = rarog_probed_say_unmatched(&e->run);
	if (r == 0)
		r = add_counts(e);
	if (r == 0)
		r = add_sums(e);
	add_losses(e);
	return r < 0 ? r : rarog_probed_end(&e->run);
}

static void release(struct rarog_engine_run *run)
{
	struct ebpf *e = (struct ebpf *)run;

	rarog_ebpf_kernel_free(e->kernel);
	rarog_probed_release(&e->run);
	rarog_ebpf_probing_release(&e->probing);
	rarog_vec_release(&e->crashed);
	free(e->functions);
	free(e->reader_message);
}

const struct rarog_engine_steps rarog_ebpf_steps = {
	.size = sizeof(struct ebpf),
	.prepare = prepare,
	.start = start,
	.set_place = set_place,
	.drain = drain,
	.stop = stop,
	.finish = finish,
	.release = release,
};
