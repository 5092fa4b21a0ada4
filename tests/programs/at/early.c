struct pair {
	long n, word;
};
__attribute__((noipa)) long take(const struct pair *p)
{
	long v = p->n;
	if (v > 3)
		v *= 3;
	long sum = 0;
	for (long i = 0; i < v; i++)
		sum += p->word ^ i;
	return sum + 1;
}
int main(void)
{
	struct pair x = { 50, 6 };
	long sum = 0;
	for (int i = 0; i < 20; i++)
		sum += take(&x);
	return sum == 0;
}
