/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The memory of an image is one reservation in the program:
 *
 *	wiped | private | shared | control | chunks | counters | shadow stacks
 *
 * of which shared … counters are one memfd that rarog maps, too; the rest is private memory of the
 * program. The code that patches lead to lies elsewhere, see area.c.
 */
#include "engine/inline/code/image.h"

#include <assert.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/user.h>

#include "agent/abi.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "engine/inline/code/area.h"
#include "engine/inline/code/fsgsbase.h"
#include "engine/inline/code/gates.h"
#include "engine/inline/code/module-marks.h"
#include "plan/conflict.h"
#include "plan/function-match.h"
#include "plan/obstacles.h"
#include "process/maps.h"
#include "process/namespaces.h"
#include "process/threads.h"

#define PAGE     4096ull
#define ROUND(n) (((uint64_t)(n) + PAGE - 1) & ~(PAGE - 1))

#define CHUNKS_LEAST 16

/* Offsets in the reservation. */
#define AT_SHARED  (2ull * RAROG_STRAND_ARRAY)
#define AT_CONTROL (3ull * RAROG_STRAND_ARRAY)
#define AT_CHUNKS  (AT_CONTROL + ROUND(sizeof(struct rarog_control)))
#define SHADOWS    (RAROG_SHADOW_SIZE_MAIN + (uint64_t)RAROG_STRANDS * RAROG_SHADOW_SIZE)

struct robust_list *rarog_image_owned(const struct rarog_image *image)
{
	return (void *)(image->memory - PAGE);
}

const ptrdiff_t rarog_image_owner_distance =
	(ptrdiff_t)(PAGE + AT_CONTROL - AT_SHARED + offsetof(struct rarog_control, owner));

static uint64_t at_counters(const struct rarog_image *image)
{
	return AT_CHUNKS + (uint64_t)image->chunks_max * RAROG_CHUNK_SIZE;
}

static uint64_t counters_size(const struct rarog_image *image)
{
	return ROUND((uint64_t)image->counters_stride * RAROG_STRANDS);
}

static uint64_t at_saved_returns(const struct rarog_image *image)
{
	return at_counters(image) + counters_size(image);
}

static int is_error(int64_t result)
{
	return result < 0 && result > -4096;
}

/* A page that only we have lies in front of what we share: see rarog_image_owned(). The rest of the
 * reservation has no access: it would count as data (ulimit -d). */
