/* SPDX-License-Identifier: GPL-3.0-or-later */
/* set_place() of the engines that have it, while a program runs that makes known numbers of calls:
 * phases.c. */
#include "collect/drive.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/signals.h"
#include "binary/binary.h"
#include "plan/marks.h"
#include "plan/options.h"
#include "profile/reader.h"
#include "unit.h"

/* --- what switches it --- */

struct phases {
	const struct rarog_place_change *changes; /* before each phase */
	size_t n, next;
	int in[2], out[2]; /* of the program */
	int results[8];
	bool delays;
	uint64_t calls; /* what was told of delays, of all strands and functions … */
	double late_ns;
	const char *at;            /* measured, too, and … */
	struct rarog_summary mark; /* … what came of it */
};

static void take(void *user, const struct rarog_delayed_calls *calls)
{
	struct phases *p = user;

	p->calls += calls->calls;
	p->late_ns += calls->late_ns;
}

static bool waits(const struct phases *p)
{
	struct pollfd fd = { .fd = p->out[0], .events = POLLIN };
	char byte;

	return poll(&fd, 1, 0) > 0 && read(p->out[0], &byte, 1) == 1;
}

static long steer(void *steerer, const struct rarog_engine *engine, struct rarog_engine_run *run)
{
	struct phases *p = steerer;

	if (!waits(p))
		return 1000000;
	if (p->next == p->n) {
		close(p->in[1]);
		return 0;
	}
	p->results[p->next] = rarog_engine_set_place(engine, run, &p->changes[p->next]);
	rarog_error_clear();
	p->next++;
	assert_int_equal(write(p->in[1], ".", 1), 1);
	return 1000000;
}

/* --- a run --- */

static char self[] = PHASES;

static int drive(const struct rarog_engine *engine, struct rarog_plan_options *plan_options,
		 struct phases *p, const char *output)
{
	char in[16], out[16], *argv[] = { self, in, out, NULL };
	struct rarog_command_line command;
	struct rarog_plan plan;
	struct rarog_trace_options options = {
		.plan = &plan,
		.command = &command,
		.output = output,
		.steer = steer,
		.steerer = p,
	};
	struct rarog_collected collected;
	sigset_t mask;
	int r;

	assert_int_equal(pipe(p->in), 0);
	assert_int_equal(pipe(p->out), 0);
	fcntl(p->in[1], F_SETFD, FD_CLOEXEC);
	snprintf(in, sizeof(in), "%d", p->in[0]);
	snprintf(out, sizeof(out), "%d", p->out[1]);
	assert_int_equal(rarog_plan_make(plan_options, &plan), 0);
	plan.switches = true;
	plan.delays = p->delays;
	plan.delayed = (struct rarog_delay_account){ take, p };
	rarog_command_line_init(&command, argv);
	command.timeout_ns = 100000000000;
	mask = command.mask;
	r = rarog_drive(engine, &options, &collected);
	rarog_signals_release(&mask);
	rarog_plan_release(&plan);
	close(p->in[0]);
	close(p->out[0]);
	close(p->out[1]);
	return r;
}

static struct rarog_summary summary_of(const char *path, const char *name)
{
	struct rarog_profile *profile = NULL;
	const struct rarog_summary *summaries;
	const struct rarog_location *locations;
	struct rarog_summary found = { 0 };
	long n, n_locations;

	assert_int_equal(rarog_profile_open(path, &profile), 0);
	n = rarog_profile_summaries(profile, &summaries);
	n_locations = rarog_profile_locations(profile, &locations);
	for (long i = 0; i < n; i++)
		if (summaries[i].strand == RAROG_NONE &&
		    (long)summaries[i].location < n_locations &&
		    strcmp(locations[summaries[i].location].name, name) == 0)
			found = summaries[i];
	rarog_profile_free(profile);
	return found;
}

static void measure(const struct rarog_engine *engine, int detail, struct phases *p,
		    struct rarog_summary *ret_one, struct rarog_summary *ret_other)
{
	struct rarog_plan_options options = RAROG_PLAN_OPTIONS_DEFAULT;
	const char *pattern = "switched_*";
	char path[] = "/tmp/rarog-unit-XXXXXX";
	int fd = mkstemp(path);

	close(fd);
	if (rarog_engine_check(engine) < 0) {
		print_message("# SKIP needs the engine %s: %s\n", engine->name,
			      rarog_error_message());
		skip();
	}
	options.functions = (struct rarog_strings){ .n = 1, .v = &pattern };
	options.detail = detail;
	if (p->at)
		options.at = (struct rarog_strings){ .n = 1, .v = &p->at };
	if (drive(engine, &options, p, path) < 0)
		fail_msg("%s", rarog_error_message());
	assert_int_equal(p->next, p->n);
	*ret_one = summary_of(path, "switched_one");
	*ret_other = summary_of(path, "switched_other");
	if (p->at)
		p->mark = summary_of(path, p->at);
	unlink(path);
}

