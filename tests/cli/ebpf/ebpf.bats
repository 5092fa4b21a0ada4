#!/usr/bin/env bats
# rarog collect --engine ebpf: calls seen by probes of the kernel, which needs root.

load ../helper
load ../collect-helper
load ../ebpf-helper

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
	program ebpf/held -O1
	mkfifo go
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
		rarog -q collect --detail=count -o inline.rarog -- $words >/dev/null
		rarog show -n 0 --json inline.rarog >inline.json
		for detail in count calls summary; do
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

# peeks: calls of peek(), then what is lost, of p.rarog
peeks() {
	rarog show -n 0 --json p.rarog | python3 -c '
import json, sys
shown = json.load(sys.stdin)
print(sum(f["count"] for f in shown["functions"] if f["name"] == "peek"),
      *[str(loss["count"]) + " " + loss["what"] for loss in shown["loss_list"]], sep="; ")'
}

@test "ebpf: a call that faults before its probe is counted, or told" {
	need_engine
	program ebpf/faults -O1
	local detail perhaps="calls, perhaps (the program has handled a fault before their probe)"
	for detail in count calls summary; do
		status=0
		rarog -q collect --engine ebpf --debug=site --detail=$detail -o p.rarog -- ./faults 2>site || status=$?
		[ "$status" -eq 139 ] || fail "status $status"
		! grep -q "peek is single-stepped" site || fail "peek() is probed at its entry"
		if [ "$detail" = summary ]; then
			[ "$(peeks)" = "5; 1 calls (the program crashed before their probe)" ] || fail "$(peeks)"
		else
			[ "$(peeks)" = 6 ] || fail "$detail: $(peeks)"
		fi
		rarog -q collect --engine ebpf --detail=$detail -o p.rarog -- ./faults jump
		[ "$(peeks)" = "5; 3 $perhaps" ] || fail "$detail, left: $(peeks)"
		rarog -q collect --engine ebpf --detail=$detail -o p.rarog -- ./faults mend
		[ "$(peeks)" = "6; 1 $perhaps" ] || fail "$detail, mended: $(peeks)"
	done
}

# peeks made: calls that are counted or lost, of 300 that fault while other threads change the map of the memory
write_busy() {
	take ebpf/peek.c
	take ebpf/busy.c
	gcc -O1 -o busy busy.c peek.c -pthread
	gcc -O1 -fPIC -shared -o libpeek.so peek.c
	gcc -O1 -o busy-lib busy.c -L. -lpeek -Wl,-rpath,"$PWD" -pthread
}

@test "ebpf: calls that fault while the map of the memory changes are counted or lost, each once" {
	need_engine
	write_busy
	local detail perhaps="calls, perhaps (the program has handled a fault before their probe)"
	for detail in count calls; do
		rarog -q collect --engine ebpf --func peek --detail=$detail -o p.rarog -- ./busy
		[ "$(peeks)" = "0; 300 $perhaps" ] || fail "$detail: $(peeks)"
		run_rarog show p.rarog
		[[ $output == *"LOST: 300 $perhaps; counts and times below may be too low"* ]] || fail "$output"
		rarog -q collect --engine ebpf --libs --no-follow --func peek --detail=$detail -o p.rarog -- ./busy-lib
		peeks | python3 -c '
import re, sys
told = sys.stdin.read()
numbers = [int(n) for n in re.findall(r"(?:^|; )(\d+)", told)]
assert sum(numbers) == 300 and "perhaps" in told, told' || fail "$detail: a library"
	done
}

@test "ebpf: a handler without room on the stack is one call that crashed" {
	need_engine
	program ebpf/deep -O1
	status=0
	rarog -q collect --engine ebpf --func deepen --detail=count -o p.rarog -- ./deep || status=$?
	[ "$status" -eq 139 ] || fail "status $status"
	rarog show -n 0 --json p.rarog | python3 -c '
import json, struct, sys
shown = json.load(sys.stdin)
(made,) = struct.unpack("q", open("made", "rb").read(8))
counts = [f["count"] for f in shown["functions"] if f["name"] == "deepen"]
assert made > 1000 and counts == [made] and shown["loss_list"] == [], (made, counts, shown["loss_list"])'
}

@test "ebpf: what is captured is what it was at the entry" {
	need_engine
	program ebpf/captured -O1 -g
	local engine
	for engine in inline ebpf; do
		rarog -q collect --engine $engine --arg 'change:p->first' --arg change:by -o p.rarog -- ./captured
		rarog show -n 0 --json p.rarog | python3 -c '
import json, sys
for a in json.load(sys.stdin)["arguments"]:
    print(a["argument"], a["count"], a["unknown"], a["min"], a["max"])' | sort >$engine.txt
	done
	printf '%s\n' 'by 4 0 0 30' 'p->first 4 0 0 20' >wanted.txt
	diff wanted.txt inline.txt
	diff wanted.txt ebpf.txt
}

