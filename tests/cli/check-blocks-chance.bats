#!/usr/bin/env bats
# rarog check on counts that are not the same every time, not whole, or not comparable: it is said, in one
# line, and nothing is alarmed about.

# shellcheck disable=SC2154 # variables of the helpers
load helper
load blocks-helper

# Each way in which a program can depend on chance, in a function of its own.
write_program() {
	cat >work.c <<-'END'
		#include <pthread.h>
		#include <stdint.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/random.h>
		#include <time.h>
		static volatile unsigned sink;
		static volatile int go;
		static void rounds(unsigned n)
		{
			for (unsigned i = 0; i < n; i++)
				sink++;
		}
		__attribute__((noinline)) void steady(void) { rounds(5000); }
		/* a table whose hash has a seed: how far one looks */
		__attribute__((noinline)) void seeded(void)
		{
			unsigned seed = 0, table[64] = { 0 };
			(void)!getrandom(&seed, sizeof(seed), 0);
			for (unsigned i = 1; i <= 48; i++) {
				unsigned at = (i * 2654435769u ^ seed) * 2246822519u >> 26;
				while (table[at % 64])
					at++;
				table[at % 64] = i;
			}
		}
		/* the same with addresses, of the stack and the heap */
		__attribute__((noinline)) void addressed(void)
		{
			void *p = malloc(1 << 20);
			uintptr_t at = (uintptr_t)&p >> 4 ^ (uintptr_t)p >> 12;
			for (unsigned i = at % 4093 + 1; i > 0; i--)
				sink++;
			free(p);
		}
		__attribute__((noinline)) void timed(void)
		{
			struct timespec now;
			clock_gettime(CLOCK_MONOTONIC, &now);
			for (long i = now.tv_nsec % 9973; i >= 0; i--)
				sink++;
		}
		static void *other(void *unused)
		{
			struct timespec some = { 0, 100000 };
			nanosleep(&some, NULL);
			go = 1;
			return unused;
		}
		__attribute__((noinline)) void threaded(void)
		{
			pthread_t thread;
			pthread_create(&thread, NULL, other, NULL);
			while (!go)
				sink++;
			pthread_join(thread, NULL);
		}
		int main(int argc, char **argv)
		{
			steady();
			if (argc > 1)
				*argv[1] == 's'	  ? seeded()
				: *argv[1] == 'a' ? addressed()
				: *argv[1] == 't' ? timed()
						  : threaded();
			return 0;
		}
	END
}

@test "seeds of hashes, addresses, time and threads are found out by repeating, and are no change" {
	need_plugin
	[ "$(cat /proc/sys/kernel/randomize_va_space)" -gt 0 ] || skip "addresses are the same every time here"
	write_program
	rarog cc -O1 -g -o work work.c -pthread
	for way in seeded addressed timed other; do
		mkdir "$way"
		rarog -q collect blocks --repeat 4 -o "$way/run.rarog" -- ./work "$way"
		run_rarog check "$way/" "$way/" --json
		[ "$status" -eq 0 ] || [ "$status" -eq 4 ] || fail "$way: $status $output"
		printf '%s' "$output" | python3 -c '
import json, sys
all = json.load(sys.stdin)
classes = {c["location"]: c["class"] for c in all["changes"]}
guilty = {"other": "threaded"}.get(sys.argv[1], sys.argv[1])
assert classes["steady"] == classes["main"] == "NoChange", classes
assert classes[guilty] == "Unknown", classes
assert not {"Degradation", "Optimization"} & set(classes.values()), classes
notes = all["checks"][0]["notes"]
assert any("not deterministic: 1 function did not" in n and n.endswith("most of all " + guilty) for n in notes), notes' "$way"
	done
}

# counted_at NAME FLAG…: two runs of the program built so, in NAME/
counted_at() {
	mkdir "$1"
	rarog cc "${@:2}" -o work work.c -pthread
	rarog -q collect blocks --repeat 2 -o "$1/run.rarog" -- ./work
}

@test "other levels are refused, other placements and kinds of counters are compared: counts are the same" {
	need_plugin
	write_program
	counted_at O1 -O1 -g
	counted_at O2 -O2 -g
	counted_at every -O1 -g --rarog-placement=every
	counted_at atomic -O1 -g --rarog-threads=atomic
	run_rarog check O1/ O2/
	expect_status 3
	grep -qxE "rarog check: O1/ and O2/ cannot be compared: .*different flags of .*-O1.* and .*-O2.*; --force does it all the same" <<<"$errors" || fail "$errors"
	run_rarog check O1/ O2/ --force
	[[ $output == *"different flags of"* ]] || fail "$output"
	for other in every atomic; do
		run_rarog check O1/ $other/ --json
		expect_status 0
		! grep -q '"class": "\(Deg\|Opt\|Maybe\|Unk\|Not\)' <<<"$output" || fail "$output"
	done
}

