#!/usr/bin/env bats
# rarog cc --rarog-loops=trips: rounds of each entry of loops, against programs that print their own.

load helper
load blocks-helper

# Loops of every kind. Each says how many rounds an entry had to note(), which prints them at the end:
# the least, the most, the sum and how many entries had 1 round, 2 and 3, 4 to 7 …
write_program() {
	cat >trips.cc <<-'END'
		#include <cstdio>
		#include <csetjmp>
		#include <cstring>
		static unsigned state = 1;
		static unsigned any(unsigned n)
		{
			state = state * 1664525 + 1013904223;
			return (state >> 12) % n;
		}
		static struct { unsigned long least, most, sum, bars[32]; } noted[8];
		static void note(int loop, unsigned long rounds)
		{
			if (rounds == 0)
				return;
			noted[loop].least = noted[loop].least && noted[loop].least < rounds ? noted[loop].least : rounds;
			noted[loop].most = noted[loop].most > rounds ? noted[loop].most : rounds;
			noted[loop].sum += rounds;
			noted[loop].bars[63 - __builtin_clzl(rounds)]++;
		}
		/* a loop with a break, in a loop that starts over */
		__attribute__((noinline)) void nested(unsigned n)
		{
			unsigned long outer = 0, inner = 0;
			do {
				outer++;
				inner = 0;
				do
					inner++;
				while (any(9));
				note(1, inner);
				if (any(20) == 0)
					break;
			} while (--n);
			note(0, outer);
		}
		/* left by an exception that is caught in the function */
		__attribute__((noinline)) void thrower(unsigned n)
		{
			if (n == 0)
				throw 1;
		}
		__attribute__((noinline)) void caught()
		{
			unsigned long rounds = 0;
			try {
				for (;;) {
					rounds++;
					thrower(any(7));
				}
			} catch (int) {
				note(2, rounds);
			}
		}
		/* left by an indirect jump */
		__attribute__((noinline)) void indirect()
		{
			static void *const ways[] = { &&out, &&again, &&again, &&out };
			unsigned long rounds = 0;
		again:
			rounds++;
			goto *ways[any(4)];
		out:
			note(3, rounds);
		}
		/* left by longjmp to where the function called setjmp */
		static jmp_buf place;
		__attribute__((noinline)) void jumper(unsigned n)
		{
			if (n == 0)
				longjmp(place, 1);
		}
		__attribute__((noinline)) void jumped()
		{
			volatile unsigned long rounds = 0;
			if (setjmp(place) == 0)
				for (;;) {
					rounds = rounds + 1;
					jumper(any(6));
				}
			note(4, rounds);
		}
		int main()
		{
			for (int i = 0; i < 200; i++) {
				nested(any(30) + 1);
				caught();
				indirect();
				jumped();
			}
			static const char *const names[] = { "nested", "nested", "caught", "indirect", "jumped" };
			for (int i = 0; i < 5; i++) {
				printf("%s %lu %lu %lu", names[i], noted[i].sum, noted[i].least, noted[i].most);
				for (int k = 0; k < 32; k++)
					if (noted[i].bars[k])
						printf(" %lu:%lu", 1ul << k, noted[i].bars[k]);
				puts("");
			}
		}
	END
}

# the same lines from the profile
rounds_of() {
	rarog show --loops -n 0 --json "$1" | python3 -c '
import json, sys
for l in json.load(sys.stdin)["loops"]:
    name = l["function"].partition("(")[0]
    if name != "main" and l["histogram"]:
        print(name, l["iterations"], l["least_per_entry"], l["most_per_entry"], l["histogram"])'
}

@test "least, most and histogram are those that the program finds itself" {
	need_plugin
	write_program
	for flags in -O0 -O1 "-O2 -fno-unroll-loops -fno-vectorize" "-O1 -fPIC" "-O1 --rarog-threads=atomic"; do
		# shellcheck disable=SC2086
		rarog c++ --rarog-loops=trips $flags -o trips trips.cc
		rarog -q collect blocks -o trips.rarog -- ./trips | sort >expected.txt
		rounds_of trips.rarog | sort >found.txt
		diff expected.txt found.txt || fail "$flags"
	done
}

