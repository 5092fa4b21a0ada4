#include <unistd.h>
int main(void)
{
	if (vfork() == 0) {
		sleep(60);
		_exit(0);
	}
	return 3;
}
