__attribute__((noipa)) void use(int n) { __asm__ volatile("" : : "r"(n)); }
int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; i < 100; i++) {
		if (i % 2)
			use(i);
		use(argc);
	}
	return 0;
}
