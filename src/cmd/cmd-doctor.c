/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What this machine can do for a measurement, and what to change where it cannot: each check is a
 * row of a table. Checks look at the thing itself (may this process trace its child?), not at
 * version numbers.
 */
#include <cpuid.h>
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json-writer.h"
#include "base/str.h"
#include "base/table.h"
#include "base/units.h"
#include "cmd/cc-tools.h"
#include "cmd/commands.h"
#include "collect/collector.h"
#include "collect/engine-choice.h"
#include "engine/inline/able.h"
#include "engine/sample/events.h"
#include "process/event-counters.h"
#include "process/running.h"
#include "process/switch-rings.h"

enum verdict { FINE, LIMITED, BROKEN };

struct finding {
	const char *name, *needed_for, *remedy;
	enum verdict verdict;
	struct rarog_str text; /* what there is */
};

struct check {
	const char *name;
	const char *needed_for;
	const char *remedy; /* printed unless all is fine */
	void (*run)(struct finding *finding);
};

struct findings {
	RAROG_VEC(struct finding) list;
	struct rarog_engine_choice plain; /* what collect takes unasked; .engine NULL: none */
};

#define NEEDED_SPACE (20ull << 30) /* 17 for the probes, the rest for the program */

static void kernel(struct finding *finding)
{
	struct utsname name;

	if (uname(&name) == 0)
		rarog_str_addf(&finding->text, "%s %s on %s", name.sysname, name.release,
			       name.machine);
	if (uname(&name) != 0 || strcmp(name.machine, "x86_64") != 0)
		finding->verdict = BROKEN;
}

/* The constant rate of the time stamp counter is a promise of the processor: CPUID 80000007H:EDX,
 * bit 8 (Intel SDM volume 3, 18.17.1). */
static void time_stamp_counter(struct finding *finding)
{
	unsigned a, b, c, d;
	bool is_invariant = __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1 << 8);
	rarog_cleanup(rarog_freep) char *source = NULL;

	rarog_str_add(&finding->text, is_invariant ? "constant rate" : "rate may vary");
	if (rarog_file_read("/sys/devices/system/clocksource/clocksource0/current_clocksource", 64,
			    &source, NULL) == 0)
		rarog_str_addf(&finding->text, ", the kernel keeps time with %.*s",
			       (int)strcspn(source, "\n"), source);
	if (!is_invariant)
		finding->verdict = LIMITED;
}

static void tracing(struct finding *finding)
{
	rarog_cleanup(rarog_freep) char *scope = NULL;
	int r = rarog_tracing_try();

	if (r == 0) {
		rarog_str_add(&finding->text, "a child may be traced");
		return;
	}
	finding->verdict = BROKEN;
	if (rarog_file_read("/proc/sys/kernel/yama/ptrace_scope", 64, &scope, NULL) == 0)
		rarog_str_addf(&finding->text, "ptrace_scope is %.*s; ", (int)strcspn(scope, "\n"),
			       scope);
	rarog_str_addf(&finding->text, "ptrace is refused: %s", strerror(-r));
}

/* Writable in one mapping, executable in another: what code made for another process needs. */
static void executable_memory(struct finding *finding)
{
	int r = rarog_executable_memory_try();

	if (r == 0) {
		rarog_str_add(&finding->text, "allowed");
		return;
	}
	finding->verdict = BROKEN;
	rarog_str_addf(&finding->text, "refused: %s", strerror(-r));
}

/* Of samples without what the program starts (Linux 5.13). */
static bool samples_one_process(void)
{
	struct rarog_sample_options options = RAROG_SAMPLE_OPTIONS_DEFAULT;
	struct rarog_sample_events events;
	int r = rarog_sample_events_open(&options, getpid(), true, &events);

	if (r < 0)
		return true; /* none are taken at all: another line says so */
	rarog_sample_events_release(&events);
	options.follow = false;
	r = rarog_sample_events_open(&options, getpid(), true, &events);
	if (r == 0)
		rarog_sample_events_release(&events);
	return r == 0;
}

static bool copies_descriptors(void)
{
	return syscall(SYS_pidfd_getfd, -1, 0, 0) < 0 && errno == EBADF;
}

