/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Strongly connected components (Tarjan, SIAM J. Comput. 1972), again inside each without the edges
 * to its headers, until none are left: for reducible graphs these are the natural loops, for others
 * still well-defined (Steensgaard 1993). No recursion: a function may have 10^5 blocks.
 *
 * Blocks that no way leads to from the function's first (-O0 leaves what stands after a return)
 * are in no loop, and their ways are none: a loop that only such code would enter in its middle is
 * reducible, as for LLVM.
 */
#include "blocks/loops.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* One for each block. */
struct node {
	uint32_t first_edge;  /* of the function, which leave it; those of the next end them */
	uint32_t loop;        /* innermost so far, RAROG_NONE: none */
	uint32_t header_of;   /* RAROG_NONE: of none */
	uint32_t number, low; /* Tarjan's; number 0: not yet visited */
	uint32_t next_edge;   /* to look at */
	bool is_on_stack;
};

struct finder {
	const struct rarog_tally *tally;
	const struct rarog_tally_function *function;
	const struct rarog_edge_count *edges; /* of the function */
	struct rarog_loops *loops;
	struct node *nodes;
	uint32_t *path, n_path;   /* of the search, from its start */
	uint32_t *stack, n_stack; /* Tarjan's */
	uint32_t *order;          /* blocks, those of a component in a row */
	uint32_t n_numbers;
};

static uint32_t end_of(const struct finder *f, uint32_t block)
{
	return block + 1 < f->function->n ? f->nodes[block + 1].first_edge : f->function->n_edges;
}

static uint32_t target(const struct finder *f, uint32_t edge)
{
	return f->edges[edge].to - f->function->first;
}

static uint32_t source(const struct finder *f, uint32_t edge)
{
	return f->edges[edge].from - f->function->first;
}

/* --- what a loop is --- */

static const struct rarog_block_count *block_of(const struct finder *f, uint32_t block)
{
	return &f->tally->blocks[f->function->first + block];
}

static void enter(struct finder *f, uint32_t block, uint64_t count, bool is_known)
{
	struct rarog_loop *loop = &f->loops->list.v[f->nodes[block].loop];

	f->nodes[block].header_of = f->nodes[block].loop;
	loop->entries += count;
	loop->is_known &= is_known;
}

/* Ways into the loops from @first_loop on, which are all among @members: so every edge is looked at
 * once for each level of nesting. */
static void find_entries(struct finder *f, size_t n, const uint32_t members[n], uint32_t first_loop)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t from = members[i], loop = f->nodes[from].loop;

		for (uint32_t e = f->nodes[from].first_edge; e < end_of(f, from); e++) {
			uint32_t into = f->nodes[target(f, e)].loop;

			if (into != loop && into != RAROG_NONE && into >= first_loop)
				enter(f, target(f, e), f->edges[e].count, !f->edges[e].is_unknown);
		}
		if (from == 0 && loop != RAROG_NONE && loop >= first_loop)
			enter(f, 0, f->function->calls, true);
	}
}

static void choose_header(struct finder *f, size_t n, const uint32_t members[n], uint32_t number)
{
	struct rarog_loop *loop = &f->loops->list.v[number];
	size_t n_headers = 0;

	for (size_t i = 0; i < n; i++) {
		if (f->nodes[members[i]].header_of != number)
			continue;
		loop->header = n_headers++ == 0 ? members[i] : loop->header;
		loop->iterations += block_of(f, members[i])->count;
	}
	assert(n_headers > 0 && "a loop that can be reached");
	loop->is_irreducible = n_headers > 1;
}

/* Of the header if that is known, else of the first block that has a line. */
static void find_line(const struct finder *f, struct rarog_loop *loop, uint32_t member)
{
	const struct rarog_block_part *part;

	if (loop->line > 0)
		return;
	loop->line = block_of(f, member)->line;
	part = loop->line > 0 ? NULL : rarog_tally_elsewhere(f->tally, f->function->first + member);
	if (part) {
		loop->line = part->line;
		loop->file = part->file;
	}
}

