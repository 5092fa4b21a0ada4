int never(int a) { return a * 3; }
int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 5) return never(argc);
	return 0;
}