static int map_ours(struct rarog_image *image, int fd)
{
	size_t size = PAGE + image->memory_size;
	void *own = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (own == MAP_FAILED)
		return rarog_fail_errno("cannot map shared memory");
	if (mprotect(own, PAGE, PROT_READ | PROT_WRITE) < 0 ||
	    mmap((uint8_t *)own + PAGE, image->memory_size, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) {
		munmap(own, size);
		return rarog_fail_errno("cannot map shared memory");
	}
	image->memory = (uint8_t *)own + PAGE;
	image->control = (void *)(image->memory + AT_CONTROL - AT_SHARED);
	image->chunks = image->memory + AT_CHUNKS - AT_SHARED;
	image->counters = (void *)(image->memory + at_counters(image) - AT_SHARED);
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
	c->owner = RAROG_OWNER_DIED; /* until rarog_drain_image(), should we be killed before it */
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

#define ASIDE (UINT64_C(128) << 30)

/*
 * Address space for our memory, not where the program's next mapping would be but far below it.
 * What the program maps is then where it is without us: some programs do other things with other
 * addresses (as keys of hash tables, for example).
 */
static int64_t reserve_aside(struct rarog_remote *remote, uint64_t size)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	int64_t next = rarog_remote_map(remote, 0, size, PROT_NONE, flags, -1, 0);

	if (is_error(next) || (uint64_t)next <= ASIDE)
		return next;
	remote->call(remote, SYS_munmap, (int64_t[6]){ next, (int64_t)size });
	return rarog_remote_map(remote, (uint64_t)next - ASIDE, size, PROT_NONE, flags, -1, 0);
}

/* Most of it stays address space until the agent needs it: see RAROG_STRANDS_OPEN. */
static int open_theirs(struct rarog_image *image, struct rarog_remote *remote, uint32_t chunks)
{
	const struct {
		uint64_t at, size;
	} open[] = {
		{ 0, AT_CHUNKS + (uint64_t)chunks * RAROG_CHUNK_SIZE },
		{ at_counters(image), (uint64_t)image->counters_stride * RAROG_STRANDS_OPEN },
		{ at_saved_returns(image), RAROG_SAVED_RETURNS_SIZE + RAROG_SHADOW_SIZE_MAIN +
						   (RAROG_STRANDS_OPEN - 2) * RAROG_SHADOW_SIZE },
	};

	for (size_t i = 0; i < RAROG_COUNT(open); i++) {
		int64_t r =
			remote->call(remote, SYS_mprotect,
				     (int64_t[6]){ (int64_t)(image->base + open[i].at),
						   (int64_t)open[i].size, PROT_READ | PROT_WRITE });

		if (is_error(r))
			return rarog_fail((int)r, "process %d: cannot map memory: %s",
					  (int)remote->pid, strerror((int)-r));
	}
	image->chunks_open = chunks;
	return 0;
}

static int map_theirs(struct rarog_image *image, struct rarog_remote *remote, int their_fd,
		      uint32_t chunks)
{
	uint64_t size = at_saved_returns(image) + RAROG_SAVED_RETURNS_SIZE + SHADOWS;
	int64_t base = reserve_aside(remote, size);
	int64_t r;

	if (is_error(base))
		return rarog_fail((int)base,
				  "process %d: no room for %llu GiB of address space (ulimit -v?)",
				  (int)remote->pid, (unsigned long long)(size >> 30));
	image->base = (uint64_t)base;
	image->reserved = size;
	image->their_chunks = image->base + AT_CHUNKS;
	r = rarog_remote_map(remote, image->base + AT_SHARED, image->memory_size, PROT_NONE,
			     MAP_SHARED | MAP_FIXED, their_fd, 0);
	if (is_error(r))
		return rarog_fail((int)r, "process %d: cannot map shared memory: %s",
				  (int)remote->pid, strerror((int)-r));
	rarog_remote_hide(remote, image->base, size);
	r = open_theirs(image, remote, chunks);
	if (r < 0)
		return (int)r;
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

/*
 * The size of memory files is limited as that of all files (ulimit -f). Most chunks are never used:
 * a small ring only makes the program wait more.
 */
static int choose_size(struct rarog_image *image, uint32_t *chunks)
{
	uint64_t least = AT_CHUNKS - AT_SHARED + counters_size(image), room;
	struct rlimit limit;

	image->chunks_max = RAROG_CHUNKS;
	if (getrlimit(RLIMIT_FSIZE, &limit) < 0)
		return rarog_fail_errno("cannot read the limit of file sizes");
	room = limit.rlim_cur > least ? (limit.rlim_cur - least) / RAROG_CHUNK_SIZE : 0;
	if (room < CHUNKS_LEAST)
		return rarog_fail(-EFBIG,
				  "files are limited to %llu KiB (ulimit -f): the trace needs "
				  "memory files of %llu KiB; raise the limit",
				  (unsigned long long)limit.rlim_cur >> 10,
				  (unsigned long long)(least + CHUNKS_LEAST * RAROG_CHUNK_SIZE) >>
					  10);
	if (room < image->chunks_max)
		image->chunks_max = (uint32_t)room;
	if (*chunks > image->chunks_max)
		*chunks = image->chunks_max;
	image->memory_size = at_counters(image) - AT_SHARED + counters_size(image);
	return 0;
}

static void set_header(struct rarog_image *image)
{
	image->header = (struct rarog_area){
		.control = image->base + AT_CONTROL,
		.strands = image->base,
		.chunks = image->their_chunks,
		.counters = image->base + at_counters(image),
		.saved_returns = image->base + at_saved_returns(image),
		.shadow = image->base + at_saved_returns(image) + RAROG_SAVED_RETURNS_SIZE,
		.counters_stride = image->counters_stride,
		.chunks_open = image->chunks_open,
		.chunks_max = image->chunks_max,
		.flags = (image->modules->plan->not_below ? RAROG_AREA_BELOW : 0) |
			 (image->modules->plan->within ? RAROG_AREA_WITHIN : 0) |
			 (image->modules->plan->orders_clock ? RAROG_AREA_ORDERED : 0) |
			 (image->modules->leaves ? 0 : RAROG_AREA_STAYS) |
			 (rarog_fsgsbase() ? 0 : RAROG_AREA_CALLS_FOR_GS),
	};
}

static int map_memory(struct rarog_image *image, struct rarog_remote *remote, uint32_t chunks)
{
	int their_fd, fd, r = choose_size(image, &chunks);

	if (r < 0)
		return r;
	fd = rarog_remote_memfd(remote, image->memory_size, &their_fd);
	if (fd < 0)
		return fd;
	r = map_ours(image, fd);
	close(fd);
	if (r == 0) {
		init_control(image, chunks);
		r = map_theirs(image, remote, their_fd, chunks);
		set_header(image);
	}
	rarog_remote_close_fd(remote, their_fd);
	return r;
}

/* --- the program --- */

/* Its report of loaded libraries is hooked. */
static int install_linker(struct rarog_image *image, struct rarog_remote *remote)
{
	struct rarog_module *m;
	int r = rarog_image_linker(image->modules, remote->pid, &m);

	if (r < 0 || !m)
		return r;
	return rarog_area_install(image, remote, m, rarog_auxiliary(remote->pid, AT_BASE));
}

/* From now on %gs leads to strand 0, which sends every probe to the slow path. Probes read the
 * thread pointer, which a static program's functions run without for a while. */
static int set_bases(struct rarog_image *image, struct rarog_remote *remote, bool is_static)
{
	uint64_t early = image->base + AT_CONTROL + offsetof(struct rarog_control, early_thread);
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, remote->pid, NULL, &regs) < 0)
		return rarog_fail_errno("process %d: cannot read registers", (int)remote->pid);
	if (regs.gs_base != 0)
		return rarog_fail(-EBUSY, "process %d: %%gs is in use", (int)remote->pid);
	regs.gs_base = image->base;
	if (is_static) {
		image->control->early_thread[0] = early;
		regs.fs_base = early;
	}
	if (ptrace(PTRACE_SETREGS, remote->pid, NULL, &regs) < 0)
		return rarog_fail_errno("process %d: cannot set registers", (int)remote->pid);
	return 0;
}

