/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The same proof as for a function's entry (patch-window.h), but that anything may lead to the
 * first byte: it comes to the jump instead.
 */
#include "binary/mark-site.h"

#include <string.h>

#include "base/error.h"
#include "base/lower-bound.h"
#include "binary/code-map.h"
#include "binary/instruction.h"
#include "binary/patch-window.h"

#define LONG_NOP 5

/* Where the trial puts its copy. */
#define TRIAL_DISTANCE (64ull << 20)

static const char *const reasons[RAROG_MARK_VERDICTS] = {
	[RAROG_MARK_OK] = "can be measured",
	[RAROG_MARK_NOWHERE] = "is in no function",
	[RAROG_MARK_MIDDLE] = "is not where an instruction begins",
	[RAROG_MARK_TARGET] = "has a branch target in the five bytes that a jump needs",
	[RAROG_MARK_END] = "is less than five bytes before its function's end",
	[RAROG_MARK_MOVE] = "stands before an instruction that cannot be moved",
	[RAROG_MARK_WRITTEN] = "is changed by the loader or by the program itself",
	[RAROG_MARK_EARLY] = "is in a function that runs while the program is loaded",
	[RAROG_MARK_TAKEN] = "cannot be told from another probe that is too near",
	[RAROG_MARK_STACK] = "is in code without unwind information, so its stack is unknown",
};

static const uint8_t from_window[RAROG_SITE_VERDICTS] = {
	[RAROG_SITE_SHORT] = RAROG_MARK_END,       [RAROG_SITE_TARGET] = RAROG_MARK_TARGET,
	[RAROG_SITE_DECODE] = RAROG_MARK_MIDDLE,   [RAROG_SITE_RELOCATE] = RAROG_MARK_MOVE,
	[RAROG_SITE_TEXTREL] = RAROG_MARK_WRITTEN, [RAROG_SITE_SLED] = RAROG_MARK_WRITTEN,
};

const char *rarog_mark_reason(enum rarog_mark_verdict verdict)
{
	return (unsigned)verdict < RAROG_MARK_VERDICTS ? reasons[verdict] : "is unknown";
}

static bool decode(const struct rarog_code_region *region, uint64_t address,
		   struct rarog_instruction *ret)
{
	uint64_t offset = address - region->start;

	return rarog_instruction_decode(region->size - offset, region->bytes + offset, address,
					ret);
}

/* The instructions that the jump may begin with are at most so far before the mark. */
#define BEFORE_MOST 24

/* Where instructions begin in a function, read one after the other from its entry, as far as was
 * asked so far: many marks may be in one. */
struct reading {
	const struct rarog_code_region *region;
	const struct rarog_function *function;
	RAROG_VEC(uint64_t) starts; /* in order … */
	uint64_t at;                /* … and what is after them */
};

static int read_to(struct reading *reading, const struct rarog_code_region *region,
		   const struct rarog_function *function, uint64_t address)
{
	struct rarog_instruction in;

	if (reading->function != function) {
		reading->region = region;
		reading->function = function;
		reading->starts.n = 0;
		reading->at = function->address;
	}
	for (; reading->at <= address && decode(region, reading->at, &in); reading->at += in.length)
		if (rarog_vec_push(&reading->starts, reading->at) < 0)
			return rarog_oom();
	return 0;
}

/* How many begin before @address. */
static size_t starts_before(const struct reading *reading, uint64_t address)
{
	return rarog_lower_bound(i, reading->starts.n, reading->starts.v[i] < address);
}

static bool is_reached(const struct reading *reading, uint64_t address)
{
	size_t n = starts_before(reading, address);

	return n < reading->starts.n ? reading->starts.v[n] == address : reading->at == address;
}

/* A nop is believed to be an instruction: functions may have data in them. */
static bool is_instruction(const struct reading *reading, uint64_t address)
{
	struct rarog_instruction in;

	return (decode(reading->region, address, &in) && in.flow == RAROG_FLOW_NOP) ||
	       is_reached(reading, address);
}

static enum rarog_site_verdict judge_window(const struct rarog_code_map *map, size_t function,
					    uint64_t start, size_t size, size_t *ret_length)
{
	const struct rarog_function *f = &map->functions[function];
	struct rarog_window window = {
		.map = map,
		.entry = start,
		.end = f->address + f->size,
		.next = function + 1 < map->n_functions ? map->functions[function + 1].address
							: UINT64_MAX,
		.start = start,
		.size = size,
	};

	return rarog_window_judge(&window, ret_length);
}

