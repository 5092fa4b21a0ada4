#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static pid_t children[100];
static int go[2], ready[2], n;
static int open_and_call(void)
{
	char c;
	long sum = 0;
	void *library =
		write(ready[1], "", 1) == 1 && read(go[0], &c, 1) == 1 ? dlopen("./libplugin.so", RTLD_NOW) : NULL;
	long (*f)(long) = library ? (long (*)(long))dlsym(library, "plug") : NULL;
	for (int i = 0; f && i < 10; i++) sum += f(i);
	return sum == 145 ? 0 : 1;
}
/* Back when all of them run: one that rarog has not let go from its beginning would wait for it there. */
static void make(int wanted)
{
	char c;
	for (n = 0; n < wanted; n++)
		if ((children[n] = fork()) == 0) _exit(open_and_call());
	for (int i = 0; i < n && read(ready[0], &c, 1) == 1; i++)
		;
}
static int end(void)
{
	int status, fine = 0;
	for (int i = 0; i < n; i++) fine += waitpid(children[i], &status, 0) == children[i] && status == 0;
	return fine;
}
int main(void)
{
	static const char many[100];
	char word;
	setbuf(stdout, NULL);
	if (pipe(go) < 0 || pipe(ready) < 0) return 2;
	while (read(0, &word, 1) == 1 && word != 'e') {
		if (word == 'f' || word == 's' || word == 'o') make(word == 'f' ? 100 : word == 's' ? 64 : 1);
		if (word == 'g' && write(go[1], many, (size_t)n) != n) return 3;
		for (int i = 0; word == 'k' && i < n; i++) kill(children[i], SIGKILL);
		printf("%c %d\n", word, word == 'w' ? end() : n);
	}
	puts("fine");
	return 0;
}
