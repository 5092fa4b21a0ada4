/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libbpf loads the programs; links are made by the system call itself, because libbpf learnt of
 * uprobe_multi and of sessions later than the kernels that have them. The numbers below are the
 * kernel's (include/uapi/linux/bpf.h), which older headers do not have.
 */
#include "engine/ebpf/kernel.h"

#include <assert.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/vec.h"
#include "engine/ebpf/abilities.h"
#include "engine/ebpf/explain.h"
#include "engine/ebpf/kernel-state.h"
#include "engine/ebpf/messages.h"
#include "engine/ebpf/split.h"
#include "engine/ebpf/target.h"
#include "engine/ebpf/walk.h"

extern const unsigned char rarog_ebpf_object[], rarog_ebpf_object_end[];

const char *rarog_ebpf_links_name(enum rarog_ebpf_links links)
{
	static const char *const names[RAROG_EBPF_LINKS] = {
		[RAROG_EBPF_SESSIONS] = "sessions (entry and return in one probe)",
		[RAROG_EBPF_MULTI] = "many probes at once",
		[RAROG_EBPF_SINGLE] = "single probes only",
	};

	return names[links];
}

enum rarog_ebpf_links rarog_ebpf_kernel_links(const struct rarog_ebpf_kernel *kernel)
{
	return kernel->links;
}

bool rarog_ebpf_kernel_is_split(const struct rarog_ebpf_kernel *kernel)
{
	return kernel->split != NULL;
}

/* --- loading --- */

static struct bpf_map *find_map(const struct rarog_ebpf_kernel *k, const char *name)
{
	return bpf_object__find_map_by_name(k->object, name);
}

int rarog_ebpf_kernel_map(const struct rarog_ebpf_kernel *k, const char *name)
{
	return bpf_map__fd(find_map(k, name));
}

/* What a mode does not use is kept small. */
static int choose_sizes(struct rarog_ebpf_kernel *k)
{
	const struct rarog_ebpf_kernel_options *o = &k->options;
	bool has_events = o->mode == RAROG_EBPF_EVENTS || o->mode == RAROG_EBPF_VALUES;
	bool has_sums = o->mode == RAROG_EBPF_SUMS;
	const struct {
		const char *map;
		bool is_used;
		uint32_t n;
	} sizes[] = {
		{ "counts", o->mode == RAROG_EBPF_COUNTS, o->n_probes },
		{ "functions", o->skips || o->n_sets > 0, o->n_probes },
		{ "skips", o->skips, RAROG_EBPF_SUMS_MAX },
		{ "value_sets", o->n_sets > 0, o->n_sets },
		{ "marks", o->n_marks > 0, o->n_marks },
		{ "sums", has_sums, RAROG_EBPF_SUMS_MAX },
		{ "nodes", has_sums, RAROG_EBPF_NODES_MAX },
		{ "branches", has_sums, RAROG_EBPF_NODES_MAX },
		{ "buckets", has_sums, RAROG_EBPF_BUCKETS_MAX },
	};
	uint32_t ring = has_events ? RAROG_EBPF_RING_BYTES : RAROG_EBPF_NOTES_BYTES;
	int r = bpf_map__set_max_entries(find_map(k, "events"), ring);

	for (size_t i = 0; r == 0 && i < RAROG_COUNT(sizes); i++)
		r = bpf_map__set_max_entries(find_map(k, sizes[i].map),
					     sizes[i].is_used && sizes[i].n ? sizes[i].n : 1);
	return r;
}

static int fill(const struct rarog_ebpf_kernel *k, const char *map, uint32_t n, size_t size,
		const void *values)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && values && i < n; i++)
		r = bpf_map_update_elem(rarog_ebpf_kernel_map(k, map), &i,
					(const char *)values + i * size, BPF_ANY);
	return r;
}

static int open_object(struct rarog_ebpf_kernel *k)
{
	size_t size = (size_t)(rarog_ebpf_object_end - rarog_ebpf_object);

	k->object = bpf_object__open_mem(rarog_ebpf_object, size, NULL);
	return k->object ? 0 : -errno;
}

/* What the programs are to know of functions, before anything is attached. */
static int fill_tables(struct rarog_ebpf_kernel *k)
{
	const struct rarog_ebpf_kernel_options *o = &k->options;
	int r = 0;

	if (o->skips || o->n_sets > 0)
		r = fill(k, "functions", o->n_probes, sizeof(*o->functions), o->functions);
	if (r == 0)
		r = fill(k, "value_sets", o->n_sets, sizeof(*o->sets), o->sets);
	return r < 0 ? r : fill(k, "marks", o->n_marks, sizeof(*o->marks), o->marks);
}

