/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stap starts others (make, staprun, stapio) and cleans up after them when it is asked to end. So
 * it has a process group of its own, which Ctrl-C does not reach; the kernel tells it when rarog
 * ends, however it does (PR_SET_PDEATHSIG); and where it was killed itself, its group is ended and
 * its module, whose name holds the number of one of the group, is taken out.
 */
#include "engine/stap/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "process/running.h"

#define END_WITHIN_S  30 /* to take probes out and the module */
#define GONE_WITHIN_S 5  /* its module, when it has ended */
#define ARGUMENTS_MAX 24
#define TEXT_MAX      (256 << 20)
#define MODULE_MAX    64 /* names in the kernel have at most 56 */

struct rarog_stap_tool {
	const char *program;
	bool keeps;             /* modules, for later runs */
	int script, complaints; /* memory: its standard input and error */
	int output;             /* read end, of a run */
	pid_t pid;              /* 0: does not run */
	char module[MODULE_MAX];
};

static const char *program_name(void)
{
	const char *own = getenv("RAROG_STAP");

	return own && *own ? own : "stap";
}

/* --- can it work --- */

static int find_program(void)
{
	const char *name = program_name();
	char path[PATH_MAX];
	int r = rarog_program_find(name, path);

	if (r < 0 || access(path, X_OK) < 0)
		return rarog_fail(-ENOENT,
				  "--engine=stap: %s: not found; install SystemTap (the package "
				  "systemtap)",
				  name);
	return 0;
}

static int find_headers(void)
{
	struct utsname kernel;
	char path[sizeof(kernel.release) + 64];

	if (uname(&kernel) < 0)
		return rarog_fail_errno("uname");
	snprintf(path, sizeof(path), "/lib/modules/%s/build/.config", kernel.release);
	if (access(path, R_OK) < 0)
		return rarog_fail(
			-ENOENT,
			"--engine=stap: %s is missing; install the headers of this kernel "
			"(the package linux-headers-%s)",
			path, kernel.release);
	return 0;
}

int rarog_stap_check(void)
{
	int r = 0;

	if (getenv("RAROG_STAP"))
		return find_program();
	if (access("/proc/modules", F_OK) < 0)
		return rarog_fail(-ENOTSUP,
				  "--engine=stap: this kernel cannot load modules, of which "
				  "SystemTap makes one; --engine=ebpf needs none");
	r = find_program();
	if (r == 0)
		r = find_headers();
	if (r == 0 && geteuid() != 0)
		r = rarog_fail(-EPERM,
			       "--engine=stap: loading a module needs root; run it so, or use "
			       "--engine=inline");
	return r;
}

/* --- processes --- */

static int make_memory(const char *name, const char *text)
{
	rarog_cleanup(rarog_closep) int fd = memfd_create(name, MFD_CLOEXEC);
	size_t n = strlen(text);

	if (fd < 0)
		return rarog_fail_errno("cannot make memory for SystemTap");
	while (n > 0) {
		ssize_t put = write(fd, text, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return rarog_fail_errno("cannot make memory for SystemTap");
		text += put;
		n -= (size_t)put;
	}
	return rarog_take_fd(&fd);
}

int rarog_stap_tool_new(const char *script, bool keeps, struct rarog_stap_tool **ret_tool)
{
	rarog_cleanup(rarog_stap_tool_freep) struct rarog_stap_tool *tool =
		calloc(1, sizeof(*tool));

	if (!tool)
		return rarog_oom();
	*tool = (struct rarog_stap_tool){
		.program = program_name(),
		.keeps = keeps,
		.script = -1,
		.complaints = -1,
		.output = -1,
	};
	tool->script = make_memory("script", script);
	if (tool->script < 0)
		return tool->script;
	tool->complaints = make_memory("complaints", "");
	if (tool->complaints < 0)
		return tool->complaints;
	*ret_tool = rarog_take(tool);
	return 0;
}

static void unblock_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void become(const struct rarog_stap_tool *tool, pid_t parent, int output, char *const argv[])
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent) /* which ended before that was asked for */
		_exit(125);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	unblock_signals();
	lseek(tool->script, 0, SEEK_SET);
	if (dup2(tool->script, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
	    dup2(tool->complaints, STDERR_FILENO) < 0)
		_exit(126);
	execvp(tool->program, argv);
	dprintf(STDERR_FILENO, "%s: %s\n", tool->program, strerror(errno));
	_exit(127);
}

