#!/usr/bin/env bats
# The options of `rarog collect` that are not about what is measured: names, output, repeating, what
# would happen, bug reports.

load ../helper
load ../collect-helper

# on_terminal COMMAND…: with a pseudo-terminal as stdin, stdout and stderr; leaves terminal.out
on_terminal() {
	script -qec "$(printf '%q ' "$@")" /dev/null >terminal.out </dev/null 3>&-
}

teardown() {
	umount "$BATS_TEST_TMPDIR/tiny" 2>/dev/null || true
}

@test "without -o the profile is PROG.rarog here, and an older one is kept" {
	works collect -- "$PROGRAMS/leaf"
	[[ $errors == *"leaf.rarog"* ]] || fail "no summary: $errors"
	[ -f leaf.rarog ] && [ ! -e leaf.rarog.old ]
	first=$(sha256sum <leaf.rarog)
	works collect -- "$PROGRAMS/leaf"
	[ "$(sha256sum <leaf.rarog.old)" = "$first" ] || fail "the older profile was not kept"
	run_rarog collect -- ./no-such-program
	[ "$(sha256sum <leaf.rarog.old)" = "$first" ]
}

@test "a chosen name is overwritten, nothing else appears" {
	run_rarog collect --profile p.rarog -- "$PROGRAMS/leaf"
	works collect -o p.rarog -- "$PROGRAMS/leaf"
	[ "$(ls)" = "$(printf '%s\n' errors.txt p.rarog)" ] || fail "there is: $(ls)"
}

@test "--output=suppress" {
	run_rarog --quiet collect -o p.rarog --output suppress -- sh -c 'echo out; echo err >&2; exit 3'
	expect_status 3
	[ -z "$output$errors" ] || fail "printed: $output $errors"
}

@test "--output=capture: file and both streams, in order" {
	"$RAROG" --quiet collect -o p.rarog --output capture -- \
		sh -c 'for i in 1 2 3 4; do echo out $i; echo err $i >&2; done' >both.txt 2>&1
	printf '%s\n' "out 1" "err 1" "out 2" "err 2" "out 3" "err 3" "out 4" "err 4" | diff - both.txt >&2
	diff both.txt p.rarog.out >&2
	run_rarog --quiet collect -o p.rarog --output capture --capture copy -- sh -c 'echo out; echo err >&2; exit 4'
	expect_status 4
	[ "$output" = out ] && [ "$errors" = err ]
	[ "$(sort copy)" = "$(printf 'err\nout')" ]
}

@test "--output=capture: every byte of a lot" {
	size=$(long 300 5000)
	"$RAROG" --quiet collect -o p.rarog --output capture -- head -c "${size}M" /dev/zero | cksum >seen
	head -c "${size}M" /dev/zero | cksum | diff - seen >&2 || fail "not everything came through"
	cksum <p.rarog.out | diff - seen >&2 || fail "not everything was captured"
	rm p.rarog.out
}

@test "--output=capture: children that go on do not hold it" {
	touch .began
	start=$SECONDS
	run_rarog --quiet collect -o p.rarog --no-follow --output capture -- \
		sh -c "sleep $(scaled 30) & echo \$! >pid; echo done"
	kill "$(cat pid)"
	expect_status 0
	[ "$output" = "done" ] && [ "$(cat p.rarog.out)" = "done" ]
	[ $((SECONDS - start)) -lt "$(scaled 15)" ] || fail "waited for a child left behind"
}

@test "--output=capture: the reader goes away, the program gets its SIGPIPE" {
	{
		code=0
		timeout "$(scaled 20)" "$RAROG" --quiet collect -o p.rarog --output capture -- yes || code=$?
		echo "$code" >status
	} 2>/dev/null | head -n 1 >out
	[ "$(cat status)" -eq 141 ] || fail "status $(cat status)"
}

@test "--output=capture: a terminal stays a terminal" {
	on_terminal "$RAROG" --quiet collect -o p.rarog --output capture -- \
		sh -c 'test -t 1 && test -t 2 && echo terminal; stty size <&1 >/dev/null && echo sized'
	grep -q terminal terminal.out || fail "no terminal for the program: $(cat terminal.out)"
	printf 'terminal\nsized\n' | diff - p.rarog.out >&2
	"$RAROG" --quiet collect -o p.rarog --output capture -- sh -c 'test -t 1 || echo pipe' | grep -q pipe
}

