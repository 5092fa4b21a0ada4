#include <stdio.h>
struct guard {
	~guard() { puts("left"); }
};
__attribute__((noinline)) void throws(int n)
{
	if (n)
		throw n;
}
__attribute__((noinline)) void passes(int n)
{
	guard g;
	throws(n);
}
int main(int argc, char **)
{
	for (int i = 0; i < 5; i++)
		try {
			passes(argc);
		} catch (int) {
		}
}
