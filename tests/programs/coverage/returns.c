/* A function's last statement and its brace in one line, and returns before it. */
#include <stdio.h>

static int of_condition(int n)
{
	if (n > 3)
		return 1;
	return n; }

static int of_block(int n)
{
	int twice;

	if (n > 4)
		return 2;
	twice = n * 2;
	return twice; }

static int of_loop(int n)
{
	for (int i = 0; i < n; i++)
		if (i == 2)
			return i;
	puts("end"); return 0; }

static void of_nothing(int n) {
	if (n % 2)
		return;
	puts("even"); }

static int in_a_line(int n) { if (n > 2) return 3; return n; }

static void last_is_a_loop(int n)
{
	if (n > 6)
		return;
	while (n > 0) n--; }

static int alone(int n)
{
	if (n > 5)
		return 2;
	if (n > 3)
		return 1;
	return n;
}

static void alone_after_nothing(int n)
{
	if (n > 5)
		return;
	puts("small");
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 10; i++) {
		sum += of_condition(i) + of_block(i) + of_loop(i) + in_a_line(i) + alone(i);
		of_nothing(i);
		last_is_a_loop(i);
		alone_after_nothing(i);
	}
	return sum == 0; }
