/* Ways out of a region, in four threads: its end, return, goto, break, an exception, longjmp. */
#include <csetjmp>
#include <thread>
#include <vector>

#include <rarog.h>

static int first RAROG_FEATURE_VARIABLE(First);
static int second RAROG_FEATURE_VARIABLE(Second);
static thread_local jmp_buf back;
static thread_local volatile long sink;

static void __attribute__((noinline)) work(int n)
{
	for (int i = 0; i < n; i++) sink = sink + i;
}

static void __attribute__((noinline)) leave(int how)
{
	for (int i = 0; i < 2; i++) {
		if (first) {
			work(10);
			if (how == 1) return;
			if (how == 2) goto out;
			if (how == 3) break;
			if (how == 4) throw 4;
			if (how == 5) longjmp(back, 1);
			work(20);
		}
	}
out:
	work(30);
}

static void __attribute__((noinline)) after()
{
	if (second) work(40);
}

static void all()
{
	for (volatile int how = 0; how < 6; how = how + 1) {
		try {
			if (setjmp(back) == 0) leave(how);
		} catch (int) {
			work(50);
		}
		after();
	}
}

int main(int argc, char **argv)
{
	first = second = argc;
	std::vector<std::thread> threads;
	for (int i = 0; i < 4; i++) threads.emplace_back(all);
	for (auto &thread : threads) thread.join();
	return 0;
}
