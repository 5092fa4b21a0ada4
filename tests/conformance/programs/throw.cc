/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * C++ exceptions. usage: throw MODE   (no argument: all but uncaught)
 *   plain, nested (50 frames with destructors), rethrow, repeated, in-catch (throw while handling),
 *   through-c (through C frames), threads, pointer (exception_ptr across threads), in-destructor
 *   (whole exceptions in destructors, while another one unwinds), uncaught, noexcept (ends there)
 * repeated takes a number.
 */
#include "expect.h"
#include <cstring>
#include <exception>
#include <stdexcept>
#include <thread>
#include <unistd.h>
#include <vector>

extern "C" {
int c_calls_back(int (*function)(int), int x); /* through-c.cc */

TRACED void destroyed(int depth)
{
	CALLED();
	__asm__ volatile("" ::"r"(depth));
}

TRACED int leaf(int x)
{
	CALLED();
	return x + 1;
}

TRACED int thrower(int x)
{
	CALLED();
	if (x >= 0)
		throw std::runtime_error("thrown");
	return CALL(leaf, x);
}
}

struct guard {
	int depth;
	~guard()
	{
		destroyed(depth);
	}
};

extern "C" {
TRACED int dive(int depth)
{
	guard g{ depth };

	CALLED();
	int r = depth ? CALL(dive, depth - 1) : CALL(thrower, depth);

	BARRIER();
	return r + CALL(leaf, depth);
}

TRACED int catcher(int depth)
{
	CALLED();
	try {
		return CALL(dive, depth);
	} catch (const std::runtime_error &error) {
		return CALL(leaf, (int)strlen(error.what()));
	}
}

TRACED int rethrower(int depth)
{
	CALLED();
	try {
		return CALL(dive, depth);
	} catch (...) {
		CALL(leaf, 0);
		throw;
	}
}

TRACED int catches_rethrown(int depth)
{
	CALLED();
	try {
		return CALL(rethrower, depth);
	} catch (const std::exception &) {
		return CALL(leaf, 10);
	}
}

TRACED int throws_in_catch(int depth)
{
	CALLED();
	try {
		try {
			return CALL(dive, depth);
		} catch (const std::exception &) {
			int inner =
				CALL(catcher, 1); /* a whole exception while one is being handled */
			throw inner;
		}
	} catch (int value) {
		return CALL(leaf, value);
	}
}

TRACED int through_c(int depth)
{
	CALLED();
	try {
		return CALL(c_calls_back, dive, depth);
	} catch (const std::exception &) {
		return CALL(leaf, 100);
	}
}
}

TRACED int in_threads()
{
	std::vector<std::thread> threads;
	int sums[4] = {};

	for (int t = 0; t < 4; t++)
		threads.emplace_back([t, &sums] {
			for (int i = 0; i < 200; i++)
				sums[t] += catcher(i % 7) + catches_rethrown(i % 3);
		});
	for (auto &thread : threads)
		thread.join();
	return sums[0] + sums[1] + sums[2] + sums[3];
}

TRACED int across_threads()
{
	std::exception_ptr caught;

	std::thread([&caught] {
		try {
			dive(3);
		} catch (...) {
			caught = std::current_exception();
		}
	}).join();
	try {
		std::rethrow_exception(caught);
	} catch (const std::runtime_error &error) {
		return CALL(leaf, error.what()[0]);
	}
}

static int times = 2000;

TRACED int repeated()
{
	int sum = 0;

	for (int i = 0; i < times; i++)
		sum += CALL(catcher, i % 10);
	return sum;
}

static int caught_meanwhile;

TRACED void end_carefully(int depth)
{
	CALLED_AS("end_carefully");
	caught_meanwhile += CALL(catcher, depth);
}

struct careful {
	int depth;
	~careful()
	{
		end_carefully(depth);
	}
};

TRACED int dive_carefully(int depth)
{
	careful c{ depth };

	CALLED_AS("dive_carefully");
	int r = depth ? CALL(dive_carefully, depth - 1) : CALL(thrower, depth);

	BARRIER();
	return r;
}

TRACED int in_destructor()
{
	try {
		return dive_carefully(4);
	} catch (const std::exception &) {
		return caught_meanwhile + leaf(0);
	}
}

TRACED int does_not_throw(int depth) noexcept
{
	guard g{ depth };

	CALLED_AS("does_not_throw");
	return CALL(dive, depth) + 1;
}

static void terminated()
{
	printf("terminated %d\n", leaf(1));
	expect_print();
	_exit(4);
}

TRACED int through_noexcept()
{
	std::set_terminate(terminated);
	return CALL(does_not_throw, 5);
}

TRACED int uncaught()
{
	expect_calls("dive", 6);
	expect_calls("thrower", 1);
	expect_calls("destroyed", 0);
	fflush(stdout);
	return CALL(dive, 5); /* std::terminate, SIGABRT */
}

static const struct {
	const char *name;
	int (*run)();
} modes[] = {
	{ "plain", [] { return catcher(0); } },
	{ "nested", [] { return catcher(50); } },
	{ "rethrow", [] { return catches_rethrown(5); } },
	{ "repeated", repeated },
	{ "in-catch", [] { return throws_in_catch(5); } },
	{ "through-c", [] { return through_c(5); } },
	{ "threads", in_threads },
	{ "pointer", across_threads },
	{ "in-destructor", in_destructor },
	{ "uncaught", uncaught },
	{ "noexcept", through_noexcept },
};

int main(int argc, char **argv)
{
	if (argc > 2)
		times = atoi(argv[2]);
	for (const auto &mode : modes) {
		if (argc > 1 ? strcmp(mode.name, argv[1]) == 0
			     : mode.run != uncaught && mode.run != through_noexcept)
			printf("%s %d\n", mode.name, mode.run());
	}
	expect_print();
	return 0;
}
