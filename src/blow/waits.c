/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Before a thread wakes another it pauses for what it owes, so the other is woken as late as it
 * would be; what is gained while a thread waits is forgiven to it, since its waker has paid: up to
 * when one was last woken by the same lock, or whatever it is, since it may be a while until the
 * woken one goes on. A thread that takes a lock that is free does not wait, and no other lets it go
 * meanwhile: nothing is forgiven. Others post a semaphore and let a lock for reading go meanwhile,
 * so glibc's are looked into: a thread that finds them free does not wait. One that waits on a
 * condition lets a mutex go, which may wake another; that it may wait for it afterwards is not
 * seen. Descriptors are waited for likewise, but as if all were one, and syscall() stands for a
 * futex. Source: C. Curtsinger, E. Berger, "Coz: Finding code that counts with causal profiling",
 * SOSP 2015, 3.4.
 */
#include "blow/waits.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "plan/place-set.h"
#include "process/namespaces.h"
#include "process/running.h"

#define WAKES  (RAROG_SETTLE_PAYS | RAROG_SETTLE_WAKES)
#define WAITS  (RAROG_SETTLE_PAYS | RAROG_SETTLE_WAITS)
#define BOTH   (RAROG_SETTLE_PAYS | RAROG_SETTLE_WAKES | RAROG_SETTLE_WAITS)
#define FIRST  RAROG_SETTLE_FIRST
#define SECOND RAROG_SETTLE_SECOND
#define READS  (WAITS | FIRST | RAROG_SETTLE_READS)
#define TAKES  (WAITS | FIRST | RAROG_SETTLE_SEMAPHORE)
#define ONCE   (WAITS | RAROG_SETTLE_ONCE)

/* Without the underscores that a library may have before them. */
static const struct {
	const char *name;
	unsigned settles;
} functions[] = {
	{ "pthread_mutex_lock", WAITS | FIRST },
	{ "pthread_mutex_timedlock", WAITS | FIRST },
	{ "pthread_mutex_clocklock", WAITS | FIRST },
	{ "pthread_mutex_unlock", WAKES | FIRST },
	{ "pthread_rwlock_rdlock", READS },
	{ "pthread_rwlock_wrlock", WAITS | FIRST },
	{ "pthread_rwlock_timedrdlock", READS },
	{ "pthread_rwlock_timedwrlock", WAITS | FIRST },
	{ "pthread_rwlock_clockrdlock", READS },
	{ "pthread_rwlock_clockwrlock", WAITS | FIRST },
	{ "pthread_rwlock_unlock", WAKES | FIRST },
	{ "pthread_spin_lock", WAITS | FIRST },
	{ "pthread_spin_unlock", WAKES | FIRST },
	/* The second is the mutex, which is let go. */
	{ "pthread_cond_wait", BOTH | FIRST | SECOND },
	{ "pthread_cond_timedwait", BOTH | FIRST | SECOND },
	{ "pthread_cond_clockwait", BOTH | FIRST | SECOND },
	{ "pthread_cond_signal", WAKES | FIRST },
	{ "pthread_cond_broadcast", WAKES | FIRST },
	{ "pthread_barrier_wait", BOTH | FIRST },
	{ "pthread_join", WAITS },
	{ "pthread_timedjoin_np", WAITS },
	{ "pthread_clockjoin_np", WAITS },
	{ "pthread_create", WAKES },
	{ "pthread_exit", WAKES },
	{ "pthread_kill", WAKES },
	{ "call_tls_dtors", WAKES }, /* glibc: at the end of every thread */
	{ "pthread_once", ONCE },
	{ "sem_wait", TAKES },
	{ "sem_timedwait", TAKES },
	{ "sem_clockwait", TAKES },
	{ "new_sem_wait", TAKES },
	{ "sem_post", WAKES | FIRST },
	{ "new_sem_post", WAKES | FIRST },
	{ "mtx_lock", WAITS | FIRST },
	{ "mtx_timedlock", WAITS | FIRST },
	{ "mtx_unlock", WAKES | FIRST },
	{ "cnd_wait", BOTH | FIRST | SECOND },
	{ "cnd_timedwait", BOTH | FIRST | SECOND },
	{ "cnd_signal", WAKES | FIRST },
	{ "cnd_broadcast", WAKES | FIRST },
	{ "thrd_create", WAKES },
	{ "thrd_join", WAITS },
	{ "thrd_exit", WAKES },
	{ "call_once", ONCE },
	{ "exit", WAKES },
	/* Of GCC's OpenMP, which has futexes of its own, what a thread calls itself. Its workers
	 * wait inside of it, and so does a thread that began a parallel region, at its end: no name
	 * tells of that. */
	{ "GOMP_barrier", BOTH },
	{ "GOMP_loop_end", BOTH },
	{ "GOMP_sections_end", BOTH },
	{ "GOMP_taskwait", BOTH },
	{ "GOMP_taskgroup_end", BOTH },
	{ "GOMP_task", WAKES },
	{ "GOMP_parallel", WAKES },
	{ "GOMP_critical_start", WAITS },
	{ "GOMP_critical_end", WAKES },
	{ "GOMP_critical_name_start", WAITS | FIRST },
	{ "GOMP_critical_name_end", WAKES | FIRST },
	{ "GOMP_atomic_start", WAITS },
	{ "GOMP_atomic_end", WAKES },
	{ "GOMP_ordered_start", WAITS },
	{ "GOMP_ordered_end", WAKES },
	{ "omp_set_lock", WAITS | FIRST },
	{ "omp_unset_lock", WAKES | FIRST },
	{ "omp_set_nest_lock", WAITS | FIRST },
	{ "omp_unset_nest_lock", WAKES | FIRST },
	/* Pipes and sockets between threads; what else is read is there at once, or from elsewhere:
	 * a thread that does not wait is forgiven no more than was gained meanwhile. */
	{ "read", WAITS },
	{ "readv", WAITS },
	{ "recv", WAITS },
	{ "recvfrom", WAITS },
	{ "recvmsg", WAITS },
	{ "accept", WAITS },
	{ "accept4", WAITS },
	{ "poll", WAITS },
	{ "ppoll", WAITS },
	{ "select", WAITS },
	{ "pselect", WAITS },
	{ "epoll_wait", WAITS },
	{ "epoll_pwait", WAITS },
	{ "write", WAKES },
	{ "writev", WAKES },
	{ "send", WAKES },
	{ "sendto", WAKES },
	{ "sendmsg", WAKES },
	{ "eventfd_read", WAITS },
	{ "eventfd_write", WAKES },
	/* A futex of the program's own, which may be either. */
	{ "syscall", BOTH | SECOND },
};

