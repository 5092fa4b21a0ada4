/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel writes a record where a process is forked, where it becomes a program and where it
 * maps code of a file, with the file's build-id. A process that became a program is an image; one
 * that maps a binary with counters makes one file, of its number and the binary's build-id; what
 * has none is not looked at. A forked child maps nothing; its parent's file says if it has none,
 * and its own stands for nothing that it becomes later.
 *
 * Where whole processors may be looked at, that shows what descends from the program: that costs it
 * nothing but the records. Others look at the program itself, by events that every new thread gets
 * copies of, one for each processor; a process that becomes a program with other rights loses them.
 *
 * Numbers of processes are used again, so it is images that are counted. Files whose numbers are
 * not ours (containers) may be of any image of their binary. If records are lost, nothing is known.
 */
#include "engine/blocks/exec-watcher.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"
#include "binary/elf-file.h"
#include "blocks/record.h"
#include "engine/sample/order.h"
#include "engine/sample/records.h"
#include "process/event-rings.h"

#define PAGES      64   /* of a ring: some 200 programs that begin */
#define PAGES_MOST 1024 /* where processors are looked at, with all that others begin there */
#define PAGES_ALL  8192 /* of all rings then */
#define PROCESSORS 8    /* more would slow down programs that make many threads */
#define PIDS       (1u << 22)
#define ID_TEXT    41

enum knowledge { UNKNOWN, COUNTS, COUNTS_NOT };

struct binary {
	char id[ID_TEXT]; /* lower-case hex */
	char *path;       /* as the first to map it saw it */
	enum knowledge knowledge;
	uint64_t n_elsewhere; /* files whose processes' numbers are not ours */
	uint64_t n_threads; /* that began in processes of this program, but the first of each, … */
	uint64_t n_told;    /* … and of which its runtime knows */
	bool has_left;      /* a file, of its own */
};

/* What a process is, 0: none of ours. */
enum {
	DESCENDS = 1,
	LISTS = 2, /* ldd, whose children map what they do not run */
	IDLES = 4, /* one of these, or the loader called by its name */
};

struct process {
	uint32_t is, image;
	uint32_t program; /* the first binary that the image mapped; 0: none yet, else one more */
};

/* An image that maps a binary. */
struct sight {
	uint32_t pid, image, binary;
	bool has_left; /* its file was found */
};

struct rarog_exec_watcher {
	struct rarog_event_rings *rings;
	struct rarog_order order;
	RAROG_VEC(struct binary) binaries;
	RAROG_VEC(struct sight) sights; /* after the end in order, each once */
	struct process *processes;      /* by number */
	uint32_t n_images, pid_space;
	uint64_t n_lost; /* records */
	int failed;      /* negative: it sees no more */
};

/* --- binaries --- */

/* As the runtime judges: the counters have their pages for themselves. */
static bool has_counters(const struct rarog_elf *elf)
{
	const struct rarog_elf_section *counters = rarog_elf_section(elf, RAROG_BLOCKS_COUNTERS);

	return counters && counters->header->sh_size > 0 && counters->header->sh_size % 4096 == 0 &&
	       counters->header->sh_addr % 4096 == 0;
}

static void look_into(struct binary *binary, const char *path)
{
	rarog_cleanup(rarog_elf_freep) struct rarog_elf *elf = NULL;

	if (rarog_elf_open(path, RAROG_ELF_PROGRAM, &elf) < 0)
		rarog_error_clear();
	else if (strcmp(elf->build_id, binary->id) == 0)
		binary->knowledge = has_counters(elf) ? COUNTS : COUNTS_NOT;
}

/* By its path; else as the process sees that, or its program, if it is there still. */
static void learn(struct binary *binary, uint32_t pid, const char *path)
{
	char inside[PATH_MAX + 32], program[32];
	const char *const places[] = { path, inside, program };

	snprintf(inside, sizeof(inside), "/proc/%u/root%s", pid, path);
	snprintf(program, sizeof(program), "/proc/%u/exe", pid);
	for (size_t i = 0; binary->knowledge == UNKNOWN && i < RAROG_COUNT(places); i++)
		look_into(binary, places[i]);
}

