#!/usr/bin/env bats
# Which places are measured, and how: --usdt and --at with #N, and the judge of places of an image when it becomes known.

load ../helper
load ../collect-helper

# counts FILE: "NAME COUNT" of all that was counted
counts() {
	rarog show -n 0 --json "$1" | python3 -c '
import json, sys
for f in json.load(sys.stdin)["functions"]:
    print(f["name"], f["count"])' | sort
}

# measured FILE: "NAME HOW EVERY" of what was not recorded each time, but for what no program's author wrote
measured() {
	rarog -q export --format json "$1" | python3 -c '
import json, sys
profile = json.load(sys.stdin)
how = ["recorded", "counted", "sampled", "off", "pruned"]
for row in profile.get("measured", []):
    if row["location"] is None:
        print("others", how[row["how"]])
    elif row["reason"] != "is part of the run-time system":
        print(profile["locations"][row["location"]]["name"], how[row["how"]], row["every"])' | sort
}

marks() {
	cat >marks.c <<-'END'
		#include <pthread.h>
		#include <rarog.h>
		__attribute__((noinline)) int work(int i)
		{
			RAROG_POINT(tick);
			RAROG_SIZE(table, i);
			RAROG_BEGIN(job);
			for (volatile int k = 0; k < 10; k++)
				;
			RAROG_END(job);
			return i + 1;
		}
		static void *go(void *n)
		{
			for (long i = 0; i < (long)n; i++)
				if (work((int)i) < 0)
					return n; /* never */
			return 0;
		}
		int main(void)
		{
			pthread_t thread;
			pthread_create(&thread, 0, go, (void *)503);
			go((void *)1003);
			return pthread_join(thread, 0);
		}
	END
	gcc -g -O1 -I"$repo/include" -o marks marks.c -pthread
}

