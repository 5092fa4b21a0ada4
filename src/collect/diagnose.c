/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What cannot be had is said in its place ("cannot open"), never an error: a bug report is written
 * when something is wrong. What other commands know (probes, doctor) is asked of rarog itself as a
 * program, so that its crash would not be ours.
 */
#include "collect/diagnose.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "process/running.h"
#include "process/scratch-folder.h"
#include "profile/reader.h"

#define LIMIT   (64 << 20) /* bytes of one file */
#define NO_EXEC 127

struct rarog_diagnosis {
	struct rarog_new_file file;
	struct rarog_scratch_folder folder; /* what is packed */
	const char *compression;            /* tar's option */
	int log;
};

/* --- texts --- */

static int add(struct rarog_diagnosis *d, const char *name, size_t n, const char *bytes)
{
	rarog_cleanup(rarog_closep) int fd =
		openat(d->folder.folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	int r = fd < 0 ? -errno : rarog_write_all(fd, n, bytes);

	return r < 0 ? rarog_fail(r, "%s/%s: cannot write: %s", d->folder.path, name, strerror(-r))
		     : 0;
}

static int add_text(struct rarog_diagnosis *d, const char *name, const struct rarog_str *text)
{
	return add(d, name, text->length, rarog_str_text(text));
}

static void append_file(struct rarog_str *text, const char *path)
{
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	size_t n = 0;

	rarog_str_addf(text, "--- %s\n", path);
	if (rarog_file_read(path, LIMIT, &bytes, &n) < 0)
		rarog_str_addf(text, "%s\n", rarog_error_message());
	else
		rarog_str_add_bytes(text, n, bytes);
}

static int add_file(struct rarog_diagnosis *d, const char *name, const char *path)
{
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	size_t n = 0;

	if (rarog_file_read(path, LIMIT, &bytes, &n) < 0)
		return 0;
	return add(d, name, n, bytes);
}

static int add_readme(struct rarog_diagnosis *d, const struct rarog_diagnosis_result *result)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };

	rarog_str_addf(&text,
		       "A bug report about rarog " RAROG_VERSION ", made by rarog collect "
		       "--diagnose.\n\nIt has names: of files, functions, environment variables, "
		       "this machine. Look into it before you send it. It has nothing that the "
		       "program read or printed%s.\n",
		       result->with_profile ? ", but all calls of its functions" : "");
	return add_text(d, "README", &text);
}

static int add_version(struct rarog_diagnosis *d)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };

	rarog_str_addf(&text, "rarog %s\ncompiler %s\n", RAROG_VERSION, __VERSION__);
#ifdef __OPTIMIZE__
	rarog_str_add(&text, "optimised yes\n");
#else
	rarog_str_add(&text, "optimised no\n");
#endif
#ifdef __SANITIZE_ADDRESS__
	rarog_str_add(&text, "address sanitizer yes\n");
#endif
#ifdef NDEBUG
	rarog_str_add(&text, "assertions no\n");
#else
	rarog_str_add(&text, "assertions yes\n");
#endif
	rarog_str_addf(&text, "zstd %s\nzlib %s\n", ZSTD_versionString(), zlibVersion());
	return add_text(d, "version", &text);
}

static int add_command(struct rarog_diagnosis *d)
{
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	rarog_cleanup(rarog_freep) char *directory = getcwd(NULL, 0);
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	size_t n = 0;

	if (rarog_file_read("/proc/self/cmdline", LIMIT, &bytes, &n) < 0)
		return 0;
	for (const char *arg = bytes; arg < bytes + n; arg += strlen(arg) + 1)
		rarog_str_addf(&text, "%s\n", arg);
	rarog_str_addf(&text, "--- in %s\n", directory ? directory : "?");
	return add_text(d, "command", &text);
}

/* Variables whose values steer the loader, the C library, the terminal or rarog; the rest may be
 * secret. */
static bool is_harmless(const char *variable)
{
	static const char *const names[] = { "LANG=",           "LC_",     "LD_",       "MALLOC_",
					     "GLIBC_TUNABLES=", "TERM=",   "NO_COLOR=", "RAROG_",
					     "ASAN_OPTIONS=",   "TMPDIR=", "SHELL=",    "OMP_",
					     "UBSAN_OPTIONS=" };

	for (size_t i = 0; i < RAROG_COUNT(names); i++)
		if (rarog_starts_with(variable, names[i]))
			return true;
	return false;
}

