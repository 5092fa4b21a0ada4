/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * clang compiles an empty file, and the plug-in looks at the program meanwhile: so nothing of LLVM
 * is needed but the compiler itself, in the version that has read these modules before.
 */
#include "feature/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "base/installed.h"
#include "base/str.h"
#include "feature/model-file.h"
#include "process/running.h"
#include "process/scratch-folder.h"

#define RESULT_MAX ((size_t)1 << 30)

static const char *const versions[] = { "14", "19" };

static bool has_plugin(const char *version, struct rarog_feature_tool *ret_tool)
{
	char name[64];

	snprintf(name, sizeof(name), "rarog-features-%s.so", version);
	ret_tool->version = version;
	return rarog_installed_find("llvm", name, R_OK, ret_tool->plugin) == 0;
}

static bool has_compiler(const char *version)
{
	char name[64], path[PATH_MAX];

	snprintf(name, sizeof(name), "clang-%s", version);
	return rarog_program_find(name, path) == 0;
}

int rarog_feature_tool_find(unsigned least, struct rarog_feature_tool *ret_tool)
{
	for (size_t i = 0; i < RAROG_COUNT(versions); i++)
		if (strtoul(versions[i], NULL, 10) >= least && has_plugin(versions[i], ret_tool) &&
		    has_compiler(versions[i]))
			return 0;
	if (least)
		return rarog_fail(-ENOENT,
				  "features: the program was compiled by clang %u, which is not "
				  "here, or not with rarog's plug-in; install clang-%u and "
				  "llvm-%u-dev, and build rarog again",
				  least, least, least);
	return rarog_fail(-ENOENT, "features: neither clang-14 nor clang-19 is there with rarog's "
				   "plug-in; install clang-14");
}

int rarog_feature_tool_of(const char *version, struct rarog_feature_tool *ret_tool)
{
	for (size_t i = 0; i < RAROG_COUNT(versions); i++)
		if (strcmp(versions[i], version) == 0 && has_plugin(versions[i], ret_tool))
			return 0;
	return rarog_fail(-ENOENT,
			  "features: this rarog was built without the plug-in for clang-%s; "
			  "install llvm-%s-dev and build it again",
			  version, version);
}

static int write_file(const char *path, size_t n, const void *bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int r = fd < 0 ? -errno : rarog_write_all(fd, n, bytes);

	if (fd >= 0)
		close(fd);
	return r < 0 ? rarog_fail(r, "%s: %s", path, strerror(-r)) : 0;
}

/* Of what begins later than this: nothing of it is done when the limits come. */
static void bound(pid_t pid, const struct rarog_feature_choice *choice)
{
	uint64_t seconds = choice->time_ns / 1000000000;
	const struct rlimit memory = { choice->memory, choice->memory };
	const struct rlimit time = { seconds ? seconds : 1, seconds ? seconds + 5 : 6 };

	if (choice->memory)
		prlimit(pid, RLIMIT_AS, &memory, NULL);
	if (choice->time_ns)
		prlimit(pid, RLIMIT_CPU, &time, NULL);
}

/* What it prints is of no use to anybody, but where it fails. */
static int run(char *const argv[], const char *log, const struct rarog_feature_choice *choice)
{
	posix_spawn_file_actions_t actions;
	int status = 0, r;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC,
					 0600);
	posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
	r = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (r)
		return rarog_fail(-r, "%s: %s", argv[0], strerror(r));
	bound(pid, choice);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return rarog_fail_errno("waiting for the compiler");
	return status;
}

/* clang is built without assertions: it aborts where it gets no memory. */
static bool is_over(int status, const char *text)
{
	static const int signals[] = { SIGXCPU, SIGKILL, SIGABRT };
	static const char *const words[] = { "out of memory", "bad_alloc", "Cannot allocate memory",
					     "failed to map" };

	for (size_t i = 0; i < RAROG_COUNT(words); i++)
		if (strstr(text, words[i]))
			return true;
	for (size_t i = 0; WIFSIGNALED(status) && i < RAROG_COUNT(signals); i++)
		if (WTERMSIG(status) == signals[i])
			return true;
	return false;
}