/* Address in the file. */
static uint64_t address_of(const char *name)
{
	const struct rarog_function *functions;
	struct rarog_binary *binary;
	uint64_t address = 0;
	size_t n;

	assert_int_equal(rarog_binary_open(self, &binary), 0);
	n = rarog_binary_functions(binary, &functions);
	for (size_t i = 0; i < n; i++)
		if (strcmp(functions[i].name, name) == 0)
			address = functions[i].address;
	rarog_binary_free(binary);
	assert_true(address > 0);
	return address;
}

static const struct rarog_engine *const engines[] = { &rarog_engine_inline, &rarog_engine_ebpf };

/* --- what is switched --- */

/* Of 10 calls in each phase 10, 0, 0, 3, 10 are recorded, and 10, 0, 10, 10, 10 counted. */
static void one_place_is_switched(const struct rarog_engine *engine, int detail)
{
	const uint64_t address = address_of("switched_one");
	const struct rarog_place_change changes[] = {
		{ .module = self, .address = address, .action = RAROG_PLACE_PLANNED },
		{ .module = self, .address = address, .action = RAROG_PLACE_OFF },
		{ .module = self, .address = address, .action = RAROG_PLACE_COUNTED },
		{ .module = self, .address = address, .action = RAROG_PLACE_EVERY, .every = 4 },
		{ .module = self, .address = address, .action = RAROG_PLACE_EVERY, .every = 1 },
	};
	struct phases p = { .changes = changes, .n = RAROG_COUNT(changes) };
	struct rarog_summary one, other;

	measure(engine, detail, &p, &one, &other);
	for (size_t i = 0; i < p.n; i++)
		assert_int_equal(p.results[i], 0);
	assert_int_equal(one.timed, 10 + 3 + 10);
	assert_int_equal(one.count, 10 + 10 + 10 + 10);
	assert_int_equal(other.timed, 50);
	assert_int_equal(other.count, 50);
}

TEST(one_place_is_switched_by_inline)
{
	one_place_is_switched(engines[0], RAROG_DETAIL_CALLS);
	one_place_is_switched(engines[0], RAROG_DETAIL_SUMMARY);
}

/* Where the call is; the engine has it measured at this address. */
static uint64_t address_of_call(const char *call)
{
	struct rarog_plan_options options = RAROG_PLAN_OPTIONS_DEFAULT;
	struct rarog_marks marks = { 0 };
	struct rarog_binary *binary;
	struct rarog_plan plan;
	uint64_t address;

	options.at = (struct rarog_strings){ .n = 1, .v = &call };
	assert_int_equal(rarog_plan_make(&options, &plan), 0);
	assert_int_equal(rarog_binary_open(self, &binary), 0);
	assert_int_equal(rarog_marks_find(binary, self, &plan, &marks), 0);
	assert_true(marks.v.n > 0);
	address = marks.v.v[0].address;
	rarog_marks_release(&marks);
	rarog_binary_free(binary);
	rarog_plan_release(&plan);
	return address;
}

/* As of a function: of 10 passages in each phase 10, 0, 0, 3 are recorded. */
static void a_mark_is_switched(const struct rarog_engine *engine, int detail)
{
	const char *call = "switched_one@main";
	const uint64_t address = address_of_call(call);
	const struct rarog_place_change changes[] = {
		{ .module = self, .address = address, .action = RAROG_PLACE_PLANNED },
		{ .module = self, .address = address, .action = RAROG_PLACE_OFF },
		{ .module = self, .address = address, .action = RAROG_PLACE_COUNTED },
		{ .module = self, .address = address, .action = RAROG_PLACE_EVERY, .every = 4 },
		{ .action = RAROG_PLACE_OFF },
	};
	struct phases p = { .changes = changes, .n = RAROG_COUNT(changes), .at = call };
	struct rarog_summary one, other;

	measure(engine, detail, &p, &one, &other);
	for (size_t i = 0; i < p.n; i++)
		assert_int_equal(p.results[i], 0);
	assert_int_equal(p.mark.timed, 10 + 3);
	assert_int_equal(p.mark.count, 10 + 10 + 10);
	assert_int_equal(one.timed, 40);
	assert_int_equal(other.count, 40);
}

TEST(a_mark_is_switched_by_inline)
{
	a_mark_is_switched(engines[0], RAROG_DETAIL_CALLS);
	a_mark_is_switched(engines[0], RAROG_DETAIL_SUMMARY);
}

