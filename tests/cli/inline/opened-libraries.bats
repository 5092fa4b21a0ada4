#!/usr/bin/env bats
# Libraries that the measured program opens while it runs, in many processes, at many places, at the worst moment.

load ../helper
load ../collect-helper

teardown() {
	exec {told}>&- 2>/dev/null || true
	for one in ${leader:-}; do kill -CONT "$one" && kill -KILL "$one" 2>/dev/null || true; done
	[ -z "${theirs:-}" ] || rm -rf "$theirs"
}

# write_many: a program that, told so, forks processes (f a hundred, s sixty-four, o one), has them open a library and call it ten times each (g), kills
# them (k), waits for them and says how many ended well (w).
write_many() {
	printf '%s\n' 'long plug(long x) { return x * 3 + 1; }' >plugin.c
	gcc -O0 -fPIC -shared -o libplugin.so plugin.c
	program attach/many-children -o many -O1 -ldl
}

# have_stopped_working N: so many, at least, have it mapped, and all of these wait
have_stopped_working() {
	local maps state n=0

	for maps in $(grep -ls "$PWD/libplugin.so" /proc/[0-9]*/maps); do
		read -r state <"${maps%maps}stat" 2>/dev/null && [[ ${state##*) } == S* ]] || return 1
		n=$((n + 1))
	done
	[ "$n" -ge "$1" ]
}

# begin_many: it is measured, by $leader
begin_many() {
	write_many
	open_told
	"$RAROG" --quiet collect --libs -o p.rarog -- ./many <told >got 2>err 3>&- &
	leader=$!
}

# open_all WORD: its processes have opened the library, and wait for rarog, which stands still
open_all() {
	tell "$1" "$1"
	kill -STOP "$leader"
	tell g g
	eventually 60 have_stopped_working 64 || fail "$(cat got err)"
}

# calls_are N: as measured
calls_are() {
	tell e fine
	wait "$leader" || fail "status $?: $(cat err)"
	leader=
	[ ! -s err ] || fail "$(cat err)"
	[ "$(rarog show -n 0 --json p.rarog | jq -c '[.functions[] | select(.name == "plug") | .count]')" = "[$1]" ] ||
		fail "$(rarog show p.rarog)"
}

@test "a library that a hundred processes open at once is measured in each of them" {
	begin_many
	open_all f
	kill -CONT "$leader"
	tell w 'w 100'
	calls_are 1000
}

@test "processes that are killed while they open a library leave their places to others" {
	begin_many
	open_all s
	tell k k
	kill -CONT "$leader"
	tell w 'w 0'
	tell o 'o 1'
	tell g 'g 1'
	tell w 'w 1'
	calls_are 10
}

@test "processes that were killed while they open a library, and that nobody waits for, keep no place" {
	begin_many
	open_all s
	tell k k
	kill -CONT "$leader"
	tell o 'o 1' # the others are not waited for before, if ever
	tell g 'g 1'
	tell w 'w 1'
	calls_are 10
}

@test "while processes that open a library stand still the others go on, and what is missing is said" {
	begin_many
	open_all s
	pkill -STOP -P "$(pgrep -x many -P "$leader")"
	kill -CONT "$leader"
	tell o 'o 1'
	tell g 'g 1' # it has no place, and waits for ten seconds
	tell w 'w 1'
	pkill -CONT -P "$(pgrep -x many -P "$leader")"
	tell e fine
	wait "$leader" || fail "status $?: $(cat err)"
	leader=
	run_rarog show p.rarog
	[[ $output == *'LOST: 1 wait for rarog in vain: calls behind it are missing'* ]] || fail "$output"
}

# Each process has something else mapped before, so that the library is elsewhere in each.
@test "a library that short processes open at ever new addresses is measured in each of them" {
	# it does not fit in between others
	printf '%s\n' 'static char room[1 << 20];' 'long plug(long x) { return x * 3 + 1 + room[x]; }' >plugin.c
	gcc -O0 -fPIC -shared -o libplugin.so plugin.c
	program attach/ever-new-addresses -o user -O1 -ldl
	"$RAROG" --quiet collect --libs -o p.rarog -- ./user >got 2>err || fail "status $?"
	[ "$(cat got)" = 300 ] || fail "$(cat got)"
	[ ! -s err ] || fail "$(cat err)"
	[ "$(rarog show -n 0 --json p.rarog | jq -c '[.functions[] | select(.name == "plug") | .count]')" = '[300]' ] ||
		fail "$(rarog show p.rarog)"
}

@test "a program whose first thread has ended opens a library, through which exceptions pass" {
	program attach/libthrows -o libthrows.so -O1 -fPIC -shared
	program attach/first-thread-ends -o user -O1 -ldl -pthread
	"$RAROG" --quiet collect --libs -o p.rarog -- ./user >got 2>err || fail "status $?: $(cat err)"
	seq 7 16 | diff - got >&2 || fail "otherwise"
	[ ! -s err ] || fail "$(cat err)"
	rarog show -n 0 --json p.rarog | jq -r '.functions[] | "\(.name) \(.count)"' | grep -E '^(work|thrower|throws.*|catches.*) ' | sort >counts
	[ "$(wc -l <counts)" -eq 4 ] && [ "$(grep -c ' 10$' counts)" -eq 4 ] || fail "$(cat counts)"
}

@test "a program that makes itself unreadable: from there on it is measured in part, which is said" {
	[ "$(id -u)" -eq 0 ] || skip "needs another user"
	printf '%s\n' 'long plug(long x) { return x * 3 + 1; }' >plugin.c
	gcc -O0 -fPIC -shared -o libplugin.so plugin.c
	program attach/unreadable -o user -O1 -ldl
	theirs=$(mktemp -d /tmp/rarog-test-XXXXXX) # they are not let into where this test runs
	chmod 777 "$theirs"
	cp "$RAROG" "$theirs/rarog"
	cp user libplugin.so "$theirs/"
	python3 - "$theirs" >got 2>err <<-'END' || fail "status $?: $(cat err)"
		import os, sys
		os.chdir(sys.argv[1])
		os.setgroups([]); os.setgid(65534); os.setuid(65534)
		os.environ.update(HOME=".", TMPDIR=".", XDG_CONFIG_HOME=".")
		os.execv("./" + "rarog", ["rarog", "collect", "--libs", "-o", "p.rarog", "--", "./user"])
	END
	[ "$(cat got)" = 4 ] || fail "$(cat got err)"
	[ "$(grep -c 'does not let its memory be read any more' err)" -eq 1 ] || fail "$(cat err)"
}

# As when a plugin is compiled anew: the file is written into, and may be shorter than what was read of it.
@test "a library whose file is written anew after it was closed is another one" {
	printf '%s\n' 'long other(long x) { return x + 1; }' 'long plug(long x) { return other(x) + 1; }' >one.c
	for i in $(seq 400); do printf 'long filler%d(long x) { return x * %d; }\n' "$i" "$i"; done >>one.c
	printf '%s\n' 'long third(long x) { return x + 5; }' 'long plug(long x) { return third(x) + third(x); }' >two.c
	gcc -O0 -fPIC -shared -o libone.so one.c
	gcc -O0 -fPIC -shared -o libtwo.so two.c
	cp libone.so libplugin.so
	program attach/written-anew -o user -O1 -ldl
	"$RAROG" --quiet collect --libs -o p.rarog -- ./user >got 2>err || fail "status $?: $(cat err)"
	printf '%s\n' 65 190 | diff - got >&2 || fail "otherwise"
	rarog show -n 0 --json p.rarog | jq -r '.functions[] | select(.name | test("^(plug|other|third)$")) | "\(.name) \(.count)"' | sort >counts
	printf '%s\n' 'other 10' 'plug 10' 'plug 10' 'third 20' | diff - counts >&2 || fail "otherwise"
}

has_gone() {
	! kill -0 "$1" 2>/dev/null
}

@test "a library that is looked at while rarog is stopped for long: the program goes on, children too" {
	local library rarog i
	library=$(ls /usr/lib/x86_64-linux-gnu/libLLVM-1[49].so.1 2>/dev/null | head -1)
	[ -n "$library" ] || skip "needs a library that is looked at for long, libLLVM: apt-get install clang-14"
	program attach/open -O2
	"$RAROG" collect --libs -o p.rarog ./open "$library" >out 2>errors.txt 3>&- &
	rarog=$!
	eventually 10 grep -q libLLVM "/proc/$rarog/maps" || true
	sleep 0.2
	kill -STOP $rarog
	sleep 12
	kill -CONT $rarog
	eventually 60 has_gone $rarog || { kill -KILL $rarog; fail "it hangs"; }
	wait $rarog
	[ "$(cat out)" = fine ]
	rarog show p.rarog | grep -q "1 wait for rarog in vain" || skip "rarog had looked at it before it was stopped"
}
