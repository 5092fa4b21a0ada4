/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process/maps.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/vec.h"
#include "process/task.h"
#include "process/thread.h"

struct line {
	uint64_t start, end, offset;
	char permissions[5];
	const char *path; /* into the text, "" if none */
};

static FILE *open_maps(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	return fopen(path, "re");
}

static bool next_line(FILE *f, char **text, size_t *capacity, struct line *ret)
{
	unsigned long long start, end, offset;
	int at = 0;

	if (!f || getline(text, capacity, f) <= 0)
		return false;
	(*text)[strcspn(*text, "\n")] = '\0';
	/* NOLINTNEXTLINE(cert-err34-c): the kernel writes these lines */
	if (sscanf(*text, "%llx-%llx %4s %llx %*s %*s %n", &start, &end, ret->permissions, &offset,
		   &at) < 4)
		return false;
	ret->start = start;
	ret->end = end;
	ret->offset = offset;
	ret->path = at > 0 ? *text + at : "";
	return true;
}

/* Link-time address of the byte at @offset of the file. */
static bool vaddr_of(const char *path, uint64_t offset, uint64_t *ret_vaddr)
{
	rarog_cleanup(rarog_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	if (fd < 0 || pread(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(segment))
		return false;
	for (unsigned i = 0; i < header.e_phnum; i++) {
		uint64_t at = header.e_phoff + (uint64_t)i * sizeof(segment);

		if (pread(fd, &segment, sizeof(segment), (off_t)at) != (ssize_t)sizeof(segment))
			return false;
		if (segment.p_type == PT_LOAD && offset >= (segment.p_offset & ~4095ull) &&
		    offset < segment.p_offset + segment.p_filesz) {
			*ret_vaddr = segment.p_vaddr - segment.p_offset + offset;
			return true;
		}
	}
	return false;
}

static bool is_program(pid_t pid, const char *path)
{
	char link[64], target[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	n = readlink(link, target, sizeof(target) - 1);
	if (n < 0)
		return false;
	target[n] = '\0';
	return strcmp(target, path) == 0;
}

static bool is_linker(const char *path)
{
	const char *name = strrchr(path, '/');

	return name && (strncmp(name, "/ld-linux", 9) == 0 || strncmp(name, "/ld-musl", 8) == 0 ||
			strncmp(name, "/ld-2", 5) == 0 || strncmp(name, "/ld.so", 6) == 0);
}

long rarog_maps_objects(pid_t pid, struct rarog_mapped **ret_objects)
{
	rarog_cleanup(rarog_fclosep) FILE *f = open_maps(pid);
	rarog_cleanup(rarog_freep) char *text = NULL;
	RAROG_VEC(struct rarog_mapped) objects = { 0 };
	struct line line;
	size_t capacity = 0;
	uint64_t vaddr;

	if (!f)
		return rarog_fail_errno("cannot read the memory map of process %d", (int)pid);
	while (next_line(f, &text, &capacity, &line)) {
		if (line.path[0] != '/' || line.permissions[2] != 'x' ||
		    strncmp(line.path, "/memfd:", 7) == 0 ||
		    !vaddr_of(line.path, line.offset, &vaddr))
			continue;
		struct rarog_mapped object = {
			.path = strdup(line.path),
			.bias = line.start - vaddr,
			.is_library = !is_program(pid, line.path) && !is_linker(line.path),
		};
		if (!object.path || rarog_vec_push(&objects, object) < 0) {
			free(object.path);
			rarog_maps_free((long)objects.n, objects.v);
			return rarog_oom();
		}
	}
	*ret_objects = objects.v;
	return (long)objects.n;
}

void rarog_maps_free(long n, struct rarog_mapped *objects)
{
	if (n < 0)
		return;
	for (long i = 0; i < n; i++)
		free(objects[i].path);
	free(objects);
}

/* --- files that are not what they were --- */

static bool is_elf_at(pid_t pid, uint64_t address)
{
	char path[64], magic[SELFMAG] = "";
	rarog_cleanup(rarog_closep) int fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 && pread(fd, magic, SELFMAG, (off_t)address) == SELFMAG &&
	       memcmp(magic, ELFMAG, SELFMAG) == 0;
}

static bool is_same_file(const char *one, const char *other)
{
	struct stat a, b;

	return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* Does @path name the same file for us as for the process? A deleted one has a name that is none.
 * The kernel tells names as we see them (of a process in a chroot, too), but of other name spaces
 * as they are there. */
static bool is_same_here(pid_t pid, const char *path)
{
	rarog_cleanup(rarog_freep) char *theirs = NULL;
	char space[64];

	snprintf(space, sizeof(space), "/proc/%d/ns/mnt", (int)pid);
	if (is_same_file(space, "/proc/self/ns/mnt"))
		return access(path, F_OK) == 0;
	if (asprintf(&theirs, "/proc/%d/root%s", (int)pid, path) < 0) {
		theirs = NULL;
		return false;
	}
	return is_same_file(path, theirs);
}

char *rarog_maps_lost(pid_t pid)
{
	rarog_cleanup(rarog_fclosep) FILE *f = open_maps(pid);
	rarog_cleanup(rarog_freep) char *text = NULL, *object = NULL;
	struct line line;
	size_t capacity = 0;

	while (next_line(f, &text, &capacity, &line)) {
		if (line.path[0] != '/' || strncmp(line.path, "/memfd:", 7) == 0)
			continue;
		if (line.offset == 0 && (!object || strcmp(object, line.path) != 0)) {
			free(object);
			object = is_elf_at(pid, line.start) ? strdup(line.path) : NULL;
		}
		if (line.permissions[2] == 'x' && object && strcmp(object, line.path) == 0 &&
		    !is_program(pid, line.path) && !is_same_here(pid, line.path))
			return rarog_take(object);
	}
	return NULL;
}

long rarog_maps_read(pid_t pid, struct rarog_mapping **ret_mappings)
{
	rarog_cleanup(rarog_fclosep) FILE *f = open_maps(pid);
	rarog_cleanup(rarog_freep) char *text = NULL;
	RAROG_VEC(struct rarog_mapping) mappings = { 0 };
	struct line line;
	size_t capacity = 0;

	if (!f)
		return rarog_fail_errno("cannot read the memory map of process %d", (int)pid);
	while (next_line(f, &text, &capacity, &line)) {
		struct rarog_mapping mapping = {
			.start = line.start,
			.end = line.end,
			.is_file = line.path[0] == '/' && strncmp(line.path, "/memfd:", 7) != 0,
			.is_stack = strcmp(line.path, "[stack]") == 0,
		};

		memcpy(mapping.permissions, line.permissions, sizeof(mapping.permissions));
		if (rarog_vec_push(&mappings, mapping) < 0) {
			rarog_vec_release(&mappings);
			return rarog_oom();
		}
	}
	*ret_mappings = mappings.v;
	return (long)mappings.n;
}

/* One of this user's that is not dumpable: its files are not the user's. Others that may not be
 * read are none of ours: they are met where programs have process numbers of their own. */
static bool is_undumpable(pid_t pid)
{
	struct stat map;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	return !rarog_thread_is_dead(pid) && stat(path, &map) == 0 && map.st_uid != geteuid() &&
	       rarog_process_status(pid, "Uid:") == (long)geteuid();
}

bool rarog_maps_has(pid_t pid, const char *path)
{
	rarog_cleanup(rarog_fclosep) FILE *f = open_maps(pid);
	bool is_kept_from_us = !f && (errno == EACCES || errno == EPERM);
	rarog_cleanup(rarog_freep) char *text = NULL, *real = realpath(path, NULL);
	struct line line;
	size_t capacity = 0;

	if (is_kept_from_us)
		return is_undumpable(pid);
	while (real && next_line(f, &text, &capacity, &line))
		if (strcmp(line.path, real) == 0)
			return true;
	return false;
}

char *rarog_maps_path_at(pid_t pid, uint64_t address)
{
	rarog_cleanup(rarog_fclosep) FILE *f = open_maps(pid);
	rarog_cleanup(rarog_freep) char *text = NULL;
	struct line line;
	size_t capacity = 0;

	while (next_line(f, &text, &capacity, &line))
		if (address >= line.start && address < line.end)
			return line.path[0] == '/' ? strdup(line.path) : NULL;
	return NULL;
}

uint64_t rarog_maps_end_of(pid_t pid, uint64_t address)
{
	rarog_cleanup(rarog_fclosep) FILE *f = open_maps(pid);
	rarog_cleanup(rarog_freep) char *text = NULL;
	struct line line;
	size_t capacity = 0;

	while (next_line(f, &text, &capacity, &line))
		if (address >= line.start && address < line.end)
			return line.end;
	return 0;
}

#define REACH  0x7f000000ull /* of a rel32 jump, with room for the area itself */
#define MARGIN 0x100000ull
#define BOTTOM 0x10000ull /* vm.mmap_min_addr */
#define TOP    0x7fffffff0000ull

struct search {
	uint64_t low, high, size;
	uint64_t best; /* 0: none yet */
};

/*
 * Below the object if possible: its heap grows above. In the middle, because the kernel maps
 * downwards from the dynamic linker, and what the program maps shall be where it always is.
 */
static void consider(struct search *s, uint64_t start, uint64_t end)
{
	uint64_t first = s->high > REACH ? s->high - REACH : BOTTOM, last = s->low + REACH;
	uint64_t from = start > first ? start : first, to = end < last ? end : last;

	if (from >= to || to - from < s->size + 2 * MARGIN) {
		/* A small hole below a program at 0x400000 is still good. */
		if (end <= s->low && from < to && to - from >= s->size + 0x2000)
			s->best = (to - s->size - 0x1000) & ~0xfffull;
		return;
	}
	if (end <= s->low || s->best == 0)
		s->best = (from + (to - from - s->size) / 2) & ~0xfffull;
}

uint64_t rarog_maps_gap_in(FILE *maps, uint64_t low, uint64_t high, size_t size)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	struct search search = { .low = low, .high = high, .size = size };
	uint64_t free_from = BOTTOM;
	struct line line;
	size_t capacity = 0;

	while (next_line(maps, &text, &capacity, &line)) {
		if (line.start > free_from)
			consider(&search, free_from, line.start);
		free_from = line.end;
	}
	if (free_from < TOP)
		consider(&search, free_from, TOP);
	return search.best;
}

uint64_t rarog_maps_gap_near(pid_t pid, uint64_t low, uint64_t high, size_t size)
{
	rarog_cleanup(rarog_fclosep) FILE *f = open_maps(pid);

	return f ? rarog_maps_gap_in(f, low, high, size) : 0;
}

bool rarog_maps_has_gap(pid_t pid, uint64_t address, size_t size, uint64_t low, uint64_t high)
{
	rarog_cleanup(rarog_fclosep) FILE *f = open_maps(pid);
	rarog_cleanup(rarog_freep) char *text = NULL;
	uint64_t start = address - MARGIN, end = address + size + MARGIN;
	struct line line;
	size_t capacity = 0;

	if (!f || start < BOTTOM || start > address || end > TOP || end < address ||
	    (high > address && high - address > REACH) ||
	    (address + size > low && address + size - low > REACH))
		return false;
	while (next_line(f, &text, &capacity, &line))
		if (line.start < end && line.end > start)
			return false;
	return true;
}

void rarog_maps_log(pid_t pid)
{
	char path[64], line[PATH_MAX + 128];
	FILE *f;

	if (!(rarog_log_mask_ & 1u << RAROG_LOG_INSTALL))
		return;
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		rarog_debug(RAROG_LOG_INSTALL, "process %d: %.*s", (int)pid,
			    (int)strcspn(line, "\n"), line);
	if (f)
		fclose(f);
}
