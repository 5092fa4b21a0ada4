/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/outside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "binary/elf-file.h"

#define NAMES_MOST  4096
#define SCRIPT_MOST ((size_t)1 << 20)
#define PATH_LEAST  2
#define PATH_MOST   1024

struct search {
	const char *root; /* real path of the directory */
	struct rarog_words *names;
};

static bool is_below(const char *path, const char *root)
{
	size_t n = strlen(root);

	return strncmp(path, root, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

static bool is_of_kernel(const char *path)
{
	return is_below(path, "/proc") || is_below(path, "/sys") || is_below(path, "/dev");
}

bool rarog_outside_is_input(const char *real)
{
	return !is_of_kernel(real) && strcmp(real, "/") != 0;
}

/* 0; -ENOMEM. What is not there is no input. */
static int add(const struct search *s, const char *path, bool with_folders)
{
	rarog_cleanup(rarog_freep) char *real = realpath(path, NULL);
	struct stat status;

	if (!real || is_below(real, s->root) || !rarog_outside_is_input(real) ||
	    s->names->list.n >= NAMES_MOST || stat(real, &status) < 0)
		return 0;
	if (!S_ISREG(status.st_mode) && !(with_folders && S_ISDIR(status.st_mode)))
		return 0;
	return rarog_words_add(s->names, real);
}

/* --- words --- */

/* "--file=/data/x" and "FILE=/data/x" name one as well. */
static int add_word(const struct search *s, const char *word)
{
	const char *equals = strchr(word, '=');
	rarog_cleanup(rarog_freep) char *relative =
		*word == '/' ? NULL : rarog_asprintf("%s/%s", s->root, word);
	int r = add(s, relative ? relative : word, true);

	return r == 0 && equals && equals[1] == '/' ? add(s, equals + 1, true) : r;
}

static int add_words(const struct search *s, const struct rarog_words *words, size_t first)
{
	int r = 0;

	for (size_t i = first; r == 0 && i < words->list.n; i++)
		r = add_word(s, words->list.v[i]);
	return r;
}

/* --- the program --- */

static bool is_of_path(unsigned char c)
{
	return c > ' ' && c < 0x7f && !strchr("\"'`:;,|&<>()*?$", c);
}

/* A path begins where nothing of a path stands before it. */
static int add_paths(const struct search *s, size_t n, const uint8_t bytes[n])
{
	char path[PATH_MOST];
	int r = 0;

	for (size_t i = 0, length; r == 0 && i < n; i += length + 1) {
		for (length = 0; i + length < n && is_of_path(bytes[i + length]);)
			length++;
		if (length < PATH_LEAST || length >= sizeof(path) || bytes[i] != '/')
			continue;
		memcpy(path, bytes + i, length);
		path[length] = '\0';
		r = add(s, path, false);
	}
	return r;
}

static bool is_data(const struct rarog_elf_section *section)
{
	return section->header->sh_type == SHT_PROGBITS &&
	       (section->header->sh_flags & (SHF_ALLOC | SHF_EXECINSTR)) == SHF_ALLOC;
}

static int add_data(const struct search *s, const struct rarog_elf *elf)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < elf->n_sections; i++)
		if (is_data(&elf->sections[i]))
			r = add_paths(s, elf->sections[i].header->sh_size,
				      elf->bytes + elf->sections[i].header->sh_offset);
	return r;
}

static int add_script(const struct search *s, const char *path)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	size_t n;
	int r = rarog_file_read(path, SCRIPT_MOST, &text, &n);

	if (r < 0) {
		rarog_error_clear();
		return r == -ENOMEM ? r : 0;
	}
	return add_paths(s, n, (const uint8_t *)text);
}

static int add_program(const struct search *s, const char *word)
{
	rarog_cleanup(rarog_freep) char *path =
		*word == '/' ? strdup(word) : rarog_asprintf("%s/%s", s->root, word);
	rarog_cleanup(rarog_elf_freep) struct rarog_elf *elf = NULL;
	int r = path ? rarog_elf_open(path, RAROG_ELF_PROGRAM, &elf) : -ENOMEM;

	if (r == 0)
		return add_data(s, elf);
	rarog_error_clear();
	return r == -ENOMEM ? r : r == -ENOEXEC ? add_script(s, path) : 0;
}

int rarog_outside_names(const struct rarog_run_task *task, const char *directory,
			struct rarog_words *names)
{
	rarog_cleanup(rarog_freep) char *root = realpath(directory, NULL);
	const struct search s = { .root = root, .names = names };
	int r = 0;

	if (!root)
		return 0;
	if (task->words.list.n > 0)
		r = add_program(&s, task->words.list.v[0]);
	if (r == 0)
		r = add_words(&s, &task->words, 1);
	return r < 0 ? r : add_words(&s, &task->environment, 0);
}
