/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: live-counts PROGRAM FILE      which blocks ran, by the file of its counters
 *        live-counts PROGRAM - INPUTS  the same for each byte of INPUTS, by one process
 *
 * As a fuzzer does it. In the second form PROGRAM, which is given an argument, stops itself
 * (SIGSTOP) before it reads its next byte, so it is at the same place whenever it is looked at;
 * RAROG_BLOCKS_DIR names an empty folder. A line for each input: the byte, the numbers of the
 * blocks. To stderr, what a reset and a reading cost.
 */
#include <glob.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "binary/elf-file.h"
#include "blocks/live-counts.h"
#include "blocks/vector.h"

#define TURNS 1000 /* of what is timed */

struct target {
	struct rarog_vector *vector;
	struct rarog_live_counts live;
	uint64_t *sums;
	uint8_t *hits;
};

static void die(const char *what)
{
	fprintf(stderr, "live-counts: %s: %s\n", what, rarog_error_message());
	exit(1);
}

static void open_program(const char *path, struct target *t)
{
	struct rarog_elf *elf;
	struct rarog_map *map = NULL;

	if (rarog_elf_open(path, RAROG_ELF_PROGRAM, &elf) < 0 || rarog_map_read(elf, &map) < 0 ||
	    rarog_vector_new(map, &t->vector) < 0)
		die(path);
	rarog_map_free(map);
	rarog_elf_free(elf);
	t->hits = calloc(rarog_vector_blocks(t->vector) + 1, 1);
}

static void open_counts(const char *path, struct target *t)
{
	int r = rarog_live_counts_open(path, &t->live);

	if (r < 0) {
		fprintf(stderr, "live-counts: %s: %s\n", path, strerror(-r));
		exit(1);
	}
	t->sums = calloc(rarog_live_counts_number(&t->live) + 1, sizeof(*t->sums));
}

static void print(struct target *t)
{
	rarog_live_counts_sum(&t->live, t->sums);
	rarog_vector_read(t->vector, t->sums, t->hits);
	for (size_t i = 0; i < rarog_vector_blocks(t->vector); i++)
		if (t->hits[i])
			printf(" %zu", i);
	putchar('\n');
}

/* --- one process, many inputs --- */

static void await_stop(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status))
		die("the program ended");
}

static pid_t start(const char *path, int *to)
{
	int in[2];
	pid_t pid;

	if (pipe(in) < 0)
		die("no pipe");
	pid = fork();
	if (pid == 0) {
		dup2(in[0], 0);
		close(in[1]);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl(path, path, "stop", (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	*to = in[1];
	return pid;
}

static void find_counts(struct target *t)
{
	char pattern[4096];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/*.counts", getenv("RAROG_BLOCKS_DIR"));
	if (glob(pattern, 0, NULL, &found) != 0 || found.gl_pathc != 1)
		die("not one file of counters");
	open_counts(found.gl_pathv[0], t);
	globfree(&found);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* What is counted is gone then. */
static void measure(struct target *t)
{
	double begin = seconds(), middle;

	for (int i = 0; i < TURNS; i++) {
		rarog_live_counts_sum(&t->live, t->sums);
		rarog_vector_read(t->vector, t->sums, t->hits);
	}
	middle = seconds();
	for (int i = 0; i < TURNS; i++)
		rarog_live_counts_reset(&t->live);
	fprintf(stderr, "%zu blocks, %zu counters: reading %.1f us, reset %.1f us\n",
		rarog_vector_blocks(t->vector), rarog_vector_counters(t->vector),
		(middle - begin) / TURNS * 1e6, (seconds() - middle) / TURNS * 1e6);
}

static void run(const char *path, const char *inputs, struct target *t)
{
	int to;
	pid_t pid = start(path, &to);

	await_stop(pid);
	find_counts(t);
	for (; *inputs; inputs++) {
		rarog_live_counts_reset(&t->live);
		if (write(to, inputs, 1) != 1)
			die("cannot write");
		kill(pid, SIGCONT);
		await_stop(pid);
		printf("%c:", *inputs);
		print(t);
	}
	measure(t);
	close(to);
	kill(pid, SIGCONT);
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	struct target t = { 0 };

	if (argc != 3 && argc != 4)
		return 2;
	signal(SIGPIPE, SIG_IGN);
	open_program(argv[1], &t);
	if (argc == 4) {
		run(argv[1], argv[3], &t);
	} else {
		open_counts(argv[2], &t);
		print(&t);
		measure(&t);
	}
	rarog_live_counts_close(&t.live);
	rarog_vector_free(t.vector);
	free(t.sums);
	free(t.hits);
	return 0;
}