/* One counter an id, or two. How many ids libraries need is unknown yet; untouched pages are free.
 */
static size_t counters_row(const struct rarog_plan *plan, const struct rarog_module *program)
{
	size_t n = plan->libraries ? RAROG_ID_WIDE : rarog_module_n_locations(program) + 1;

	n *= rarog_emit_counters_width(plan->detail == RAROG_DETAIL_COUNT);
	return ROUND(n * sizeof(uint64_t));
}

/* @threads: of a program that runs, all stopped; NULL: it has not begun */
static int install(struct rarog_image *image, struct rarog_remote *remote, const char *program,
		   uint32_t chunks, struct rarog_threads *threads)
{
	struct rarog_module *m;
	uint64_t bias;
	int r = rarog_modules_get(image->modules, program, true, &m);

	if (r < 0)
		return r;
	bias = rarog_auxiliary(remote->pid, AT_ENTRY) - rarog_binary_entry(m->binary);
	if (image->modules->plan->detail == RAROG_DETAIL_COUNT || image->modules->plan->hooked ||
	    rarog_gates_are_wanted(image->modules->plan) || rarog_plan_thins(image->modules->plan))
		image->counters_stride = counters_row(image->modules->plan, m);
	r = map_memory(image, remote, chunks);
	if (r == 0 && threads)
		r = rarog_threads_set_gs(threads, image->base);
	else if (r == 0)
		r = set_bases(image, remote, !rarog_binary_interpreter(m->binary));
	if (r == 0)
		r = install_linker(image, remote);
	return r < 0 ? r : rarog_area_install(image, remote, m, bias);
}

