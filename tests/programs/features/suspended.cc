/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions of coroutines, which go on in another thread, and of what they call. libstdc++ has no coroutines for clang 14. */
#include <rarog.h>
#include <stdio.h>
#include <stdlib.h>
#include <thread>
namespace std {
template <class R, class... A> struct coroutine_traits { using promise_type = typename R::promise_type; };
template <class P = void> struct coroutine_handle;
template <> struct coroutine_handle<void> {
	void *at = nullptr;
	static coroutine_handle from_address(void *a) { coroutine_handle h; h.at = a; return h; }
	void resume() const { __builtin_coro_resume(at); }
	void destroy() const { __builtin_coro_destroy(at); }
	bool done() const { return __builtin_coro_done(at); }
};
template <class P> struct coroutine_handle : coroutine_handle<void> {
	static coroutine_handle from_address(void *a) { coroutine_handle h; h.at = a; return h; }
	static coroutine_handle from_promise(P &p) { return from_address(__builtin_coro_promise(&p, alignof(P), true)); }
};
struct suspend_always {
	bool await_ready() noexcept { return false; }
	void await_suspend(coroutine_handle<>) noexcept {}
	void await_resume() noexcept {}
};
}
struct Task {
	struct promise_type {
		Task get_return_object() { return { std::coroutine_handle<promise_type>::from_promise(*this) }; }
		std::suspend_always initial_suspend() noexcept { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() { abort(); }
	};
	std::coroutine_handle<promise_type> handle;
};
static int on RAROG_FEATURE_VARIABLE(On), helps RAROG_FEATURE_VARIABLE(Helps), around RAROG_FEATURE_VARIABLE(Around);
static volatile long sink;

static void work(long n)
{
	while (n--)
		sink = sink + 1;
}

/* The optimizer puts it into the coroutine. */
static void help(int n)
{
	if (helps) {
		work(n);
		sink = sink + n;
	}
}

static Task turns(int n)
{
	for (int i = 0; i < n; i++) {
		help(10);
		if (on) {
			work(10);
			co_await std::suspend_always();
			work(20);
		} else {
			co_await std::suspend_always();
		}
		help(20);
	}
}

static void resume(Task &task)
{
	if (around) {
		work(5);
		task.handle.resume();
		work(5);
	} else {
		task.handle.resume();
	}
}

int main(int argc, char **argv)
{
	on = argc > 1 && atoi(argv[1]);
	helps = argc > 2 && atoi(argv[2]);
	around = argc > 3 && atoi(argv[3]);
	Task task = turns(5);

	while (!task.handle.done()) {
		std::thread other([&task] { resume(task); });
		other.join();
		if (!task.handle.done())
			resume(task);
	}
	task.handle.destroy();
	printf("%ld\n", (long)sink);
	return 0;
}
