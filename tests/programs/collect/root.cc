#include <cstdlib>
#define F __attribute__((noinline, noclone))
volatile long n;
F void leaf(long x) { n += x; }
F void thrower(long x) { if (x >= 0) throw x; }
F long called(long x) { try { thrower(x); } catch (long) { leaf(1); } leaf(2); return x + n; }
F long root(long x) { n++; return called(x); }
int main() { for (long i = 0; i < 100; i++) n += root(i); return 0; }