/* stap … @last…; NULL ends them. Return: descriptor of its output. */
static int start(struct rarog_stap_tool *tool, const char *const last[])
{
	/* The buffers of a processor have 32 MB. Probes that had to be skipped are counted, the
	 * script goes on; a busy program is what is measured, not a reason to stop. */
	const char *argv[ARGUMENTS_MAX] = {
		tool->program,
		"-g",
		"--suppress-time-limits",
		"-s",
		"32",
		"--prologue-searching=never",
		"-D",
		"MAXSKIPPED=1000000000",
	};
	pid_t parent = getpid();
	size_t n = 8;
	int ends[2];

	if (!tool->keeps)
		argv[n++] = "--disable-cache";
	while (*last)
		argv[n++] = *last++;
	argv[n++] = "-";
	if (pipe2(ends, O_CLOEXEC) < 0)
		return rarog_fail_errno("cannot make a pipe");
	if (ftruncate(tool->complaints, 0) < 0 || lseek(tool->complaints, 0, SEEK_SET) < 0)
		rarog_debug(RAROG_LOG_SITE, "what %s complained of stays", tool->program);
	tool->pid = fork();
	if (tool->pid == 0)
		become(tool, parent, ends[1], (char *const *)(uintptr_t)argv);
	close(ends[1]);
	if (tool->pid < 0) {
		tool->pid = 0;
		close(ends[0]);
		return rarog_fail_errno("cannot start a process");
	}
	setpgid(tool->pid, tool->pid);
	return ends[0];
}

/* false: it runs on */
static bool has_ended(struct rarog_stap_tool *tool, int options, int *ret_status)
{
	pid_t r;

	do
		r = waitpid(tool->pid, ret_status, options);
	while (r < 0 && errno == EINTR);
	return r != 0;
}

/* Ended by @signal at most END_WITHIN_S from now? */
static bool ends_by(struct rarog_stap_tool *tool, int signal, int *ret_status)
{
	const struct timespec moment = { .tv_nsec = 10000000 };

	if (signal)
		kill(signal == SIGKILL ? -tool->pid : tool->pid, signal);
	for (int i = 0; i < END_WITHIN_S * 100; i++) {
		if (has_ended(tool, WNOHANG, ret_status))
			return true;
		nanosleep(&moment, NULL);
	}
	return false;
}

/* --- what it complains of --- */

static int read_complaints(const struct rarog_stap_tool *tool, struct rarog_str *text)
{
	char bytes[4096];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(tool->complaints, bytes, sizeof(bytes), at)) > 0 && at < TEXT_MAX) {
		if (rarog_str_add_bytes(text, (size_t)n, bytes) < 0)
			return rarog_oom();
		at += n;
	}
	return 0;
}

/* The first that is an error, else the last line. */
static const char *find_complaint(const struct rarog_str *text, int *ret_length)
{
	const char *all = rarog_str_text(text), *line = strstr(all, "error:");
	size_t n = text->length;

	if (!line)
		line = strstr(all, "ERROR:");
	while (n > 0 && (all[n - 1] == '\n' || all[n - 1] == ' '))
		n--;
	if (!line)
		line = (const char *)memrchr(all, '\n', n);
	line = !line ? all : *line == '\n' ? line + 1 : line;
	*ret_length = (int)strcspn(line, "\n");
	return line;
}

int rarog_stap_tool_fail(const struct rarog_stap_tool *tool, const char *what)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	const char *complaint;
	int length;

	if (read_complaints(tool, &text) < 0)
		return -ENOMEM;
	complaint = find_complaint(&text, &length);
	return rarog_fail(-EIO, "--engine=stap: %s %s%s%.*s", tool->program, what,
			  length ? ": " : "", length, complaint);
}

/* --- asking --- */

static int read_all(int fd, struct rarog_str *text)
{
	char bytes[65536];
	ssize_t n;

	while ((n = read(fd, bytes, sizeof(bytes))) != 0) {
		if (n < 0 && errno != EINTR)
			return rarog_fail_errno("SystemTap's output");
		if (n > 0 &&
		    (text->length > TEXT_MAX || rarog_str_add_bytes(text, (size_t)n, bytes) < 0))
			return rarog_oom();
	}
	return 0;
}

