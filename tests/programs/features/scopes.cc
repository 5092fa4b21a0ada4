/* Destructors: each call that may throw has a second way, to code that ends the function. */
#include <cstdlib>
#include <string>

#include <rarog.h>

static int way RAROG_FEATURE_VARIABLE(Throw);
static int other RAROG_FEATURE_VARIABLE(Catch);
static int inner RAROG_FEATURE_VARIABLE(Inner);
static volatile long sink;

static int __attribute__((noinline)) work(int n)
{
	for (int i = 0; i < n; i++) sink = sink + i;
	if (sink == 12345) throw 1;
	return n & 1;
}

static int __attribute__((noinline)) scope(const char *word)
{
	std::string text(word);
	int r = 0;

	if (way) r += work(10);
	r += work(30); /* after it */
	sink = sink + r + (long)text.size();
	return r;
}

static int __attribute__((noinline)) handler(const char *word)
{
	std::string text(word);
	int r = 0;

	if (other) {
		try {
			r += work(10);
		} catch (int n) {
			if (inner) r += work(n);
		}
	}
	r += work(30);
	sink = sink + r + (long)text.size();
	return r;
}

int main(int argc, char **argv)
{
	way = argc > 1;
	other = argc > 2;
	inner = argc > 3;
	return scope(argv[0]) + handler(argv[0]) == 1000;
}
