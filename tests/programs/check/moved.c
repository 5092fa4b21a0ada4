static volatile unsigned sink;
#define ROUND(n) for (int i = 0; i < n; i++) sink += 1
__attribute__((noinline)) void h(void) { ROUND(10000); }
__attribute__((noinline)) void f(void)
{
#if SPLIT
	ROUND(10000); h();
#else
	ROUND(F);
#endif
}
__attribute__((noinline)) void g(void) { ROUND(G); }
int main(void)
{
	f();
	g();
	return 0;
}
