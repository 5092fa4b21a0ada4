/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program writes the events of its regions itself, each thread into a file of its own; when it
 * has ended these are read, and become a profile as those of other engines do.
 */
#include "engine/static/static.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "engine/static/ends.h"
#include "engine/static/files.h"
#include "engine/static/names.h"
#include "engine/static/outliving.h"
#include "plan/parameters.h"
#include "process/clock.h"
#include "process/header.h"
#include "process/scratch-folder.h"
#include "process/software.h"

struct known_process {
	uint32_t pid;
	uint64_t end; /* of what is known of it */
};

struct compiled_in {
	struct rarog_engine_run base;
	bool is_set; /* the environment tells where files go */
	struct rarog_scratch_folder folder;
	struct rarog_static_files files;
	RAROG_VEC(struct rarog_static_names) names; /* of each program */
	struct rarog_static_names prepared;         /* of the program, as it was when it started */
	RAROG_VEC(struct known_process) processes;  /* of the profile */
	uint64_t n_nameless;                        /* files */
	uint64_t n_endless;                         /* calls whose end nobody knows */
	pid_t pid;                                  /* that was started */
	struct rarog_profile_writer *writer;
	struct rarog_recorder *recorder;
	struct rarog_recorder_totals totals;
	struct rarog_software software;
	struct rarog_clock_watch watch;
	bool is_finished;
};

/* --- the header --- */

static void write_totals(struct rarog_json *json, const struct compiled_in *c)
{
	const struct rarog_recorder_totals *totals = &c->totals;

	rarog_json_object(json, "totals");
	rarog_json_uint(json, "calls", totals->calls);
	rarog_json_uint(json, "raw_bytes", totals->raw_bytes);
	rarog_json_uint(json, "images", c->names.n);
	rarog_json_uint(json, "processes", c->processes.n);
	rarog_json_uint(json, "open", totals->open);
	rarog_json_uint(json, "unwound", totals->unwound);
	rarog_json_uint(json, "lost", totals->lost);
	rarog_json_end_object(json);
	if (totals->became_summary && !totals->had_no_room)
		rarog_json_string(json, "switched", "calls to summary at max_size_bytes");
	if (totals->had_no_room)
		rarog_json_string(json, "switched", "calls to summary: no room on the disk");
}

static void write_rest(struct rarog_json *json, void *compiled_in)
{
	struct compiled_in *c = compiled_in;

	rarog_plan_write(json, "static", c->base.options->plan);
	rarog_software_write(json, &c->software);
	rarog_run_write_end(json, &c->base.collected.run);
	if (c->is_finished)
		write_totals(json, c);
}

static int write_header(struct compiled_in *c, bool is_final)
{
	const struct rarog_header header = {
		.argv = c->base.options->command->argv,
		.started_ns = c->watch.epoch_ns,
		.describe = c->base.options->describe,
		.user = c->base.options->user,
		.write = write_rest,
		.collector = c,
	};

	c->is_finished = is_final;
	return rarog_header_set(c->writer, &header);
}

/* --- what the program left --- */

/* A program that was deleted has " (deleted)" after its path. */
static bool is_of(const struct rarog_static_names *names, const char *path)
{
	size_t n = names->path ? strlen(names->path) : 0;

	return n > 0 && strncmp(names->path, path, n) == 0 &&
	       (!path[n] || strcmp(path + n, " (deleted)") == 0);
}

static int read_names(struct compiled_in *c, const char *path, struct rarog_static_names *ret_names)
{
	if (!is_of(&c->prepared, path))
		return rarog_static_names_read(path, ret_names);
	*ret_names = c->prepared;
	c->prepared = (struct rarog_static_names){ NULL };
	return 0;
}

/* -ENODATA: nobody can name what it has written. */
static int find_names(struct compiled_in *c, const char *path, size_t *ret_index)
{
	struct rarog_static_names names;
	int r;

	for (*ret_index = 0; *ret_index < c->names.n; ++*ret_index)
		if (is_of(&c->names.v[*ret_index], path))
			return 0;
	r = read_names(c, path, &names);
	if (r < 0 && r != -ENOMEM)
		r = -ENODATA;
	if (r == 0)
		r = rarog_static_names_announce(&names, c->recorder);
	if (r == 0 && rarog_vec_push(&c->names, names) == 0)
		return 0;
	rarog_static_names_release(&names);
	return r < 0 ? r : rarog_oom();
}

static uint32_t process_of(const struct compiled_in *c, uint32_t pid)
{
	for (size_t i = c->processes.n; i-- > 0;)
		if (c->processes.v[i].pid == pid)
			return (uint32_t)i;
	return RAROG_NONE;
}

