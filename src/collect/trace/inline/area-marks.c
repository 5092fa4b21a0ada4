/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/trace/inline/area-marks.h"

#include <errno.h>

#include "collect/trace/mark-values.h"

_Static_assert((int)RAROG_USDT_UNKNOWN == RAROG_MARK_UNKNOWN &&
		       (int)RAROG_USDT_GENERAL == RAROG_MARK_GENERAL &&
		       (int)RAROG_USDT_VECTOR == RAROG_MARK_VECTOR &&
		       (int)RAROG_USDT_NUMBER == RAROG_MARK_NUMBER &&
		       (int)RAROG_USDT_MEMORY == RAROG_MARK_MEMORY &&
		       RAROG_USDT_NO_REGISTER == RAROG_MARK_NO_REGISTER &&
		       RAROG_USDT_ARGUMENTS <= RAROG_VALUES_MOST &&
		       sizeof(struct rarog_mark_set) + 16 <= RAROG_EMIT_MARK_VALUES_SIZE,
	       "both sides count alike");

static enum rarog_stub_kind kind_of_action(const struct rarog_module *m, uint8_t action)
{
	static const enum rarog_stub_kind kinds[] = {
		[RAROG_MARK_POINT] = RAROG_STUB_MARK_POINT,
		[RAROG_MARK_BEGIN] = RAROG_STUB_MARK_BEGIN,
		[RAROG_MARK_STOP] = RAROG_STUB_MARK_END,
	};

	return m->counts_marks ? RAROG_STUB_MARK_COUNT : kinds[action];
}

static struct rarog_mark_way way_of(const struct rarog_usdt_argument *argument, uint64_t bias)
{
	return (struct rarog_mark_way){
		.source = argument->source,
		.base = argument->base,
		.index = argument->index,
		.scale = argument->scale,
		.bytes = argument->bytes,
		.shift = argument->shift,
		.is_signed = argument->is_signed,
		.number = (int64_t)((uint64_t)argument->number + (argument->is_place ? bias : 0)),
	};
}

/* false: nothing is captured there */
static bool values_of(const struct rarog_module *m, const struct rarog_mark *mark, uint64_t bias,
		      struct rarog_mark_set *ret_set)
{
	const struct rarog_usdt_argument *values[RAROG_USDT_ARGUMENTS];
	const struct rarog_wanted_values *columns = &m->marks.names.v[mark->name].values;
	size_t n = rarog_mark_values_of(&m->marks, mark, values);

	*ret_set = (struct rarog_mark_set){ .n = (uint8_t)n,
					    .is_return = mark->action == RAROG_MARK_STOP };
	for (size_t i = 0; i < n; i++) {
		if (!values[i])
			continue;
		ret_set->ways[i] = way_of(values[i], bias);
		ret_set->reads |= values[i]->source == RAROG_USDT_MEMORY;
	}
	/* the record at the beginning is how that at the end finds its call */
	return !m->counts_marks && (n > 0 || (!ret_set->is_return && columns->n_leave > 0));
}

static int emit(struct rarog_emitter *emitter, const struct rarog_module *m, uint64_t bias,
		uint32_t first_id, const struct rarog_mark *mark, uint64_t end, uint64_t next,
		uint64_t *ret_stub)
{
	const uint8_t *code = rarog_binary_bytes(m->binary, mark->address, end - mark->address);
	struct rarog_mark_set set;
	const struct rarog_mark_stub stub = {
		.kind = kind_of_action(m, mark->action),
		.id = first_id + mark->name,
		.return_place = mark->site.return_place,
		.values = values_of(m, mark, bias, &set) ? &set : NULL,
	};

	return code ? rarog_emit_mark(emitter, &stub, bias + mark->address, end - mark->address,
				      code, next, ret_stub)
		    : -EFAULT;
}

/* The last one first: each must know where the next one is. */
int rarog_area_emit_marks(struct rarog_emitter *emitter, const struct rarog_module *m,
			  uint64_t bias, uint32_t first_id, const struct rarog_block *block,
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
		      const struct rarog_block *block, uint64_t *stub)
{
	size_t n = m->marks.v.v[block->first].address - block->start;
	const uint8_t *code = rarog_binary_bytes(m->binary, block->start, n);

	if (n == 0)
		return 0;
	return code ? rarog_emit_copy(emitter, bias + block->start, n, code, *stub, stub) : -EFAULT;
}

int rarog_area_emit_block(struct rarog_emitter *emitter, const struct rarog_module *m,
			  uint64_t bias, uint32_t first_id, const struct rarog_block *block,
			  uint64_t *ret_stub)
{
	int r = rarog_area_emit_marks(emitter, m, bias, first_id, block, ret_stub);

	return r < 0 ? r : emit_start(emitter, m, bias, block, ret_stub);
}
