/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that runs is patched as one that was just started, but for this: other threads may be
 * anywhere. They are all stopped; a thread inside a window goes on until after it, and where
 * a signal handler will return into a window, the program goes on for a moment and we try again.
 * What still is so after a while leaves that function unpatched.
 *
 * No other address leads into a window: return addresses do not, since a CALL that ends in one
 * makes a function unfit (doc/design/patching.md).
 *
 * Files are read and judged before, while the program runs.
 */
#include "engine/inline/attach/attach.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/signals.h"
#include "binary/patch-site.h"
#include "engine/inline/attach/attach-check.h"
#include "process/contexts.h"
#include "process/maps.h"
#include "process/process.h"

#define TRIES         20             /* then functions are left out */
#define PAUSE_NS      1000000        /* after the first try */
#define STUCK_MOST_NS 10000000000ull /* until a thread that does not stop is given up */
#define LOOK_NS       50000000       /* for signals meanwhile */

/* --- windows --- */

struct windows {
	size_t n;
	uint64_t *entries; /* ascending */
};

static void windows_release(struct windows *windows)
{
	free(windows->entries);
}

/* The entry whose window @address lies inside of; 0: none. At the entry itself no thread is in the
 * way. */
static uint64_t window_of(const struct windows *windows, uint64_t address)
{
	size_t low = 0, high = windows->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (windows->entries[middle] < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address - windows->entries[low - 1] < RAROG_PATCH_SIZE
		       ? windows->entries[low - 1]
		       : 0;
}

static bool is_in_window(const void *context, uint64_t address)
{
	return window_of(context, address) != 0;
}

static int find_windows(struct rarog_modules *modules, pid_t pid, const char *program,
			struct windows *windows)
{
	long n;

	free(windows->entries);
	*windows = (struct windows){ 0 };
	n = rarog_image_windows(modules, pid, program, &windows->entries);
	if (n < 0)
		return (int)n;
	windows->n = (size_t)n;
	return 0;
}

/* --- stopped --- */

/* Where handlers will return to inside of windows. */
static int find_contexts(const struct rarog_threads *threads, const struct windows *windows,
			 struct rarog_interrupted *contexts)
{
	struct rarog_remote remote = { .memory = -1 };
	int r = rarog_remote_open_memory(threads->pid, &remote);

	if (r == 0)
		r = rarog_contexts_find(&remote, threads, is_in_window, windows, contexts);
	rarog_remote_close(&remote);
	return r;
}

struct attempt {
	struct rarog_modules *modules;
	struct rarog_recorder *recorder;
	const char *program;
	uint32_t chunks;
	struct windows windows;
	struct rarog_image *image;
};

static int leave_windows(const struct attempt *a, struct rarog_threads *threads, bool is_last)
{
	int r = rarog_threads_leave(threads, is_in_window, &a->windows);

	if (r != -EBUSY)
		return r;
	return is_last ? rarog_fail(
				 r,
				 "process %d: a thread does not leave the beginning of a function",
				 (int)threads->pid)
		       : -EAGAIN;
}

/* Return: 0 attached; -EAGAIN: not now. */
static int attach_stopped(struct attempt *a, struct rarog_threads *threads, bool is_last)
{
	struct rarog_interrupted contexts = { 0 };
	int r = rarog_attach_check_threads(threads);

	if (r == 0)
		r = rarog_attach_check_files(threads->pid);
	if (r == 0) /* libraries may have come since */
		r = find_windows(a->modules, threads->pid, a->program, &a->windows);
	if (r == 0)
		r = leave_windows(a, threads, is_last);
	if (r == 0)
		r = find_contexts(threads, &a->windows, &contexts);
	if (r == 0 && contexts.v.n > 0 && !is_last)
		r = -EAGAIN;
	for (size_t i = 0; i < contexts.v.n; i++)
		contexts.v.v[i] = window_of(&a->windows, contexts.v.v[i]);
	if (r == 0)
		r = rarog_image_attach(a->modules, a->recorder, threads, a->program, a->chunks,
				       contexts.v.n, contexts.v.v, &a->image);
	rarog_vec_release(&contexts.v);
	return r;
}

static void pause_ns(long ns)
{
	const struct timespec moment = { .tv_nsec = ns };

	nanosleep(&moment, NULL);
}

/* Until one of those that did not stop does. -EINTR: it is not wanted any more. */
static int await(const struct rarog_threads *threads, uint64_t start_ns)
{
	while (rarog_now_ns() - start_ns <= STUCK_MOST_NS) {
		if (rarog_signals_have_come())
			return -EINTR;
		if (rarog_threads_await(threads, LOOK_NS) == 0)
			return 0;
	}
	return -EBUSY;
}

/* All stand still when 0 is returned. While one cannot be stopped, the others go on, untraced:
 * their signals would not be looked after. */
static int stop(pid_t pid, struct rarog_threads *threads)
{
	uint64_t start = rarog_now_ns();
	int r;

	while ((r = rarog_threads_stop(pid, NULL, threads)) == -EBUSY) {
		rarog_threads_let_go(threads);
		r = await(threads, start);
		if (r < 0)
			break;
		rarog_threads_release(threads);
	}
	if (r == -EINTR)
		return rarog_fail(r, "process %d: interrupted before there were probes", (int)pid);
	return r == 0 ? 0 : rarog_attach_fail(pid, r);
}

/* Return: 0 attached; -EAGAIN: not now, the program goes on. */
static int try_once(struct attempt *a, pid_t pid, struct rarog_threads *threads, bool is_last)
{
	int r = stop(pid, threads);

	if (r == 0)
		r = attach_stopped(a, threads, is_last);
	if (r == 0)
		return 0;
	rarog_threads_let_go(threads);
	rarog_threads_release(threads);
	return r;
}

static int try_all(struct attempt *a, pid_t pid, struct rarog_threads *threads)
{
	int r = -EAGAIN;

	for (int i = 1; r == -EAGAIN && i <= TRIES; i++) {
		r = try_once(a, pid, threads, i == TRIES);
		if (r == -EAGAIN)
			pause_ns(i * PAUSE_NS);
	}
	return r;
}

int rarog_attach(struct rarog_modules *modules, struct rarog_recorder *recorder, pid_t pid,
		 uint32_t chunks, struct rarog_threads *threads, struct rarog_image **ret_image)
{
	struct attempt a = { .modules = modules, .recorder = recorder, .chunks = chunks };
	char path[PATH_MAX], link[64];
	int r = rarog_attach_check(pid);

	if (r == 0)
		r = rarog_process_path(pid, path);
	if (r == 0)
		r = rarog_attach_check_files(pid);
	if (r < 0)
		return r;
	a.program = rarog_process_file(pid, path, link);
	r = rarog_image_judge(modules, pid, a.program);
	if (r == RAROG_IMAGE_LET_BE)
		return rarog_fail_prefix(-ENOTSUP, "process %d cannot be traced", (int)pid);
	if (r == 0)
		r = find_windows(modules, pid, a.program, &a.windows);
	if (r == 0)
		r = try_all(&a, pid, threads);
	windows_release(&a.windows);
	if (r < 0)
		return rarog_attach_unless_ended(pid, r);
	*ret_image = a.image;
	return 0;
}