@test "--output=capture: a file that cannot be written is told before the program runs" {
	exits 125 collect -o p.rarog --output capture --capture no/such/folder/out -- touch ran
	[[ $errors == *no/such/folder/out* ]] || fail "$errors"
	[ "$(wc -l <errors.txt)" -eq 1 ] && [ ! -e ran ] && [ ! -e p.rarog ]
	exits 127 collect -o p.rarog --output capture -- ./no-such-program
	[ ! -e p.rarog.out ] || fail "output of nothing"
	exits 125 collect -o p.rarog --capture out -- touch ran
	[ ! -e ran ]
}

@test "--output=capture onto a full disk: all is seen, the loss is told" {
	[ -w /dev/full ] || skip "no /dev/full"
	works collect -o p.rarog --output capture --capture /dev/full -- "$PROGRAMS/leaf"
	[[ $output == *"expect leaf 30000"* ]] || fail "output lost: $output"
	[[ $errors == *"/dev/full"*"not complete"* ]] || fail "not told: $errors"
}

# ignoring_children COMMAND...: as some programs leave it to those that they start
ignoring_children() {
	timeout -k 1 "$(scaled 60)" python3 -c 'import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])' "$@"
}

@test "ends of children are seen though SIGCHLD was ignored, and the program finds it ignored" {
	output=$(ignoring_children "$RAROG" --quiet collect -o p.rarog --warmup 1 -- \
		grep SigIgn /proc/self/status)
	[ "$(wc -l <<<"$output")" -eq 2 ] || fail "$output"
	while read -r _ mask; do
		((0x$mask >> 16 & 1)) || fail "not ignored: $output"
	done <<<"$output"
}

@test "git is asked though SIGCHLD was ignored" {
	git init -q .
	git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one
	"$RAROG" --quiet init
	output=$(ignoring_children "$RAROG" --quiet collect -- "$PROGRAMS/leaf" 2>&1)
	[[ $output != *"going on without"* ]] || fail "$output"
	output=$(ignoring_children "$RAROG" log 2>&1) || fail "$output"
	[[ $output == *one* ]] || fail "$output"
}

@test "--repeat and --warmup: numbered profiles, warm-ups unmeasured" {
	run_rarog collect -o p.rarog --repeat 3 --warmup 2 -- sh -c 'echo run >>runs; cat' <<<"input"
	expect_status 0
	[ "$(wc -l <runs)" -eq 5 ] || fail "$(wc -l <runs) runs"
	[ "$(ls ./*.rarog)" = "$(printf '%s\n' ./p.1.rarog ./p.2.rarog ./p.3.rarog)" ] || fail "$(ls)"
	printf 'input\n' >file
	output=$("$RAROG" --quiet collect -o q --repeat 2 -- cat <file)
	[ "$output" = "$(printf 'input\ninput')" ] || fail "the second run read: $output"
	[ -f q.1 ] && [ -f q.2 ]
}

@test "--repeat goes on after a failure and returns the first status" {
	run_rarog --quiet collect -o p.rarog --repeat 3 -- \
		sh -c 'n=$(cat n 2>/dev/null || echo 0); n=$((n + 1)); echo $n >n; [ $n -lt 2 ] || exit 1$n'
	expect_status 12
	[ "$(cat n)" -eq 3 ]
}

@test "--porcelain: the names of the profiles, one a line" {
	"$RAROG" --quiet collect -o p.rarog --repeat 2 --porcelain 5 -- true 5>names
	printf 'p.1.rarog\np.2.rarog\n' | diff - names >&2
	exits 125 collect --porcelain 9 -- touch ran 9>&-
	[ ! -e ran ] || fail "the program ran"
}

@test "a pattern that means nothing: a warning with near names" {
	works collect -o p.rarog --func inne -- "$PROGRAMS/leaf"
	[[ $errors == *"no function is called inne; did you mean inner"* ]] || fail "$errors"
	works collect -o p.rarog --within outr -- "$PROGRAMS/leaf"
	[[ $errors == *"no function is called outr; did you mean outer"* ]] || fail "$errors"
	for option in --within --not-below; do
		exits 125 collect "$option" outer#3 -o p.rarog -- "$PROGRAMS/leaf"
		[[ $errors == *"need every call of their function; leave out #3 of outer#3"* ]] || fail "$errors"
	done
}