TEST(a_mark_is_switched_by_ebpf)
{
	a_mark_is_switched(engines[1], RAROG_DETAIL_CALLS);
	a_mark_is_switched(engines[1], RAROG_DETAIL_SUMMARY);
}

/* 10 calls in each phase: recorded, late, counted. */
TEST(a_place_is_delayed_while_the_program_runs)
{
	const uint64_t address = address_of("switched_one"), ns = 200000;
	const struct rarog_place_change changes[] = {
		{ .module = self, .address = address, .action = RAROG_PLACE_PLANNED },
		{ .module = self,
		  .address = address,
		  .action = RAROG_PLACE_DELAYED,
		  .delay_ns = ns },
		{ .module = self, .address = address, .action = RAROG_PLACE_COUNTED },
	};
	struct phases p = { .changes = changes, .n = RAROG_COUNT(changes), .delays = true };
	struct rarog_summary one, other;

	measure(&rarog_engine_inline, RAROG_DETAIL_SUMMARY, &p, &one, &other);
	for (size_t i = 0; i < p.n; i++)
		assert_int_equal(p.results[i], 0);
	assert_int_equal(one.timed, 10);
	assert_int_equal(one.count, 30);
	assert_int_equal(p.calls, 20);
	assert_true(p.late_ns >= 0.98 * 10 * (double)ns && p.late_ns <= 1.05 * 10 * (double)ns);
}

TEST(delays_that_were_not_planned_are_refused)
{
	const struct rarog_place_change changes[] = {
		{ .action = RAROG_PLACE_DELAYED, .delay_ns = 1000 },
	};
	struct phases p = { .changes = changes, .n = RAROG_COUNT(changes) };
	struct rarog_summary one, other;

	measure(&rarog_engine_inline, RAROG_DETAIL_SUMMARY, &p, &one, &other);
	assert_int_equal(p.results[0], -ENOTSUP);
	assert_int_equal(p.late_ns, 0);
}

TEST(one_place_is_switched_by_ebpf)
{
	one_place_is_switched(engines[1], RAROG_DETAIL_CALLS);
	one_place_is_switched(engines[1], RAROG_DETAIL_SUMMARY);
}

static void counting_is_switched(const struct rarog_engine *engine)
{
	const uint64_t address = address_of("switched_other");
	const struct rarog_place_change changes[] = {
		{ .module = self, .address = address, .action = RAROG_PLACE_OFF },
		{ .module = self, .address = address, .action = RAROG_PLACE_COUNTED },
		{ .module = self, .address = address, .action = RAROG_PLACE_EVERY, .every = 2 },
	};
	struct phases p = { .changes = changes, .n = RAROG_COUNT(changes) };
	struct rarog_summary one, other;

	measure(engine, RAROG_DETAIL_COUNT, &p, &one, &other);
	assert_int_equal(p.results[0], 0);
	assert_int_equal(p.results[1], 0);
	assert_int_equal(p.results[2], -ENOTSUP);
	assert_int_equal(one.count, 30);
	assert_int_equal(other.count, 20);
}

TEST(counting_is_switched_by_inline)
{
	counting_is_switched(engines[0]);
}

TEST(counting_is_switched_by_ebpf)
{
	counting_is_switched(engines[1]);
}

/* What was never recorded is known by its number of calls all the same. */
static void all_places_are_switched(const struct rarog_engine *engine)
{
	const uint64_t address = address_of("switched_other");
	const struct rarog_place_change changes[] = {
		{ .action = RAROG_PLACE_COUNTED },
		{ .module = self, .address = address, .action = RAROG_PLACE_PLANNED },
		{ .module = self, .address = address + 1, .action = RAROG_PLACE_OFF },
		{ .module = "/no/such/file", .address = address, .action = RAROG_PLACE_OFF },
		{ .action = RAROG_PLACE_OFF },
	};
	struct phases p = { .changes = changes, .n = RAROG_COUNT(changes) };
	struct rarog_summary one, other;

	measure(engine, RAROG_DETAIL_CALLS, &p, &one, &other);
	assert_int_equal(p.results[2], -ENOENT);
	assert_int_equal(p.results[3], -ENOENT);
	assert_int_equal(one.timed, 0);
	assert_int_equal(one.count, 40);
	assert_int_equal(other.timed, 30);
	assert_int_equal(other.count, 40);
}

TEST(all_places_are_switched_by_inline)
{
	all_places_are_switched(engines[0]);
}

TEST(all_places_are_switched_by_ebpf)
{
	all_places_are_switched(engines[1]);
}
