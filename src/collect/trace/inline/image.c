/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The memory of an image is one reservation in the program:
 *
 *	wiped | private | shared | control | chunks | counters | shadow stacks
 *
 * of which shared … counters are one memfd that rarog maps, too; the rest is private memory of the
 * program. Code areas lie near the object that they serve, each in a memfd of its own: writable
 * here, executable there, never both.
 */
#include "collect/trace/inline/image.h"

#include <assert.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>

#include "agent/abi.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "collect/trace/inline/maps.h"

#define PAGE     4096ull
#define ROUND(n) (((uint64_t)(n) + PAGE - 1) & ~(PAGE - 1))
#define NOWHERE  UINT64_MAX

/* Offsets in the reservation. */
#define AT_SHARED   (2ull * RAROG_STRAND_ARRAY)
#define AT_CONTROL  (3ull * RAROG_STRAND_ARRAY)
#define AT_CHUNKS   (AT_CONTROL + ROUND(sizeof(struct rarog_control)))
#define AT_COUNTERS (AT_CHUNKS + (uint64_t)RAROG_CHUNKS * RAROG_CHUNK_SIZE)
#define SHADOWS     (RAROG_SHADOW_SIZE_MAIN + (uint64_t)RAROG_STRANDS * RAROG_SHADOW_SIZE)

struct rarog_strand_shared *rarog_image_strand(const struct rarog_image *image, uint32_t index)
{
	return (void *)(image->memory + (size_t)index * RAROG_STRAND_STRIDE);
}

static uint64_t counters_size(const struct rarog_image *image)
{
	return ROUND((uint64_t)image->counters_stride * RAROG_STRANDS);
}

static int is_error(int64_t result)
{
	return result < 0 && result > -4096;
}

