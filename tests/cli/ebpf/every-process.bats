#!/usr/bin/env bats
# rarog collect --engine ebpf --every-process: all processes of a file, whatever starts them. The programs write down
# their own calls, process by process.

load ../helper
load ../collect-helper
load ../ebpf-helper

# teller: writes "PID IMAGE CALLS OF work()" into the file "truth" for each process, and for each program that a
# process has been one after the other: what it has called since it was told to go.
write_teller() {
	program ebpf/teller -O1 -pthread "$@"
	sed 's/"truth"/"elsewhere"/' teller.c >stranger.c
	gcc -O1 -pthread "$@" -o stranger stranger.c
	mkfifo go
}

# told PROFILE: "PID IMAGES CALLS" of each process in the profile, of those that made calls of work()
told() {
	rarog export --format json "$1" | python3 -c '
import collections, json, sys
p = json.load(sys.stdin)
(work,) = [i for i, l in enumerate(p["locations"]) if l["name"] == "work"]
calls = collections.Counter()
for s in p["summaries"]:
    if s["location"] == work and s["strand"] is not None:
        calls[p["strands"][s["strand"]]["process"]] += s["count"]
assert calls.total() == sum(s["count"] for s in p["summaries"] if s["location"] == work and s["strand"] is None)
before = {}
for i, row in enumerate(p["processes"]):
    assert row["end_ticks"] >= row["start_ticks"], row
for row in sorted((p["processes"][i]["pid"], p["processes"][i]["start_ticks"], n) for i, n in calls.items()):
    print(row[0], row[2])'
}

# truth: the same from what the programs say; a process's programs are in the order in which it was them
truth() {
	sort -n -k1,1 -k2,2 truth | awk '{ print $1, $3 }'
}

teardown() {
	local pid
	for pid in $(ours); do
		kill -KILL "$pid" || true
	done
}

# waits_for_signals PID: then it has begun to measure
waits_for_signals() {
	find "/proc/$1/fd" -lname 'anon_inode:\[signalfd\]' 2>/dev/null | grep -q .
}

# measure OPTION…: every process of ./teller, in the background, when this returns it has begun
measure() {
	"$RAROG" -q collect --engine ebpf --every-process ./teller "$@" -o p.rarog 2>errors 3>&- &
	measuring=$!
	eventually 60 waits_for_signals $measuring || fail "$(cat errors)"
}

end_measure() {
	local status=0
	kill -TERM $measuring
	wait $measuring || status=$?
	[ $status = 0 ] || fail "status $status: $(cat errors)"
	[ ! -s errors ] || fail "$(cat errors)"
}

are_ready() {
	[ "$(wc -l <ready)" = "$1" ]
}

# run_tellers: three that run already, which are told to go, and three that others start
run_tellers() {
	local i
	for i in 1 2 3; do
		echo >go
	done
	for i in 1 2 3; do
		setsid ./teller 0 </dev/null >/dev/null 2>&1 3>&- &
		echo $! >>expected
	done
	# shellcheck disable=SC2046 # words
	wait $(cat expected)
}

@test "every process: those that run and those that start, by fork and by exec, each told apart" {
	need_engine
	local detail kind i
	for detail in calls summary; do
		for kind in -pie "-static"; do
			rm -f go ready truth expected elsewhere
			write_teller $kind
			touch ready
			for i in 1 2 3; do
				./teller 1 3>&- &
				echo $! >>expected
			done
			eventually 60 are_ready 3
			measure --detail=$detail
			run_tellers
			end_measure
			[ "$(wc -l <truth)" = 48 ] || fail "$(cat truth)"
			truth >wanted
			told p.rarog >seen
			diff wanted seen || fail "$detail"
		done
	done
	[ -s elsewhere ] # the other program has run, too
	rarog show p.rarog | head -1 | grep -qx "every process of $PWD/teller"
}

@test "every process: counts are the sum of all, whichever process" {
	need_engine
	local i
	write_teller
	touch ready
	for i in 1 2 3; do
		./teller 1 3>&- &
		echo $! >>expected
	done
	eventually 60 are_ready 3
	measure --detail=count --func work
	run_tellers
	end_measure
	truth | awk '{ n += $2 } END { print n }' >wanted
	rarog show --json p.rarog | python3 -c '
import json, sys
print(*(f["count"] for f in json.load(sys.stdin)["functions"] if f["name"] == "work"))' >seen
	diff wanted seen
}