# write_ticks: two threads (the argument 2) that count in one place; a fourth more with a file "more"
write_ticks() {
	cat >tick.c <<-'END'
		#include <pthread.h>
		#include <unistd.h>
		static volatile int sink;
		__attribute__((noinline)) void tick(void) { sink = 1; }
		void *work(void *unused)
		{
			for (long i = access("more", F_OK) == 0 ? 25000 : 20000; i > 0; i--)
				tick();
			return unused;
		}
		#ifndef LIBRARY
		int main(int argc, char **argv)
		{
			pthread_t other;
			(void)argv;
			if (argc > 1)
				pthread_create(&other, NULL, work, NULL);
			work(NULL);
			if (argc > 1)
				pthread_join(other, NULL);
		}
		#endif
	END
}

@test "relaxed counters of several threads are not exact, those of one thread are" {
	need_plugin
	write_ticks
	rarog cc -O2 -g --rarog-threads=relaxed -o tick tick.c -pthread
	run_rarog collect blocks -o before.rarog -- ./tick 2
	[[ $errors == *"warning: 3 shared: "* && $errors != *exact* ]] || fail "$errors"
	touch more
	rarog -q collect blocks -o after.rarog -- ./tick 2
	run_rarog check before.rarog after.rarog --json
	expect_status 0
	! grep -q '"class": "\(Deg\|Opt\)' <<<"$output" || fail "$output"
	grep -q '"class": "MaybeDeg' <<<"$output" || fail "$output"
	run_rarog show before.rarog
	[[ $output == *"LOST: 3 shared"* ]] || fail "$output"

	rm more
	run_rarog collect blocks -o before.rarog -- ./tick
	[[ $errors != *relaxed* && $errors == *", exact"* ]] || fail "$errors"
	touch more
	rarog -q collect blocks -o after.rarog -- ./tick
	run_rarog check before.rarog after.rarog
	expect_status 1
	for how in own atomic; do
		rarog cc -O2 --rarog-threads=$how -o "$how" tick.c -pthread
		run_rarog collect blocks -o "$how.rarog" -- "./$how" 2
		[[ $errors != *relaxed* && $errors == *", exact"* ]] || fail "$how: $errors"
	done
	# of a library only the program's own counters can tell that there was one thread
	rarog cc -O2 --rarog-threads=relaxed -DLIBRARY -fPIC -shared -o libtick.so tick.c
	echo 'void *work(void *); int main(void) { work(0); }' >user.c
	gcc -o plain user.c -L. -ltick -Wl,-rpath,"$PWD"
	rarog cc -o counted user.c -L. -ltick -Wl,-rpath,"$PWD"
	run_rarog collect blocks -o plain.rarog -- ./plain
	[[ $errors == *"warning: 2 shared: "* && $errors != *exact* ]] || fail "$errors"
	run_rarog collect blocks -o counted.rarog -- ./counted
	[[ $errors != *relaxed* && $errors == *", exact"* ]] || fail "$errors"
}

@test "damaged and cut-off profiles are refused in one line" {
	need_plugin
	write_program
	counted_at whole -O1 -g
	size=$(stat -c %s whole/run.1.rarog) refused=0
	head -c 200 whole/run.1.rarog >cut.rarog
	run_rarog check cut.rarog whole/run.2.rarog
	expect_status 3
	expect_error "rarog check: cut.rarog: cut off: what was run is missing; without it nothing is compared"
	for part in 60 80 99; do
		head -c $((size * part / 100)) whole/run.1.rarog >cut.rarog
		run_rarog check cut.rarog whole/run.2.rarog
		expect_status 3
		expect_error "rarog check: cut.rarog: cut off: counts are missing; without them nothing is compared"
	done
	for ((at = 100; at < 3 * size / 4; at += 200)); do
		cp whole/run.1.rarog damaged.rarog
		printf 'xxxx' | dd of=damaged.rarog bs=1 seek=$at conv=notrunc status=none
		run_rarog check damaged.rarog whole/run.2.rarog
		# a section that no check reads (machine code) may be damaged: the rest is compared, as instructions
		if [ "$status" -eq 0 ] && grep -q '^unchanged *instructions' <<<"$output"; then
			continue
		fi
		refused=$((refused + 1))
		expect_status 3
		[[ $errors == "rarog check: damaged.rarog: "*damaged* && $errors != *$'\n'* ]] || fail "$at: $errors"
	done
	[ "$refused" -ge 4 ] || fail "$refused refused"
}
