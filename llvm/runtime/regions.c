/* SPDX-License-Identifier: MIT */
/*
 * Regions that are compiled in: their begins and ends, as events of the thread's strand, into a
 * file of its own (feature/region-file.h). So nothing is lost when the program is killed, and
 * nothing waits.
 *
 * A region belongs to a call of a function, told by where its return address is: what is deeper
 * than a later event was left, by an exception or longjmp().
 */
#include "feature/region-file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/abi.h"

#define WINDOW (UINT64_C(1) << 22) /* of the file, that is mapped at a time; whole pages */
#define MARGIN 128                 /* bytes of the events of one call here, at most */
#define DEEP   (1 << 16)           /* open regions of a thread */
#define PATHS  4352

#define SEEN __attribute__((visibility("default")))

extern SEEN void __rarog_region_begin(uint32_t number, const void *frame);
extern SEEN void __rarog_region_end(uint32_t number, const void *frame);
extern SEEN void __rarog_region_settle(const void *frame);

struct open_region {
	const void *frame;
	uint64_t number;
};

enum state { STATE_NEW = 0, STATE_ON, STATE_OFF };

struct strand {
	int state; /* enum state */
	int busy;  /* an event is being written: a signal's handler leaves it alone */
	char *cursor, *limit;
	uint64_t last; /* ticks of the last event */
	struct open_region *base, *top, *end;
	struct rarog_region_file *head;
	char *window;
	uint64_t at; /* of the window, in the file */
	char path[PATHS];
};

static __thread struct strand self __attribute__((tls_model("initial-exec")));
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;
static unsigned files;

