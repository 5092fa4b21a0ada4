/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The code is divided into parts, none of which overlap: functions up to where they or the next one
 * begins, then what FDEs tell of besides. Each part is decoded from its start to its end, landing
 * pads and all. Parts of no function follow when it is known which code jumps to them; where none
 * does (only exceptions lead there), what they call may be called by any function.
 */
#include "binary/call-scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/lower-bound.h"
#include "base/str.h"
#include "binary/call-fold.h"
#include "binary/call-roots.h"
#include "binary/instruction.h"

struct reader {
	struct rarog_call_scan *scan;
	struct rarog_code_part *part;
	const uint8_t *code;
	struct rarog_call_handed handed;
	RAROG_VEC(uint32_t) offsets;
	RAROG_VEC(size_t) jumps; /* numbers of indirect jumps through registers or tables */
	bool is_whole;           /* all bytes so far are instructions */
};

/* --- parts --- */

static int by_start(const void *a, const void *b)
{
	const struct rarog_code_part *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static struct rarog_code_part *part_at(const struct rarog_call_scan *scan, uint64_t address)
{
	size_t at = rarog_lower_bound(i, scan->parts.n, scan->parts.v[i].start <= address);
	struct rarog_code_part *part = at > 0 ? &scan->parts.v[at - 1] : NULL;

	return part && address < part->end ? part : NULL;
}

static int add_functions(struct rarog_call_scan *scan)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < scan->n; i++) {
		const struct rarog_function *f = &scan->functions[i];
		uint64_t end = f->address + f->size;

		if (i + 1 < scan->n && f[1].address < end)
			end = f[1].address;
		r = rarog_vec_push(
			&scan->parts,
			(struct rarog_code_part){ f->address, end, i, scan->origin[i], false });
	}
	return r;
}

static int add_others(struct rarog_call_scan *scan)
{
	const struct rarog_eh_frame *frame = &scan->binary->frame;
	uint64_t covered = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < frame->n; i++) {
		const struct rarog_fde *fde = &frame->v[i];
		uint32_t before = rarog_code_function(scan->map, fde->start);
		const struct rarog_function *f =
			before == UINT32_MAX ? NULL : &scan->functions[before];
		uint64_t end = fde->end;

		if (fde->start < covered || (f && fde->start - f->address < f->size) ||
		    !rarog_code_region_of(scan->map, fde->start))
			continue;
		if (before + 1 < scan->n && scan->functions[before + 1].address < end)
			end = scan->functions[before + 1].address;
		covered = end;
		r = rarog_vec_push(&scan->parts,
				   (struct rarog_code_part){ fde->start, end, RAROG_CALL_NOWHERE,
							     RAROG_CALL_NOWHERE, false });
	}
	if (scan->parts.n > 0)
		qsort(scan->parts.v, scan->parts.n, sizeof(*scan->parts.v), by_start);
	return r;
}

/* --- calls --- */

static int add_call(struct reader *r, uint64_t site, const struct rarog_call_target *target,
		    enum rarog_call_kind kind)
{
	struct rarog_raw_call call = { .site = site,
				       .from = r->part->owner,
				       .to = target->function,
				       .import = target->import,
				       .kind = (uint8_t)kind,
				       .is_sure = r->is_whole &&
						  r->part->owner != RAROG_CALL_NOWHERE };

	if (target->is_resolved)
		call.kind = RAROG_CALL_RESOLVED;
	else if (!target->is_entry)
		call.kind = RAROG_CALL_JUMP;
	else if (target->is_linked)
		call.kind = RAROG_CALL_LINKED;
	call.is_sure &= target->is_entry && !target->is_resolved;
	return rarog_vec_push(&r->scan->calls, call);
}

static int add_pointer(struct reader *r, uint64_t site)
{
	return rarog_vec_push(&r->scan->calls,
			      (struct rarog_raw_call){ .site = site,
						       .from = r->part->owner,
						       .to = RAROG_CALL_NOWHERE,
						       .import = RAROG_CALL_NOWHERE,
						       .kind = RAROG_CALL_POINTER });
}

static int note_call(struct reader *r, uint64_t site, const struct rarog_instruction *in)
{
	struct rarog_call_target target;
	bool known;

	if (in->flow == RAROG_FLOW_CALL && in->target == site + in->length)
		return 0; /* asks where it is */
	known = in->flow == RAROG_FLOW_CALL
			? rarog_call_target_at(r->scan, in->target, &target)
			: in->memory_offset && rarog_call_target_word(r->scan, in->memory, &target);
	if (rarog_call_handed_over(&r->handed, r->scan, r->part, known ? &target : NULL) < 0)
		return -ENOMEM;
	if (known)
		return add_call(r, site, &target, RAROG_CALL_DIRECT);
	return in->flow == RAROG_FLOW_CALL ? 0 : add_pointer(r, site);
}

static bool is_inside(const struct reader *r, uint64_t address)
{
	return address - r->part->start < r->part->end - r->part->start;
}

