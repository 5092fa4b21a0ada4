/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel puts a breakpoint in the place of an instruction's first byte, whatever else leads to
 * the others. The exception is one nop of five bytes: newer kernels (6.18 for one) put a call
 * there, which writes its return address below the stack pointer, where a leaf function may keep
 * variables. At a function's entry nothing is there; at a mark something may be.
 *
 * A function's probe may stand after its entry (probe-place.h). A mark before it would be passed
 * before the function has begun, so there the probe goes back to the entry.
 */
#include "engine/probed/marks.h"

#include "base/log.h"
#include "binary/probe-place.h"
#include "plan/mark-places.h"

#define LONG_NOP                                                                                   \
	"is one nop of five bytes, where the kernel's probe may change variables of a leaf "       \
	"function; --engine=inline measures it"

#define STEPS "is an instruction that the kernel does not probe"

#define BEFORE                                                                                     \
	"comes before the kernel can tell that its function was called; --engine=inline "          \
	"measures it"

uint64_t rarog_probed_marks_offset(const struct rarog_probed_module *m, uint64_t address)
{
	const struct rarog_segment *segments;
	size_t n = rarog_binary_segments(m->binary, &segments);

	for (size_t i = 0; i < n; i++)
		if (address >= segments[i].vaddr &&
		    address - segments[i].vaddr < segments[i].file_size)
			return address - segments[i].vaddr + segments[i].file_offset;
	return 0;
}

/* Number of the probe by which a call comes only after @mark; module->n: there is none. */
static size_t probe_behind(const struct rarog_probed_module *m, const struct rarog_mark *mark)
{
	uint64_t distance;
	size_t i = rarog_probed_module_at(m, mark->address, &distance);

	return i < m->n && !m->counts_marks && distance < m->probes[i].further ? i : m->n;
}

static const char *refusal(const struct rarog_probed_module *m, const struct rarog_mark *mark)
{
	size_t behind = probe_behind(m, mark);

	if (mark->site.verdict == RAROG_MARK_TAKEN || mark->site.verdict == RAROG_MARK_NOWHERE ||
	    mark->site.verdict == RAROG_MARK_MIDDLE)
		return rarog_mark_reason((enum rarog_mark_verdict)mark->site.verdict);
	if (mark->site.is_long_nop)
		return LONG_NOP;
	if (!rarog_probed_marks_offset(m, mark->address))
		return rarog_mark_reason(RAROG_MARK_NOWHERE);
	if (behind < m->n && !m->probes[behind].may_be_entry)
		return BEFORE;
	return rarog_probe_kind_at(m->binary, mark->address) == RAROG_PROBE_REFUSED ? STEPS : NULL;
}

static bool is_possible(const void *module, const struct rarog_mark *mark)
{
	return refusal(module, mark) == NULL;
}

static bool leave_one_out(struct rarog_probed_module *m)
{
	for (size_t i = 0; i < m->marks.v.n; i++) {
		uint32_t name = m->marks.v.v[i].name;
		const char *reason = refusal(m, &m->marks.v.v[i]);

		if (!reason)
			continue;
		rarog_debug(RAROG_LOG_SITE, "%s: %s left out: %s", m->name,
			    m->marks.names.v[name].text, reason);
		rarog_marks_leave_out(&m->marks, i, reason);
		return true;
	}
	return false;
}

/* Of functions whose marks come first. */
static void move_probes(struct rarog_probed_module *m)
{
	for (size_t i = 0; i < m->marks.v.n; i++) {
		size_t behind = probe_behind(m, &m->marks.v.v[i]);

		if (behind < m->n)
			rarog_probed_module_to_entry(m, behind);
	}
}

int rarog_probed_marks_choose(struct rarog_plan *plan, struct rarog_probed_module *m)
{
	m->counts_marks = plan->detail == RAROG_DETAIL_COUNT;
	if (m->counts_marks)
		rarog_marks_drop_ends(&m->marks);
	while (leave_one_out(m))
		;
	move_probes(m);
	return rarog_mark_places_hint(m->binary, &m->marks, is_possible, m);
}
