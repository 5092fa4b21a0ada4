#!/usr/bin/env bats
# rarog collect sample: where a program is, by samples of the kernel.

load ../helper

# $1: why this machine cannot; nothing where it can
cannot_sample() {
	"$RAROG" collect sample -o try.rarog -- true 2>why.txt || tail -1 why.txt
}

# Beside the program's own work there is the start of a program, of which a slow machine has more.
rounds=$((40000 * ${RAROG_TIME_SCALE:-1}))

# Work in known shares: 5, 3 and 2 tenths of every round, of the same code. No two rounds in a row are of a
# length: rounds that take half of a sample's period would show the same function in every sample.
write_shares() {
	program sample/shares -O2 "$@"
}

# about NAME SHARE: of exclusive time in show.json. As many samples as there are let a share of a half
# deviate by 2.5 points once in three runs; five times that is never.
about() {
	rarog show --json p.rarog >show.json
	python3 - "$@" <<-'END'
		import json, math, sys
		profile = json.load(open("show.json"))
		name, share = sys.argv[1], float(sys.argv[2])
		found = sum(f["share"] or 0 for f in profile["functions"] if f["name"] == name)
		sigma = math.sqrt(share * (1 - share) / profile["samples"])
		assert abs(found - share) < 5 * sigma + 0.01, f"{name}: {found}, not {share} ({profile['samples']} samples)"
	END
}

# total NAME: its share of all samples, in percent
total() {
	rarog show --json p.rarog | python3 -c '
import json, sys
profile = json.load(sys.stdin)
print(100 * sum(f["samples"] for f in profile["functions"] if f["name"] == sys.argv[1]) // max(profile["samples"], 1))' "$1"
}

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	RAROG_CANNOT_TRACE=$(RAROG=$RAROG cannot_sample)
	export RAROG_CANNOT_TRACE
}

has_zombie() { # PARENT
	pgrep --parent "$1" --runstates Z >/dev/null
}

@test "shares of time are those of the work; calls are never told" {
	write_shares
	exits 3 collect sample -o p.rarog -- ./shares
	[[ $errors == "rarog: "*" samples of "*" CPU time in "*"; p.rarog ("*"), nothing lost" ]] || fail "$errors"
	about fifty 0.5
	about thirty 0.3
	about twenty 0.2
	[ "$(total outer)" -ge 95 ] || fail "outer: $(total outer) %"
	run_rarog show p.rarog
	[[ $output == *" samples at 997 Hz in "*"times are estimates from samples; calls are not counted"*samples* ]] || fail "$output"
	[[ $output != *"  calls  "* && $output != *" mean "* ]] || fail "$output"
	rarog show --json p.rarog | python3 -c '
import json, sys
p = json.load(sys.stdin)
assert p["calls"] is None and p["header"]["collector"] == "sample" and p["header"]["counts"] == "samples"
assert all(f["count"] is None and f["mean_ns"] is None for f in p["functions"])
cpu = p["header"]["totals"]["cpu_ns"]
assert abs(sum(f["exclusive_ns"] for f in p["functions"]) - cpu) < cpu / 100 + 1000, cpu'
}

@test "other views know that these are samples" {
	write_shares
	rarog --quiet collect sample --rate 3000 -o p.rarog -- ./shares 60000 || true
	run_rarog show --tree p.rarog
	[[ $output == *samples*"main"*"outer"*"fifty"* && $output != *"  calls  "* ]] || fail "$output"
	run_rarog show --callees outer p.rarog
	[[ $output == *"outer: "*" total, "*fifty* && $output != *calls,* ]] || fail "$output"
	exits 3 show --replay p.rarog
	[[ $errors == *"has samples, and no calls to replay"* ]] || fail "$errors"
	exits 2 show --sort mean p.rarog
	run_rarog export --format collapsed p.rarog
	[[ $output == *"main;outer;fifty "* ]] || fail "$output"
	exits 3 export --format chrome p.rarog
	[[ $errors == *"has samples, and chrome needs calls"* ]] || fail "$errors"
	rarog export --format callgrind p.rarog >c.out
	grep -q '^calls=0 ' c.out && ! grep -q '^calls=[1-9]' c.out
	rarog --quiet report -o r.html p.rarog
	grep -q hasSamples r.html
}