@test "ebpf: counts are callgrind's" {
	need_engine
	of_its_own "$PROGRAMS/recursion"
	local detail
	"$oracle/callgrind-counts" -o wanted.txt ./recursion fib >/dev/null
	for detail in count summary; do
		rarog -q collect --engine ebpf --detail=$detail -o p.rarog -- ./recursion fib >/dev/null
		rarog show -n 0 --json p.rarog >$detail.json
	done
	python3 - <<-'END'
		import json
		for detail in "count", "summary":
		    shown = json.load(open(detail + ".json"))
		    left = {f["function"] for f in shown["header"]["kernel_probes"]["left_out"]}
		    got = {f["address"]: f["count"] for f in shown["functions"] if f["count"]}
		    want = {int(l.split()[0], 16): int(l.split()[1]) for l in open("wanted.txt") if l.split()[2] not in left}
		    want = {a: n for a, n in want.items() if n}
		    assert sum(want.values()) > 1000 and got == want, (detail, got, want)
	END
}

@test "ebpf: sums made in the kernel are those of events" {
	need_engine
	local detail
	program ebpf/mixed -O1 -foptimize-sibling-calls -fno-inline -lpthread
	for detail in calls summary; do
		rarog -q collect --engine ebpf --detail=$detail -o p.rarog -- ./mixed
		rarog show -n 0 --json p.rarog >$detail.json
		rarog show --tree --json p.rarog >$detail-tree.json
	done
	python3 - <<-'END'
		import collections, json
		def load(detail):
		    shown, tree = json.load(open(detail + ".json")), json.load(open(detail + "-tree.json"))["nodes"]
		    nodes, paths = {n["id"]: n for n in tree}, collections.Counter()
		    for node in tree:
		        at, path = node, []
		        while at:
		            path.append(at["name"])
		            at = nodes.get(at["parent"])
		        paths[tuple(path)] += node["count"]
		    counts = {f["name"]: (f["count"], f["unwound"], f["timed"]) for f in shown["functions"]}
		    return shown, counts, +paths
		calls, counts, paths = load("calls")
		sums, counts_2, paths_2 = load("summary")
		assert calls["header"]["kernel_probes"]["calls"] == "told one by one", calls
		assert sums["header"]["kernel_probes"]["calls"] == "summed up in the kernel", sums
		assert counts == counts_2 and counts["leap"][:2] == (10, 6) and not sums["loss_list"], (counts, counts_2)
		assert paths == paths_2 and len(paths) > 20, paths - paths_2
		by_name = {f["name"]: f for f in sums["functions"]}
		for f in sums["functions"]:
		    assert 0 < f["min_ns"] <= f["mean_ns"] <= f["max_ns"] <= f["total_ns"] or f["count"] == 0, f
		    assert f["exclusive_ns"] <= f["total_ns"] and f["min_ns"] * .96 <= f["p50_ns"] <= f["max_ns"] * 1.04, f
		own = sum(f["exclusive_ns"] for f in sums["functions"])
		roots = by_name["main"]["total_ns"] + by_name["work"]["total_ns"]
		assert roots * .99 <= own <= roots * 1.01, (own, roots)
	END
}

@test "ebpf: sums of a program that goes on have the calls that are open" {
	need_engine
	local program pid
	write_held
	./held 77 3>&- &
	program=$!
	eventually 60 test -e ready
	"$RAROG" -q collect --engine ebpf --detail=summary --func work --func await --pid $program -o p.rarog 3>&- &
	pid=$!
	eventually 60 is_reading $pid
	echo >go
	eventually 60 test -e over
	kill -TERM $pid # in the second await()
	wait $pid || true
	echo >go
	wait $program
	rarog show --json p.rarog | python3 -c '
import json, sys
got = {f["name"]: (f["count"], f["open"], f["total_ns"] > 0) for f in json.load(sys.stdin)["functions"]}
assert got == {"work": (77, 0, True), "await": (1, 1, True)}, got'
}

