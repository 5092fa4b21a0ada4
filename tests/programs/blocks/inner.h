static volatile int sink;
static inline void count(int n)
{
	while (n-- > 0)
		sink++;
}
