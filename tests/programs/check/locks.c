#include <fcntl.h>
#include <time.h>
#include <unistd.h>
#include <sys/file.h>
static volatile int x;
int main(int argc, char **argv)
{
	int fd = open("/tmp/rarog-lock", O_RDWR | O_CREAT, 0600);
	if (argc > 1 && argv[1][0] == 'l' && flock(fd, LOCK_EX | LOCK_NB) < 0)
		return 1;
	if (argc > 1 && argv[1][0] == 'o' && flock(fd, LOCK_EX | LOCK_NB) < 0)
		return open("/tmp/rarog-lock.once", O_CREAT | O_EXCL, 0600) >= 0;
	for (int i = 0; i < 10000000; i++)
		x++;
	if (argc > 1 && argv[1][0] != 'x') /* long enough for the other to meet it, on any machine */
		nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL);
	return 0;
}