@test "frame pointers and unwind tables tell the same callers; none tells none" {
	write_shares -O0 # elsewhere compilers leave frame pointers out of what calls nothing
	for way in fp dwarf; do
		rarog --quiet collect sample --call-graph $way -o p.rarog -- ./shares $rounds || true
		[ "$(total outer)" -ge 95 ] || fail "$way: outer $(total outer) %"
		about fifty 0.5
	done
	rarog --quiet collect sample --call-graph none -o p.rarog -- ./shares $rounds || true
	[ "$(total outer)" -le 5 ] || fail "none: outer $(total outer) %"
	about fifty 0.5
}

@test "deep recursion: as much of the stack as is copied, and the rest is said to be missing" {
	program sample/deep -O2 -fno-optimize-sibling-calls
	rarog --quiet collect sample -o p.rarog -- ./deep 300
	[ "$(total main)" -ge 95 ] || fail "main: $(total main) %"
	rarog show --json --tree p.rarog | python3 -c '
import json, sys
assert max(n["depth"] for n in json.load(sys.stdin)["nodes"] if n["name"] == "work") > 300'
	run_rarog collect sample --stack-size 4096 -o p.rarog -- ./deep 100000
	[[ $errors == *"stacks are incomplete: a larger --stack-size copies more"* ]] || fail "$errors"
	[ "$(total main)" -le 5 ] || fail "main: $(total main) %"
	[ "$(total '[callers not copied]')" -ge 95 ]
	[ "$(total work)" -ge 95 ]
	run_rarog show p.rarog
	[[ $output == *"stacks were copied in part"* ]] || fail "$output"
}

@test "threads and children have their own samples" {
	program sample/thread-and-child -o many -O1 -pthread
	rarog --quiet collect sample -o p.rarog -- ./many
	about in_thread 0.5
	about in_child 0.25
	about in_main 0.25
	rarog show --json --by-thread p.rarog | python3 -c '
import json, sys
rows = {t["hottest"]: t for t in json.load(sys.stdin)["threads"]}
assert set(rows) == {"in_thread", "in_child", "in_main"}, rows
assert rows["in_thread"]["process"] == rows["in_main"]["process"] != rows["in_child"]["process"]
assert rows["in_thread"]["thread"] != rows["in_main"]["thread"]'
	rarog --quiet collect sample --no-follow -o p.rarog -- ./many
	about in_child 0
	[ "$(total in_thread)" -ge 50 ]
}

@test "a stripped program has names of MiniDebugInfo, or the bounds of its functions" {
	write_shares
	nm -D shares --format=posix --defined-only | awk '{ print $1 }' | sort >dynamic
	nm shares --format=posix --defined-only | awk '$2 ~ /[Tt]/ { print $1 }' | sort >all
	comm -13 dynamic all >keep
	objcopy --only-keep-debug shares debug
	objcopy -S --remove-section .gdb_index --remove-section .comment --keep-symbols=keep debug mini
	strip -s shares
	cp shares nameless
	xz -f mini
	objcopy --add-section .gnu_debugdata=mini.xz shares
	rarog --quiet collect sample -o p.rarog -- ./shares 60000 || true
	about fifty 0.5
	[ "$(total outer)" -ge 95 ]
	rarog --quiet collect sample -o p.rarog -- ./nameless 1000000 || true
	rarog show --json p.rarog | python3 -c '
import json, sys
names = [f for f in json.load(sys.stdin)["functions"] if (f["share"] or 0) > 0.1]
assert len(names) == 3 and all(f["name"].startswith("fn_") for f in names), names'
}

@test "generated code has the names of its perf map" {
	program sample/jit -O1
	map=$(rarog --quiet collect sample -o p.rarog -- ./jit)
	rm "$map"
	about made_long 0.75
	about made_short 0.25
}

