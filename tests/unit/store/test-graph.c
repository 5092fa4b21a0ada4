/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The graph of log, drawn by hand beside what is drawn. */
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "view/history/graph.h"

struct line {
	const char *name, *parents; /* one letter each */
};

static void draw(size_t n, const struct line lines[], struct rarog_str *text)
{
	struct rarog_graph graph = { 0 };

	for (size_t i = 0; i < n; i++) {
		rarog_cleanup(rarog_str_release) struct rarog_str line = { 0 }, below = { 0 };
		char names[8][2] = { "" }, *parents[8], *name = strdup(lines[i].name);
		struct rarog_commit commit = { .name = name,
					       .parents = parents,
					       .n_parents = strlen(lines[i].parents) };

		for (size_t p = 0; p < commit.n_parents; p++) {
			names[p][0] = lines[i].parents[p];
			parents[p] = names[p];
		}
		assert_int_equal(rarog_graph_commit(&graph, &commit, text, &line), 0);
		rarog_str_addf(text, "%s%s\n", rarog_str_text(&line), name);
		assert_int_equal(rarog_graph_next(&graph, &commit, &below), 0);
		rarog_str_add(text, rarog_str_text(&below));
		free(name);
	}
	assert_int_equal(graph.lanes.n, 0);
	rarog_graph_release(&graph);
}

static void expect(size_t n, const struct line lines[], const char *picture)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };

	draw(n, lines, &text);
	assert_string_equal(rarog_str_text(&text), picture);
}

TEST(straight)
{
	static const struct line lines[] = { { "c", "b" }, { "b", "a" }, { "a", "" } };

	expect(3, lines, "* c\n* b\n* a\n");
}

TEST(merge)
{
	static const struct line lines[] = {
		{ "e", "dc" }, { "d", "b" }, { "c", "b" }, { "b", "a" }, { "a", "" }
	};

	expect(5, lines, "* e\n|\\\n* | d\n| * c\n|/\n* b\n* a\n");
}

/* Three parents; the call buffers end far from where they lead. */
TEST(octopus)
{
	static const struct line lines[] = { { "e", "dcb" }, { "c", "f" }, { "b", "d" },
					     { "d", "a" },   { "f", "a" }, { "a", "" } };

	expect(6, lines, "* e\n|\\\n|\\ \\\n| * | c\n| | * b\n|_|/\n* | d\n| * f\n|/\n* a\n");
}

/* Two histories; the first ends while the second goes on. */
TEST(roots)
{
	static const struct line lines[] = { { "c", "ab" }, { "a", "" }, { "b", "" } };

	expect(3, lines, "* c\n|\\\n* | a\n /\n* b\n");
}
