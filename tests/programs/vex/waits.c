#include <stdio.h>
int main(void)
{
	fclose(fopen("ready", "w"));
	return fgetc(fopen("go", "r")) != 'x';
}
