/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/probed/run.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/lower-bound.h"
#include "base/str.h"
#include "binary/libraries.h"
#include "engine/probed/ended.h"
#include "engine/probed/measured.h"
#include "engine/probed/values.h"
#include "engine/request.h"
#include "plan/parameters.h"
#include "plan/unmatched.h"
#include "process/maps.h"
#include "process/process.h"

/* --- what is probed --- */

static int add_file(struct rarog_probed *run, const struct rarog_probed_file *file)
{
	struct rarog_probed_file told = *file;
	struct rarog_probed_module *module;
	int r = rarog_vec_reserve(&run->modules, run->modules.n + 1);

	if (r < 0)
		return rarog_oom();
	module = &run->modules.v[run->modules.n];
	told.tells_faults = run->tells_faults;
	told.at_entries = run->at_entries;
	told.actions = run->actions;
	r = rarog_probed_module_open(run->engine, run->base.options->plan, &told, run->n_probes,
				     module);
	if (r < 0)
		return r;
	run->modules.n++;
	r = run->choose_marks(run->base.options->plan, module);
	if (r == 0)
		rarog_probed_values_say(module);
	run->n_probes += (uint32_t)rarog_probed_module_size(module);
	return r;
}

static int add_module(struct rarog_probed *run, const char *path)
{
	char real[PATH_MAX];

	if (!realpath(path, real))
		return rarog_fail_errno("%s", path);
	return add_file(run, &(const struct rarog_probed_file){ .path = real, .name = real });
}

static int fail_launch(struct rarog_probed *run, int r, const char *name)
{
	run->base.collected.run.launch_error = r;
	if (r == -ENOENT)
		return rarog_fail(r, "%s: not found%s", name, strchr(name, '/') ? "" : " in PATH");
	return rarog_fail(r, "%s: cannot execute: %s", name, strerror(-r));
}

static int check_script(const char *engine, const char *path, const char *name)
{
	if (!rarog_program_is_script(path))
		return 0;
	return rarog_fail(-ENOTSUP,
			  "--engine=%s: %s is a script; name the programs that it runs by "
			  "--binary=PATH",
			  engine, name);
}

static int add_program(struct rarog_probed *run)
{
	const char *name = run->base.options->command->argv[0];
	char path[PATH_MAX];
	int r = rarog_program_find(name, path);

	if (r == 0 && access(path, X_OK) < 0)
		r = -errno;
	if (r < 0)
		return fail_launch(run, r, name);
	r = check_script(run->engine, path, name);
	return r < 0 ? r : add_module(run, path);
}

/* By the name of its own, as in profiles of programs that are started. */
static int add_everywhere(struct rarog_probed *run)
{
	const struct rarog_attachment *attachment = run->base.options->attachment;
	char real[PATH_MAX];

	return add_file(run,
			&(const struct rarog_probed_file){
				.path = attachment->path,
				.name = realpath(attachment->path, real) ? real : attachment->file,
				.is_everywhere = true });
}

static int add_running(struct rarog_probed *run)
{
	pid_t pid = run->base.options->attachment->pid;
	char path[PATH_MAX], link[64];
	int r = rarog_process_path(pid, path);

	/* what the link says by name may be another file by now, the link itself never is */
	return r < 0 ? r
		     : add_file(run, &(const struct rarog_probed_file){
					     .path = rarog_process_file(pid, path, link),
					     .name = path });
}

/* --- libraries --- */

static bool is_probed(const struct rarog_probed *run, const char *path)
{
	for (size_t i = 0; i < run->modules.n; i++)
		if (strcmp(run->modules.v[i].name, path) == 0)
			return true;
	return false;
}

/* What cannot be measured of it is no reason to measure nothing else. */
static int add_library(struct rarog_probed *run, const char *path)
{
	struct rarog_probed_file file = { .is_library = true };
	char real[PATH_MAX];
	int r;

	if (!realpath(path, real))
		return rarog_fail_errno("%s", path);
	if (is_probed(run, real))
		return 0;
	file.path = file.name = real;
	r = add_file(run, &file);
	if (r < 0 && r != -ENOMEM) {
		rarog_warn("%s is not measured: %s", real, rarog_error_message());
		r = 0;
	}
	return r;
}

