/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread that opened a library waits in a place among those of its image until we have looked at
 * it. It gives the place back itself; where it was killed meanwhile we do, as soon as its process
 * has ended: the others would have none left some day.
 */
#include "engine/inline/ring/requests.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "engine/inline/code/known-areas.h"
#include "engine/inline/ring/drain-state.h"
#include "process/task.h"
#include "process/thread.h"

#define TRIES 8

static bool has_image(pid_t pid, const struct rarog_image *image)
{
	struct rarog_remote remote = { .memory = -1 };
	uint32_t version;
	bool has =
		rarog_remote_open_memory(pid, &remote) == 0 &&
		rarog_remote_read(&remote, image->header.control, sizeof(version), &version) == 0;

	rarog_remote_close(&remote);
	return has;
}

/* An exception that goes through a library without hooks must not meet our return addresses, so all
 * are taken out. A process that has ended meanwhile is no reason, nor are probes that only count.
 */
static void do_without_hooks(struct rarog_image *image, pid_t pid)
{
	if (image->modules->plan->detail == RAROG_DETAIL_COUNT || !has_image(pid, image))
		return;
	if (!__atomic_exchange_n(&image->control->off, 1, __ATOMIC_SEQ_CST))
		rarog_warn("%s: no call is recorded from here on", rarog_error_message());
	__atomic_store_n(&image->hook_out, true, __ATOMIC_SEQ_CST);
}

/* Areas of processes that have ended. */
static int forget_areas(struct rarog_drain *d, struct rarog_image *image)
{
	RAROG_VEC(pid_t) living = { 0 };
	int r = 0;

	/* of which processes that are not followed are there, too, is unknown */
	if (!image->modules->plan->follow || !rarog_known_is_due(image))
		return 0;
	pthread_mutex_lock(&d->lock);
	for (size_t i = 0; r == 0 && i < d->processes.n; i++)
		if (d->processes.v[i].image == image)
			r = rarog_vec_push(&living, d->processes.v[i].pid);
	pthread_mutex_unlock(&d->lock);
	if (r == 0)
		r = rarog_known_sweep(image, living.n, living.v);
	rarog_vec_release(&living);
	return r;
}

/* The thread that we look by, where the first has ended, may end as well, and the process go on. */
static int look_at_libraries(struct rarog_drain *d, struct rarog_image *image,
			     struct rarog_request *request, pid_t pid)
{
	struct rarog_remote remote;
	bool again = true;
	int r = 0;

	for (int i = 0; again && i < TRIES; i++) {
		r = rarog_remote_open_waiting(pid, request, &d->answered_is_gone,
					      &image->control->gone, &d->is_calling, &remote);
		if (r < 0)
			return r;
		r = rarog_image_loaded(image, &remote);
		again = remote.pid != pid && !rarog_task_has_memory(remote.pid);
		rarog_remote_close(&remote);
	}
	return r;
}

/* A program that keeps others from its memory (PR_SET_DUMPABLE, other rights), not measured by
 * root. */
static void say_unreadable(struct rarog_image *image, pid_t pid)
{
	if (image->is_unreadable)
		return;
	image->is_unreadable = true;
	rarog_warn("process %d does not let its memory be read any more: libraries that it opens "
		   "from here on are "
		   "not measured, and where exceptions pass through them it may end; root may "
		   "measure it",
		   (int)pid);
}

/* One word, for another thread reads it at any time. */
#define STANDS (1ull << 63)

static void stand(struct rarog_drain *d)
{
	__atomic_store_n(&d->stood_ns, (rarog_now_ns() - d->stood_ns) | STANDS, __ATOMIC_SEQ_CST);
}

static void go_on(struct rarog_drain *d)
{
	__atomic_store_n(&d->stood_ns, rarog_drain_stood_ns(d), __ATOMIC_SEQ_CST);
}

uint64_t rarog_drain_stood_ns(const struct rarog_drain *d)
{
	uint64_t stood = __atomic_load_n(&d->stood_ns, __ATOMIC_SEQ_CST);

	return (stood & STANDS) != 0 ? rarog_now_ns() - (stood & ~STANDS) : stood;
}

/* The lock is not held: the thread that waits for the answer may be stopped for the tracer, which
 * may be waiting for the lock. The image stays, because only this thread frees images. */