@test "a name that is not in the file that LIB# names: one line, and the rest is measured" {
	works collect -o p.rarog --func 'libc*#inner' --func 'leaf#outer' --func 'leaf#o*' -- "$PROGRAMS/leaf"
	[[ $errors == *"libc*#inner: no file that is measured is called so; libraries need --libs"* ]] || fail "$errors"
	[[ $errors != *"o*"* ]] || fail "a pattern that another one has left nothing: $errors"
	rarog show p.rarog | grep -q outer
	works collect --libs -o p.rarog --func 'libc*#inner' --func 'leaf#outer' -- "$PROGRAMS/leaf"
	[[ $errors == *"libc*#inner: there is nothing of that name in that file"* ]] || fail "$errors"
	rarog show p.rarog | grep -q outer
}

@test "of several names that mean nothing all are told, and the rest is measured" {
	works collect --args inner --args nothing --ret nobody --arg nothing:x --usdt one --usdt 'two*' --at a.c:1 --at b.c:2 --at inner@none \
		-o p.rarog -- "$PROGRAMS/leaf"
	[[ $errors == *"no function is called nothing; rarog probes lists those that there are; not found either: nobody"* ]] || fail "$errors"
	[[ $errors == *"no USDT probe is called one; "*"; not found either: two*"* ]] || fail "$errors"
	[[ $errors == *"no source file is called a.c; not found either: b.c:2, inner@none"* ]] || fail "$errors"
	rarog show p.rarog | grep -q inner
}

@test "C++: ABI tags are part of names, or left out; operator* is itself before it is a pattern" {
	program collect/tags -g -O0
	measured() { # PATTERN: what is called by it
		works collect -o p.rarog --func "$1" -- ./tags
		[[ $errors != *warning* ]] || fail "$1: $errors"
		rarog show --json p.rarog | jq -r '.functions | map("\(.name) \(.count)") | sort | join("; ")'
	}
	[ "$(measured 'mk[abi:cxx11]')" = "mk[abi:cxx11](int) 3" ] || fail "$(measured 'mk[abi:cxx11]')"
	[ "$(measured 'mk[abi:cxx11](int)')" = "mk[abi:cxx11](int) 3" ] || fail "with parameters"
	[ "$(measured mk)" = "mk[abi:cxx11](int) 3" ] || fail "$(measured mk)"
	[ "$(measured 'mk*')" = "mk[abi:cxx11](int) 3; mka(int) 3" ] || fail "$(measured 'mk*')"
	[ "$(measured 'V::operator*')" = "V::operator*(int) const 1" ] || fail "$(measured 'V::operator*')"
	[ "$(measured 'W::operator*')" = "W::operator+(int) const 1; W::operator-(int) const 1" ] ||
		fail "$(measured 'W::operator*')"
	for wish in mk mk:n 'mk[abi:cxx11]' 'mk[abi:cxx11]:n'; do
		run_rarog collect -o p.rarog --args "$wish" -- ./tags
		[[ $errors != *warning* ]] || fail "$wish: $errors"
		rarog show --json p.rarog | jq -e '.arguments | length == 1 and .[0].argument == "n" and .[0].count == 3 and
			.[0].name == "mk[abi:cxx11](int)"' >/dev/null || fail "$wish"
	done
	run_rarog collect -o p.rarog --func mkk -- ./tags
	[[ $errors == *"no function is called mkk; did you mean mk"* ]] || fail "$errors"
	rarog probes --func 'V::operator*' tags | grep -q '^1 of 1 functions' || fail "$(rarog probes --func 'V::operator*' tags)"
}

