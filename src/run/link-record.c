/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/link-record.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "base/str.h"

#define RECORDS_MOST (1 << 20) /* bytes of one process's */

void rarog_link_release(struct rarog_link *link)
{
	rarog_vec_release(&link->argv);
	free(link->text);
	*link = (struct rarog_link){ 0 };
}

/* --- one record: number of arguments, directory, compiler, arguments, a NUL after each --- */

static const char *next(const char **at, const char *end)
{
	const char *text = *at, *nul = text < end ? memchr(text, '\0', (size_t)(end - text)) : NULL;

	if (nul)
		*at = nul + 1;
	return nul ? text : NULL;
}

/* 1, 0 at the end or where it is damaged, -ENOMEM. */
static int read_record(const char **at, const char *end, struct rarog_link *link)
{
	const char *count = next(at, end);
	long n = count ? strtol(count, NULL, 10) : -1;

	link->argv.n = 0;
	link->output = 0;
	link->directory = n >= 0 ? next(at, end) : NULL;
	for (long i = 0; link->directory && i <= n; i++) {
		const char *word = next(at, end);

		if (!word)
			return 0;
		if (rarog_vec_push(&link->argv, word) < 0)
			return rarog_oom();
		if (i > 1 && strcmp(link->argv.v[i - 1], "-o") == 0)
			link->output = (size_t)i;
	}
	return link->directory != NULL;
}

static bool makes(const struct rarog_link *link, const char *program)
{
	const char *output = link->output ? link->argv.v[link->output] : "a.out";
	rarog_cleanup(rarog_freep) char *path =
		*output == '/' ? strdup(output) : rarog_asprintf("%s/%s", link->directory, output);
	char real[PATH_MAX], wanted[PATH_MAX];

	return path && realpath(path, real) && realpath(program, wanted) &&
	       strcmp(real, wanted) == 0;
}

/* --- a file of them --- */

/* The last that makes @program. */
static int search_file(const char *file, const char *program, struct rarog_link *link)
{
	struct rarog_link found = { 0 };
	const char *at, *end, *best = NULL;
	size_t n = 0;
	int r = rarog_file_read(file, RECORDS_MOST, &found.text, &n);

	if (r < 0)
		return 0; /* too long, or gone */
	at = found.text;
	end = at + n;
	for (const char *start = at; r >= 0 && (r = read_record(&at, end, &found)) > 0; start = at)
		if (makes(&found, program))
			best = start;
	if (r == 0 && best && (r = read_record(&best, end, &found)) > 0) {
		rarog_link_release(link);
		*link = found;
		return 1;
	}
	rarog_link_release(&found);
	return r;
}

int rarog_link_find(const char *directory, const char *program, struct rarog_link *ret_link)
{
	rarog_cleanup(rarog_freep) char *folder =
		rarog_asprintf("%s/%s", directory, RAROG_LINK_RECORDS);
	DIR *dir = folder ? opendir(folder) : NULL;
	struct timespec newest = { 0 };
	struct rarog_link link = { 0 };
	int r = folder ? 0 : rarog_oom();

	for (struct dirent *entry; dir && r >= 0 && (entry = readdir(dir));) {
		rarog_cleanup(rarog_freep) char *file =
			rarog_asprintf("%s/%s", folder, entry->d_name);
		struct stat status;

		if (!file || stat(file, &status) < 0 || !S_ISREG(status.st_mode))
			continue;
		if (link.text && (status.st_mtim.tv_sec < newest.tv_sec ||
				  (status.st_mtim.tv_sec == newest.tv_sec &&
				   status.st_mtim.tv_nsec < newest.tv_nsec)))
			continue;
		r = search_file(file, program, &link);
		if (r > 0)
			newest = status.st_mtim;
	}
	if (dir)
		closedir(dir);
	if (r < 0 || !link.text) {
		rarog_link_release(&link);
		return r < 0 ? r : 0;
	}
	*ret_link = link;
	return 1;
}