@test "--pid: a process that runs, its threads, and it goes on" {
	write_shares
	./shares 7777 &
	pid=$!
	works collect sample --pid $pid --duration 400ms -o p.rarog
	kill -0 $pid
	kill $pid
	about fifty 0.5
	[ "$(total outer)" -ge 95 ]
	[ "$(rarog show --json p.rarog | python3 -c 'import json, sys; print(json.load(sys.stdin)["header"]["command"][0])')" = ./shares ]
	wait $pid || true
	exits 125 collect sample --pid $pid -o p.rarog
	[[ $errors == *"process $pid does not exist"* ]] || fail "$errors"
}

@test "--pid: the first thread has ended, the others go on; the program's file is gone" {
	program sample/first -g -O1 -pthread
	./first &
	pid=$!
	until grep -q '^State:.*Z' /proc/$pid/status; do sleep 0.01; done
	rm first
	works collect sample --pid $pid --duration 400ms -o p.rarog
	kill -0 $pid
	kill -KILL $pid
	about spin 1.0
	[ "$(rarog show --json p.rarog | python3 -c 'import json, sys; print(json.load(sys.stdin)["header"]["command"][0])')" = ./first ]
	wait $pid || true
}

@test "--off-cpu: waiting belongs to the function that waits" {
	program sample/wait -O1
	rarog --quiet collect sample --off-cpu -o p.rarog -- ./wait
	rarog show --json --tree p.rarog | python3 -c '
import json, sys
nodes = {n["name"]: n for n in json.load(sys.stdin)["nodes"]}
slept = nodes["sleeps"]["inclusive_ns"] - nodes["sleeps"]["inclusive_cpu_ns"]
assert 300000000 <= slept < 2000000000, slept
assert nodes["works"]["waited_ns"] == 0 and nodes["works"]["cpu_ns"] > 0, nodes["works"]'
	rarog --quiet collect sample -o p.rarog -- ./wait
	[ "$(total sleeps)" -le 5 ]
}

@test "--kernel names what runs there" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	rarog --quiet collect sample --kernel -o p.rarog -- dd if=/dev/zero of=/dev/null bs=1M count=3000 status=none
	rarog show --json --by-binary p.rarog | python3 -c '
import json, sys
assert {b["binary"]: b["share"] for b in json.load(sys.stdin)["binaries"]}["[kernel]"] > 0.5'
	rarog show --json p.rarog | grep -q '"name": ".*zero'
}

@test "a program that is killed, or stopped by --timeout, leaves what was sampled" {
	write_shares
	exits 124 collect sample --timeout 300ms -o p.rarog -- ./shares 7777
	about fifty 0.5
	run_rarog collect sample -o p.rarog -- sh -c './shares 20000; kill -9 $$'
	expect_status 137
	[ "$(total outer)" -ge 20 ]
}

@test "wrong usage and missing programs are said, with their exit codes" {
	exits 127 collect sample -o p.rarog -- ./not-there
	[ ! -e p.rarog ]
	exits 125 collect sample --rate 0 -- true
	exits 125 collect sample --func 'x*' -- true
	[[ $errors == *"--func is for rarog collect trace; sample looks at everything that runs"* ]] || fail "$errors"
	exits 125 collect --rate 99 -- true
	[[ $errors == *"--rate is for rarog collect sample"* ]] || fail "$errors"
	exits 125 collect blocks --pid 1
}

@test "a user whom the kernel does not show itself sees user mode, and is told" {
	[ "$(id -u)" = 0 ] || skip "needs root, to become another"
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ] || skip "perf_event_paranoid is not 2"
	cd "$(mktemp -d /tmp/rarog-user-XXXXXX)"
	chmod 777 .
	write_shares
	as_user() { HOME=$PWD XDG_CONFIG_HOME=$PWD TMPDIR=$PWD setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all "$@"; }
	run_as() { status=0 && errors=$(as_user "$RAROG" "$@" 2>&1) || status=$?; }
	as_user true 2>/dev/null || skip "cannot become another user"
	run_as collect sample -o p.rarog -- ./shares 100000
	[ "$status" = 3 ] || fail "$status: $errors"
	[[ $errors == *"time in it is missing; sysctl kernel.perf_event_paranoid=1 shows it"* ]] || fail "$errors"
	about fifty 0.5
	run_as collect sample --kernel -o p.rarog -- ./shares 1
	[ "$status" = 125 ]
	[[ $errors == *"--kernel: the kernel is not shown to you: root, or sysctl kernel.perf_event_paranoid=1 (it is 2), allows it" ]] || fail "$errors"
	rm -rf "$PWD"
}