static void answer(struct rarog_drain *d, struct rarog_image *image, struct rarog_request *request,
		   pid_t pid)
{
	int r;

	stand(d);
	__atomic_store_n(&d->is_looking, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_lock(d->install_lock);
	if (forget_areas(d, image) < 0)
		rarog_debug(RAROG_LOG_INSTALL, "%s", rarog_error_message());
	r = look_at_libraries(d, image, request, pid);
	pthread_mutex_unlock(d->install_lock);
	__atomic_store_n(&d->is_looking, 0, __ATOMIC_SEQ_CST);
	if (r < 0) {
		rarog_debug(RAROG_LOG_INSTALL, "process %d: libraries: %s", (int)pid,
			    rarog_error_message());
		do_without_hooks(image, pid);
	}
	if ((r == -EACCES || r == -EPERM) && !has_image(pid, image))
		say_unreadable(image, pid);
	go_on(d);
	__atomic_store_n(&request->state, RAROG_REQUEST_DONE, __ATOMIC_SEQ_CST);
	rarog_drain_futex(&request->state, FUTEX_WAKE, 1, NULL);
}

/* The thread that asked may have given it back, and another have claimed it. */
static void give_back(struct rarog_request *request, uint32_t state)
{
	__atomic_compare_exchange_n(&request->state, &state, RAROG_REQUEST_FREE, false,
				    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

static uint32_t state_of(const struct rarog_request *request)
{
	return __atomic_load_n(&request->state, __ATOMIC_ACQUIRE);
}

/* Also where no thread waits for it, so that it keeps its number. */
static bool has_ended(pid_t pid)
{
	uint64_t others = 0;

	if (kill(pid, 0) < 0)
		return errno == ESRCH;
	return rarog_thread_state(pid) == 'Z' && rarog_task_other(pid, &others) == 0 && others == 0;
}

/* It goes by a name of its own name space, and we may not know of it (--no-follow). */
static bool is_asker_gone(const struct rarog_drain *d, const struct rarog_image *image,
			  const struct rarog_request *request)
{
	pid_t pid = (pid_t)request->pid;

	if (rarog_processes_inner(&d->processes, image, pid))
		return false;
	if (rarog_processes_foreign(&d->processes, image))
		return image->modules->plan->follow;
	return rarog_processes_find(&d->processes, pid) || /* it is another program by now */
	       has_ended(pid);
}

static struct rarog_request *find_request(const struct rarog_drain *d,
					  struct rarog_image **ret_image)
{
	for (struct rarog_image *image = d->images; image; image = image->next)
		for (int i = 0; i < RAROG_REQUESTS; i++) {
			struct rarog_request *request = &image->control->requests[i];

			*ret_image = image;
			if (state_of(request) == RAROG_REQUEST_POSTED)
				return request;
		}
	return NULL;
}

bool rarog_requests_are_there(const struct rarog_drain *d)
{
	struct rarog_image *image;

	return find_request(d, &image);
}

bool rarog_requests_answer(struct rarog_drain *d)
{
	struct rarog_image *image = NULL;
	struct rarog_request *request;
	struct rarog_drained *process;
	bool is_gone = false;

	pthread_mutex_lock(&d->lock);
	request = find_request(d, &image);
	if (request) {
		process = rarog_processes_inner(&d->processes, image, (pid_t)request->pid);
		is_gone = !process && is_asker_gone(d, image, request);
		d->answered = process ? process->pid : (pid_t)request->pid;
		d->answered_is_gone = 0;
	}
	pthread_mutex_unlock(&d->lock);
	if (is_gone)
		give_back(request, RAROG_REQUEST_POSTED);
	else if (request)
		answer(d, image, request, d->answered);
	return request;
}

/* One that is just being claimed has no owner yet. */
static void sweep(struct rarog_drain *d, struct rarog_image *image)
{
	for (int i = 0; i < RAROG_REQUESTS; i++) {
		struct rarog_request *request = &image->control->requests[i];
		uint32_t state = state_of(request);

		if (state != RAROG_REQUEST_FREE && state != RAROG_REQUEST_CLAIMED &&
		    is_asker_gone(d, image, request))
			give_back(request, state);
	}
}

void rarog_requests_sweep(struct rarog_drain *d)
{
	for (struct rarog_image *image = d->images; image; image = image->next)
		sweep(d, image);
}
