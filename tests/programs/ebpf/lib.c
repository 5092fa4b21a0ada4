int once(int n)
{
	__asm__ volatile("" ::: "memory");
	return n + 1;
}