/* Those for which nothing else can be done: doc/design/kernel.md. */
static void newer_calls(struct finding *finding)
{
	static const struct {
		bool (*is_there)(void);
		const char *lack;
	} calls[] = {
		{ copies_descriptors, "limits of time that belong to sockets begin anew where "
				      "--pid stops a wait (pidfd_getfd)" },
		{ rarog_tracing_tells_sequences, "--pid does not go round restartable sequences "
						 "(PTRACE_GET_RSEQ_CONFIGURATION)" },
		{ samples_one_process, "sample has no --no-follow (perf_event_attr)" },
	};

	for (size_t i = 0; i < RAROG_COUNT(calls); i++) {
		if (calls[i].is_there())
			continue;
		rarog_str_addf(&finding->text, "%s%s", finding->text.length > 0 ? "; " : "",
			       calls[i].lack);
		finding->verdict = LIMITED;
	}
	if (finding->verdict == FINE)
		rarog_str_add(&finding->text, "all there");
}

static void context_switches(struct finding *finding)
{
	rarog_cleanup(rarog_switch_rings_freep) struct rarog_switch_rings *rings = NULL;

	if (rarog_switch_rings_new(getpid(), RAROG_SWITCH_PAGES, &rings) < 0) {
		finding->verdict = LIMITED;
		rarog_str_add(&finding->text, rarog_error_message());
		return;
	}
	rarog_str_add(&finding->text, "shown");
}

static void counters(struct finding *finding)
{
	if (!rarog_event_counters_examine(&finding->text))
		finding->verdict = LIMITED;
}

/* Reserved in the program, not used up: doc/design/inline.md, "Memory". */
static void address_space(struct finding *finding)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY) {
		rarog_str_add(&finding->text, "without limit");
		return;
	}
	rarog_str_addf(&finding->text, "%s at most",
		       rarog_format_bytes((uint64_t)limit.rlim_cur).text);
	if (limit.rlim_cur < NEEDED_SPACE)
		finding->verdict = BROKEN;
}

static void processors(struct finding *finding)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	rarog_str_addf(&finding->text, "%ld", n);
	if (n < 2)
		finding->verdict = LIMITED;
}

/* What clang of @version lacks for rarog cc; NULL: nothing. */
static const char *lack_of(const char *version)
{
	struct rarog_cc_tools tools;
	bool has_plugin = rarog_cc_tools_find(version, &tools);

	if (!rarog_cc_tools_has_compiler(version))
		return has_plugin ? "not installed" : "not installed, nor the plug-in for it";
	if (!has_plugin)
		return "without the plug-in";
	return rarog_cc_tools_has_runtime(&tools) ? NULL : "without the runtime";
}

/* One will do. */
static void compilers(struct finding *finding)
{
	finding->verdict = LIMITED;
	for (size_t i = 0; rarog_cc_versions[i]; i++) {
		const char *lack = lack_of(rarog_cc_versions[i]);

		if (!lack)
			finding->verdict = FINE;
		rarog_str_addf(&finding->text, "%sclang-%s%s%s%s", i > 0 ? ", " : "",
			       rarog_cc_versions[i], lack ? " (" : "", lack ? lack : "",
			       lack ? ")" : "");
	}
}

static const struct check checks[] = {
	{ "kernel", "everything", "rarog measures programs for Linux on x86-64 only", kernel },
	{ "time stamp counter", "times of calls",
	  "times are wrong when the clock rate changes; measure on other hardware or with a fixed "
	  "clock rate",
	  time_stamp_counter },
	{ "tracing", "collect trace",
	  "allow ptrace: in a container --cap-add=SYS_PTRACE, else sysctl "
	  "kernel.yama.ptrace_scope=1 (3 needs a reboot)",
	  tracing },
	{ "newer calls", "collect --pid, sample --no-follow",
	  "Linux 5.13 or later has them; in a container a seccomp profile may forbid them",
	  newer_calls },
	{ "executable memory", "collect trace",
	  "allow executable mappings of memfds (SELinux, noexec policies)", executable_memory },
	{ "address space", "collect trace", "raise the limit: ulimit -v unlimited", address_space },
	{ "context switches", "CPU time beside wall time",
	  "allow perf_event_open: sysctl kernel.perf_event_paranoid=2, or in a container a seccomp "
	  "profile that has it; without it times are wall times",
	  context_switches },
	{ "counters", "collect --counters",
	  "counters of the processor (instructions, cycles, cache-misses) need a real machine, or "
	  "a virtual one whose host passes them on; those of the kernel need none",
	  counters },
	{ "compilers", "rarog cc",
	  "install one of these compilers; where the plug-in is missing llvm-14-dev or "
	  "llvm-19-dev, and build rarog again",
	  compilers },
	{ "processors", "draining while the program runs",
	  "with one processor the program and rarog take turns: expect longer runs", processors },
};

