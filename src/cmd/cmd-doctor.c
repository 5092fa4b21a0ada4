/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What this machine can do for a measurement, and what to change where it cannot: each check is a
 * row of a table. Checks look at the thing itself (may this process trace its child?), not at
 * version numbers.
 */
#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json-writer.h"
#include "base/str.h"
#include "base/table.h"
#include "base/units.h"
#include "cmd/commands.h"
#include "collect/switch-rings.h"
#include "collect/trace/probe-cost.h"
#include "collect/vex/tool.h"

enum verdict { FINE, LIMITED, BROKEN };

struct finding {
	enum verdict verdict;
	struct rarog_str text; /* what there is */
};

struct check {
	const char *name;
	const char *needed_for;
	const char *remedy; /* printed unless all is fine */
	void (*run)(struct finding *finding);
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

/* In the child: stop where a tracer would wait for it. */
static void be_traced(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		_exit(errno);
	raise(SIGSTOP);
	_exit(0);
}

static void tracing(struct finding *finding)
{
	rarog_cleanup(rarog_freep) char *scope = NULL;
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		be_traced();
	if (pid > 0 && waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status)) {
		rarog_str_add(&finding->text, "a child may be traced");
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		return;
	}
	finding->verdict = BROKEN;
	if (rarog_file_read("/proc/sys/kernel/yama/ptrace_scope", 64, &scope, NULL) == 0)
		rarog_str_addf(&finding->text, "ptrace_scope is %.*s; ", (int)strcspn(scope, "\n"),
			       scope);
	rarog_str_addf(&finding->text, "ptrace is refused: %s",
		       strerror(WIFEXITED(status) ? WEXITSTATUS(status) : errno));
}

/* Writable in one mapping, executable in another: what code made for another process needs. */
static void executable_memory(struct finding *finding)
{
	rarog_cleanup(rarog_closep) int fd = memfd_create("doctor", MFD_CLOEXEC);
	void *map = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, 4096) == 0)
		map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED) {
		finding->verdict = BROKEN;
		rarog_str_addf(&finding->text, "refused: %s", strerror(errno));
		return;
	}
	munmap(map, 4096);
	rarog_str_add(&finding->text, "allowed");
}

/* The stubs find their memory by %gs, which the program's own code must be able to set; AT_HWCAP2
 * bit 1 says that the kernel allows it. Then the engine is tried, in this process. */
static void inline_engine(struct finding *finding)
{
	struct rarog_cost_ns cost;

	if (rarog_cost_measure(&cost) < 0) {
		finding->verdict = BROKEN;
		rarog_str_add(&finding->text, rarog_error_message());
		return;
	}
	rarog_str_addf(&finding->text, "%.1f ns a call, two readings of the clock being %.1f ns",
		       cost.call, 2 * cost.clock);
}

/* The tool contains the Valgrind that it was built on, so there is no version to agree with. */
static void vex_engine(struct finding *finding)
{
	struct rarog_vex_tool tool;

	if (rarog_vex_tool_find(&tool) < 0) {
		finding->verdict = LIMITED;
		rarog_str_add(&finding->text, rarog_error_message());
		return;
	}
	rarog_str_addf(&finding->text, "built on Valgrind %s; programs run some 6 times slower",
		       rarog_vex_tool_version());
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
	{ "executable memory", "collect trace",
	  "allow executable mappings of memfds (SELinux, noexec policies)", executable_memory },
	{ "inline engine", "collect trace",
	  "run on Linux 5.9 or later, on a processor from 2012 or later, without nofsgsbase on the "
	  "kernel's command line",
	  inline_engine },
	{ "vex engine", "collect --engine vex", "install valgrind and build rarog again",
	  vex_engine },
	{ "address space", "collect trace", "raise the limit: ulimit -v unlimited", address_space },
	{ "context switches", "CPU time beside wall time",
	  "allow perf_event_open: sysctl kernel.perf_event_paranoid=2, or in a container a seccomp "
	  "profile that has it; without it times are wall times",
	  context_switches },
	{ "processors", "draining while the program runs",
	  "with one processor the program and rarog take turns: expect longer runs", processors },
};

struct arguments {
	bool json;
};

static const struct rarog_option options[] = {
	RAROG_OPT_FLAG(0, "json", struct arguments, json, "the same facts for programs"),
	RAROG_OPT_END,
};

static const char *const words[] = { "fine", "limited", "missing" };

static const struct rarog_column columns[] = {
	{ .title = "", .key = "verdict" },
	{ .title = "what", .key = "what" },
	{ .title = "found", .key = "found" },
	{ .title = "needed for", .key = "needed_for" },
};

static int add_row(struct rarog_table *table, const struct check *check,
		   const struct finding *finding)
{
	static const enum rarog_style styles[] = { RAROG_STYLE_GREEN, RAROG_STYLE_YELLOW,
						   RAROG_STYLE_RED };
	const struct rarog_cell cells[] = {
		{ words[finding->verdict], NULL, styles[finding->verdict] },
		{ check->name },
		{ rarog_str_text(&finding->text) },
		{ check->needed_for },
	};

	return rarog_table_add(table, cells);
}

static void write_json(struct rarog_json *json, const struct check *check,
		       const struct finding *finding)
{
	rarog_json_object(json, NULL);
	rarog_json_string(json, "what", check->name);
	rarog_json_string(json, "verdict", words[finding->verdict]);
	rarog_json_string(json, "found", rarog_str_text(&finding->text));
	rarog_json_string(json, "needed_for", check->needed_for);
	rarog_json_string(json, "remedy", finding->verdict == FINE ? NULL : check->remedy);
	rarog_json_end_object(json);
}

static int print_json(const struct finding findings[])
{
	struct rarog_json json;

	rarog_json_start(&json, stdout, true);
	rarog_json_object(&json, NULL);
	rarog_json_string(&json, "version", RAROG_VERSION);
	rarog_json_array(&json, "checks");
	for (size_t i = 0; i < RAROG_COUNT(checks); i++)
		write_json(&json, &checks[i], &findings[i]);
	rarog_json_end_array(&json);
	rarog_json_end_object(&json);
	return rarog_json_finish(&json);
}

static int print_table(const struct rarog_context *context, const struct finding findings[])
{
	rarog_cleanup(rarog_table_freep) struct rarog_table *table =
		rarog_table_new(RAROG_COUNT(columns), columns);

	if (!table)
		return -ENOMEM;
	for (size_t i = 0; i < RAROG_COUNT(checks); i++) {
		int r = add_row(table, &checks[i], &findings[i]);

		if (r < 0)
			return r;
	}
	rarog_table_print(table, stdout, context->width, context->colour);
	for (size_t i = 0; i < RAROG_COUNT(checks); i++)
		if (findings[i].verdict != FINE)
			printf("\n%s: %s\n", checks[i].name, checks[i].remedy);
	return 0;
}

static int examine(const struct rarog_context *context, bool is_json)
{
	struct finding findings[RAROG_COUNT(checks)] = { 0 };
	bool is_broken = false;
	int r;

	for (size_t i = 0; i < RAROG_COUNT(checks); i++) {
		checks[i].run(&findings[i]);
		is_broken |= findings[i].verdict == BROKEN;
	}
	r = is_json ? print_json(findings) : print_table(context, findings);
	for (size_t i = 0; i < RAROG_COUNT(checks); i++)
		rarog_str_release(&findings[i].text);
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
		"steady clock. Each line says fine, limited (it works, with less) or missing, and "
		"what to do about it follows the table.\n\nExits with 3 when something is missing.",
	.options = options,
	.run = run,
};
