/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program writes its counters itself, into files that survive it (blocks/counter-file.h); here
 * it is started and, when it has ended, they are read. All processes are summed: which of them did
 * something is not in the profile.
 */
#include "engine/blocks/blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "process/clock.h"
#include "process/header.h"
#include "process/untraced.h"

struct blocks {
	const struct rarog_blocks_options *options;
	struct rarog_profile_writer *writer;
	struct rarog_harvest harvest;
	struct rarog_onlooker *onlooker; /* NULL: there is none */
	struct rarog_software software;
	struct rarog_clock_watch watch;
	struct rarog_clock clock;
	uint64_t lost_images;
	uint64_t n_missed;  /* processes that left nothing, and are not told of otherwise */
	const char *missed; /* a program of theirs */
	uint64_t n_blind;   /* the kernel's records of what began that were lost */
	uint64_t lost;      /* all of which there is a doubt, see count_doubts() */
	struct rarog_blocks_result result;
};

/* --- the run --- */

/* Where the kernel does not show what begins, nobody is missed. */
static void look_at(struct blocks *b, pid_t pid)
{
	if (rarog_onlooker_new(pid, &b->onlooker) == 0)
		return;
	rarog_debug(RAROG_LOG_DRAIN, "%s", rarog_error_message());
	rarog_error_clear();
}

static void look_no_more(struct blocks *b)
{
	if (!b->onlooker || rarog_onlooker_end(b->onlooker) == 0)
		return;
	rarog_debug(RAROG_LOG_DRAIN, "%s", rarog_error_message());
	rarog_error_clear();
	b->n_blind = rarog_onlooker_lost(b->onlooker);
	rarog_onlooker_free(rarog_take(b->onlooker));
}

static int hold(const struct blocks *b, struct rarog_untraced *ret_one)
{
	const char *before = getenv(RAROG_COUNTER_ENVIRONMENT);
	int r;

	if (before)
		rarog_debug(RAROG_LOG_CMD, RAROG_COUNTER_ENVIRONMENT " was %s", before);
	if (setenv(RAROG_COUNTER_ENVIRONMENT, b->harvest.path, 1) < 0)
		return rarog_oom();
	r = rarog_untraced_hold(b->options->command, ret_one);
	unsetenv(RAROG_COUNTER_ENVIRONMENT);
	return r;
}

static int run_program(struct blocks *b)
{
	struct rarog_untraced one = { .child = RAROG_LAUNCH_NONE };
	int r = rarog_harvest_open(&b->harvest);

	if (r == 0)
		r = hold(b, &one);
	if (r < 0)
		return r;
	look_at(b, one.child.pid);
	one.look = b->onlooker ? rarog_onlooker_look : NULL;
	one.user = b->onlooker;
	r = rarog_untraced_go(1, &one);
	b->result.run = one.run;
	look_no_more(b);
	b->harvest.onlooker = b->onlooker;
	return r < 0 ? r : rarog_harvest_gather(&b->harvest);
}

/* --- what is not in the counts --- */

/* In the midst of a block, unless it asked for it: abort() is a call that does not return. */
static bool is_cut_short(const struct rarog_run_result *run)
{
	return !run->launch_error && WIFSIGNALED(run->wait_status) &&
	       WTERMSIG(run->wait_status) != SIGABRT;
}

static bool is_aborted(const struct rarog_run_result *run)
{
	return !run->launch_error && WIFSIGNALED(run->wait_status) &&
	       WTERMSIG(run->wait_status) == SIGABRT;
}

/* Of the program itself, if a signal ended it, that is said otherwise. */
static void count_ends(const struct blocks *b, uint64_t ret_n[RAROG_ENDS])
{
	bool is_cut = is_cut_short(&b->result.run);

	memset(ret_n, 0, RAROG_ENDS * sizeof(*ret_n));
	for (size_t i = 0; i < b->harvest.processes.n; i++) {
		const struct rarog_harvest_process *process = &b->harvest.processes.v[i];
		struct rarog_process_end end = process->end;
		bool is_ours = process->parent == (uint32_t)getpid();
		enum rarog_end how;

		end.is_aborted = is_ours && is_aborted(&b->result.run);
		how = rarog_process_end_judge(&end);
		if (how != RAROG_END_UNSAID || !is_cut || !is_ours)
			ret_n[how]++;
	}
}

#define MISSING                                                                                    \
	": counts of the functions that they were in may be one off, those of innermost loops "    \
	"missing"

#define WITHOUT                                                                                    \
	"could have no file for their counters (no room, inode or descriptor, a folder that "      \
	"their user or root has not, set-user-ID)"
#define FILTERED                                                                                   \
	"began under a filter of system calls (seccomp, of a sandbox) that may kill for one that " \
	"counting needs; if it is the program's, run rarog within it"
#define FOREIGN "was built for another version of rarog; link it again, with this one's rarog cc"
#define LEFT_NOTHING                                                                               \
	"left no counts (no " RAROG_COUNTER_ENVIRONMENT                                            \
	" in their environment, as behind env -i, sudo, su -; a container; or they ended before "  \
	"they counted)"

