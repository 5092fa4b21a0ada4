#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#define N __attribute__((noinline))
static unsigned char *code;
#ifdef WALKS
N static void walk(void)
{
	void **frame = __builtin_frame_address(1);
	unsigned char *from = frame[1];
	if (from < code || from >= code + 4096) abort();
}
#else
N static void walk(void) { __asm__ volatile(""); }
#endif
N static long back(long x)
{
	walk();
	return x + 1;
}
static long (*make(void))(long)
{
	static const unsigned char head[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0xb8 }, tail[] = { 0xff, 0xd0, 0x5d, 0xc3 };
	void *address = back;
#ifdef MAPS
	code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#else
	code = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#endif
	memcpy(code, head, 6), memcpy(code + 6, &address, 8), memcpy(code + 14, tail, 4);
#ifndef MAPS
	if (mprotect(code, 4096, PROT_READ | PROT_EXEC)) abort();
#endif
	return (long (*)(long))code;
}
N long runtime(long n)
{
	long (*made)(long) = make(), s = 0;
	for (long i = 0; i < n; i++) s = made(s);
	return s;
}
#ifndef LIBRARY
int main(void)
{
	printf("%ld\n", runtime(1000));
	return 0;
}
#endif
