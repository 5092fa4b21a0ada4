/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The walk through the steps of an engine, by one that does nothing but write down which it was
 * asked for: p prepare, s start, e stop, f finish, r release; in capitals those that have failed. A
 * drain() that fails is one D, however often; another leaves no trace, as a program may be too
 * short for one.
 */
#include "collect/drive.h"
#include "collect/windows.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/signals.h"
#include "process/watch.h"
#include "unit.h"

/* What the fake does; one for each test. */
static struct {
	char log[64];
	char fails;       /* the letter of the step that fails */
	int launch_error; /* that prepare() finds */
	pid_t pid;        /* of start() */
	bool is_kept;     /* nothing was released yet */
	void (*on_drain)(void);
	bool refuses;                                 /* set_place() */
	unsigned asked, changes[RAROG_PLACE_ACTIONS]; /* set_place(), and what was done */
	struct rarog_run_result seen;                 /* by stop() */
} fake;

struct fake_run {
	struct rarog_engine_run base;
	int remembered; /* what went wrong, for stop() */
};

static int step(char letter)
{
	size_t n = strlen(fake.log);
	bool fails = fake.fails == letter;

	if (fails)
		letter = (char)(letter - 'a' + 'A');
	if (n + 1 < sizeof(fake.log) && (n == 0 || fake.log[n - 1] != letter))
		fake.log[n] = letter;
	return fails ? rarog_fail(-EPROTO, "step %c has failed", letter) : 0;
}

static int prepare(struct rarog_engine_run *run)
{
	fake.is_kept = true;
	run->collected.run.launch_error = fake.launch_error;
	assert_non_null(run->options);
	assert_ptr_equal(run->command, run->options->command);
	return step('p');
}

static int start(struct rarog_engine_run *run, pid_t pid)
{
	(void)run;
	fake.pid = pid;
	return step('s');
}

static long drain(struct rarog_engine_run *run)
{
	struct fake_run *f = (struct fake_run *)run;

	if (fake.fails == 'd')
		f->remembered = step('d');
	if (fake.on_drain)
		fake.on_drain();
	return 1000000;
}

static int stop(struct rarog_engine_run *run)
{
	int r = step('e');

	fake.seen = run->collected.run;
	if (((struct fake_run *)run)->remembered < 0)
		return rarog_fail(-EPROTO, "what drain() remembered");
	return r;
}

static int finish(struct rarog_engine_run *run)
{
	run->collected.calls = 42;
	return step('f');
}

static void release(struct rarog_engine_run *run)
{
	(void)run;
	step('r');
	fake.is_kept = false;
}

static int set_place(struct rarog_engine_run *run, const struct rarog_place_change *change)
{
	(void)run;
	fake.asked++;
	if (fake.refuses)
		return rarog_fail(-ENOTSUP, "%s: there it cannot",
				  change->module ? change->module : "all");
	fake.changes[change->action]++;
	return 0;
}

static const struct rarog_engine_steps steps = {
	.size = sizeof(struct fake_run),
	.prepare = prepare,
	.start = start,
	.set_place = set_place,
	.drain = drain,
	.stop = stop,
	.finish = finish,
	.release = release,
};

static const struct rarog_engine engine = {
	.name = "fake",
	.abilities = RAROG_ENGINE_SWITCHES | RAROG_ENGINE_WINDOWS,
	.steps = &steps,
};

static struct rarog_collected collected;

static int drive_with(const struct rarog_engine *by, const char *script,
		      struct rarog_trace_options *options)
{
	char shell[] = "/bin/sh", flag[] = "-c", text[256];
	char *argv[] = { shell, flag, text, NULL };
	struct rarog_command_line command;
	struct rarog_plan plan = { 0 };
	sigset_t mask;
	int r;

