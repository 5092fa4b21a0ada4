/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program writes its counters itself, into files that survive it (blocks/counter-file.h); here
 * it is started and, when it has ended, they are read. All processes are summed: which of them did
 * something is not in the profile.
 */
#include "engine/blocks/blocks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "engine/blocks/harvest.h"
#include "engine/blocks/image.h"
#include "plan/parameters.h"
#include "process/clock.h"
#include "process/header.h"

struct blocks {
	struct rarog_engine_run base;
	bool is_set; /* the environment tells where counters go */
	struct rarog_profile_writer *writer;
	struct rarog_harvest harvest;
	struct rarog_exec_watcher *exec_watcher; /* NULL: there is none */
	struct rarog_software software;
	struct rarog_clock_watch watch;
	struct rarog_clock clock;
	uint64_t lost_images;
	uint64_t n_blind; /* the kernel's records of what began that were lost */
	uint64_t lost;    /* all of which there is a doubt, see count_doubts() */
	struct rarog_image_totals totals;
	bool is_exact; /* nothing that the program's instrumented code did is missing */
};

/* --- the run --- */

/* Where the kernel does not show what begins, none is missed. */
static void look_at(struct blocks *b, pid_t pid)
{
	if (rarog_exec_watcher_new(pid, &b->exec_watcher) == 0)
		return;
	rarog_debug(RAROG_LOG_DRAIN, "%s", rarog_error_message());
	rarog_error_clear();
}

static void look_no_more(struct blocks *b)
{
	if (!b->exec_watcher || rarog_exec_watcher_end(b->exec_watcher) == 0)
		return;
	rarog_debug(RAROG_LOG_DRAIN, "%s", rarog_error_message());
	rarog_error_clear();
	b->n_blind = rarog_exec_watcher_lost(b->exec_watcher);
	rarog_exec_watcher_free(rarog_take(b->exec_watcher));
}

/* A program that is started finds it, and what rarog starts itself does not. */
static int set_environment(struct blocks *b)
{
	const char *before = getenv(RAROG_COUNTER_ENVIRONMENT);

	if (before)
		rarog_debug(RAROG_LOG_CMD, RAROG_COUNTER_ENVIRONMENT " was %s", before);
	if (setenv(RAROG_COUNTER_ENVIRONMENT, b->harvest.path, 1) < 0)
		return rarog_oom();
	b->is_set = true;
	return 0;
}

static void unset_environment(struct blocks *b)
{
	if (b->is_set)
		unsetenv(RAROG_COUNTER_ENVIRONMENT);
	b->is_set = false;
}

/* --- what is not in the counts --- */

/* What takes "exact" from the counts, by what the user can do about it. */
enum doubt {
	MISSING,
	SHARED,
	UNFINISHED,
	OUTDATED,
	DOUBTS,
};

static const struct {
	const char *word; /* in the profile, too */
	const char *what, *remedy;
} doubts[DOUBTS] = {
	[MISSING] = { "missing",
		      "programs, libraries or children left no counts, or may have left none",
		      "give them room and leave to make a file (TMPDIR, ulimit -f, ulimit -n), "
		      "keep "
		      "the environment (not env -i, sudo, su -), run rarog within a sandbox, not "
		      "around it" },
	[SHARED] = { "shared",
		     "threads or children counted in the same place, or may have: counts may be "
		     "too low",
		     "let the program make its threads by pthread_create and its children by fork, "
		     "before it sets a filter of system calls, and compile without "
		     "--rarog-threads=relaxed" },
	[UNFINISHED] = { "unfinished, perhaps",
			 "processes were killed, still ran, or ended in a signal's handler or "
			 "while threads ran, or may have: counts of the functions that they were "
			 "in may be one off, those of innermost loops missing",
			 "let main return or call exit when its threads have ended" },
	[OUTDATED] = { "outdated",
		       "programs or libraries were built for another version of rarog, or are not "
		       "there as they ran",
		       "build them again, with this rarog cc" },
};

/* abort() is a call that does not return: the process says that itself. */
static bool is_cut_short(const struct rarog_run_result *run)
{
	return !run->launch_error && WIFSIGNALED(run->wait_status) &&
	       WTERMSIG(run->wait_status) != SIGABRT;
}

static uint64_t count_unfinished(const struct blocks *b)
{
	uint64_t n = is_cut_short(&b->base.collected.run);

	for (size_t i = 0; i < b->harvest.processes.n; i++) {
		const struct rarog_harvest_process *process = &b->harvest.processes.v[i];
		bool is_told = is_cut_short(&b->base.collected.run) &&
			       process->parent == (uint32_t)getpid();

		n += !is_told && !rarog_process_end_is_whole(&process->end);
	}
	return n;
}

