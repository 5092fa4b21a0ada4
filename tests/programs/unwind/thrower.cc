// 200 exceptions, caught one call further out
#include <cstdio>
__attribute__((noinline)) void thrower(int x) { if (x) throw x; }
__attribute__((noinline)) int outer(int x) { try { thrower(x); } catch (int e) { return e; } return 0; }
int main() { int s = 0; for (int i = 0; i < 400; i++) s += outer(i & 1); std::printf("caught %d\n", s); }
