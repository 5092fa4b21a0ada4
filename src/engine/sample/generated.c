/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A perf map is text: "START SIZE NAME", hexadecimal. A jitdump (linux/tools/perf/Documentation/
 * jitdump-specification.txt) is a head and records:
 *
 *	head: magic "JiTD", version, size of the head, machine, zero, pid, time, flags
 *	record: id, size, time, then
 *	  load (0): pid, tid, vma, address, size, index, name and NUL, code
 *	  move (1): pid, tid, vma, old address, new address, size, index
 *
 * Sources are of processes that may write what they like.
 */
#include "engine/sample/generated.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"

#define FILE_MOST ((size_t)1 << 30)
#define MAGIC     0x4a695444u

enum { HEAD_MIN = 40, RECORD_MIN = 16, LOAD = 0, MOVE = 1, LOAD_MIN = 56, MOVE_MIN = 64 };

static int add(struct rarog_generated *generated, uint64_t start, uint64_t size, uint64_t ns,
	       size_t n, const char name[n])
{
	struct rarog_generated_code code = {
		.start = start, .size = size, .ns = ns, .name = strndup(name, n)
	};

	if (code.name && rarog_vec_push(&generated->list, code) == 0)
		return 0;
	free(code.name);
	return rarog_oom();
}

/* --- perf maps --- */

static int add_line(struct rarog_generated *generated, const char *line)
{
	char *end, *rest;
	uint64_t start = strtoull(line, &end, 16), size;
	size_t n;

	if (end == line || *end != ' ')
		return 0;
	size = strtoull(end + 1, &rest, 16);
	if (rest == end + 1 || *rest != ' ' || size == 0)
		return 0;
	n = strcspn(rest + 1, "\n");
	return n > 0 ? add(generated, start, size, 0, n, rest + 1) : 0;
}

int rarog_generated_map(struct rarog_generated *generated, const char *path)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	int r = rarog_file_read(path, FILE_MOST, &text, NULL);

	if (r < 0) {
		rarog_error_clear();
		return r == -ENOMEM ? rarog_oom() : 0;
	}
	for (const char *at = text; r == 0 && *at; at += strcspn(at, "\n"), at += *at == '\n')
		r = add_line(generated, at);
	return r;
}

/* --- jitdump --- */

static uint32_t word32(const char *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static uint64_t word64(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static int add_load(struct rarog_generated *generated, uint64_t ns, size_t n, const char record[n])
{
	const char *name = record + LOAD_MIN;

	if (n <= LOAD_MIN || !memchr(name, '\0', n - LOAD_MIN))
		return 0;
	return add(generated, word64(record + 32), word64(record + 40), ns, strlen(name), name);
}

static int add_move(struct rarog_generated *generated, uint64_t ns, size_t n, const char record[n])
{
	const struct rarog_generated_code *moved;

	if (n < MOVE_MIN)
		return 0;
	moved = rarog_generated_find(generated, word64(record + 32), ns);
	return moved ? add(generated, word64(record + 40), word64(record + 48), ns,
			   strlen(moved->name), moved->name)
		     : 0;
}

static int add_records(struct rarog_generated *generated, size_t n, const char bytes[n])
{
	size_t at = word32(bytes + 8);
	int r = 0;

	while (r == 0 && at < n && n - at >= RECORD_MIN) {
		uint32_t id = word32(bytes + at), size = word32(bytes + at + 4);
		uint64_t ns = word64(bytes + at + 8);

		if (size < RECORD_MIN || size > n - at)
			break;
		if (id == LOAD)
			r = add_load(generated, ns, size, bytes + at);
		else if (id == MOVE)
			r = add_move(generated, ns, size, bytes + at);
		at += size;
	}
	return r;
}

int rarog_generated_dump(struct rarog_generated *generated, const char *path)
{
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	size_t n = 0;
	int r = rarog_file_read(path, FILE_MOST, &bytes, &n);

	if (r < 0) {
		rarog_error_clear();
		return r == -ENOMEM ? rarog_oom() : 0;
	}
	if (n < HEAD_MIN || word32(bytes) != MAGIC || word32(bytes + 8) < HEAD_MIN)
		return 0;
	return add_records(generated, n, bytes);
}

/* --- looking up --- */

const struct rarog_generated_code *rarog_generated_find(const struct rarog_generated *generated,
							uint64_t address, uint64_t ns)
{
	for (size_t i = generated->list.n; i-- > 0;) {
		const struct rarog_generated_code *code = &generated->list.v[i];

		if (address >= code->start && address - code->start < code->size && code->ns <= ns)
			return code;
	}
	return NULL;
}

void rarog_generated_release(struct rarog_generated *generated)
{
	for (size_t i = 0; i < generated->list.n; i++)
		free(generated->list.v[i].name);
	rarog_vec_release(&generated->list);
}
