/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blow/creators.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/lower-bound.h"
#include "base/str.h"
#include "base/vec.h"
#include "binary/call-graph.h"
#include "process/maps.h"
#include "process/memory.h"
#include "process/namespaces.h"
#include "process/running.h"
#include "process/task.h"

#define STACK_BYTES 8192 /* of glibc's pthread_create() and libstdc++'s are a few hundred */
#define CALL        0xe8
#define CALL_SIZE   5
#define LINKED_SIZE 6 /* call *there(%rip) */

static const char *const functions[] = { "pthread_create", "thrd_create",
					 "_ZNSt6thread15_M_start_threadE" };

struct site {
	uint64_t address, after;
};

struct rarog_blow_creators {
	char *path;
	RAROG_VEC(struct site) sites; /* by after */
	pid_t process;                /* in which the file was looked for last … */
	uint64_t bias;                /* … and where it is there */
};

void rarog_blow_creators_free(struct rarog_blow_creators *creators)
{
	if (!creators)
		return;
	rarog_vec_release(&creators->sites);
	free(creators->path);
	free(creators);
}

static bool creates(const char *name)
{
	for (size_t i = 0; i < RAROG_COUNT(functions); i++)
		if (rarog_starts_with(name, functions[i]))
			return true;
	return false;
}

static int add_edge(struct rarog_blow_creators *creators, const struct rarog_binary *binary,
		    const struct rarog_call_graph *graph, const struct rarog_call_edge *edge)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < edge->n_sites; i++) {
		uint64_t address = graph->sites.v[edge->first_site + i];
		const uint8_t *code = rarog_binary_bytes(binary, address, LINKED_SIZE);
		const struct site site = {
			.address = address,
			.after = address + (code && *code == CALL ? CALL_SIZE : LINKED_SIZE),
		};

		r = rarog_vec_push(&creators->sites, site);
	}
	return r < 0 ? rarog_oom() : 0;
}

static int by_after(const void *left, const void *right)
{
	const struct site *x = left, *y = right;

	return (x->after > y->after) - (x->after < y->after);
}

static int add_sites(struct rarog_blow_creators *creators, struct rarog_binary *binary)
{
	rarog_cleanup(rarog_call_graph_release) struct rarog_call_graph graph = { 0 };
	const struct rarog_call_options options = { 0 };
	int r = rarog_call_graph_read(1, &binary, &options, &graph);

	for (size_t i = 0; r == 0 && i < graph.edges.n; i++)
		if (creates(graph.callees.v[graph.edges.v[i].to].name))
			r = add_edge(creators, binary, &graph, &graph.edges.v[i]);
	if (creators->sites.n > 1)
		qsort(creators->sites.v, creators->sites.n, sizeof(*creators->sites.v), by_after);
	return r;
}

/* Reading all code takes time. */
static bool may_create(const char *path)
{
	return rarog_file_names(path, functions[0]) || rarog_file_names(path, functions[1]) ||
	       rarog_file_names(path, functions[2]);
}

/* What cannot be read tells nothing. */
static int read_sites(struct rarog_blow_creators *creators)
{
	struct rarog_binary *binary = NULL;
	int r = rarog_binary_open(creators->path, &binary);

	if (r == 0)
		r = add_sites(creators, binary);
	rarog_binary_free(binary);
	if (r < 0 && r != -ENOMEM)
		rarog_error_clear();
	return r == -ENOMEM ? r : 0;
}

int rarog_blow_creators_read(const char *name, struct rarog_blow_creators **ret_creators)
{
	rarog_cleanup(rarog_freep) char *path = malloc(PATH_MAX);
	struct rarog_blow_creators *creators;
	int r;

	if (!path)
		return rarog_oom();
	if (rarog_program_find(name, path) < 0 || !may_create(path))
		return 0;
	creators = calloc(1, sizeof(*creators));
	if (!creators)
		return rarog_oom();
	creators->path = realpath(path, NULL);
	r = creators->path ? read_sites(creators) : 0;
	if (r == 0 && creators->sites.n > 0)
		*ret_creators = creators;
	else
		rarog_blow_creators_free(creators);
	return r;
}

/* --- of a thread --- */

/* Threads come in one process as a rule. */
static bool find_bias(struct rarog_blow_creators *creators, pid_t creator)
{
	pid_t process = (pid_t)rarog_process_status(creator, "Tgid:");
	struct rarog_mapped *objects = NULL;
	long n;

	if (process > 0 && process == creators->process)
		return true;
	n = rarog_maps_objects(process, &objects);
	for (long i = 0; i < n; i++)
		if (strcmp(objects[i].path, creators->path) == 0) {
			creators->process = process;
			creators->bias = objects[i].bias;
		}
	if (n > 0)
		rarog_maps_free(n, objects);
	rarog_error_clear();
	return process > 0 && process == creators->process;
}

static uint64_t site_after(const struct rarog_blow_creators *creators, uint64_t address)
{
	const struct site *v = creators->sites.v;
	size_t n = creators->sites.n;
	size_t i = rarog_lower_bound(k, n, v[k].after < address);

	return i < n && v[i].after == address ? v[i].address : 0;
}

static uint64_t find_site(struct rarog_blow_creators *creators, pid_t creator)
{
	uint64_t words[STACK_BYTES / sizeof(uint64_t)];
	struct user_regs_struct regs;
	struct iovec ours = { words, sizeof(words) }, theirs;
	uint64_t site = 0;
	ssize_t got;

	if (!find_bias(creators, creator) || ptrace(PTRACE_GETREGS, creator, NULL, &regs) < 0)
		return 0;
	theirs = (struct iovec){ (void *)(uintptr_t)regs.rsp, sizeof(words) };
	got = rarog_memory_readv(creator, &ours, 1, &theirs);
	for (ssize_t i = 0; !site && i < got / (ssize_t)sizeof(uint64_t); i++)
		site = site_after(creators, words[i] - creators->bias);
	return site;
}

/* What there is no memory for is unknown. */
void rarog_blow_birth_note(void *user, pid_t creator, pid_t tid)
{
	struct rarog_blow_births *births = user;
	struct rarog_blow_birth birth = { .tid = (uint32_t)tid };

	birth.site = find_site(births->creators, creator);
	if (birth.site && rarog_vec_push(&births->v, birth) < 0)
		rarog_error_clear();
}
