/* SPDX-License-Identifier: MIT */
/*
 * The counters' pages become a mapping of a file, at their place: what was counted is in the
 * kernel's hands at once and survives every end of the process. Area 0 is that place; a thread has
 * an area of its own elsewhere in the same file, and its slot and GS hold the distance. Areas of
 * threads that ended are used again, as they are: only the sum over all areas means something.
 */
#include "runtime.h"

#include <asm/hwcap2.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "by-number.h"

enum { TRIES = 10000, CLAIMED = UINT32_MAX, LOOK_AT = 16 };

static char folder[RAROG_COUNTER_PATH], path[RAROG_COUNTER_PATH + 64];
static uint32_t next; /* where to look for a free area */
static bool has_begun;
static bool has_fsgsbase;

static size_t size(void)
{
	return (size_t)(__stop_rarog_counters - __start_rarog_counters);
}

/* Of this thread's counters. */
static uint64_t distance(void)
{
	return __rarog_slot ? __rarog_slot - 1 : 0;
}

/* This thread counts there. */
static void own(uint32_t area)
{
	rarog_runtime_owner = &rarog_runtime.owners[area];
	__atomic_store_n(rarog_runtime_owner, (uint32_t)gettid(), __ATOMIC_RELEASE);
}

/* --- the file --- */

/* By its number: libc's own function ends a thread that was cancelled meanwhile, and neither fork()
 * nor pthread_create(), in which ours run, does. */
static int open_path(int flags)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW,
			    0600);
}

/* Where the file system cannot, libc writes zeroes, which may end the thread. */
static bool allocate(int fd, size_t at, size_t n)
{
	if (syscall(SYS_fallocate, fd, 0, (off_t)at, (off_t)n) == 0)
		return true;
	return errno == EOPNOTSUPP && posix_fallocate(fd, (off_t)at, (off_t)n) == 0;
}

/* Room in the file, so that writing to the mapping cannot fail; never past the limit, which would
 * be a signal. */
static bool make_room(int fd, size_t at, size_t n)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 && at + n <= limit.rlim_cur &&
	       allocate(fd, at, n);
}

static int create_file(void)
{
	int fd = -1;

	for (int i = 0; fd < 0 && i < TRIES; i++) {
		snprintf(path, sizeof(path), "%s/%d-%d.counts", folder, (int)getpid(), i);
		fd = open_path(O_CREAT | O_EXCL);
		if (fd < 0 && errno != EEXIST)
			return -1;
	}
	return fd;
}

static void fill_head(struct rarog_counter_file *new_head, bool is_child)
{
	new_head->version = RAROG_COUNTER_VERSION;
	new_head->pid = (uint32_t)getpid();
	new_head->parent = (uint32_t)getppid();
	new_head->start = (uint64_t)(uintptr_t)__start_rarog_counters;
	new_head->size = size();
	new_head->n_areas = 1;
	new_head->flags = rarog_runtime.first_flags | (is_child ? RAROG_COUNTER_FORKED : 0) |
			  (rarog_runtime.sees_threads ? RAROG_COUNTER_TELLS_THREADS : 0);
	rarog_runtime_identify(new_head);
	memcpy(new_head->magic, RAROG_COUNTER_MAGIC, sizeof(new_head->magic));
}

