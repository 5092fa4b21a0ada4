// Calls that an exception or longjmp leaves. What catches them calls handle(), which is no part of
// any of them, but of the calls around.
#include <csetjmp>

#ifdef __clang__
#define APART __attribute__((noinline, optnone))
#else
#define APART __attribute__((noipa))
#endif

static jmp_buf out;
static volatile int sink;

extern "C" APART void handle()
{
	for (int i = 0; i < 100; i++)
		sink = sink + i;
}

struct cleaned {
	~cleaned()
	{
		handle();
	}
};

extern "C" APART void fail(int i)
{
	if (i % 2)
		throw i;
	sink = i;
}

extern "C" APART void jump(int i)
{
	if (i % 2)
		longjmp(out, 1);
	sink = i;
}

// Caught by the caller.
extern "C" APART int catches(int n)
{
	for (int i = 0; i < n; i++)
		try {
			fail(i);
		} catch (int) {
			handle();
		}
	return n;
}

// Passes on; the object is destroyed first.
extern "C" APART void cleans(int i)
{
	cleaned object;

	fail(i);
	sink = i;
}

// Calls itself: what is caught below leaves the calls above as they are.
extern "C" APART void nests(int depth)
{
	if (depth == 0)
		throw depth;
	try {
		nests(depth - 1);
	} catch (int) {
		handle();
		if (depth == 1)
			throw;
	}
	sink = depth;
}

extern "C" APART void lands(int n)
{
	volatile int i = 0;

	while (i < n) {
		if (setjmp(out))
			handle();
		else
			jump(i);
		i = i + 1;
	}
}

// clang makes landing pads of two bytes here.
extern "C" __attribute__((noinline)) int again(int n)
{
	int caught = 0, i = 0;

retry:
	try {
		while (i < n)
			if (++i % 4 == 0)
				handle();
			else
				fail(i);
	} catch (...) {
		caught++;
		goto retry;
	}
	return caught;
}

int main()
{
	sink = again(12);
	catches(10);
	for (int i = 0; i < 10; i++)
		try {
			cleans(i);
		} catch (int) {
		}
	nests(3);
	lands(10);
	return sink < 0;
}
