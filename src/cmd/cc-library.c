/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Only when a library was linked it is known what it is made of: which members of archives, which
 * of several functions of one name, and what the linker compiled itself (LTO). So it is looked at
 * then. What says nothing of its blocks (-s) cannot be counted either, and is taken as it is.
 */
#include "cmd/cc-library.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "binary/elf-file.h"
#include "blocks/map.h"
#include "cmd/command.h"
#include "process/running.h"

/* --- the compiler --- */

static int exit_of(int error)
{
	return error == ENOENT ? RAROG_EXIT_NOT_FOUND : RAROG_EXIT_NOT_EXECUTABLE;
}

/* It goes with us, whatever ends us. */
static _Noreturn void become(char *const argv[], pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() == parent)
		execvp(argv[0], argv);
	_exit(exit_of(errno));
}

static int wait_for(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return rarog_fail_errno("waiting for the compiler");
	return status;
}

/* Ctrl-C is the compiler's, too, which cleans up first. A process that ignores its children's ends
 * is told nothing of ours. */
static int run(char *const argv[])
{
	const struct sigaction ignored = { .sa_handler = SIG_IGN };
	struct sigaction interrupt, quit;
	pid_t parent = getpid(), pid;
	int status;

	signal(SIGCHLD, SIG_DFL);
	pid = fork();
	if (pid < 0)
		return rarog_fail_errno("fork");
	if (pid == 0)
		become(argv, parent);
	sigaction(SIGINT, &ignored, &interrupt);
	sigaction(SIGQUIT, &ignored, &quit);
	status = wait_for(pid);
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGQUIT, &quit, NULL);
	return status;
}

/* --- the library --- */

static const struct rarog_block_record *find_foreign(const struct rarog_map *map)
{
	for (size_t i = 0; i < map->n_functions; i++)
		if (map->functions[i].threads == RAROG_BLOCKS_GS)
			return &map->functions[i];
	return NULL;
}

static int check(const char *path)
{
	rarog_cleanup(rarog_elf_freep) struct rarog_elf *elf = NULL;
	rarog_cleanup(rarog_map_freep) struct rarog_map *map = NULL;
	const struct rarog_block_record *foreign;

	if (rarog_elf_open(path, RAROG_ELF_PROGRAM, &elf) < 0 || rarog_map_read(elf, &map) < 0)
		return 0; /* the reader of the counts says why */
	foreign = find_foreign(map);
	if (!foreign)
		return 0;
	unlink(path);
	return rarog_fail(
		-EINVAL,
		"%s: %s (%s) was compiled without -fPIC, so in a library it would count in "
		"wrong places; compile it with -fPIC",
		path, foreign->name, foreign->file);
}

int rarog_cc_library_link(const struct rarog_cc_line *line)
{
	int status = run(line->words.v);

	if (status < 0)
		return status;
	if (WIFSIGNALED(status)) {
		raise(WTERMSIG(status));
		return RAROG_EXIT_SIGNAL + WTERMSIG(status);
	}
	if (WEXITSTATUS(status) != 0)
		return WEXITSTATUS(status);
	return check(line->library);
}
