#!/usr/bin/env bats
# rarog collect --engine ebpf: calls seen by probes of the kernel, which needs root.

# shellcheck disable=SC2154 # variables of the helpers
load helper
load collect-helper

need_engine() {
	local known=$BATS_FILE_TMPDIR/engine
	[ -e "$known" ] || rarog doctor --json | python3 -c '
import json, sys
(row,) = [c for c in json.load(sys.stdin)["checks"] if c["what"] == "ebpf engine"]
print("" if row["verdict"] == "fine" else row["found"])' >"$known"
	[ -z "$(cat "$known")" ] || skip "needs the ebpf engine: $(cat "$known")"
}

# of_its_own PROGRAM…: the kernel's probes are in files, and in every process that runs them: also those of tests
# beside these
of_its_own() {
	local program
	for program; do
		cp "$(command -v "$program")" .
	done
}

# own_build: the test programs, of this file's tests alone
own_build() {
	local own=$BATS_FILE_TMPDIR/build
	[ -d "$own" ] || { mkdir "$own" && cp -a "$PROGRAMS" "$own/programs"; }
	echo "$own"
}

# counts FILE: "ADDRESS COUNT" of every function that was called, from rarog show --json
counts() {
	python3 -c '
import json, sys
for f in json.load(open(sys.argv[1]))["functions"]:
    if f["count"]:
        print(f["address"], f["count"])' "$1" | sort
}

# held: a program that says that it is there (file ready), waits for a word (fifo go), calls work()
# as often as it is told, says that it is done (file over), and waits for another word
write_held() {
	cat >held.c <<-'END'
		#include <fcntl.h>
		#include <stdlib.h>
		#include <unistd.h>
		__attribute__((noinline)) void work(void)
		{
			__asm__ volatile("push %%rbx; pop %%rbx" ::: "memory");
		}
		__attribute__((noinline)) void await(void)
		{
			char c;
			int fd = open("go", O_RDONLY);
			if (read(fd, &c, 1) != 1)
				abort();
			close(fd);
		}
		int main(int argc, char **argv)
		{
			close(creat("ready", 0600));
			await();
			for (long n = atol(argv[argc - 1]); n > 0; n--)
				work();
			close(creat("over", 0600));
			await();
			return 0;
		}
	END
	gcc -O1 -o held held.c
	mkfifo go
}

