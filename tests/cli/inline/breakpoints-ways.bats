#!/usr/bin/env bats
# Where jumps lead that somebody else's breakpoints have changed, and what becomes of threads on the way. Each program does
# a step at each word that it is told, so that nothing depends on time.

# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154 # variables of the helpers
load ../helper
load ../collect-helper
load ../breakpoints-helper

teardown() {
	exec {breaks}>&- 2>/dev/null || true
	exec {told}>&- 2>/dev/null || true
	for one in ${busy:-} ${leader:-}; do kill -KILL "$one" 2>/dev/null || true; done
}

# An instruction begins at byte 4 of way(), which returns its argument and 1.
WAY='__attribute__((noinline, naked)) long way(long x) { (void)x; __asm__("push %rbp\nmov %rsp, %rbp\npush %rbx\n"
	"lea 1(%rdi), %rax\npop %rbx\npop %rbp\nret"); }'

# The program that $leader measures has met what only $leader can answer.
stands_for_us() {
	local program

	program=$(pgrep -P "$leader" -x user) && grep -q '^State:.*t (' "/proc/$program/status"
}

# A breakpoint at byte 4 that is gone again before anybody has looked leaves a jump a gigabyte upwards. Libraries are less below
# the end of the address space where that does not begin at random, and such a jump is no fault of a page.
@test "a changed jump that leads out of the address space" {
	need_breakpoints
	printf '%s\n' "$WAY" 'long other(long x) { return way(x) + 1; }' >way.c
	printf '%s\n' '#include <stdio.h>' 'long way(long), other(long);' \
		'int main(void) { char word; long n = 0; setbuf(stdout, NULL);' \
		'while (read(0, &word, 1) == 1 && word != '"'e'"') { n = way(other(n)); printf("%c%ld\n", word, n); }' \
		'puts("fine"); return 0; }' | sed '1i #include <unistd.h>' >user.c
	gcc -O1 -fPIC -shared -o libway.so way.c
	gcc -O1 -o user user.c -L. -lway -Wl,-rpath,"$PWD"
	open_told
	"$RAROG" collect --libs -o p.rarog -- setarch -R ./user <told >got 2>err 3>&- &
	leader=$!
	tell a a3
	kill -STOP "$leader" # it does not look
	set_breakpoints ./libway.so "$(starts libway.so way | tail -1)"
	end_breakpoints
	printf b >&"$told"
	eventually 60 stands_for_us || fail "it goes on: $(cat got err)"
	kill -CONT "$leader"
	tell c c9
	tell e fine
	wait "$leader" || fail "status $?: $(cat err)"
	grep -q 'measured from here on.*: way$' err || fail "$(cat err)"
}

@test "what a breakpoint has taken out of the measurement stays out when another library is opened" {
	need_breakpoints
	printf '%s\n' 'long aa(long x) { return x * 3 + 1; }' 'long ab(long x) { return x * 3 + 2; }' >both.c
	printf '%s\n' "$WAY" >way.c
	cat >user.c <<-'END'
		#include <dlfcn.h>
		#include <stdio.h>
		#include <unistd.h>
		long aa(long), ab(long);
		int main(void)
		{
			char word;
			long n = 0;
			setbuf(stdout, NULL);
			while (read(0, &word, 1) == 1 && word != 'e') {
				void *way = word == 'd' ? dlopen("./libway.so", RTLD_NOW) : NULL;
				for (int i = 0; !way && i < 100; i++)
					n += aa(i) ^ ab(i);
				printf("%c\n", word);
			}
			puts("fine");
			return 0;
		}
	END
	gcc -O0 -fPIC -shared -o libboth.so both.c
	gcc -O1 -fPIC -shared -o libway.so way.c
	gcc -O1 -o user user.c -L. -lboth -Wl,-rpath,"$PWD"
	open_told
	"$RAROG" collect --libs -o p.rarog -- ./user <told >got 2>err 3>&- &
	leader=$!
	tell a a
	# of the function by which a library is known to have jumps already
	set_breakpoints ./libboth.so "$(starts libboth.so aa 1)"
	eventually 60 grep -q 'measured from here on.*: aa$' err || fail "$(cat err)"
	end_breakpoints
	tell b b
	tell d d
	tell c c
	tell e fine
	wait "$leader" || fail "status $?: $(cat err)"
	rarog show -n 0 --json p.rarog | jq -r '.functions[] | select(.name | test("^a[ab]$")) | "\(.name) \(.count)"' | sort >counts
	printf '%s\n' 'aa 100' 'ab 100' | diff - counts >&2 || fail "otherwise"
}

