/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A mark's jump needs five bytes, and so do the entry's and the next mark's: a function may begin
 * with a mark, and a mark may be two bytes after another. What one jump displaces is a block. A
 * mark inside of a block needs no jump of its own: where the block's instructions run, its stub
 * stands between them.
 */
#include "engine/inline/code/module-marks.h"

#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "engine/inline/code/gates.h"
#include "plan/mark-places.h"

size_t rarog_module_size(const struct rarog_module *m)
{
	return m->probes.n + m->hooks.n + 2 * m->marks.v.n; /* with what stands before a mark */
}

size_t rarog_module_n_locations(const struct rarog_module *m)
{
	return m->probes.n + m->marks.names.n;
}

/* --- blocks --- */

static int compare_blocks(const void *a, const void *b)
{
	const struct rarog_displaced *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static int add_probe(const struct rarog_module *m, const struct rarog_probe *probe,
		     struct rarog_blocks *blocks)
{
	uint64_t start = rarog_module_place(m, probe);
	struct rarog_displaced block = {
		.start = start,
		.end = start + rarog_module_displaced(m, probe),
		.probe = probe,
	};

	return rarog_vec_push(blocks, block);
}

static int add_probes(const struct rarog_module *m, struct rarog_blocks *blocks)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < m->probes.n; i++)
		r = add_probe(m, &m->probes.v[i], blocks);
	for (size_t i = 0; r == 0 && i < m->hooks.n; i++)
		r = add_probe(m, &m->hooks.v[i], blocks);
	if (r == 0 && blocks->n > 1)
		qsort(blocks->v, blocks->n, sizeof(*blocks->v), compare_blocks);
	return r;
}

