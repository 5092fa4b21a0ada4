/* SPDX-License-Identifier: MIT */
/* Which binary this is, from its own program headers, which the linker gives a name to. */
#include "runtime.h"

#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "by-number.h"

extern const Elf64_Ehdr __ehdr_start RAROG_HIDDEN;

static const Elf64_Phdr *headers(void)
{
	return (const Elf64_Phdr *)((const char *)&__ehdr_start + __ehdr_start.e_phoff);
}

/* The build-id among the notes of a segment. */
static void read_notes(const char *at, size_t n, struct rarog_counter_file *head)
{
	while (n >= sizeof(Elf64_Nhdr)) {
		const Elf64_Nhdr *note = (const Elf64_Nhdr *)at;
		size_t name = (note->n_namesz + 3u) & ~3u, body = (note->n_descsz + 3u) & ~3u;
		const char *text = at + sizeof(*note);

		if (name + body + sizeof(*note) > n)
			return;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    memcmp(text, "GNU", 4) == 0 && note->n_descsz <= sizeof(head->build_id)) {
			head->id_size = note->n_descsz;
			memcpy(head->build_id, text + name, note->n_descsz);
			return;
		}
		at += sizeof(*note) + name + body;
		n -= sizeof(*note) + name + body;
	}
}

/* --- the file --- */

static char binary[RAROG_COUNTER_BINARY];

/* "start-end rwxp offset device inode   /path" */
static bool is_ours(const char *line)
{
	uint64_t here = (uint64_t)(uintptr_t)&__ehdr_start;
	char *end;
	uint64_t from = strtoull(line, &end, 16);

	return from <= here && *end == '-' && here < strtoull(end + 1, NULL, 16);
}

/* Looks through the whole lines; returns where the last one, that is not whole, begins. */
static char *search(char *text)
{
	char *end, *path;

	for (; (end = strchr(text, '\n')); text = end + 1) {
		*end = '\0';
		path = is_ours(text) ? strchr(text, '/') : NULL;
		if (path && strlen(path) < sizeof(binary))
			strcpy(binary, path);
	}
	return text;
}

static void find_binary(void)
{
	static char text[RAROG_COUNTER_PATH + 4096];
	int fd = rarog_runtime_open("/proc/self/maps");
	size_t n = 0;
	ssize_t got;

	if (fd < 0)
		return;
	while (!*binary && n < sizeof(text) - 1 &&
	       (got = rarog_runtime_read(fd, text + n, sizeof(text) - 1 - n)) > 0) {
		char *rest;

		text[n + (size_t)got] = '\0';
		rest = search(text);
		n = strlen(rest);
		memmove(text, rest, n);
	}
	rarog_runtime_close(fd);
}

/* "pid:[NUMBER]" */
static uint32_t pid_space(void)
{
	char text[32] = "";
	ssize_t n = readlink("/proc/self/ns/pid", text, sizeof(text) - 1);

	return n > 5 ? (uint32_t)strtoul(text + 5, NULL, 10) : 0;
}

void rarog_runtime_identify(struct rarog_counter_file *head)
{
	const Elf64_Phdr *header = headers();
	uint64_t base = (uint64_t)(uintptr_t)&__ehdr_start;
	ssize_t n = readlink("/proc/self/exe", head->path, sizeof(head->path) - 1);

	head->path[n > 0 ? n : 0] = '\0';
	if (!*binary)
		find_binary(); /* a child's is its parent's */
	strcpy(head->binary, binary);
	head->pid_space = pid_space();
	for (int i = 0; i < __ehdr_start.e_phnum; i++)
		if (header[i].p_type == PT_LOAD && header[i].p_offset == 0)
			head->bias = base - header[i].p_vaddr;
	for (int i = 0; i < __ehdr_start.e_phnum; i++)
		if (header[i].p_type == PT_NOTE && head->id_size == 0)
			read_notes((const char *)(uintptr_t)(head->bias + header[i].p_vaddr),
				   header[i].p_memsz, head);
}