struct arguments {
	bool json;
};

static const struct rarog_option options[] = {
	RAROG_OPT_FLAG(0, "json", struct arguments, json, "write the same facts as JSON"),
	RAROG_OPT_END,
};

static const char *const words[] = { "fine", "limited", "missing" };

static const struct rarog_column columns[] = {
	{ .title = "", .key = "verdict" },
	{ .title = "what", .key = "what" },
	{ .title = "found", .key = "found" },
	{ .title = "needed for", .key = "needed_for" },
};

static int add_row(struct rarog_table *table, const struct finding *finding)
{
	static const enum rarog_style styles[] = { RAROG_STYLE_GREEN, RAROG_STYLE_YELLOW,
						   RAROG_STYLE_RED };
	const struct rarog_cell cells[] = {
		{ words[finding->verdict], NULL, styles[finding->verdict] },
		{ finding->name },
		{ rarog_str_text(&finding->text) },
		{ finding->needed_for },
	};

	return rarog_table_add(table, cells);
}

static void write_json(struct rarog_json *json, const struct finding *finding)
{
	rarog_json_object(json, NULL);
	rarog_json_string(json, "what", finding->name);
	rarog_json_string(json, "verdict", words[finding->verdict]);
	rarog_json_string(json, "found", rarog_str_text(&finding->text));
	rarog_json_string(json, "needed_for", finding->needed_for);
	rarog_json_string(json, "remedy", finding->verdict == FINE ? NULL : finding->remedy);
	rarog_json_end_object(json);
}

/* --- what a plain collect does --- */

static int choose_plain(struct findings *findings)
{
	static const struct rarog_plan_options plan = RAROG_PLAN_OPTIONS_DEFAULT;
	static const struct rarog_sample_options sample = RAROG_SAMPLE_OPTIONS_DEFAULT;
	const struct rarog_engine_request request = { .options = &plan, .sample = &sample };
	int r = rarog_engine_choose(&request, false, NULL, &findings->plain);

	if (r == 0 || r == -ENOMEM)
		return r;
	findings->plain = (struct rarog_engine_choice){ 0 };
	return rarog_str_add(&findings->plain.why, rarog_error_message());
}

static void print_plain(const struct rarog_engine_choice *plain)
{
	const char *why = rarog_str_text(&plain->why);

	if (!plain->engine)
		printf("rarog collect -- PROG: %s\n\n", why);
	else if (!*why)
		printf("rarog collect -- PROG measures by %s here: %s\n\n",
		       rarog_engine_word(plain->engine), plain->engine->gives);
	else
		printf("rarog collect -- PROG measures by %s here, %s (%s)\n\n",
		       rarog_engine_word(plain->engine), plain->engine->gives, why);
}

/* Nulls where there is none. */
static void write_plain(struct rarog_json *json, const struct rarog_engine_choice *plain)
{
	const char *why = rarog_str_text(&plain->why);

	rarog_json_object(json, "collect");
	rarog_json_string(json, "engine", plain->engine ? plain->engine->name : NULL);
	rarog_json_string(json, "word", plain->engine ? rarog_engine_word(plain->engine) : NULL);
	rarog_json_string(json, "why", *why ? why : NULL);
	rarog_json_end_object(json);
}

static int print_json(const struct findings *findings)
{
	struct rarog_json json;

	rarog_json_start_object(&json, stdout);
	write_plain(&json, &findings->plain);
	rarog_json_string(&json, "version", RAROG_VERSION);
	rarog_json_array(&json, "checks");
	for (size_t i = 0; i < findings->list.n; i++)
		write_json(&json, &findings->list.v[i]);
	return rarog_json_finish(&json);
}

