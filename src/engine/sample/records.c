/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sample is a row of fields, each there if its bit of sample_type is set; every other record ends
 * with thread and time (sample_id_all). Sizes inside a record are never trusted.
 */
#include "engine/sample/records.h"

#include <errno.h>
#include <string.h>

/* sample_id_all with PERF_SAMPLE_TID | PERF_SAMPLE_TIME */
struct sample_id {
	uint32_t pid, tid;
	uint64_t time;
};

/* What is left of a record. */
struct rest {
	const uint8_t *at, *end;
	bool is_short;
};

static const void *take(struct rest *rest, size_t n)
{
	const uint8_t *at = rest->at;

	if (rest->is_short || n > (size_t)(rest->end - at)) {
		rest->is_short = true;
		return NULL;
	}
	rest->at += n;
	return at;
}

static uint64_t take_word(struct rest *rest)
{
	const void *at = take(rest, sizeof(uint64_t));
	uint64_t word = 0;

	if (at)
		memcpy(&word, at, sizeof(word));
	return word;
}

static struct rest body_of(const struct perf_event_header *header)
{
	const uint8_t *at = (const uint8_t *)header;

	return (struct rest){ at + sizeof(*header), at + header->size,
			      header->size < sizeof(*header) };
}

/* --- samples --- */

static void take_thread(struct rest *rest, struct rarog_sample_record *record)
{
	const uint32_t *ids = take(rest, 2 * sizeof(*ids));

	record->pid = ids ? ids[0] : 0;
	record->tid = ids ? ids[1] : 0;
	record->ns = take_word(rest);
}

static void take_chain(struct rest *rest, struct rarog_sample_record *record)
{
	uint64_t n = take_word(rest);

	if (n > (size_t)(rest->end - rest->at) / sizeof(uint64_t))
		rest->is_short = true;
	else
		record->chain = take(rest, n * sizeof(uint64_t));
	record->n_chain = record->chain ? n : 0;
}

static void take_registers(struct rest *rest, struct rarog_sample_record *record)
{
	uint64_t abi = take_word(rest);

	if (abi != PERF_SAMPLE_REGS_ABI_NONE)
		record->registers = take(rest, RAROG_SAMPLE_REGISTERS * sizeof(uint64_t));
	record->is_64_bit = abi == PERF_SAMPLE_REGS_ABI_64;
}

/* As many bytes as the record has room for, then how many of them were there. */
static void take_stack(struct rest *rest, struct rarog_sample_record *record)
{
	uint64_t size = take_word(rest), filled;

	if (size == 0)
		return;
	if (size > (size_t)(rest->end - rest->at))
		rest->is_short = true;
	record->stack = take(rest, size);
	filled = take_word(rest);
	record->n_stack = record->stack ? (filled < size ? filled : size) : 0;
}

static int read_sample(uint64_t type, const struct perf_event_header *header,
		       struct rarog_sample_record *record)
{
	struct rest rest = body_of(header);

	record->kind = RAROG_SAMPLE_SAMPLE;
	take_thread(&rest, record);
	record->period = take_word(&rest);
	if (type & PERF_SAMPLE_CALLCHAIN)
		take_chain(&rest, record);
	if (type & PERF_SAMPLE_REGS_USER)
		take_registers(&rest, record);
	if (type & PERF_SAMPLE_STACK_USER)
		take_stack(&rest, record);
	return rest.is_short ? -EBADMSG : 1;
}

/* --- all others --- */

/* Cuts thread and time off the end of @rest. */
static void take_id(struct rest *rest, struct rarog_sample_record *record)
{
	struct sample_id id = { 0 };

	if (rest->is_short || (size_t)(rest->end - rest->at) < sizeof(id)) {
		rest->is_short = true;
		return;
	}
	rest->end -= sizeof(id);
	memcpy(&id, rest->end, sizeof(id));
	record->pid = id.pid;
	record->tid = id.tid;
	record->ns = id.time;
}

static const char *take_name(struct rest *rest)
{
	const char *name = (const char *)rest->at;

	if (rest->is_short || !memchr(name, '\0', (size_t)(rest->end - rest->at)))
		rest->is_short = true;
	return rest->is_short ? "" : name;
}

/* What every record of a task begins with: its task, which may be another than the one that caused
 * it. */
