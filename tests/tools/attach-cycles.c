/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: attach-cycles CYCLES [--detail count] [--seconds N] PROGRAM [ARGUMENT…]
 *
 * Starts PROGRAM (tests/conformance/programs/busy.cc), which counts calls itself, attaches to it
 * and detaches from it CYCLES times for a few random milliseconds, and compares: at the two moments
 * when everything stands still the program's counters are read, and their differences must be the
 * counts of the profile, function by function. Then the memory map must be what it was. In the end
 * PROGRAM gets a SIGTERM and must find itself right. After --seconds no further cycle begins.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"
#include "collect/drive.h"
#include "engine/inline/ptrace/tracer.h"
#include "profile/reader.h"

#define COUNTERS_MOST 16

static const char *const names[] = { "hit_fib",    "hit_even", "hit_odd",
				     "hit_escape", "hit_toss", "hit_signal",
				     "hit_nested", "hit_nap",  "hit_leaf" };

struct cycles {
	pid_t pid;
	char **command;
	uint64_t address; /* of the counters */
	size_t n;
	uint64_t start[COUNTERS_MOST], end[COUNTERS_MOST];
	uint64_t calls, longest_ns[2];
	enum rarog_detail detail;
	time_t until; /* 0: none */
};

static void die(const char *what)
{
	fprintf(stderr, "attach-cycles: %s\n", what);
	exit(1);
}

static void start_program(struct cycles *c, FILE **ret_out)
{
	unsigned long long address = 0;
	int ends[2];

	if (pipe(ends) < 0 || (c->pid = fork()) < 0)
		die(strerror(errno));
	if (c->pid == 0) {
		dup2(ends[1], 1);
		close(ends[0]);
		close(ends[1]);
		/* one: malloc maps others when threads first meet in it */
		setenv("MALLOC_ARENA_MAX", "1", 1);
		execvp(c->command[0], c->command);
		_exit(127);
	}
	close(ends[1]);
	*ret_out = fdopen(ends[0], "r");
	/* NOLINTNEXTLINE(cert-err34-c): our own program writes it */
	if (!*ret_out || fscanf(*ret_out, "counters %llx %zu", &address, &c->n) != 2 ||
	    c->n > RAROG_COUNT(names))
		die("the program does not say where its counters are");
	c->address = address;
}

static void read_counters(void *user, bool is_end)
{
	struct cycles *c = user;
	struct iovec ours = { is_end ? c->end : c->start, 8 * c->n };
	struct iovec theirs = { (void *)(uintptr_t)c->address, 8 * c->n };

	if (process_vm_readv(c->pid, &ours, 1, &theirs, 1, 0) != (ssize_t)(8 * c->n))
		die("cannot read the counters");
}

/* Without the heap and the stack, which may grow. */
static char *map_of(pid_t pid)
{
	rarog_cleanup(rarog_fclosep) FILE *f = NULL;
	char path[64], line[512], *text = NULL;
	struct rarog_str map = { 0 };

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (!strstr(line, "[heap]") && !strstr(line, "[stack]"))
			rarog_str_add(&map, line);
	text = strdup(rarog_str_text(&map));
	rarog_str_release(&map);
	return text;
}

static uint64_t count_of(struct rarog_profile *profile, const char *name)
{
	const struct rarog_summary *summaries;
	const struct rarog_location *locations;
	long n = rarog_profile_summaries(profile, &summaries);
	uint64_t count = 0;

	rarog_profile_locations(profile, &locations);
	for (long i = 0; i < n; i++)
		if (summaries[i].strand == RAROG_NONE &&
		    strcmp(locations[summaries[i].location].name, name) == 0)
			count += summaries[i].count;
	return count;
}

