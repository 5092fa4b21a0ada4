/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A lock in the store makes a queue: its holder measures. A background run belongs to a
 * session of its own with its output in the log, so neither git nor the terminal waits for it. What
 * it measures is a commit by its hash, known before git goes on.
 */
#include "cmd/hook-run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/close-from.h"
#include "base/error.h"
#include "base/installed.h"
#include "base/str.h"

#define LOG_MOST (1 << 20)

struct hook {
	const char *name;
	char *store, *root, *command;
	bool is_gate;
	RAROG_VEC(char *) commits;
};

static void hook_release(struct hook *hook)
{
	for (size_t i = 0; i < hook->commits.n; i++)
		free(hook->commits.v[i]);
	rarog_vec_release(&hook->commits);
	free(hook->store);
	free(hook->root);
	free(hook->command);
}

/* --- what to do --- */

#define RUN "rarog run --commit \"$RAROG_COMMIT\""

/*
 * A commit is compared with what was measured before it, also where some of its jobs could not be
 * measured: then the status says that. Users who push say what is to be held up.
 */
const char *rarog_hook_command(const char *name)
{
	return strcmp(name, "post-commit") == 0 ? RUN
		       "; ran=$?; rarog check --all \"$RAROG_COMMIT\" && exit $ran"
						: RUN;
}

static int add_commit(struct hook *hook, const char *name)
{
	char *copy;

	for (size_t i = 0; i < hook->commits.n; i++)
		if (strcmp(hook->commits.v[i], name) == 0)
			return 0;
	copy = strdup(name);
	if (copy && rarog_vec_push(&hook->commits, copy) == 0)
		return 0;
	free(copy);
	return rarog_oom();
}

/* githooks(5): "LOCAL-REF LOCAL-OID REMOTE-REF REMOTE-OID" for each ref; zeros: it is deleted. */
static int read_pushed(struct hook *hook)
{
	rarog_cleanup(rarog_freep) char *line = NULL;
	size_t room = 0;
	int r = 0;

	while (r == 0 && getline(&line, &room, stdin) > 0) {
		char commit[80];

		if (sscanf(line, "%*s %79[0-9a-f]", commit) == 1 &&
		    commit[strspn(commit, "0")] != '\0')
			r = add_commit(hook, commit);
	}
	return r;
}

static int read_head(struct hook *hook, struct rarog_vcs *vcs)
{
	struct rarog_vcs_state state = { 0 };
	int r = rarog_vcs_state(vcs, false, &state);

	if (r == 0 && state.head)
		r = add_commit(hook, state.head);
	rarog_vcs_state_release(&state);
	return r;
}

static int read_setting(struct rarog_store *store, const char *name, const char *what,
			char **ret_value)
{
	rarog_cleanup(rarog_freep) char *key = rarog_asprintf("hook.%s.%s", name, what);
	int r = key ? rarog_store_get(store, key, ret_value) : rarog_oom();

	return r == -ENOENT ? 0 : r;
}

static int prepare(struct hook *hook, const struct rarog_project *project)
{
	rarog_cleanup(rarog_freep) char *mode = NULL;
	const char *root = rarog_vcs_root(project->vcs);
	int r = read_setting(project->store, hook->name, "mode", &mode);

	if (r == 0)
		r = read_setting(project->store, hook->name, "command", &hook->command);
	if (r < 0)
		return r;
	hook->is_gate = mode && strcmp(mode, "gate") == 0;
	if (!hook->command)
		hook->command = strdup(rarog_hook_command(hook->name));
	hook->store = strdup(rarog_store_path(project->store));
	hook->root = strdup(root ? root : ".");
	if (!hook->command || !hook->store || !hook->root)
		return rarog_oom();
	return strcmp(hook->name, "pre-push") == 0 ? read_pushed(hook)
						   : read_head(hook, project->vcs);
}

/* --- doing it --- */

/* A command says "rarog", which need not be in PATH: it is this one where there is no other. */
static void find_ourselves(void)
{
	const char *path = getenv("PATH");
	char folder[PATH_MAX];
	rarog_cleanup(rarog_freep) char *longer = NULL;

	if (rarog_installed_folder(folder) == 0)
		longer = rarog_asprintf("%s:%s", path ? path : "/usr/local/bin:/usr/bin:/bin",
					folder);
	if (longer)
		setenv("PATH", longer, 1);
}

