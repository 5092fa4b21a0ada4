#!/usr/bin/env bats
# rarog collect --engine ebpf by a user who may not load programs into the kernel: rarog-ebpf-helper does that.
# The user is a number that nobody else has; the helper is a copy with file capabilities.

load ../helper
load ../collect-helper
load ../ebpf-helper

user=$((100000 + $$)) # nobody else's, also beside other runs of this file

need_helper() {
	local known=$BATS_FILE_TMPDIR/engine
	[ "$(id -u)" = 0 ] || skip "needs root: files of another user, file capabilities"
	[ -e "$known" ] || rarog doctor --json | python3 -c '
import json, sys
(row,) = [c for c in json.load(sys.stdin)["checks"] if c["what"] == "ebpf engine"]
print("" if row["verdict"] == "fine" else row["found"])' >"$known"
	[ -z "$(cat "$known")" ] || skip "needs the ebpf engine: $(cat "$known")"
	# others may not look into bats' own folders
	place=$(mktemp -d /var/tmp/rarog-split-XXXXXX)
	chmod 755 "$place"
	mkdir "$place/bin" "$place/work"
	cp "$RAROG" "$(dirname "$RAROG")/rarog-ebpf-helper" "$place/bin"
	cp "$place/bin/rarog-ebpf-helper" "$place/bin/plain-helper"
	setcap cap_bpf,cap_perfmon+ep "$place/bin/rarog-ebpf-helper" 2>/dev/null ||
		skip "needs a file system with capabilities"
	cd "$place/work" || return 1
}

teardown() {
	local pid
	cd /
	[ -z "${place:-}" ] || for pid in $(pgrep -u $user); do kill -9 "$pid"; done # the number is ours alone
	[ -z "${place:-}" ] || rm -rf "$place"
}

# as_user COMMAND…: with none of root's rights
as_user() {
	setpriv --reuid=$user --regid=$user --clear-groups env -i PATH="$PATH" HOME="$place/work" \
		TMPDIR="$place/work" LC_ALL=C.UTF-8 "$@"
}

# user_rarog ARGUMENT…: sets status, output, errors, as run_rarog does
user_rarog() {
	status=0
	output=$(as_user "$place/bin/rarog" "$@" 2>"$place/errors") || status=$?
	errors=$(cat "$place/errors")
}

own() {
	chown -R $user:$user "$place/work"
}

# program: calls work() as often as it is told, leaves a file, says whose it is and what it may do. With a
# second argument it says that it is there and waits for a word
write_program() {
	program ebpf/privileges -o program -O1
	mkfifo go
	own
}

calls_of_work() {
	rarog show --json "$1" | python3 -c '
import json, sys
print(sum(f["count"] for f in json.load(sys.stdin)["functions"] if f["name"] == "work"))'
}

# books PROFILE: counts of functions and what is known of their values
books() {
	rarog show --json "$1" | python3 -c '
import json, sys
shown = json.load(sys.stdin)
for f in shown["functions"]:
    print(f["name"], f["count"])
for a in shown.get("arguments", []):
    print([a[k] for k in ("name", "argument", "count", "unknown", "min", "mean", "max")])' | sort
}

# helper_of PID: of the helper that this rarog has started
helper_of() {
	pgrep -P "$1" -f rarog-ebpf-helper
}

gone() {
	! [ -e "/proc/$1" ]
}

@test "split: the program and the profile are the user's, and every call is seen" {
	need_helper
	write_program
	as_user ./program 3 >wanted || true
	for detail in calls summary count; do
		rm -f made
		user_rarog -q collect --engine ebpf --detail=$detail -o p.rarog ./program 4000
		expect_status 7
		[ "$output" = "$(cat wanted)" ] || fail "$detail: $output"
		[ "$(stat -c %u made p.rarog | sort -u)" = $user ] || fail "$(ls -ln)"
		[ "$(calls_of_work p.rarog)" = 4000 ] || fail "$detail: $(rarog show p.rarog)"
	done
	user_rarog doctor
	[[ $output == *"ebpf engine"*"recorded"* ]] || fail "$output"
}

