__attribute__((noinline)) int once(int n)
{
	__asm__ volatile("" ::: "memory");
	return n + 1;
}
int twice(int n) { return once(once(n)) + 0 * n; }