@test "C++: an operator's name is a name wherever functions are asked for" {
	program collect/operators -g -O1
	names() { rarog show --json "$@" p.rarog | jq -r '[.functions[].name] | sort | join("; ")'; }
	works --quiet collect -o p.rarog --within 'V::operator*' -- ./operators
	[ "$(names)" = "V::operator*(int) const" ] || fail "--within: $(names)"
	run_rarog --quiet collect -o p.rarog --not-below quotient -x 'V::operator*' -- ./operators
	[ "$(names)" = "V::operator+(int) const; divided(V, int); main; quotient(V, int)" ] || fail "-x: $(names)"
	run_rarog --quiet collect -o p.rarog -- ./operators
	[ "$(names -f 'V::operator*')" = "V::operator*(int) const" ] || fail "show -f: $(names -f 'V::operator*')"
	[ "$(names -f 'V::op*')" = "V::operator*(int) const; V::operator+(int) const" ] || fail "$(names -f 'V::op*')"
	run_rarog show --callers 'V::operator*' p.rarog
	[[ $output == *"V::operator*: 3 calls"* ]] || fail "$output"
	run_rarog collect -o p.rarog --within '/(/' -- ./operators
	[ "$errors" = "rarog collect: /(/: not a regular expression: Unmatched ( or \\(" ] || fail "$errors"
}

@test "C++: an operator that exists only inlined is that one alone" {
	program collect/operators -g -O1
	program collect/star -g -O1
	run_rarog collect -o p.rarog --func 'S::operator*' -- ./star
	[[ $errors == *"S::operator* exists only inlined into others, product(S, int) for one; measure that"* ]] || fail "$errors"
	rarog show --json p.rarog | jq -e '.functions == []' >/dev/null || fail "another is measured"
	rarog probes -f 'S::operator*' star | grep -q '^0 of 0 functions' || fail "$(rarog probes -f 'S::operator*' star)"
	run_rarog --quiet collect -o p.rarog -- ./star
	run_rarog show -f 'S::operator*' p.rarog
	[ "$output" = "S::operator*(int) const: no calls of its own; inlined into product(S, int) (star.cc:6)" ] || fail "$output"
	run_rarog --quiet collect -o p.rarog -- ./operators
	run_rarog show -f 'V::operator/' p.rarog
	[ "$output" = "V::operator/(int) const: no calls of its own; inlined into quotient(V, int) (operators.cc:9)" ] || fail "$output"
}

@test "C++: an argument that an operator does not have is named, with the nearest that it has" {
	program collect/operators -g -O1
	sed -i 's/V operator\*(int n)/V operator*(int number)/; s/x \* n/x * number/' operators.cc
	g++ -g -O1 -o operators operators.cc
	works collect -o p.rarog --arg 'V::operator*:numbr' -- ./operators
	[[ $errors == *"warning: V::operator*(int) const: 'numbr' is not captured: there is no parameter 'numbr'; did you mean number?"* ]] || fail "$errors"
	[ "$(grep -c warning <<<"$errors")" = 1 ] || fail "$errors"
	if rarog doctor | grep -q 'vex engine.*Valgrind'; then
		run_rarog collect --engine vex -o p.rarog --arg 'V::operator*:numbr' -- ./operators
		[[ $errors == *"warning: V::operator*(int) const: 'numbr' is not captured: there is no parameter 'numbr'"* ]] || fail "vex: $errors"
		[[ $errors != *operator+* ]] || fail "vex: $errors"
	fi
	run_rarog collect -o p.rarog --args 'V::operator*:number' -- ./operators
	[[ $errors != *warning* ]] || fail "$errors"
	rarog show --json p.rarog | jq -e '.arguments | length == 1 and .[0].count == 3' >/dev/null || fail "number is not captured"
}

@test "--within: what the root calls in tail position stays inside when it catches an exception" {
	program collect/root -O2
	objdump -d root | grep -A9 '<_Z4rootl>:' | grep -q 'jmp .*<_Z6calledl>' || skip "the compiler makes no tail call"
	works --quiet collect --within root -o p.rarog -- ./root
	rarog show -n 0 --json p.rarog | python3 -c '
import json, sys
shown = json.load(sys.stdin)
n = {f["name"]: f["count"] for f in shown["functions"]}
assert n == {"root(long)": 100, "called(long)": 100, "thrower(long)": 100, "leaf(long)": 200}, n
assert shown["header"]["totals"]["unwound"] == 100, shown["header"]["totals"]'
}