/* Places before @address at which instructions begin, the nearest first. Return: their number. */
static size_t find_starts(const struct reading *reading, uint64_t address,
			  uint64_t ret_starts[BEFORE_MOST])
{
	size_t k = starts_before(reading, address), n = 0;

	if (!is_reached(reading, address))
		return 0;
	while (k > 0 && address - reading->starts.v[k - 1] <= BEFORE_MOST)
		ret_starts[n++] = reading->starts.v[--k];
	return n;
}

static bool is_call(const struct rarog_instruction *in)
{
	return in->flow == RAROG_FLOW_CALL || in->flow == RAROG_FLOW_INDIRECT_CALL;
}

bool rarog_mark_divides(const struct rarog_binary *binary, uint64_t start, uint64_t end,
			bool is_last)
{
	const uint8_t *code = rarog_binary_bytes(binary, start, end - start);
	uint8_t out[RAROG_BODY_MAX];
	uint64_t at = start;
	struct rarog_instruction in;

	while (code && at < end &&
	       rarog_instruction_decode(end - at, code + (at - start), at, &in)) {
		if (!is_last && (!rarog_flow_goes_on(in.flow) || is_call(&in)))
			return false; /* what is called returns to the original */
		at += in.length;
	}
	return code && at == end &&
	       rarog_relocate(end - start, code, start, start + TRIAL_DISTANCE, sizeof(out), out) >=
		       0;
}

/* A jump before the mark: no other way may lead to what is between them, or to the mark. */
static bool find_before(const struct rarog_code_map *map, const struct reading *reading,
			size_t function, uint64_t address, struct rarog_mark_site *site)
{
	uint64_t starts[BEFORE_MOST];
	size_t n = find_starts(reading, address, starts), length;
	struct rarog_instruction in;

	if (!decode(reading->region, address, &in))
		return false;
	for (size_t i = 0;
	     i < n && !rarog_code_reached(map, starts[i] + 1, address - starts[i], RAROG_REACH_ANY);
	     i++) {
		size_t before = address - starts[i], size = before + in.length;

		size = size < RAROG_PATCH_SIZE ? RAROG_PATCH_SIZE : size;
		if (judge_window(map, function, starts[i], size, &length) != RAROG_SITE_OK ||
		    !rarog_mark_divides(map->binary, starts[i], address, false))
			continue;
		site->before = (uint8_t)before;
		site->length = (uint8_t)(length - before);
		return true;
	}
	return false;
}

static void find_place(const struct rarog_code_map *map, const struct reading *reading,
		       size_t function, uint64_t address, struct rarog_mark_site *site)
{
	size_t length = 0;

	site->verdict =
		from_window[judge_window(map, function, address, RAROG_PATCH_SIZE, &length)];
	site->length = (uint8_t)length;
	if (site->verdict != RAROG_MARK_OK && find_before(map, reading, function, address, site))
		site->verdict = RAROG_MARK_OK;
}

struct rarog_return_place rarog_mark_return_place(const struct rarog_binary *binary,
						  uint64_t address)
{
	return rarog_eh_frame_return_place(&binary->frame, address);
}

static int judge(const struct rarog_code_map *map, struct reading *reading, uint64_t address,
		 struct rarog_mark_site *ret_site)
{
	const struct rarog_code_region *region = rarog_code_region_of(map, address);
	long function = rarog_binary_find(map->binary, address);
	struct rarog_mark_site site = { .verdict = RAROG_MARK_NOWHERE };
	struct rarog_instruction in;
	int r;

	*ret_site = site;
	if (!region || function < 0 || map->functions[function].address < region->start)
		return 0;
	r = read_to(reading, region, &map->functions[function], address);
	if (r < 0)
		return r;
	site.return_place = rarog_mark_return_place(map->binary, address);
	site.has_frame = rarog_eh_frame_find(&map->binary->frame, address) != NULL;
	site.is_long_nop =
		decode(region, address, &in) && in.flow == RAROG_FLOW_NOP && in.length == LONG_NOP;
	if (map->functions[function].flags & RAROG_FUNCTION_IFUNC)
		site.verdict = RAROG_MARK_EARLY;
	else if (!is_instruction(reading, address))
		site.verdict = RAROG_MARK_MIDDLE;
	else
		find_place(map, reading, (size_t)function, address, &site);
	*ret_site = site;
	return 0;
}

int rarog_mark_sites(const struct rarog_binary *binary, size_t n, const uint64_t addresses[n],
		     struct rarog_mark_site ret_sites[n])
{
	rarog_cleanup(rarog_code_map_release) struct rarog_code_map map = { .binary = binary };
	struct reading reading = { 0 };
	int r = rarog_code_map_init(&map, binary);

	for (size_t i = 0; r == 0 && i < n; i++)
		r = judge(&map, &reading, addresses[i], &ret_sites[i]);
	rarog_vec_release(&reading.starts);
	return r;
}
