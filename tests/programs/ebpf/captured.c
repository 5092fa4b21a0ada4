struct pair {
	long first, second;
};
__attribute__((noipa)) long change(struct pair *p, long by)
{
	p->first = by;
	__asm__ volatile("xor %%esi, %%esi" ::: "rsi");
	return by ? p->second : p->first;
}
int main(void)
{
	struct pair p = { 0, 2 };
	long sum = 0;
	for (long i = 0; i < 4; i++) sum += change(&p, 10 * i);
	return sum == 0;
}