@test "--binary that nobody started: said, with what was started" {
	run_rarog collect -o p.rarog --binary nobody -- sh -c "$PROGRAMS/leaf; true"
	expect_status 0
	[[ $errors == *"nothing was measured"*leaf* ]] || fail "$errors"
	run_rarog --quiet collect -o p.rarog --binary leaf -- sh -c "$PROGRAMS/leaf; $PROGRAMS/recursion fib"
	expect_status 0
	rarog show --csv p.rarog >shown
	grep -q inner shown
	! grep -q fib shown || fail "recursion was measured, too"
}

@test "--binary measures what make starts" {
	printf 'test: prog\n\t./prog\nprog: %s\n\tgcc -O1 -g -I%s -o prog %s -lm -lpthread\n' \
		"$conformance/programs/leaf.c" "$conformance/programs" "$conformance/programs/leaf.c" >Makefile
	works collect -o p.rarog --binary prog -- make test
	rarog show p.rarog | grep -q inner || fail "prog was not measured: $errors"
}

@test "--timeout reaches children, also those that do not listen" {
	touch .began
	run_rarog --quiet collect -o p.rarog --timeout 300ms -- \
		sh -c "trap '' TERM; sleep 60 & $PROGRAMS/hang; wait"
	expect_status 124
	exits 124 --quiet collect -o p.rarog --timeout 300ms --warmup 1 -- "$PROGRAMS/hang" deaf
	no_debris
}

# before it says so it is stopped, too: to be patched
child_stops() {
	child=$(pgrep -P "$leader" -x sh || true)
	grep -q stops out && [[ $(ps -o stat= -p "$child") == [Tt]* ]]
}

@test "job control: stopped and continued" {
	"$RAROG" --quiet collect -o p.rarog -- sh -c 'echo stops; kill -STOP $$; echo continued' >out 2>&1 3>&- &
	leader=$!
	eventually 30 child_stops || fail "it does not stop: $(cat out)"
	[ "$(<out)" = stops ]
	kill -CONT "$child"
	wait $leader
	grep -q continued out
}

@test "job control of a shell: Ctrl-Z stops, fg continues, Ctrl-C ends" {
	cat >drive.py <<-'END'
		import os, pty, re, select, sys, time

		pid, fd = pty.fork()
		if pid == 0:
		    os.execvp("bash", ["bash", "--norc", "-i"])
		seen = ""

		def wait_for(pattern):
		    global seen
		    end = time.time() + 20
		    while not re.search(pattern, seen):
		        assert time.time() < end, f"no {pattern} in {seen!r}"
		        if select.select([fd], [], [], 0.1)[0]:
		            seen += os.read(fd, 65536).decode(errors="replace")
		    seen = ""

		def say(text, pattern):
		    os.write(fd, text.encode())
		    wait_for(pattern)

		say(" ".join(sys.argv[1:]) + "\n", "started")
		say("\x1a", "Stopped")
		say("fg\n", "hang")
		while os.tcgetpgrp(fd) == pid: # the shell's until it gave the terminal away
		    time.sleep(0.01)
		say("\x03", "rarog: .* calls in")
		say("echo status=$?.\n", "status=130[.]")
	END
	python3 drive.py "$RAROG" collect -o p.rarog --output capture -- "$PROGRAMS/hang"
	rarog show p.rarog | grep -q round_of_work
}

@test "a script without a first line is a script, too: its shell is not measured" {
	printf '%s 10\n' "$PROGRAMS/leaf" >script
	chmod +x script
	works --quiet collect -o p.rarog -- ./script
	rarog show --json p.rarog | python3 -c 'import json, sys
binaries = {f["binary"].split("/")[-1] for f in json.load(sys.stdin)["functions"] if f["count"]}
assert binaries == {"leaf"}, binaries'
}

