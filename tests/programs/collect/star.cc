struct S {
	int x;
	__attribute__((always_inline)) S operator*(int n) const { return S{x * n}; }
	__attribute__((noipa)) S operator+(int n) const { return S{x + n}; }
};
__attribute__((noipa)) S product(S s, int n) { return s * n; }
int main(int argc, char **) { return product(S{argc} + 1, 1).x == 2 ? 0 : 1; }
