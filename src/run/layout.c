/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "base/str.h"
#include "binary/binary.h"
#include "run/link-record.h"
#include "run/splitmix.h"

#define GAPS     32 /* sizes of gaps: 0 … 31 times GAP_STEP */
#define GAP_STEP 16 /* bytes; compilers align functions to as much */

/* --- commands --- */

static int spawn_quietly(const char *directory, char *const argv[])
{
	posix_spawn_file_actions_t actions;
	int status = -1;
	pid_t pid;
	int r = posix_spawn_file_actions_init(&actions);

	if (r != 0)
		return -r;
	r = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	r = r ? r : posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	r = r ? r : posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	r = r ? r : posix_spawn_file_actions_addchdir_np(&actions, directory);
	r = r ? r : posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (r != 0)
		return -r;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EIO;
}

/* --- gaps --- */

static int write_source(const char *file, unsigned size)
{
	rarog_cleanup(rarog_freep) char *text = rarog_asprintf(
		"__asm__(\".section .text.rarog_gap, \\\"axR\\\", @progbits\\n.skip %u, 0xcc\\n\"\n"
		"\t\".section .rodata.rarog_gap, \\\"aR\\\", @progbits\\n.skip %u\\n\"\n"
		"\t\".section .data.rarog_gap, \\\"awR\\\", @progbits\\n.skip %u\\n\");\n",
		size, size, size);
	rarog_cleanup(rarog_closep) int fd =
		open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (!text)
		return rarog_oom();
	return fd < 0 ? -errno : rarog_write_all(fd, strlen(text), text);
}

/* The object that is a gap of number @i; made at its first use. NULL: it cannot be made. */
static char *gap_object(const char *scratch, const char *compiler, unsigned i)
{
	char *object = rarog_asprintf("%s/gap-%u.o", scratch, i);
	rarog_cleanup(rarog_freep) char *source = rarog_asprintf("%s/gap-%u.c", scratch, i);
	/* -fcf-protection: one object without its mark would take it from the whole program */
	const char *const argv[] = {
		compiler, "-fcf-protection", "-c", "-o", object, source, NULL
	};

	if (object && access(object, F_OK) == 0)
		return object;
	if (object && source && write_source(source, i * GAP_STEP) == 0 &&
	    spawn_quietly("/", (char *const *)(uintptr_t)argv) == 0)
		return object;
	free(object);
	return NULL;
}

/* --- the command --- */

static bool is_object(const char *word)
{
	return *word != '-' && (rarog_ends_with(word, ".o") || rarog_ends_with(word, ".a"));
}

static bool is_repeatable(const struct rarog_link *link)
{
	size_t objects = 0;

	for (size_t i = 1; i < link->argv.n; i++) {
		if (link->argv.v[i][0] == '@') /* a file of arguments, gone by now */
			return false;
		objects += is_object(link->argv.v[i]);
	}
	return objects > 0;
}

struct command {
	RAROG_VEC(const char *) argv;
	RAROG_VEC(char *) gaps;
};

static void command_release(struct command *command)
{
	for (size_t i = 0; i < command->gaps.n; i++)
		free(command->gaps.v[i]);
	rarog_vec_release(&command->gaps);
	rarog_vec_release(&command->argv);
}

static int push_gap(struct command *command, const char *scratch, const char *compiler,
		    struct rarog_splitmix *random)
{
	char *gap = gap_object(scratch, compiler, rarog_splitmix_below(random, GAPS));

	if (!gap)
		return -EIO;
	if (rarog_vec_push(&command->gaps, gap) < 0) {
		free(gap);
		return -ENOMEM;
	}
	return rarog_vec_push(&command->argv, gap);
}

static int make_command(const struct rarog_link *link, const char *output, const char *scratch,
			struct rarog_splitmix *random, struct command *command)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < link->argv.n; i++) {
		const char *word = link->argv.v[i];

		if (i > 0 && i != link->output && is_object(word))
			r = push_gap(command, scratch, link->argv.v[0], random);
		r = r ? r
		      : rarog_vec_push(&command->argv, i > 0 && i == link->output ? output : word);
	}
	if (link->output == 0) {
		r = r ? r : rarog_vec_push(&command->argv, "-o");
		r = r ? r : rarog_vec_push(&command->argv, output);
	}
	return r ? r : rarog_vec_push(&command->argv, NULL);
}