/* git's variables are for the hook, not for what is measured. */
static void clean_environment(const char *commit)
{
	for (size_t i = 0; environ[i];) {
		rarog_cleanup(rarog_freep) char *name = NULL;

		if (!rarog_starts_with(environ[i], "GIT_")) {
			i++;
			continue;
		}
		name = strndup(environ[i], strcspn(environ[i], "="));
		if (!name || unsetenv(name) < 0)
			break;
	}
	setenv("RAROG_COMMIT", commit, 1);
	setenv("RAROG_HOOK", "1", 1);
}

/* Exit status of the command for one commit. */
static int run_command(const struct hook *hook, const char *commit)
{
	pid_t pid = fork();
	int status = 0;

	if (pid < 0)
		return 127;
	if (pid == 0) {
		clean_environment(commit);
		find_ourselves();
		if (chdir(hook->root) == 0)
			execl("/bin/sh", "sh", "-c", hook->command, (char *)NULL);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 127;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int take_turn(const struct hook *hook)
{
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/hook.lock", hook->store);
	int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;

	if (fd < 0)
		return rarog_fail_errno("%s/hook.lock: cannot open", hook->store);
	while (flock(fd, LOCK_EX) < 0)
		if (errno != EINTR)
			break;
	return fd;
}

static void note(const struct hook *hook, const char *commit, const char *what, int status)
{
	time_t now = time(NULL);
	char date[32] = "";
	struct tm parts;

	if (localtime_r(&now, &parts))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &parts);
	fprintf(stderr, "%s %s %.12s %s", date, hook->name, commit, what);
	if (status >= 0)
		fprintf(stderr, " with status %d", status);
	fputs("\n", stderr);
}

/* Standard input from nowhere, output to the log, which begins anew when it is large. */
static int detach(const struct hook *hook)
{
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/" RAROG_HOOK_LOG, hook->store);
	int in = open("/dev/null", O_RDONLY), out;
	struct stat status;
	int mode = O_WRONLY | O_CREAT | O_APPEND;

	if (!path || setsid() < 0)
		return -1;
	if (stat(path, &status) == 0) {
		if (!S_ISREG(status.st_mode)) /* a pipe would wait for its reader */
			return -1;
		if (status.st_size > LOG_MOST)
			mode |= O_TRUNC;
	}
	out = open(path, mode, 0666);
	if (in < 0 || out < 0 || dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(out, STDERR_FILENO) < 0)
		return -1;
	return rarog_close_from(3);
}

static void run_behind(const struct hook *hook)
{
	int turn = detach(hook) < 0 ? -1 : take_turn(hook);

	for (size_t i = 0; turn >= 0 && i < hook->commits.n; i++) {
		note(hook, hook->commits.v[i], "begins", -1);
		note(hook, hook->commits.v[i], "ended", run_command(hook, hook->commits.v[i]));
	}
	_exit(0);
}

static int run_gate(const struct hook *hook)
{
	rarog_cleanup(rarog_closep) int turn = take_turn(hook);

	for (size_t i = 0; i < hook->commits.n; i++) {
		int status = turn < 0 ? 127 : run_command(hook, hook->commits.v[i]);

		if (status == 0)
			continue;
		rarog_fail(-EPERM,
			   "%s is held up: '%s' ended with status %d; git push --no-verify pushes "
			   "all the same",
			   hook->name, hook->command, status);
		return rarog_error_exit(-EPERM, status == RAROG_EXIT_DEGRADATION
							? RAROG_EXIT_DEGRADATION
							: RAROG_EXIT_FAILURE);
	}
	return RAROG_EXIT_OK;
}

int rarog_hook_run(const struct rarog_context *context, const char *name)
{
	rarog_cleanup(hook_release) struct hook hook = { .name = name };
	struct rarog_project project = { 0 };
	int r;

	if (getenv("RAROG_HOOK"))
		return RAROG_EXIT_OK; /* what a hook started commits: not measured again */
	r = rarog_project_open(context, RAROG_NEED_STORE, &project);
	if (r == 0)
		r = prepare(&hook, &project);
	rarog_project_release(&project); /* no database is open across a fork */
	if (r < 0 && !hook.is_gate) {
		rarog_error_clear();
		return RAROG_EXIT_OK; /* no store: nothing is to be measured here */
	}
	if (r < 0 || hook.is_gate)
		return r < 0 ? r : run_gate(&hook);
	fflush(NULL);
	if (hook.commits.n > 0 && fork() == 0)
		run_behind(&hook);
	return RAROG_EXIT_OK;
}