int rarog_image_judge(struct rarog_modules *modules, pid_t pid, const char *program)
{
	struct rarog_module *m;
	int r = rarog_obstacles_check(modules->plan, pid, program);

	/* A program without probes runs with obstacles, too; rarog itself seems to have some. */
	bool uses_gs = r < 0 && rarog_conflict_gs(program);

	if (r == 0)
		r = rarog_modules_get(modules, program, true, &m);
	if (uses_gs || (r == 0 && m->uses_gs)) {
		rarog_fail(-EBUSY, "it uses the %%gs register itself, as the probes would; "
				   "--engine ebpf and rarog collect sample do not need it");
		return RAROG_IMAGE_LET_BE;
	}
	return r < 0 ? r : rarog_image_linker(modules, pid, &m);
}

static int make(struct rarog_modules *modules, struct rarog_recorder *recorder,
		struct rarog_image **ret_image)
{
	struct rarog_image *image = calloc(1, sizeof(*image));

	if (!image)
		return rarog_oom();
	image->modules = modules;
	image->recorder = recorder;
	image->ids = rarog_recorder_id_map(recorder, RAROG_ID_WIDE);
	if (!image->ids) {
		free(image);
		return rarog_oom();
	}
	*ret_image = image;
	return 0;
}

int rarog_image_new(struct rarog_modules *modules, struct rarog_recorder *recorder,
		    struct rarog_remote *remote, const char *program, uint32_t chunks,
		    struct rarog_image **ret_image)
{
	struct rarog_image *image;
	int r = make(modules, recorder, &image);

	if (r < 0)
		return r;
	r = install(image, remote, program, chunks, NULL);
	if (r < 0)
		rarog_image_free(image);
	else
		*ret_image = image;
	return r;
}

/* --- a program that runs --- */

int rarog_image_withdraw(struct rarog_image *image, struct rarog_remote *remote)
{
	int64_t areas = rarog_area_unmap(image, remote), r = 0;

	if (image->base)
		r = remote->call(remote, SYS_munmap,
				 (int64_t[6]){ (int64_t)image->base, (int64_t)image->reserved });
	if (r == 0)
		r = areas;
	if (r < 0 && r != -ESRCH)
		return rarog_fail((int)r, "munmap: %s; memory stays mapped", strerror((int)-r));
	return 0;
}

static int install_running(struct rarog_image *image, struct rarog_threads *threads,
			   const char *program, uint32_t chunks)
{
	struct rarog_remote remote;
	int r = rarog_remote_open_running(threads, &remote);

	if (r < 0)
		return r;
	r = install(image, &remote, program, chunks, threads);
	if (r == 0)
		r = rarog_image_loaded(image, &remote);
	if (r < 0) {
		rarog_area_restore(image, &remote);
		rarog_threads_set_gs(threads, 0);
		rarog_image_withdraw(image, &remote);
	}
	rarog_remote_close(&remote);
	return r;
}

int rarog_image_attach(struct rarog_modules *modules, struct rarog_recorder *recorder,
		       struct rarog_threads *threads, const char *program, uint32_t chunks,
		       size_t n_avoid, const uint64_t avoid[], struct rarog_image **ret_image)
{
	struct rarog_image *image = NULL;
	int r = make(modules, recorder, &image);

	for (size_t i = 0; r == 0 && i < n_avoid; i++)
		r = rarog_vec_push(&image->avoid, avoid[i]);
	if (r == 0)
		r = install_running(image, threads, program, chunks);
	if (r < 0)
		rarog_image_free(image);
	else
		*ret_image = image;
	return r;
}

void rarog_image_free(struct rarog_image *image)
{
	if (!image)
		return;
	if (image->ids)
		rarog_recorder_id_map_full(image->recorder, image->ids);
	if (image->memory)
		munmap(image->memory - PAGE, PAGE + image->memory_size);
	rarog_areas_release(image);
	rarog_vec_release(&image->first_ids);
	rarog_vec_release(&image->first_id);
	free(image->strands);
	free(image);
}
