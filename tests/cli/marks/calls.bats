#!/usr/bin/env bats
# Calls of one function by another (--at FUNC@CALLER). The program counts them itself.

load ../helper
load ../collect-helper

program() {
	cat >calls.c <<-'END'
		#include <pthread.h>
		#include <setjmp.h>
		#include <stdio.h>
		#include <stdlib.h>
		#ifdef __clang__
		#define APART __attribute__((noinline, optnone))
		#else
		#define APART __attribute__((noipa))
		#endif
		#define MADE(name, call) (__atomic_fetch_add(&n_##name, 1, __ATOMIC_RELAXED), call)
		static long n_one, n_both, n_walk, n_out, n_last, n_malloc;
		static __thread jmp_buf out;
		APART int leaf(int i)
		{
			volatile int s = 0;
			for (int k = 0; k < i % 50; k++)
				s += k;
			return s;
		}
		APART int leave(int i)
		{
			if (i % 3 == 0)
				longjmp(out, 1);
			return i;
		}
		APART int one(int n)
		{
			int s = 0;
			for (int i = 0; i < n; i++)
				s += MADE(one, leaf(i));
			return s;
		}
		APART int both(int n)
		{
			int s = 0;
			for (int i = 0; i < n; i++)
				if (i % 3)
					s += MADE(both, leaf(i)) * 2;
				else
					s -= MADE(both, leaf(i + 1));
			return s;
		}
		APART int walk(int n)
		{
			volatile int keep = n; /* no loop is made of it */
			return n ? MADE(walk, walk(n - 1)) + keep % 2 : 0;
		}
		APART int jumps(int n)
		{
			static __thread int i;
			for (i = 0; i < n; i++)
				if (!setjmp(out))
					MADE(out, leave(i));
			return i;
		}
		APART int last(int n)
		{
			MADE(last, 0);
			return leaf(n); /* optimised, a jump */
		}
		APART long memory(int n)
		{
			long s = 0;
			for (int i = 1; i < n; i++) {
				char *volatile p = MADE(malloc, malloc(i));
				p[0] = i;
				s += p[0];
				free(p);
			}
			return s;
		}
		static void *go(void *unused)
		{
			return one(100) + both(77) + walk(40) + jumps(30) + last(5) + memory(20) ? unused : 0;
		}
		int main(void)
		{
			pthread_t thread;
			pthread_create(&thread, 0, go, 0);
			go(0);
			pthread_join(thread, 0);
			printf("leaf@both %ld\nleaf@last %ld\nleaf@one %ld\nleave@jumps %ld\nmalloc@memory %ld\nwalk@walk %ld\n",
			       n_both, n_last, n_one, n_out, n_malloc, n_walk);
			return 0;
		}
	END
	"$@" -g -o calls calls.c -pthread
	./calls >wanted
}

# counts FILE: "NAME COUNT" of all calls by callers
counts() {
	rarog show -n 0 --json "$1" | python3 -c '
import json, sys
for f in json.load(sys.stdin)["functions"]:
    if "@" in f["name"]:
        print(f["name"], f["count"])' | sort
}

all=(--at 'leaf@*' --at 'leave@jumps' --at 'malloc@mem*' --at '/^walk$/@walk')

@test "calls are counted by callers: loops, recursion, longjmp, threads, jumps in their place, libraries" {
	local engine kind
	for kind in "gcc -O0" "gcc -O2" "clang-14 -O1" "gcc -O2 -static" "gcc -O2 -fno-plt"; do
		command -v "${kind%% *}" >/dev/null || continue
		program $kind
		for engine in $(engines); do
			works collect --engine "$engine" --strategy custom "${all[@]}" -o p.rarog -- ./calls
			[[ $errors == *"nothing lost"* ]] || fail "$kind, $engine: $errors"
			counts p.rarog | diff wanted - || fail "$kind, $engine: $errors"
			works collect --engine "$engine" "${all[@]}" -o p.rarog -- ./calls
			counts p.rarog | diff wanted - || fail "$kind, $engine, beside functions: $errors"
			works collect --engine "$engine" --detail count --strategy custom "${all[@]}" -o p.rarog -- ./calls
			counts p.rarog | diff wanted - || fail "$kind, $engine, counting: $errors"
		done
	done
}

@test "a call is timed in its caller, and what is called stands below it" {
	program gcc -O2
	works collect --detail calls --at leaf@one --at leaf@last -o p.rarog -- ./calls
	[[ $errors == *"leaf@last is counted, not timed: one of these calls is a jump"* ]] || fail "$errors"
	rarog export --format json -q p.rarog >p.json
	python3 - <<-'END'
		import json
		p = json.load(open("p.json"))
		name = [l["name"] for l in p["locations"]]
		node = p["nodes"]
		def path(i):
		    out = []
		    while i is not None and node[i]["location"] is not None:
		        out.append(name[node[i]["location"]])
		        i = node[i]["parent"]
		    return out
		count = {}
		for i, n in enumerate(node):
		    if n["location"] is not None and name[n["location"]] in ("leaf", "leaf@one"):
		        key = " ".join(path(i)[:2])
		        count[key] = count.get(key, 0) + n["count"]
		        if name[n["location"]] == "leaf@one":
		            inside = sum(m["inclusive_ticks"] for m in node if m["parent"] == i)
		            assert 0 < inside <= n["inclusive_ticks"], (inside, n)
		assert count["leaf@one one"] == 200 and count["leaf leaf@one"] == 200, count
		assert "leaf one" not in count, count
	END
}