static int find_process(struct compiled_in *c, const struct rarog_region_file *head,
			uint32_t *ret_process)
{
	const struct known_process known = { .pid = head->pid };
	const struct rarog_process process = {
		.pid = head->pid,
		.parent = process_of(c, head->parent),
		.start_ticks = head->start,
		.end_ticks = c->watch.last.ticks,
		.wait_status = -1,
		.command = head->program,
	};
	long index;

	*ret_process = process_of(c, head->pid);
	if (*ret_process != RAROG_NONE)
		return 0;
	index = rarog_recorder_add_process(c->recorder, &process);
	if (index < 0)
		return (int)index;
	*ret_process = (uint32_t)index;
	return rarog_vec_push(&c->processes, known) < 0 ? rarog_oom() : 0;
}

/* Of a thread that did not say when it ended its last event is all that is known. */
static uint64_t end_of(struct compiled_in *c, size_t i)
{
	const struct rarog_static_file *file = &c->files.v.v[i];
	struct rarog_static_end last;

	if (file->head->end)
		return file->head->end;
	if (rarog_static_is_until_end(&c->files, i, c->pid))
		return c->watch.last.ticks;
	last = rarog_static_last_event(file);
	c->n_endless += last.open;
	return last.ticks;
}

static int end_strand(struct compiled_in *c, uint32_t process, uint32_t strand, uint64_t end)
{
	struct known_process *its = &c->processes.v[process];

	if (end > its->end)
		its->end = end;
	rarog_recorder_end_process(c->recorder, process, its->end, -1);
	return rarog_recorder_end_strand(c->recorder, strand, end);
}

static int add_strand(struct compiled_in *c, size_t i)
{
	const struct rarog_static_file *file = &c->files.v.v[i];
	const struct rarog_region_file *head = file->head;
	const struct rarog_id_map *map;
	struct rarog_strand strand = { .tid = head->tid, .start_ticks = head->start };
	size_t program, n;
	const uint16_t *words = rarog_static_file_words(file, &n);
	long index;
	int r = find_names(c, head->program, &program);

	if (r == -ENODATA) {
		if (c->n_nameless++ == 0)
			rarog_warn("%s; what such programs ran is left out", rarog_error_message());
		rarog_error_clear();
		return 0;
	}
	if (r == 0)
		r = find_process(c, head, &strand.process);
	if (r < 0)
		return r;
	map = c->names.v[program].map;
	strand.end_ticks = end_of(c, i);
	index = rarog_recorder_add_strand(c->recorder, &strand, map);
	if (index < 0)
		return (int)index;
	r = rarog_recorder_words(c->recorder, (uint32_t)index, n, words);
	if (head->elsewhere)
		rarog_recorder_lose(c->recorder, "events on stacks of coroutines and handlers",
				    head->elsewhere);
	if (head->lost)
		rarog_recorder_lose(c->recorder, "events without room", head->lost);
	return r < 0 ? r : end_strand(c, strand.process, (uint32_t)index, strand.end_ticks);
}

/* What the profile does not have as it was. */
static void say_missing(struct compiled_in *c)
{
	if (c->files.n_unread) {
		rarog_warn("%llu files of regions are cut off and were left out",
			   (unsigned long long)c->files.n_unread);
		rarog_recorder_lose(c->recorder, "files that are cut off", c->files.n_unread);
	}
	if (c->files.n_unwritten)
		rarog_recorder_lose(c->recorder, "threads and children that could write no file",
				    c->files.n_unwritten);
	if (c->n_nameless)
		rarog_recorder_lose(c->recorder, "threads of programs that cannot be read",
				    c->n_nameless);
	if (c->n_endless)
		rarog_warn("%llu call%s open in threads that did not say when they ended (_exit, "
			   "exec, a signal): counted until the thread's last event, at least that "
			   "long",
			   (unsigned long long)c->n_endless, c->n_endless == 1 ? " was" : "s were");
}

/* What they run from here on nobody reads. */
static void say_outliving(struct compiled_in *c)
{
	size_t n = rarog_static_outliving(c->folder.path);

	if (n == 0)
		return;
	rarog_recorder_lose(c->recorder, "processes that go on after the run", n);
	rarog_warn("%zu process%s after the run has ended; what %s from then on is not in the "
		   "profile",
		   n, n == 1 ? " goes on" : "es go on", n == 1 ? "it does" : "they do");
}

static int add_strands(struct compiled_in *c)
{
	int r = rarog_static_files_open(c->folder.path, &c->files);

	for (size_t i = 0; r == 0 && i < c->files.v.n; i++)
		r = add_strand(c, i);
	say_missing(c);
	return r;
}