static int explain(int status, const char *clang, const char *log)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	size_t n = 0;

	if (rarog_file_read(log, 1 << 20, &text, &n) < 0 || !text)
		n = 0;
	if (is_over(status, n > 0 ? text : ""))
		return rarog_fail(
			-E2BIG,
			"%s: looking for regions takes more than it may; --analysis-memory and "
			"--analysis-time give it more",
			clang);
	if (WIFSIGNALED(status))
		return rarog_fail(-EIO, "%s: ended by signal %d while it looked for regions", clang,
				  WTERMSIG(status));
	return rarog_fail(-EIO, "%s: cannot look for regions: %.*s", clang,
			  n > 0 ? (int)strcspn(text, "\n") : 0, n > 0 ? text : "");
}

/* In the folder, under names that never need quotes. */
struct job {
	char *clang, *load, *pass, *program, *wanted, *result, *least, *log, *empty, *out;
};

static void release(struct job *j)
{
	char *all[] = { j->clang,  j->load,  j->pass, j->program, j->wanted,
			j->result, j->least, j->log,  j->empty,   j->out };

	for (size_t i = 0; i < RAROG_COUNT(all); i++)
		free(all[i]);
}

static int prepare(const struct rarog_feature_tool *tool, const char *folder,
		   const struct rarog_feature_choice *choice, struct job *j)
{
	j->clang = rarog_asprintf("clang-%s", tool->version);
	j->load = rarog_asprintf("-fplugin=%s", tool->plugin);
	j->pass = rarog_asprintf("-fpass-plugin=%s", tool->plugin);
	j->program = rarog_asprintf("-rarog-features=%s/program", folder);
	j->wanted = rarog_asprintf("-rarog-wanted=%s/wanted", folder);
	j->result = rarog_asprintf("-rarog-result=%s/result", folder);
	j->least = rarog_asprintf("-rarog-least=%ld", choice->least);
	j->log = rarog_asprintf("%s/log", folder);
	j->empty = rarog_asprintf("%s/empty.c", folder);
	j->out = rarog_asprintf("%s/empty.o", folder);
	return j->clang && j->load && j->pass && j->program && j->wanted && j->result && j->least &&
			       j->log && j->empty && j->out
		       ? 0
		       : rarog_oom();
}

static const char *path_in(const char *option)
{
	return strchr(option, '=') + 1;
}

static int look(const struct rarog_feature_choice *choice, size_t n, const uint8_t *bytes,
		struct job *j)
{
	rarog_cleanup(rarog_str_release) struct rarog_str wanted = { 0 };
	static char mllvm[] = "-mllvm", o1[] = "-O1", c[] = "-c", o[] = "-o",
		    quiet[] = "-fno-crash-diagnostics", /* else it leaves files where it fails */
		nested[] = "-rarog-nested", is_explicit[] = "-rarog-explicit";
	char *argv[] = { j->clang,  j->load,  j->pass,   mllvm,  j->program, mllvm,
			 j->wanted, mllvm,    j->result, mllvm,  j->least,   o1,
			 c,         j->empty, o,         j->out, quiet,      NULL,
			 NULL,      NULL,     NULL,      NULL };
	int r = choice->model ? rarog_feature_model_write(choice->model, &wanted) : 0;

	size_t n_words = 17;

	if (choice->nested) {
		argv[n_words++] = mllvm;
		argv[n_words++] = nested;
	}
	if (choice->is_explicit) {
		argv[n_words++] = mllvm;
		argv[n_words++] = is_explicit;
	}
	if (r == 0)
		r = write_file(path_in(j->program), n, bytes);
	if (r == 0)
		r = write_file(path_in(j->wanted), wanted.length, rarog_str_text(&wanted));
	if (r == 0)
		r = write_file(j->empty, 0, "");
	if (r == 0)
		r = run(argv, j->log, choice);
	return r > 0 ? explain(r, j->clang, j->log) : r;
}

int rarog_feature_tool_run(const struct rarog_feature_tool *tool, size_t n, const uint8_t *bytes,
			   const struct rarog_feature_choice *choice, char **ret_text)
{
	struct rarog_scratch_folder folder = { 0 };
	struct job j = { 0 };
	size_t length;
	int r = rarog_scratch_folder_make("features", &folder);

	if (r < 0)
		return r;
	r = prepare(tool, folder.path, choice, &j);
	if (r == 0)
		r = look(choice, n, bytes, &j);
	if (r == 0)
		r = rarog_file_read(path_in(j.result), RESULT_MAX, ret_text, &length);
	release(&j);
	rarog_scratch_folder_remove(&folder);
	return r;
}