static int ask(struct rarog_stap_tool *tool, const char *const last[], const char *what,
	       struct rarog_str *ret_text)
{
	rarog_cleanup(rarog_closep) int fd = start(tool, last);
	int status = 0, r = fd < 0 ? fd : read_all(fd, ret_text);

	if (r < 0)
		return r;
	has_ended(tool, 0, &status);
	tool->pid = 0;
	return status == 0 ? 0 : rarog_stap_tool_fail(tool, what);
}

int rarog_stap_tool_elaborate(struct rarog_stap_tool *tool, struct rarog_str *ret_text)
{
	static const char *const last[] = { "-p", "2", NULL };

	return ask(tool, last, "cannot place the probes", ret_text);
}

int rarog_stap_tool_compile(struct rarog_stap_tool *tool)
{
	static const char *const last[] = { "-p", "4", NULL };
	rarog_cleanup(rarog_str_release) struct rarog_str path = { 0 };

	return ask(tool, last, "cannot make its module", &path);
}

/* --- running --- */

int rarog_stap_tool_start(struct rarog_stap_tool *tool, pid_t target)
{
	char number[16];
	const char *const last[] = { "-x", number, NULL };

	snprintf(number, sizeof(number), "%d", (int)target);
	tool->output = start(tool, last);
	return tool->output;
}

/* stap_HASH_PID, where PID is one of the tool's processes */
static bool is_own_module(const struct rarog_stap_tool *tool, const char *name)
{
	const char *number = strrchr(name, '_');

	return rarog_starts_with(name, "stap_") && number &&
	       getpgid((pid_t)strtol(number + 1, NULL, 10)) == tool->pid;
}

void rarog_stap_tool_running(struct rarog_stap_tool *tool)
{
	rarog_cleanup(rarog_fclosep) FILE *modules = fopen("/proc/modules", "re");
	char line[512], name[MODULE_MAX];

	while (modules && fgets(line, sizeof(line), modules))
		if (sscanf(line, "%63s", name) == 1 && is_own_module(tool, name))
			memcpy(tool->module, name, sizeof(name));
}

static bool is_loaded(const char *module)
{
	char path[MODULE_MAX + 16];

	snprintf(path, sizeof(path), "/sys/module/%s", module);
	return *module && access(path, F_OK) == 0;
}

/* As stap itself does, where it could not. */
static void remove_module(const char *module)
{
	const struct timespec moment = { .tv_nsec = 10000000 };
	pid_t pid;

	for (int i = 0; i < GONE_WITHIN_S * 100 && is_loaded(module); i++)
		nanosleep(&moment, NULL);
	if (!is_loaded(module))
		return;
	pid = fork();
	if (pid == 0) {
		unblock_signals();
		execlp("staprun", "staprun", "-d", module, (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void rarog_stap_tool_stop(struct rarog_stap_tool *tool)
{
	if (tool->pid > 0)
		kill(tool->pid, SIGINT);
}

static unsigned long count_skipped(const struct rarog_str *text)
{
	static const char words[] = "skipped probes: ";
	const char *at = strstr(rarog_str_text(text), words);

	return at ? strtoul(at + sizeof(words) - 1, NULL, 10) : 0;
}

int rarog_stap_tool_end(struct rarog_stap_tool *tool, unsigned long *ret_skipped)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	int status = 0;
	bool is_over = ends_by(tool, 0, &status);

	if (!is_over)
		return rarog_fail(-EIO, "--engine=stap: %s does not end", tool->program);
	kill(-tool->pid, SIGTERM); /* what it left behind, if it was killed */
	tool->pid = 0;
	remove_module(tool->module);
	if (status != 0)
		return rarog_stap_tool_fail(tool, "failed");
	if (read_complaints(tool, &text) < 0)
		return -ENOMEM;
	*ret_skipped = count_skipped(&text);
	return 0;
}

void rarog_stap_tool_free(struct rarog_stap_tool *tool)
{
	int status;

	if (!tool)
		return;
	if (tool->output >= 0)
		close(tool->output);
	if (tool->pid > 0) {
		if (!ends_by(tool, SIGTERM, &status))
			ends_by(tool, SIGKILL, &status);
		kill(-tool->pid, SIGTERM);
		remove_module(tool->module);
	}
	if (tool->script >= 0)
		close(tool->script);
	if (tool->complaints >= 0)
		close(tool->complaints);
	free(tool);
}
