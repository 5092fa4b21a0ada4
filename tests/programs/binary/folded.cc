/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Equal bodies that a linker may fold (--icf=all), and a constructor whose two symbols are one. */
int first_twin(int *p, int n);
int second_twin(int *p, int n);

int __attribute__((noinline)) first_twin(int *p, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += p[i] * 5;
	return sum;
}

int __attribute__((noinline)) second_twin(int *p, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += p[i] * 5;
	return sum;
}

struct thing {
	int value;

	__attribute__((noinline)) thing(int x);
};

thing::thing(int x) : value(x / 3)
{
}

int main(int argc, char **)
{
	int v[] = { 1, 2, argc };
	thing t(argc);

	return (first_twin(v, 3) + second_twin(v, 2) + t.value) == 0;
}