/* What was counted before there is a file goes on in it, unless that was the parent's. */
static bool map_counters(int fd, bool is_child)
{
	if (!is_child &&
	    pwrite(fd, __start_rarog_counters, size(), RAROG_COUNTER_BODY) != (ssize_t)size())
		return false;
	return mmap(__start_rarog_counters, size(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		    fd, RAROG_COUNTER_BODY) != MAP_FAILED;
}

/* Of a child its parent's file says that nothing is known; else an empty one does. */
static void abandon_file(int fd, bool is_child)
{
	if (is_child || ftruncate(fd, 0) < 0)
		rarog_runtime_unlink(path);
	rarog_runtime_close(fd);
}

static bool open_file(bool is_child)
{
	int fd = create_file();
	struct rarog_counter_file *new_head = MAP_FAILED;

	if (fd < 0 && !is_child)
		rarog_runtime_register(folder);
	if (fd < 0)
		return false;
	if (make_room(fd, 0, RAROG_COUNTER_BODY + size()))
		new_head =
			mmap(NULL, RAROG_COUNTER_BODY, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (new_head == MAP_FAILED || !map_counters(fd, is_child)) {
		if (new_head != MAP_FAILED)
			munmap(new_head, RAROG_COUNTER_BODY);
		abandon_file(fd, is_child);
		return false;
	}
	rarog_runtime_close(fd);
	fill_head(new_head, is_child);
	rarog_runtime.head = new_head;
	rarog_runtime.owners = (uint32_t *)((char *)rarog_runtime.head + RAROG_COUNTER_OWNERS);
	own(0);
	return true;
}

bool rarog_runtime_may_be_read(void)
{
	return rarog_runtime.head || !has_begun;
}

/* --- areas --- */

static bool is_dead(uint32_t owner)
{
	return owner != CLAIMED && owner != 0 &&
	       syscall(SYS_tgkill, getpid(), owner & RAROG_COUNTER_THREAD, 0) < 0 && errno == ESRCH;
}

/* Returns the old owner, or CLAIMED: another has it. */
static uint32_t take(uint32_t area)
{
	uint32_t owner = __atomic_load_n(&rarog_runtime.owners[area], __ATOMIC_ACQUIRE);
	bool is_taken = (owner == 0 || is_dead(owner)) &&
			__atomic_compare_exchange_n(&rarog_runtime.owners[area], &owner, CLAIMED,
						    false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);

	return is_taken ? owner : CLAIMED;
}

/* Has a thread, which would have said that it ended, not done so? */
static bool is_cut(uint32_t owner)
{
	uint32_t state = owner & RAROG_COUNTER_STATE;

	return owner != 0 && (state == RAROG_COUNTER_RUNS || state == RAROG_COUNTER_CUT);
}

/* One of an ended thread. Only a few are looked at, so that many threads cost little. */
static uint32_t used_area(void)
{
	uint32_t n = __atomic_load_n(&rarog_runtime.head->n_areas, __ATOMIC_ACQUIRE);

	n = n < RAROG_COUNTER_AREAS ? n : RAROG_COUNTER_AREAS;
	for (uint32_t i = 0; i < n && i < LOOK_AT; i++) {
		uint32_t area = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) % n;
		uint32_t owner = area != 0 && rarog_runtime.threads[area].distance != 0 ? take(area)
											: CLAIMED;

		if (owner == CLAIMED)
			continue;
		if (rarog_runtime.knows_ends && is_cut(owner))
			rarog_runtime_note(RAROG_COUNTER_LOST_END);
		return area;
	}
	return 0;
}

/* At @place, if it @is_fixed, else near there or anywhere. Returns the distance, 0: failed. */
static uint64_t map_area(uint32_t area, void *place, bool is_fixed)
{
	size_t at = RAROG_COUNTER_BODY + area * size();
	int fd = open_path(0);
	void *counters = MAP_FAILED;

	if (fd >= 0 && make_room(fd, at, size()))
		counters = mmap(place, size(), PROT_READ | PROT_WRITE,
				MAP_SHARED | (is_fixed ? MAP_FIXED : 0), fd, (off_t)at);
	if (fd >= 0)
		rarog_runtime_close(fd);
	return counters == MAP_FAILED ? 0
				      : (uint64_t)((uintptr_t)counters - rarog_runtime.head->start);
}

#define ROOM_BEHIND (16u << 20) /* for the heap, which may begin there */
#define ROOM_MOST   (48u << 20)

/* Where no distance may be below 0, and the program lies above everything (a static PIE on newer
 * kernels, or started by ld.so), areas go between it and the stack, which are 128 MiB apart. */
static char *above(uint32_t area)
{
	return area * size() > ROOM_MOST ? NULL
					 : __stop_rarog_counters + ROOM_BEHIND + area * size();
}

/* @by_base: its counters are found by the base of GS, not only by the slot. */
static uint64_t map_thread(uint32_t area, bool by_base)
{
	char *const places[] = { NULL, above(area) };

	for (int i = 0; i < 2; i++) {
		uint64_t distance = map_area(area, places[i], false);

		if (distance == 0 || (int64_t)distance > 0 || !by_base || has_fsgsbase)
			return distance;
		(void)munmap(__start_rarog_counters + distance, size());
	}
	return 0;
}

static uint32_t new_area(bool by_base)
{
	uint32_t area = __atomic_fetch_add(&rarog_runtime.head->n_areas, 1, __ATOMIC_ACQ_REL);

	if (area >= RAROG_COUNTER_AREAS) {
		__atomic_fetch_sub(&rarog_runtime.head->n_areas, 1, __ATOMIC_RELAXED);
		return 0;
	}
	rarog_runtime.owners[area] = CLAIMED;
	rarog_runtime.threads[area].distance = map_thread(area, by_base);
	return rarog_runtime.threads[area].distance ? area : 0;
}

struct rarog_runtime_thread *rarog_runtime_claim(bool says_its_end)
{
	int saved = errno;
	uint32_t area = 0;

	if (says_its_end)
		rarog_runtime.knows_ends = true;
	if (rarog_runtime.head) {
		__atomic_fetch_add(&rarog_runtime.head->n_begun, 1, __ATOMIC_RELAXED);
		area = rarog_runtime_may_call() ? used_area() : 0;
		if (area == 0 && rarog_runtime_may_call())
			area = new_area(says_its_end);
		if (area == 0)
			rarog_runtime_note(RAROG_COUNTER_IS_SHARED);
	}
	errno = saved;
	return area ? &rarog_runtime.threads[area] : NULL;
}

void rarog_runtime_begin(struct rarog_runtime_thread *thread)
{
	__rarog_slot = thread->distance + 1;
	thread->is_watched = false;
	own((uint32_t)(thread - rarog_runtime.threads));
}

void rarog_runtime_give_up(const struct rarog_runtime_thread *thread)
{
	__atomic_store_n(&rarog_runtime.owners[thread - rarog_runtime.threads], 0,
			 __ATOMIC_RELEASE);
	__atomic_fetch_sub(&rarog_runtime.head->n_begun, 1, __ATOMIC_RELAXED);
}

/* --- threads that were made otherwise --- */

void rarog_runtime_see_threads(void)
{
	rarog_runtime.sees_threads = true;
	if (rarog_runtime.head)
		rarog_runtime_note(RAROG_COUNTER_TELLS_THREADS);
}

/* --- the process --- */

/* What counts there is not seen by anybody. */
static void count_nowhere(char *counters)
{
	(void)mmap(counters, size(), PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

/* Code that runs has the distance of the thread that forked in a register: its counters stay where
 * they are, as area 1 of the new file. */
static bool keep_distance(void)
{
	if (distance() == 0)
		return true;
	rarog_runtime.threads[1].distance = map_area(1, __start_rarog_counters + distance(), true);
	if (rarog_runtime.threads[1].distance == 0)
		return false;
	own(1);
	rarog_runtime.head->n_areas = 2;
	return true;
}

/* Without a system call: in its parent's file, unseen. */
static void share_counters(void)
{
	rarog_runtime_note(RAROG_COUNTER_IS_SHARED);
	rarog_runtime.head = NULL;
	rarog_runtime_owner = NULL;
}

/* The child counts from zero, in a file of its own; if it cannot have one, where nothing reads. */
static void begin_child(void)
{
	struct rarog_counter_file *parent = rarog_runtime.head;
	int saved = errno;

	if (!rarog_runtime.head)
		return;
	if (!rarog_runtime_may_call()) {
		share_counters();
		return;
	}
	memset(rarog_runtime.threads, 0, RAROG_COUNTER_AREAS * sizeof(*rarog_runtime.threads));
	if (!open_file(true) || !keep_distance()) {
		__atomic_fetch_or(&parent->flags, RAROG_COUNTER_LOST_CHILD, __ATOMIC_RELAXED);
		rarog_runtime.head = NULL;
		rarog_runtime_owner = NULL;
		count_nowhere(__start_rarog_counters);
		if (distance() != 0)
			count_nowhere(__start_rarog_counters + distance());
	}
	if (rarog_runtime_interruptions(SIZE_MAX) >
	    0) /* it may return with what its parent has counted */
		rarog_runtime_note(RAROG_COUNTER_JUMPED);
	errno = saved;
}

/* Threads that a library never saw end. */
static void note_dead(void)
{
	bool is_needed = !rarog_runtime.knows_ends && rarog_runtime_may_call();
	uint32_t n =
		is_needed ? __atomic_load_n(&rarog_runtime.head->n_areas, __ATOMIC_ACQUIRE) : 0;

	for (uint32_t i = 1; i < n && i < RAROG_COUNTER_AREAS; i++) {
		uint32_t owner = __atomic_load_n(&rarog_runtime.owners[i], __ATOMIC_ACQUIRE);

		if (is_cut(owner) && is_dead(owner))
			__atomic_compare_exchange_n(&rarog_runtime.owners[i], &owner,
						    owner | RAROG_COUNTER_ENDED, false,
						    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	}
}

/* After all others of this binary, after exit() or a return from main; or it is closed. */
__attribute__((destructor(101))) static void end_process(void)
{
	int saved = errno;

	if (!rarog_runtime.head)
		return;
	note_dead();
	if (!rarog_runtime.head->ended_by) /* else that was the call of a library */
		rarog_runtime_note(RAROG_COUNTER_CLOSED);
	__rarog_note(RAROG_COUNTER_ENDS_PROCESS);
	rarog_runtime_miss_threads();
	if (!rarog_runtime_owner) /* a thread that never counted may end it, too */
		rarog_runtime.head->ended_by =
			rarog_runtime_may_call() ? (uint32_t)gettid() : rarog_runtime.head->pid;
	errno = saved;
}

/* Do the counters have their pages for themselves? Only if rarog cc linked the program. */
static bool has_own_pages(void)
{
	return size() > 0 && (uintptr_t)__start_rarog_counters % 4096 == 0 && size() % 4096 == 0;
}

static bool make_table(void)
{
	void *table = mmap(NULL, RAROG_COUNTER_AREAS * sizeof(*rarog_runtime.threads),
			   PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	rarog_runtime.threads = table == MAP_FAILED ? NULL : table;
	return rarog_runtime.threads;
}

static void begin(void)
{
	if (!rarog_runtime_may_begin(folder))
		return;
	/* A program that has other rights than its caller makes no files where that one says. */
	if (getauxval(AT_SECURE) || !make_table()) {
		rarog_runtime_register(folder);
	} else if (open_file(false)) {
		__rarog_slot = 1;
		pthread_atfork(NULL, NULL, begin_child);
	}
}

bool rarog_runtime_fsgsbase(void)
{
	return has_fsgsbase;
}

/* Once: later another thread may change the environment. */
static void look_for_fsgsbase(void)
{
	const char *without = getenv("RAROG_TEST_WITHOUT");

	has_fsgsbase = (getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE) &&
		       !(without && strstr(without, "fsgsbase"));
}

/* A thread that opens a library may have been cancelled: it goes on to where the program ends it.
 */
__attribute__((constructor(101))) static void begin_process(void)
{
	const char *wanted = getenv(RAROG_COUNTER_ENVIRONMENT);
	int saved = errno, cancel;

	if (wanted && *wanted == '/' && strlen(wanted) < sizeof(folder) && has_own_pages()) {
		strcpy(folder, wanted);
		look_for_fsgsbase();
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
		begin();
		pthread_setcancelstate(cancel, NULL);
	}
	has_begun = true;
	errno = saved;
}