/* The kernel tells of some of those that tell themselves, too; only numbers are known of both. */
static uint64_t count_missing(const struct blocks *b, const char **ret_one)
{
	const struct rarog_harvest *h = &b->harvest;
	uint64_t told = h->n_unread + h->n_without;
	uint64_t seen = b->exec_watcher ? rarog_exec_watcher_missed(b->exec_watcher, ret_one) : 0;

	seen -= seen < h->n_foreign ? seen : h->n_foreign;
	return (seen > told ? seen : told) + h->n_childless + b->n_blind;
}

static void count_doubts(const struct blocks *b, uint64_t ret_n[DOUBTS], const char **ret_missing)
{
	const struct rarog_harvest *h = &b->harvest;
	const struct rarog_image_totals *totals = &b->totals;

	ret_n[MISSING] = count_missing(b, ret_missing);
	ret_n[SHARED] = h->n_shared + (rarog_harvest_may_have_threads(h) ? totals->relaxed : 0) +
			(b->exec_watcher ? rarog_exec_watcher_unseen(b->exec_watcher) : 0);
	ret_n[UNFINISHED] = count_unfinished(b) + h->n_running + totals->counted.below_zero;
	ret_n[OUTDATED] = h->n_foreign + b->lost_images;
}

static int add_doubts(struct blocks *b)
{
	const char *missing = NULL;
	uint64_t n[DOUBTS];
	int r = 0;

	count_doubts(b, n, &missing);
	b->is_exact = true;
	for (size_t i = 0; r == 0 && i < DOUBTS; i++) {
		struct rarog_loss loss = { .what = doubts[i].word, .count = n[i] };

		if (n[i] == 0)
			continue;
		b->is_exact = false;
		b->lost += n[i];
		rarog_warn("%llu %s: %s%s%s; %s", (unsigned long long)n[i], doubts[i].word,
			   doubts[i].what, i == MISSING && missing ? ", as " : "",
			   i == MISSING && missing ? missing : "", doubts[i].remedy);
		r = rarog_profile_add_losses(b->writer, 1, &loss);
	}
	return r;
}

/* --- the profile --- */

/* One binary that cannot be read does not take the others along, unless it is the only one. */
static int add_image(struct blocks *b, const struct rarog_harvest_image *image)
{
	uint64_t without = b->totals.without;
	int r = rarog_block_image_write(b->writer, image, &b->software, &b->totals);

	if (rarog_block_image_is_lost(r) && b->harvest.images.n > 1) {
		rarog_warn("%s", rarog_error_message());
		b->lost_images++;
		return 0;
	}
	without = b->totals.without - without;
	if (r == 0 && without > 0)
		rarog_warn("%s: %llu of its functions have no counters: they were compiled without "
			   "rarog cc",
			   image->path, (unsigned long long)without);
	return r;
}

static uint32_t find_process(const struct rarog_harvest *harvest, size_t before, uint32_t pid)
{
	for (size_t i = before; i-- > 0;)
		if (harvest->processes.v[i].pid == pid)
			return (uint32_t)i;
	return RAROG_NONE;
}

static int add_processes(struct blocks *b)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < b->harvest.processes.n; i++) {
		const struct rarog_harvest_process *from = &b->harvest.processes.v[i];
		const struct rarog_process process = {
			.pid = from->pid,
			.parent = find_process(&b->harvest, i, from->parent),
			.start_ticks = b->watch.first.ticks,
			.end_ticks = b->watch.last.ticks,
			.wait_status = -1,
			.command = from->program,
		};
		long index = rarog_profile_add_process(b->writer, &process);

		r = index < 0 ? (int)index : 0;
	}
	return r;
}

void rarog_blocks_write_parameters(struct rarog_json *json, const struct rarog_plan *plan)
{
	rarog_plan_write_collector(json, "compiled", plan);
	rarog_json_object(json, "parameters");
	rarog_json_end_object(json);
}

static void write_totals(struct rarog_json *json, const struct blocks *b)
{
	const struct rarog_image_totals *totals = &b->totals;

	rarog_json_object(json, "totals");
	rarog_block_totals_write(&totals->counted, json);
	rarog_json_uint(json, "functions_without_counters", totals->without);
	rarog_json_uint(json, "machine_functions", totals->machine_functions);
	rarog_json_uint(json, "machine_functions_known", totals->machine_known);
	rarog_json_uint(json, "machine_instructions", totals->machine_least);
	if (totals->machine_most != UINT64_MAX)
		rarog_json_uint(json, "machine_instructions_most", totals->machine_most);
	rarog_json_uint(json, "machine_counting", totals->machine_counting);
	rarog_json_uint(json, "images", b->harvest.images.n);
	rarog_json_uint(json, "processes", b->harvest.processes.n);
	rarog_json_uint(json, "lost", b->lost);
	rarog_json_end_object(json);
}