static int add_environment(struct rarog_diagnosis *d)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };

	for (char **e = environ; *e; e++) {
		int shown = is_harmless(*e) ? (int)strlen(*e) : (int)strcspn(*e, "=");

		rarog_str_addf(&text, "%.*s\n", shown, *e);
	}
	return add_text(d, "environment", &text);
}

/* The first processor stands for all. */
static void append_processor(struct rarog_str *text)
{
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	char *end;

	if (rarog_file_read("/proc/cpuinfo", LIMIT, &bytes, NULL) < 0)
		return;
	end = strstr(bytes, "\n\n");
	if (end)
		end[1] = '\0';
	rarog_str_addf(text, "--- /proc/cpuinfo (of %ld)\n%s", sysconf(_SC_NPROCESSORS_ONLN),
		       bytes);
}

static int add_system(struct rarog_diagnosis *d)
{
	static const char *const files[] = {
		"/etc/os-release",
		"/proc/version",
		"/proc/sys/kernel/yama/ptrace_scope",
		"/proc/sys/kernel/perf_event_paranoid",
		"/proc/sys/kernel/randomize_va_space",
		"/proc/sys/vm/overcommit_memory",
		"/proc/sys/vm/max_map_count",
		"/sys/kernel/mm/transparent_hugepage/enabled",
		"/sys/devices/system/clocksource/clocksource0/current_clocksource",
		"/proc/self/limits",
		"/proc/self/status",
		"/proc/meminfo",
	};
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	struct utsname name;

	if (uname(&name) == 0)
		rarog_str_addf(&text, "%s %s %s %s\n", name.sysname, name.release, name.version,
			       name.machine);
	for (size_t i = 0; i < RAROG_COUNT(files); i++)
		append_file(&text, files[i]);
	append_processor(&text);
	return add_text(d, "system", &text);
}

/* --- what rarog itself says --- */

static bool has_come_since(const sigset_t *before)
{
	static const int ends[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
	sigset_t now;

	sigpending(&now);
	for (size_t i = 0; i < RAROG_COUNT(ends); i++)
		if (sigismember(&now, ends[i]) && !sigismember(before, ends[i]))
			return true;
	return false;
}

#define LOOK_NS 20000000

/* What may not end is ended by a signal to rarog, which are held meanwhile. Those that came before
 * have ended the run, not this. */
static int wait_for(pid_t pid)
{
	const struct timespec look = { .tv_nsec = LOOK_NS };
	int status = -1;
	sigset_t before;

	sigpending(&before);
	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (has_come_since(&before))
			kill(pid, SIGKILL);
		nanosleep(&look, NULL);
	}
	return status;
}

/* Its wait status; -1: there is no process. */
static int run(const char *program, const char *const arguments[], int output, int errors)
{
	sigset_t none;
	pid_t pid = fork();

	if (pid == 0) {
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		if (dup2(output, STDOUT_FILENO) >= 0 && dup2(errors, STDERR_FILENO) >= 0)
			execv(program, (char *const *)(uintptr_t)arguments);
		_exit(NO_EXEC);
	}
	return pid > 0 ? wait_for(pid) : -1;
}

static int add_answer(struct rarog_diagnosis *d, const char *name, const char *const arguments[])
{
	rarog_cleanup(rarog_closep) int output = memfd_create("diagnosis", MFD_CLOEXEC);
	char path[64];

	if (output < 0 || run("/proc/self/exe", arguments, output, output) < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", output);
	return add_file(d, name, path);
}

static int add_probes(struct rarog_diagnosis *d, size_t number, const char *binary)
{
	const char *const arguments[] = { "rarog", "probes", "--json", binary, NULL };
	char name[64];

	snprintf(name, sizeof(name), "probes-%zu.json", number);
	return add_answer(d, name, arguments);
}

/* --- the run --- */

static int add_profile(struct rarog_diagnosis *d, struct rarog_profile *profile)
{
	const struct rarog_profile_binary *binaries;
	const char *header = rarog_profile_header(profile);
	long n = rarog_profile_binaries(profile, &binaries);
	int r = add(d, "header.json", strlen(header), header);

	for (long i = 0; r == 0 && i < n; i++)
		r = add_probes(d, (size_t)i, binaries[i].path);
	return r;
}

static int add_run(struct rarog_diagnosis *d, const struct rarog_diagnosis_result *result)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	char path[PATH_MAX];
	int r = 0;

	if (result->profile && rarog_profile_open(result->profile, &profile) == 0)
		r = add_profile(d, profile);
	else if (rarog_program_find(result->program, path) == 0)
		r = add_probes(d, 0, path);
	if (r == 0 && profile && result->with_profile)
		r = add_file(d, "profile.rarog", result->profile);
	return r;
}

