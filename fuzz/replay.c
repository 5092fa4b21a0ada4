/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Feeds every file of a corpus to a fuzz target: what a fuzzer once found stays found, with any
 * compiler. Prints TAP; a crash ends the program and so fails the test.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "base/str.h"

#define INPUT_MAX (64u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static int replay(const char *directory, const char *name)
{
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/%s", directory, name);
	rarog_cleanup(rarog_freep) char *text = NULL;
	size_t n = 0;
	int r = path ? rarog_file_read(path, INPUT_MAX, &text, &n) : rarog_oom();

	if (r < 0)
		return r;
	/* exactly n bytes, so that a sanitizer sees one too many */
	rarog_cleanup(rarog_freep) uint8_t *exact = malloc(n ? n : 1);

	if (!exact)
		return rarog_oom();
	for (size_t i = 0; i < n; i++)
		exact[i] = (uint8_t)text[i];
	LLVMFuzzerTestOneInput(exact, n);
	return 0;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
	struct dirent **entries;
	int n, failed = 0;

	if (argc != 2)
		return 2;
	n = scandir(argv[1], &entries, is_visible, alphasort);
	if (n <= 0) {
		fprintf(stderr, "%s: no corpus; add the files that the fuzzer found\n", argv[1]);
		return 1;
	}
	printf("1..%d\n", n);
	for (int i = 0; i < n; i++) {
		int r = replay(argv[1], entries[i]->d_name);

		printf("%s %d - %s\n", r < 0 ? "not ok" : "ok", i + 1, entries[i]->d_name);
		fflush(stdout);
		failed += r < 0;
		free(entries[i]);
	}
	free(entries);
	return failed > 0;
}
