// V::operator* and V::operator+ are called three times each; V::operator/ and V::operator/= exist only inlined
struct V {
	int x;
	__attribute__((noipa)) V operator*(int n) const { return V{x * n}; }
	__attribute__((noipa)) V operator+(int n) const { return V{x + n}; }
	__attribute__((always_inline)) V operator/(int n) const { return V{x / n}; }
	__attribute__((always_inline)) V &operator/=(int n) { x /= n; return *this; }
};
__attribute__((noipa)) V quotient(V v, int n) { return v / n; }
__attribute__((noipa)) V divided(V v, int n) { return v /= n; }
int main(int argc, char **)
{
	V v{argc};
	for (int i = 0; i < 3; i++)
		v = divided(quotient(v * 1 + 1, 1), 1);
	return v.x == 4 ? 0 : 1;
}