@test "calls of a line, of one file, every N-th, and patterns of what is no call" {
	local line
	program gcc -O2
	line=$(grep -n 's -= MADE' calls.c | cut -d: -f1)
	works collect --strategy custom --at "leaf@calls.c:$line" --at 'calls#leaf@one#10' -o p.rarog -- ./calls
	rarog show --json -n 0 p.rarog | python3 -c '
import json, sys
got = {f["name"]: (f["count"], f["timed"]) for f in json.load(sys.stdin)["functions"]}
assert got == {sys.argv[1]: (2 * 26, 2 * 26), "leaf@one": (200, 20)}, got' "leaf@calls.c:$line"
	works collect --at 'leaf@main' --at 'nothing@one' --at "leaf@calls.c:1" -o p.rarog -- ./calls
	[[ $errors == *"leaf@main: no such call is in the code"*"not found either: nothing@one, leaf@calls.c:1"* ]] || fail "$errors"
	exits 125 collect --at 'leaf@' -o p.rarog -- ./calls
	[[ $errors == *"--at=leaf@: expected"*"FUNC@CALLER"* ]] || fail "$errors"
	exits 125 collect --engine vex --at leaf@one -o p.rarog -- ./calls
	[[ $errors == *"--at is not for --engine=vex"* && $(wc -l <errors.txt) = 1 ]] || fail "$errors"
}

@test "the code of libraries that have neither the caller nor the line is not read for calls" {
	local line place
	program gcc -O2
	line=$(grep -n 's -= MADE' calls.c | cut -d: -f1)
	for place in leaf@one "leaf@calls.c:$line"; do
		works collect --libs --debug=site --detail count --strategy custom --at "$place" -o p.rarog -- ./calls
		[ "$(grep -c ': all its calls are read' errors.txt)" = 1 ] || fail "$(grep 'are read' errors.txt)"
		[[ $(rarog show -n 0 p.rarog) == *"$place"* ]] || fail "$(rarog show -n 0 p.rarog)"
	done
}

@test "clang gives each block a section: parts are code of their function, for calls, blocks and vex" {
	local engine
	command -v clang-14 >/dev/null || skip "needs clang-14"
	program clang-14 -O1 -fbasic-block-sections=all
	nm calls | grep -q '__part' || skip "this clang or linker leaves blocks where they were"
	for engine in $(engines); do
		works collect --engine "$engine" --strategy custom "${all[@]}" -o p.rarog -- ./calls
		counts p.rarog | diff wanted - || fail "$engine: $errors"
	done
	works collect blocks --engine rewrite -o blocks.rarog -- ./calls
	if command -v valgrind >/dev/null; then works collect --engine vex -o vex.rarog -- ./calls; fi
	for p in blocks vex; do
		[ -e $p.rarog ] || continue
		rarog show --json -n 0 $p.rarog | python3 -c '
import json, sys
data = json.load(sys.stdin)
left = {l["function"] for l in data["header"].get("left", [])} # their parts have nowhere to go
of = {f["name"]: (f["count"], f["instructions"]) for f in data["functions"] if f["binary"].endswith("/calls")}
assert {name.split(".")[0] for name in of if "__part" in name} <= left, of
for name in ("one", "both", "walk", "memory"):
    print(name, *of[name])' >$p.txt || fail "$p"
	done
	[ ! -e vex.txt ] || diff vex.txt blocks.txt
}

@test "functions of C++ are named as people do, and exceptions end calls" {
	cat >t.cpp <<-'END'
		namespace ns {
		__attribute__((noipa)) int f(int i) { if (i % 4 == 0) throw i; return i; }
		__attribute__((noipa)) int run(int n) { int s = 0; for (int i = 0; i < n; i++) try { s += f(i); } catch (int) { s--; } return s; }
		}
		int main() { return ns::run(100) < 0; }
	END
	g++ -g -O2 -o t t.cpp
	works collect --strategy custom --at 'ns::f@ns::run' -o p.rarog -- ./t
	[ "$(rarog show --json p.rarog | python3 -c 'import json, sys; print([f["count"] for f in json.load(sys.stdin)["functions"]])')" = "[100]" ]
	[[ $errors == *"nothing lost"* ]] || fail "$errors"
	works collect --strategy custom --at 'ns::f@ns::run' --at 'return@ns::run' -o p.rarog -- ./t
	[ "$(rarog show --json p.rarog | jq -r '.functions[].name' | sort)" = $'ns::f(int)@ns::run(int)\nreturn@ns::run(int)' ] ||
		fail "$(rarog show p.rarog)"
}