static int load(struct rarog_ebpf_kernel *k)
{
	const struct rarog_ebpf_kernel_options *o = &k->options;
	const struct rarog_ebpf_config config = {
		.follow = o->follow,
		.skips = o->skips,
		.copies_texts = o->mode == RAROG_EBPF_VALUES && rarog_ebpf_copies_texts(),
		.owned = o->is_owned,
		.uid = o->uid,
		.gid = o->gid,
		.everybody = o->everybody,
		.device = o->device,
		.inode = o->inode,
	};
	int r = open_object(k);

	if (r == 0)
		r = rarog_ebpf_choose_programs(k);
	if (r == 0)
		r = choose_sizes(k);
	if (r == 0)
		r = bpf_map__set_initial_value(find_map(k, ".rodata.config"), &config,
					       sizeof(config));
	if (r == 0)
		r = bpf_object__load(k->object);
	return r < 0 ? r : fill_tables(k);
}

static void unload(struct rarog_ebpf_kernel *k)
{
	rarog_ebpf_kernel_stop(k);
	ring_buffer__free(k->ring);
	k->ring = NULL;
	bpf_object__close(k->object);
	k->object = NULL;
}

/* --- links --- */

static int follow_processes(struct rarog_ebpf_kernel *k)
{
	struct bpf_program *program;
	size_t at = 0;
	int r = 0;

	while (r == 0 && (program = rarog_ebpf_next_program(k, RAROG_EBPF_AT_TRACEPOINT, &at)))
		r = rarog_ebpf_keep_link(k, bpf_program__attach(program));
	return r;
}

/* Probes are taken out one by one, which takes a while: of two that belong together the first would
 * be gone, and the other still recorded. First of all, none joins any more. */
static void forget_processes(struct rarog_ebpf_kernel *k)
{
	const struct bpf_map *map = k->object ? find_map(k, "processes") : NULL;
	uint32_t process = 0;

	if (map)
		bpf_map_delete_elem(bpf_map__fd(map), &process);
	while (map && bpf_map_get_next_key(bpf_map__fd(map), NULL, &process) == 0)
		if (bpf_map_delete_elem(bpf_map__fd(map), &process) < 0 && errno != ENOENT)
			return; /* one that is not there has just ended */
}

/* Made with the rest, because the right to may be given up before their time comes. */
static int prepare_walks(struct rarog_ebpf_kernel *k)
{
	int r = rarog_ebpf_walk_prepare(rarog_ebpf_find_program(k, RAROG_EBPF_AT_BEGIN), &k->begin);

	return r < 0 ? r
		     : rarog_ebpf_walk_prepare(rarog_ebpf_find_program(k, RAROG_EBPF_AT_END),
					       &k->end);
}

int rarog_ebpf_kernel_stop(struct rarog_ebpf_kernel *k)
{
	if (k->split)
		return rarog_ebpf_split_stop(k->split);
	forget_processes(k);
	for (size_t i = 0; i < k->multi.n; i++)
		close(k->multi.v[i]);
	for (size_t i = 0; i < k->more.n; i++)
		bpf_link__destroy(k->more.v[i]);
	rarog_vec_release(&k->multi);
	rarog_vec_release(&k->more);
	rarog_ebpf_walk_release(&k->begin);
	rarog_ebpf_walk(&k->end);
	return 0;
}

int rarog_ebpf_kernel_seal(struct rarog_ebpf_kernel *k)
{
	return k->split ? rarog_ebpf_split_seal(k->split) : 0;
}

/* --- what the kernel can do --- */

/* A probe that is never passed, made and taken out again. */
static int try_probe(struct rarog_ebpf_kernel *k)
{
	uint64_t offset = rarog_ebpf_target_offset();
	int r = rarog_ebpf_attach(k, "/proc/self/exe", 1, &offset, 0, getpid(), NULL);

	if (r == 0)
		rarog_ebpf_kernel_stop(k);
	return r;
}

static int take_event(void *kernel, void *data, size_t size)
{
	struct rarog_ebpf_kernel *k = kernel;

	return size < sizeof(struct rarog_probed_event) ? 0 : k->take(k->context, data);
}

static int map_ring(struct rarog_ebpf_kernel *k)
{
	k->ring = ring_buffer__new(rarog_ebpf_kernel_map(k, "events"), take_event, k, NULL);
	return k->ring ? 0 : -errno;
}

static int set_up(struct rarog_ebpf_kernel *k)
{
	int r = 0;

	k->sees_faults = rarog_ebpf_sees_faults();
	for (k->links = k->options.links; k->links < RAROG_EBPF_LINKS; k->links++) {
		if (k->options.mode == RAROG_EBPF_COUNTS && k->links == RAROG_EBPF_SESSIONS)
			continue;
		r = load(k);
		if (r == 0)
			r = try_probe(k);
		if (r == 0)
			break;
		rarog_debug(RAROG_LOG_INSTALL, "%s: %s", rarog_ebpf_links_name(k->links),
			    strerror(-r));
		unload(k);
	}
	if (r == 0)
		r = follow_processes(k);
	if (r == 0)
		r = prepare_walks(k);
	return r < 0 ? r : map_ring(k);
}