@test "split: the helper keeps nothing while the program runs, and takes its probes with it" {
	need_helper
	write_program
	for how in go kill; do
		rm -f ready
		as_user "$place/bin/rarog" -q collect --engine ebpf -o p.rarog ./program 100 wait >out 2>&1 3>&- &
		local job=$! tracer helper all
		eventually 60 test -e ready
		tracer=$(pgrep -u $user -f "bin/rarog -q collect" | head -1)
		helper=$(helper_of "$tracer")
		grep -q '^CapPrm:.0000000000000000$' "/proc/$helper/status" || fail "$(cat "/proc/$helper/status")"
		grep -q "^Uid:.$user.$user.$user.$user$" "/proc/$helper/status"
		mapfile -t all < <(links "$helper")
		[ "${#all[@]}" -ge 4 ] || fail "${#all[@]} links"
		[ "$how" = go ] || kill -9 "$tracer"
		echo >go
		wait $job || true
		eventually 60 gone "$helper"
		eventually 60 none_left "${all[@]}" || fail "$how: probes are left: $(bpftool link)"
		eventually 60 test -e made || fail "$how: the program did not go on"
		rm made
	done
}

@test "split: programs that run already, if they are the user's" {
	need_helper
	write_program
	as_user ./program 500 wait >out 3>&- 4>&- &
	eventually 60 test -e ready
	local pid other
	pid=$(pgrep -u $user -x program)
	as_user "$place/bin/rarog" -q collect --engine ebpf --pid "$pid" --duration 60s -o p.rarog 2>errors 3>&- &
	local job=$!
	watched() { # a thread reads what comes
		local tracer
		tracer=$(ps -o ppid= -p "$(pgrep -u $user -f bin/rarog-ebpf-helper)") || return 1
		[ "$(find "/proc/${tracer// /}/task" -mindepth 1 -maxdepth 1 | wc -l)" -ge 3 ]
	}
	eventually 60 watched || fail "$(cat errors)"
	echo >go
	wait $job
	[ "$(calls_of_work p.rarog)" = 500 ] || fail "$(rarog show p.rarog)"
	sleep 600 3>&- 4>&- &
	other=$!
	user_rarog collect --engine ebpf --pid $other --duration 1s -o q.rarog
	kill $other
	expect_status 125
	[ "$(wc -l <"$place/errors")" = 1 ] || fail "$errors"
}

# others ARGUMENT…: the program by processes whose rights are not just the user's: root, one with a capability, and
# one that lets nobody look into it
others() {
	"$place/work/program" "$@" >/dev/null || true
	setpriv --reuid=$user --regid=$user --clear-groups --inh-caps=+net_raw --ambient-caps=+net_raw "$place/work/program" "$@" >/dev/null || true
	as_user "$place/work/hides" "$@" hidden >/dev/null
}

@test "split: every process of a file, but none that is not the user's" {
	need_helper
	local job pid tracer
	local -a running
	write_program
	program ebpf/hides -O1
	gcc -O1 -fPIC -shared -x c -o libwork.so - <<<'void work(void) { __asm__ volatile("push %rbx; pop %rbx"); }'
	own
	for file in ./program ./libwork.so; do
		rm -f ready
		as_user ./program 500 wait >out 3>&- 4>&- &
		running=($!)
		eventually 60 test -e ready
		rm ready
		./program 300 wait >out 3>&- 4>&- &
		running+=($!)
		eventually 60 test -e ready
		as_user "$place/bin/rarog" collect --engine ebpf --every-process $file --func work --detail=count -o p.rarog 2>errors 3>&- &
		job=$!
		watches() {
			tracer=$(pgrep -u $user -f "bin/rarog collect" | head -1)
			find "/proc/$tracer/fd" -lname 'anon_inode:\[signalfd\]' 2>/dev/null | grep -q .
		}
		eventually 60 watches || fail "$(cat errors)"
		grep -q "^CapPrm:.0000000000000000$" "/proc/$(helper_of "$tracer")/status"
		printf 'xx' >go
		others 13
		as_user ./program 11 >/dev/null || true
		as_user ./hides 19
		wait "${running[@]}" || true
		kill -TERM "$tracer"
		wait $job
		grep -qx "rarog: warning: only processes of this user are measured; root measures all that run $place/work/${file#./}" errors ||
			fail "$(cat errors)"
		local calls=511 processes=2
		[ $file = ./program ] || calls=19 processes=1
		[ "$(calls_of_work p.rarog)" = $calls ] || fail "$(rarog show p.rarog)"
		rarog export --format json p.rarog | python3 -c '
import json, sys
p = json.load(sys.stdin)
assert len(p["processes"]) == int(sys.argv[1]), p["processes"]
assert p["header"]["kernel_probes"]["only_own_processes"] is True
assert p["losses"] == [], p["losses"]' $processes
		rm -f p.rarog
	done
	chown root program
	user_rarog collect --engine ebpf --every-process ./program --duration 1s -o p.rarog
	expect_status 125
	[[ $errors == *"belongs to somebody else"* && $errors != *$'\n'* ]] || fail "$errors"
}

@test "split: files of others are probed in the user's process only" {
	need_helper
	write_program
	chown root program
	user_rarog -q collect --engine ebpf -o p.rarog ./program 10
	expect_status 125
	[[ $errors == *"belongs to somebody else"*"--no-follow"* ]] || fail "$errors"
	user_rarog -q collect --engine ebpf --no-follow -o p.rarog ./program 10
	expect_status 7
	[ "$(calls_of_work p.rarog)" = 10 ]
	chmod 4755 program
	user_rarog collect --engine ebpf --no-follow -o p.rarog ./program 10
	expect_status 7
	[[ $output == *"$user 0" ]] || fail "$output"
	[ "$(calls_of_work p.rarog)" = 0 ] || fail "$(rarog show p.rarog)"
	[[ $(rarog show p.rarog) == *"programs (with more rights than this user's)"* ]] || fail "$(rarog show p.rarog)"
	[ "$(stat -c %u p.rarog)" = $user ]
}

@test "split: without privileges of the helper sudo is asked, else a line says what helps" {
	need_helper
	write_program
	mkdir "$place/sudo"
	cat >"$place/sudo/sudo" <<-END
		#!/bin/sh
		printf '%s\n' "\$*" >>$place/work/asked
		echo noise
		[ "\$1 \$2" = "-n --" ] && exec $place/bin/capable-helper
	END
	chmod 755 "$place/sudo/sudo"
	mv "$place/bin/rarog-ebpf-helper" "$place/bin/capable-helper"
	setcap cap_bpf,cap_perfmon+ep "$place/bin/capable-helper"
	cp "$place/bin/plain-helper" "$place/bin/rarog-ebpf-helper"
	PATH=$place/sudo:$PATH user_rarog -q collect --engine ebpf -o p.rarog ./program 10
	expect_status 7
	[ "$(calls_of_work p.rarog)" = 10 ]
	[ "$(sort -u asked)" = "-n -- $place/bin/rarog-ebpf-helper" ] || fail "$(cat asked)"
	PATH=/usr/bin:/bin
	! command -v sudo >/dev/null || skip "sudo is here, and may know this user"
	user_rarog collect --engine ebpf -o p.rarog ./program 10
	expect_status 125
	[[ $errors == "rarog collect: --engine=ebpf: "*"sudo setcap cap_bpf,cap_perfmon+ep $place/bin/rarog-ebpf-helper" ]] ||
		fail "$errors"
	rm "$place/bin/rarog-ebpf-helper"
	user_rarog collect --engine ebpf -o p.rarog ./program 10
	expect_status 125
	[[ $errors == *"rarog-ebpf-helper is not where rarog was installed"* ]] || fail "$errors"
}

@test "split: sums in the kernel, values and every N-th call are the same as root's" {
	local options
	need_helper
	program ebpf/sum -g -O1
	own
	for options in --detail=summary "--args twice:n --ret twice" "--sample-calls 3"; do
		user_rarog collect --engine ebpf $options -o user.rarog -- ./sum
		expect_status 0
		works collect --engine ebpf $options -o root.rarog -- ./sum
		books user.rarog >seen
		grep -q "^twice 190" seen || fail "$(cat seen)"
		[[ $options != --args* ]] || grep -q "'twice', 'n', 190" seen || fail "$(cat seen)"
		diff seen <(books root.rarog)
		rm -f user.rarog root.rarog
	done
}

@test "split: values of marks are the same as root's, with those of functions and without" {
	local options
	need_helper
	gcc -g -O1 -I"$repo/include" -o told "$repo/tests/cli/mark-values.c" -pthread
	own
	for options in "--strategy custom" "--func sizes --args sizes" "--func sizes --detail=summary"; do
		user_rarog collect --engine ebpf $options --usdt 'rarog:*' -o user.rarog -- ./told
		expect_status 0
		works collect --engine ebpf $options --usdt 'rarog:*' -o root.rarog -- ./told
		books user.rarog >seen
		[ "$(grep -c "'rarog:whole', 'arg[1-7]', 1200, 0, " seen)" -eq 7 ] || fail "$(cat seen)"
		diff seen <(books root.rarog)
		rm -f user.rarog root.rarog
	done
}

@test "split: what the helper may not do it refuses with a line, whatever asks" {
	need_helper
	write_program
	echo secret >secret
	chown root secret program
	chmod 600 secret
	cp program mine
	own
	chown root program
	"$place/bin/plain-helper" </dev/null 2>"$place/errors" && fail "it was started by hand"
	grep -q '^rarog-ebpf-helper: is started by' "$place/errors"
	as_user python3 "$repo/tests/tools/ask-ebpf-helper.py" "$place/bin/rarog-ebpf-helper" \
		./mine ./program $$ >"$place/answers" || fail "$(cat "$place/answers")"
	diff "$place/answers" - <<-'END'
		too short: -22 asked for something that it does not know
		another version: -71 of another version
		unknown: -22 asked for something that it does not know
		attach before load: -22 before it had loaded
		too many probes: -7 are too many for the helper
		links: -22 for links, or a mode, that there are not
		mode: -22 for links, or a mode, that there are not
		sets: -22 for more values than it was told of
		told marks: -7 are too many for the helper
		load: 0 with 11 descriptors
		load twice: -22 to load twice
		watch nobody: -22 to watch no process
		watch all: -22 to watch no process
		watch state: -22 for a state that there is not
		watch everybody, loaded for one: -22 to watch everybody, for one process
		watch init: -1 does not run with the rights of this user
		watch root's: -1 does not run with the rights of this user
		watch nobody there: -3 there is no process
		watch own: 0
		attach without file: -22 to attach nothing, or too much
		attach nothing: -22 to attach nothing, or too much
		attach by path: -1 is not open for reading
		attach for writing: -1 is not open for reading
		attach a pipe: -22 only files can be probed
		attach others', everywhere: -1 belongs to somebody else
		attach others', in root's process: -1 does not run with the rights of this user
		attach behind the end: -22 what is not in the file
		attach more than said: -22 for more probes than it was told of
		attach with a number too high: -22 for more probes than it was told of
		marks behind the end: -22 what is not in the file
		marks with a number too high: -22 what is not in the file
		told marks with a number too high: -22 what is not in the file
		two files: -22 asked for something that it does not know
		attach own: 0
		seal: 0
		attach after seal: -22 after it was sealed
		stop: 0
		garbage: refused 200 of 200
		end: 0
		load for everybody: 0 with 11 descriptors
		everybody, but init: -22 to watch everybody, for one process
		init, of everybody: -1 does not run with the rights of this user
		everybody's others: -1 belongs to somebody else
		everybody: 0
		end: 0
	END
}