static int map_ours(struct rarog_image *image, int fd)
{
	image->memory = mmap(NULL, image->memory_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (image->memory == MAP_FAILED) {
		image->memory = NULL;
		return rarog_fail_errno("cannot map shared memory");
	}
	image->control = (void *)(image->memory + AT_CONTROL - AT_SHARED);
	image->chunks = image->memory + AT_CHUNKS - AT_SHARED;
	image->counters = (void *)(image->memory + AT_COUNTERS - AT_SHARED);
	return 0;
}

void rarog_image_give_chunks(struct rarog_image *image, uint32_t to)
{
	for (uint32_t i = image->chunks_given; i < to; i++)
		__atomic_fetch_or(&image->control->chunks_free[i / 64], 1ull << i % 64,
				  __ATOMIC_RELEASE);
	image->chunks_given = to;
}

static void init_control(struct rarog_image *image, uint32_t chunks)
{
	struct rarog_control *c = image->control;

	c->abi_version = RAROG_ABI_VERSION;
	c->drop = image->modules->plan->drop;
	memset(c->strands_free, 0xff, sizeof(c->strands_free));
	c->strands_free[0] &= ~1ull; /* strand 0 records nothing */
	rarog_image_give_chunks(image, chunks);
}

static int64_t remote_madvise(struct rarog_remote *remote, uint64_t at, uint64_t size, int advice)
{
	return remote->call(remote, SYS_madvise,
			    (int64_t[6]){ (int64_t)at, (int64_t)size, advice });
}

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static int map_theirs(struct rarog_image *image, struct rarog_remote *remote, int their_fd,
		      uint32_t chunks)
{
	uint64_t size = AT_COUNTERS + counters_size(image) + SHADOWS;
	int64_t base = rarog_remote_map(remote, 0, size, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int64_t r;

	if (is_error(base))
		return rarog_fail((int)base,
				  "process %d: no room for %llu GiB of address space (ulimit -v?)",
				  (int)remote->pid, (unsigned long long)(size >> 30));
	image->base = (uint64_t)base;
	image->their_chunks = image->base + AT_CHUNKS;
	r = rarog_remote_map(remote, image->base + AT_SHARED, image->memory_size,
			     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, their_fd, 0);
	if (is_error(r))
		return rarog_fail((int)r, "process %d: cannot map shared memory: %s",
				  (int)remote->pid, strerror((int)-r));
	r = remote_madvise(remote, image->base, RAROG_STRAND_ARRAY, MADV_WIPEONFORK);
	if (is_error(r))
		return rarog_fail((int)r, "process %d: MADV_WIPEONFORK: %s", (int)remote->pid,
				  strerror((int)-r));
	/* Pages that appear one by one cost more than all the probes in them; if it does not work,
	 * it only costs. */
	remote_madvise(remote, image->base + AT_CHUNKS, (uint64_t)chunks * RAROG_CHUNK_SIZE,
		       MADV_POPULATE_WRITE);
	return 0;
}

static int map_memory(struct rarog_image *image, struct rarog_remote *remote, uint32_t chunks)
{
	int their_fd, fd, r;

	image->memory_size = AT_COUNTERS - AT_SHARED + counters_size(image);
	fd = rarog_remote_memfd(remote, image->memory_size, &their_fd);
	if (fd < 0)
		return fd;
	r = map_ours(image, fd);
	close(fd);
	if (r == 0) {
		init_control(image, chunks);
		r = map_theirs(image, remote, their_fd, chunks);
	}
	rarog_remote_close_fd(remote, their_fd);
	return r;
}

/* --- code areas --- */

struct patch {
	uint64_t address;
	uint8_t bytes[5];
};

/* A code area in the making: our mapping, theirs, and the patches that lead into it. */
struct area {
	struct rarog_emitter emitter;
	uint8_t *memory;
	size_t size;
	RAROG_VEC(struct patch) patches;
};

static void area_release(struct area *area)
{
	if (area->memory)
		munmap(area->memory, area->size);
	rarog_vec_release(&area->patches);
}

static int area_init(struct area *area, struct rarog_image *image, struct rarog_remote *remote,
		     size_t n, uint64_t low, uint64_t high)
{
	struct rarog_area header = {
		.control = image->base + AT_CONTROL,
		.strands = image->base,
		.chunks = image->their_chunks,
		.counters = image->base + AT_COUNTERS,
		.shadow = image->base + AT_COUNTERS + counters_size(image),
		.counters_stride = image->counters_stride,
		.flags = image->modules->plan->not_below ? RAROG_AREA_BELOW : 0,
	};
	uint64_t wanted;
	int64_t address;
	int fd, their_fd;

	area->size = rarog_emit_size(n);
	wanted = rarog_maps_gap_near(remote->pid, low, high, area->size);
	if (wanted == 0)
		return rarog_fail(-ENOMEM, "process %d: no free address space near its code",
				  (int)remote->pid);
	fd = rarog_remote_memfd(remote, area->size, &their_fd);
	if (fd < 0)
		return fd;
	area->memory = mmap(NULL, area->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	address = rarog_remote_map(remote, wanted, area->size, PROT_READ | PROT_EXEC,
				   MAP_SHARED | MAP_FIXED_NOREPLACE, their_fd, 0);
	rarog_remote_close_fd(remote, their_fd);
	if (area->memory == MAP_FAILED) {
		area->memory = NULL;
		return rarog_oom();
	}
	if (is_error(address) || (uint64_t)address != wanted)
		return rarog_fail(-ENOMEM, "process %d: cannot map code near its program",
				  (int)remote->pid);
	rarog_emit_start(&area->emitter, area->memory, wanted, area->size, &header);
	return 0;
}

static int emit_probe(struct area *area, struct rarog_module *m, uint64_t bias,
		      const struct rarog_probe *probe, uint32_t id)
{
	const struct rarog_function *functions;
	struct patch patch;
	const uint8_t *code;
	uint8_t length = m->sites[probe->function].length;
	int r;

	rarog_binary_functions(m->binary, &functions);
	patch.address = bias + functions[probe->function].address;
	code = rarog_binary_bytes(m->binary, functions[probe->function].address, length);
	if (!code)
		return -EFAULT;
	r = rarog_emit_stub(&area->emitter, probe->kind, id, patch.address, length, code,
			    patch.bytes);
	return r < 0 ? r : rarog_vec_push(&area->patches, patch);
}

static int compare_patches(const void *a, const void *b)
{
	const struct patch *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* Write patches page run by page run: a system call and a page copy for each, not for each patch.
 */
static int write_patches(struct rarog_remote *remote, size_t n, struct patch patches[])
{
	uint8_t buffer[64 * 1024];
	size_t done = 0;

	qsort(patches, n, sizeof(*patches), compare_patches);
	while (done < n) {
		uint64_t start = patches[done].address, end = start;
		size_t last = done;
		int r;

		while (last < n && patches[last].address + 5 - start <= sizeof(buffer) &&
		       patches[last].address - end < 2 * PAGE)
			end = patches[last++].address + 5;
		r = rarog_remote_read(remote, start, end - start, buffer);
		if (r < 0)
			return r;
		for (; done < last; done++)
			memcpy(buffer + (patches[done].address - start), patches[done].bytes, 5);
		r = rarog_remote_write(remote, start, end - start, buffer);
		if (r < 0)
			return r;
	}
	return 0;
}

/* --- modules in a process --- */

/* Names only; source lines cost a look into DWARF and are added after the run. */
static int add_locations(struct rarog_image *image, struct rarog_module *m, uint64_t bias)
{
	const struct rarog_function *functions;
	struct rarog_location *locations;
	size_t n = m->probes.n;
	struct rarog_profile_binary binary = {
		.path = m->path,
		.build_id = rarog_binary_build_id(m->binary),
		.load_bias = bias,
	};

	if (m->locations >= 0 || n == 0)
		return 0;
	rarog_binary_functions(m->binary, &functions);
	locations = calloc(n, sizeof(*locations));
	if (!locations)
		return rarog_oom();
	for (size_t i = 0; i < n; i++) {
		const struct rarog_function *f = &functions[m->probes.v[i].function];

		locations[i] = (struct rarog_location){
			.kind = RAROG_LOCATION_FUNCTION,
			.address = f->address,
			.size = f->size,
			.name = f->name,
		};
	}
	m->locations = rarog_recorder_add_locations(image->recorder, &binary, n, locations);
	free(locations);
	return m->locations < 0 ? (int)m->locations : 0;
}

/* The module's first function id in this image. */
static long module_ids(struct rarog_image *image, struct rarog_module *m)
{
	for (size_t i = 0; i < image->first_ids.n; i++)
		if (image->first_ids.v[i] == m)
			return image->first_id.v[i];
	if (image->ids->n + m->probes.n > RAROG_ID_WIDE)
		return rarog_fail(-E2BIG, "%s: more than %d functions; choose some with --func",
				  m->path, RAROG_ID_WIDE);
	if (rarog_vec_push(&image->first_ids, m) < 0 ||
	    rarog_vec_push(&image->first_id, image->ids->n) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < m->probes.n; i++)
		image->ids->locations[image->ids->n + i] = (uint32_t)(m->locations + (long)i);
	__atomic_fetch_add(&image->ids->n, (uint32_t)m->probes.n, __ATOMIC_RELEASE);
	return image->ids->n - (long)m->probes.n;
}

static int emit_module(struct area *area, struct rarog_module *m, uint64_t bias, uint32_t first_id)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < m->hooks.n; i++)
		r = emit_probe(area, m, bias, &m->hooks.v[i], 0);
	if (r < 0)
		return rarog_fail(r, "%s: cannot hook the unwinder", m->path);
	for (uint32_t i = 0; i < m->probes.n; i++) {
		r = emit_probe(area, m, bias, &m->probes.v[i], first_id + i);
		if (r < 0)
			rarog_debug(RAROG_LOG_INSTALL, "%s: function %u: %s", m->path,
				    m->probes.v[i].function, strerror(-r));
	}
	return 0;
}

static void code_range(const struct rarog_module *m, uint64_t *ret_low, uint64_t *ret_high)
{
	const struct rarog_segment *segments;
	size_t n = rarog_binary_segments(m->binary, &segments);

	*ret_low = NOWHERE;
	*ret_high = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t end = segments[i].vaddr + segments[i].memory_size;

		*ret_low = segments[i].vaddr < *ret_low ? segments[i].vaddr : *ret_low;
		*ret_high = end > *ret_high ? end : *ret_high;
	}
}

static int install_module(struct rarog_image *image, struct rarog_remote *remote,
			  struct rarog_module *m, uint64_t bias)
{
	rarog_cleanup(area_release) struct area area = { 0 };
	uint64_t low, high;
	long first_id = 0;
	int r;

	if (m->probes.n + m->hooks.n == 0)
		return 0;
	code_range(m, &low, &high);
	r = area_init(&area, image, remote, m->probes.n + m->hooks.n, bias + low, bias + high);
	if (r == 0)
		r = add_locations(image, m, bias);
	if (r == 0 && m->probes.n > 0)
		first_id = module_ids(image, m);
	if (r < 0 || first_id < 0)
		return r < 0 ? r : (int)first_id;
	r = emit_module(&area, m, bias, (uint32_t)first_id);
	if (r < 0)
		return r;
	rarog_emit_finish(&area.emitter);
	rarog_debug(RAROG_LOG_INSTALL, "%s: %zu patches, %zu bytes of code at %#llx", m->path,
		    area.patches.n, area.emitter.used, (unsigned long long)area.emitter.address);
	return write_patches(remote, area.patches.n, area.patches.v);
}

/* --- the program --- */

/* The dynamic linker: mapped but has not run. NULL: a static program. */
static int get_linker(struct rarog_modules *modules, pid_t pid, struct rarog_module **ret_module)
{
	uint64_t base = rarog_auxiliary(pid, AT_BASE);
	rarog_cleanup(rarog_freep) char *path = base ? rarog_maps_path_at(pid, base) : NULL;

	*ret_module = NULL;
	return path ? rarog_modules_get(modules, path, false, ret_module) : 0;
}

/* Its report of loaded libraries is hooked. */
static int install_linker(struct rarog_image *image, struct rarog_remote *remote)
{
	struct rarog_module *m;
	int r = get_linker(image->modules, remote->pid, &m);

	if (r < 0 || !m)
		return r;
	return install_module(image, remote, m, rarog_auxiliary(remote->pid, AT_BASE));
}

/* From now on %gs leads to strand 0, which sends every probe to the slow path. Probes read the
 * thread pointer, which a static program's functions run without for a while. */
static int set_bases(struct rarog_image *image, struct rarog_remote *remote, bool is_static)
{
	uint64_t early = image->base + AT_CONTROL + offsetof(struct rarog_control, early_thread);
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, remote->pid, NULL, &regs) < 0)
		return rarog_fail_errno("process %d: cannot read registers", (int)remote->pid);
	regs.gs_base = image->base;
	if (is_static) {
		image->control->early_thread[0] = early;
		regs.fs_base = early;
	}
	if (ptrace(PTRACE_SETREGS, remote->pid, NULL, &regs) < 0)
		return rarog_fail_errno("process %d: cannot set registers", (int)remote->pid);
	return 0;
}