/* --- the same program? --- */

/* Of start-up code that says neither its size nor how it is unwound, the gap after it may seem to
 * be a part. */
static uint64_t sure_size(const struct rarog_function *f)
{
	return f->has_fde ? f->size : 0;
}

static int by_name(const void *a, const void *b)
{
	const struct rarog_function *f = a, *g = b;
	uint64_t n = sure_size(f), m = sure_size(g);
	int order = strcmp(f->name, g->name);

	return order ? order : (n > m) - (n < m);
}

static struct rarog_function *sorted_functions(const struct rarog_binary *binary, size_t *ret_n)
{
	const struct rarog_function *functions;
	size_t n = *ret_n = rarog_binary_functions(binary, &functions);
	struct rarog_function *copy = malloc((n + 1) * sizeof(*copy));

	if (copy && n > 0) {
		memcpy(copy, functions, n * sizeof(*copy));
		qsort(copy, n, sizeof(*copy), by_name);
	}
	return copy;
}

static bool has_same_functions(const char *path_a, const char *path_b)
{
	rarog_cleanup(rarog_binary_freep) struct rarog_binary *a = NULL, *b = NULL;
	rarog_cleanup(rarog_freep) struct rarog_function *f = NULL, *g = NULL;
	size_t n, m;

	if (rarog_binary_open(path_a, &a) < 0 || rarog_binary_open(path_b, &b) < 0)
		return false;
	f = sorted_functions(a, &n);
	g = sorted_functions(b, &m);
	if (!f || !g || n != m)
		return false;
	for (size_t i = 0; i < n; i++)
		if (by_name(&f[i], &g[i]) != 0)
			return false;
	return true;
}

/* --- in and out --- */

static int replace(const char *program, const char *new, const char *original)
{
	if (link(program, original) < 0 && errno != EEXIST)
		return rarog_fail_errno("%s: cannot link to it", program);
	return rename(new, program) < 0 ? rarog_fail_errno("%s: cannot replace", program) : 0;
}

int rarog_layout_draw(const char *directory, const char *program, const char *scratch,
		      uint64_t seed)
{
	rarog_cleanup(rarog_freep) char *path = realpath(program, NULL);
	rarog_cleanup(rarog_freep) char *new = path ? rarog_asprintf("%s.rarog-new", path) : NULL;
	rarog_cleanup(rarog_freep) char *original =
		path ? rarog_asprintf("%s.rarog-original", path) : NULL;
	rarog_cleanup(rarog_link_release) struct rarog_link link = { 0 };
	rarog_cleanup(command_release) struct command command = { 0 };
	struct rarog_splitmix random = rarog_splitmix_stream(seed, 0);
	int r;

	if (!path)
		return 0; /* the run will say so */
	if (!new || !original)
		return rarog_oom();
	r = rarog_link_find(directory, path, &link);
	if (r <= 0 || !is_repeatable(&link))
		return r < 0 ? r : 0;
	r = make_command(&link, new, scratch, &random, &command);
	if (r == -ENOMEM)
		return rarog_oom();
	if (r == 0)
		r = spawn_quietly(link.directory, (char *const *)(uintptr_t)command.argv.v);
	if (r == 0 && has_same_functions(path, new)) {
		r = replace(path, new, original);
		return r < 0 ? r : 1;
	}
	unlink(new);
	return 0;
}

int rarog_layout_restore(const char *program)
{
	rarog_cleanup(rarog_freep) char *path = realpath(program, NULL);
	rarog_cleanup(rarog_freep) char *original =
		path ? rarog_asprintf("%s.rarog-original", path) : NULL;

	if (!path)
		return 0;
	if (!original)
		return rarog_oom();
	if (rename(original, path) < 0 && errno != ENOENT)
		return rarog_fail_errno("%s: cannot restore", program);
	return 0;
}