	snprintf(text, sizeof(text), "%s", script);
	rarog_command_line_init(&command, argv);
	if (options->command)
		command.timeout_ns = options->command->timeout_ns;
	options->command = &command;
	if (!options->plan)
		options->plan = &plan;
	mask = command.mask;
	r = rarog_drive(by, options, &collected);
	while (rarog_signals_release(&mask) > 0)
		;
	assert_false(fake.is_kept);
	return r;
}

static int drive(const char *script)
{
	struct rarog_trace_options options = { 0 };

	return drive_with(&engine, script, &options);
}

static void begin(char fails)
{
	memset(&fake, 0, sizeof(fake));
	fake.fails = fails;
}

/* Nobody is left that this process would have to wait for. */
static void expect_no_child(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* --- order, and failures --- */

TEST(steps_come_in_order)
{
	begin(0);
	assert_int_equal(drive("exit 7"), 0);
	assert_string_equal(fake.log, "psefr");
	assert_true(WIFEXITED(collected.run.wait_status));
	assert_int_equal(WEXITSTATUS(collected.run.wait_status), 7);
	assert_int_equal(WEXITSTATUS(fake.seen.wait_status), 7);
	assert_int_equal(collected.calls, 42);
	assert_true(fake.pid > 0);
	expect_no_child();
}

static const char *written;

static void kill_when_written(void)
{
	if (access(written, F_OK) == 0)
		kill(fake.pid, SIGKILL);
}

/* The first failure is told, the program does not run before start(), and ends by itself after it.
 */
TEST(whichever_step_fails_the_rest_is_legal)
{
	static const struct {
		char step;
		const char *log, *message;
		bool runs;
	} cases[] = {
		{ 'p', "Pr", "step P has failed", false },
		{ 's', "pSer", "step S has failed", false },
		{ 'd', "psDer", "what drain() remembered", true },
		{ 'e', "psEr", "step E has failed", true },
		{ 'f', "pseFr", "step F has failed", true },
	};
	char path[] = "/tmp/rarog-unit-XXXXXX", script[128];
	int fd = mkstemp(path);

	close(fd);
	written = path;
	for (size_t i = 0; i < RAROG_COUNT(cases); i++) {
		unlink(path);
		begin(cases[i].step);
		/* one has to be there for drain() */
		snprintf(script, sizeof(script), "echo > %s%s", path,
			 cases[i].step == 'd' ? "; exec sleep 1000" : "");
		fake.on_drain = cases[i].step == 'd' ? kill_when_written : NULL;
		assert_int_equal(drive(script), -EPROTO);
		assert_string_equal(fake.log, cases[i].log);
		assert_string_equal(rarog_error_message(), cases[i].message);
		assert_int_equal(access(path, F_OK) == 0, cases[i].runs);
		expect_no_child();
	}
	unlink(path);
}

TEST(a_program_that_cannot_be_started_is_no_run)
{
	char name[] = "/nowhere/at/all", *argv[] = { name, NULL };
	struct rarog_command_line command;
	struct rarog_plan plan = { 0 };
	const struct rarog_trace_options options = { .plan = &plan, .command = &command };

	begin(0);
	rarog_command_line_init(&command, argv);
	assert_int_equal(rarog_drive(&engine, &options, &collected), -ENOENT);
	rarog_signals_release(&command.mask);
	assert_string_equal(fake.log, "pser");
	assert_int_equal(collected.run.launch_error, -ENOENT);
	expect_no_child();
}

TEST(what_prepare_finds_out_about_the_program_is_told)
{
	begin('p');
	fake.launch_error = -EACCES;
	assert_int_equal(drive("exit 0"), -EPROTO);
	assert_int_equal(collected.run.launch_error, -EACCES);
}

/* An engine that needs few of the steps. */
TEST(steps_may_be_missing)
{
	static const struct rarog_engine_steps few = {
		.size = sizeof(struct fake_run),
		.prepare = prepare,
		.finish = finish,
		.release = release,
	};
	static const struct rarog_engine simple = { .name = "simple", .steps = &few };
	struct rarog_trace_options options = { 0 };

	begin(0);
	assert_int_equal(drive_with(&simple, "exit 3", &options), 0);
	assert_string_equal(fake.log, "pfr");
	assert_int_equal(WEXITSTATUS(collected.run.wait_status), 3);
}

/* --- signals and time --- */

/* What a process sends that rarog has not started: its parent is not of ours any more. */
static void send_from_outside(int signal)
{
	pid_t target = getpid(), between = fork();

	if (between == 0) {
		between = getpid();
		if (fork() > 0)
			_exit(0);
		while (getppid() == between)
			usleep(1000);
		kill(target, signal);
		_exit(0);
	}
	assert_int_equal(waitpid(between, NULL, 0), between);
}

static void terminate_once(void)
{
	fake.on_drain = NULL;
	send_from_outside(SIGTERM);
}

TEST(a_signal_is_passed_on_and_the_run_is_measured)
{
	begin(0);
	fake.on_drain = terminate_once;
	assert_int_equal(drive("exec sleep 1000"), 0);
	assert_string_equal(fake.log, "psefr");
	assert_int_equal(WTERMSIG(collected.run.wait_status), SIGTERM);
	assert_false(collected.run.timed_out);
	expect_no_child();
}

TEST(a_program_that_takes_too_long_is_ended)
{
	struct rarog_command_line limits = { .timeout_ns = 50000000 };
	struct rarog_trace_options options = { .command = &limits };

	begin(0);
	assert_int_equal(drive_with(&engine, "exec sleep 1000", &options), 0);
	assert_string_equal(fake.log, "psefr");
	assert_true(collected.run.timed_out);
	assert_int_equal(WTERMSIG(collected.run.wait_status), SIGTERM);
	expect_no_child();
}

/* --- programs that run already --- */

static pid_t start_sleeper(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		pause();
		_exit(0);
	}
	assert_true(pid > 0);
	return pid;
}

