/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Invariant: where the jump stands, the stack is as a CALL left it, and other code that writes to
 * the function's sled (XRay's run-time system, the program itself) writes elsewhere.
 */
#include "binary/patch-place.h"

#include "binary/code-links.h"
#include "binary/instruction.h"
#include "binary/patch-window.h"
#include "binary/sled-entries.h"

static enum rarog_site_verdict judge_window(const struct rarog_judged *j, size_t offset,
					    size_t size, size_t *ret_length)
{
	struct rarog_window window = {
		.map = j->map,
		.entry = j->function->address,
		.end = j->function->address + j->function->size,
		.next = j->next,
		.start = j->function->address + offset,
		.size = size,
	};

	return rarog_window_judge(&window, ret_length);
}

static size_t endbr_size(const struct rarog_judged *j)
{
	return rarog_is_endbr(j->available, j->bytes) ? RAROG_ENDBR_SIZE : 0;
}

/* The instructions at the entry. */
static enum rarog_site_verdict try_entry(const struct rarog_judged *j, struct rarog_site *site)
{
	size_t length = 0;
	enum rarog_site_verdict verdict = judge_window(j, 0, RAROG_PATCH_SIZE, &length);

	site->length = (uint8_t)length;
	return verdict;
}

static enum rarog_site_verdict try_behind(const struct rarog_judged *j, size_t offset,
					  struct rarog_site *site)
{
	size_t length = 0;
	enum rarog_site_verdict verdict = judge_window(j, offset, RAROG_PATCH_SIZE, &length);

	site->length = (uint8_t)length;
	site->offset = (uint8_t)offset;
	return verdict;
}

/* XRay writes to its sled: the jump goes after it. */
static enum rarog_site_verdict try_behind_xray(const struct rarog_judged *j,
					       struct rarog_site *site)
{
	size_t before = j->sled->address - j->function->address;

	site->kind = RAROG_SITE_BEHIND_XRAY;
	if (before != 0 && before != endbr_size(j))
		return RAROG_SITE_SLED; /* no compiler writes that; the stack there is not known */
	return try_behind(j, before + RAROG_XRAY_SLED_SIZE, site);
}

/* The call at the entry to what -mfentry calls there; 0: there is none. */
static size_t fentry_call(const struct rarog_judged *j, enum rarog_link_kind *ret_kind)
{
	size_t at = endbr_size(j);
	struct rarog_instruction in;

	if (!rarog_instruction_decode(j->available - at, j->bytes + at, j->function->address + at,
				      &in))
		return 0;
	if (in.flow == RAROG_FLOW_CALL)
		*ret_kind = rarog_code_link(j->map, in.target);
	else if (in.flow == RAROG_FLOW_INDIRECT_CALL && in.memory_offset)
		*ret_kind = rarog_code_link_word(j->map, in.memory);
	else
		return 0;
	return *ret_kind == RAROG_LINK_MCOUNT || *ret_kind == RAROG_LINK_OWN_MCOUNT ? at + in.length
										    : 0;
}

/* After the call the stack is as at the entry, and what was called has seen the true return
 * address. The C library's can be told it as well, so its call may be displaced. */
static enum rarog_site_verdict try_fentry(const struct rarog_judged *j, struct rarog_site *site)
{
	enum rarog_link_kind kind = RAROG_LINK_NONE;
	size_t offset = fentry_call(j, &kind);
	enum rarog_site_verdict verdict;

	if (offset == 0)
		return try_entry(j, site);
	site->kind = RAROG_SITE_BEHIND_CALL;
	verdict = try_behind(j, offset, site);
	if (verdict == RAROG_SITE_OK)
		return verdict;
	*site = (struct rarog_site){ .kind = RAROG_SITE_CALL };
	return try_entry(j, site);
}

/* A jump of two bytes to one in the nops before the entry. */
static enum rarog_site_verdict try_before(const struct rarog_judged *j, struct rarog_site *site)
{
	uint64_t entry = j->function->address;
	size_t length = 0;
	enum rarog_site_verdict verdict;

