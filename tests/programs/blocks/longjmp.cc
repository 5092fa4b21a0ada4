static void *place[5];
static volatile int n;
__attribute__((noinline)) static void back() { __builtin_longjmp(place, 1); }
__attribute__((noinline)) static void call()
{
	if (__builtin_setjmp(place) == 0)
		back();
	n = n + 1;
}
int main()
{
	for (int i = 0; i < 1000; i++)
		call();
	return n != 1000;
}
