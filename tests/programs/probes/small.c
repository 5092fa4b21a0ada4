static inline __attribute__((always_inline)) int hidden(int x) { return x * 3; }
__attribute__((noinline)) static int visible(int x) { return hidden(x) + 1; }
int main(int argc, char **argv)
{
	(void)argv;
	return visible(argc);
}
