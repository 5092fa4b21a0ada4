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
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/abi.h"
#include "region-calls.h"

#define WINDOW_FIRST (UINT64_C(1) << 16) /* of the file, that is mapped at a time; whole pages */
#define WINDOW_MOST  (UINT64_C(1) << 22)
#define MARGIN       128             /* bytes of the events of one call here, at most */
#define DEEP         UINT64_C(65536) /* open regions of a thread */
#define FOLDERS      4096
#define TRIES        4096
#define PATHS        4352
#define PAGE         4096

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
	const volatile uint32_t *alive; /* 0: look at the state */
	int state;                      /* enum state */
	int busy; /* an event is being written: a signal's handler leaves it alone */
	char *cursor, *limit;
	uint64_t last;       /* ticks of the last event */
	uintptr_t low, span; /* of the thread's stack; 0: not known yet */
	struct open_region *base, *top, *end;
	struct rarog_region_file *head;
	char *window;
	uint64_t at, size; /* of the window, in the file */
	unsigned misses;   /* events without room since there was some */
	char *path;        /* after the open regions */
};

struct process {
	char folder[FOLDERS]; /* "": nobody measures */
	const struct strand *first;
	uintptr_t first_frame;
	volatile uint32_t *alive; /* 0 in a child that has not looked yet */
	struct rarog_region_lost *lost;
	pthread_key_t key;
	bool has_key;
	unsigned files;
};

static const uint32_t never;
static uint32_t always = 1;
static __thread struct strand self __attribute__((tls_model("initial-exec"))) = { .alive = &never };
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct process process = { .alive = &always };

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

static bool map_window(struct strand *s, int fd, uint64_t at, uint64_t size)
{
	char *window = reserve(fd, at, size) ? map(fd, at, size) : NULL;

	if (!window)
		return false;
	unmap(s->window, s->size);
	s->window = window;
	s->at = at;
	s->size = size;
	s->cursor = window;
	s->limit = window + size - MARGIN;
	return true;
}

/* By its name: programs close what they do not know. */
static bool next_window(struct strand *s)
{
	int fd = open_path(s->path, O_RDWR);
	uint64_t used = s->head->used;
	uint64_t size = s->size < WINDOW_MOST ? s->size * 2 : s->size;
	bool is_mapped;

	if (fd < 0)
		return false;
	/* the last page may have a piece of the next window: events are not cut */
	is_mapped = map_window(s, fd, used & ~(uint64_t)(RAROG_REGION_HEAD - 1), size);
	if (is_mapped)
		s->cursor += used % RAROG_REGION_HEAD;
	close_fd(fd);
	return is_mapped;
}

/* On a full disk each try takes longer than many events: one of so many. */
static bool make_room(struct strand *s)
{
	bool is_tried = s->misses % TRIES == 0;
	bool has_room = s->cursor < s->limit || (is_tried && next_window(s));

	s->misses = has_room ? 0 : s->misses + 1;
	if (!has_room)
		s->head->lost++;
	return has_room;
}

static void name_program(struct rarog_region_file *head)
{
	long n = CALL(SYS_readlink, (long)"/proc/self/exe", (long)head->program,
		      sizeof(head->program) - 1);

	head->program[n > 0 ? n : 0] = '\0';
}

static void close_file(struct strand *s)
{
	unmap(s->window, s->size);
	unmap(s->head, RAROG_REGION_HEAD);
	s->window = NULL;
	s->head = NULL;
}

static int make_file(struct strand *s, uint32_t tid)
{
	int fd = -EEXIST;

	for (int i = 0; i < 1000 && fd == -EEXIST; i++) {
		snprintf(s->path, PATHS, "%s/%u-%u", process.folder, (unsigned)tid,
			 __atomic_fetch_add(&process.files, 1, __ATOMIC_RELAXED));
		fd = open_path(s->path, O_RDWR | O_CREAT | O_EXCL);
	}
	return fd;
}

static bool map_file(struct strand *s, uint32_t tid)
{
	int fd = make_file(s, tid);
	bool is_mapped;

	if (fd < 0)
		return false;
	if (reserve(fd, 0, RAROG_REGION_HEAD))
		s->head = map(fd, 0, RAROG_REGION_HEAD);
	is_mapped = s->head && map_window(s, fd, RAROG_REGION_HEAD, WINDOW_FIRST);
	close_fd(fd);
	if (is_mapped)
		return true;
	close_file(s);
	CALL(SYS_unlink, (long)s->path);
	return false;
}