	if (entry - j->sled->address < RAROG_PATCH_SIZE || entry <= j->sled->address)
		return RAROG_SITE_SHORT;
	if (rarog_code_reached(j->map, entry - RAROG_PATCH_SIZE, RAROG_PATCH_SIZE,
			       RAROG_REACH_ANY) ||
	    rarog_code_reached(j->map, entry - RAROG_PATCH_SIZE, RAROG_PATCH_SIZE,
			       RAROG_REACH_WRITTEN))
		return RAROG_SITE_TARGET;
	verdict = judge_window(j, 0, RAROG_SHORT_PATCH_SIZE, &length);
	*site = (struct rarog_site){ .kind = RAROG_SITE_NOPS_BEFORE, .length = (uint8_t)length };
	return verdict;
}

/* After the nops, for a program that may write to them. */
static enum rarog_site_verdict try_behind_nops(const struct rarog_judged *j,
					       struct rarog_site *site)
{
	size_t at = endbr_size(j);
	struct rarog_instruction in;

	while (at < RAROG_SLED_REACH - RAROG_INSTRUCTION_MAX &&
	       rarog_instruction_decode(j->available - at, j->bytes + at, j->function->address + at,
					&in) &&
	       in.flow == RAROG_FLOW_NOP)
		at += in.length;
	site->kind = RAROG_SITE_BEHIND_NOPS;
	return try_behind(j, at, site);
}

static enum rarog_site_verdict try_nops(const struct rarog_judged *j, struct rarog_site *site)
{
	struct rarog_site before = { 0 };
	enum rarog_site_verdict verdict;

	if (j->map->reads_sleds)
		return try_behind_nops(j, site);
	verdict = try_entry(j, site);
	site->kind = RAROG_SITE_NOPS;
	if (verdict == RAROG_SITE_OK || try_before(j, &before) != RAROG_SITE_OK)
		return verdict;
	*site = before;
	return RAROG_SITE_OK;
}

static enum rarog_site_verdict try_plain(const struct rarog_judged *j, struct rarog_site *site)
{
	return try_fentry(j, site);
}

static enum rarog_site_verdict try_mcount(const struct rarog_judged *j, struct rarog_site *site)
{
	enum rarog_link_kind kind;

	/* -mnop-mcount leaves nops */
	return fentry_call(j, &kind) ? try_fentry(j, site) : try_nops(j, site);
}

enum rarog_site_verdict rarog_place_find(const struct rarog_judged *j, struct rarog_site *site)
{
	static enum rarog_site_verdict (*const ways[])(const struct rarog_judged *j,
						       struct rarog_site *site) = {
		[RAROG_SLED_NONE] = try_plain,    [RAROG_SLED_NOPS] = try_nops,
		[RAROG_SLED_MCOUNT] = try_mcount, [RAROG_SLED_XRAY_ENTRY] = try_behind_xray,
		[RAROG_SLED_XRAY] = try_plain,
	};

	return ways[j->sled ? j->sled->kind : RAROG_SLED_NONE](j, site);
}

/* XRay's is the one that counts. */
const struct rarog_sled *rarog_place_sled(const struct rarog_binary *binary, uint64_t entry)
{
	const struct rarog_sleds *sleds = &binary->sleds;
	const struct rarog_sled *found = NULL;
	uint64_t from = entry > RAROG_SLED_REACH ? entry - RAROG_SLED_REACH : 0;
	size_t i = rarog_sleds_behind(sleds, from);

	for (; i < sleds->n && sleds->v[i].address <= entry + RAROG_ENDBR_SIZE; i++)
		if (sleds->v[i].entry == entry && sleds->v[i].kind != RAROG_SLED_XRAY &&
		    (!found || found->kind < sleds->v[i].kind))
			found = &sleds->v[i];
	return found;
}
