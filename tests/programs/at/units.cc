struct A { int x; int get(int k) { return x + k; } };
struct B { A a; int y; };
struct C { B b; int z; };
__attribute__((noinline)) int work(A &a, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += a.get(i) + (i & 1 ? a.get(s) : a.get(7));
	return s;
}
int main()
{
	C c = {};
	return work(c.b.a, 10) == 0;
}