static uint64_t ticks(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

/* --- words --- */

/* What was written is there also when the program is killed here. */
static void tell(struct strand *s, char *cursor)
{
	s->cursor = cursor;
	__atomic_store_n(&s->head->used, s->at + (uint64_t)(cursor - s->window), __ATOMIC_RELEASE);
}

static void put_escape(struct strand *s, uint16_t kind, uint64_t payload, int n)
{
	uint16_t *at = (uint16_t *)s->cursor;

	*at++ = RAROG_WORD_ESCAPE;
	*at++ = kind;
	for (int i = 0; i < n; i++, payload >>= 16)
		*at++ = (uint16_t)payload;
	tell(s, (char *)at);
}

/* What does not fit into @most goes before the event. */
static uint16_t put_time(struct strand *s, uint64_t now, uint64_t most)
{
	uint64_t passed = now > s->last ? now - s->last : 0;

	s->last += passed;
	if (passed <= most)
		return (uint16_t)passed;
	put_escape(s, RAROG_ESCAPE_TIME64, passed, 4);
	return 0;
}

static void put_begin(struct strand *s, uint32_t number, uint64_t now)
{
	uint16_t passed = put_time(s, now, RAROG_DELTA_MAX);
	uint16_t *at = (uint16_t *)s->cursor;

	*at++ = (uint16_t)(RAROG_WORD_ENTRY | passed);
	if (number < RAROG_ID_WIDE) {
		*at++ = (uint16_t)number;
	} else {
		*at++ = RAROG_ID_WIDE;
		*at++ = (uint16_t)number;
		*at++ = (uint16_t)(number >> 16);
	}
	tell(s, (char *)at);
}

static void put_end(struct strand *s, uint64_t now)
{
	uint16_t passed = put_time(s, now, 0x7fff);

	*(uint16_t *)s->cursor = passed;
	tell(s, s->cursor + 2);
}

static void put_depth(struct strand *s, uint64_t now)
{
	uint16_t passed = put_time(s, now, 0);

	(void)passed;
	put_escape(s, RAROG_ESCAPE_DEPTH, (uint64_t)(s->top - s->base), 2);
}

/* --- files --- */

static bool map_window(struct strand *s, int fd, uint64_t at)
{
	char *window;

	if (posix_fallocate(fd, (off_t)at, WINDOW))
		return false;
	window = mmap(NULL, WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);
	if (window == MAP_FAILED)
		return false;
	if (s->window)
		munmap(s->window, WINDOW);
	s->window = window;
	s->at = at;
	s->cursor = window;
	s->limit = window + WINDOW - MARGIN;
	return true;
}

/* By its name: programs close what they do not know. */
static bool next_window(struct strand *s)
{
	int fd = open(s->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	uint64_t used = s->head->used;
	bool is_mapped;

	/* the last page may have a piece of the next window: events are not cut */
	is_mapped = fd >= 0 && map_window(s, fd, used & ~(uint64_t)(RAROG_REGION_HEAD - 1));
	if (is_mapped)
		s->cursor += used % RAROG_REGION_HEAD;
	if (fd >= 0)
		close(fd);
	return is_mapped;
}

static void name_program(struct rarog_region_file *head)
{
	ssize_t n = readlink("/proc/self/exe", head->program, sizeof(head->program) - 1);

	head->program[n > 0 ? n : 0] = '\0';
}

static bool open_file(struct strand *s, const char *folder)
{
	pid_t tid = (pid_t)syscall(SYS_gettid);
	int fd = -1;

	for (int i = 0; i < 1000 && fd < 0; i++) {
		snprintf(s->path, sizeof(s->path), "%s/%d-%u", folder, (int)tid,
			 __atomic_fetch_add(&files, 1, __ATOMIC_RELAXED));
		fd = open(s->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd < 0 && errno != EEXIST)
			return false;
	}
	if (fd < 0 || posix_fallocate(fd, 0, RAROG_REGION_HEAD)) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	s->head = mmap(NULL, RAROG_REGION_HEAD, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	bool is_mapped = s->head != MAP_FAILED && map_window(s, fd, RAROG_REGION_HEAD);
	close(fd);
	if (!is_mapped)
		return false;
	s->head->pid = (uint32_t)getpid();
	s->head->parent = (uint32_t)getppid();
	s->head->tid = (uint32_t)tid;
	s->head->used = RAROG_REGION_HEAD;
	s->head->start = s->last = ticks();
	name_program(s->head);
	put_escape(s, RAROG_ESCAPE_START, s->last, 4);
	__atomic_store_n(&s->head->magic, RAROG_REGION_MAGIC, __ATOMIC_RELEASE);
	return true;
}

static void close_file(struct strand *s)
{
	if (s->window)
		munmap(s->window, WINDOW);
	if (s->head && s->head != MAP_FAILED)
		munmap(s->head, RAROG_REGION_HEAD);
	s->window = NULL;
	s->head = NULL;
}

/* --- threads and processes --- */

static void end_thread(void *strand)
{
	struct strand *s = strand;

	if (s->state == STATE_ON)
		s->head->end = ticks();
	s->state = STATE_OFF;
	close_file(s);
	if (s->base)
		munmap(s->base, DEEP * sizeof(*s->base));
	s->base = NULL;
}

/* The child has what was open, in a file of its own. */
static void begin_child(void)
{
	struct strand *s = &self;
	const char *folder = secure_getenv(RAROG_REGION_ENVIRONMENT);
	int saved = errno;

	if (s->state == STATE_ON) {
		close_file(s);
		s->state = folder && open_file(s, folder) ? STATE_ON : STATE_OFF;
		for (const struct open_region *o = s->base; s->state == STATE_ON && o < s->top; o++)
			if (s->cursor < s->limit || next_window(s))
				put_escape(s, RAROG_ESCAPE_INHERIT, o->number, 2);
	}
	s->busy = 0;
	errno = saved;
}

static void begin_process(void)
{
	has_key = pthread_key_create(&key, end_thread) == 0;
	pthread_atfork(NULL, NULL, begin_child);
}

static bool begin_thread(struct strand *s)
{
	const char *folder = secure_getenv(RAROG_REGION_ENVIRONMENT);
	int saved = errno;

	s->state = STATE_OFF;
	if (!folder)
		return false;
	pthread_once(&once, begin_process);
	s->base = mmap(NULL, DEEP * sizeof(*s->base), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->base == MAP_FAILED)
		s->base = NULL;
	s->top = s->base;
	s->end = s->base + DEEP;
	if (s->base && open_file(s, folder)) {
		s->state = STATE_ON;
		if (has_key)
			pthread_setspecific(key, s);
	}
	errno = saved;
	return s->state == STATE_ON;
}

static bool make_room(struct strand *s)
{
	int saved = errno;
	bool has_room = s->cursor < s->limit || next_window(s);

	if (!has_room)
		s->head->lost++;
	errno = saved;
	return has_room;
}

/* false: nothing is to be written. */
static bool arrive(struct strand *s)
{
	if (__builtin_expect(s->state != STATE_ON, 0) &&
	    (s->state == STATE_OFF || s->busy || !begin_thread(s)))
		return false;
	if (s->busy) {
		s->head->lost++;
		return false;
	}
	__atomic_store_n(&s->busy, 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__builtin_expect(s->cursor < s->limit, 1) || make_room(s))
		return true;
	s->busy = 0;
	return false;
}

static void done(struct strand *s)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&s->busy, 0, __ATOMIC_RELAXED);
}

/* --- events --- */

/* What is deeper than @frame was left. */
static void leave_deeper(struct strand *s, const void *frame, uint64_t now)
{
	struct open_region *top = s->top;

	while (top > s->base && (uintptr_t)top[-1].frame < (uintptr_t)frame)
		top--;
	if (__builtin_expect(top == s->top, 1))
		return;
	s->top = top;
	put_depth(s, now);
}

void __rarog_region_begin(uint32_t number, const void *frame)
{
	struct strand *s = &self;
	uint64_t now;

	if (!arrive(s))
		return;
	now = ticks();
	leave_deeper(s, frame, now);
	if (s->top < s->end) {
		s->top->frame = frame;
		s->top->number = number;
		s->top++;
		put_begin(s, number, now);
	} else {
		s->head->lost += 2;
	}
	done(s);
}

/* The innermost with this number that this call has begun; what is in it ends, too. */
void __rarog_region_end(uint32_t number, const void *frame)
{
	struct strand *s = &self;
	struct open_region *at;
	uint64_t now;

	if (!arrive(s))
		return;
	now = ticks();
	leave_deeper(s, frame, now);
	at = s->top;
	while (at > s->base && at[-1].frame == frame && at[-1].number != number)
		at--;
	if (at > s->base && at[-1].frame == frame) {
		if (at < s->top) {
			s->top = at;
			put_depth(s, now);
		}
		s->top = at - 1;
		put_end(s, now);
	}
	done(s);
}

void __rarog_region_settle(const void *frame)
{
	struct strand *s = &self;

	if (s->state != STATE_ON || s->top == s->base ||
	    (uintptr_t)s->top[-1].frame >= (uintptr_t)frame || !arrive(s))
		return;
	leave_deeper(s, frame, ticks());
	done(s);
}