# names_of PID: what rarog calls the functions of a program that runs for ever
names_of() {
	rarog --quiet collect sample --pid "$1" --duration 2s -o p.rarog
	rarog show --json p.rarog | python3 -c '
import json, sys
print(*sorted({f["name"] for f in json.load(sys.stdin)["functions"]}))'
}

@test "names are those of the file that runs, not of what has its name by now or elsewhere" {
	write_shares
	cp shares runs
	./runs 7777 3>&- &
	local program=$! names
	eventually 60 test /proc/$program/exe -ef runs
	rm runs
	names=$(names_of $program)
	[[ $names == *fifty* && $names != *outside* ]] || fail "without a name: $names"
	sed 's/fifty/other/' shares.c >other.c
	gcc -O2 -o runs other.c
	names=$(names_of $program)
	kill $program
	[[ $names == *fifty* && $names != *other* ]] || fail "with another one's name: $names"
	[ "$(id -u)" -eq 0 ] || skip "the rest needs root"
	unshare --mount sh -c 'mount --bind shares runs && exec ./runs 7777' 3>&- &
	program=$!
	eventually 60 test /proc/$program/exe -ef shares
	names=$(names_of $program)
	kill $program
	[[ $names == *fifty* && $names != *other* ]] || fail "inside: $names"
	# a library that is sampled long after it was mapped, and unwound when nobody can reach it any more
	echo 'volatile unsigned long sink; void late(long n) { while (n--) sink = sink * 3; }' >late.c
	sed 's/late(/not_late(/' late.c >not-late.c
	gcc -O2 -fPIC -shared -Wl,-soname,late.so -o inside.so late.c
	gcc -O2 -fPIC -shared -o late.so not-late.c
	program sample/uses -O2 -Wl,-rpath,"$PWD" inside.so
	rarog --quiet collect sample --call-graph=none -o p.rarog -- \
		unshare --mount sh -c 'mount --bind inside.so late.so && exec ./uses'
	names=$(rarog show --json p.rarog)
	[[ $names == *'"late"'* ]] || fail "has ended: $names"
	# … and one of a short life, while much else waits to be unwound
	sed 's/i < 300000000/i < 0/; s/late(300000000)/late(150000000)/' uses.c >short.c
	gcc -O2 -o short short.c -Wl,-rpath,"$PWD" inside.so
	rarog --quiet collect sample --rate 5000 -o p.rarog -- sh -c './shares 2000000;
		unshare --mount sh -c "mount --bind inside.so late.so && exec ./short"'
	names=$(rarog show --json p.rarog | grep -o '"name": "[a-z_]*"')
	[[ $names == *'"late"'* ]] || fail "behind others"
}

@test "sample: a program that is removed, or replaced, while it runs" {
	program sample/leaves -O2
	sed 's/works/other/g' leaves.c >other.c
	gcc -O2 -o other other.c
	names_in() { rarog show --json p.rarog | grep -o '"name": "[a-z_]*"'; }
	cp leaves once
	rarog --quiet collect sample -o p.rarog -- ./once
	[[ $(names_in) == *'"works"'* ]] || fail "removed: $(names_in)"
	cp leaves once
	rarog --quiet collect sample -o p.rarog -- ./once other
	[[ $(names_in) == *'"works"'* && $(names_in) != *'"other"'* ]] || fail "replaced: $(names_in)"
}

@test "sample: a process that has ended, and was not waited for, is said to have" {
	sh -c 'true & exec sleep 30' 3>&- & # sleep waits for nobody
	local parent=$! zombie
	eventually 60 has_zombie $parent
	zombie=$(pgrep --parent $parent --runstates Z)
	run_rarog collect sample --pid "$zombie"
	kill $parent
	expect_status 125
	expect_error "rarog collect: process $zombie has ended"
}