static int add_result(struct rarog_diagnosis *d, const struct rarog_diagnosis_result *result,
		      const char *message)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };

	if (result->code < 0)
		rarog_str_addf(&text, "failed: %s (%s)\n", message, strerror(-result->code));
	else
		rarog_str_addf(&text, "exit status %d\n%s%s", result->code, message,
			       *message ? "\n" : "");
	return add_text(d, "result", &text);
}

static int add_log(struct rarog_diagnosis *d)
{
	char path[64];

	rarog_log_record(-1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", d->log);
	return add_file(d, "log", path);
}

static int pack(struct rarog_diagnosis *d, const struct rarog_diagnosis_result *result,
		const char *message)
{
	static const char *const doctor[] = { "rarog", "doctor", "--json", NULL };
	int r = rarog_scratch_folder_make("diagnose", &d->folder);

	if (r == 0)
		r = add_log(d);
	if (r == 0)
		r = add_readme(d, result);
	if (r == 0)
		r = add_version(d);
	if (r == 0)
		r = add_command(d);
	if (r == 0)
		r = add_environment(d);
	if (r == 0)
		r = add_system(d);
	if (r == 0)
		r = add_result(d, result, message);
	if (r == 0)
		r = add_answer(d, "doctor.json", doctor);
	return r < 0 ? r : add_run(d, result);
}

/* The shell's * leaves out the folder's mark. */
static int write_archive(struct rarog_diagnosis *d)
{
	static const char script[] =
		"unset TAR_OPTIONS; cd \"$0\" && exec tar --create \"$1\" --owner=root:0 "
		"--group=root:0 --file=- *";
	const char *const arguments[] = {
		"sh", "-c", script, d->folder.path, d->compression, NULL
	};

	if (run("/bin/sh", arguments, d->file.fd, STDERR_FILENO) != 0)
		return rarog_fail(-EIO, "tar has failed");
	return 0;
}

/* --- life --- */

static void diagnosis_free(struct rarog_diagnosis *d)
{
	rarog_log_record(-1);
	rarog_closep(&d->log);
	rarog_new_file_release(&d->file);
	rarog_scratch_folder_remove(&d->folder);
	free(d);
}

/* What tar needs is looked for before the program runs. */
static int find_tar(const char *compressor)
{
	const char *const names[] = { "tar", compressor };
	char path[PATH_MAX];

	for (size_t i = 0; i < RAROG_COUNT(names); i++)
		if (rarog_program_find(names[i], path) < 0)
			return rarog_fail(-ENOENT, "--diagnose: there is no %s; install it",
					  names[i]);
	return 0;
}

int rarog_diagnosis_start(const char *path, struct rarog_diagnosis **ret_diagnosis)
{
	bool is_zstd = rarog_ends_with(path, ".zst");
	int r = find_tar(is_zstd ? "zstd" : "gzip");
	struct rarog_diagnosis *d = r < 0 ? NULL : calloc(1, sizeof(*d));

	if (!d)
		return r < 0 ? r : rarog_oom();
	d->file = (struct rarog_new_file)RAROG_NEW_FILE_NONE;
	d->compression = is_zstd ? "--zstd" : "--gzip";
	d->log = memfd_create("log", MFD_CLOEXEC);
	r = d->log >= 0 ? rarog_new_file_open(path, &d->file) : rarog_oom();
	if (r < 0) {
		diagnosis_free(d);
		return r;
	}
	rarog_log_record(d->log);
	*ret_diagnosis = d;
	return 0;
}

int rarog_diagnosis_finish(struct rarog_diagnosis *d, const struct rarog_diagnosis_result *result)
{
	rarog_cleanup(rarog_freep) char *message = strdup(rarog_error_message());
	int r = message ? pack(d, result, message) : rarog_oom();

	if (r == 0)
		r = write_archive(d);
	if (r == 0)
		r = rarog_new_file_commit(&d->file);
	if (r < 0)
		rarog_warn("the bug report was not written: %s", rarog_error_message());
	diagnosis_free(d);
	if (result->code < 0)
		rarog_fail(result->code, "%s", message ? message : "out of memory");
	return r;
}
