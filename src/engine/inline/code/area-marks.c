/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/inline/code/area-marks.h"

#include <errno.h>

#include "plan/mark-set.h"

_Static_assert(sizeof(struct rarog_mark_set) + 16 <= RAROG_EMIT_MARK_VALUES_SIZE,
	       "there is room for it");

static enum rarog_stub_kind kind_of_action(const struct rarog_module *m, uint8_t action)
{
	static const enum rarog_stub_kind kinds[] = {
		[RAROG_MARK_POINT] = RAROG_STUB_MARK_POINT,
		[RAROG_MARK_BEGIN] = RAROG_STUB_MARK_BEGIN,
		[RAROG_MARK_STOP] = RAROG_STUB_MARK_END,
		[RAROG_MARK_LEFT] = RAROG_STUB_MARK_END,
	};

	return m->counts_marks ? RAROG_STUB_MARK_COUNT : kinds[action];
}

static int emit(struct rarog_emitter *emitter, const struct rarog_module *m, uint64_t bias,
		uint32_t first_id, const struct rarog_mark *mark, uint64_t end, uint64_t next,
		uint64_t *ret_stub)
{
	const uint8_t *code = rarog_binary_bytes(m->binary, mark->address, end - mark->address);
	const struct rarog_mark_name *name = &m->marks.names.v[mark->name];
	struct rarog_mark_set set;
	bool tells = !m->counts_marks && rarog_mark_set_make(&m->marks, mark, bias, &set);
	const struct rarog_mark_stub stub = {
		.kind = kind_of_action(m, mark->action),
		.id = first_id + mark->name,
		.every = m->counts_marks ? 1 : name->every,
		.may_be_alone = rarog_mark_ends_alone(name) || m->has_gates,
		.is_left = mark->action == RAROG_MARK_LEFT,
		.return_place = mark->site.return_place,
		.values = tells ? &set : NULL,
	};

	emitter->is_gated = m->has_gates;
	emitter->gate = (uint32_t)m->probes.n + mark->name;
	emitter->word = m->has_gates ? m->mark_gates[mark->name].word : 0;
	return code ? rarog_emit_mark(emitter, &stub, bias + mark->address, end - mark->address,
				      code, next, ret_stub)
		    : -EFAULT;
}

/* The last one first: each must know where the next one is. */
int rarog_area_emit_marks(struct rarog_emitter *emitter, const struct rarog_module *m,
			  uint64_t bias, uint32_t first_id, const struct rarog_displaced *block,
			  uint64_t *ret_stub)
{
	uint64_t end = block->end, next = 0;
	int r = 0;

	for (size_t i = block->n; r == 0 && i-- > 0;) {
		const struct rarog_mark *mark = &m->marks.v.v[block->first + i];

		r = emit(emitter, m, bias, first_id, mark, end, next, &next);
		end = mark->address;
	}
	*ret_stub = next;
	return r;
}

/* What stands before the first of them. */
static int emit_start(struct rarog_emitter *emitter, const struct rarog_module *m, uint64_t bias,
		      const struct rarog_displaced *block, uint64_t *stub)
{
	size_t n = m->marks.v.v[block->first].address - block->start;
	const uint8_t *code = rarog_binary_bytes(m->binary, block->start, n);

	if (n == 0)
		return 0;
	return code ? rarog_emit_copy(emitter, bias + block->start, n, code, *stub, stub) : -EFAULT;
}

int rarog_area_emit_block(struct rarog_emitter *emitter, const struct rarog_module *m,
			  uint64_t bias, uint32_t first_id, const struct rarog_displaced *block,
			  uint64_t *ret_stub)
{
	int r = rarog_area_emit_marks(emitter, m, bias, first_id, block, ret_stub);

	return r < 0 ? r : emit_start(emitter, m, bias, block, ret_stub);
}