@test "ebpf: every N-th call of each function and thread, told or summed up, as inline" {
	need_engine
	local every detail
	program ebpf/mixed -O1 -foptimize-sibling-calls -fno-inline -lpthread
	for every in 3 7; do
		rarog -q collect -g $every -x leap -o p.rarog -- ./mixed
		rarog show -n 0 --json p.rarog >inline.json
		for detail in calls summary; do
			rarog -q collect --engine ebpf -g $every -x leap --detail=$detail -o p.rarog -- ./mixed
			rarog show -n 0 --json p.rarog | python3 -c '
import json, sys
rows = [{f["name"]: (f["count"], f["timed"]) for f in json.load(stream)["functions"]}
        for stream in (sys.stdin, open("inline.json"))]
assert rows[0] == rows[1] and rows[0]["fib"][0] > 2 * rows[0]["fib"][1] > 0, rows' || fail "$every $detail"
		done
	done
	rarog -q collect --engine ebpf --func "fib#5" --func even -o p.rarog -- ./mixed
	rarog show --json p.rarog | python3 -c '
import json, sys
got = {f["name"]: f["count"] / f["timed"] for f in json.load(sys.stdin)["functions"]}
assert got["even"] == 1 and 3 < got["fib"] <= 5, got'
}

@test "ebpf: arguments and results are inline's; what is in vector registers stays unread" {
	need_engine
	program ebpf/values -O2 -g
	local -a options=(--args all --arg "walk:l->length" --arg "walk:l->next->part" --arg "make:return->length")
	local name engine
	for name in narrow wide text real walk make last jump odd; do
		options+=(--ret "$name")
	done
	./values >wanted.txt
	for engine in inline ebpf; do
		# addresses are the same in both
		setarch -R "$RAROG" collect --engine $engine "${options[@]}" -o p.rarog -- ./values >got.txt 2>$engine.err
		diff wanted.txt got.txt
		rarog show -n 0 --json p.rarog >$engine.json
	done
	grep -q "values: 3 values in vector registers (float, double), which programs in the kernel cannot see, \
stay unread; --engine=inline captures them$" ebpf.err || fail "$(cat ebpf.err)"
	python3 - <<-'END'
		import json
		keys = "type", "kind", "is_return", "count", "unknown", "min", "max", "mean"
		def load(name):
		    return {(a["mangled"], a["argument"]): [a.get(k) for k in keys] for a in json.load(open(name + ".json"))["arguments"]}
		inline, ebpf = load("inline"), load("ebpf")
		vectors = {("real", "x"), ("real", "y"), ("real", "return")}
		assert set(inline) == set(ebpf) and len(inline) > 30, (inline, ebpf)
		for key, row in inline.items():
		    if key in vectors:
		        assert ebpf[key][3:5] == [0, row[3]], ebpf[key]
		    else:
		        assert ebpf[key] == row, (key, row, ebpf[key])
		assert inline["jump", "return"][5:7] == [-117, 120] and inline["text", "s"][3:5] == [54, 28], inline
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

@test "ebpf: no probe stays when rarog is killed" {
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

@test "ebpf: a process that ends before it is measured is said to have ended" {
	need_engine
	gcc -O1 -static -x c -o ends - <<<'#include <unistd.h>
		int main(void) { return pause(); }'
	local pid rarog status try
	for ((try = 0; try < 20; try++)); do
		./ends 3>&- &
		pid=$!
		disown
		"$RAROG" collect --engine ebpf --pid $pid --duration 3s -o p.rarog 2>said 3>&- &
		rarog=$!
		# what follows processes comes first, then the probes of this one
		until [ -n "$(for holder in $rarog $(pgrep --parent $rarog); do links "$holder"; done)" ] || ! kill -0 $rarog; do :; done
		kill -KILL $pid
		status=0
		wait $rarog || status=$?
		[ -e p.rarog ] || break
		rm p.rarog # we were too late: it was measured
	done
	[ "$status" = 125 ] || fail "status $status: $(cat said)"
	[ "$(grep -v '^rarog: warning: .* single-stepped' said)" = "rarog collect: process $pid has ended" ] || fail "$(cat said)"
}

@test "ebpf: a library of the program's own, counted and recorded as by inline" {
	need_engine
	program ebpf/twice -o libtwice.so -O1 -g -fPIC -shared
	program ebpf/uses -O1 -g -L. -ltwice -Wl,-rpath,"$PWD"
	local detail
	for detail in count calls summary; do
		rarog -q collect --engine ebpf --libs --no-follow --func once --func twice --func main --detail=$detail \
			-o p.rarog -- ./uses
		rarog show -n 0 --json p.rarog | python3 -c '
import json, sys
got = {(f["name"], f["binary"].split("/")[-1]): f["count"] for f in json.load(sys.stdin)["functions"] if f["count"]}
assert got == {("main", "uses"): 1, ("twice", "libtwice.so"): 123, ("once", "libtwice.so"): 246}, got'
	done
}

@test "ebpf: what cannot be done is said in one line" {
	need_engine
	says 127 "rarog collect: ./nothing: not found" collect --engine ebpf -- ./nothing
	says 125 "rarog collect: --engine=ebpf: probes in libraries would be in every process of this machine; \
--no-follow puts them into the program alone" collect --engine ebpf --libs -- true
	printf '#!/bin/sh\n' >script
	chmod +x script
	exits 125 collect --engine ebpf -- ./script
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
		exits 7 collect --engine ebpf -o p.rarog -- ./short a b
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
	printf 'int main(void) { return 0; }\n' >plain.c
	program ebpf/cleans -O1 -fexceptions
	program ebpf/looks -O1
	gcc -O1 -pg -o profiled plain.c
	gcc -O1 -pg -static -s -o profiled-static plain.c
	gcc -O1 -static -o static plain.c
	local program
	for program in cleans looks profiled profiled-static; do
		./$program >wanted.txt
		exits 125 collect --engine ebpf -o p.rarog -- ./$program
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

@test "ebpf: a kernel that does not tell its types: one line" {
	need_engine
	unshare -m true || skip "no name spaces here"
	local status=0
	unshare -m sh -c 'mount -t tmpfs none /sys/kernel/btf && exec "$@"' - "$RAROG" collect --engine ebpf -- true \
		2>errors.txt || status=$?
	[ "$status" -eq 125 ] || fail "status $status"
	[ "$(cat errors.txt)" = "rarog collect: --engine=ebpf: the kernel does not tell its types \
(/sys/kernel/btf/vmlinux); it needs CONFIG_DEBUG_INFO_BTF" ] || fail "$(cat errors.txt)"
}

@test "ebpf: a limit of open files is raised for rarog alone, and named where it cannot be" {
	need_engine
	of_its_own bash
	local status=0
	(ulimit -Sn 30 && run_rarog -q collect --engine ebpf --detail=count -o p.rarog -- ./bash -c 'ulimit -Sn' &&
		[ "$status $output" = "0 30" ]) || fail "with a soft limit"
	(ulimit -n 30 && exec "$RAROG" collect --engine ebpf -- true) 2>errors.txt || status=$?
	[ "$status" -eq 125 ] || fail "status $status"
	[ "$(cat errors.txt)" = "rarog collect: --engine=ebpf: rarog may have 30 files open at most, which is too \
few for the programs in the kernel; raise it with ulimit -n" ] || fail "$(cat errors.txt)"
	of_doctor() { jq -r '.checks[] | select(.what == "ebpf engine") | "\(.verdict): \(.found)"'; }
	(ulimit -Sn 30 && { rarog doctor --json || [ $? -eq 3 ]; }) | of_doctor >doctor.txt
	grep -q '^fine' doctor.txt || fail "doctor with a soft limit: $(cat doctor.txt)"
	(ulimit -n 30 && { rarog doctor --json || [ $? -eq 3 ]; }) | of_doctor >doctor.txt
	grep -q '^limited: .*may have 30 files open at most' doctor.txt || fail "doctor: $(cat doctor.txt)"
}

@test "ebpf: the help names the helper, and does not ask for root" {
	rarog collect --help >help.txt
	[ "$(grep -c 'needs root' help.txt)" = 0 ] || fail "$(grep 'needs root' help.txt)"
	tr -s ' \n' ' ' <help.txt | grep -q 'rarog-ebpf-helper' || fail "the helper is not named"
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

@test "what was called often enough is switched off in the kernel, and the profile says so" {
	cat >hot.c <<-'END'
		#include <stdlib.h>
		#include <unistd.h>
		#define N __attribute__((noinline, noclone, noipa))
		static volatile int sink;
		N int hot(int x) { sink += x; return sink; }
		N int seldom(int x) { sink -= x; return sink; }
		int main(int c, char **v)
		{
		        /* hot, until nobody looks any more, and as often again */
		        for (int i = 0; i < 2000; i++)
		                hot(i);
		        sleep(atoi(v[1]));
		        for (int i = 0; i < 2000; i++)
		                hot(i);
		        return seldom(c) == 3;
		}
	END
	gcc -O2 -g hot.c -o hot
	for detail in calls summary; do
		works collect --engine ebpf --on dynamic-probing --opt probing-threshold=1000 --detail $detail -o p.rarog ./hot "$(scaled 3)"
		rarog show --json p.rarog | python3 -c '
import json, sys
d = json.load(sys.stdin)
of = {f["name"]: f["count"] for f in d["functions"]}
assert 1000 <= of["hot"] < 4000, of
assert of["main"] == of["seldom"] == 1, of
assert d["header"]["dynamic_probing"] == {"threshold": 1000, "reattach": False, "changes": 1}'
		works show p.rarog
		[[ "$output" == *"off at times, so there were at least as many calls"*hot* ]]
	done
}