static struct rarog_displaced *find_block(const struct rarog_blocks *blocks, size_t n,
					  uint64_t address)
{
	size_t low = 0, high = n;

	while (low < high) { /* the first that starts after address */
		size_t middle = low + (high - low) / 2;

		if (blocks->v[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address < blocks->v[low - 1].end ? &blocks->v[low - 1] : NULL;
}

const struct rarog_displaced *rarog_block_at(const struct rarog_blocks *blocks, uint64_t start)
{
	const struct rarog_displaced *block = find_block(blocks, blocks->n, start);

	return block && block->start == start && block->n > 0 ? block : NULL;
}

/* Those of marks only come after the others, in their own order. */
static int add_marks(const struct rarog_module *m, struct rarog_blocks *blocks)
{
	size_t n_probes = blocks->n;

	for (size_t i = 0; i < m->marks.v.n; i++) {
		const struct rarog_mark *mark = &m->marks.v.v[i];
		struct rarog_displaced own = { .start = mark->address - mark->site.before,
					       .end = mark->address + mark->site.length,
					       .first = i };
		struct rarog_displaced *block = find_block(blocks, n_probes, mark->address);

		if (!block && blocks->n > n_probes && mark->address < blocks->v[blocks->n - 1].end)
			block = &blocks->v[blocks->n - 1];
		if (!block && rarog_vec_push(blocks, own) < 0)
			return -ENOMEM;
		if (!block)
			block = &blocks->v[blocks->n - 1];
		if (block->n++ == 0)
			block->first = i;
	}
	return 0;
}

int rarog_module_blocks(const struct rarog_module *m, struct rarog_blocks *ret_blocks)
{
	int r = add_probes(m, ret_blocks);

	if (r == 0)
		r = add_marks(m, ret_blocks);
	if (r < 0)
		return rarog_oom();
	if (m->marks.v.n > 0 && ret_blocks->n > 1)
		qsort(ret_blocks->v, ret_blocks->n, sizeof(*ret_blocks->v), compare_blocks);
	return 0;
}

void rarog_blocks_release(struct rarog_blocks *blocks)
{
	rarog_vec_release(blocks);
}

/* --- what can be measured --- */

static bool is_divisible(const struct rarog_module *m, const struct rarog_displaced *block)
{
	const struct rarog_mark *marks = m->marks.v.v + block->first;
	uint64_t start = block->start;

	for (size_t i = 0; i < block->n; i++) {
		if (marks[i].address > start &&
		    !rarog_mark_divides(m->binary, start, marks[i].address, false))
			return false;
		start = marks[i].address;
	}
	return rarog_mark_divides(m->binary, start, block->end, true);
}

static void leave_out(struct rarog_module *m, size_t mark, enum rarog_mark_verdict verdict)
{
	rarog_debug(RAROG_LOG_SITE, "%s: %s left out: %s", m->path,
		    m->marks.names.v[m->marks.v.v[mark].name].text, rarog_mark_reason(verdict));
	rarog_marks_leave_out(&m->marks, mark, rarog_mark_reason(verdict));
}

/* Why the block at blocks->v[i] cannot be: RAROG_MARK_OK, or which of its marks is one too many. */
static enum rarog_mark_verdict judge_block(const struct rarog_module *m,
					   const struct rarog_blocks *blocks, size_t i,
					   size_t *ret_mark)
{
	const struct rarog_displaced *block = &blocks->v[i];

	*ret_mark = block->first;
	if (block->n == 0)
		return RAROG_MARK_OK;
	if (!block->probe && m->marks.v.v[block->first].site.verdict != RAROG_MARK_OK)
		return (enum rarog_mark_verdict)m->marks.v.v[block->first].site.verdict;
	*ret_mark = block->first + block->n - 1;
	if (block->n > RAROG_BLOCK_MARKS || !is_divisible(m, block))
		return RAROG_MARK_TAKEN;
	if (!block->probe && ((i > 0 && blocks->v[i - 1].end > block->start) ||
			      (i + 1 < blocks->n && blocks->v[i + 1].start < block->end)))
		return RAROG_MARK_TAKEN;
	return RAROG_MARK_OK;
}

/* A place of the block that its name can do without; SIZE_MAX: there is none. */
static size_t find_spare(const struct rarog_module *m, const struct rarog_displaced *block)
{
	for (size_t i = 0; i < block->n; i++)
		if (m->marks.v.v[block->first + i].action == RAROG_MARK_LEFT)
			return block->first + i;
	return SIZE_MAX;
}

/* Instead of @mark of blocks->v[i]: one in it, or in a block that may be in its way. */
static size_t spare_or(const struct rarog_module *m, const struct rarog_blocks *blocks, size_t i,
		       size_t mark)
{
	size_t spare = find_spare(m, &blocks->v[i]);

	if (spare == SIZE_MAX && i + 1 < blocks->n)
		spare = find_spare(m, &blocks->v[i + 1]);
	if (spare == SIZE_MAX && i > 0)
		spare = find_spare(m, &blocks->v[i - 1]);
	return spare == SIZE_MAX ? mark : spare;
}

/* One at a time: what is left out may have been the beginning of others' block. */
static bool leave_one_out(struct rarog_module *m, const struct rarog_blocks *blocks)
{
	for (size_t i = 0, mark; i < blocks->n; i++) {
		enum rarog_mark_verdict verdict = judge_block(m, blocks, i, &mark);

		if (verdict == RAROG_MARK_OK)
			continue;
		if (verdict == RAROG_MARK_TAKEN)
			mark = spare_or(m, blocks, i, mark);
		leave_out(m, mark, verdict);
		return true;
	}
	return false;
}

static bool is_possible(const void *context, const struct rarog_mark *mark)
{
	(void)context;
	return mark->site.verdict == RAROG_MARK_OK;
}

static int plan_gates(struct rarog_module *m, const struct rarog_plan *plan)
{
	m->mark_gates = calloc(m->marks.names.n + 1, sizeof(*m->mark_gates));
	for (size_t i = 0; m->mark_gates && i < m->marks.names.n; i++)
		rarog_gates_set_mark(m, i, rarog_mark_planned(plan, &m->marks.names.v[i]));
	return m->mark_gates ? 0 : -ENOMEM;
}

int rarog_module_place_marks(struct rarog_module *m, const struct rarog_plan *plan)
{
	bool again = m->marks.v.n > 0;
	int r = 0;

	if (plan_gates(m, plan) < 0)
		return rarog_oom();
	m->counts_marks = plan->detail == RAROG_DETAIL_COUNT;
	if (m->counts_marks || plan->delays) /* nothing is timed */
		rarog_marks_drop_ends(&m->marks);
	while (r == 0 && again) {
		rarog_cleanup(rarog_blocks_release) struct rarog_blocks blocks = { 0 };

		r = rarog_module_blocks(m, &blocks);
		again = r == 0 && leave_one_out(m, &blocks);
	}
	return r < 0 ? r : rarog_mark_places_hint(m->binary, &m->marks, is_possible, NULL);
}
