// Returns before a last statement whose brace is in its line, where destructors run.
#include <cstdio>
struct O { int v; O(int n) : v(n) {} ~O() { std::puts("gone"); } };
static int f(int n) {
	if (n > 3)
		return 1;
	O o(n);
	if (n > 1)
		return 2;
	return o.v; }
static int g(int n) {
	O o(n);
	if (n > 1)
		return 2;
	return o.v; }
static void h(int n) {
	if (n > 3)
		return;
	O o(n);
	std::puts("h"); }
int main() { int s = 0; for (int i = 0; i < 10; i++) { s += f(i) + g(i); h(i); } return s == 0; }