static void take_owner(struct rest *rest, struct rarog_sample_record *record)
{
	const uint32_t *ids = take(rest, 2 * sizeof(*ids));

	record->pid = ids ? ids[0] : 0;
	record->tid = ids ? ids[1] : 0;
}

#define BUILD_ID_MOST 20 /* bytes */

/* Size, three bytes of nothing, the build-id; protection, flags */
static void take_build_id(struct rest *rest, struct rarog_sample_record *record)
{
	const uint8_t *size = take(rest, 4), *id = take(rest, BUILD_ID_MOST);

	take(rest, 8);
	record->n_build_id = size && id && *size <= BUILD_ID_MOST ? *size : 0;
	record->build_id = id;
}

/* Device, inode, generation; protection, flags */
static struct rarog_file_id take_file(struct rest *rest)
{
	const uint32_t *device = take(rest, 2 * sizeof(*device));
	struct rarog_file_id id = { .inode = take_word(rest) };

	take(rest, 16);
	id.major = device ? device[0] : 0;
	id.minor = device ? device[1] : 0;
	return id;
}

static void read_map(struct rest *rest, const struct perf_event_header *header,
		     struct rarog_sample_record *record)
{
	record->kind = RAROG_SAMPLE_MAP;
	take_owner(rest, record);
	record->start = take_word(rest);
	record->size = take_word(rest);
	record->offset = take_word(rest);
	if (header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
		take_build_id(rest, record);
	else if (header->type == PERF_RECORD_MMAP2)
		record->file = take_file(rest);
	record->name = take_name(rest);
}

static void read_name(struct rest *rest, uint16_t misc, struct rarog_sample_record *record)
{
	record->kind = misc & PERF_RECORD_MISC_COMM_EXEC ? RAROG_SAMPLE_EXEC : RAROG_SAMPLE_NAME;
	take_owner(rest, record);
	record->name = take_name(rest);
}

/* pid, parent's pid, tid, parent's tid, time */
static void read_task(struct rest *rest, enum rarog_sample_record_kind kind,
		      struct rarog_sample_record *record)
{
	const uint32_t *ids = take(rest, 4 * sizeof(*ids));

	record->kind = kind;
	record->pid = ids ? ids[0] : 0;
	record->parent = ids ? ids[1] : 0;
	record->tid = ids ? ids[2] : 0;
}

static void read_switch(uint16_t misc, struct rarog_sample_record *record)
{
	record->kind = misc & PERF_RECORD_MISC_SWITCH_OUT ? RAROG_SAMPLE_OUT : RAROG_SAMPLE_IN;
	record->is_preempted = misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
}

static void read_lost(struct rest *rest, struct rarog_sample_record *record)
{
	record->kind = RAROG_SAMPLE_LOST;
	take_word(rest);
	record->lost = take_word(rest);
}

int rarog_sample_record_read(uint64_t sample_type, const struct perf_event_header *header,
			     struct rarog_sample_record *ret_record)
{
	struct rarog_sample_record record = { 0 };
	struct rest rest = body_of(header);

	if (header->type == PERF_RECORD_SAMPLE) {
		int r = read_sample(sample_type, header, &record);

		*ret_record = record;
		return r;
	}
	take_id(&rest, &record);
	switch (header->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		read_map(&rest, header, &record);
		break;
	case PERF_RECORD_COMM:
		read_name(&rest, header->misc, &record);
		break;
	case PERF_RECORD_FORK:
		read_task(&rest, RAROG_SAMPLE_FORK, &record);
		break;
	case PERF_RECORD_EXIT:
		read_task(&rest, RAROG_SAMPLE_EXIT, &record);
		break;
	case PERF_RECORD_SWITCH:
		read_switch(header->misc, &record);
		break;
	case PERF_RECORD_LOST:
		read_lost(&rest, &record);
		break;
	default:
		return 0;
	}
	*ret_record = record;
	return rest.is_short ? -EBADMSG : 1;
}

uint64_t rarog_sample_record_time(const struct perf_event_header *header)
{
	struct rarog_sample_record record = { 0 };
	struct rest rest = body_of(header);

	if (header->type == PERF_RECORD_SAMPLE)
		take_thread(&rest, &record);
	else
		take_id(&rest, &record);
	return record.ns;
}
