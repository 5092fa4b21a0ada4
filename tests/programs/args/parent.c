#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
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

	item->length = 5;
	if (fork() == 0) {
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		_exit(look(item) != 6);
	}
	wait(NULL);
	for (int i = 0; i < 10; i++) look(item);
	return 0;
}