/* An own part of which nothing was left: what cannot happen jumps to where it would be. */
static bool is_empty_part(const struct reader *r, const struct rarog_code_part *part)
{
	const struct rarog_function *own = &r->scan->functions[r->part->owner];
	const struct rarog_function *f = &r->scan->functions[part->function];
	size_t n = rarog_call_fold_name(own);

	for (uint32_t i = 0; i < f->n_aliases; i++)
		if (strncmp(f->aliases[i], own->name, n) == 0 &&
		    rarog_starts_with(f->aliases[i] + n, ".cold"))
			return true;
	return false;
}

/* From a cold part back to the function: both together may be a loop. */
static void note_return(struct reader *r)
{
	bool is_part = r->part->function == RAROG_CALL_NOWHERE ||
		       r->scan->functions[r->part->function].flags & RAROG_FUNCTION_COLD;

	if (is_part && r->part->owner != RAROG_CALL_NOWHERE)
		r->scan->is_unsteady[r->part->owner] = true;
}

/* Out of the part: to another part of the function, or to another function. */
static int note_jump(struct reader *r, uint64_t site, const struct rarog_instruction *in)
{
	struct rarog_code_part *part = part_at(r->scan, in->target);
	struct rarog_call_target target;

	if (part && part->function == RAROG_CALL_NOWHERE && part->owner == RAROG_CALL_NOWHERE)
		part->owner = r->part->owner;
	if (part && part->owner == r->part->owner) {
		note_return(r);
		return 0;
	}
	if (part && part->function == RAROG_CALL_NOWHERE) {
		target = (struct rarog_call_target){ .function = part->owner,
						     .import = RAROG_CALL_NOWHERE };
		return add_call(r, site, &target, RAROG_CALL_JUMP);
	}
	if (part && r->part->owner != RAROG_CALL_NOWHERE && is_empty_part(r, part))
		return 0;
	return rarog_call_target_at(r->scan, in->target, &target)
		       ? add_call(r, site, &target, RAROG_CALL_TAIL)
		       : 0;
}

static int note_indirect_jump(struct reader *r, uint64_t site, const struct rarog_instruction *in)
{
	struct rarog_call_target target;

	if (!in->memory_offset)
		return rarog_vec_push(&r->jumps, r->offsets.n - 1);
	return rarog_call_target_word(r->scan, in->memory, &target)
		       ? add_call(r, site, &target, RAROG_CALL_TAIL)
		       : add_pointer(r, site);
}

/* What takes as long as registers or the system say. */
static bool is_unsteady(const uint8_t *code, const struct rarog_instruction *in)
{
	bool is_string = (in->opcode >= 0xa4 && in->opcode <= 0xa7) ||
			 (in->opcode >= 0xaa && in->opcode <= 0xaf);

	for (unsigned i = 0; is_string && i < in->opcode_offset; i++)
		if (code[i] == 0xf2 || code[i] == 0xf3)
			return true;
	return in->flow == RAROG_FLOW_SYSTEM;
}

static int note(struct reader *r, uint64_t site, const struct rarog_instruction *in)
{
	int rc = rarog_call_note_taken(&r->handed, r->scan, r->part,
				       r->code + (site - r->part->start), in);

	if (rc < 0)
		return rc;
	if (r->part->owner != RAROG_CALL_NOWHERE)
		r->scan->is_unsteady[r->part->owner] |=
			is_unsteady(r->code + (site - r->part->start), in);
	if (in->flow == RAROG_FLOW_CALL || in->flow == RAROG_FLOW_INDIRECT_CALL)
		return note_call(r, site, in);
	if (in->flow == RAROG_FLOW_INDIRECT_JUMP)
		return note_indirect_jump(r, site, in);
	if (in->relative_size && !is_inside(r, in->target))
		return note_jump(r, site, in);
	return 0;
}

/* --- a part --- */

static bool is_of_owner(const void *context, const struct rarog_code_run *run, uint64_t target)
{
	const struct rarog_call_scan *scan = context;
	const struct rarog_code_part *own = part_at(scan, run->start),
				     *part = part_at(scan, target);

	return own && part && own->owner == part->owner && own->owner != RAROG_CALL_NOWHERE;
}

static int note_tables(struct reader *r)
{
	struct rarog_code_run run = { r->part->start, (uint32_t)(r->part->end - r->part->start),
				      r->code, r->offsets.n, r->offsets.v };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->jumps.n; i++) {
		struct rarog_raw_table raw = { .function = r->part->owner };

		if (rarog_jump_table_find(r->scan->map, &r->scan->words, &run, r->jumps.v[i],
					  is_of_owner, r->scan, &raw.table))
			rc = rarog_vec_push(&r->scan->tables, raw);
		else
			rc = add_pointer(r, run.start + run.offsets[r->jumps.v[i]]);
	}
	return rc;
}