# In which calls handle() is called: the one that was left is none of them, those around it are.
@test "a call that an exception or longjmp leaves has ended where its caller goes on" {
	local engine
	g++ -g -O2 -o left "$BATS_TEST_DIRNAME/../../programs/at/left-calls.cpp"
	for engine in $(engines); do
		works collect --engine "$engine" --strategy custom --at 'fail@*' --at 'jump@*' --at 'nests@*' --at 'handle@*' -o p.rarog -- ./left
		[[ $errors == *"nothing lost"* ]] || fail "$engine: $errors"
		rarog export --format json -q p.rarog >p.json
		python3 - <<-'END' || fail "$engine"
			import json
			p = json.load(open("p.json"))
			node = p["nodes"]
			name = [l["name"] for l in p["locations"]]
			def path(i):
			    return [] if i is None or node[i]["location"] is None else path(node[i]["parent"]) + [name[node[i]["location"]]]
			got = {" ".join(path(i)): n["count"] for i, n in enumerate(node) if n["location"] is not None}
			assert {k: n for k, n in got.items() if "handle" in k} == {
			    "handle@again": 3,
			    "handle@catches": 5,
			    "handle@cleans": 10,
			    "handle@lands": 5,
			    "nests@main nests@nests nests@nests handle@nests": 1,
			    "nests@main nests@nests handle@nests": 1,
			}, got
			assert (got["fail@catches"], got["fail@cleans"], got["jump@lands"]) == (10, 10, 10), got
		END
		rarog show p.rarog | grep '^17 calls left by an exception or longjmp' || fail "$engine: $(rarog show p.rarog)"
	done
}

@test "landing pads that only jump, as clang's do, end calls where they jump to" {
	local compiler engine tried=
	for compiler in clang++-14 clang++-19; do
		command -v "$compiler" >/dev/null || continue
		tried=1
		"$compiler" -g -O2 -o left "$BATS_TEST_DIRNAME/../../programs/at/left-calls.cpp"
		for engine in $(engines); do
			works collect --engine "$engine" --strategy custom --at fail@again --at handle@again -o p.rarog -- ./left
			[[ $errors != *"too long"* ]] || fail "$compiler, $engine: $errors"
			rarog export --format json -q p.rarog >p.json
			[ "$(jq -c '[.locations as $all | .nodes[] | select(.location != null) |
				[$all[.location].name, .count, .parent]] | sort' p.json)" = '[["fail@again",9,0],["handle@again",3,0]]' ] ||
				fail "$compiler, $engine: $(rarog show --tree p.rarog)"
		done
	done
	[ "$tried" ] || skip "needs clang++-14 or clang++-19"
}

@test "where no probe can be at a place that longjmp comes back to, it is said" {
	gcc -g -O2 -o no-room "$BATS_TEST_DIRNAME/../../programs/at/no-room.c"
	works collect --strategy custom --at jump@lands --at handle@lands -o p.rarog -- ./no-room
	[[ $errors == *"calls of jump@lands and 1 more that an exception or longjmp leaves may be shown too long: no probe can be where control comes to"* ]] ||
		fail "$errors"
}

# Held until the thread is out of all probes, which it would never be found to be.
@test "a signal comes soon where a mark is all that the program passes" {
	cat >alarms.c <<-'END'
		#include <signal.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <sys/resource.h>
		#include <sys/time.h>
		#include <time.h>
		static volatile sig_atomic_t came;
		static void on_timer(int number) { came++; }
		__attribute__((noipa)) int leaf(int x) { return x + 1; }
		__attribute__((noipa)) int mid(int x) { return leaf(x) + leaf(x + 1) + 3; }
		/* ./alarms SECONDS: how many of 20 timers of its CPU time came, and that time; it has no more of it.
		   Nothing but the calls is in the loop: elsewhere a signal could come. */
		int main(int argc, char **argv)
		{
			const struct itimerval soon = { { 0, 0 }, { 0, 2000 } };
			const struct rlimit most = { atol(argv[1]), atol(argv[1]) };
			setrlimit(RLIMIT_CPU, &most);
			signal(SIGPROF, on_timer);
			for (int i = 0; i < 20; i++) {
				setitimer(ITIMER_PROF, &soon, NULL);
				while (came == i)
					mid(i);
			}
			printf("%d %ld\n", (int)came, (long)clock());
			return 0;
		}
	END
	gcc -O2 -o alarms alarms.c
	read -r came spent < <(./alarms 1000)
	[ "$came" = 20 ]
	works collect --at leaf@mid --exclude '*' -o p.rarog -- ./alarms $((50 * spent / 1000000 + 1))
	[[ $output == "20 "* ]] || fail "of 20 timers, with $spent us without marks: $output"
}

@test "return@FUNC: where a function may return by a jump through a pointer it is left out; tables of its own are no such" {
	gcc -O2 -o ways-out "$BATS_TEST_DIRNAME/../../programs/at/ways-out.c"
	works collect --at return@through --at return@table -o p.rarog -- ./ways-out
	[[ $errors == *"return@through is not measured: it may return by a jump through a pointer"* ]] || fail "$errors"
	[ "$(rarog show --json p.rarog | jq -c '[.functions[] | select(.name | startswith("return@")) | [.name, .count]]')" = '[["return@table",1000]]' ] ||
		fail "$(rarog show p.rarog)"
}