/* Some of those that were missed are told of otherwise, by number only. */
static void count_missed(struct blocks *b, bool is_told)
{
	uint64_t otherwise = b->harvest.n_unread + b->harvest.n_foreign + b->harvest.n_without +
			     b->harvest.n_filtered;
	const char *path = "";

	b->n_missed = 0;
	for (size_t i = 0; b->onlooker && path; i++) {
		uint64_t n = rarog_onlooker_missed(b->onlooker, i, &path);
		uint64_t known = n < otherwise ? n : otherwise;

		otherwise -= known;
		if (n == known)
			continue;
		b->n_missed += n - known;
		b->missed = path;
		if (is_told)
			rarog_warn("%llu processes of %s " LEFT_NOTHING,
				   (unsigned long long)(n - known), path);
	}
}

enum doubt {
	SHARED,
	RACING,
	CHILDLESS,
	RUNNING,
	UNREAD,
	FOREIGN_VERSION,
	BELOW_ZERO,
	CUT_SHORT,
	END_UNSAID,
	END_IN_HANDLER,
	END_AMONG_THREADS,
	WITHOUT_FILE,
	FILTERED_FROM_BEGIN,
	MISSED,
	UNSEEN,
	LOST_IMAGES,
	DOUBTS,
};

static const struct {
	const char *loss;    /* in the profile */
	const char *warning; /* NULL: it was said, of each */
} doubts[DOUBTS] = {
	[SHARED] = { "processes whose threads or children shared counters",
		     "processes had threads, or children of a bare clone, that shared counters: "
		     "counts may be too low" },
	[RACING] = { "functions whose threads may have shared counters",
		     "functions were compiled with --rarog-threads=relaxed, and there were, or may "
		     "have been, several threads: counts may be too low" },
	[CHILDLESS] = { "processes whose children were not counted",
			"processes have forked children that are not counted: there was no room "
			"for their counters" },
	[RUNNING] = { "processes that were still running",
		      "processes still ran when the program ended; what they did later is not "
		      "counted" },
	[UNREAD] = { "files of counters that are cut off",
		     "files of counters are cut off and were left out" },
	[FOREIGN_VERSION] = { "files of counters of another version",
			      "programs or libraries were left out: each " FOREIGN },
	[BELOW_ZERO] = { "blocks that were left midway",
			 "blocks came out below 0 and are shown as 0: the program was killed "
			 "between two counters" },
	[CUT_SHORT] = { "programs that a signal ended",
			"program was ended by a signal: counts of the functions that it was in may "
			"be one off, also of their calls, and those of the innermost loops "
			"missing" },
	[END_UNSAID] = { "processes that were ended from outside, perhaps in the midst of a loop",
			 "processes did not say that they end (killed by a signal, or _exit in "
			 "code without counters)" MISSING },
	[END_IN_HANDLER] = { "processes that ended in a signal's handler or jumped out of one, "
			     "perhaps in the midst of a loop",
			     "processes ended in a signal's handler, or jumped out of one, and "
			     "what that interrupted is not known" MISSING },
	[END_AMONG_THREADS] = { "processes that ended while threads ran, perhaps in the midst of "
				"a loop",
				"processes ended while other threads ran, or may have "
				"run" MISSING },
	[WITHOUT_FILE] = { "programs and libraries that could have no file for their counters",
			   "programs and libraries " WITHOUT ": what they did is not counted" },
	[FILTERED_FROM_BEGIN] = { "programs and libraries that began under a filter of system "
				  "calls",
				  "programs and libraries " FILTERED
				  ": what they did is not counted" },
	[MISSED] = { "processes that left no counts", NULL },
	[UNSEEN] = { "the kernel's records of what began",
		     "of the kernel's records of what began were lost: programs that left no "
		     "counts may have been missed" },
	[LOST_IMAGES] = { "binaries that cannot be read", NULL },
};

static void count_doubts(const struct blocks *b, uint64_t ret_n[DOUBTS])
{
	const struct rarog_harvest *h = &b->harvest;
	uint64_t n_ends[RAROG_ENDS];

	count_ends(b, n_ends);
	ret_n[SHARED] = h->n_shared + (b->onlooker ? rarog_onlooker_unseen(b->onlooker) : 0);
	ret_n[RACING] = b->result.totals.racing;
	ret_n[CHILDLESS] = h->n_childless;
	ret_n[RUNNING] = h->n_running;
	ret_n[UNREAD] = h->n_unread;
	ret_n[FOREIGN_VERSION] = h->n_foreign;
	ret_n[BELOW_ZERO] = b->result.totals.below_zero;
	ret_n[CUT_SHORT] = is_cut_short(&b->result.run);
	ret_n[END_UNSAID] = n_ends[RAROG_END_UNSAID];
	ret_n[END_IN_HANDLER] = n_ends[RAROG_END_HANDLER];
	ret_n[END_AMONG_THREADS] = n_ends[RAROG_END_THREADS];
	ret_n[WITHOUT_FILE] = h->n_without;
	ret_n[FILTERED_FROM_BEGIN] = h->n_filtered;
	ret_n[MISSED] = b->n_missed;
	ret_n[UNSEEN] = b->n_blind;
	ret_n[LOST_IMAGES] = b->lost_images;
}

