long double ld(int n) { return n; }
void none(int n) { (void)n; }
int main(void)
{
	none(1);
	return ld(0) != 0;
}
