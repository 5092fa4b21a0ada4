/* PART 1, 2: what both have is linked once, from whichever comes first, and calls functions that each has of its own. */
#ifndef STEP
#define STEP 3
#endif

#define N __attribute__((noinline, noclone))

#ifdef VARIABLE
static VARIABLE calls;
#define ALSO + calls++
#else
#define ALSO
#endif

N static int half(int x) { return x / STEP ALSO; }
N static int step(int x) { return half(x) + 1; }
N inline int shared(int x) { return step(x) - 7; }

#if PART == 1
int two(int x);
N int one(int x) { return shared(x) + step(x); }
int main(int c, char **) { return one(c) + two(c) == 5; }
#else
N int two(int x) { return shared(x) * step(x); }
#endif
