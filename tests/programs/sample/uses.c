void late(long);
volatile unsigned long own;
int main(void)
{
	for (long i = 0; i < 300000000; i++) own = own * 3;
	late(300000000);
}