static void write_rest(struct rarog_json *json, void *blocks)
{
	struct blocks *b = blocks;

	rarog_blocks_write_parameters(json, b->base.options->plan);
	rarog_software_write(json, &b->software);
	rarog_run_write_end(json, &b->base.collected.run);
	write_totals(json, b);
}

static int write_header(struct blocks *b)
{
	const struct rarog_header header = {
		.argv = b->base.options->command->argv,
		.started_ns = b->watch.epoch_ns,
		.describe = b->base.options->describe,
		.user = b->base.options->user,
		.write = write_rest,
		.collector = b,
	};

	return rarog_header_set(b->writer, &header);
}

static int write_profile(struct blocks *b)
{
	int r = 0;

	b->clock = rarog_clock_watch_finish(&b->watch);
	rarog_profile_set_clock(b->writer, &b->clock);
	for (size_t i = 0; r == 0 && i < b->harvest.images.n; i++)
		r = add_image(b, &b->harvest.images.v[i]);
	if (r == 0)
		r = add_processes(b);
	if (r == 0)
		r = add_doubts(b);
	if (r == 0)
		r = write_header(b);
	return r < 0 ? r
		     : rarog_profile_put(b->writer, b->base.options->output, b->base.options->keep,
					 &b->base.collected.profile_bytes);
}

/* Nothing was counted, or nothing is left of it. */
static int fail_without_counts(struct blocks *b)
{
	const char *program = b->base.options->command->argv[0], *missing = program;
	uint64_t n[DOUBTS];
	enum doubt why;

	count_doubts(b, n, &missing);
	if (n[MISSING] == 0 && n[OUTDATED] == 0)
		return rarog_fail(-ENODATA,
				  "%s: nothing that ran counts its blocks; build it with "
				  "CC=\"rarog cc\" (C++: CXX=\"rarog c++\"), or, where it has "
				  "symbols, count by --engine rewrite (a job: by engine: rewrite)",
				  program);
	why = n[OUTDATED] > 0 ? OUTDATED : MISSING;
	return rarog_fail(-ENODATA, "%s: no counts: %s; %s", why == MISSING ? missing : program,
			  doubts[why].what, doubts[why].remedy);
}

/* --- the steps --- */

static int prepare(struct rarog_engine_run *run)
{
	struct blocks *b = (struct blocks *)run;
	int r = rarog_profile_writer_new(run->options->output, &b->writer);

	rarog_clock_watch_start(&b->watch);
	if (r == 0)
		r = rarog_harvest_open(&b->harvest);
	return r < 0 ? r : set_environment(b);
}

static int start(struct rarog_engine_run *run, pid_t pid)
{
	struct blocks *b = (struct blocks *)run;

	unset_environment(b);
	look_at(b, pid);
	return 0;
}

static long drain(struct rarog_engine_run *run)
{
	struct blocks *b = (struct blocks *)run;

	if (!b->exec_watcher)
		return 0;
	rarog_exec_watcher_look(b->exec_watcher);
	return RAROG_LOOK_NS;
}

static int stop(struct rarog_engine_run *run)
{
	struct blocks *b = (struct blocks *)run;

	look_no_more(b);
	b->harvest.exec_watcher = b->exec_watcher;
	return 0;
}

static void describe(struct blocks *b)
{
	struct rarog_collected *collected = &b->base.collected;

	rarog_block_totals_describe(&b->totals.counted, collected);
	collected->lost = !b->is_exact;
	snprintf(collected->kept, sizeof(collected->kept), "%s",
		 !b->is_exact ? ""
		 : b->totals.was_left && b->totals.may_stop
			 ? ", exact but for what comes after calls that did not return"
			 : ", exact");
}

static int finish(struct rarog_engine_run *run)
{
	struct blocks *b = (struct blocks *)run;
	int r = rarog_harvest_gather(&b->harvest);

	if (r == 0 && b->harvest.images.n == 0)
		r = fail_without_counts(b);
	if (r == 0)
		r = write_profile(b);
	describe(b);
	return r;
}

static void release(struct rarog_engine_run *run)
{
	struct blocks *b = (struct blocks *)run;

	unset_environment(b);
	rarog_profile_writer_free(b->writer);
	rarog_software_release(&b->software);
	rarog_harvest_release(&b->harvest);
	rarog_exec_watcher_free(b->exec_watcher);
}

const struct rarog_engine_steps rarog_blocks_steps = {
	.size = sizeof(struct blocks),
	.prepare = prepare,
	.start = start,
	.drain = drain,
	.stop = stop,
	.finish = finish,
	.release = release,
};
