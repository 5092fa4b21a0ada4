#include <string>
struct V {
	int x;
	__attribute__((noipa)) V operator*(int n) const { return V{x * n}; }
	__attribute__((noipa)) V operator+(int n) const { return V{x + n}; }
};
struct W {
	int x;
	__attribute__((noipa)) W operator-(int n) const { return W{x - n}; }
	__attribute__((noipa)) W operator+(int n) const { return W{x + n}; }
};
__attribute__((noipa)) std::string mk(int n) { return std::string(n, 'a'); }
__attribute__((noipa)) int mka(int n) { return n + 1; }
int main(int argc, char **)
{
	int sum = 0;
	for (int i = 0; i < 3; i++)
		sum += mk(i).size() + mka(i);
	return ((V{argc} * 0 + 0).x + (W{argc} - argc + 0).x) * sum;
}
