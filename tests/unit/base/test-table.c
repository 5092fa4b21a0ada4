/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/table.h"
#include "base/utf8.h"

static const struct rarog_column columns[] = {
	{ .title = "function", .key = "function", .is_elastic = true },
	{ .title = "calls", .key = "count", .is_right = true },
	{ .title = "", .key = "file", .is_for_csv = true },
	{ .title = "note", .key = NULL },
};

static struct rarog_table *make(void)
{
	struct rarog_table *table = rarog_table_new(RAROG_COUNT(columns), columns);

	assert_non_null(table);
	rarog_table_add(table, (struct rarog_cell[]){ { "main" },
						      { "1,000", "1000" },
						      { NULL, "a,\"b\".c" },
						      { "hot", NULL, RAROG_STYLE_RED } });
	rarog_table_add(table,
			(struct rarog_cell[]){
				{ "ns::very_long_\xc3\xa9\xe4\xb8\xad_template<int>::method" },
				{ "7" },
				{ "x.c" },
				{ "" } });
	return table;
}

/* What @table prints; mode: width of the terminal, -1 CSV. The caller frees. */
static char *printed(const struct rarog_table *table, int width, bool colour)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	if (width < 0)
		rarog_table_csv(table, out);
	else
		rarog_table_print(table, out, width, colour);
	fclose(out);
	return text;
}

static void is_printed(int width, bool colour, const char *expected)
{
	rarog_cleanup(rarog_table_freep) struct rarog_table *table = make();
	rarog_cleanup(rarog_freep) char *text = printed(table, width, colour);

	assert_string_equal(text, expected);
}

static void columns_align(void **state)
{
	(void)state;
	is_printed(0, false,
		   "function                                 calls  note\n"
		   "main                                     1,000  hot\n"
		   "ns::very_long_\xc3\xa9\xe4\xb8\xad_template<int>::method      7\n");
}

static void the_elastic_column_gives_way(void **state)
{
	(void)state;
	is_printed(37, false,
		   "function                  calls  note\n"
		   "main                      1,000  hot\n"
		   "ns::very_lon\xe2\x80\xa6nt>::method      7\n");
	/* never below what still tells something */
	is_printed(5, false,
		   "function              calls  note\n"
		   "main                  1,000  hot\n"
		   "ns::very_l\xe2\x80\xa6>::method      7\n");
}

static void colour_does_not_count_as_width(void **state)
{
	(void)state;
	is_printed(
		37, true,
		"\033[1mfunction\033[0m                  \033[1mcalls\033[0m  \033[1mnote\033[0m\n"
		"main                      1,000  \033[31mhot\033[0m\n"
		"ns::very_lon\xe2\x80\xa6nt>::method      7\n");
}

static void csv_has_raw_values_and_quotes(void **state)
{
	(void)state;
	is_printed(-1, false,
		   "function,count,file\n"
		   "main,1000,\"a,\"\"b\"\".c\"\n"
		   "ns::very_long_\xc3\xa9\xe4\xb8\xad_template<int>::method,7,x.c\n");
}

static char *cut(const char *text, int width)
{
	char *shown = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&shown, &n);
	int columns_written = rarog_utf8_print(out, text, width);

	fclose(out);
	assert_int_equal(columns_written, rarog_utf8_columns(shown));
	assert_true(columns_written <= width);
	return shown;
}

static void is_cut(const char *text, int width, const char *expected)
{
	rarog_cleanup(rarog_freep) char *shown = cut(text, width);

	assert_string_equal(shown, expected);
}

static void no_bytes_reach_the_terminal_unchecked(void **state)
{
	(void)state;
	is_cut("a\033[31mb\x9b\xff", 20, "a\xef\xbf\xbd[31mb\xef\xbf\xbd\xef\xbf\xbd");
	is_cut("abcdef", 6, "abcdef");
	is_cut("abcdef", 5,
	       "ab\xe2\x80\xa6"
	       "ef");
	is_cut("abcdef", 1, "\xe2\x80\xa6");
	is_cut("abcdef", 0, "");
	/* wide characters: half of one does not fit */
	is_cut("\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad", 4, "\xe4\xb8\xad\xe2\x80\xa6");
}

static void utf8_is_recognised(void **state)
{
	(void)state;
	assert_int_equal(rarog_utf8_length(1, "a"), 1);
	assert_int_equal(rarog_utf8_length(2, "\xc3\xa9"), 2);
	assert_int_equal(rarog_utf8_length(1, "\xc3\xa9"), 0);            /* cut off */
	assert_int_equal(rarog_utf8_length(2, "\xc0\x80"), 0);            /* overlong */
	assert_int_equal(rarog_utf8_length(3, "\xed\xa0\x80"), 0);        /* surrogate */
	assert_int_equal(rarog_utf8_length(4, "\xf4\x8f\xbf\xbf"), 4);    /* the last one */
	assert_int_equal(rarog_utf8_length(4, "\xf4\x90\x80\x80"), 0);    /* after it */
	assert_int_equal(rarog_utf8_columns("\xe4\xb8\xad\xc3\xa9x"), 4); /* 2 + 1 + 1 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_align),
		cmocka_unit_test(the_elastic_column_gives_way),
		cmocka_unit_test(colour_does_not_count_as_width),
		cmocka_unit_test(csv_has_raw_values_and_quotes),
		cmocka_unit_test(no_bytes_reach_the_terminal_unchecked),
		cmocka_unit_test(utf8_is_recognised),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
