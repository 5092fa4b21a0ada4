int twice(int n);
int main(void)
{
	int n = 0;
	for (int i = 0; i < 123; i++) n = twice(n);
	return n != 246;
}