static int print_table(const struct rarog_context *context, const struct findings *findings)
{
	rarog_cleanup(rarog_table_freep) struct rarog_table *table =
		rarog_table_new(RAROG_COUNT(columns), columns);

	if (!table)
		return -ENOMEM;
	for (size_t i = 0; i < findings->list.n; i++) {
		int r = add_row(table, &findings->list.v[i]);

		if (r < 0)
			return r;
	}
	print_plain(&findings->plain);
	rarog_table_print(table, stdout, context->width, context->colour);
	for (size_t i = 0; i < findings->list.n; i++)
		if (findings->list.v[i].verdict != FINE)
			printf("\n%s: %s\n", findings->list.v[i].name, findings->list.v[i].remedy);
	return 0;
}

static int keep(struct findings *findings, struct finding *take_finding)
{
	if (rarog_vec_push(&findings->list, *take_finding) == 0)
		return 0;
	rarog_str_release(&take_finding->text);
	return rarog_oom();
}

static int look_at(struct findings *findings, const struct check *check)
{
	struct finding finding = { .name = check->name,
				   .needed_for = check->needed_for,
				   .remedy = check->remedy };

	check->run(&finding);
	return keep(findings, &finding);
}

/* Without the usual engine little can be measured, the others are for more. */
static int look_at_engine(struct findings *findings, const struct rarog_engine *engine)
{
	struct finding finding = { .name = engine->doctor,
				   .needed_for = engine->needed_for,
				   .remedy = engine->remedy };

	if (rarog_engine_allowed(engine) < 0 || engine->examine(&finding.text) < 0) {
		finding.verdict = engine == rarog_collectors->engines[0] ? BROKEN : LIMITED;
		rarog_str_clear(&finding.text);
		rarog_str_add(&finding.text, rarog_error_message());
	}
	return keep(findings, &finding);
}

static int look_at_all(struct findings *findings)
{
	int r;

	rarog_limits_raise(); /* as collect does */
	r = choose_plain(findings);
	for (size_t i = 0; r == 0 && i < RAROG_COUNT(checks); i++)
		r = look_at(findings, &checks[i]);
	for (const struct rarog_collector *c = rarog_collectors; c->name; c++)
		for (size_t i = 0; r == 0 && c->engines[i]; i++)
			if (c->engines[i]->examine && rarog_collector_of(c->engines[i]) == c)
				r = look_at_engine(findings, c->engines[i]);
	return r;
}

static int examine(const struct rarog_context *context, bool is_json)
{
	struct findings findings = { 0 };
	bool is_broken = false;
	int r = look_at_all(&findings);

	if (r == 0)
		r = is_json ? print_json(&findings) : print_table(context, &findings);
	for (size_t i = 0; i < findings.list.n; i++) {
		is_broken |= findings.list.v[i].verdict == BROKEN;
		rarog_str_release(&findings.list.v[i].text);
	}
	rarog_vec_release(&findings.list);
	rarog_engine_choice_release(&findings.plain);
	if (r < 0)
		return r;
	return is_broken ? RAROG_EXIT_FAILURE : RAROG_EXIT_OK;
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	struct arguments arguments = { 0 };
	int first = rarog_options_parse(options, argc, argv, false, &arguments);

	if (first < 0)
		return rarog_usage_error(first);
	if (first < argc)
		return rarog_usage_error(
			rarog_fail(-EINVAL, "unexpected argument '%s'; leave it out", argv[first]));
	return examine(context, arguments.json);
}

const struct rarog_command rarog_cmd_doctor = {
	.name = "doctor",
	.summary = "say what this machine can measure and what is missing",
	.usage = "[OPTION…]",
	.description =
		"Tries what a measurement needs: tracing a child process, executable memory, a "
		"steady clock, a compiler for rarog cc, and each engine of rarog collect, with the "
		"cost of a call. The first line says what rarog collect -- PROG does here if no "
		"engine is named. Each line of the table says fine, limited (it works, with less) "
		"or missing. Below the table stands what to do about it.\n\n"
		"Exits with 3 when something is missing.",
	.options = options,
	.run = run,
};
