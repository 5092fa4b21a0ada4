#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
struct item {
	long length;
};
__attribute__((noipa)) long look(struct item *item)
{
	volatile long n = item->length;
	n++;
	return n;
}
int main(void)
{
	struct item *item = malloc(sizeof(*item));
	long sum = 0;

	for (item->length = 0; item->length < 999; item->length++) sum += look(item) + prctl(PR_GET_SECCOMP);
	sum += prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) + look(item);
	printf("%ld\n", sum);
	return 0;
}
