#!/usr/bin/env bats
# Programs that go further than most (tests/conformance/programs/unusual.c): unchanged, every call counted.

# shellcheck disable=SC2034,SC2154 # variables of the helpers
load helper
load collect-helper

@test "an orphan forks and gets signals while its parent's calls are assembled" {
	rm -f p.rarog
	traced "$PROGRAMS/unusual" orphan "$PWD/p.rarog"
	[ "$traced_status" -eq 3 ] || fail "status $traced_status: $(cat traced.err)"
	eventually 60 test -s traced.out || fail "the orphan says nothing"
	grep -qx "before the file was there" traced.out || fail "$(cat traced.out)"
	show_json
	python3 - <<-'END'
		import json
		counts = {f["name"]: f["count"] for f in json.load(open("show.json"))["functions"]}
		assert counts["leaf"] == 30000000, counts
	END
}

@test "libraries are loaded while signals arrive and programs are started" {
	mkdir libraries
	for i in $(seq 60); do cp "$PROGRAMS/plugin.so" libraries/$i.so; done
	collect_options=(--libs --func plug --func work)
	same_behaviour "$PROGRAMS/unusual" load "$PWD/libraries"
}

@test "a program steps through itself and forks in probes' midst: that the counts may be wrong is said" {
	cat >forks.c <<-'END'
		#define _GNU_SOURCE
		#include <signal.h>
		#include <stdio.h>
		#include <sys/wait.h>
		#include <ucontext.h>
		#include <unistd.h>
		#define STEP 0x100 /* among the flags */
		static volatile int is_child, steps;
		__attribute__((noinline)) unsigned leaf(unsigned x) { __asm__ volatile("" : "+r"(x)); return x * 2654435761u + 1; }
		static void handler(int number, siginfo_t *info, void *context)
		{
			(void)number, (void)info;
			if (++steps % 3 == 0 && fork() == 0)
				is_child = 1;
			if (is_child)
				((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~STEP;
		}
		int main(void)
		{
			struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
			unsigned x = leaf(1);
			int status, wrong = 0;
			sigaction(SIGTRAP, &action, NULL);
			__asm__ volatile("pushf; orl $0x100,(%%rsp); popf" ::: "memory", "cc");
			x = leaf(x);
			if (!is_child)
				__asm__ volatile("pushf; andl $~0x100,(%%rsp); popf" ::: "memory", "cc");
			for (int i = 0; i < 30; i++)
				x = leaf(x);
			if (is_child)
				_exit(0);
			while (wait(&status) > 0)
				wrong += status != 0;
			printf("wrong %d\n", wrong);
			return 0;
		}
	END
	cc -O1 -o forks forks.c
	rm -f p.rarog
	traced "$PWD/forks"
	[ "$(cat traced.out)" = "wrong 0" ] || fail "$(cat traced.out traced.err)"
	if [ "$traced_status" = 125 ]; then
		[[ $(cat traced.err) == *"the program has overwritten the trace ring" ]] || fail "$(cat traced.err)"
	else
		"$RAROG" show p.rarog | grep -q "calls of a child that a handler forked in the midst of a probe, and of its parent" ||
			fail "$(cat traced.err; "$RAROG" show p.rarog | head)"
	fi
}

@test "signals that come in a probe's midst wait for its end, and none is lost" {
	cat >often.c <<-'END'
		#define _GNU_SOURCE
		#include <signal.h>
		#include <stdio.h>
		#include <string.h>
		#include <sys/mman.h>
		#include <sys/syscall.h>
		#include <sys/wait.h>
		#include <unistd.h>
		#define SENT 3000
		static volatile int wrong, is_done, *got; /* shared with who sends */
		__attribute__((noinline)) unsigned leaf(unsigned x) { __asm__ volatile("" : "+r"(x)); return x * 2654435761u + 1; }
		static void handler(int number, siginfo_t *info, void *context)
		{
			(void)number, (void)context;
			wrong += info->si_code != SI_QUEUE || info->si_value.sival_int != *got;
			is_done = ++*got == SENT;
		}
		int main(int argc, char *argv[])
		{
			struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
			unsigned x = argv[0] == NULL;
			got = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
			sigaction(SIGRTMIN + 3, &action, NULL);
			if (fork() == 0) {
				pid_t to = getppid();
				siginfo_t info = { .si_signo = SIGRTMIN + 3, .si_code = SI_QUEUE, .si_pid = getpid() };
				for (int i = 0; i < SENT; i++) {
					while (i - *got > 3)
						; /* or the program would only handle signals */
					info.si_value.sival_int = i;
					while (argc > 1 ? syscall(SYS_rt_tgsigqueueinfo, to, to, info.si_signo, &info) < 0 :
							  sigqueue(to, info.si_signo, info.si_value) < 0)
						usleep(100);
				}
				_exit(0);
			}
			while (!is_done)
				x = leaf(x);
			wait(NULL);
			printf("%d, wrong %d\n", *got, wrong);
			return 0;
		}
	END
	cc -O1 -o often often.c
	for how in --exclude=handler --within=leaf; do
		for to in "" thread; do
			"$RAROG" collect --debug=drain $how -o p.rarog -- ./often $to >out 2>err || fail "$(cat err)"
			[ "$(cat out)" = "3000, wrong 0" ] || fail "$how $to: $(cat out)"
		done
	done
	# the fast path is taken back, or to its end, but not where it is asked what is within
	waited=$(sed -n 's/.*: \([0-9]*\) signals waited.*/\1/p' err)
	[ "$waited" -gt 0 ] || fail "no signal came in the agent's midst: $(tail -3 err)"
}

# Of a timer's signals one is pending at a time. Natively it takes some milliseconds; without that it
# got on by a call for each signal, and was not over after a minute.
@test "a timer's signals that come while one of them waits are its overruns" {
	cat >fast.c <<-'END'
		#define _GNU_SOURCE
		#include <signal.h>
		#include <stdio.h>
		#include <time.h>
		#define PERIOD 50000
		#define MANY 300000
		static volatile long calls, expired;
		static volatile long work;
		static void handler(int number, siginfo_t *info, void *context)
		{
			(void)number;
			(void)context;
			calls++;
			expired += 1 + info->si_overrun;
		}
		static long now(void)
		{
			struct timespec t;
			clock_gettime(CLOCK_MONOTONIC, &t);
			return t.tv_sec * 1000000000L + t.tv_nsec;
		}
		__attribute__((noinline)) void leaf(void)
		{
			work++;
		}
		__attribute__((noinline)) void leaves(int n)
		{
			for (int i = 0; i < n; i++)
				leaf();
		}
		int main(void)
		{
			const struct itimerspec every = { { 0, PERIOD }, { 0, PERIOD } }, never = { { 0 } };
			const struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
			struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN };
			timer_t timer;
			long start, most;
			sigaction(SIGRTMIN, &action, NULL);
			timer_create(CLOCK_MONOTONIC, &event, &timer);
			start = now();
			timer_settime(timer, 0, &every, NULL);
			while (work < MANY)
				leaves(1);
			for (long last = calls; calls < last + 20;)
				;
			timer_settime(timer, 0, &never, NULL);
			most = (now() - start) / PERIOD;
			printf("%s %s\n", expired <= most ? "none invented" : "invented", expired >= most * 9 / 10 ? "none lost" : "lost");
			return 0;
		}
	END
	cc -O1 -o fast fast.c
	[ "$(./fast)" = "none invented none lost" ]
	timeout "$(scaled 60)" "$RAROG" collect --debug=drain --within=leaf -o p.rarog -- ./fast >out 2>err || fail "status $?: $(cat err)"
	[ "$(cat out)" = "none invented none lost" ] || fail "$(cat out)"
	[ "$(sed -n 's/.*: \([0-9]*\) signals waited.*/\1/p' err)" -gt 0 ]
}

# They took some seconds before threads waited in the agent, and minutes when all waited for each.
@test "threads do not wait for signals of others" {
	cat >many.c <<-'END'
		#define _GNU_SOURCE
		#include <linux/filter.h>
		#include <linux/seccomp.h>
		#include <pthread.h>
		#include <signal.h>
		#include <stdio.h>
		#include <sys/prctl.h>
		#include <sys/syscall.h>
		#include <time.h>
		#include <unistd.h>
		#define THREADS 32
		#define TURNS 200000
		static long works[THREADS];
		static volatile long handled;
		static void handler(int number)
		{
			(void)number;
			__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
		}
		__attribute__((noinline)) void leaf(volatile long *work)
		{
			++*work;
		}
		__attribute__((noinline)) void leaves(volatile long *work)
		{
			leaf(work);
			leaf(work);
		}
		static void *run(void *work)
		{
			const struct itimerspec every = { { 0, 1000000 }, { 0, 1000000 } };
			struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN };
			timer_t timer;
			event._sigev_un._tid = (int)syscall(SYS_gettid);
			timer_create(CLOCK_MONOTONIC, &event, &timer);
			timer_settime(timer, 0, &every, NULL);
			for (int i = 0; i < TURNS; i++)
				leaves(work);
			timer_delete(timer);
			return NULL;
		}
		/* So most threads have no strand: their agents may make no call that opens its memory. */
		static void filter(void)
		{
			struct sock_filter code[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
			const struct sock_fprog program = { 1, code };
			if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
				_exit(1);
		}
		int main(int argc, char *argv[])
		{
			const struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
			pthread_t threads[THREADS];
			long all = 0;
			(void)argv;
			if (argc > 1)
				filter();
			sigaction(SIGRTMIN, &action, NULL);
			for (int i = 0; i < THREADS; i++)
				pthread_create(&threads[i], NULL, run, &works[i]);
			for (int i = 0; i < THREADS; i++)
				pthread_join(threads[i], NULL);
			for (int i = 0; i < THREADS; i++)
				all += works[i];
			printf("%ld %s\n", all, handled ? "handled" : "no signal");
			return 0;
		}
	END
	cc -O1 -pthread -o many many.c
	for how in "" filtered; do
		timeout "$(scaled 50)" "$RAROG" collect --within=leaves -o p.rarog -- ./many $how >out 2>err || fail "$how: status $?: $(cat err)"
		[ "$(cat out)" = "12800000 handled" ] || fail "$how: $(cat out)"
	done
}

# Areas of programs that are not PIE end at the same address, and begin by how much there is in them.
@test "what a probe does is ended as the program has it, not another whose code is at the same address" {
	cat >child.c <<-'END'
		#include <signal.h>
		#include <stdio.h>
		#include <sys/time.h>
		static volatile long work;
		static volatile int handled;
		static void handler(int number)
		{
			(void)number;
			handled++;
		}
		__attribute__((noinline)) void leaf(void)
		{
			work++;
		}
		__attribute__((noinline)) void middle(void)
		{
			leaf();
			leaf();
		}
		int main(void)
		{
			const struct itimerval every = { { 0, 500 }, { 0, 500 } };
			signal(SIGALRM, handler);
			setitimer(ITIMER_REAL, &every, NULL);
			for (int i = 0; i < 2000000; i++)
				middle();
			printf("%ld\n", work);
			return 0;
		}
	END
	cc -O1 -no-pie -o child child.c
	for n in 10 25; do
		{
			echo '#include <sys/wait.h>'
			echo '#include <unistd.h>'
			for i in $(seq $n); do
				echo "__attribute__((noinline)) int f$i(int x) { volatile int y = x * $i; return y + $i; }"
			done
			echo '__attribute__((noinline)) int middle(int x) { return f1(x) + f2(x); }'
			echo 'int main(void) { int status; middle(1);'
			echo 'if (fork() == 0) execl("./child", "child", NULL);'
			echo 'wait(&status); return status; }'
		} >parent.c
		cc -O1 -no-pie -o parent parent.c
		rarog collect --debug=drain --within=middle -o p.rarog -- ./parent >out 2>err || fail "status $?: $(cat err)"
		[ "$(cat out)" = 4000000 ] || fail "$(cat out err)"
		[ "$(sed -n 's/.*: \([0-9]*\) signals waited.*/\1/p' err)" -gt 0 ]
	done
}

@test "a signal that waits for a probe's end comes before the program's next system call" {
	cat >next.c <<-'END'
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
		__attribute__((noinline)) unsigned leaf(unsigned x) { __asm__ volatile("" : "+r"(x)); return x * 2654435761u + 1; }
		static void handler(int number) { got += number == SIGALRM, has_come |= number == SIGUSR1; }
		static void on_sent(int number) { (void)number, __atomic_fetch_add(&got, 1, __ATOMIC_RELAXED); }
		static void leaves(int n) { while (n-- > 0) sum += leaf(sum); }
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
		static void *shortly(void *unused) { leaves(20); return unused; }
		/* Who ends does not take a signal of the process with him. */
		static void end(void)
		{
			pid_t sender;
			int status;
			signal(SIGRTMIN + 1, on_sent);
			sender = fork();
			for (int i = 0; sender == 0 && i < SENT; i++)
				usleep(20), sigqueue(getppid(), SIGRTMIN + 1, (union sigval){ i });
			if (sender == 0)
				_exit(0);
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
			if (fread(text, 1, sizeof(text) - 1, f) == 0)
				exit(1);
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
				for (asked = i; sent != i;)
					leaves(1);
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
		static const struct { const char *name; void (*run)(void); } all[] = {
			{ "disarm", disarm }, { "block", block }, { "end", end }, { "later", later },
		};
		int main(int argc, char *argv[])
		{
			if (argc > 2)
				filter();
			for (int i = 0; i < 4; i++)
				if (strcmp(argv[1], all[i].name) == 0)
					all[i].run();
			printf("wrong %d\n", wrong);
			return 0;
		}
	END
	cc -O1 -pthread -o next next.c
	all=0
	for what in disarm block end later; do
		./next $what >native
		[ "$(cat native)" = "wrong 0" ]
		for how in "" filtered; do
			"$RAROG" collect --debug=drain --within=leaf -o p.rarog -- ./next $what $how >out 2>err || fail "$what: $(cat err)"
			[ "$(cat out)" = "wrong 0" ] || fail "$what $how: $(cat out)"
			waited=$(sed -n 's/.*: \([0-9]*\) signals waited.*/\1/p' err)
			all=$((all + waited))
		done
	done
	[ "$all" -gt 0 ] || fail "no signal came in the agent's midst: $(tail -3 err)"
}

@test "a signal that waits for a probe's end comes once also where no other may wait in the kernel" {
	cat >full.c <<-'END'
		#include <signal.h>
		#include <stdio.h>
		#include <sys/resource.h>
		#include <sys/wait.h>
		#include <unistd.h>
		#define SENT 3000
		static volatile int got;
		static int answers[2];
		__attribute__((noinline)) unsigned leaf(unsigned x) { __asm__ volatile("" : "+r"(x)); return x * 2654435761u + 1; }
		static void handler(int number) { (void)number, got++; if (write(answers[1], "", 1) != 1) _exit(1); }
		int main(void)
		{
			const struct rlimit none = { 0, 0 };
			unsigned x = 0;
			char answer;
			int status;
			if (pipe(answers) < 0 || setrlimit(RLIMIT_SIGPENDING, &none) < 0)
				return 1;
			signal(SIGUSR1, handler);
			if (fork() == 0) {
				for (int i = 0; i < SENT; i++)
					if (kill(getppid(), SIGUSR1) < 0 || read(answers[0], &answer, 1) != 1)
						_exit(1);
				_exit(0);
			}
			while (waitpid(-1, &status, WNOHANG) == 0)
				for (int i = 0; i < 1000; i++)
					x = leaf(x);
			printf("%d, %d\n", got, status);
			return 0;
		}
	END
	cc -O1 -o full full.c
	timeout "$(scaled 60)" "$RAROG" collect --debug=drain --within=leaf -o p.rarog -- ./full >out 2>err || fail "$(cat err)"
	[ "$(cat out)" = "3000, 0" ] || fail "$(cat out)"
	grep -q ': [1-9][0-9]* signals waited' err || fail "no signal came in the agent's midst: $(tail -3 err)"
}

@test "that a static program switches stacks by jump buffers of its own is said; its calls are counted" {
	gcc -O1 -static -I"$BATS_TEST_DIRNAME/../conformance/programs" -o forged "$BATS_TEST_DIRNAME/../conformance/programs/forged-jumps.c" ||
		skip "no static libc"
	for _ in 1 2 3 4 5; do
		"$RAROG" --quiet collect -o p.rarog -- ./forged >out 2>err || fail "status $?: $(cat err)"
	done
	"$RAROG" collect -o p.rarog -- ./forged >out 2>err || fail "status $?: $(cat err)"
	[ "$(sed -n 's/^expect leaf //p' out)" -eq "$(rarog show --json p.rarog | jq '.functions[] | select(.name == "leaf") | .count')" ]
	grep -q "warning: the program switches stacks in a way that cannot be followed" err || fail "$(cat err)"
	rarog show p.rarog | grep -q "switches stacks in a way that cannot be followed"
	rarog show --json p.rarog | jq -e '.header.totals.astray > 0'
	"$RAROG" collect -o q.rarog -- "$PROGRAMS/contexts" >/dev/null 2>err || fail "$(cat err)"
	! grep "switches stacks" err
}