@test "not for this machine: one clear line" {
	echo 'void _start(void) { __asm__ volatile("mov $1,%eax; mov $5,%ebx; int $0x80"); }' >a.c
	if gcc -m32 -nostdlib -static -o small a.c 2>/dev/null && ./small || [ $? -eq 5 ]; then
		exits 125 collect -o p.rarog -- ./small
		[ "$(wc -l <errors.txt)" -eq 1 ] && [[ $errors == *"32-bit"* ]] || fail "$errors"
		run_rarog --quiet collect -o p.rarog -- sh -c ./small # no reason not to run it
		expect_status 5
	fi
	cp "$PROGRAMS/leaf" other
	printf '\xb7' | dd of=other bs=1 seek=18 conv=notrunc status=none # AArch64
	exits 126 collect -o p.rarog -- ./other
	[ "$(wc -l <errors.txt)" -eq 1 ] && [[ $errors == *./other* ]] || fail "$errors"
	printf '#!/no/such/interpreter\n' >script
	chmod +x script
	run_rarog collect -o p.rarog -- ./script
	[ "$status" -eq 127 ] || [ "$status" -eq 126 ] || fail "$status"
	[ "$(wc -l <errors.txt)" -eq 1 ] || fail "$errors"
	[[ $errors == *interpreter* ]] || fail "does not name the interpreter: $errors"
}

@test "--dry-run: what would be probed, without running it" {
	printf '#!/bin/sh\ntouch ran\n' >script
	chmod +x script
	works collect --dry-run -o p.rarog -- ./script
	[ ! -e ran ] && [ ! -e p.rarog ]
	[[ $output == *"known only when it runs"* ]] || fail "$output"
	works collect --dry-run --json -- "$PROGRAMS/leaf"
	printf '%s' "$output" >dry.json
	rarog --quiet collect -o p.rarog -- "$PROGRAMS/leaf" >/dev/null
	rarog export --format json -o dump.json p.rarog
	python3 - <<-END || fail "not what a run does"
		import json
		dry, dump = json.load(open("dry.json")), json.load(open("dump.json"))
		(binary,) = dry["binaries"]
		totals = dump["header"]["totals"]
		assert binary["path"].endswith("/leaf")
		assert binary["probed"] == totals["patched"] == len(binary["functions"])
		assert binary["wanted"] == totals["functions"]
		assert binary["wanted"] - binary["probed"] == sum(x["count"] for x in binary["left_out"])
		assert {"inner", "outer", "leaf"} <= set(binary["functions"])
		assert 1 < dry["call_ns"] < 10000 and 0.5 < dry["clock_ns"] < 5000
	END
}

@test "--dry-run: libraries, patterns, and nothing at all" {
	works collect --dry-run --libs -- "$PROGRAMS/library-user-shared"
	[[ $output == *liblibrary.so* && $output == *libc.so* && $output == *"ns (two"* ]] || fail "$output"
	run_rarog collect --dry-run --func inner -- "$PROGRAMS/leaf"
	[[ $output == *"1 of 1 functions"*inner* ]] || fail "$output"
	says 125 "rarog collect: no function is called inne; did you mean inner?" collect --dry-run --func inne -- "$PROGRAMS/leaf"
	exits 127 collect --dry-run -- ./no-such-program
	exits 125 collect --json -- true
}

@test "doctor: the inline engine and its cost" {
	rarog doctor --json >doctor.json
	python3 - <<-END
		import json, re
		(row,) = [c for c in json.load(open("doctor.json"))["checks"] if c["what"] == "inline engine"]
		assert row["verdict"] == "fine" and re.match(r"[0-9.]+ ns a call", row["found"]), row
	END
}

@test "--diagnose: what a bug report needs, nothing that is the user's" {
	export MY_SECRET=abracadabra
	run_rarog collect -o p.rarog --diagnose report.tar.gz -- sh -c "echo tell-nobody; $PROGRAMS/leaf"
	expect_status 0
	[[ $output == *tell-nobody*"expect leaf 30000"* ]]
	mkdir report && tar -xzf report.tar.gz -C report
	for file in README version command environment system result log doctor.json header.json probes-0.json; do
		[ -s "report/$file" ] || fail "$file is missing: $(ls report)"
	done
	grep -q '^MY_SECRET$' report/environment
	! grep -rq abracadabra report || fail "the value of a variable is in it"
	! grep -rq '^tell-nobody' report || fail "the program's output is in it"
	[ ! -e report/profile.rarog ]
	grep -q 'install.*/leaf' report/log || fail "no memory map in the log"
	grep -q -- --diagnose report/command
	grep -q '^exit status 0' report/result
	python3 -m json.tool report/header.json >/dev/null
	cat report/probes-*.json | grep -q inner
	[[ $errors != *"rarog install"* ]] || fail "debug lines on the terminal"
}

