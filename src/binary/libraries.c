/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Only the loader knows how it searches (RUNPATH, LD_LIBRARY_PATH, its cache, hardware variants),
 * and glibc's can be asked: with LD_TRACE_LOADED_OBJECTS it prints one line a library:
 *
 *	\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f…)
 *	\tlibmissing.so => not found
 *	\tlinux-vdso.so.1 (0x00007f…)
 *
 * It maps the program but runs none of its code. (`ld.so --list` stops at a missing library, and
 * `ldd` may run the program's own idea of a loader.) A shared library as such has no interpreter
 * and is listed the same way.
 */
#include "binary/libraries.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/vec.h"

#define LOADER "/lib64/ld-linux-x86-64.so.2"

static int add_line(char *line, const char *program, struct rarog_libraries *libraries)
{
	char *path = strstr(line, " => ");
	char *name = line + strspn(line, "\t ");

	if (!path)
		return 0; /* the kernel's vdso and the loader itself */
	*path = '\0';
	path += strlen(" => ");
	if (strncmp(path, "not found", strlen("not found")) == 0)
		return rarog_fail(-ENOENT,
				  "%s: its library %s is not found; install it or set "
				  "LD_LIBRARY_PATH",
				  program, name);
	char *end = strstr(path, " (0x");

	if (!end || path[0] != '/')
		return 0;
	*end = '\0';
	path = strdup(path);
	if (!path || rarog_vec_push(libraries, path) < 0) {
		free(path);
		return rarog_oom();
	}
	return 0;
}

/* The environment and the loader's switch; the array is the caller's. */
static char **make_environment(void)
{
	size_t n = 0;

	while (environ[n])
		n++;
	char **copy = calloc(n + 2, sizeof(*copy));

	if (!copy)
		return NULL;
	memcpy(copy, environ, n * sizeof(*copy));
	copy[n] = (char *)(uintptr_t) "LD_TRACE_LOADED_OBJECTS=1";
	return copy;
}

/* Start the loader with its output in a pipe: stderr is the program's business, not ours. */
static int start_loader(const char *program, pid_t *ret_pid)
{
	char *arguments[] = { (char *)(uintptr_t)LOADER, (char *)(uintptr_t)program, NULL };
	rarog_cleanup(rarog_freep) char **environment = make_environment();
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	int ends[2];

	if (!environment)
		return rarog_oom();
	if (pipe2(ends, O_CLOEXEC) < 0)
		return rarog_fail_errno("cannot make a pipe");
	sigemptyset(&none); /* we may be waiting for some */
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	int code = posix_spawn(ret_pid, LOADER, &actions, &attributes, arguments, environment);

	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	close(ends[1]);
	if (code == 0)
		return ends[0];
	close(ends[0]);
	return rarog_fail(-code, "cannot run %s: %s", LOADER, strerror(code));
}

static int read_lines(int fd, const char *program, struct rarog_libraries *libraries)
{
	rarog_cleanup(rarog_fclosep) FILE *output = fdopen(fd, "r");
	rarog_cleanup(rarog_freep) char *line = NULL;
	size_t capacity = 0;
	int r = 0;

	if (!output) {
		close(fd);
		return rarog_oom();
	}
	while (r == 0 && getline(&line, &capacity, output) > 0)
		r = add_line(line, program, libraries);
	return r;
}

int rarog_libraries_find(const struct rarog_binary *binary, struct rarog_libraries *libraries)
{
	const char *interpreter = rarog_binary_interpreter(binary);
	const char *path = rarog_binary_path(binary);
	rarog_cleanup(rarog_freep) char *program = realpath(path, NULL);
	int status = 0;
	pid_t pid = -1;

	if (!interpreter && !rarog_binary_is_pie(binary))
		return 0;
	if (interpreter && strcmp(interpreter, LOADER) != 0)
		return rarog_fail(-ENOTSUP,
				  "%s: its loader is %s; only glibc's can list its libraries: name "
				  "them one by one",
				  path, interpreter);
	if (!program)
		return rarog_fail_errno("%s", path);
	int fd = start_loader(program, &pid);

	if (fd < 0)
		return fd;
	int r = read_lines(fd, path, libraries);

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return r; /* the loader fails on static programs, which print nothing */
}

void rarog_libraries_release(struct rarog_libraries *libraries)
{
	for (size_t i = 0; i < libraries->n; i++)
		free(libraries->v[i]);
	rarog_vec_release(libraries);
}
