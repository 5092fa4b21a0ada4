/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Before a thread wakes another it pauses for what it owes, so the other is woken as late as it
 * would be; what is gained while a thread waits is forgiven to it, since its waker has paid: up to
 * when any thread last woke one, since it may be a while until the woken one goes on. A thread that
 * waits on a condition lets a mutex go, which may wake another. Descriptors are waited for
 * likewise, and syscall() stands for a futex. Source: C. Curtsinger, E. Berger, "Coz: Finding code
 * that counts with causal profiling", SOSP 2015, 3.4.
 */
#include "blow/waits.h"

#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"
#include "plan/place-set.h"

#define WAKES (RAROG_SETTLE_PAYS | RAROG_SETTLE_WAKES)
#define WAITS (RAROG_SETTLE_PAYS | RAROG_SETTLE_WAITS)
#define BOTH  (WAKES | WAITS)

/* Without the underscores that a library may have before them. */
static const struct {
	const char *name;
	unsigned settles;
} functions[] = {
	{ "pthread_mutex_lock", WAITS },
	{ "pthread_mutex_timedlock", WAITS },
	{ "pthread_mutex_clocklock", WAITS },
	{ "pthread_mutex_unlock", WAKES },
	{ "pthread_rwlock_rdlock", WAITS },
	{ "pthread_rwlock_wrlock", WAITS },
	{ "pthread_rwlock_unlock", WAKES },
	{ "pthread_spin_lock", WAITS },
	{ "pthread_spin_unlock", WAKES },
	{ "pthread_cond_wait", BOTH },
	{ "pthread_cond_timedwait", BOTH },
	{ "pthread_cond_clockwait", BOTH },
	{ "pthread_cond_signal", WAKES },
	{ "pthread_cond_broadcast", WAKES },
	{ "pthread_barrier_wait", BOTH },
	{ "pthread_join", WAITS },
	{ "pthread_timedjoin_np", WAITS },
	{ "pthread_clockjoin_np", WAITS },
	{ "pthread_create", WAKES },
	{ "pthread_exit", WAKES },
	{ "pthread_kill", WAKES },
	{ "call_tls_dtors", WAKES }, /* glibc: at the end of every thread */
	{ "sem_wait", WAITS },
	{ "sem_timedwait", WAITS },
	{ "sem_clockwait", WAITS },
	{ "new_sem_wait", WAITS },
	{ "sem_post", WAKES },
	{ "new_sem_post", WAKES },
	{ "mtx_lock", WAITS },
	{ "mtx_unlock", WAKES },
	{ "cnd_wait", BOTH },
	{ "cnd_signal", WAKES },
	{ "cnd_broadcast", WAKES },
	{ "exit", WAKES },
	/* Pipes and sockets between threads; what else is read is there at once, or from elsewhere:
	 * who does not wait is forgiven no more than was gained meanwhile. */
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
	{ "syscall", BOTH },
};

unsigned rarog_blow_settles(const char *name)
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