static bool open_file(struct strand *s)
{
	uint32_t tid = (uint32_t)CALL(SYS_gettid);

	if (!map_file(s, tid)) {
		if (process.lost)
			__atomic_fetch_add(&process.lost->strands, 1, __ATOMIC_RELAXED);
		return false;
	}
	s->head->pid = (uint32_t)CALL(SYS_getpid);
	s->head->parent = (uint32_t)CALL(SYS_getppid);
	s->head->tid = tid;
	s->head->used = RAROG_REGION_HEAD;
	s->head->start = s->last = ticks();
	name_program(s->head);
	put_escape(s, RAROG_ESCAPE_START, s->last, 4);
	__atomic_store_n(&s->head->magic, RAROG_REGION_MAGIC, __ATOMIC_RELEASE);
	return true;
}

/* --- stacks --- */

struct mapping {
	uintptr_t from, to, before; /* before: the end of the one below */
};

static uintptr_t hex(const char **at)
{
	uintptr_t value = 0;

	for (; **at != '-' && **at != ' ' && **at != '\n'; ++*at)
		value = value << 4 | (uintptr_t)(**at <= '9' ? **at - '0' : **at - 'a' + 10);
	++*at;
	return value;
}

/* What of @text is whole lines; their mappings, until one has @address. Returns their length. */
static size_t look(const char *text, size_t n, uintptr_t address, struct mapping *m)
{
	const char *at = text, *end;

	while (m->to <= address && (end = memchr(at, '\n', n - (size_t)(at - text)))) {
		m->before = m->to;
		m->from = hex(&at);
		m->to = hex(&at);
		at = end + 1;
	}
	return (size_t)(at - text);
}

static bool find_mapping(uintptr_t address, char *text, size_t size, struct mapping *m)
{
	int fd = open_path("/proc/self/maps", O_RDONLY);
	size_t n = 0, whole;
	long got = 1;

	*m = (struct mapping){ 0 };
	while (fd >= 0 && m->to <= address && got > 0) {
		got = CALL(SYS_read, fd, (long)(text + n), (long)(size - n));
		n += got > 0 ? (size_t)got : 0;
		whole = look(text, n, address, m);
		n -= whole;
		memmove(text, text + whole, n);
	}
	if (fd >= 0)
		close_fd(fd);
	return m->from <= address && address < m->to;
}

/* A coroutine's or handler's stack tells nothing about what was left on the thread's. The first
 * stack grows; on those of others the thread's variables stand above the frames. */
static void find_stack(struct strand *s)
{
	bool is_first = s == process.first;
	uintptr_t address = is_first ? process.first_frame : (uintptr_t)s;
	struct mapping m;

	s->low = 0;
	s->span = UINTPTR_MAX;
	if (!find_mapping(address, s->path, PATHS, &m))
		return;
	s->low = is_first ? m.before : m.from;
	s->span = (is_first ? m.to : address) - s->low;
}

/* --- threads and processes --- */

static void end_thread(void *strand)
{
	struct strand *s = strand;
	bool is_own = s->state == STATE_ON && *s->alive; /* no child's that has not looked yet */
	uint64_t used = is_own ? s->head->used : 0;

	if (is_own)
		s->head->end = ticks();
	s->state = STATE_OFF;
	s->alive = &never;
	close_file(s);
	if (is_own)
		CALL(SYS_truncate, (long)s->path, (long)used);
	unmap(s->base, DEEP * sizeof(*s->base) + PATHS);
	s->base = NULL;
}

/* The child has what was open, in a file of its own; where nothing was it waits for an event. */
static void begin_child(void)
{
	struct strand *s = &self;
	bool has_open = s->state == STATE_ON && s->top > s->base;
	int saved = errno;

	*process.alive = 1;
	s->busy = 0;
	close_file(s);
	s->state = STATE_NEW;
	s->alive = &never;
	if (has_open && open_file(s)) {
		s->state = STATE_ON;
		s->alive = process.alive;
		for (const struct open_region *o = s->base; o < s->top; o++)
			if (make_room(s))
				put_escape(s, RAROG_ESCAPE_INHERIT, o->number, 2);
	} else if (has_open) {
		s->state = STATE_OFF;
	}
	errno = saved;
}

