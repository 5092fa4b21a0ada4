/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/history/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define GONE ((size_t)-1)

void rarog_graph_release(struct rarog_graph *graph)
{
	for (size_t i = 0; i < graph->lanes.n; i++)
		free(graph->lanes.v[i]);
	rarog_vec_release(&graph->lanes);
}

static size_t find_lane(const struct rarog_graph *graph, const char *name, size_t from)
{
	for (size_t i = from; i < graph->lanes.n; i++)
		if (strcmp(graph->lanes.v[i], name) == 0)
			return i;
	return GONE;
}

static int insert_lane(struct rarog_graph *graph, size_t at, const char *name)
{
	char *copy = strdup(name);

	if (!copy || rarog_vec_push(&graph->lanes, copy) < 0) {
		free(copy);
		return rarog_oom();
	}
	for (size_t i = graph->lanes.n - 1; i > at; i--)
		graph->lanes.v[i] = graph->lanes.v[i - 1];
	graph->lanes.v[at] = copy;
	return 0;
}

static void remove_lane(struct rarog_graph *graph, size_t at)
{
	free(graph->lanes.v[at]);
	graph->lanes.n--;
	for (size_t i = at; i < graph->lanes.n; i++)
		graph->lanes.v[i] = graph->lanes.v[i + 1];
}

/* --- lines between commits; trailing blanks are cut --- */

static int end_line(struct rarog_str *lines)
{
	while (lines->length > 0 && lines->text[lines->length - 1] == ' ')
		lines->text[--lines->length] = '\0';
	return rarog_str_add_char(lines, '\n');
}

/* Lane @from ends in lane @to (left of it), those after it move up: "|_|/ /". */
static int draw_join(size_t n, size_t to, size_t from, struct rarog_str *lines)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		if (i > from)
			r = rarog_str_add(lines, "/ ");
		else if (i < from)
			r = rarog_str_add(lines, i + 1 == from ? "|/" : i >= to ? "|_" : "| ");
		/* after from: its own place is taken by the next one */
		else
			r = rarog_str_add(lines, i + 1 < n ? " " : "");
	}
	return r < 0 ? r : end_line(lines);
}

/* A lane begins right of @at, those after it move away: "|\ \". */
static int draw_split(size_t n, size_t at, struct rarog_str *lines)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = rarog_str_add(lines, i < at ? "| " : i == at ? "|\\" : " \\");
	return r < 0 ? r : end_line(lines);
}

/* Lane @at is at its end: those after it move up. */
static int draw_end(size_t n, size_t at, struct rarog_str *lines)
{
	int r = 0;

	if (at + 1 >= n)
		return 0;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = rarog_str_add(lines, i < at ? "| " : i == at ? " " : "/ ");
	return r < 0 ? r : end_line(lines);
}

/* --- a commit --- */

static size_t parents_of(const struct rarog_graph *graph, const struct rarog_commit *commit)
{
	return graph->first_parent && commit->n_parents > 1 ? 1 : commit->n_parents;
}

int rarog_graph_commit(struct rarog_graph *graph, const struct rarog_commit *commit,
		       struct rarog_str *above, struct rarog_str *line)
{
	size_t at = find_lane(graph, commit->name, 0), other;
	int r = 0;

	if (at == GONE) {
		at = graph->lanes.n;
		r = insert_lane(graph, at, commit->name);
	}
	while (r == 0 && (other = find_lane(graph, commit->name, at + 1)) != GONE) {
		r = draw_join(graph->lanes.n, at, other, above);
		remove_lane(graph, other);
	}
	graph->column = at;
	graph->n_parents = parents_of(graph, commit);
	for (size_t i = 0; r == 0 && i < graph->lanes.n; i++)
		r = rarog_str_add(line, i == at ? "* " : "| ");
	return r < 0 ? rarog_oom() : 0;
}

int rarog_graph_rest(const struct rarog_graph *graph, struct rarog_str *line)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < graph->lanes.n; i++)
		r = rarog_str_add(line, i == graph->column && graph->n_parents == 0 ? "  " : "| ");
	return r < 0 ? rarog_oom() : 0;
}

int rarog_graph_next(struct rarog_graph *graph, const struct rarog_commit *commit,
		     struct rarog_str *below)
{
	size_t at = graph->column, n = graph->n_parents;
	char *name;
	int r = 0;

	if (n == 0) {
		r = draw_end(graph->lanes.n, at, below);
		remove_lane(graph, at);
		return r < 0 ? rarog_oom() : 0;
	}
	name = strdup(commit->parents[0]);
	if (!name)
		return rarog_oom();
	free(graph->lanes.v[at]);
	graph->lanes.v[at] = name;
	for (size_t i = n; r == 0 && i-- > 1;) {
		r = draw_split(graph->lanes.n, at, below);
		if (r == 0)
			r = insert_lane(graph, at + 1, commit->parents[i]);
	}
	return r;
}