@test "places: of marks and lines every N-th passage of each thread is recorded, all are counted" {
	local engine
	marks
	for engine in $(engines); do
		works -q collect --engine "$engine" --usdt 'tick#10' --usdt 'marks#job#7' --usdt 'libc.so.6#table*' \
			--at 'marks.c:16#4' -f go -o p.rarog -- ./marks
		rarog show --json p.rarog | python3 -c '
import json, sys
n = lambda every: -(-1003 // every) + -(-503 // every)
got = {f["name"]: (f["count"], f["timed"]) for f in json.load(sys.stdin)["functions"]}
assert got == {"go": (2, 2), "rarog:tick": (1506, n(10)), "rarog:job": (1506, n(7)), "marks.c:16": (1506, n(4))}, got'
		measured p.rarog | diff - <(printf '%s\n' 'marks.c:16 sampled 4' 'others off' 'rarog:job sampled 7' \
			'rarog:tick sampled 10')
		rarog show --json p.rarog | grep -q '"unbegun"' && fail "ends of regions are not alone"
		works -q collect --engine "$engine" --detail count --usdt 'tick#10' --at 'marks.c:16#4' -f go -o p.rarog -- ./marks
		counts p.rarog | diff - <(printf '%s\n' 'go 2' 'marks.c:16 1506' 'rarog:tick 1506')
	done
	exits 125 collect --usdt 'tick#0' -o p.rarog -- ./marks
	[[ $errors == *"--usdt=tick#0: after '#' stands a number"* ]] || fail "$errors"
	exits 125 collect --at 'marks.c:16#x' -o p.rarog -- ./marks
	[[ $errors == *"--at=marks.c:16#x: after '#' stands a number"* ]] || fail "$errors"
}

@test "places: their judge prunes, counts and samples before anything is patched" {
	local engine
	program sample/recursion -o program -g -O1 -fno-optimize-sibling-calls -pthread
	rarog -q collect -o full.rarog -- ./program
	counts full.rarog | grep -v '^leaf ' >wanted
	for engine in $(engines); do
		RAROG_TEST_PLACES="leaf=pruned odd=count even=sample:5" works -q collect --engine "$engine" -o p.rarog -- ./program
		counts p.rarog | diff wanted - || fail "$engine"
		measured p.rarog | diff - <(printf '%s\n' 'even sampled 5' 'leaf pruned 0' 'odd counted 0')
		rarog show --json p.rarog | python3 -c '
import json, sys
show = json.load(sys.stdin)
assert show["header"]["totals"]["patched"] == 4, show["header"]["totals"]
got = {f["name"]: f["timed"] for f in show["functions"]}
assert got["odd"] == 0 and got["main"] == 1 and 7340 / 5 <= got["even"] < 7340 / 5 + 4, got'
		RAROG_TEST_PLACES="leaf=pruned" works -q collect --engine "$engine" --detail summary -o p.rarog -- ./program
		counts p.rarog | diff wanted - || fail "$engine, summary"
		RAROG_TEST_PLACES="leaf=pruned odd=count" works -q collect --engine "$engine" --detail summary -o p.rarog -- ./program
		counts p.rarog | diff wanted - || fail "$engine, summary and counted"
	done
}

@test "places: programs that are executed and libraries that are opened are judged, too" {
	cat >lib.c <<-'END'
		static volatile int one = 1;
		int twice(int n) { return 2 * n * one * one; }
		int thrice(int n) { return 3 * n * one * one; }
	END
	cat >opens.c <<-'END'
		#include <dlfcn.h>
		#include <unistd.h>
		__attribute__((noinline)) static int call(void *library, const char *name)
		{
			return ((int (*)(int))dlsym(library, name))(1);
		}
		__attribute__((noinline)) static int again(char **argv)
		{
			return execv(argv[0], (char *[]){ argv[0], "x", 0 });
		}
		int main(int argc, char **argv)
		{
			void *library;
			if (argc == 1)
				return again(argv);
			library = dlopen("./lib.so", RTLD_NOW);
			return call(library, "twice") + call(library, "thrice") != 5;
		}
	END
	gcc -g -O1 -shared -fPIC -o lib.so lib.c
	gcc -g -O1 -o opens opens.c -ldl
	RAROG_TEST_PLACES="thrice=pruned call=pruned" works -q collect --libs --func 'opens#*' --func 'lib.so#*' -o p.rarog -- ./opens
	counts p.rarog | diff - <(printf '%s\n' 'again 1' 'main 2' 'twice 1')
	measured p.rarog | grep pruned | diff - <(printf '%s\n' 'call pruned 0' 'thrice pruned 0')
}

@test "places: what --within hangs on is measured, whatever is decided of it" {
	local flag action
	program sample/recursion -o program -g -O1 -fno-optimize-sibling-calls -pthread
	for flag in --within --not-below; do
		works -q collect "$flag" go -o p.rarog -- ./program
		counts p.rarog >wanted
		for action in pruned off; do
			RAROG_TEST_PLACES="go=$action" run_rarog collect "$flag" go -o p.rarog -- ./program
			[[ $status -eq 0 && $errors != *warning* ]] || fail "$flag, $action: $errors"
			counts p.rarog | diff wanted - || fail "$flag, $action"
		done
	done
}

@test "places: what an engine cannot do is said in one line, and recorded" {
	local engine
	program sample/recursion -o program -g -O1 -fno-optimize-sibling-calls -pthread
	for engine in $(engines); do
		RAROG_TEST_PLACES="leaf=delay:100 odd=delay:100" run_rarog collect --engine "$engine" -o p.rarog -- ./program
		[ "$status" -eq 0 ]
		[[ $errors == *"--engine=$engine cannot delay what is at 0x"*", and 1 other place: all that happens there is recorded"* ]] ||
			fail "$errors"
		rarog show --json p.rarog | grep -q '"leaf"'
	done
	RAROG_TEST_PLACES="leaf=away" exits 125 collect -o p.rarog -- ./program
	[[ $errors == *"expected NAME=ACTION"* ]] || fail "$errors"
}
