/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls that may wait for long, and in which nothing of the program runs meanwhile: a thread in
 * one when the process ends is in the middle of nothing. So there is none that calls back (fgets()
 * of fopencookie()'s streams, libc++'s future::wait(), which runs what was deferred).
 *
 * Nor one that seldom waits: a mutex is locked in less time than it takes to say so. And a handler
 * that interrupts a call of these and makes another one, as write(), is then taken to have
 * interrupted something.
 */
#include "pass.h"

#include <llvm/ADT/StringSet.h>

using namespace llvm;

namespace rarog
{

bool mayWait(StringRef name)
{
	/* clang-format off */
	static const StringSet<> names = {
		/* for threads, and what they do */
		"pthread_join", "pthread_timedjoin_np", "pthread_clockjoin_np", "thrd_join",
		"pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait", "cnd_wait",
		"cnd_timedwait", "sem_wait", "sem_timedwait", "sem_clockwait",
		"pthread_barrier_wait", "pthread_mutex_timedlock", "pthread_mutex_clocklock",
		"mtx_timedlock", "pthread_rwlock_timedrdlock", "pthread_rwlock_timedwrlock",
		"pthread_rwlock_clockrdlock", "pthread_rwlock_clockwrlock",
		/* for time, and signals */
		"thrd_sleep", "sleep", "usleep", "nanosleep", "clock_nanosleep", "sigwait",
		"sigwaitinfo", "sigtimedwait", "sigsuspend", "sigpause", "__sigpause",
		"__xpg_sigpause", "pause",
		/* for processes */
		"wait", "wait3", "wait4", "waitid", "waitpid", "system", "pclose", "semop",
		"semtimedop", "flock", "lockf", "lockf64",
		/* for what comes */
		"poll", "ppoll", "__poll_chk", "__ppoll_chk", "select", "pselect", "epoll_wait",
		"epoll_pwait", "epoll_pwait2", "accept", "accept4", "connect", "read", "__read_chk",
		"readv", "preadv2", "preadv64v2", "recv", "__recv_chk", "recvfrom",
		"__recvfrom_chk", "recvmsg", "recvmmsg", "eventfd_read", "splice", "tee", "msgrcv",
		"msgsnd", "mq_receive", "mq_timedreceive", "mq_send", "mq_timedsend",
		/* libstdc++: thread::join(), condition_variable::wait(), future::wait() and its
		 * like, this_thread::sleep_for() */
		"_ZNSt6thread4joinEv",
		"_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
		"_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono"
		"8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE",
		"_ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono"
		"8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE",
		"_ZNSt11this_thread11__sleep_forENSt6chrono"
		"8durationIlSt5ratioILl1ELl1EEEENS1_IlS2_ILl1ELl1000000000EEEE",
		/* libc++: the same, atomic::wait() */
		"_ZNSt3__16thread4joinEv",
		"_ZNSt3__118condition_variable4waitERNS_11unique_lockINS_5mutexEEE",
		"_ZNSt3__118condition_variable15__do_timed_waitERNS_11unique_lockINS_5mutexEEE"
		"NS_6chrono10time_pointINS5_12system_clockE"
		"NS5_8durationIxNS_5ratioILl1ELl1000000000EEEEEEE",
		"_ZNSt3__111this_thread9sleep_forERKNS_6chrono"
		"8durationIxNS_5ratioILl1ELl1000000000EEEEE",
		"_ZNSt3__120__libcpp_atomic_waitEPVKvi",
		"_ZNSt3__120__libcpp_atomic_waitEPVKNS_17__cxx_atomic_implIi"
		"NS_22__cxx_atomic_base_implIiEEEEi",
	};
	/* clang-format on */

	return names.contains(name);
}

} // namespace rarog