static int compare(struct cycles *c, const char *path, long number)
{
	struct rarog_profile *profile;
	int wrong = 0, r = rarog_profile_open(path, &profile);

	if (r < 0)
		die(rarog_error_message());
	for (size_t i = 0; i < c->n; i++) {
		uint64_t expected = c->end[i] - c->start[i], got = count_of(profile, names[i]);

		c->calls += got;
		if (expected == got)
			continue;
		wrong++;
		fprintf(stderr, "cycle %ld: %s: %llu calls, recorded %llu\n", number, names[i],
			(unsigned long long)expected, (unsigned long long)got);
	}
	rarog_profile_free(profile);
	return wrong;
}

static void keep_longest(struct cycles *c, const struct rarog_collected *result)
{
	for (int i = 0; i < 2; i++)
		if (result->stood_ns[i] > c->longest_ns[i])
			c->longest_ns[i] = result->stood_ns[i];
}

static int run_cycle(struct cycles *c, const char *path, long number)
{
	const struct rarog_attachment attachment = {
		.pid = c->pid,
		.duration_ns = 1 + (uint64_t)rand() % 20000000,
		.stopped = read_counters,
		.user = c,
	};
	struct rarog_plan plan = { .detail = c->detail, .follow = true };
	struct rarog_command_line command = { .argv = c->command };
	const struct rarog_trace_options options = {
		.plan = &plan,
		.command = &command,
		.attachment = &attachment,
		.output = path,
	};
	struct rarog_collected result;
	int r = rarog_drive(&rarog_engine_inline, &options, &result);

	if (r < 0 || !result.detached || result.lost) {
		fprintf(stderr, "cycle %ld: %s\n", number,
			r < 0             ? rarog_error_message()
			: result.detached ? "events were lost"
					  : "the program ended");
		return 1;
	}
	keep_longest(c, &result);
	return compare(c, path, number);
}

/* Return: the number of cycles; 0: not understood. */
static long read_arguments(int argc, char **argv, struct cycles *c)
{
	c->command = argv + 2;
	for (; argc > 4 && c->command[0][0] == '-'; argc -= 2, c->command += 2) {
		const char *value = c->command[1];

		if (strcmp(c->command[0], "--detail") == 0)
			c->detail = strcmp(value, "count") == 0 ? RAROG_DETAIL_COUNT
								: RAROG_DETAIL_SUMMARY;
		else if (strcmp(c->command[0], "--seconds") == 0)
			c->until = time(NULL) + strtol(value, NULL, 10);
		else
			return 0;
	}
	return argc > 2 ? strtol(argv[1], NULL, 10) : 0;
}

int main(int argc, char **argv)
{
	struct cycles c = { 0 };
	long cycles = read_arguments(argc, argv, &c), wrong = 0, i;
	char path[] = "/tmp/attach-cycles.XXXXXX", last[64] = "";
	char *before, *after;
	FILE *out;
	int status;

	if (cycles < 1 || mkstemp(path) < 0)
		die("usage: attach-cycles CYCLES [--detail count|summary] [--seconds N] PROGRAM "
		    "[ARGUMENT…]");
	start_program(&c, &out);
	usleep(100000);
	before = map_of(c.pid);
	for (i = 1; i <= cycles && wrong == 0 && (c.until == 0 || time(NULL) < c.until); i++)
		wrong = run_cycle(&c, path, i);
	after = map_of(c.pid);
	if (strcmp(before, after) != 0 && ++wrong)
		fprintf(stderr, "the map was\n%s and is\n%s", before, after);
	kill(c.pid, SIGTERM);
	while (fgets(last, sizeof(last), out))
		;
	if (waitpid(c.pid, &status, 0) != c.pid || status != 0 || strcmp(last, "fine\n") != 0) {
		fprintf(stderr, "the program ends with %#x, '%s'\n", (unsigned)status, last);
		wrong++;
	}
	printf("%ld cycles, %llu calls, longest stop %.1f ms and %.1f ms\n", i - 1,
	       (unsigned long long)c.calls, (double)c.longest_ns[0] / 1e6,
	       (double)c.longest_ns[1] / 1e6);
	free(before);
	free(after);
	fclose(out);
	unlink(path);
	return wrong != 0;
}