/* Coroutines: their stacks are not told apart yet, and a return address must never be taken for
 * another's. Counting leaves return addresses alone. */
static int refuse_coroutines(const struct rarog_modules *modules, const char *program)
{
	if (modules->plan->detail == RAROG_DETAIL_COUNT ||
	    !rarog_file_names(program, "makecontext"))
		return 0;
	return rarog_fail(-ENOTSUP,
			  "%s uses makecontext(): calls cannot be followed across coroutines yet; "
			  "--detail=count can count them",
			  program);
}

static int install(struct rarog_image *image, struct rarog_remote *remote, const char *program,
		   uint32_t chunks)
{
	struct rarog_module *m;
	uint64_t bias;
	int r = rarog_modules_get(image->modules, program, true, &m);

	if (r < 0)
		return r;
	bias = rarog_auxiliary(remote->pid, AT_ENTRY) - rarog_binary_entry(m->binary);
	if (image->modules->plan->detail == RAROG_DETAIL_COUNT)
		image->counters_stride = ROUND((m->probes.n + 1) * sizeof(uint64_t));
	r = map_memory(image, remote, chunks);
	if (r == 0)
		r = set_bases(image, remote, !rarog_binary_interpreter(m->binary));
	if (r == 0)
		r = install_linker(image, remote);
	return r < 0 ? r : install_module(image, remote, m, bias);
}

