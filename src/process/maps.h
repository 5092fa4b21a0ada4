/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is mapped where in a process: /proc/PID/maps. */
#ifndef RAROG_PROCESS_MAPS_H
#define RAROG_PROCESS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* An ELF object with executable code. */
struct rarog_mapped {
	char *path;
	uint64_t bias;   /* run-time address minus link-time address */
	bool is_library; /* not the program and not the dynamic linker */
};

/** rarog_maps_objects() - all objects; free with rarog_maps_free(). Return: number or -errno. */
long rarog_maps_objects(pid_t pid, struct rarog_mapped **ret_objects);
void rarog_maps_free(long n, struct rarog_mapped *objects);

/**
 * rarog_maps_lost() - a library whose file cannot be read by its name any more: it was deleted or
 * replaced since it was loaded, or the name means another file where the process runs (a container)
 *
 * Return: its name as the kernel has it, malloc'd; NULL: none.
 */
char *rarog_maps_lost(pid_t pid);

/** rarog_maps_has() - is the file @path mapped, and has its name? Of a process of this user that
 * keeps its map from us (PR_SET_DUMPABLE): does it live? */
bool rarog_maps_has(pid_t pid, const char *path);

/** rarog_maps_path_at() - the file mapped at @address, malloc'd; NULL: none. */
char *rarog_maps_path_at(pid_t pid, uint64_t address);

struct rarog_mapping {
	uint64_t start, end;
	char permissions[5]; /* "rwxp" */
	bool is_file;        /* that has a name; our own memory has none */
	bool is_stack;       /* of the first thread: it grows downwards when it is touched */
};

/** rarog_maps_read() - everything that is mapped, in order of address; the caller frees
 * *@ret_mappings. Return: number or -errno with message. */
long rarog_maps_read(pid_t pid, struct rarog_mapping **ret_mappings);

/** rarog_maps_log() - the whole map as debug lines of the install domain. */
void rarog_maps_log(pid_t pid);

/** rarog_maps_end_of() - the end of the mapping that holds @address, 0: none. */
uint64_t rarog_maps_end_of(pid_t pid, uint64_t address);

/**
 * rarog_maps_gap_near() - unused address space within reach of a rel32 jump from all of low … high
 * @size: bytes wanted
 *
 * Not right after @high: the program's heap grows there. Return: address, 0 if there is none.
 */
uint64_t rarog_maps_gap_near(pid_t pid, uint64_t low, uint64_t high, size_t size);

/** rarog_maps_has_gap() - are @size bytes at @address unused, and some around, and within reach of
 * all of low … high? */
bool rarog_maps_has_gap(pid_t pid, uint64_t address, size_t size, uint64_t low, uint64_t high);

/** rarog_maps_gap_in() - rarog_maps_gap_near() in the text of a map. */
uint64_t rarog_maps_gap_in(FILE *maps, uint64_t low, uint64_t high, size_t size);

#endif