# write_astray: a program that, when it is told to, sends itself from the beginning of a call to where the jump of way() leads with a breakpoint
# at byte 4: as a thread that has come by that jump. By a handler's return, which waits until it is told to go on.
write_astray() {
	{ printf '#include <%s>\n' signal.h stdint.h stdio.h string.h ucontext.h unistd.h
	printf '%s\n' "$WAY"
	cat <<-'END'
		static volatile uint64_t wrong;
		__attribute__((noinline, naked)) long called(long x) { (void)x; __asm__("1: pause\njmp 1b"); }
		static char word(void) { char c = 0; if (read(0, &c, 1) != 1) _exit(3); return c; }
		static void astray(int s, siginfo_t *info, void *context)
		{
			ucontext_t *at = context;

			(void)s, (void)info;
			if (at->uc_mcontext.gregs[REG_RIP] - (greg_t)called > 4UL)
				return;
			at->uc_mcontext.gregs[REG_RIP] = (greg_t)wrong;
			puts("astray");
			word();
		}
		static void run(void)
		{
			struct sigaction action = { .sa_sigaction = astray, .sa_flags = SA_SIGINFO };
			uint8_t now[5];
			uint32_t distance;

			sigaction(SIGUSR1, &action, NULL);
			printf("pid %d\n", (int)getpid());
			word();
			memcpy(now, (const void *)way, sizeof(now));
			now[4] = 0xcc;
			memcpy(&distance, now + 1, 4);
			wrong = (uint64_t)way + 5 + (uint64_t)(int64_t)(int32_t)distance;
			puts(now[0] == 0xe9 && way(1) == 2 ? "jump" : "none");
			word();
			puts("waits");
			puts(called(41) == 42 ? "fine" : "wrong");
		}
		int main(void)
		{
			setvbuf(stdout, NULL, _IONBF, 0);
			run();
			return 0;
		}
	END
	} >astray.c
	gcc -D_GNU_SOURCE -O1 -o astray astray.c
}

is_let_run() {
	[[ $(sed -n 's/^State:\t//p' "/proc/$busy/status") != t* ]]
}

# until it has come to the beginning of the call
sends_astray() {
	kill -USR1 "$busy" 2>/dev/null || true
	grep -q '^astray' got
}

has_ended() {
	! kill -0 "$1" 2>/dev/null
}

@test "nobody is let go from while a handler will return to where a changed jump led" {
	need_breakpoints
	write_astray
	open_told
	./astray <told >got 2>&1 3>&- &
	busy=$!
	eventually 60 grep -q '^pid' got || fail "it does not start"
	"$RAROG" collect --pid "$busy" -o p.rarog >err 2>&1 3>&- &
	leader=$!
	eventually 60 grep -q memfd:rarog "/proc/$busy/maps" || fail "$(cat err)"
	eventually 60 is_let_run || fail "not attached"
	tell j jump
	set_breakpoints ./astray "$(starts astray way | tail -1)"
	eventually 60 grep -q 'measured from here on.*: way$' err || fail "$(cat err)"
	end_breakpoints
	tell a waits
	eventually 60 sends_astray || fail "$(cat got err)"
	kill -TERM "$leader"
	eventually 2 has_ended "$leader" || true # it tries; if it has let go, this is too late for what follows
	printf g >&"$told"
	eventually 60 grep -q '^fine$' got || fail "it does not end: $(cat got err)"
	wait "$busy" || fail "status $?: $(cat got err)"
	busy=
	wait "$leader" || fail "status $?: $(cat err)"
	! grep -q 'taken out entirely' err || fail "$(cat err)"
}

# Which thread is asked for the memory of a process whose first thread has none any more?
@test "a changed jump in a program whose first thread has ended" {
	need_breakpoints
	{ printf '#include <%s>\n' pthread.h stdio.h stdlib.h unistd.h
	printf '%s\n' "$WAY"
	cat <<-'END'
		static pthread_t first;
		static void *run(void *a)
		{
			char word;
			long n = 0;
			pthread_join(first, NULL);
			while (read(0, &word, 1) == 1 && word != 'e')
				printf("%c%ld\n", word, n = way(n));
			puts("fine");
			exit(0);
			return a;
		}
		int main(void)
		{
			pthread_t other;
			setbuf(stdout, NULL);
			first = pthread_self();
			pthread_create(&other, NULL, run, NULL);
			pthread_exit(NULL);
		}
	END
	} >user.c
	gcc -O1 -o user user.c -pthread
	open_told
	"$RAROG" collect -o p.rarog -- ./user <told >got 2>err 3>&- &
	leader=$!
	tell a a1
	set_breakpoints ./user "$(starts user way | tail -1)"
	tell b b2
	eventually 60 grep -q 'measured from here on.*: way$' err || fail "$(cat err)"
	tell c c3
	end_breakpoints
	tell d d4
	tell e fine
	wait "$leader" || fail "status $?: $(cat err)"
}