int rarog_image_judge(struct rarog_modules *modules, pid_t pid, const char *program)
{
	struct rarog_module *m;
	int r = refuse_coroutines(modules, program);

	if (r == 0)
		r = rarog_modules_get(modules, program, true, &m);
	return r < 0 ? r : get_linker(modules, pid, &m);
}

int rarog_image_new(struct rarog_modules *modules, struct rarog_recorder *recorder,
		    struct rarog_remote *remote, const char *program, uint32_t chunks,
		    struct rarog_image **ret_image)
{
	struct rarog_image *image = calloc(1, sizeof(*image));
	int r;

	if (!image)
		return rarog_oom();
	image->modules = modules;
	image->recorder = recorder;
	image->ids = rarog_recorder_id_map(recorder, RAROG_ID_WIDE);
	r = image->ids ? install(image, remote, program, chunks) : rarog_oom();
	if (r < 0) {
		rarog_image_free(image);
		return r;
	}
	*ret_image = image;
	return 0;
}

void rarog_image_free(struct rarog_image *image)
{
	if (!image)
		return;
	if (image->memory)
		munmap(image->memory, image->memory_size);
	rarog_vec_release(&image->first_ids);
	rarog_vec_release(&image->first_id);
	free(image->strands);
	free(image);
}

/* --- libraries --- */

