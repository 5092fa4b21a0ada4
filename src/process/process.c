/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process/process.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"

#define COMMAND_MOST 4096 /* bytes that are kept of a command line */

int rarog_process_path(pid_t pid, char path[PATH_MAX])
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	n = readlink(link, path, PATH_MAX - 1);
	if (n < 0)
		return rarog_fail_errno("%s", link);
	path[n] = '\0';
	return 0;
}

const char *rarog_process_file(pid_t pid, const char *path, char link[64])
{
	struct stat named, run;

	snprintf(link, 64, "/proc/%d/exe", (int)pid);
	if (stat(link, &run) < 0 ||
	    (stat(path, &named) == 0 && named.st_dev == run.st_dev && named.st_ino == run.st_ino))
		return path;
	return link;
}

static size_t read_command(pid_t pid, char text[COMMAND_MOST])
{
	char path[64];
	rarog_cleanup(rarog_closep) int fd = -1;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, text, COMMAND_MOST - 1);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	return (size_t)n;
}

char *rarog_process_command(pid_t pid)
{
	char text[COMMAND_MOST];
	size_t n = read_command(pid, text);

	for (size_t i = 0; i + 1 < n; i++)
		if (text[i] == '\0')
			text[i] = ' ';
	return n ? strdup(text) : NULL;
}

static size_t count_words(size_t n, const char text[])
{
	size_t words = 0;

	for (size_t at = 0; at < n; at += strlen(text + at) + 1)
		words++;
	return words;
}

char **rarog_process_arguments(pid_t pid)
{
	char text[COMMAND_MOST], *copy;
	size_t n = read_command(pid, text), words = count_words(n, text);
	char **arguments = words ? malloc((words + 1) * sizeof(*arguments) + n + 1) : NULL;

	if (!arguments)
		return NULL;
	copy = (char *)(arguments + words + 1);
	memcpy(copy, text, n + 1);
	for (size_t i = 0; i < words; i++, copy += strlen(copy) + 1)
		arguments[i] = copy;
	arguments[words] = NULL;
	return arguments;
}

bool rarog_process_has_symbols(const char *path)
{
	rarog_cleanup(rarog_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr header;
	Elf64_Shdr section;

	if (fd < 0 || pread(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return false;
	for (unsigned i = 0; i < header.e_shnum; i++) {
		off_t at = (off_t)(header.e_shoff + (uint64_t)i * sizeof(section));

		if (pread(fd, &section, sizeof(section), at) == (ssize_t)sizeof(section) &&
		    section.sh_type == SHT_SYMTAB)
			return true;
	}
	return false;
}