static void sum_blocks(struct finder *f, size_t n, const uint32_t members[n], uint32_t number)
{
	struct rarog_loop *loop = &f->loops->list.v[number];

	find_line(f, loop, loop->header);
	for (size_t i = 0; i < n; i++) {
		const struct rarog_block_count *block = block_of(f, members[i]);

		loop->instructions += block->count * block->instructions;
		find_line(f, loop, members[i]);
	}
	loop->own = loop->instructions;
	if (loop->parent != RAROG_NONE)
		f->loops->list.v[loop->parent].own -= loop->instructions;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int add_loop(struct finder *f, size_t n, uint32_t members[n], uint32_t parent)
{
	uint32_t number = (uint32_t)f->loops->list.n;
	struct rarog_loop loop = {
		.parent = parent,
		.n_blocks = (uint32_t)n,
		.depth = parent == RAROG_NONE ? 1 : f->loops->list.v[parent].depth + 1,
		.is_known = true,
	};

	qsort(members, n, sizeof(*members), by_number);
	for (size_t i = 0; i < n; i++)
		f->nodes[members[i]].loop = number;
	return rarog_vec_push(&f->loops->list, loop) == 0 ? 0 : rarog_oom();
}

/* --- components --- */

/* Inside the loop @loop (RAROG_NONE: the function), without the ways to its headers. */
static bool is_way(const struct finder *f, uint32_t to, uint32_t loop)
{
	return f->nodes[to].loop == loop && (loop == RAROG_NONE || f->nodes[to].header_of != loop);
}

static bool goes_to_itself(const struct finder *f, uint32_t block, uint32_t loop)
{
	for (uint32_t i = f->nodes[block].first_edge; i < end_of(f, block); i++)
		if (target(f, i) == block)
			return is_way(f, block, loop);
	return false;
}

static void visit(struct finder *f, uint32_t block)
{
	struct node *node = &f->nodes[block];

	node->number = node->low = ++f->n_numbers;
	node->next_edge = node->first_edge;
	node->is_on_stack = true;
	f->stack[f->n_stack++] = block;
	f->path[f->n_path++] = block;
}

/* The next way from the end of the path; false: there is none. */
static bool step(struct finder *f, uint32_t loop)
{
	uint32_t block = f->path[f->n_path - 1];
	struct node *node = &f->nodes[block];

	while (node->next_edge < end_of(f, block)) {
		uint32_t to = target(f, node->next_edge++);

		if (!is_way(f, to, loop))
			continue;
		if (f->nodes[to].number == 0) {
			visit(f, to);
			return true;
		}
		if (f->nodes[to].is_on_stack && f->nodes[to].number < node->low)
			node->low = f->nodes[to].number;
	}
	return false;
}

/* The component that @block began is on top of the stack; to @order[at …]. Returns its size. */
static size_t pop_component(struct finder *f, uint32_t block, uint32_t *order)
{
	size_t n = 0;
	uint32_t member;

	do {
		member = f->stack[--f->n_stack];
		f->nodes[member].is_on_stack = false;
		order[n++] = member;
	} while (member != block);
	return n;
}

struct component {
	uint32_t first, n; /* in order */
	uint32_t loop;     /* that it is */
};

struct search {
	RAROG_VEC(struct component) found;
	uint32_t n_ordered;
};

static int leave(struct finder *f, uint32_t loop, struct search *search)
{
	uint32_t block = f->path[--f->n_path];
	struct node *node = &f->nodes[block];
	struct component component = { .first = search->n_ordered };

	if (f->n_path > 0 && node->low < f->nodes[f->path[f->n_path - 1]].low)
		f->nodes[f->path[f->n_path - 1]].low = node->low;
	if (node->low != node->number)
		return 0;
	component.n = (uint32_t)pop_component(f, block, f->order + search->n_ordered);
	search->n_ordered += component.n;
	if (component.n == 1 && !goes_to_itself(f, block, loop))
		return 0;
	return rarog_vec_push(&search->found, component) == 0 ? 0 : rarog_oom();
}

/* Components among @members, which are of @loop; the array is used for their order. */
static int find_components(struct finder *f, size_t n, const uint32_t members[n], uint32_t loop,
			   struct search *search)
{
	int r = 0;

	f->n_numbers = 0;
	for (size_t i = 0; i < n; i++)
		f->nodes[members[i]].number = 0;
	for (size_t i = 0; r == 0 && i < n; i++) {
		if (f->nodes[members[i]].number != 0)
			continue;
		visit(f, members[i]);
		while (r == 0 && f->n_path > 0)
			if (!step(f, loop))
				r = leave(f, loop, search);
	}
	return r;
}

/* --- from the outside in --- */

struct task {
	uint32_t loop, n;
	uint32_t *members;
};

struct tasks {
	RAROG_VEC(struct task) list;
};

static int add_task(struct tasks *tasks, size_t n, const uint32_t *members, uint32_t loop)
{
	struct task task = { .loop = loop,
			     .n = (uint32_t)n,
			     .members = malloc((n + 1) * sizeof(*members)) };

	if (!task.members)
		return rarog_oom();
	memcpy(task.members, members, n * sizeof(*members));
	if (rarog_vec_push(&tasks->list, task) == 0)
		return 0;
	free(task.members);
	return rarog_oom();
}

/* The inner loops of a loop: found, then described together. */
static int describe(struct finder *f, const struct task *task, struct search *search)
{
	uint32_t first_loop = (uint32_t)f->loops->list.n;
	int r = 0;

	/* Tarjan's order is from the end of the function to its beginning */
	for (size_t i = search->found.n; r == 0 && i-- > 0;) {
		struct component *c = &search->found.v[i];

		c->loop = (uint32_t)f->loops->list.n;
		r = add_loop(f, c->n, f->order + c->first, task->loop);
	}
	if (r < 0)
		return r;
	find_entries(f, task->n, task->members, first_loop);
	for (size_t i = 0; i < search->found.n; i++) {
		const struct component *c = &search->found.v[i];

		choose_header(f, c->n, f->order + c->first, c->loop);
		sum_blocks(f, c->n, f->order + c->first, c->loop);
	}
	return 0;
}

static int do_task(struct finder *f, struct tasks *tasks, const struct task *task)
{
	struct search search = { 0 };
	int r = find_components(f, task->n, task->members, task->loop, &search);

	if (r == 0)
		r = describe(f, task, &search);
	for (size_t i = 0; r == 0 && i < search.found.n; i++)
		r = add_task(tasks, search.found.v[i].n, f->order + search.found.v[i].first,
			     search.found.v[i].loop);
	rarog_vec_release(&search.found);
	return r;
}

/* What can be reached from the first block, to f->order; returns how many. */
static uint32_t find_reached(struct finder *f)
{
	uint32_t n = f->function->n > 0;

	f->order[0] = 0;
	f->nodes[0].is_on_stack = true;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t e = f->nodes[f->order[i]].first_edge; e < end_of(f, f->order[i]); e++)
			if (!f->nodes[target(f, e)].is_on_stack) {
				f->nodes[target(f, e)].is_on_stack = true;
				f->order[n++] = target(f, e);
			}
	for (uint32_t i = 0; i < n; i++)
		f->nodes[f->order[i]].is_on_stack = false;
	qsort(f->order, n, sizeof(*f->order), by_number);
	return n;
}