static void map_lost(void)
{
	char path[FOLDERS + sizeof(RAROG_REGION_LOST) + 1];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", process.folder, RAROG_REGION_LOST);
	fd = open_path(path, O_RDWR);
	if (fd < 0)
		return;
	process.lost = map(fd, 0, PAGE);
	close_fd(fd);
}

/* Also children that no fork() of libc made find that they are children. */
static void map_alive(void)
{
	uint32_t *alive = map(-1, 0, PAGE);

	if (!alive)
		return;
	if (CALL(SYS_madvise, (long)alive, PAGE, MADV_WIPEONFORK) < 0) {
		unmap(alive, PAGE);
		return;
	}
	*alive = 1;
	process.alive = alive;
}

/* The environment and the folder may not be there later. */
static void begin_process(void)
{
	const char *folder = secure_getenv(RAROG_REGION_ENVIRONMENT);

	size_t n = folder ? strlen(folder) : 0;

	if (n == 0 || n >= sizeof(process.folder))
		return;
	memcpy(process.folder, folder, n + 1);
	process.first = &self;
	process.first_frame = (uintptr_t)__builtin_frame_address(0);
	process.has_key = pthread_key_create(&process.key, end_thread) == 0;
	pthread_atfork(NULL, NULL, begin_child);
	map_lost();
	map_alive();
}

__attribute__((constructor)) static void start(void)
{
	int saved = errno;

	pthread_once(&once, begin_process);
	errno = saved;
}

static bool begin_strand(struct strand *s)
{
	if (!s->base) {
		s->base = map(-1, 0, DEEP * sizeof(*s->base) + PATHS);
		if (!s->base)
			return false;
		s->end = s->base + DEEP;
		s->path = (char *)s->end;
	}
	s->top = s->base;
	if (!s->span)
		find_stack(s);
	if (!open_file(s))
		return false;
	s->state = STATE_ON;
	s->alive = process.alive;
	if (process.has_key)
		pthread_setspecific(process.key, s);
	return true;
}

/* false: this strand writes nothing. */
__attribute__((noinline, cold)) static bool awake(struct strand *s)
{
	int saved = errno;

	if (s->busy)
		return false;
	if (s->state == STATE_ON)
		begin_child();
	if (s->state == STATE_NEW) {
		s->state = STATE_OFF;
		pthread_once(&once, begin_process);
		if (*process.folder)
			begin_strand(s);
	}
	errno = saved;
	return s->state == STATE_ON;
}

/* false: nothing is to be written. */
static bool arrive(struct strand *s, const void *frame)
{
	if (__builtin_expect(!*s->alive, 0) && (s->state == STATE_OFF || !awake(s)))
		return false;
	if (__builtin_expect((uintptr_t)frame - s->low >= s->span, 0)) {
		s->head->elsewhere++;
		return false;
	}
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
static struct open_region *find_left(const struct strand *s, const void *frame)
{
	struct open_region *top = s->top;

	while (top > s->base && (uintptr_t)top[-1].frame < (uintptr_t)frame)
		top--;
	return top;
}

/* Also @number of an earlier call at the same place, that longjmp() left, with all in it. */
static struct open_region *find_begun(const struct strand *s, struct open_region *top,
				      const void *frame, uint32_t number)
{
	struct open_region *at = top;

	while (at > s->base && at[-1].frame == frame && at[-1].number != number)
		at--;
	return at > s->base && at[-1].frame == frame ? at - 1 : top;
}

static void leave_until(struct strand *s, struct open_region *top, uint64_t now)
{
	if (__builtin_expect(top == s->top, 1))
		return;
	s->top = top;
	put_depth(s, now);
}

void __rarog_region_begin(uint32_t number, const void *frame)
{
	struct strand *s = &self;
	uint64_t now;

	if (!arrive(s, frame))
		return;
	now = ticks();
	leave_until(s, find_begun(s, find_left(s, frame), frame, number), now);
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

	if (!arrive(s, frame))
		return;
	now = ticks();
	leave_until(s, find_left(s, frame), now);
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
	    (uintptr_t)s->top[-1].frame >= (uintptr_t)frame ||
	    (uintptr_t)frame - s->low >= s->span || !arrive(s, frame))
		return;
	leave_until(s, find_left(s, frame), ticks());
	done(s);
}
