/* Its code moves to other pages, as to large ones; -DHIDDEN: it finds it in another way. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#define N __attribute__((noinline))
N int leaf(int x)
{
	__asm__ volatile("");
	return x * 2 + 1;
}
N int work(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++) s += leaf(i);
	return s;
}
static uintptr_t lo, hi;
static void find(void)
{
#ifdef HIDDEN
	lo = (uintptr_t)work & ~4095ul, hi = lo + 4096;
#else
	char l[512], p[5];
	uintptr_t a, b;
	FILE *f = fopen("/proc/self/maps", "r");
	while (fgets(l, sizeof l, f))
		if (sscanf(l, "%lx-%lx %4s", &a, &b, p) == 3 && p[2] == 'x' && (uintptr_t)work >= a &&
		    (uintptr_t)work < b)
			lo = a, hi = b;
	fclose(f);
#endif
}
/* in a section of its own, so that it is not in the page that it moves */
__attribute__((section("mover"), noinline, aligned(4096))) static int move(char *t, size_t n)
{
#ifdef COPIES
	if (mmap((void *)lo, n, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
	    MAP_FAILED)
		return 1;
	for (size_t i = 0; i < n; i++) ((volatile char *)lo)[i] = t[i];
	return 0;
#else
	return mremap(t, n, n, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)lo) != (void *)lo;
#endif
}
int main(void)
{
	int s = work(10);
	find();
	size_t n = hi - lo;
	char *t = mmap(0, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(t, (void *)lo, n);
	mprotect(t, n, PROT_READ | PROT_EXEC);
	if (move(t, n)) return 9;
	for (int i = 0; i < 20; i++) s += work(20);
	printf("%d\n", s);
	return 0;
}
