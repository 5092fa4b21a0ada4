#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#define SIZE (1 << 26)
long peek(const long *from);
static sigjmp_buf out;
static atomic_int over;
static void jump(int number) { siglongjmp(out, number); }
static void *change(void *unused)
{
	while (!atomic_load(&over)) munmap(mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), SIZE);
	return unused;
}
int main(void)
{
	pthread_t threads[3];
	volatile int made = 0;
	signal(SIGSEGV, jump);
	for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, change, NULL);
	sigsetjmp(out, 1);
	if (made++ < 300) peek((const long *)8);
	atomic_store(&over, 1);
	for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
	return made != 301;
}