/* The object is not loaded here, but knows the maps of the one that is. */
static int borrow_maps(struct rarog_ebpf_kernel *k, const int maps[RAROG_SPLIT_MAPS])
{
	int r = open_object(k);

	for (size_t i = 0; r == 0 && i < RAROG_SPLIT_MAPS; i++)
		r = bpf_map__reuse_fd(find_map(k, rarog_split_maps[i]), maps[i]);
	if (r == 0)
		r = fill_tables(k);
	return r < 0 ? r : map_ring(k);
}

static int set_up_by_helper(struct rarog_ebpf_kernel *k)
{
	int maps[RAROG_SPLIT_MAPS];
	int r = rarog_ebpf_split_new(&k->options, &k->split, &k->links, maps);

	if (r < 0)
		return r;
	r = borrow_maps(k, maps);
	for (size_t i = 0; i < RAROG_SPLIT_MAPS; i++)
		close(maps[i]);
	return r < 0 ? rarog_fail(r, "--engine=ebpf: the helper's maps cannot be used: %s",
				  strerror(-r))
		     : 0;
}

/* The kernel's programs see the numbers of the first pid namespace, whose inode is fixed
 * (PROC_PID_INIT_INO). */
static bool is_inside_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 && st.st_ino != 0xeffffffc;
}

int rarog_ebpf_kernel_new(const struct rarog_ebpf_kernel_options *options,
			  struct rarog_ebpf_kernel **ret_kernel)
{
	rarog_cleanup(rarog_ebpf_kernel_freep) struct rarog_ebpf_kernel *k = calloc(1, sizeof(*k));
	int r;

	if (!k)
		return rarog_oom();
	if (is_inside_namespace())
		return rarog_fail(-ENOTSUP, "--engine=ebpf: processes have numbers of their own in "
					    "this container (pid namespace); run rarog outside");
	rarog_ebpf_messages_catch();
	k->options = *options;
	r = set_up(k);
	if ((r == -EPERM || r == -EACCES) && !k->options.is_helper && geteuid() != 0)
		r = set_up_by_helper(k);
	else if (r < 0)
		r = rarog_ebpf_explain(r, &rarog_ebpf_kernel_files);
	if (r < 0)
		return r;
	*ret_kernel = rarog_take(k);
	return 0;
}

void rarog_ebpf_kernel_free(struct rarog_ebpf_kernel *k)
{
	if (!k)
		return;
	rarog_ebpf_split_free(k->split);
	k->split = NULL;
	unload(k);
	free(k);
}

/* --- while it runs --- */

int rarog_ebpf_kernel_watch(struct rarog_ebpf_kernel *k, pid_t pid, uint32_t state)
{
	uint32_t process = (uint32_t)pid;

	if (k->split)
		return rarog_ebpf_split_watch(k->split, pid, state);
	assert(pid > 0 || state == RAROG_EBPF_EVERYBODY);
	if (bpf_map_update_elem(bpf_map__fd(find_map(k, "processes")), &process, &state, BPF_ANY) <
	    0)
		return rarog_fail_errno("--engine=ebpf: process %d", (int)pid);
	if (state == RAROG_EBPF_EVERYBODY)
		rarog_ebpf_walk(&k->begin);
	return 0;
}

/* Kernels before 5.6 take them one by one. */
static int tell_each(int map, uint32_t first, uint32_t n,
		     const struct rarog_ebpf_function functions[n])
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < n; i++) {
		uint32_t number = first + i;

		r = bpf_map_update_elem(map, &number, &functions[i], BPF_ANY);
	}
	return r;
}

int rarog_ebpf_kernel_tell(struct rarog_ebpf_kernel *k, uint32_t first, uint32_t n,
			   const struct rarog_ebpf_function functions[n])
{
	rarog_cleanup(rarog_freep) uint32_t *numbers = malloc((n + (size_t)1) * sizeof(*numbers));
	int map = rarog_ebpf_kernel_map(k, "functions"), r;
	uint32_t count = n;

	if (!numbers)
		return rarog_oom();
	for (uint32_t i = 0; i < n; i++)
		numbers[i] = first + i;
	r = n > 1 ? bpf_map_update_batch(map, numbers, functions, &count, NULL) : -EINVAL;
	if (r < 0)
		r = tell_each(map, first, n, functions);
	return r < 0 ? rarog_fail(r, "--engine=ebpf: cannot switch probes: %s", strerror(-r)) : 0;
}

long rarog_ebpf_kernel_read(struct rarog_ebpf_kernel *k, rarog_probed_take *take, void *context)
{
	k->take = take;
	k->context = context;
	return ring_buffer__consume(k->ring);
}