/* The number of binaries if there is none. */
static size_t find(const struct rarog_exec_watcher *o, const char *id)
{
	size_t i = 0;

	while (i < o->binaries.n && strcmp(o->binaries.v[i].id, id) != 0)
		i++;
	return i;
}

static int add(struct rarog_exec_watcher *o, const char *id, const char *path)
{
	struct binary binary = { .path = strdup(path) };

	snprintf(binary.id, sizeof(binary.id), "%s", id);
	if (binary.path && rarog_vec_push(&o->binaries, binary) == 0)
		return 0;
	free(binary.path);
	return rarog_oom();
}

static void write_id(const struct rarog_sample_record *record, char id[ID_TEXT])
{
	id[0] = '\0';
	for (size_t i = 0; i < record->n_build_id && 2 * i + 2 < ID_TEXT; i++)
		snprintf(id + 2 * i, 3, "%02x", record->build_id[i]);
}

/* --- records, in order --- */

static uint32_t what_becomes(const char *name)
{
	if (strcmp(name, "ldd") == 0)
		return LISTS;
	return rarog_starts_with(name, "ld-") || strcmp(name, "ld.so") == 0 ? IDLES : 0;
}

static void begin_image(struct rarog_exec_watcher *o, struct process *process, uint32_t is,
			uint32_t program)
{
	*process = (struct process){ .is = is, .image = ++o->n_images, .program = program };
}

static int see_map(struct rarog_exec_watcher *o, const struct rarog_sample_record *record)
{
	struct process *process = &o->processes[record->pid % PIDS];
	struct sight sight = { .pid = record->pid, .image = process->image };
	struct binary *binary;
	char id[ID_TEXT];
	int r = 0;

	write_id(record, id);
	if (!*id)
		return 0;
	sight.binary = (uint32_t)find(o, id);
	if (sight.binary == o->binaries.n)
		r = add(o, id, record->name);
	if (r < 0)
		return r;
	if (process->program == 0)
		process->program = sight.binary + 1;
	binary = &o->binaries.v[sight.binary];
	if (binary->knowledge == UNKNOWN)
		learn(binary, record->pid, record->name);
	if (binary->knowledge != COUNTS_NOT && rarog_vec_push(&o->sights, sight) < 0)
		return rarog_oom();
	return 0;
}

/* The kernel makes threads for io_uring that run nothing of the program's. */
static void see_name(struct rarog_exec_watcher *o, const struct process *process,
		     const struct rarog_sample_record *record)
{
	uint64_t *n = process->program > 0 ? &o->binaries.v[process->program - 1].n_threads : NULL;

	if (n && *n > 0 && process->is && record->tid != record->pid &&
	    rarog_starts_with(record->name, "iou-"))
		--*n;
}

static void see_fork(struct rarog_exec_watcher *o, const struct rarog_sample_record *record)
{
	const struct process *parent = &o->processes[record->parent % PIDS];
	struct process *process = &o->processes[record->pid % PIDS];

	if (process != parent)
		begin_image(o, process, parent->is, parent->program);
	else if (process->is && process->program > 0)
		o->binaries.v[process->program - 1].n_threads++;
}

static int see(struct rarog_exec_watcher *o, const struct rarog_sample_record *record)
{
	struct process *process = &o->processes[record->pid % PIDS];

	if (record->kind == RAROG_SAMPLE_FORK)
		see_fork(o, record);
	else if (record->kind == RAROG_SAMPLE_NAME)
		see_name(o, process, record);
	else if (record->kind == RAROG_SAMPLE_EXEC && process->is)
		begin_image(o, process,
			    DESCENDS | what_becomes(record->name) |
				    (process->is & LISTS ? IDLES : 0),
			    0);
	else if (record->kind == RAROG_SAMPLE_MAP && process->is && !(process->is & IDLES))
		return see_map(o, record);
	return 0;
}

static int see_all(struct rarog_exec_watcher *o)
{
	const struct rarog_ordered *entry;
	struct rarog_sample_record record;
	int r = 0;

	while (r == 0 && (entry = rarog_order_next(&o->order)))
		if (rarog_sample_record_read(0, entry->bytes, &record) > 0)
			r = see(o, &record);
	return r;
}