static int do_all(struct finder *f)
{
	struct tasks tasks = { 0 };
	int r = add_task(&tasks, find_reached(f), f->order, RAROG_NONE);

	while (tasks.list.n > 0) {
		struct task task = tasks.list.v[--tasks.list.n];

		if (r == 0)
			r = do_task(f, &tasks, &task);
		free(task.members);
	}
	rarog_vec_release(&tasks.list);
	return r;
}

static void set_first_edges(struct finder *f)
{
	uint32_t edge = 0;

	for (uint32_t i = 0; i < f->function->n; i++) {
		while (edge < f->function->n_edges && source(f, edge) < i)
			edge++;
		f->nodes[i] = (struct node){ .first_edge = edge,
					     .loop = RAROG_NONE,
					     .header_of = RAROG_NONE };
	}
}

static int keep_innermost(struct finder *f)
{
	f->loops->innermost = calloc(f->function->n + 1, sizeof(*f->loops->innermost));
	if (!f->loops->innermost)
		return rarog_oom();
	for (uint32_t i = 0; i < f->function->n; i++)
		f->loops->innermost[i] = f->nodes[i].loop;
	return 0;
}

int rarog_loops_find(const struct rarog_tally *tally, const struct rarog_tally_function *function,
		     struct rarog_loops *ret_loops)
{
	size_t n = function->n;
	rarog_cleanup(rarog_freep) struct node *nodes = calloc(n, sizeof(*nodes));
	rarog_cleanup(rarog_freep) uint32_t *room = calloc(3 * n, sizeof(*room));
	struct finder f = {
		.tally = tally,
		.function = function,
		.edges = tally->edges + function->first_edge,
		.loops = ret_loops,
		.nodes = nodes,
	};
	int r;

	*ret_loops = (struct rarog_loops){ 0 };
	if (!nodes || !room)
		return rarog_oom();
	f.path = room;
	f.stack = room + n;
	f.order = room + 2 * n;
	set_first_edges(&f);
	r = do_all(&f);
	if (r == 0)
		r = keep_innermost(&f);
	if (r < 0)
		rarog_loops_release(ret_loops);
	return r;
}

void rarog_loops_release(struct rarog_loops *loops)
{
	rarog_vec_release(&loops->list);
	free(loops->innermost);
	loops->innermost = NULL;
}

bool rarog_loop_extent(const struct rarog_loop *loop, uint64_t *ret_each)
{
	if (!loop->is_known || loop->entries == 0 ||
	    (loop->entries != 1 && loop->iterations != loop->entries))
		return false;
	*ret_each = loop->iterations / loop->entries;
	return true;
}

const struct rarog_loop *rarog_loops_hottest(const struct rarog_loops *loops)
{
	const struct rarog_loop *hottest = NULL;

	for (size_t i = 0; i < loops->list.n; i++)
		if (loops->list.v[i].iterations > 0 &&
		    (!hottest || loops->list.v[i].own > hottest->own))
			hottest = &loops->list.v[i];
	return hottest;
}
