/* SPDX-License-Identifier: GPL-3.0-or-later */
/* usage: ends HOW   counts something and ends so */
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <threads.h>
#include <unistd.h>
#include <vector>

__attribute__((noinline)) unsigned step(unsigned x)
{
	return x & 1 ? 3 * x + 1 : x / 2;
}

__attribute__((noinline)) void work(unsigned n)
{
	volatile unsigned sum = 0;

	for (unsigned i = 1; i < n; i++) {
		unsigned x = i;

		while (x != 1 && x < 1000000)
			x = step(x);
		sum += x;
	}
}

static void in_threads()
{
	for (int round = 0; round < 3; round++) {
		std::vector<std::thread> threads;

		for (int i = 0; i < 6; i++)
			threads.emplace_back(work, 20000);
		for (std::thread &thread : threads)
			thread.join();
	}
}

static int c11_thread(void *)
{
	work(3000);
	return 7;
}

static void in_c11_threads()
{
	thrd_t threads[3];
	int result;

	for (thrd_t &thread : threads)
		thrd_create(&thread, c11_thread, nullptr);
	for (thrd_t thread : threads)
		if (thrd_join(thread, &result) != thrd_success || result != 7)
			abort();
}

static void in_child()
{
	std::thread thread([] {
		if (fork() == 0) {
			work(200);
			_exit(0);
		}
	});

	thread.join();
	wait(nullptr);
	work(300);
}

static char *self;

static void limit_files()
{
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_FSIZE, &none);
	in_child();
	in_c11_threads();
}

static const struct {
	const char *name;
	void (*run)();
} ends[] = {
	{ "return", [] { work(100); } },
	{ "exit",
	  [] {
		  work(100);
		  exit(0);
	  } },
	{ "_exit",
	  [] {
		  work(100);
		  _exit(0);
	  } },
	{ "abort",
	  [] {
		  work(100);
		  abort();
	  } },
	{ "kill",
	  [] {
		  work(100);
		  raise(SIGKILL);
	  } },
	{ "throw",
	  [] {
		  work(100);
		  throw 1;
	  } },
	{ "exec",
	  [] {
		  work(100);
		  execl(self, self, "_exit", nullptr);
	  } },
	{ "fork", in_child },
	{ "threads", in_threads },
	{ "c11", in_c11_threads },
	{ "limit", limit_files },
};

int main(int argc, char **argv)
{
	self = argv[0];
	for (auto &end : ends)
		if (argc > 1 && strcmp(argv[1], end.name) == 0)
			end.run();
	return 0;
}