/* Those that it would be started with. */
static int add_libraries_of(struct rarog_probed *run, const struct rarog_binary *program)
{
	struct rarog_libraries libraries = { 0 };
	int r = rarog_libraries_find(program, &libraries);

	if (r == -ENOTSUP) {
		rarog_warn("libraries are not measured: %s", rarog_error_message());
		r = 0;
	}
	for (size_t i = 0; r == 0 && i < libraries.n; i++)
		r = add_library(run, libraries.v[i]);
	rarog_libraries_release(&libraries);
	return r;
}

static int add_mapped_libraries(struct rarog_probed *run)
{
	struct rarog_mapped *objects = NULL;
	long n = rarog_maps_objects(run->base.options->attachment->pid, &objects);
	int r = n < 0 ? (int)n : 0;

	for (long i = 0; r == 0 && i < n; i++)
		if (objects[i].is_library)
			r = add_library(run, objects[i].path);
	rarog_maps_free(n < 0 ? 0 : n, objects);
	return r;
}

static int add_libraries(struct rarog_probed *run)
{
	size_t n = run->modules.n;
	int r = 0;

	if (!run->base.options->plan->libraries)
		return 0;
	if (run->base.options->attachment)
		return add_mapped_libraries(run);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_libraries_of(run, run->modules.v[i].binary);
	return r;
}

static int add_modules(struct rarog_probed *run)
{
	const struct rarog_match *programs = &run->base.options->plan->programs;
	int r = 0;

	if (run->base.options->attachment && run->base.options->attachment->file)
		return add_everywhere(run);
	if (programs->include.n == 0)
		return run->base.options->attachment ? add_running(run) : add_program(run);
	for (size_t i = 0; r == 0 && i < programs->include.n; i++) {
		const char *path = programs->include.v[i].text;

		if (programs->include.v[i].kind != RAROG_PATTERN_NAME || access(path, R_OK) < 0)
			return rarog_fail(-EINVAL,
					  "--binary=%s: with --engine=%s it must be a file's path",
					  path, run->engine);
		r = add_module(run, path);
	}
	return r;
}

static void sum_modules(struct rarog_probed *run)
{
	for (size_t i = 0; i < run->modules.n; i++) {
		run->result.functions += run->modules.v[i].n_wanted;
		run->result.probes += run->modules.v[i].n;
		run->result.slow += run->modules.v[i].n_slow;
		run->modules.v[i].first_mark = (uint32_t)run->result.marks;
		run->result.marks += run->modules.v[i].marks.v.n;
		run->result.captured += run->modules.v[i].n_captured;
	}
}

/* Its probes would be taken out, one by one, of the program that is measured. */
static int check_measured(const struct rarog_probed *run)
{
	for (size_t i = 0; i < run->modules.n; i++) {
		const struct rarog_probed_module *m = &run->modules.v[i];
		pid_t pid = m->n + m->marks.v.n > 0 ? rarog_probed_measured(m->path) : 0;

		if (pid)
			return rarog_fail(
				-EBUSY,
				"--engine=%s: %s is being measured by the inline engine in "
				"process %d; wait for its end, or measure a copy of the file",
				run->engine, m->name, (int)pid);
	}
	return 0;
}

int rarog_probed_find(struct rarog_probed *run)
{
	int r = add_modules(run);

	if (r == 0)
		r = add_libraries(run);
	if (r < 0 && run->base.options->attachment)
		return rarog_probed_unless_ended(run->base.options->attachment->pid, r);
	if (r == 0)
		r = check_measured(run);
	if (r == 0)
		sum_modules(run);
	return r;
}

/* --- beforehand --- */