@test "--diagnose: options of tar in the environment do not count, and one that hangs ends when rarog is to end" {
	TAR_OPTIONS=--exclude=command rarog --quiet collect -o p.rarog --diagnose report.tar.gz -- "$PROGRAMS/leaf" >/dev/null
	tar -tzf report.tar.gz | grep -q '^command$' || fail "$(tar -tzf report.tar.gz)"
	printf '#!/bin/sh\necho >began\nexec sleep 1000\n' >tar
	chmod +x tar
	sed -i "s,>began,>$PWD/began," tar
	PATH=$PWD:$PATH "$RAROG" collect -o q.rarog --diagnose hangs.tar.gz -- "$PROGRAMS/leaf" >/dev/null 2>err 3>&- &
	local pid=$!
	eventually 60 test -e began || fail "$(cat err)"
	kill -TERM "$pid"
	wait "$pid" || true
	grep -q 'the bug report was not written: tar has failed' err || fail "$(cat err)"
	[ -e q.rarog ] && [ ! -e hangs.tar.gz ]
}

@test "--diagnose: zstd, with the profile, and when the run fails" {
	run_rarog --quiet collect -o p.rarog --diagnose report.tar.zst --diagnose-profile -- "$PROGRAMS/leaf"
	expect_status 0
	zstd -dc report.tar.zst | tar -xO -f - profile.rarog | cmp - p.rarog
	run_rarog --quiet collect -o p.rarog --diagnose failed.tar.gz -- ./no-such-program
	expect_status 127
	tar -xzOf failed.tar.gz result | grep -q no-such-program
	! tar -tzf failed.tar.gz | grep -q header.json || fail "header of another run"
	run_rarog --quiet collect -o no/such/p.rarog --diagnose failed.tar.gz -- "$PROGRAMS/leaf"
	expect_status 125
	tar -xzOf failed.tar.gz result | grep -q no/such
	run_rarog --quiet collect -o p.rarog --diagnose failed.tar.gz -- sh -c 'kill -SEGV $$'
	expect_status 139
	tar -xzOf failed.tar.gz result | grep -q 139
	run_rarog collect --diagnose no/such/report.tar.gz -- touch ran
	expect_status 125
	[ ! -e ran ]
	status=0
	errors=$(PATH=$PWD "$RAROG" collect --diagnose report.tar.gz -- /bin/touch ran 2>&1) || status=$?
	expect_status 125
	expect_error "rarog collect: --diagnose: there is no tar; install it"
	[ ! -e ran ]
}

@test "a disk too small for the calls: the sums of the whole run are kept" {
	mkdir tiny
	rarog --quiet collect -o whole.rarog -- "$PROGRAMS/recursion" fib 30 >whole.out
	for size in 64k 512k 8m; do
		mount -t tmpfs -o "size=$size" none tiny 2>/dev/null || skip "no right to mount a tiny file system"
		works collect -o tiny/p.rarog -- "$PROGRAMS/recursion" fib 30
		[ "$output" = "$(cat whole.out)" ] || fail "the program's output differs"
		[[ $errors == *"no room for single calls"*"sums only"* ]] || fail "not told: $errors"
		for file in whole.rarog tiny/p.rarog; do
			rarog show --json "$file" | python3 -c 'import json, sys
for f in sorted(json.load(sys.stdin)["functions"], key=lambda f: f["name"]): print(f["name"], f["count"])' >"$(basename $file).counts"
		done
		diff whole.rarog.counts p.rarog.counts >&2 || fail "counts differ"
		umount tiny
	done
}

@test "a file size limit is the program's, not rarog's" {
	status=0
	(ulimit -S -f 10; "$RAROG" --quiet collect -o p.rarog -- \
		bash -c "ulimit -S -f; $PROGRAMS/recursion fib 30" >out 2>errors.txt) || status=$?
	errors=$(cat errors.txt)
	expect_status 0
	[ "$(head -n 1 out)" = 10 ] || fail "the program's limit is $(head -n 1 out)"
	[ "$(stat -c %s p.rarog)" -gt 10240 ]
}