# links PID: numbers of the kernel's links that a process holds
links() {
	cat /proc/"$1"/fdinfo/* 2>/dev/null | awk '/^link_id:/ { print $2 }'
}

# none_left NUMBER…: none of these links is there any more
none_left() {
	bpftool -j link | python3 -c '
import json, sys
sys.exit(any(str(link["id"]) in sys.argv[1:] for link in json.load(sys.stdin)))' "$@"
}

@test "ebpf: programs that know their calls: recursion, threads, processes" {
	need_engine
	local RAROG_BUILD
	RAROG_BUILD=$(own_build)
	export RAROG_BUILD
	run "$conformance/run" --engine ebpf --jobs 1 "recursion fib" "threads short" \
		"process fork-main" "process exec" "clones vfork"
	[ "$status" -eq 0 ] || fail "$output"
	[[ $output != *refused* ]] || fail "$output"
	RAROG_ENGINE=ebpf run "$conformance/run" --jobs 1 "throw nested" "jump altstack"
	[ "$(grep -c 'ok.*refused: --engine=ebpf: .*--detail=count' <<<"$output")" -ge 2 ] || fail "$output"
}

@test "ebpf: counts of installed programs are inline's" {
	need_engine
	local words detail compared=0
	head -c 20000 "$BATS_TEST_FILENAME" >data
	cat >script <<-'AWK'
		{ n[$1]++ }
		END { for (i in n) sum += n[i] * length(i); print sum }
	AWK
	for words in "./bzip2 -kc data" "./gawk -f script data"; do
		of_its_own "$(basename "${words%% *}")" 2>/dev/null || continue
		# shellcheck disable=SC2086 # words
		rarog -q collect --detail=count -o inline.rarog -- $words >/dev/null
		rarog show -n 0 --json inline.rarog >inline.json
		for detail in count calls; do
			# shellcheck disable=SC2086 # words
			rarog -q collect --engine ebpf --detail=$detail -o ebpf.rarog -- $words >/dev/null
			rarog show -n 0 --json ebpf.rarog >ebpf.json
			counts inline.json >wanted
			counts ebpf.json | join - wanted | awk '{ print $1, $2 }' >got
			diff wanted got || fail "$words, $detail"
			compared=$((compared + $(wc -l <got)))
		done
	done
	[ "$compared" -gt 20 ] || fail "only $compared functions"
}

@test "ebpf: counts are callgrind's" {
	need_engine
	of_its_own "$PROGRAMS/recursion"
	"$oracle/callgrind-counts" -o wanted.txt ./recursion fib >/dev/null
	rarog -q collect --engine ebpf --detail=count -o p.rarog -- ./recursion fib >/dev/null
	rarog show -n 0 --json p.rarog >show.json
	python3 - <<-'END'
		import json
		shown = json.load(open("show.json"))
		left = {f["function"] for f in shown["header"]["kernel_probes"]["left_out"]}
		got = {f["address"]: f["count"] for f in shown["functions"] if f["count"]}
		want = {int(l.split()[0], 16): int(l.split()[1]) for l in open("wanted.txt") if l.split()[2] not in left}
		want = {a: n for a, n in want.items() if n}
		assert sum(want.values()) > 1000 and got == want, (got, want)
	END
}

@test "ebpf: what does not fit into the ring is counted, to the call" {
	need_engine
	local n=900000
	write_held
	"$RAROG" -q collect --engine ebpf --func work -o p.rarog -- ./held $n 3>&- &
	eventually 60 test -e ready
	kill -STOP $!
	echo >go
	eventually 60 test -e over
	kill -CONT $!
	echo >go
	wait $!
	rarog show --json p.rarog | python3 -c '
import json, sys
shown = json.load(sys.stdin)
lost = {l["what"].split(" (")[0]: l["count"] for l in shown["loss_list"]}
count = sum(f["count"] for f in shown["functions"])
assert lost["calls"] > 0 and count + lost["calls"] == int(sys.argv[1]), (count, lost)' $n
}

@test "ebpf: no probe stays behind, also when rarog is killed" {
	need_engine
	command -v bpftool >/dev/null || skip "needs bpftool"
	local pid how
	local -a held
	write_held
	for how in end kill; do
		rm -f ready over
		"$RAROG" -q collect --engine ebpf -o p.rarog -- ./held 10 3>&- &
		pid=$!
		eventually 60 test -e ready
		mapfile -t held < <(links $pid)
		[ ${#held[@]} -ge 4 ] || fail "${#held[@]} links while it runs"
		! none_left "${held[@]}" || fail "bpftool does not show them"
		[ $how = end ] || kill -KILL $pid
		echo >go
		eventually 60 test -e over # the program goes on
		echo >go
		wait $pid || [ $how = kill ]
		eventually 10 none_left "${held[@]}"
	done
}

# is_reading PID: has rarog, attached to a program, begun? Then one of its processes has probes and two
# threads.
is_reading() {
	local pid

	for pid in "$1" $(pgrep -P "$1"); do
		[ "$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)" -ge 2 ] &&
			[ -n "$(links "$pid")" ] && return
	done
	return 1
}

@test "ebpf: a program that runs already, and a static one" {
	need_engine
	write_held
	gcc -O1 -static -o held held.c
	./held 1234 3>&- &
	local program=$! pid
	eventually 60 test -e ready
	"$RAROG" -q collect --engine ebpf --func work --pid $program -o p.rarog 3>&- &
	pid=$!
	eventually 60 is_reading $pid
	echo >go
	eventually 60 test -e over
	echo >go
	wait $program
	wait $pid
	rarog show --json p.rarog | python3 -c '
import json, sys
assert [f["count"] for f in json.load(sys.stdin)["functions"] if f["name"] == "work"] == [1234]'
}

@test "ebpf: what cannot be done is said in one line" {
	need_engine
	run_rarog collect --engine ebpf -- ./nothing
	expect_status 127
	expect_error "rarog collect: ./nothing: not found"
	run_rarog collect --engine ebpf --libs -- true
	expect_status 125
	expect_error "rarog collect: --libs is not for --engine=ebpf; leave out either"
	printf '#!/bin/sh\n' >script
	chmod +x script
	run_rarog collect --engine ebpf -- ./script
	expect_status 125
	[[ $errors == *"./script is a script; name the programs that it runs by --binary=PATH" ]] || fail "$errors"
}

@test "ebpf: a running program's own file is probed, not what has its name by now" {
	need_engine
	write_held
	cp held runs
	./runs 7 3>&- &
	local program=$! engine
	eventually 60 test -e ready
	rm runs
	cp "$(type -P true)" runs
	"$RAROG" -q collect --engine ebpf --func work --pid $program -o p.rarog 3>&- &
	engine=$!
	eventually 60 is_reading $engine || fail "it does not measure"
	echo >go
	eventually 60 test -e over
	echo >go
	wait $program
	wait $engine
	rarog show --json p.rarog | python3 -c '
import json, sys
assert [f["count"] for f in json.load(sys.stdin)["functions"] if f["name"] == "work"] == [7]'
}

@test "ebpf: a program that ends at once has its command, and closed streams stay closed" {
	need_engine
	printf 'int main(void) { return 7; }\n' >short.c
	gcc -O1 -o short short.c
	for ((i = 0; i < 6; i++)); do
		run_rarog collect --engine ebpf -o p.rarog -- ./short a b
		expect_status 7
		[ "$(rarog show p.rarog | head -1)" = "./short a b" ] || fail "$(rarog show p.rarog)"
	done
	status=0
	rarog collect --engine ebpf -o p.rarog -- ./short <&- >&- 2>&- || status=$?
	expect_status 7
	rarog show --json p.rarog | python3 -c '
import json, sys
shown = json.load(sys.stdin)
assert shown["header"]["command"] == ["./short"] and shown["calls"] == 1, shown'
}

@test "ebpf: what looks at its stack, or is unwound, is refused unless only counted" {
	need_engine
	cat >cleans.c <<-'END'
		#include <pthread.h>
		#include <stdio.h>
		#include <unistd.h>
		static void leave(int *n)
		{
			printf("left %d\n", *n);
		}
		__attribute__((noinline)) void dive(int n)
		{
			__attribute__((cleanup(leave))) int x = n;
			while (n == 0)
				pause();
			dive(n - 1);
			x += n;
		}
		static void *run(void *argument)
		{
			dive(3);
			return argument;
		}
		int main(void)
		{
			pthread_t thread;
			pthread_create(&thread, NULL, run, NULL);
			pthread_cancel(thread);
			return pthread_join(thread, NULL);
		}
	END
	cat >looks.c <<-'END'
		#include <execinfo.h>
		#include <stdio.h>
		__attribute__((noinline)) int dive(int n)
		{
			void *frames[64];
			return (n ? dive(n - 1) : backtrace(frames, 64)) + 1;
		}
		int main(void)
		{
			return !printf("%d\n", dive(5));
		}
	END
	printf 'int main(void) { return 0; }\n' >plain.c
	gcc -O1 -fexceptions -o cleans cleans.c
	gcc -O1 -o looks looks.c
	gcc -O1 -pg -o profiled plain.c
	gcc -O1 -pg -static -s -o profiled-static plain.c
	gcc -O1 -static -o static plain.c
	local program
	for program in cleans looks profiled profiled-static; do
		./$program >wanted.txt
		run_rarog collect --engine ebpf -o p.rarog -- ./$program
		expect_status 125
		[[ $errors == "rarog collect: --engine=ebpf: "*"/$program "*", which return probes would break; --detail=count"* ]] ||
			fail "$errors"
		[ ! -e p.rarog ] || fail "$program was measured"
		rarog -q collect --engine ebpf --detail=count -o p.rarog -- ./$program >got.txt
		diff wanted.txt got.txt
		rm p.rarog
	done
	rarog -q collect --engine ebpf -o p.rarog -- ./static
}

@test "ebpf: refused where processes have numbers of their own" {
	need_engine
	local status=0
	unshare --pid --fork --mount-proc "$RAROG" collect --engine ebpf -- true 2>errors.txt || status=$?
	[ "$status" -eq 125 ] || fail "status $status"
	[ "$(cat errors.txt)" = "rarog collect: --engine=ebpf: processes have numbers of their own in this \
container (pid namespace); run rarog outside" ] || fail "$(cat errors.txt)"
}

@test "ebpf: without the right to load programs it says so, and doctor says what would help" {
	need_engine
	local without=-bpf,-sys_admin,-perfmon status=0
	setpriv --inh-caps "$without" --bounding-set "$without" "$RAROG" collect --engine ebpf -- true 2>errors.txt ||
		status=$?
	[ "$status" -eq 125 ] || fail "status $status"
	[ "$(cat errors.txt)" = "rarog collect: --engine=ebpf: the kernel lets this user load no programs; run as \
root, or with CAP_BPF and CAP_PERFMON" ] || fail "$(cat errors.txt)"
	setpriv --inh-caps "$without" --bounding-set "$without" "$RAROG" doctor --json >doctor.json || true
	python3 -c '
import json
(row,) = [c for c in json.load(open("doctor.json"))["checks"] if c["what"] == "ebpf engine"]
assert row["verdict"] == "limited" and row["remedy"], row'
}