static int add_software(struct compiled_in *c)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < c->names.n; i++) {
		rarog_cleanup(rarog_binary_freep) struct rarog_binary *binary = NULL;

		if (rarog_binary_open(c->names.v[i].path, &binary) == 0)
			r = rarog_software_add_program(&c->software, binary);
		else
			rarog_error_clear();
	}
	return r;
}

/* --- the steps --- */

static void unset_environment(struct compiled_in *c)
{
	if (c->is_set)
		unsetenv(RAROG_REGION_ENVIRONMENT);
	c->is_set = false;
}

/* As the program will call itself. */
static int prepare_names(struct compiled_in *c, const char *path)
{
	char *real = realpath(path, NULL);
	int r = real ? rarog_static_names_read(real, &c->prepared) : rarog_fail_errno("%s", path);

	free(real);
	return r;
}

static int check_program(struct compiled_in *c)
{
	const char *name = c->base.options->command->argv[0];
	char path[PATH_MAX];
	int r = rarog_program_find(name, path);

	if (r == 0 && access(path, X_OK) < 0)
		r = -errno;
	if (r < 0) {
		c->base.collected.run.launch_error = r;
		return rarog_fail(r, "%s: %s", name, r == -ENOENT ? "not found" : strerror(-r));
	}
	if (rarog_program_is_script(path)) /* what it starts may have some */
		return 0;
	return prepare_names(c, path);
}

static int open_profile(struct compiled_in *c)
{
	rarog_cleanup(rarog_freep) char *directory = rarog_file_directory(c->base.options->output);
	struct rarog_recorder_options options = { .plan = c->base.options->plan,
						  .directory = directory };
	int r = directory ? rarog_profile_writer_new(c->base.options->output, &c->writer)
			  : rarog_oom();

	options.writer = c->writer;
	return r < 0 ? r : rarog_recorder_new(&options, &c->recorder);
}

static int prepare(struct rarog_engine_run *run)
{
	struct compiled_in *c = (struct compiled_in *)run;
	int r = check_program(c);

	rarog_clock_watch_start(&c->watch);
	if (r == 0)
		r = open_profile(c);
	if (r == 0)
		r = rarog_scratch_folder_make("regions", &c->folder);
	if (r == 0)
		r = rarog_static_files_prepare(c->folder.path);
	if (r == 0 && setenv(RAROG_REGION_ENVIRONMENT, c->folder.path, 1) < 0)
		r = rarog_oom();
	c->is_set = r == 0;
	return r;
}

static int start(struct rarog_engine_run *run, pid_t pid)
{
	struct compiled_in *c = (struct compiled_in *)run;

	c->pid = pid;
	unset_environment(c);
	return 0;
}

static long drain(struct rarog_engine_run *run)
{
	rarog_clock_watch_look(&((struct compiled_in *)run)->watch);
	return 100000000;
}

static int finish(struct rarog_engine_run *run)
{
	struct compiled_in *c = (struct compiled_in *)run;
	struct rarog_clock clock = rarog_clock_watch_finish(&c->watch);
	int r;

	rarog_profile_set_clock(c->writer, &clock);
	say_outliving(c);
	r = add_strands(c);
	if (r == 0)
		r = add_software(c);
	if (r == 0)
		r = write_header(c, false);
	if (r == 0)
		r = rarog_recorder_finish(c->recorder, c->watch.last.ticks, &c->totals);
	if (r == 0)
		r = write_header(c, true);
	if (r == 0)
		r = rarog_profile_put(c->writer, run->options->output, run->options->keep,
				      &run->collected.profile_bytes);
	if (r == 0)
		rarog_collected_calls(&c->totals, &run->collected);
	return r;
}

static void release(struct rarog_engine_run *run)
{
	struct compiled_in *c = (struct compiled_in *)run;

	unset_environment(c);
	rarog_static_files_release(&c->files);
	rarog_recorder_free(c->recorder);
	rarog_profile_writer_free(c->writer);
	for (size_t i = 0; i < c->names.n; i++)
		rarog_static_names_release(&c->names.v[i]);
	rarog_static_names_release(&c->prepared);
	rarog_vec_release(&c->names);
	rarog_vec_release(&c->processes);
	rarog_software_release(&c->software);
	rarog_scratch_folder_remove(&c->folder);
}

const struct rarog_engine_steps rarog_static_steps = {
	.size = sizeof(struct compiled_in),
	.prepare = prepare,
	.start = start,
	.drain = drain,
	.finish = finish,
	.release = release,
};