@test "the manual tells the exit status" {
	run_rarog collect --help
	for code in 124 125 126 127 128+N; do
		[[ $output == *$'\n    '"$code  "* ]] || fail "$code is not in: $output"
	done
}

# What the readings are good for is tested in tests/unit/inline/test-emit.c; here, that they are as asked for: the program
# counts the lfence instructions in the code that rarog has put into it.
@test "--compensate makes readings of the clock wait for what came before them, and measures the cost of these" {
	program collect/fences -O1
	# fences OPTION…: prints how many there are, how many functions have probes, and whether it is said
	fences() {
		works --quiet collect --detail=summary "$@" -o p.rarog -- ./fences
		rarog show --json p.rarog | python3 -c '
import json, sys
header = json.load(sys.stdin)["header"]
cost = header["probe_cost"]
assert cost["ordered"] == cost["compensated"] and cost["call_ticks"] > 0, cost
print(sys.argv[1], header["totals"]["patched"], cost["ordered"])' "$output"
	}
	read -r without functions ordered <<<"$(fences)"
	[ "$functions" -ge 2 ] && [ "$ordered" = False ] || fail "$functions $ordered"
	read -r with functions ordered <<<"$(fences --compensate)"
	[ "$ordered" = True ] || fail "$ordered"
	# one reading at the beginning and one at the end of each function's calls
	[ "$with" -ge $((without + 2 * functions)) ] || fail "$with of $functions functions, without $without"
}

# Ratios only: a call that does nothing takes less than its probes, a loop without calls has none.
@test "--compensate says where probes took so much of the time that the rest is rough" {
	program collect/nothing -o p -O1
	works collect --detail=summary --compensate -o p.rarog -- ./p 5000000 0
	[[ $errors == *"the probes of 5,000,00"*"of the CPU time: compensated times are rough"*"collect sample"* ]] || fail "$errors"
	rarog show --json p.rarog | python3 -c '
import json, sys
t = json.load(sys.stdin)["header"]["totals"]
assert 0 <= t["clamped_calls"] <= t["calls"], t'
	run_rarog collect --detail=summary -o p.rarog -- ./p 5000000 0
	[[ $errors != *rough* ]] || fail "$errors"
	run_rarog collect --detail=summary --compensate -o p.rarog -- ./p 5 50000000
	[[ $errors != *rough* ]] || fail "$errors"
}

@test "patterns that take nothing beside others: a line each, with the reason; the rest is measured" {
	cat >asks.c <<-'END'
		__attribute__((noipa)) int deep(int n) { return n + (__builtin_return_address(0) == 0); }
		__attribute__((noipa)) int middle(int n) { return deep(n) + 1; }
		int main(void) { return middle(1) + middle(2) == 0; }
	END
	gcc -g -O1 -o asks asks.c
	# warned: OPTIONS: the warnings of a run with them
	warned() {
		run_rarog collect -o p.rarog "$@" -- ./asks
		expect_status 0
		grep 'warning: ' <<<"$errors" | sed 's/^rarog: warning: //'
	}
	counts() { rarog show --json p.rarog | jq -r '[.functions[] | "\(.name) \(.count)"] | sort | join("; ")'; }
	run warned --func deep --func main --func mian --func 'dee*' --func mi*
	[ "$output" = "deep is not measured: it looks at its own return address
no function is called mian; did you mean main?
dee* is not measured: deep looks at its own return address" ] || fail "$output"
	[ "$(counts)" = "main 1; middle 2" ] || fail "$(counts)"
	run warned --within deep
	[ "$output" = "deep is not measured: it looks at its own return address; so nothing is recorded within it" ] || fail "$output"
	run warned --within deeep
	[[ $output == "no function is called deeep; did you mean deep"* ]] || fail "$output"
	run warned --func '*'
	[ -z "$output" ] || fail "$output"
	run warned --func '/^(deep|main)$/' --func mian
	[ "$output" = "no function is called mian; did you mean main?" ] || fail "$output"
	works collect --dry-run --func deep --func main -- ./asks
	[[ $errors == *"warning: deep is not measured: it looks"* && $output == *main* ]] || fail "$errors $output"
}
