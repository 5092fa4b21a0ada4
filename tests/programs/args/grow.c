int count(int n, int result);
__attribute__((noipa)) int call(int n, int result) { return count(n, result) + 1; }
__attribute__((noipa)) static int tail(int n) { return call(n, 5); }
int main(void)
{
	int s = 0;
	for (int n = 1; n <= 64; n++) s += call(n, -n) + tail(n);
	return s == 0;
}
