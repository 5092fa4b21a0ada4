#include <signal.h>
#include <unistd.h>
static void say(int signal)
{
	if (write(1, "enough\n", 7) != 7) _exit(signal);
}
int main(void)
{
	signal(SIGTERM, say);
	for (;;) pause();
}