/* Hand-written code may go on into what follows it. */
static int note_end(struct reader *r, const struct rarog_instruction *last)
{
	const struct rarog_code_part *next = r->part + 1;
	struct rarog_call_target target = { .import = RAROG_CALL_NOWHERE };

	if (next == r->scan->parts.v + r->scan->parts.n || next->start != r->part->end ||
	    next->owner == r->part->owner || next->owner == RAROG_CALL_NOWHERE ||
	    !rarog_flow_goes_on(last->flow) || last->flow == RAROG_FLOW_BREAK ||
	    last->flow == RAROG_FLOW_CALL || last->flow == RAROG_FLOW_INDIRECT_CALL)
		return 0;
	target.function = next->owner;
	return add_call(r, r->part->end, &target, RAROG_CALL_JUMP);
}

static int decode(struct reader *r)
{
	uint64_t start = r->part->start, size = r->part->end - start;
	struct rarog_instruction in = { 0 }, last = { .flow = RAROG_FLOW_STOP };
	int rc = 0;

	for (uint64_t at = 0; rc == 0 && at < size; at += in.length) {
		if (!rarog_instruction_scan(size - at, r->code + at, start + at, &in)) {
			r->is_whole = false;
			in.length = 1;
			continue;
		}
		if (in.flow != RAROG_FLOW_NOP)
			last = in;
		rc = rarog_vec_push(&r->offsets, (uint32_t)at);
		if (rc == 0)
			rc = note(r, start + at, &in);
	}
	if (rc == 0)
		rc = note_end(r, &last);
	return rc < 0 ? rc : note_tables(r);
}

static int read_part(struct rarog_call_scan *scan, struct rarog_code_part *part)
{
	uint64_t size = part->end - part->start;
	struct reader r = { .scan = scan,
			    .part = part,
			    .code = size < INT32_MAX
					    ? rarog_binary_bytes(scan->binary, part->start, size)
					    : NULL,
			    .is_whole = true };
	int rc = r.code ? decode(&r) : 0;

	part->is_read = true;
	if (part->owner != RAROG_CALL_NOWHERE && (!r.code || !r.is_whole))
		scan->is_unread[part->owner] = true;
	rarog_vec_release(&r.offsets);
	rarog_vec_release(&r.jumps);
	return rc < 0 ? rarog_oom() : 0;
}

/* Those of functions first; then again and again those that were jumped to; at last the others. */
static int read_parts(struct rarog_call_scan *scan)
{
	bool again = true, others = false;
	int r = 0;

	while (r == 0 && (again || !others)) {
		others = !again;
		again = false;
		for (size_t i = 0; r == 0 && i < scan->parts.n; i++) {
			struct rarog_code_part *part = &scan->parts.v[i];

			if (part->is_read || (part->owner == RAROG_CALL_NOWHERE && !others))
				continue;
			r = read_part(scan, part);
			again = true;
		}
	}
	return r;
}

/* --- the file --- */

static int make_room(struct rarog_call_scan *scan)
{
	scan->origin = calloc((size_t)scan->n + 1, sizeof(*scan->origin));
	scan->roots = calloc((size_t)scan->n + 1, sizeof(*scan->roots));
	scan->is_unread = calloc((size_t)scan->n + 1, sizeof(*scan->is_unread));
	scan->is_unsteady = calloc((size_t)scan->n + 1, sizeof(*scan->is_unsteady));
	scan->is_import_taken = calloc(scan->imports->list.n + 1, sizeof(bool));
	return scan->origin && scan->roots && scan->is_unread && scan->is_unsteady &&
			       scan->is_import_taken
		       ? 0
		       : rarog_oom();
}

int rarog_call_scan_read(const struct rarog_binary *binary, bool keep_parts,
			 struct rarog_call_scan *ret_scan)
{
	int r;

	*ret_scan = (struct rarog_call_scan){ .binary = binary };
	r = rarog_code_graphs_new(binary, &ret_scan->graphs);
	if (r < 0)
		return r;
	ret_scan->map = rarog_code_graphs_map(ret_scan->graphs);
	ret_scan->imports = rarog_code_graphs_imports(ret_scan->graphs);
	ret_scan->functions = ret_scan->map->functions;
	ret_scan->n = (uint32_t)ret_scan->map->n_functions;
	r = make_room(ret_scan);
	if (r == 0)
		r = rarog_filled_words_read(binary, &ret_scan->words);
	if (r == 0)
		r = rarog_call_fold(binary, keep_parts, ret_scan->origin);
	if (r == 0)
		r = add_functions(ret_scan);
	if (r == 0)
		r = add_others(ret_scan);
	if (r == 0)
		r = read_parts(ret_scan);
	return r < 0 ? r : rarog_call_roots_read(ret_scan);
}

void rarog_call_scan_release(struct rarog_call_scan *scan)
{
	rarog_code_graphs_free(scan->graphs);
	rarog_filled_words_release(&scan->words);
	free(scan->origin);
	free(scan->roots);
	free(scan->is_unread);
	free(scan->is_unsteady);
	free(scan->is_import_taken);
	rarog_vec_release(&scan->parts);
	rarog_vec_release(&scan->calls);
	rarog_vec_release(&scan->takes);
	rarog_vec_release(&scan->backs);
	rarog_vec_release(&scan->tables);
}
