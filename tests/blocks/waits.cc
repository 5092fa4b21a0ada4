/* SPDX-License-Identifier: GPL-3.0-or-later */
/* As waits.c, in C++'s library. */
#include <barrier>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <thread>
#include <unistd.h>

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using std::chrono::system_clock;

static volatile int sink, never, rounds = 1000;
static volatile pid_t begun;
/* Never destroyed: that would wake who waits, or wait for him. */
static auto &promise = *new std::promise<int>;
static auto &kept = *new std::shared_future<int>(promise.get_future().share());
static auto &mutex = *new std::mutex;
static auto &timed = *new std::timed_mutex;
static auto &recursive = *new std::recursive_timed_mutex;
static auto &shared = *new std::shared_timed_mutex;
static auto &condition = *new std::condition_variable;
static auto &any = *new std::condition_variable_any;
static auto &semaphore = *new std::counting_semaphore<4>(0);
static auto &latch = *new std::latch(2);
static auto &barrier = *new std::barrier<>(2);
static auto &number = *new std::atomic<int>(1);
static auto &wide = *new std::atomic<long>(1);

static void wait_on(auto wait)
{
	std::unique_lock<std::mutex> held(mutex);
	wait(held);
}

static void join()
{
	std::thread sleeper([] { std::this_thread::sleep_for(1h); });
	sleeper.join();
}

static const struct {
	const char *name;
	void (*wait)();
} all[] = {
	{ "future", [] { kept.wait(); } },
	{ "future_get", [] { sink += kept.get(); } },
	{ "future_for", [] { kept.wait_for(1h); } },
	{ "future_until", [] { kept.wait_until(system_clock::now() + 1h); } },
	{ "condition", [] { wait_on([](auto &held) { condition.wait(held); }); } },
	{ "condition_for", [] { wait_on([](auto &held) { condition.wait_for(held, 1h); }); } },
	{ "condition_until",
	  [] {
		  wait_on([](auto &held) { condition.wait_until(held, system_clock::now() + 1h); });
	  } },
	{ "condition_any", [] { wait_on([](auto &held) { any.wait(held); }); } },
	{ "sleep_for", [] { std::this_thread::sleep_for(1h); } },
	{ "sleep_until", [] { std::this_thread::sleep_until(steady_clock::now() + 1h); } },
	{ "join", join },
	{ "timed_mutex", [] { sink += timed.try_lock_for(1h); } },
	{ "timed_mutex_until", [] { sink += timed.try_lock_until(system_clock::now() + 1h); } },
	{ "recursive_timed_mutex", [] { sink += recursive.try_lock_for(1h); } },
	{ "shared_timed_mutex", [] { sink += shared.try_lock_for(1h); } },
	{ "shared_timed_mutex_shared", [] { sink += shared.try_lock_shared_for(1h); } },
	{ "semaphore", [] { semaphore.acquire(); } },
	{ "semaphore_for", [] { sink += semaphore.try_acquire_for(1h); } },
	{ "latch", [] { latch.wait(); } },
	{ "barrier", [] { barrier.arrive_and_wait(); } },
	{ "atomic", [] { number.wait(1); } },
	{ "atomic_wide", [] { wide.wait(1); } },
};

__attribute__((noinline)) static void count(int rounds)
{
#pragma clang loop unroll(disable)
	for (int i = 0; i < rounds; i++)
		sink = sink + 1;
}

static void work(void (*wait)())
{
	count(rounds);
	begun = gettid();
	wait();
	while (!never)
		sink = sink + 1;
}

/* Does it sleep, as the kernel says? */
static bool sleeps(pid_t thread)
{
	char path[64], text[256] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)thread);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		_exit(5);
	close(fd);
	return strstr(text, ") S ") != nullptr;
}

static int wait_in(void (*wait)())
{
	timed.lock();
	recursive.lock();
	shared.lock();
	std::thread(work, wait).detach();
	for (int tries = 0; !begun && tries < 10000; tries++)
		usleep(1000);
	usleep(20000);
	for (int tries = 0; !sleeps(begun) && tries < 1000; tries++)
		usleep(1000);
	return sleeps(begun) ? 0 : 3;
}

int main(int argc, char **argv)
{
	for (const auto &one : all)
		if (argc < 2)
			puts(one.name);
		else if (strcmp(one.name, argv[1]) == 0)
			return wait_in(one.wait);
	return argc < 2 ? 0 : 2;
}