@test "every process: calls that were open at the beginning are not in it, processes have their commands" {
	need_engine
	write_teller
	touch ready
	./teller 1 2 3>&- &
	local teller=$!
	eventually 60 are_ready 1
	measure
	echo >go
	wait $teller
	end_measure
	rarog show --json p.rarog | python3 -c '
import json, sys
assert {f["name"]: f["count"] for f in json.load(sys.stdin)["functions"] if f["count"]} == {"work": 143, "call": 3, "thread": 1, "tell": 1}' ||
		fail "$(rarog show p.rarog)"
	rarog export --format json p.rarog | python3 -c '
import json, sys
p = json.load(sys.stdin)
assert [row["command"] for row in p["processes"]] == ["./teller 1 2"], p["processes"]
assert p["header"]["every_process"]["processes"] == 1, p["header"]'
}

@test "every process: no probe stays when rarog is killed, and no program is harmed" {
	need_engine
	command -v bpftool >/dev/null || skip "needs bpftool"
	local how
	local -a held
	write_teller
	for how in TERM INT KILL; do
		: >ready
		./teller 1 2 3>&- &
		local teller=$!
		eventually 60 are_ready 1
		measure
		mapfile -t held < <(links $measuring)
		[ ${#held[@]} -ge 4 ] || fail "${#held[@]} links while it runs"
		! none_left "${held[@]}" || fail "bpftool does not show them"
		[ $how = INT ] || kill -$how $measuring # a process in the background ignores SIGINT
		[ $how != INT ] || kill -HUP $measuring
		wait $measuring || [ $how = KILL ]
		eventually 10 none_left "${held[@]}"
		echo >go
		wait $teller
	done
}

@test "every process: what begins while the probes go out does not end before" {
	need_engine
	program ebpf/forks -O1
	local i
	local -a forking
	for i in 1 2 3 4 5 6; do
		./forks 3>&- &
		forking+=($!)
	done
	for i in 1 2 3 4 5 6 7 8 9 10; do
		"$RAROG" -q collect --engine ebpf --every-process ./forks --duration 50ms -o p.rarog 3>&-
		rarog export --format json p.rarog >exported
		python3 - <<-'END' || break
			import json
			p = json.load(open("exported"))
			assert len(p["processes"]) > 6
			early = [row for row in p["processes"] + p["strands"] if row["end_ticks"] < row["start_ticks"]]
			assert not early, early
		END
	done
	kill "${forking[@]}"
	[ "$i" = 10 ] || fail "run $i"
	python3 -c 'import json; assert all(r["end_ticks"] >= r["start_ticks"] for r in json.load(open("exported"))["processes"])'
}

# fill_processes PID: no further process has room beside those that rarog PID measures now
fill_processes() {
	python3 - "$1" >filling <<-'END'
		import glob, re, sys
		for path in glob.glob(f"/proc/{sys.argv[1]}/fdinfo/*"):
		    map = dict(re.findall(r"^(\w+):\s*(\w+)$", open(path).read(), re.M))
		    if (map.get("map_type"), map.get("key_size"), map.get("value_size"), map.get("max_entries")) == ("1", "4", "4", "32768"):
		        break
		for pid in range(5000000, 5000000 + 32768): # no process has such a number
		    print("map update id", map["map_id"], "key hex", pid.to_bytes(4, "little").hex(" "), "value hex 02 00 00 00")
	END
	! bpftool batch file filling >/dev/null 2>full || fail "there is room for more"
	grep -q "Argument list too long" full || fail "$(cat full)"
}

# run_as PID COMMAND…: as the process of that number
run_as() {
	python3 - "$@" <<-'END'
		import os, sys
		pid = int(sys.argv[1])
		for attempt in range(1000): # others fork, too
		    open("/proc/sys/kernel/ns_last_pid", "w").write(str(pid - 1))
		    child = os.fork()
		    if child == 0 and os.getpid() == pid:
		        os.execv(sys.argv[2], sys.argv[2:])
		    if child == 0:
		        os._exit(0)
		    os.waitpid(child, 0)
		    if child == pid:
		        sys.exit(0)
		sys.exit("process %d is there all the time" % pid)
	END
}

@test "every process: one for which there is no room is listed, without its calls" {
	need_engine
	[ -w /proc/sys/kernel/ns_last_pid ] || skip "needs root"
	command -v bpftool >/dev/null || skip "needs bpftool"
	local detail waiting number status
	program ebpf/talker -o teller -O1
	mkfifo go
	for detail in calls summary count; do
		rm -f ready
		measure --detail=$detail --func work
		./teller 10 7
		./teller 20 900 ready <>go 3>&- &
		waiting=$!
		eventually 60 test -e ready
		fill_processes $measuring
		./teller 500 300
		./teller 200 3>&- &
		number=$!
		wait $number
		run_as $number ./teller 100 # another process, though of the same number
		echo >go # this one is measured, what it forks is not
		wait $waiting
		status=0
		kill -TERM $measuring
		wait $measuring || status=$?
		[ $status = 0 ] || fail "status $status: $(cat errors)"
		rarog show --json p.rarog | python3 -c '
import json, sys
show = json.load(sys.stdin)
assert show["loss_list"] == [{"what": "processes (too many at one time)", "count": 5}], show["loss_list"]
assert [f["count"] for f in show["functions"] if f["name"] == "work"] == [38], show["functions"]' || fail "$detail: $(cat errors)"
	done
}

# holds PID: it waits for room in the pipe that its standard error is
holds() {
	local number descriptor rest
	read -r number descriptor rest <"/proc/$1/syscall" && [ "$number $descriptor" = "1 0x2" ]
}

@test "every process: a file that is exchanged before the probes go out is not attached to" {
	need_engine
	local status=0 running reading reader pipe
	program ebpf/counts -O1
	gcc -O1 -DSECOND -o second counts.c
	mkfifo go pipe
	./counts <>go >first 3>&- &
	running=$!
	exec {pipe}<>pipe
	python3 -c '
import os
pipe = os.open("pipe", os.O_WRONLY | os.O_NONBLOCK)
for size in 4096, 1:
    try:
        while True:
            os.write(pipe, b"\n" * size)
    except BlockingIOError:
        pass'
	"$RAROG" collect --engine ebpf --every-process ./counts -o p.rarog 2>pipe 3>&- {pipe}>&- &
	measuring=$!
	eventually 60 holds $measuring
	mv second counts
	exec {reader}<pipe {pipe}>&-
	cat <&"$reader" >errors 3>&- &
	reading=$!
	exec {reader}<&-
	eventually 60 waits_for_signals $measuring || fail "$(cat errors)"
	echo >go
	wait $running
	echo | ./counts >second
	kill -TERM $measuring
	wait $measuring || status=$?
	wait $reading
	[ $status = 0 ] || fail "status $status: $(cat errors)"
	grep -q "functions are single-stepped" errors
	echo 1000 1000 | diff - first
	echo 1000 7001 | diff - second
	rarog export --format json p.rarog | python3 -c '
import json, sys
p = json.load(sys.stdin)
assert [row["pid"] for row in p["processes"]] == [int(sys.argv[1])], p["processes"]
(work,) = [i for i, l in enumerate(p["locations"]) if l["name"] == "work"]
assert sum(s["count"] for s in p["summaries"] if s["location"] == work and s["strand"] is None) == 1000' $running
}

@test "every process: of a name that is a link it is that name, of its functions that of the file" {
	need_engine
	write_teller
	mkdir bin
	mv teller bin/telling-tool
	ln -s telling-tool bin/teller
	PATH=$PWD/bin:$PATH works collect --engine ebpf --every-process teller --duration 100ms -o p.rarog
	[[ $errors == *"no process ran $PWD/bin/teller while it was measured"* ]] || fail "$errors"
	rarog show p.rarog | head -1 | grep -qx "every process of $PWD/bin/teller"
	rarog export --format json p.rarog | python3 -c '
import json, sys
p, here = json.load(sys.stdin), sys.argv[1]
assert p["header"]["every_process"]["file"] == here + "/bin/teller", p["header"]
assert p["header"]["command"] == [here + "/bin/teller"], p["header"]["command"]
assert [b["path"] for b in p["binaries"]] == [here + "/bin/telling-tool"], p["binaries"]' "$PWD"
	cd bin
	works -q collect --engine ebpf --every-process=./teller --duration 10ms
	[ -e teller.rarog ] || fail "$(ls)"
}

@test "every process: --duration, and no process that runs it" {
	need_engine
	write_teller
	works collect --engine ebpf --every-process=./teller --duration 100ms -o p.rarog
	[ "$(grep -c . <<<"$errors")" = 2 ] || fail "$errors"
	[[ $errors == *"no process ran $PWD/teller while it was measured"*"0 calls in "* ]] || fail "$errors"
	rarog show p.rarog | head -1 | grep -qx "every process of $PWD/teller"
}

@test "every process: of a library, which is counted in every process that has it mapped" {
	need_engine
	program ebpf/lib -o libonce.so -O1 -fPIC -shared -Wl,-soname,libonce.so.1
	program ebpf/opens-once -o uses -O1 -ldl
	local -a users
	says 125 "rarog collect: --engine=ebpf: $PWD/libonce.so is a library, and return probes may break programs that use it; \
--detail=count counts its calls" collect --engine ebpf --every-process=./libonce.so --duration 100ms -o p.rarog
	mkfifo now later
	./uses 1000 <now 3>&- &
	users=($!)
	./uses 300 later <later 3>&- &
	users+=($!)
	"$RAROG" -q collect --engine ebpf --every-process=./libonce.so --detail=count -o p.rarog 2>errors 3>&- &
	measuring=$!
	eventually 60 waits_for_signals $measuring || fail "$(cat errors)"
	echo >now
	echo >later
	echo | ./uses 7
	wait "${users[@]}"
	end_measure
	rarog show --json p.rarog | python3 -c '
import json, sys
assert {f["name"]: f["count"] for f in json.load(sys.stdin)["functions"] if f["count"]} == {"once": 1307}'
	rarog export --format json p.rarog | python3 -c '
import json, sys
assert len(json.load(sys.stdin)["processes"]) == 3'
}

# expect_usage TEXT: it was used wrongly, and says so in this line
expect_usage() {
	expect_status 125
	expect_error "$1"
}

@test "every process: what cannot be done is said in one line" {
	says 125 "rarog collect: --every-process=./nothing: No such file or directory" \
		collect --engine ebpf --every-process=./nothing
	echo text >text
	says 125 "rarog collect: $PWD/text: not an ELF file; give a program or shared library for x86-64" \
		collect --engine ebpf --every-process=text
	printf '#!/bin/sh\n' >script
	says 125 "rarog collect: $PWD/script: a script for /bin/sh, not an ELF program; name the program that it starts" \
		collect --engine ebpf --every-process=./script
	exits 125 collect --engine ebpf --every-process=.
	[ "$(wc -l <<<"$errors")" = 1 ] || fail "$errors"
	run_rarog collect --engine ebpf --every-process=
	expect_usage "rarog collect: --every-process needs a file"
	run_rarog collect --every-process=/bin/true
	expect_usage "rarog collect: --every-process is for rarog collect --engine ebpf"
	run_rarog collect --engine stap --every-process=/bin/true
	expect_usage "rarog collect: --every-process is for rarog collect --engine ebpf"
	run_rarog collect --engine ebpf --every-process=/bin/true -- /bin/true
	expect_usage "rarog collect: --every-process measures a program that runs already; leave out /bin/true"
	run_rarog collect --engine ebpf --every-process=/bin/true --pid 1
	expect_usage "rarog collect: --pid is one process, --every-process all of a file; leave out either"
	run_rarog collect --engine ebpf --every-process=/bin/true --every-process /bin/false
	expect_usage "rarog collect: --every-process measures one file; leave out /bin/false"
	run_rarog collect --engine ebpf --every-process=/bin/true --binary /bin/false
	expect_usage "rarog collect: --every-process says what is measured; leave out --binary"
	run_rarog collect --engine ebpf --every-process=/bin/true --no-follow
	expect_usage "rarog collect: --no-follow is for one process; leave it out with --every-process"
	run_rarog collect --engine ebpf --every-process=/bin/true --timeout 1s
	expect_usage "rarog collect: --timeout is for a program that rarog starts; leave it out with --every-process"
	run_rarog collect --duration 1s -- /bin/true
	expect_usage "rarog collect: --duration is for --pid and --every-process; --timeout ends a program that rarog starts"
	says 125 "rarog collect: --engine=ebpf: --every-process measures one file; leave out --libs (and --strategy all and a_sampled, which have it), or name the library instead" \
		collect --engine ebpf --every-process=/bin/true --libs
}