/* --- while they run --- */

static int take(void *context, const struct perf_event_header *record)
{
	struct rarog_exec_watcher *o = context;
	struct rarog_sample_record lost;

	if (!record) {
		o->n_lost++;
		return 0;
	}
	if (record->type == PERF_RECORD_LOST)
		o->n_lost += rarog_sample_record_read(0, record, &lost) > 0 ? lost.lost : 1;
	return rarog_order_add(&o->order, rarog_sample_record_time(record), 0, record->size,
			       record);
}

static int look(struct rarog_exec_watcher *o)
{
	uint64_t now = rarog_now_ns();
	int r = rarog_event_rings_read(o->rings, take, o);

	if (r == 0)
		r = rarog_order_round(&o->order, now);
	return r < 0 ? r : see_all(o);
}

void rarog_exec_watcher_look(struct rarog_exec_watcher *exec_watcher)
{
	if (exec_watcher->failed == 0)
		exec_watcher->failed = look(exec_watcher);
}

/* Each a power of two. */
static unsigned many_pages(void)
{
	long processors = sysconf(_SC_NPROCESSORS_CONF);
	unsigned pages = PAGES_MOST;

	while (pages > PAGES && pages * processors > PAGES_ALL)
		pages /= 2;
	return pages;
}

static int open_rings(pid_t pid, struct rarog_event_rings **ret_rings)
{
	static const char what[] = "programs that begin";
	struct perf_event_attr attr = rarog_event_rings_notes(CLOCK_MONOTONIC);
	int r;

	attr.comm = attr.comm_exec = 1;
	attr.mmap = attr.mmap2 = attr.build_id = 1; /* of code */
	r = rarog_event_rings_new(&attr, -1, many_pages(), what, ret_rings);
	if (r < 0) /* locked memory has a limit for all but root */
		r = rarog_event_rings_new(&attr, -1, PAGES, what, ret_rings);
	if (r == 0)
		return 0;
	if (sysconf(_SC_NPROCESSORS_CONF) > PROCESSORS)
		return rarog_fail(r, "%s are not shown: too many processors", what);
	return rarog_event_rings_new(&attr, pid, PAGES, what, ret_rings);
}

/* The number of our own name space of processes. */
static uint32_t pid_space(void)
{
	struct stat status;

	return stat("/proc/self/ns/pid", &status) == 0 ? (uint32_t)status.st_ino : 0;
}

int rarog_exec_watcher_new(pid_t pid, struct rarog_exec_watcher **ret_exec_watcher)
{
	rarog_cleanup(rarog_exec_watcher_freep) struct rarog_exec_watcher *o =
		calloc(1, sizeof(*o));
	int r;

	if (!o)
		return rarog_oom();
	o->pid_space = pid_space();
	o->processes = calloc(PIDS, sizeof(*o->processes));
	if (!o->processes)
		return rarog_oom();
	begin_image(o, &o->processes[(uint32_t)pid % PIDS], DESCENDS, 0);
	r = open_rings(pid, &o->rings);
	if (r < 0)
		return r;
	*ret_exec_watcher = rarog_take(o);
	return 0;
}

void rarog_exec_watcher_free(struct rarog_exec_watcher *exec_watcher)
{
	if (!exec_watcher)
		return;
	rarog_event_rings_free(exec_watcher->rings);
	rarog_order_release(&exec_watcher->order);
	for (size_t i = 0; i < exec_watcher->binaries.n; i++)
		free(exec_watcher->binaries.v[i].path);
	rarog_vec_release(&exec_watcher->binaries);
	rarog_vec_release(&exec_watcher->sights);
	free(exec_watcher->processes);
	free(exec_watcher);
}

/* --- when they have ended --- */

static int by_process(const void *a, const void *b)
{
	const struct sight *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->image != y->image)
		return x->image < y->image ? -1 : 1;
	return x->binary < y->binary ? -1 : x->binary > y->binary;
}

