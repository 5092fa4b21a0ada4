/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: waits NAME   when the process ends a thread has counted in a register, and waits in that
 * function; without one, the names. Who does not wait counts for ever. Prints what ipcrm has to
 * remove.
 */
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static volatile int sink, never, rounds = 1000;
static volatile pid_t begun;
static struct timespec late; /* in an hour */
static const struct timespec hour = { 3600, 0 };
static pthread_t first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t locks = PTHREAD_RWLOCK_INITIALIZER;
static mtx_t mutex;
static int empty[2], other[2], sockets[2], file, again, semaphore, messages;
static mqd_t queue;
static char byte[8];
static struct iovec part = { byte, 1 };
static struct mmsghdr datagram;
static struct sembuf down = { 0, -1, 0 };
static struct {
	long type;
	char text[4096];
} message = { 1, "" };

/* How, and what holds it up. */
#define ALL(CASE)                                                                                  \
	CASE(pthread_clockjoin_np, pthread_clockjoin_np(first, NULL, CLOCK_REALTIME, &late))       \
	CASE(pthread_mutex_timedlock, pthread_mutex_timedlock(&lock, &late))                       \
	CASE(pthread_mutex_clocklock, pthread_mutex_clocklock(&lock, CLOCK_REALTIME, &late))       \
	CASE(mtx_timedlock, mtx_timedlock(&mutex, &late))                                          \
	CASE(pthread_rwlock_timedrdlock, pthread_rwlock_timedrdlock(&locks, &late))                \
	CASE(pthread_rwlock_timedwrlock, pthread_rwlock_timedwrlock(&locks, &late))                \
	CASE(pthread_rwlock_clockrdlock,                                                           \
	     pthread_rwlock_clockrdlock(&locks, CLOCK_REALTIME, &late))                            \
	CASE(pthread_rwlock_clockwrlock,                                                           \
	     pthread_rwlock_clockwrlock(&locks, CLOCK_REALTIME, &late))                            \
	CASE(sigpause, sigpause(SIGUSR1))                                                          \
	CASE(recvmmsg, recvmmsg(sockets[0], &datagram, 1, 0, NULL))                                \
	CASE(preadv2, preadv2(empty[0], &part, 1, -1, 0))                                          \
	CASE(eventfd_read, eventfd_read(eventfd(0, 0), (eventfd_t *)byte))                         \
	CASE(splice, splice(empty[0], NULL, other[1], NULL, 1, 0))                                 \
	CASE(tee, tee(empty[0], other[1], 1, 0))                                                   \
	CASE(semop, semop(semaphore, &down, 1))                                                    \
	CASE(semtimedop, semtimedop(semaphore, &down, 1, &hour))                                   \
	CASE(msgsnd, while (msgsnd(messages, &message, 4096, 0) == 0))                             \
	CASE(mq_timedreceive, mq_timedreceive(queue, byte, 8, NULL, &late))                        \
	CASE(mq_send, while (mq_send(queue, byte, 1, 0) == 0))                                     \
	CASE(mq_timedsend, while (mq_timedsend(queue, byte, 1, 0, &late) == 0))                    \
	CASE(flock, flock(again, LOCK_EX))

#define FUNCTION(name, call)                                                                       \
	static void in_##name(void)                                                                \
	{                                                                                          \
		call;                                                                              \
	}
ALL(FUNCTION)

static const struct {
	const char *name;
	void (*wait)(void);
} all[] = {
#define ROW(name, call) { #name, in_##name },
	ALL(ROW)
};

#define N_ALL (sizeof(all) / sizeof(*all))

__attribute__((noinline)) static void count(int rounds)
{
#pragma clang loop unroll(disable)
	for (int i = 0; i < rounds; i++)
		sink++;
}

static void *work(void *wait)
{
	count(rounds);
	begun = gettid();
	(*(void (**)(void))wait)();
	while (!never)
		sink++;
	return NULL;
}

/* Whatever was there to be had is held. */
static void hold_all(void)
{
	char name[64];
	struct mq_attr attributes = { .mq_maxmsg = 1, .mq_msgsize = 8 };

	clock_gettime(CLOCK_REALTIME, &late);
	late.tv_sec += 3600;
	first = pthread_self();
	pthread_mutex_lock(&lock);
	pthread_rwlock_wrlock(&locks);
	mtx_init(&mutex, mtx_timed);
	mtx_lock(&mutex);
	if (pipe(empty) < 0 || pipe(other) < 0 || write(other[1], byte, 1) < 0)
		_exit(4);
	socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets);
	datagram.msg_hdr.msg_iov = &part;
	datagram.msg_hdr.msg_iovlen = 1;
	snprintf(name, sizeof(name), "waits-%d", (int)getpid());
	file = open(name, O_CREAT | O_RDWR, 0600);
	again = open(name, O_RDWR);
	unlink(name);
	flock(file, LOCK_EX);
	semaphore = semget(IPC_PRIVATE, 1, 0600);
	messages = msgget(IPC_PRIVATE, 0600);
	printf("-s %d -q %d\n", semaphore, messages); /* whoever removed these here would wake it */
	snprintf(name, sizeof(name), "/rarog-waits-%d", (int)getpid());
	queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
	mq_unlink(name);
}

/* Does it sleep, as the kernel says? */
static int sleeps(pid_t thread)
{
	char path[64], text[256] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)thread);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		_exit(5);
	close(fd);
	return strstr(text, ") S ") != NULL;
}

static int wait_in(const char *name)
{
	pthread_t thread;
	size_t i = 0;

	while (i < N_ALL && strcmp(all[i].name, name) != 0)
		i++;
	if (i == N_ALL)
		return 2;
	hold_all();
	pthread_create(&thread, NULL, work, (void *)&all[i].wait);
	pthread_detach(thread);
	for (int tries = 0; !begun && tries < 10000; tries++)
		usleep(1000);
	usleep(20000);
	for (int tries = 0; !sleeps(begun) && tries < 1000; tries++)
		usleep(1000);
	fflush(stdout);
	return sleeps(begun) ? 0 : 3;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return wait_in(argv[1]);
	for (size_t i = 0; i < N_ALL; i++)
		puts(all[i].name);
	return 0;
}
