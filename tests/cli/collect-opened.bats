#!/usr/bin/env bats
# Libraries that the measured program opens while it runs, in many processes, at many places, at the worst moment.

# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154 # variables of the helpers
load helper
load collect-helper

teardown() {
	exec {told}>&- 2>/dev/null || true
	for one in ${leader:-}; do kill -CONT "$one" && kill -KILL "$one" 2>/dev/null || true; done
	[ -z "${theirs:-}" ] || rm -rf "$theirs"
}

# write_many: a program that, told so, forks processes (f a hundred, s sixty-four, o one), has them open a library and call it ten times each (g), kills
# them (k), waits for them and says how many ended well (w).
write_many() {
	printf '%s\n' 'long plug(long x) { return x * 3 + 1; }' >plugin.c
	gcc -O0 -fPIC -shared -o libplugin.so plugin.c
	{ printf '#include <%s>\n' dlfcn.h signal.h stdio.h sys/wait.h unistd.h
	cat <<-'END'
		static pid_t children[100];
		static int go[2], ready[2], n;
		static int open_and_call(void)
		{
			char c;
			long sum = 0;
			void *library = write(ready[1], "", 1) == 1 && read(go[0], &c, 1) == 1 ?
						dlopen("./libplugin.so", RTLD_NOW) : NULL;
			long (*f)(long) = library ? (long (*)(long))dlsym(library, "plug") : NULL;
			for (int i = 0; f && i < 10; i++)
				sum += f(i);
			return sum == 145 ? 0 : 1;
		}
		/* Back when all of them run: one that rarog has not let go from its beginning would wait for it there. */
		static void make(int wanted)
		{
			char c;
			for (n = 0; n < wanted; n++)
				if ((children[n] = fork()) == 0)
					_exit(open_and_call());
			for (int i = 0; i < n && read(ready[0], &c, 1) == 1; i++)
				;
		}
		static int end(void)
		{
			int status, fine = 0;
			for (int i = 0; i < n; i++)
				fine += waitpid(children[i], &status, 0) == children[i] && status == 0;
			return fine;
		}
		int main(void)
		{
			static const char many[100];
			char word;
			setbuf(stdout, NULL);
			if (pipe(go) < 0 || pipe(ready) < 0)
				return 2;
			while (read(0, &word, 1) == 1 && word != 'e') {
				if (word == 'f' || word == 's' || word == 'o')
					make(word == 'f' ? 100 : word == 's' ? 64 : 1);
				if (word == 'g' && write(go[1], many, (size_t)n) != n)
					return 3;
				for (int i = 0; word == 'k' && i < n; i++)
					kill(children[i], SIGKILL);
				printf("%c %d\n", word, word == 'w' ? end() : n);
			}
			puts("fine");
			return 0;
		}
	END
	} >many.c
	gcc -D_GNU_SOURCE -O1 -o many many.c -ldl
}

# have_opened N: so many processes, at least, have it mapped
have_opened() {
	[ "$(grep -ls "$PWD/libplugin.so" /proc/[0-9]*/maps | wc -l)" -ge "$1" ]
}

# begin_many: it is measured, by $leader
begin_many() {
	write_many
	open_told
	"$RAROG" --quiet collect --libs -o p.rarog -- ./many <told >got 2>err 3>&- &
	leader=$!
}

# open_all WORD: its processes have opened the library, and wait for rarog, which stands still
open_all() {
	tell "$1" "$1"
	kill -STOP "$leader"
	tell g g
	eventually 60 have_opened 64 || fail "$(cat got err)"
	sleep 0.5 # to where they wait
}

# calls_are N: as measured
calls_are() {
	tell e fine
	wait "$leader" || fail "status $?: $(cat err)"
	leader=
	[ ! -s err ] || fail "$(cat err)"
	[ "$(rarog show -n 0 --json p.rarog | jq -c '[.functions[] | select(.name == "plug") | .count]')" = "[$1]" ] ||
		fail "$(rarog show p.rarog)"
}

@test "a library that a hundred processes open at once is measured in each of them" {
	begin_many
	open_all f
	kill -CONT "$leader"
	tell w 'w 100'
	calls_are 1000
}

@test "processes that are killed while they open a library leave their places to others" {
	begin_many
	open_all s
	tell k k
	kill -CONT "$leader"
	tell w 'w 0'
	tell o 'o 1'
	tell g 'g 1'
	tell w 'w 1'
	calls_are 10
}

@test "processes that were killed while they open a library, and that nobody waits for, keep no place" {
	begin_many
	open_all s
	tell k k
	kill -CONT "$leader"
	tell o 'o 1' # the others are not waited for before, if ever
	tell g 'g 1'
	tell w 'w 1'
	calls_are 10
}