static bool is_patched(struct rarog_remote *remote, const struct rarog_module *m, uint64_t bias)
{
	const struct rarog_probe *first = m->hooks.n ? &m->hooks.v[0] : &m->probes.v[0];
	const struct rarog_function *functions;
	const uint8_t *original;
	uint8_t now[5];

	rarog_binary_functions(m->binary, &functions);
	original = rarog_binary_bytes(m->binary, functions[first->function].address, 5);
	return !original ||
	       rarog_remote_read(remote, bias + functions[first->function].address, 5, now) < 0 ||
	       memcmp(original, now, 5) != 0;
}

static int install_library(struct rarog_image *image, struct rarog_remote *remote,
			   const struct rarog_mapped *mapped)
{
	bool probed = image->modules->plan->libraries;
	struct rarog_module *m;
	int r;

	if (!probed && !rarog_file_names(mapped->path, "_Unwind_RaiseException"))
		return 0;
	r = rarog_modules_get(image->modules, mapped->path, probed, &m);
	if (r == 0 && m->probes.n + m->hooks.n > 0 && !is_patched(remote, m, mapped->bias))
		r = install_module(image, remote, m, mapped->bias);
	if (r < 0)
		rarog_warn("%s is not traced: %s", mapped->path, rarog_error_message());
	return 0;
}

int rarog_image_loaded(struct rarog_image *image, struct rarog_remote *remote)
{
	struct rarog_mapped *mapped;
	long n = rarog_maps_objects(remote->pid, &mapped);
	int r = n < 0 ? (int)n : 0;

	for (long i = 0; r == 0 && i < n; i++)
		if (mapped[i].is_library)
			r = install_library(image, remote, &mapped[i]);
	rarog_maps_free(n, mapped);
	return r;
}
