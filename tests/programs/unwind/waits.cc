#include <cstdio>
#include <unistd.h>
__attribute__((noinline)) void thrower(int x) { if (x) throw x; }
__attribute__((noinline)) int outer(int x) { try { thrower(x); } catch (int e) { return e; } return 0; }
int main()
{
	char c = 0;
	int s = 0;
	std::puts("begun"), std::fflush(stdout);
	while (read(0, &c, 1) == 1 && c != 'q')
		for (int i = 0; i < 400; i++) s += outer(i & 1);
	std::printf("caught %d\n", s);
}
