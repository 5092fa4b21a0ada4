#include <stdlib.h>
__attribute__((noinline)) void step(int n) { if (n == 3) throw n; }
__attribute__((noinline)) void loop(int from) { for (int i = from;; i++) { if (i > 5) return; step(i); } }
int main() {
	for (int i = 0; i < 3; i++)
		try { loop(0); } catch (int) { }
	loop(4);
	return 0;
}