static unsigned settles(const char *name)
{
	size_t length;

	name += strspn(name, "_");
	length = strcspn(name, "@");
	for (size_t i = 0; i < RAROG_COUNT(functions); i++)
		if (strlen(functions[i].name) == length &&
		    strncmp(functions[i].name, name, length) == 0)
			return functions[i].settles;
	return 0;
}

/* Before 2.34 threads had a library of their own. */
static bool is_of_glibc(const char *path)
{
	static const char *const names[] = { "libc.so.6", "libc-2.", "libpthread.so.0",
					     "libpthread-2." };
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < RAROG_COUNT(names); i++)
		if (rarog_starts_with(name, names[i]))
			return true;
	return false;
}

/* A thread that waits until something was done once is woken by no call that is seen: it would be
 * forgiven too much where it cannot be told that no thread does it. */
unsigned rarog_blow_settles(const char *path, const char *name)
{
	unsigned all = settles(name);

	if (!(all & RAROG_SETTLE_LOOKS) || is_of_glibc(path))
		return all;
	return all & RAROG_SETTLE_ONCE ? 0 : all & ~(unsigned)RAROG_SETTLE_LOOKS;
}

/* What compilers call where a parallel region of OpenMP begins. */
static const char *const regions[] = { "GOMP_parallel", "__kmpc_fork_call" };

void rarog_blow_waits_warn(const char *name)
{
	char path[PATH_MAX];
	bool has_regions = false;

	if (rarog_program_find(name, path) == 0)
		for (size_t i = 0; i < RAROG_COUNT(regions); i++)
			has_regions |= rarog_file_names(path, regions[i]);
	rarog_error_clear();
	if (has_regions)
		rarog_warn("%s: threads of OpenMP wait for regions to begin and end in places that "
			   "are not seen, so gains are told too small; see rarog blow speed",
			   name);
}
