/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the call graph of the file alone: calls that come from libraries, or through pointers, are
 * not counted. */
#include "blow/code-facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "binary/call-graph.h"
#include "blow/waits.h"
#include "plan/place-set.h"

struct rarog_blow_code {
	struct rarog_call_graph graph;
};

/* Functions of C that read, write, or wait for a descriptor, without underscores before them and
 * suffixes for large files. */
static const char *const io[] = {
	"accept",    "accept4", "close",    "connect",  "dprintf", "epoll_wait", "fclose",
	"fdatasync", "fflush",  "fgetc",    "fgets",    "fopen",   "fprintf",    "fputc",
	"fputs",     "fread",   "fscanf",   "fsync",    "fwrite",  "getc",       "getchar",
	"getdelim",  "getline", "open",     "openat",   "poll",    "pread",      "preadv",
	"printf",    "putc",    "putchar",  "puts",     "pwrite",  "pwritev",    "read",
	"readv",     "recv",    "recvfrom", "recvmsg",  "scanf",   "select",     "send",
	"sendfile",  "sendmsg", "sendto",   "vfprintf", "vprintf", "write",      "writev",
};

static bool is_called(const char *name, const char *wanted)
{
	size_t n = strlen(wanted);

	return strncmp(name, wanted, n) == 0 &&
	       (name[n] == '\0' || name[n] == '@' || strcmp(name + n, "64") == 0 ||
		strcmp(name + n, "_chk") == 0);
}

static bool does_io(const char *name)
{
	if (strncmp(name, "_IO_", 4) == 0)
		return true;
	name += strspn(name, "_");
	for (size_t i = 0; i < RAROG_COUNT(io); i++)
		if (is_called(name, io[i]))
			return true;
	return false;
}

static bool waits(const char *name)
{
	return rarog_blow_settles("", name) & RAROG_SETTLE_WAITS;
}

int rarog_blow_code_read(const char *path, struct rarog_blow_code **ret_code)
{
	const struct rarog_call_options options = { 0 };
	struct rarog_blow_code *code = calloc(1, sizeof(*code));
	struct rarog_binary *binary = NULL;
	int r = code ? rarog_binary_open(path, &binary) : rarog_oom();

	if (r == 0)
		r = rarog_call_graph_read(1, &binary, &options, &code->graph);
	rarog_binary_free(binary);
	if (r < 0)
		rarog_blow_code_free(code);
	else
		*ret_code = code;
	return r;
}

void rarog_blow_code_free(struct rarog_blow_code *code)
{
	if (code)
		rarog_call_graph_release(&code->graph);
	free(code);
}

static uint32_t find(const struct rarog_call_graph *graph, uint64_t address)
{
	for (uint32_t i = 0; i < graph->callees.n; i++)
		if (graph->callees.v[i].kind == RAROG_CALLEE_FUNCTION &&
		    graph->callees.v[i].address == address)
			return i;
	return RAROG_CALL_NOWHERE;
}

static void add_name(const char *name, struct rarog_blow_code_facts *facts)
{
	facts->does_io |= does_io(name);
	facts->locks |= waits(name);
}

struct rarog_blow_code_facts rarog_blow_code_facts(const struct rarog_blow_code *code,
						   uint64_t address)
{
	const struct rarog_call_graph *graph = &code->graph;
	struct rarog_blow_code_facts facts = { 0 };
	uint32_t at = find(graph, address);

	if (at == RAROG_CALL_NOWHERE)
		return facts;
	facts.varies = graph->callees.v[at].flags & RAROG_CALLEE_VARYING;
	add_name(graph->callees.v[at].name, &facts);
	for (size_t i = 0; i < graph->edges.n; i++) {
		const struct rarog_call_edge *edge = &graph->edges.v[i];

		if (edge->to == at)
			facts.n_sites += edge->n_sites;
		if (edge->from == at && edge->to < graph->callees.n)
			add_name(graph->callees.v[edge->to].name, &facts);
	}
	return facts;
}