@test "while processes that open a library stand still the others go on, and what is missing is said" {
	begin_many
	open_all s
	pkill -STOP -P "$(pgrep -x many -P "$leader")"
	kill -CONT "$leader"
	tell o 'o 1'
	tell g 'g 1' # it has no place, and waits for ten seconds
	tell w 'w 1'
	pkill -CONT -P "$(pgrep -x many -P "$leader")"
	tell e fine
	wait "$leader" || fail "status $?: $(cat err)"
	leader=
	run_rarog show p.rarog
	[[ $output == *'LOST: 1 wait for rarog in vain: calls behind it are missing'* ]] || fail "$output"
}

# Each process has something else mapped before, so that the library is elsewhere in each.
@test "a library that short processes open at ever new addresses is measured in each of them" {
	# it does not fit in between others
	printf '%s\n' 'static char room[1 << 20];' 'long plug(long x) { return x * 3 + 1 + room[x]; }' >plugin.c
	gcc -O0 -fPIC -shared -o libplugin.so plugin.c
	{ printf '#include <%s>\n' dlfcn.h stdio.h sys/mman.h sys/wait.h unistd.h
	cat <<-'END'
		static int open_and_call(size_t pages)
		{
			void *before = mmap(NULL, (1ul << 20) + 4096 * pages, PROT_NONE,
					    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
			void *library = before != MAP_FAILED ? dlopen("./libplugin.so", RTLD_NOW) : NULL;
			long (*f)(long) = library ? (long (*)(long))dlsym(library, "plug") : NULL;
			return f && f(1) == 4 ? 0 : 1;
		}
		int main(void)
		{
			int status, fine = 0;
			for (size_t i = 1; i <= 300; i++) {
				pid_t child = fork();
				if (child == 0)
					_exit(open_and_call(i));
				fine += waitpid(child, &status, 0) == child && status == 0;
			}
			printf("%d\n", fine);
			return 0;
		}
	END
	} >user.c
	gcc -D_GNU_SOURCE -O1 -o user user.c -ldl
	"$RAROG" --quiet collect --libs -o p.rarog -- ./user >got 2>err || fail "status $?"
	[ "$(cat got)" = 300 ] || fail "$(cat got)"
	[ ! -s err ] || fail "$(cat err)"
	[ "$(rarog show -n 0 --json p.rarog | jq -c '[.functions[] | select(.name == "plug") | .count]')" = '[300]' ] ||
		fail "$(rarog show p.rarog)"
}

@test "a program whose first thread has ended opens a library, through which exceptions pass" {
	cat >throws.cc <<-'END'
		__attribute__((noinline)) static long throws(long x) { if (x >= 0) throw x; return x; }
		__attribute__((noinline)) static long catches(long x) { try { return throws(x); } catch (long n) { return n + 5; } }
		extern "C" long thrower(long x) { return catches(x) + 1; }
	END
	g++ -O1 -fPIC -shared -o libthrows.so throws.cc
	{ printf '#include <%s>\n' dlfcn.h pthread.h stdio.h stdlib.h unistd.h
	cat <<-'END'
		static pthread_t first;
		__attribute__((noinline)) static long work(long (*f)(long), long x) { long r = f(x); __asm__ volatile("" : "+r"(r)); return r + 1; }
		static void *run(void *a)
		{
			void *library;
			pthread_join(first, NULL);
			library = dlopen("./libthrows.so", RTLD_NOW);
			if (library)
				for (long i = 0; i < 10; i++)
					printf("%ld\n", work((long (*)(long))dlsym(library, "thrower"), i));
			exit(library ? 0 : 4);
			return a;
		}
		int main(void)
		{
			pthread_t other;
			first = pthread_self();
			pthread_create(&other, NULL, run, NULL);
			pthread_exit(NULL);
		}
	END
	} >user.c
	gcc -O1 -o user user.c -ldl -pthread
	"$RAROG" --quiet collect --libs -o p.rarog -- ./user >got 2>err || fail "status $?: $(cat err)"
	seq 7 16 | diff - got >&2 || fail "otherwise"
	[ ! -s err ] || fail "$(cat err)"
	rarog show -n 0 --json p.rarog | jq -r '.functions[] | "\(.name) \(.count)"' | grep -E '^(work|thrower|throws.*|catches.*) ' | sort >counts
	[ "$(wc -l <counts)" -eq 4 ] && [ "$(grep -c ' 10$' counts)" -eq 4 ] || fail "$(cat counts)"
}

@test "a program that makes itself unreadable is said not to be measured wholly from there on" {
	[ "$(id -u)" -eq 0 ] || skip "needs another user"
	printf '%s\n' 'long plug(long x) { return x * 3 + 1; }' >plugin.c
	gcc -O0 -fPIC -shared -o libplugin.so plugin.c
	{ printf '#include <%s>\n' dlfcn.h stdio.h sys/prctl.h
	cat <<-'END'
		int main(void)
		{
			void *library = prctl(PR_SET_DUMPABLE, 0) == 0 ? dlopen("./libplugin.so", RTLD_NOW) : NULL;
			long (*f)(long) = library ? (long (*)(long))dlsym(library, "plug") : NULL;
			printf("%ld\n", f ? f(1) : -1);
			return 0;
		}
	END
	} >user.c
	gcc -O1 -o user user.c -ldl
	theirs=$(mktemp -d /tmp/rarog-test-XXXXXX) # they are not let into where this test runs
	chmod 777 "$theirs"
	cp "$RAROG" "$theirs/rarog"
	cp user libplugin.so "$theirs/"
	python3 - "$theirs" >got 2>err <<-'END' || fail "status $?: $(cat err)"
		import os, sys
		os.chdir(sys.argv[1])
		os.setgroups([]); os.setgid(65534); os.setuid(65534)
		os.environ.update(HOME=".", TMPDIR=".", XDG_CONFIG_HOME=".")
		os.execv("./" + "rarog", ["rarog", "collect", "--libs", "-o", "p.rarog", "--", "./user"])
	END
	[ "$(cat got)" = 4 ] || fail "$(cat got err)"
	[ "$(grep -c 'does not let its memory be read any more' err)" -eq 1 ] || fail "$(cat err)"
}

# As who compiles a plugin anew: the file is written into, and may be shorter than what was read of it.
@test "a library whose file is written anew after it was closed is another one" {
	printf '%s\n' 'long other(long x) { return x + 1; }' 'long plug(long x) { return other(x) + 1; }' >one.c
	for i in $(seq 400); do printf 'long filler%d(long x) { return x * %d; }\n' "$i" "$i"; done >>one.c
	printf '%s\n' 'long third(long x) { return x + 5; }' 'long plug(long x) { return third(x) + third(x); }' >two.c
	gcc -O0 -fPIC -shared -o libone.so one.c
	gcc -O0 -fPIC -shared -o libtwo.so two.c
	cp libone.so libplugin.so
	{ printf '#include <%s>\n' dlfcn.h stdio.h stdlib.h
	cat <<-'END'
		static long use(void)
		{
			void *library = dlopen("./libplugin.so", RTLD_NOW);
			long (*f)(long) = library ? (long (*)(long))dlsym(library, "plug") : NULL, sum = 0;
			for (int i = 0; f && i < 10; i++)
				sum += f(i);
			if (library)
				dlclose(library);
			return sum;
		}
		int main(void)
		{
			printf("%ld\n", use());
			if (system("cat libtwo.so >libplugin.so") != 0)
				return 2;
			printf("%ld\n", use());
			return 0;
		}
	END
	} >user.c
	gcc -O1 -o user user.c -ldl
	"$RAROG" --quiet collect --libs -o p.rarog -- ./user >got 2>err || fail "status $?: $(cat err)"
	printf '%s\n' 65 190 | diff - got >&2 || fail "otherwise"
	rarog show -n 0 --json p.rarog | jq -r '.functions[] | select(.name | test("^(plug|other|third)$")) | "\(.name) \(.count)"' | sort >counts
	printf '%s\n' 'other 10' 'plug 10' 'plug 10' 'third 20' | diff - counts >&2 || fail "otherwise"
}

has_gone() {
	! kill -0 "$1" 2>/dev/null
}

@test "a library that is looked at while rarog is stopped for long: the program goes on, children too" {
	local library rarog i
	library=$(ls /usr/lib/x86_64-linux-gnu/libLLVM-1[49].so.1 2>/dev/null | head -1)
	[ -n "$library" ] || skip "needs a library that is looked at for long, libLLVM: apt-get install clang-14"
	cat >open.c <<-'END'
		#include <dlfcn.h>
		#include <stdlib.h>
		int main(int argc, char **argv)
		{
			return argc < 2 || !dlopen(argv[1], RTLD_NOW) || system("echo fine");
		}
	END
	gcc -O2 -o open open.c
	"$RAROG" collect --libs -o p.rarog ./open "$library" >out 2>errors.txt 3>&- &
	rarog=$!
	eventually 10 grep -q libLLVM "/proc/$rarog/maps" || true
	sleep 0.2
	kill -STOP $rarog
	sleep 12
	kill -CONT $rarog
	eventually 60 has_gone $rarog || { kill -KILL $rarog; fail "it hangs"; }
	wait $rarog
	[ "$(cat out)" = fine ]
	rarog show p.rarog | grep -q "1 wait for rarog in vain" || skip "rarog had looked at it before it was stopped"
}
