#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#define SENT 5000
static volatile int got, wrong, is_done, has_come;
static volatile unsigned sum;
__attribute__((noinline)) unsigned leaf(unsigned x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 2654435761u + 1;
}
static void handler(int number) { got += number == SIGALRM, has_come |= number == SIGUSR1; }
static void on_sent(int number) { (void)number, __atomic_fetch_add(&got, 1, __ATOMIC_RELAXED); }
static void leaves(int n)
{
	while (n-- > 0) sum += leaf(sum);
}
static void timer(int us, int again_us)
{
	struct itimerval t = { { 0, again_us }, { 0, us } };
	setitimer(ITIMER_REAL, &t, NULL);
}
/* Without its timer the signal never comes: its default, which is death, may be set. */
static void disarm(void)
{
	for (int i = 0; i < 4000; i++) {
		signal(SIGALRM, handler);
		timer(20 + rand() % 60, 0);
		leaves(20 + i % 50);
		timer(0, 0);
		int before = got;
		for (volatile int pause = 0; pause < 2000; pause++)
			;
		wrong += got != before;
		signal(SIGALRM, SIG_DFL);
	}
}
/* raise() is over when its handler is, whatever else is blocked. */
static void block(void)
{
	sigset_t alarm;
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	signal(SIGALRM, handler);
	signal(SIGUSR1, handler);
	timer(300, 300);
	for (int i = 0; i < 10000; i++) {
		leaves(5);
		sigprocmask(SIG_BLOCK, &alarm, NULL);
		for (volatile int pause = 0; pause < 20000; pause++)
			;
		has_come = 0;
		raise(SIGUSR1);
		wrong += !has_come;
		sigprocmask(SIG_UNBLOCK, &alarm, NULL);
	}
	timer(0, 0);
}
static void *shortly(void *unused)
{
	leaves(20);
	return unused;
}
/* A thread that ends does not take a signal of the process with it. */
static void end(void)
{
	pid_t sender;
	int status;
	signal(SIGRTMIN + 1, on_sent);
	sender = fork();
	for (int i = 0; sender == 0 && i < SENT; i++)
		usleep(20), sigqueue(getppid(), SIGRTMIN + 1, (union sigval){ i });
	if (sender == 0) _exit(0);
	while (waitpid(sender, &status, WNOHANG) == 0) {
		pthread_t thread;
		pthread_create(&thread, NULL, shortly, NULL);
		pthread_join(thread, NULL);
	}
	wrong = SENT - got;
}
static volatile int asked, sent;
/* Another processor may take its time to interrupt the first thread. */
static int is_pending(void)
{
	char path[64], text[4096] = "";
	snprintf(path, sizeof(path), "/proc/self/task/%d/status", getpid());
	FILE *f = fopen(path, "r");
	if (fread(text, 1, sizeof(text) - 1, f) == 0) exit(1);
	fclose(f);
	return strtoul(strstr(text, "SigPnd:") + 7, NULL, 16) >> (SIGUSR1 - 1) & 1;
}
static void *sender(void *to)
{
	for (int i = 1; i <= SENT; i++) {
		while (asked != i)
			;
		pthread_kill(*(pthread_t *)to, SIGUSR1);
		while (is_pending())
			;
		sent = i;
	}
	return NULL;
}
/* What was sent, and has come, does not interrupt what begins later. */
static void later(void)
{
	const struct sigaction action = { .sa_handler = handler };
	pthread_t self = pthread_self(), thread;
	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&thread, NULL, sender, &self);
	for (int i = 1; i <= SENT; i++) {
		has_come = 0;
		for (asked = i; sent != i;) leaves(1);
		for (volatile int pause = 0; pause < 1000; pause++)
			;
		wrong += poll(NULL, 0, 0) != 0 || !has_come;
	}
	pthread_join(thread, NULL);
}
/* One that lets everything through. */
static void filter(void)
{
	struct sock_filter code[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	const struct sock_fprog program = { 1, code };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		exit(1);
}
static const struct {
	const char *name;
	void (*run)(void);
} all[] = {
	{ "disarm", disarm },
	{ "block", block },
	{ "end", end },
	{ "later", later },
};
int main(int argc, char *argv[])
{
	if (argc > 2) filter();
	for (int i = 0; i < 4; i++)
		if (strcmp(argv[1], all[i].name) == 0) all[i].run();
	printf("wrong %d\n", wrong);
	return 0;
}