static int check_path(const char *engine, const struct rarog_plan *plan, const char *path)
{
	char real[PATH_MAX];
	struct rarog_probed_file file = { .path = real, .name = real };

	return realpath(path, real) ? rarog_probed_module_check(engine, plan, &file) : 0;
}

static int check_running(const char *engine, const struct rarog_plan *plan, pid_t pid)
{
	char path[PATH_MAX], link[64];
	struct rarog_probed_file file = { .name = path };

	if (rarog_process_path(pid, path) < 0)
		return 0;
	file.path = rarog_process_file(pid, path, link);
	return rarog_probed_module_check(engine, plan, &file);
}

int rarog_probed_allows(const char *engine, const struct rarog_plan *plan, const char *program,
			const struct rarog_attachment *attachment)
{
	const struct rarog_match *programs = &plan->programs;
	char path[PATH_MAX];
	int r = 0;

	for (size_t i = 0; r == 0 && i < programs->include.n; i++)
		r = check_path(engine, plan, programs->include.v[i].text);
	if (programs->include.n > 0)
		return r;
	if (attachment)
		return check_running(engine, plan, attachment->pid);
	if (rarog_program_find(program, path) < 0)
		return 0;
	r = check_script(engine, path, program);
	return r < 0 ? r : check_path(engine, plan, path);
}

void rarog_probed_say_marks(const struct rarog_probed *run)
{
	for (size_t i = 0; i < run->modules.n; i++)
		rarog_marks_say(&run->modules.v[i].marks, run->base.options->plan,
				run->modules.v[i].name);
}

static int add_searched(const struct rarog_probed_module *m, struct rarog_searched *searched)
{
	const struct rarog_searched_binary one = { m->binary, m->name, &m->places };
	const struct rarog_function *functions;
	int r = rarog_vec_push(&searched->binaries, one);

	rarog_binary_functions(m->binary, &functions);
	for (size_t i = 0; r == 0 && i < m->left.n; i++) {
		const struct rarog_searched_left left = { &functions[m->left.v[i].function],
							  m->left.v[i].reason };

		r = rarog_vec_push(&searched->left, left);
	}
	return r < 0 ? rarog_oom() : 0;
}

int rarog_probed_say_unmatched(struct rarog_probed *run)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	rarog_cleanup(rarog_searched_release) struct rarog_searched searched = {
		.plan = run->base.options->plan
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < run->modules.n; i++)
		r = add_searched(&run->modules.v[i], &searched);
	if (r == 0 && searched.binaries.n > 0)
		r = rarog_unmatched(&searched, &text);
	if (r > 0)
		rarog_warn_lines(rarog_str_text(&text));
	return r < 0 ? r : 0;
}

/* Probes are in the order of functions; names of marks follow. */
static bool has_place(const struct rarog_probed_module *m, const struct rarog_place_change *change,
		      size_t *ret_probe)
{
	long function = rarog_binary_find(m->binary, change->address);
	const struct rarog_function *functions;
	size_t n;
	long name;

	rarog_binary_functions(m->binary, &functions);
	if (function >= 0 && functions[function].address == change->address) {
		n = rarog_lower_bound(i, m->n, m->probes[i].function < (uint32_t)function);
		*ret_probe = n;
		if (n < m->n && m->probes[n].function == (uint32_t)function)
			return true;
	}
	name = rarog_marks_at(&m->marks, change->address);
	*ret_probe = m->n + (size_t)name;
	return name >= 0;
}

int rarog_probed_find_place(const struct rarog_probed *run, const struct rarog_place_change *change,
			    size_t *ret_module, size_t *ret_probe)
{
	for (size_t i = 0; i < run->modules.n; i++) {
		const struct rarog_probed_module *m = &run->modules.v[i];

		*ret_module = i;
		if (strcmp(m->path, change->module) == 0 && has_place(m, change, ret_probe))
			return 0;
	}
	return rarog_fail(-ENOENT, "%s: nothing at %#llx is measured", change->module,
			  (unsigned long long)change->address);
}
