#include <stdio.h>
int triple(int);
int main(int argc, char **argv)
{
	printf("%d\n", triple(argc));
	return argc - 1;
}
