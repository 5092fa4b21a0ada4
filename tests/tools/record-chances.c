/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: record-chances PROGRAM... > src/blocks/record-chances.h
 *
 * What the odds of records begin with: how often each bit is 1 in the records of programs that were
 * compiled by rarog cc. To be made anew when what records say changes, with bzip2, lua, sqlite3 and
 * zstd at -O2 -g.
 */
#include <stdbool.h>
#include <stdio.h>

struct rarog_odds;
static void see(const struct rarog_odds *odds, bool bit);
#define RAROG_CODER_SEES see
#define RAROG_RECORD_CHANCES_ANEW

/* what is in the library would not count */
#define rarog_coder_write      own_coder_write
#define rarog_coder_read       own_coder_read
#define rarog_coder_expect     own_coder_expect
#define rarog_coder_bit        own_coder_bit
#define rarog_coder_even       own_coder_even
#define rarog_coder_number     own_coder_number
#define rarog_coder_near       own_coder_near
#define rarog_coder_finish     own_coder_finish
#define rarog_record_code      own_record_code
#define rarog_place_code_frame own_place_code_frame
#define rarog_place_code_new   own_place_code_new
#define rarog_place_code       own_place_code
/* clang-format off */
/* NOLINTBEGIN(bugprone-suspicious-include) */
#include "blocks/arithmetic-coder.c"
#include "blocks/record-place.c"
#include "blocks/record-code.c"
/* NOLINTEND(bugprone-suspicious-include) */
/* clang-format on */

#include "binary/elf-file.h"
#include "blocks/map.h"

#define N_ODDS     (sizeof(struct models) / sizeof(struct rarog_odds))
#define LEAST_SEEN 40 /* fewer say too little */

static const struct rarog_odds *first;
static unsigned long seen[N_ODDS][2];

static void see(const struct rarog_odds *odds, bool bit)
{
	if (odds >= first && odds < first + N_ODDS)
		seen[odds - first][bit]++;
}

/* As rarog_record_code(), with odds whose place is known. */
static int count(struct rarog_record *record)
{
	struct rarog_coder s;
	struct coder c = { .s = &s, .record = record, .m = calloc(1, sizeof(*c.m)) };
	int r;

	first = (const struct rarog_odds *)c.m;
	own_coder_write(&s);
	if (c.m && begin(&c, (uint32_t)record->flow.n_blocks))
		code_blocks(&c);
	r = own_coder_finish(&s);
	free(s.bytes);
	free(c.n_before);
	free(c.m);
	return r;
}

static int count_all(const char *path)
{
	rarog_cleanup(rarog_elf_freep) struct rarog_elf *elf = NULL;
	rarog_cleanup(rarog_map_freep) struct rarog_map *map = NULL;
	int r = rarog_elf_open(path, RAROG_ELF_PROGRAM, &elf);

	if (r == 0)
		r = rarog_map_read(elf, &map);
	for (size_t i = 0; r == 0 && i < map->n_functions; i++)
		r = count(&map->functions[i]);
	return r;
}

static void print(void)
{
	printf("/* SPDX-License-Identifier: GPL-3.0-or-later */\n"
	       "/* Written by tests/tools/record-chances.c: of 256, how many bits are 1. */\n"
	       "#include <stdint.h>\n\n#define CHANCES_OF %zu\n\n"
	       "/* clang-format off */\n"
	       "static const struct {\n\tuint16_t odds;\n\tuint8_t of_one;\n} chances[] = {",
	       N_ODDS);
	for (size_t i = 0, n = 0; i < N_ODDS; i++) {
		unsigned long all = seen[i][0] + seen[i][1];
		unsigned long of_one = all ? (256 * seen[i][1] + all / 2) / all : 128;

		if (all < LEAST_SEEN || (of_one > 120 && of_one < 136))
			continue;
		of_one = of_one < 4 ? 4 : of_one > 252 ? 252 : of_one;
		printf("%s{ %zu, %lu },", n++ % 8 ? " " : "\n\t", i, of_one);
	}
	puts("\n};\n/* clang-format on */");
}

int main(int n, char **paths)
{
	for (int i = 1; i < n; i++)
		if (count_all(paths[i]) < 0)
			return 1;
	print();
	return 0;
}