@test "rounds on request only, in columns that others do not have" {
	need_plugin
	echo 'int main(int argc, char **argv) { volatile int i = 0; while (i < 5) i++; return 0; }' >main.c
	rarog cc -O1 -o main main.c
	rarog -q collect blocks -o plain.rarog -- ./main
	rarog cc --rarog-loops=trips -O1 -o main main.c
	rarog -q collect blocks -o trips.rarog -- ./main
	[[ $(rarog show --loops plain.rarog) != *" least "* ]]
	rarog show --loops trips.rarog | grep -qE ' per entry +least +most +1 2 4 8 …'
	rarog show --loops trips.rarog | grep -qE ' 1 +5 +5\.00 +5 +5 +█ '
	rarog show --loops --ascii trips.rarog | grep -qE ' 5 +5 +@ '
	rarog report --output page.html trips.rarog
	[ -s page.html ]
}

@test "threads and children count rounds for themselves, least and most are of all" {
	need_plugin
	cat >threads.c <<-'END'
		#include <pthread.h>
		#include <stdint.h>
		#include <sys/wait.h>
		#include <unistd.h>
		__attribute__((noinline)) void spin(volatile unsigned n)
		{
			while (n > 0)
				n--;
		}
		static void *run(void *n)
		{
			spin((unsigned)(uintptr_t)n);
			return n;
		}
		int main(void)
		{
			pthread_t threads[8];
			for (uintptr_t i = 0; i < 8; i++)
				pthread_create(&threads[i], 0, run, (void *)(i * 100 + 7));
			for (int i = 0; i < 8; i++)
				pthread_join(threads[i], 0);
			if (fork() == 0) {
				spin(3);
				spin(2000);
				_exit(0);
			}
			wait(0);
			return 0;
		}
	END
	rarog cc --rarog-loops=trips -O0 -pthread -o threads threads.c
	rarog -q collect blocks -o threads.rarog -- ./threads
	# at -O0 the last look at the condition is a round
	expected="spin $((10 + 28 * 100 + 8 * 7 + 2003)) 4 2001 4:1 8:1 64:1 128:1 256:3 512:2 1024:1"
	[ "$(rounds_of threads.rarog)" = "$expected" ] || fail "$(rounds_of threads.rarog), not $expected"
}

@test "entries that something left unseen are missing, and counted as such" {
	need_plugin
	cat >left.cc <<-'END'
		#include <stdlib.h>
		__attribute__((noinline)) void step(int n) { if (n == 3) throw n; }
		__attribute__((noinline)) void loop(int from) { for (int i = from;; i++) { if (i > 5) return; step(i); } }
		int main() {
			for (int i = 0; i < 3; i++)
				try { loop(0); } catch (int) { }
			loop(4);
			return 0;
		}
	END
	rarog c++ --rarog-loops=trips -O0 -o left left.cc
	rarog -q collect blocks -o left.rarog -- ./left
	rarog show --loops -f loop --json left.rarog | python3 -c '
import json, sys
l = json.load(sys.stdin)["loops"][0]
print(l["entries"], l["entries_ended"], l["least_per_entry"], l["most_per_entry"])' >found.txt
	[ "$(cat found.txt)" = "4 1 3 3" ] || fail "$(cat found.txt)"
}

@test "rounds of random programs are those of their edges" {
	need_plugin
	for flags in "-O1" "-O2 -fPIC"; do
		# shellcheck disable=SC2086
		RAROG_BUILD=$build run "$repo/tests/blocks/compare" "$llvm" ${#flags} 60 $flags -mllvm -rarog-loops=trips
		[ "$status" -eq 0 ] || fail "$output"
		[[ $output == *" loops, "*" rounds; 0 wrong" ]] || fail "$output"
	done
}