/* What an image maps twice it has once. */
static void put_in_order(struct rarog_exec_watcher *o)
{
	size_t n = 0;

	if (o->sights.n > 0)
		qsort(o->sights.v, o->sights.n, sizeof(*o->sights.v), by_process);
	for (size_t i = 0; i < o->sights.n; i++)
		if (n == 0 || by_process(&o->sights.v[n - 1], &o->sights.v[i]) != 0)
			o->sights.v[n++] = o->sights.v[i];
	o->sights.n = n;
}

int rarog_exec_watcher_end(struct rarog_exec_watcher *exec_watcher)
{
	struct rarog_exec_watcher *o = exec_watcher;

	rarog_exec_watcher_look(o);
	if (o->failed == 0)
		o->failed = rarog_order_finish(&o->order);
	if (o->failed == 0)
		o->failed = see_all(o);
	if (o->failed < 0)
		return o->failed;
	o->n_lost += o->order.late;
	if (o->n_lost > 0)
		return rarog_fail(-ENOBUFS, "not all programs that began were seen");
	put_in_order(o);
	return 0;
}

uint64_t rarog_exec_watcher_lost(const struct rarog_exec_watcher *exec_watcher)
{
	return exec_watcher->failed < 0 && exec_watcher->n_lost == 0 ? 1 : exec_watcher->n_lost;
}

/* The first sight of @pid, or of one after it. */
static size_t first_of(const struct rarog_exec_watcher *o, uint32_t pid)
{
	size_t from = 0, to = o->sights.n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (o->sights.v[middle].pid < pid)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static void find_left(struct rarog_exec_watcher *o, uint32_t pid, size_t binary)
{
	for (size_t i = first_of(o, pid); i < o->sights.n && o->sights.v[i].pid == pid; i++)
		if (o->sights.v[i].binary == binary && !o->sights.v[i].has_left) {
			o->sights.v[i].has_left = true;
			return;
		}
}

/* Where threads are said to share counters, or the runtime does not see them begin, no more is
 * asked. */
static void add_told(struct binary *binary, const struct rarog_counters *counters)
{
	binary->has_left = true;
	binary->n_told +=
		counters->is_shared || !counters->tells_threads ? UINT32_MAX : counters->n_begun;
}

void rarog_exec_watcher_left(struct rarog_exec_watcher *exec_watcher,
			     const struct rarog_counters *counters)
{
	size_t number = find(exec_watcher, counters->build_id);
	struct binary *binary = &exec_watcher->binaries.v[number];

	if (number == exec_watcher->binaries.n)
		return;
	binary->knowledge = COUNTS;
	if (strcmp(counters->binary, counters->program) == 0)
		add_told(binary, counters);
	if (counters->is_forked)
		return;
	if (counters->pid_space != 0 && counters->pid_space == exec_watcher->pid_space)
		find_left(exec_watcher, counters->pid, number);
	else
		binary->n_elsewhere++;
}

static uint64_t missed_of(const struct rarog_exec_watcher *o, size_t i)
{
	const struct binary *binary = &o->binaries.v[i];
	uint64_t n = 0;

	for (size_t k = 0; binary->knowledge == COUNTS && k < o->sights.n; k++)
		n += o->sights.v[k].binary == i && !o->sights.v[k].has_left;
	return n > binary->n_elsewhere ? n - binary->n_elsewhere : 0;
}

/* Not of programs whose files are not all there: what these lack is more. */
uint64_t rarog_exec_watcher_unseen(const struct rarog_exec_watcher *exec_watcher)
{
	uint64_t n = 0;

	for (size_t i = 0; i < exec_watcher->binaries.n; i++)
		n += exec_watcher->binaries.v[i].n_threads > exec_watcher->binaries.v[i].n_told &&
		     exec_watcher->binaries.v[i].has_left && missed_of(exec_watcher, i) == 0;
	return n;
}

uint64_t rarog_exec_watcher_missed(const struct rarog_exec_watcher *exec_watcher,
				   const char **ret_path)
{
	uint64_t n = 0;

	for (size_t i = 0; i < exec_watcher->binaries.n; i++) {
		uint64_t more = missed_of(exec_watcher, i);

		if (more > 0)
			*ret_path = exec_watcher->binaries.v[i].path;
		n += more;
	}
	return n;
}
