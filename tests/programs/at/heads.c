volatile int t, stop;
static void a(int n)
{
	int i = 0;
	while (i < n) {
		i++;
		if (i & 1)
			continue;
		t += i;
	}
}
static void b(int n)
{
	int i = 0;
	while (1) {
		i++;
		if (i > n)
			break;
		if (i & 1)
			continue;
		t += i;
	}
}
static void c(int n)
{
	int i = 0;
	for (;;) {
		i++;
		if (i > n)
			break;
		if (i & 1)
			continue;
		t += i;
	}
}
static void d(int n)
{
	int i = 0;
	do {
		i++;
		if (i & 1)
			continue;
		t += i;
	} while (i < n);
}
static void e(int n)
{
	for (int i = 0; i < n; i++) {
		if (i & 1)
			continue;
		if (i & 2) {
			t += 3;
			continue;
		}
		t += i;
	}
}
static void f(int n)
{
	int i = 0;
	while (i < n && (t & 1) != 7) {
		switch (i++ & 3) {
		case 0:
			t++;
			continue;
		case 1:
			continue;
		case 2:
			t += 2;
			break;
		}
		t += i;
	}
}
static void g(int n)
{
	int i = 0;
	while (i++ < n)
		if (i & 1)
			t++;
		else if (i & 2)
			continue;
		else
			t += 2;
	while (i-- > 0)
		continue;
	while (i++ < n)
		t++;
}
static int odd(int n)
{
	return n & 1;
}
static void h(int n)
{
	int i = 0, k = 0;
	while (1) {
		while (1) {
			if (i++ > n)
				break;
			t++;
		}
		if (k++ > 2)
			return;
		while (odd(
			t + k)) {
			t++;
			if (t % 7 == 3)
				break;
		}
		for (int m = 0; m < n; m++) t++;
	}
}
int main(void)
{
	for (int i = 0; i < 7; i++) {
		a(i);
		b(i);
		c(i);
		d(i);
		e(i);
		f(i);
		g(i);
		h(i);
	}
	return 0;
}
