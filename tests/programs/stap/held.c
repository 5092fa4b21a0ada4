#include <fcntl.h>
#include <unistd.h>
int main(void)
{
	char c;
	return read(open("go", O_RDONLY), &c, 1) != 1;
}