static int add_doubts(struct blocks *b)
{
	uint64_t n[DOUBTS];
	int r = 0;

	count_missed(b, true);
	count_doubts(b, n);
	b->result.is_exact = true;
	for (size_t i = 0; r == 0 && i < DOUBTS; i++) {
		struct rarog_loss loss = { .what = doubts[i].loss, .count = n[i] };

		if (n[i] == 0)
			continue;
		b->result.is_exact = false;
		b->lost += n[i];
		if (doubts[i].warning)
			rarog_warn("%llu %s", (unsigned long long)n[i], doubts[i].warning);
		r = rarog_profile_add_losses(b->writer, 1, &loss);
	}
	return r;
}

/* --- the profile --- */

/* One binary that cannot be read does not take the others along, unless it is the only one. */
static int add_image(struct blocks *b, const struct rarog_harvest_image *image)
{
	uint64_t without = b->result.totals.without;
	int r = rarog_block_image_write(b->writer, image, &b->software, &b->result.totals);

	if (rarog_block_image_is_lost(r) && b->harvest.images.n > 1) {
		rarog_warn("%s", rarog_error_message());
		b->lost_images++;
		return 0;
	}
	without = b->result.totals.without - without;
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

void rarog_blocks_write_parameters(struct rarog_json *json)
{
	rarog_json_string(json, "collector", "blocks");
	rarog_json_string(json, "engine", "compiled");
	rarog_json_object(json, "parameters");
	rarog_json_end_object(json);
}

static void write_totals(struct rarog_json *json, const struct blocks *b)
{
	const struct rarog_block_totals *totals = &b->result.totals;

	rarog_json_object(json, "totals");
	rarog_json_uint(json, "calls", totals->calls);
	rarog_json_uint(json, "instructions", totals->instructions);
	rarog_json_uint(json, "block_executions", totals->executions);
	rarog_json_uint(json, "functions", totals->functions);
	rarog_json_uint(json, "functions_executed", totals->called);
	rarog_json_uint(json, "functions_without_counters", totals->without);
	rarog_json_uint(json, "blocks", totals->blocks);
	rarog_json_uint(json, "blocks_executed", totals->executed);
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

	rarog_blocks_write_parameters(json);
	rarog_software_write(json, &b->software);
	rarog_run_write_end(json, &b->result.run);
	write_totals(json, b);
}

static int write_header(struct blocks *b)
{
	const struct rarog_header header = {
		.argv = b->options->command->argv,
		.started_ns = b->watch.epoch_ns,
		.describe = b->options->describe,
		.user = b->options->user,
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
		     : rarog_profile_put(b->writer, b->options->output, b->options->keep,
					 &b->result.profile_bytes);
}

/* Nothing was counted, or nothing is left of it. */
static int fail_without_counts(struct blocks *b)
{
	const char *program = b->options->command->argv[0];

	count_missed(b, false);
	if (b->harvest.n_foreign > 0)
		return rarog_fail(-ENODATA, "%s: what ran " FOREIGN, program);
	if (b->harvest.n_unread > 0)
		return rarog_fail(-ENODATA,
				  "%s: what it counted is cut off or damaged; see that there is "
				  "room in the folder of temporary files (TMPDIR, ulimit -f) and "
				  "run it again",
				  program);
	if (b->harvest.n_without > 0)
		return rarog_fail(-ENODATA, "%s: what ran " WITHOUT, program);
	if (b->harvest.n_filtered > 0)
		return rarog_fail(-ENODATA, "%s: what ran " FILTERED, program);
	if (b->n_missed > 0)
		return rarog_fail(-ENODATA, "%s: all processes of %s " LEFT_NOTHING, program,
				  b->missed);
	return rarog_fail(-ENODATA,
			  "%s: nothing that ran counts its blocks; build it with "
			  "CC=\"rarog cc\" (C++: CXX=\"rarog c++\")",
			  program);
}

static int collect(struct blocks *b)
{
	int r = rarog_profile_writer_new(b->options->output, &b->writer);

	if (r < 0)
		return r;
	rarog_clock_watch_start(&b->watch);
	r = run_program(b);
	if (r == 0 && b->harvest.images.n == 0)
		r = fail_without_counts(b);
	return r < 0 ? r : write_profile(b);
}

int rarog_blocks(const struct rarog_blocks_options *options, struct rarog_blocks_result *ret_result)
{
	struct blocks b = { .options = options };
	int r = collect(&b);

	rarog_profile_writer_free(b.writer);
	rarog_software_release(&b.software);
	rarog_harvest_release(&b.harvest);
	rarog_onlooker_free(b.onlooker);
	*ret_result = b.result;
	return r;
}
