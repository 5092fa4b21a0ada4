struct part { part(); ~part(); int x; };
part::part() : x(1) {}
part::~part() { x = 0; }
void use(part &p) { if (p.x > 100) throw 1; }
void close(int n)
{
	if (n % 3 == 0) {
		n++;
	} else {
		part p;
		use(p);
	}
}
int main() { for (int i = 0; i < 10; i++) close(i); }
