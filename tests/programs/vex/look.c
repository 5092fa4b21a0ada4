#include <stdio.h>
#include <unistd.h>
extern char **environ;
int main(int argc, char **argv)
{
	for (char **e = environ; *e; e++) puts(*e);
	for (int i = 0; i < argc; i++) puts(argv[i]);
	printf("%d\n", dup(0));
	return 0;
}