static int watch(pid_t pid, uint64_t duration_ns)
{
	const struct rarog_attachment attachment = { .pid = pid, .duration_ns = duration_ns };
	struct rarog_trace_options options = { .attachment = &attachment };

	return drive_with(&engine, "", &options);
}

static void terminate_self(void)
{
	fake.on_drain = NULL;
	kill(getpid(), SIGTERM);
}

static void kill_watched(void)
{
	kill(fake.pid, SIGKILL);
}

/* Until its time is over, a signal comes, or it ends; it goes on but in the last case. */
TEST(what_runs_is_watched_until_it_is_time)
{
	static const struct {
		uint64_t duration_ns;
		void (*on_drain)(void);
		bool goes_on;
	} cases[] = {
		{ 1000000, NULL, true },
		{ 0, terminate_self, true },
		{ 0, kill_watched, false },
	};

	for (size_t i = 0; i < RAROG_COUNT(cases); i++) {
		pid_t pid = start_sleeper();

		begin(0);
		fake.on_drain = cases[i].on_drain;
		assert_int_equal(watch(pid, cases[i].duration_ns), 0);
		assert_string_equal(fake.log, "psefr");
		assert_int_equal(fake.pid, pid);
		assert_int_equal(collected.run.wait_status, -1);
		assert_int_equal(waitpid(pid, NULL, WNOHANG) == 0, cases[i].goes_on);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		expect_no_child();
	}
}

