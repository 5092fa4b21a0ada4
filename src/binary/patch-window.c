/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Invariant: OK means that, of the window, only the first byte is ever executed as the start of an
 * instruction by anything but falling through from the first, that nothing reads or writes it, and
 * that the displaced instructions were moved by rarog_relocate() as a trial.
 */
#include "binary/patch-window.h"

#include "binary/instruction.h"

/* Where the trial puts its copy: far enough that no rel8 fits, near enough for rel32. */
#define TRIAL_DISTANCE (64ull << 20)

static bool is_padding(const struct rarog_instruction *in)
{
	return in->flow == RAROG_FLOW_NOP || in->flow == RAROG_FLOW_BREAK;
}

/* May the instruction at @address be part of the displaced bytes? */
static enum rarog_site_verdict judge_instruction(const struct rarog_window *w, uint64_t address,
						 bool ended, const struct rarog_instruction *in)
{
	if (in->length > w->next - address)
		return RAROG_SITE_SHORT;
	if (address >= w->end && !is_padding(in))
		return RAROG_SITE_SHORT;
	/* After a ret or jmp code is reached in a way that we missed. */
	if (ended && !is_padding(in))
		return RAROG_SITE_TARGET;
	return RAROG_SITE_OK;
}

/* Whole instructions that cover the window; padding after a short function is used. */
static enum rarog_site_verdict measure(const struct rarog_window *w, size_t available,
				       const uint8_t *bytes, size_t *ret_length)
{
	bool ended = false;
	size_t at = 0;

	while (at < w->size) {
		uint64_t address = w->start + at;
		struct rarog_instruction in;

		if (at >= available || address >= w->next)
			return RAROG_SITE_SHORT;
		if (!rarog_instruction_decode(available - at, bytes + at, address, &in))
			return address < w->end ? RAROG_SITE_DECODE : RAROG_SITE_SHORT;
		enum rarog_site_verdict verdict = judge_instruction(w, address, ended, &in);
		if (verdict != RAROG_SITE_OK)
			return verdict;
		ended |= !rarog_flow_goes_on(in.flow);
		at += in.length;
	}
	*ret_length = at;
	return RAROG_SITE_OK;
}

static enum rarog_site_verdict try_move(const struct rarog_window *w, size_t length,
					const uint8_t *bytes)
{
	uint8_t out[RAROG_BODY_MAX];
	int r = rarog_relocate(length, bytes, w->start, w->start + TRIAL_DISTANCE, sizeof(out),
			       out);

	return r < 0 ? RAROG_SITE_RELOCATE : RAROG_SITE_OK;
}

/* XRay's run-time system writes to its sleds, while the program runs. */
static bool has_sled(const struct rarog_window *w, size_t length)
{
	const struct rarog_sleds *sleds = &w->map->binary->sleds;
	size_t i = rarog_sleds_behind(sleds, w->start);

	for (; i < sleds->n && sleds->v[i].address < w->start + length; i++)
		if (sleds->v[i].kind == RAROG_SLED_XRAY ||
		    sleds->v[i].kind == RAROG_SLED_XRAY_ENTRY)
			return true;
	return false;
}

/* Nothing may come to the inside; after the entry, nothing but what came in there to the start. */
static bool is_reached(const struct rarog_window *w)
{
	uint64_t inside = w->start == w->entry ? 1 : 0;

	return rarog_code_reached(w->map, w->start + inside, w->size - inside, RAROG_REACH_ANY);
}

enum rarog_site_verdict rarog_window_judge(const struct rarog_window *w, size_t *ret_length)
{
	const struct rarog_code_region *region = rarog_code_region_of(w->map, w->start);
	size_t length = 0;

	if (!region)
		return RAROG_SITE_SHORT;
	const uint8_t *bytes = region->bytes + (w->start - region->start);
	size_t available = region->size - (w->start - region->start);
	enum rarog_site_verdict verdict = measure(w, available, bytes, &length);

	if (verdict != RAROG_SITE_OK)
		return verdict;
	if (is_reached(w))
		return RAROG_SITE_TARGET;
	if (rarog_code_reached(w->map, w->start, length, RAROG_REACH_WRITTEN))
		return RAROG_SITE_TEXTREL;
	if (has_sled(w, length))
		return RAROG_SITE_SLED;
	verdict = try_move(w, length, bytes);
	if (verdict == RAROG_SITE_OK)
		*ret_length = length;
	return verdict;
}