TEST(what_cannot_be_watched_goes_on)
{
	pid_t pid = start_sleeper();

	begin('s');
	assert_int_equal(watch(pid, 0), -EPROTO);
	assert_string_equal(fake.log, "pSer");
	assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* --- switching --- */

static void end_when_switched(void)
{
	if (fake.changes[RAROG_PLACE_COUNTED] >= 2 && fake.changes[RAROG_PLACE_PLANNED] >= 2)
		kill_watched();
}

TEST(windows_open_and_shut)
{
	struct rarog_plan plan = { .windows = { .on_ns = 1000000, .period_ns = 2000000 } };
	struct rarog_trace_options options = { .plan = &plan };

	begin(0);
	fake.on_drain = end_when_switched;
	assert_int_equal(drive_with(&engine, "exec sleep 1000", &options), 0);
	assert_string_equal(fake.log, "psefr");
	assert_int_equal(fake.changes[RAROG_PLACE_OFF] + fake.changes[RAROG_PLACE_EVERY], 0);
}

/* Two hours after its begin, in which it stood for @stood_ns; the first window takes one. */
static bool is_shut_after(uint64_t stood_ns)
{
	const uint64_t hour = 3600000000000;
	const struct rarog_windows windows = { .on_ns = hour, .period_ns = 100 * hour };
	struct rarog_window_keeper keeper = {
		.windows = &windows,
		.start_ns = rarog_now_ns() - 2 * hour,
	};
	struct fake_run run = { .base.waiter.stood_ns = stood_ns };

	begin(0);
	rarog_windows_keep(&keeper, &engine, &run.base);
	assert_int_equal(fake.asked, keeper.is_shut);
	return keeper.is_shut;
}

TEST(windows_are_of_the_time_that_the_program_does_not_stand)
{
	assert_true(is_shut_after(0));
	assert_true(is_shut_after(1000000000));
	assert_false(is_shut_after(7100000000000));
}

static void end_when_asked(void)
{
	static int after;

	after = fake.asked ? after + 1 : 0;
	if (after > 50)
		kill_watched();
}

/* One line is said, and the rest is measured. */
TEST(windows_that_cannot_be_are_given_up)
{
	struct rarog_plan plan = { .windows = { .on_ns = 1000000, .period_ns = 2000000 } };
	struct rarog_trace_options options = { .plan = &plan };

	begin(0);
	fake.refuses = true;
	fake.on_drain = end_when_asked;
	assert_int_equal(drive_with(&engine, "exec sleep 1000", &options), 0);
	assert_string_equal(fake.log, "psefr");
	assert_int_equal(fake.asked, 1);
}

struct steering {
	int calls, result;
	char message[128];
};

static long steer(void *steerer, const struct rarog_engine *by, struct rarog_engine_run *run)
{
	static const struct rarog_place_change change = {
		.module = "/lib/x.so",
		.address = 0x10,
		.action = RAROG_PLACE_OFF,
	};
	struct steering *s = steerer;

	if (++s->calls == 1) {
		s->result = rarog_engine_set_place(by, run, &change);
		if (s->result < 0)
			snprintf(s->message, sizeof(s->message), "%s", rarog_error_message());
	}
	if (s->calls < 3)
		return 1000000;
	kill_watched();
	return 0;
}

static const struct steering *steer_once(const struct rarog_engine *by, bool refuses)
{
	static struct steering s;
	struct rarog_trace_options options = { .steer = steer, .steerer = &s };

	s = (struct steering){ 0 };
	begin(0);
	fake.refuses = refuses;
	assert_int_equal(drive_with(by, "exec sleep 1000", &options), 0);
	assert_string_equal(fake.log, "psefr");
	assert_int_equal(s.calls, 3); /* and never again */
	return &s;
}

TEST(places_are_switched_while_it_runs)
{
	assert_int_equal(steer_once(&engine, false)->result, 0);
	assert_int_equal(fake.changes[RAROG_PLACE_OFF], 1);
}

TEST(a_place_that_cannot_be_switched_is_one_line)
{
	static const struct rarog_engine rigid = { .name = "rigid", .steps = &steps };
	const struct steering *s = steer_once(&engine, true);

	assert_int_equal(s->result, -ENOTSUP);
	assert_string_equal(s->message, "/lib/x.so: there it cannot");
	s = steer_once(&rigid, false);
	assert_int_equal(s->result, -ENOTSUP);
	assert_string_equal(s->message,
			    "--engine=rigid cannot switch probes while the program runs");
	assert_int_equal(fake.asked, 0);
}
