#!/usr/bin/env bats
# Changes over a history, an amount drawn, and bisection: with numbers of calls, which are exact.

load ../helper
load ../run-helper
load ../repositories
load ../steps-helper

# changes: version, metric, place, before, after of every change of check --history --json
changes() {
	printf '%s' "$output" | python3 -c '
import json, sys
for c in json.load(sys.stdin)["changes"]:
	print(c["version"], c["metric"], c["location"], "%g" % c["before"], "%g" % c["after"])'
}

@test "check --history: the version at which calls changed, once; new versions are added" {
	line 8 5
	rarog --quiet run --commit c1~1..c6 >/dev/null
	exits 1 check --history --json --fail-on maybe
	[ "$(changes)" = "$(git rev-parse c5) calls step 20 30" ] || fail "$output"
	[ -s .git/rarog/history/changes ]
	rarog --quiet run --commit c7 --commit c8 >/dev/null
	sum=$(sha256sum .git/rarog/history/changes)
	works check --history
	[[ $output == *"1 change in 8 measured versions"* && $output == *"+50.0 %"* ]] || fail "$output"
	[ "$sum" != "$(sha256sum .git/rarog/history/changes)" ]
	after=$output
	rm .git/rarog/history/changes
	run_rarog check --history --no-save
	[ "$output" = "$after" ] || fail "from the beginning: $output"
	[ ! -e .git/rarog/history/changes ]
	works check --history c5.. --json
	[ -z "$(changes)" ] || fail "$output"
	works check --history --markdown
	[[ $output == *"| \`$(git rev-parse c5 | cut -c1-10)\` | +50.0 % | step | calls | 20 | 30 | "* ]] || fail "$output"
	run_rarog check --history --set smallest-effect=0.6 --json
	[ -z "$(changes)" ] || fail "$output"
	echo garbage >.git/rarog/history/changes
	run_rarog check --history
	[ "$output" = "$after" ] || fail "a damaged file: $output"
}

@test "check --history: a profile removed or added to an old version counts; gaps are marked" {
	line 6 4
	rarog --quiet run --commit c1 --commit c2 --commit c5 --commit c6 >/dev/null
	run_rarog check --history
	[[ $output == *"$(git rev-parse c5 | cut -c1-10)*"* && $output == *bisect* ]] || fail "$output"
	rarog --quiet run --commit c3 --commit c4 >/dev/null
	run_rarog check --history --json
	[ "$(changes)" = "$(git rev-parse c4) calls step 20 30" ] || fail "$output"
}

# measured VERSION CALLS [WALL_US…]: a run that calls step() so often, and the times of runs without probes
measured() {
	local version=$1 calls=$2 walls
	shift 2
	walls=$(printf ',{"wall_ns":%d000}' "$@")
	"$(dirname "$RAROG")/tests/make-profile" p.rarog <<-END
		header {"command":["./prog"],"collector":"trace","started_ns":$((${at:=1000} * 1000000000)),"untraced":[${walls:1}]}
		binary /bin/prog
		location main file=/s/a.c line=1
		location step file=/s/a.c line=2
		process 7 - 0 5000000 0 "./prog"
		strand 0 7 0 5000000
		> main 0
		repeat $calls
		> step 10
		< 10
		end
		< 10
	END
	at=$((at + 1))
	rarog -q add --version "$version" --force p.rarog
}

# commits N: commits c1 … cN
commits() {
	local i
	repository repo
	rarog -q init
	for ((i = 1; i <= $1; i++)); do
		commit "c$i"
		git tag "c$i"
	done
}

# with VERSION [FUNCTION NS]…: a run in which main calls work for 100 us and these functions once
with() {
	local version=$1 more=""
	shift
	while [ $# -gt 0 ]; do
		more+="> $1 10"$'\n'"< $2"$'\n'
		shift 2
	done
	"$(dirname "$RAROG")/tests/make-profile" p.rarog <<-END
		header {"command":["./prog"],"collector":"trace","started_ns":$((${at:=1000} * 1000000000))}
		binary /bin/prog
		location main file=/s/a.c line=1
		location work file=/s/a.c line=2
		location fresh file=/s/a.c line=3
		location tiny file=/s/a.c line=4
		process 7 - 0 5000000 0 "./prog"
		strand 0 7 0 5000000
		> main 0
		> work 10
		< 100000
		$more
		< 10
	END
	at=$((at + 1))
	rarog -q add --version "$version" --force p.rarog
}

@test "check --history: of traced calls functions that are new or gone are told, if they take part enough" {
	commits 8
	with c1 && with c2 && with c3 fresh 9000 && with c4 fresh 9000
	with c5 fresh 9000 tiny 100 && with c6 tiny 100
	works check --history --json
	[ "$(changes)" = "$(git rev-parse c6) calls fresh 1 0
$(git rev-parse c3) calls fresh 0 1" ] || fail "$output"
	with c7 && with c8 fresh 9000 # after what was kept
	works check --history
	kept=$output
	[[ $output == *"new  fresh  calls"* && $output != *tiny* ]] || fail "$output"
	rm .git/rarog/history/changes
	works check --history
	[ "$output" = "$kept" ] || fail "from the beginning: $output"
}

@test "check --history: a job whose build line changed begins anew, and that is said" {
	line 4 9
	rarog --quiet run --commit c1~1..c2 >/dev/null
	sed -i 's/^build: make$/build: make -s/' .rarog.yml
	rarog --quiet run --commit c3 --commit c4 >/dev/null
	works check --history
	[[ $output == *"$(git rev-parse c3 | cut -c1-10) begins anew"*"other settings of the job"* ]] || fail "$output"
}

@test "check --history: a profile that was removed and measured again is another" {
	local i
	commits 6
	for i in 1 2 3 4 5 6; do measured "c$i" 20 1000; done
	works check --history
	[[ $output == *"0 changes in 6 measured versions"* ]] || fail "$output"
	for i in 5 6; do
		rarog -q rm --version "c$i"
		measured "c$i" 30 1000
	done
	run_rarog check --history --json
	[ "$(changes)" = "$(git rev-parse c5) calls step 20 30" ] || fail "$output"
}

@test "check --history: of three runs without probes one that is wild does not move a version" {
	local i
	commits 16
	for ((i = 1; i <= 16; i++)); do
		measured "c$i" 20 $((1000 + i * 7 % 5)) $((1000 + i * 11 % 7)) $((i > 8 ? 2500 : 1001))
	done
	works check --history
	[[ $output == *"0 changes in 16 measured versions"* ]] || fail "$output"
}

# sampled VERSION TWICE…: runs of one job; of those that call rare() twice one call is recorded
sampled() {
	local version=$1 twice
	shift
	for twice; do
		TWICE=$twice rarog -q collect -f main -f 'rare#2' -o p.rarog -- "$BATS_TEST_TMPDIR/outside" # one job
		rarog -q add --version "$version" --force p.rarog
	done
}

@test "check --history: a run in which a time is unknown has no share in it, and where no run knows it is a gap" {
	gcc -g -O1 -x c -o outside - <<-'END'
		#include <stdlib.h>
		#include <string.h>
		__attribute__((noipa)) int rare(int n) { volatile int k = 0; while (k < n) k++; return k; }
		int main(void) { int n = rare(100000); return n + (strcmp(getenv("TWICE"), "1") == 0 ? rare(100000) : 0) == 1; }
	END
	line 12 99
	local i
	for ((i = 1; i <= 12; i++)); do
		case $i in
		1 | 2 | 3 | 4 | 5) sampled "c$i" 0 0 ;;
		6) sampled "c$i" 1 1 ;;
		*) sampled "c$i" 1 0 1 ;;
		esac
	done
	run_rarog check --history --json
	[[ $status -le 1 || $status -eq 4 ]] || fail "$status $errors"
	changes | awk '$2 != "calls" && $NF == 0' >lost # it took no time where nobody knows how much it took
	[ ! -s lost ] || fail "$(cat lost)"
}

@test "check --history and log --graph: exclusive times are compared between equal sets of what is left out below" {
	project
	build_below
	git commit -q -a -m prog
	local i
	for i in {1..16}; do
		git commit -q --allow-empty -m "number $i"
		RAROG_TEST_PLACES=$([ "$i" -le 8 ] || echo deep=pruned) works -q collect -- ./prog
	done
	run_rarog check --history --json
	[ "$(jq -c '[.changes[] | select(.location == "middle" and .metric == "exclusive")]' <<<"$output")" = "[]" ] || fail "$output"
	works log --graph middle:exclusive --json
	[ "$(jq -c '[(.values | length), .changes]' <<<"$output")" = "[16,[]]" ] || fail "$output"
	# what is sampled, or calls such, has no exclusive time
	git commit -q --allow-empty -m sampled
	works -q collect --func 'deep#7' --func middle --func main -- ./prog
	works log --graph deep:inclusive
	run_rarog log --graph deep:exclusive HEAD~1..
	[[ $status -eq 3 && $errors == *"deep:exclusive: no version"* ]] || fail "$status $errors $output"
}

@test "log --graph FUNC: what is left out elsewhere does not matter" {
	project
	local i
	for i in {1..16}; do
		cat >prog.c <<-END
			__attribute__((noipa)) int deep(int n) { volatile int k = 0; while (k < n) k++; return k; }
			__attribute__((noipa)) int middle(int n) { return deep(n) + 1; }
			__attribute__((noipa)) int other(int n) { volatile int k = 0; while (k < $((i <= 8 ? 1 : 9)) * n) k++; return k; }
			int main(void) { int sum = 0; for (int i = 0; i < 300; i++) sum += middle(300) + other(1000); return sum == 1; }
		END
		gcc -g -O1 -o prog prog.c
		git commit -q --allow-empty -a -m "number $i"
		RAROG_TEST_PLACES=$([ "$i" -le 8 ] || echo deep=pruned) works -q collect -- ./prog
	done
	works log --graph other:exclusive --json
	[ "$(jq '[(.values | length), (.changes | length > 0)] == [16, true]' <<<"$output")" = true ] || fail "$output"
	works log --graph middle:exclusive --json
	[ "$(jq -c '[(.values | length), .changes]' <<<"$output")" = "[16,[]]" ] || fail "$output"
}

# versions FIRST LAST: of prog.c as it is; PLACES are as RAROG_TEST_PLACES is
versions() {
	local i
	gcc -g -O1 -o prog prog.c
	git commit -q -a --allow-empty -m prog
	for ((i = $1; i <= $2; i++)); do
		git commit -q --allow-empty -m "number $i"
		RAROG_TEST_PLACES=${PLACES:-} works -q collect -- ./prog
	done
}

# loops N: deep() takes N steps, in the time of middle() where it is not measured
loops() {
	cat >prog.c <<-END
		__attribute__((noipa)) void unrelated(void) { __asm__ volatile(""); }
		__attribute__((noipa)) int deep(int n) { volatile int k = 0; while (k < n) k++; return k; }
		__attribute__((noipa)) int middle(int n) { return deep(n) + 1; }
		int main(void) { int sum = 0; for (int i = 0; i < 200; i++) { sum += middle($1); unrelated(); } return sum == 1; }
	END
}

# own_times: class, metric and function of every change of a function's time
own_times() {
	jq -r '.changes[] | select(.metric == "exclusive" or .metric == "inclusive") | "\(.class) \(.metric) \(.location)"' \
		<<<"$output"
}

@test "check --history: another function that is left out now and then hides no change of one that does not call it" {
	project
	loops 2000
	for i in 1 2 3 4; do
		PLACES=unrelated=pruned versions 1 1
		PLACES='' versions 2 2
	done
	loops 20000
	for i in 1 2 3 4; do
		PLACES=unrelated=pruned versions 1 1
		PLACES='' versions 2 2
	done
	run_rarog check --history --json
	[ "$status" -eq 1 ] || fail "$status $errors $output"
	[ "$(own_times | grep -w deep)" = "Degradation exclusive deep" ] || fail "$output"
}

@test "check --history: what cannot be had any more is in its caller's time, which is no change" {
	project
	# a jump into its first instructions: no probe fits there
	patchable='nopl 0(%rax,%rax,1); nopl 0(%rax,%rax,1);'
	not='push %rax; 2: pop %rax; push %rax; pop %rax; test %edi,%edi; js 2b;'
	for code in "$patchable" "$not"; do
		cat >prog.c <<-END
			__attribute__((noipa, naked)) int deep(int n) { __asm__("$code 1: dec %edi; jnz 1b; mov \$1,%eax; ret"); }
			__attribute__((noipa)) int middle(int n) { return deep(n) + 1; }
			int main(void) { int sum = 0; for (int i = 0; i < 500; i++) sum += middle(3000); return sum == 1; }
		END
		versions 1 8
	done
	run_rarog check --history --json
	! own_times | grep -qw "exclusive middle" || fail "$output"
	run_rarog check --history
	[[ $output == *"Own time begins anew of middle,"* ]] || fail "$output"
}

@test "check --history: callers of what is left out may become known later; inclusive times go on" {
	project
	loops 2000
	PLACES=deep=pruned versions 1 8
	works check --history
	[[ $output != *"begins anew"* ]] || fail "$output"
	loops 20000
	PLACES='' versions 9 16
	run_rarog check --history --json
	own_times | grep -qx "MaybeDegradation inclusive middle" || fail "$output"
	! own_times | grep -q "exclusive middle" || fail "$output"
	before=$output
	[ "$(jq -c '.begins_anew | map([.location, .binary])' <<<"$output")" = '[["middle","prog"]]' ] || fail "$output"
	[ "$(jq -r '.begins_anew[0].version' <<<"$output")" = "$(git rev-parse HEAD~7)" ] || fail "$output"
	rm .git/rarog/history/changes
	run_rarog check --history --json
	[ "$output" = "$before" ] || fail "from the beginning: $output"
	run_rarog check --history
	[ "$(grep -o 'Own time begins anew of [^,]*' <<<"$output")" = "Own time begins anew of middle" ] || fail "$output"
}

@test "check --history, log --graph: a function that a run left out may have been called" {
	project
	cat >prog.c <<-'END'
		__attribute__((noipa)) int deep(int n) { volatile int k = 0; while (k < n) k++; return k; }
		int main(void) { int sum = 0; for (int i = 0; i < 100; i++) sum += deep(100); return sum == 1; }
	END
	gcc -g -O1 -o prog prog.c
	git commit -q -a -m prog
	local i
	for i in {1..8}; do # two runs with it, none, one of two
		git commit -q --allow-empty -m "number $i"
		RAROG_TEST_PLACES=$([ "$i" -lt 3 ] || echo deep=pruned) works -q collect -- ./prog
		RAROG_TEST_PLACES=$([ "$i" != 3 ] || echo deep=pruned) works -q collect -- ./prog
	done
	works check --history --json --fail-on maybe
	[ "$(jq -c .changes <<<"$output")" = "[]" ] || fail "$output"
	works log --graph deep:calls --json
	[ "$(jq -c '[[.values[] | [.value, .runs]], .changes]' <<<"$output")" = \
		"[[[100,2],[100,2],[100,1],[100,1],[100,1],[100,1],[100,1]],[]]" ] || fail "$output"
	works check --history --json
	[ "$(jq -c .changes <<<"$output")" = "[]" ] || fail "from what was kept: $output"
}

@test "check --history: another compiler's flags begin a history anew, as check refuses them" {
	project
	for ((i = 1; i <= 6; i++)); do
		write_steps "$((i >= 4 ? 30 : 20))" "/* $i */"
		((i < 4)) || sed -i 's/-O1/-O2/' Makefile
		git commit -q -a -m "number $i"
		git tag "c$i"
	done
	settings 'build: make
matrix: {command: ./prog, collectors: [{name: trace, parameters: {detail: count}}]}'
	rarog --quiet run --commit c1~1..c6 >/dev/null
	exits 3 check c3 c4
	[[ $errors == *"different flags of "*"-O1"*"-O2"* ]] || fail "$errors"
	works check --history
	[[ $output == *"0 changes in 6 measured versions, 1 job"* ]] || fail "$output"
	[[ $output == *"$(git rev-parse c4 | cut -c1-10) begins anew"*"different flags of "*"-O1"*"-O2"* ]] || fail "$output"
	before=$output
	works check --history
	[ "$output" = "$before" ] || fail "from what was kept: $output"
	works check --history --json
	printf '%s' "$output" | python3 -c '
import json, sys
r = json.load(sys.stdin)
assert r["changes"] == [], r
[s] = r["splits"]
assert [s["version"], s["previous"]] == sys.argv[1:], s
assert "-O2" in s["reason"], s' "$(git rev-parse c4)" "$(git rev-parse c3)"
	works check --history c4..
	[[ $output != *anew* ]] || fail "$output"
	# what changes later is found
	write_steps 40
	git commit -q -a -m seven
	rarog --quiet run --commit HEAD >/dev/null
	works check --history --json
	[ "$(changes)" = "$(git rev-parse HEAD) calls step 30 40" ] || fail "$output"
}

# on VERSION CALLS MACHINE: a run that calls step() so often, on a machine of these members
on() {
	"$(dirname "$RAROG")/tests/make-profile" p.rarog <<-END
		header {"command":["./prog"],"collector":"trace","detail":"count","machine":{$3},"started_ns":$((${at:=1000} * 1000000000))}
		binary /bin/prog
		location main file=/s/a.c line=1
		location step file=/s/a.c line=2
		process 7 - 0 5000000 0 "./prog"
		strand 0 7 0 5000000
		> main 0
		repeat $2
		> step 10
		< 10
		end
		< 10
	END
	at=$((at + 1))
	rarog -q add --version "$1" --force p.rarog
}

@test "check --history: another kernel and another machine begin a history anew; two machines beside each other do not" {
	local i old='"cpu":"A","cpus":2,"kernel":"6.1","host":"x"' kernel='"cpu":"A","cpus":2,"kernel":"6.8","host":"y"' other='"cpu":"B","cpus":2,"kernel":"6.8"'
	repository repo
	rarog -q init
	for i in 1 2 3 4 5 6; do
		commit "c$i"
		git tag "c$i"
	done
	on c1 20 "$old" && on c2 20 "$old" && on c3 30 "$kernel" && on c4 30 "$kernel" && on c5 40 "$other" && on c6 40 "$other"
	works check --history
	[[ $output == *"0 changes in 6 measured versions, 1 job"* ]] || fail "$output"
	[[ $output == *"$(git rev-parse c3 | cut -c1-10) begins anew"*"the machine changed: kernel 6.1 and 6.8"* ]] || fail "$output"
	[[ $output == *"$(git rev-parse c5 | cut -c1-10) begins anew"*"machines of different classes: cpu A and B"* ]] || fail "$output"
	before=$output
	works check --history
	[ "$output" = "$before" ] || fail "from what was kept: $output"
	# the first one goes on
	on c5 20 "$kernel" && on c6 20 "$kernel"
	works check --history
	[[ $output == *"1 change in 6"* && $output != *"$(git rev-parse c5 | cut -c1-10) begins anew"* ]] || fail "$output"
	cd .. && rm -rf repo
	# users who name the class say that its machines are one
	repository repo
	rarog -q init
	commit c1 && on HEAD 20 "\"class\":\"ours\",$old"
	commit c2 && on HEAD 20 "\"class\":\"ours\",$old"
	commit c3 && on HEAD 30 "\"class\":\"ours\",$kernel"
	works check --history
	[[ $output == *"1 change in 3"* && $output != *anew* ]] || fail "$output"
}

@test "--job: of several jobs one, in check, its history and the page; headings name jobs" {
	project
	for i in 1 2 3; do
		write_steps $((10 * i))
		git commit -q -a -m "number $i"
		git tag "c$i"
	done
	settings 'build: make
jobs:
  fast: {command: ./prog, collectors: [{name: trace, parameters: {detail: count}}], repeat: 2}
  slow: {command: ./prog x, collectors: [{name: trace, parameters: {detail: count}}], repeat: 2}'
	rarog --quiet run --commit c1~1..c3 >/dev/null
	run_rarog check c2 c3 --json
	[ "$(printf '%s' "$output" | python3 -c '
import json, sys
print(*sorted(c["job"] for c in json.load(sys.stdin)["checks"]), sep=",")')" = "fast: ./prog,slow: ./prog x" ] || fail "$output"
	run_rarog check c2 c3 --job slow --json
	[ "$(printf '%s' "$output" | python3 -c '
import json, sys
print(*(c["job"] for c in json.load(sys.stdin)["checks"]), sep=",")')" = "slow: ./prog x" ] || fail "$output"
	run_rarog check c2 c3 --job fast
	[[ $output == *"fast: ./prog"* ]] || fail "$output"
	exits 3 check c2 c3 --job none
	[[ $errors == *"c2 has no profile of this job"* ]] || fail "$errors"
	works check --history --job fast
	[[ $output == *"1 job"* ]] || fail "$output"
	exits 3 check --history --job none
	works report c2 c3 --job slow -o page.html
	exits 3 report c2 c3 --job none -o page.html
}

@test "check --history: nothing measured, a bad range, what does not go together" {
	line 2 2
	says 3 "rarog check: no version of this history has profiles; make some: rarog run --commit=REV.." check --history
	rarog --quiet run --commit c1 >/dev/null
	says 3 "rarog check: c2..c1: there is no version in this range" check --history c2..c1
	exits 2 check --history --junit
	exits 2 check --history --set severe-effect=1
	[[ $errors == *severe-effect* ]] || fail "$errors"
	exits 3 check --history nonsense
}

@test "log --graph METRIC: of several jobs that of which most versions tell it, and of how many" {
	line 4 9
	RAROG_TEST_PLACES=step=pruned rarog --quiet run --commit c1~1..c3 >/dev/null
	rarog --quiet run --commit c4 >/dev/null
	works log --graph step:calls
	[[ $output == *"step:calls  ./prog, known of 1 of 4 versions"* ]] || fail "$output"
	rarog --quiet run -p detail=summary --commit c2~1..c4 >/dev/null
	works log --graph step:calls
	[[ $output == *"step:calls  ./prog [detail=summary], 3 versions"* ]] || fail "$output"
	works log --graph step:calls --json
	[ "$(jq -c '[.versions, [.values[].value]]' <<<"$output")" = "[3,[20,20,20]]" ] || fail "$output"
}

@test "log --graph METRIC: a chart in 80 columns, ASCII where there is no UTF-8, JSON" {
	line 6 4
	rarog --quiet run --commit c1~1..c6 >/dev/null
	works log --graph step:calls
	[[ $output == *"step:calls  ./prog, 6 versions"* && $output == *"+50.0 %  number 4"* ]] || fail "$output"
	LC_ALL=C COLUMNS=80 works log --graph step:calls
	! printf '%s' "$output" | LC_ALL=C grep -q '[^ -~]' || fail "not ASCII: $output"
	[[ $output == *'^ '"$(git rev-parse c4 | cut -c1-10)"* ]] || fail "$output"
	run_rarog log --graph=step:calls -n 4 --json
	printf '%s' "$output" | python3 -c '
import json, sys
r = json.load(sys.stdin)
assert [v["value"] for v in r["values"]] == [20, 30, 30, 30], r
assert len(r["changes"]) == 1 and r["changes"][0]["relative"] == 0.5, r'
	exits 3 log --metric nothing:calls
	[[ $errors == *"no version has it"* ]] || fail "$errors"
	works log --graph --oneline -n 1
	# a word after --graph is a version, or else what to draw
	git tag step-1
	works log --graph step-1 -n 1
	[[ $output == *"number 6"* ]] || fail "$output"
	works log --graph step
	[[ $output == *"step:exclusive  ./prog, 6 versions"* ]] || fail "$output"
	works log c4 --graph step
	[[ $output == *"step:exclusive  ./prog, 4 versions"* ]] || fail "$output"
	exits 3 log --graph nothing
	[[ $errors == *"nothing: no version has it"* ]] || fail "$errors"
}

@test "log --graph FUNCTION:cpu and :waited: parts of its own time, as show has them" {
	repository r
	rarog --quiet init
	"$(dirname "$RAROG")/tests/make-profile" a.rarog <<-END
		header {"command":["./prog"],"collector":"trace","started_ns":1700000000000000000,"detail":"calls","parameters":{},"commit":"$(git rev-parse HEAD)","dirty":false}
		binary /bin/prog
		location main
		process 100 - 0 2000 0 ./prog
		strand 0 100 0 2000
		> main 10
		away 300 50
		< 1000
	END
	rarog --quiet add a.rarog
	for wanted in cpu:650 waited:300 exclusive:950; do # less what it was preempted
		works log --graph "main:${wanted%:*}" --json
		[[ $output == *"\"value\": ${wanted#*:}"* ]] || fail "$output"
	done
	made b.rarog "$(git rev-parse HEAD)"
	rarog --quiet add b.rarog
	run_rarog log --graph main:cpu --json
	[[ $output != *"\"value\": 1000"* ]] || fail "a run without CPU time counts: $output"
	exits 3 log --metric ns::cpu
	[[ $errors == *"ns::cpu: no version has it"* ]] || fail "$errors"
}

# page FILE EXPRESSION: python, of the data of a page as d
page() {
	python3 - "$1" "$2" <<'END'
import base64, json, re, sys, zlib
text = re.search(r'id="data">([A-Za-z0-9+/=]*)<', open(sys.argv[1]).read()).group(1)
d = json.loads(zlib.decompress(base64.b64decode(text), -15))
names = [v["name"] for v in d["versions"]]
of = lambda name, metric: next(s for s in d["series"] if (s["name"], s["metric"]) == (name, metric))
print(eval(sys.argv[2]))
END
}

@test "jobs that differ in what their collector was told only are told apart: log, its drawing and the page" {
	project
	write_steps 20
	git commit -q -a -m steps
	settings 'build: make
matrix: {command: ./prog, collectors: [{name: trace}, {name: trace, parameters: {libs: true}}, {name: trace, parameters: {args: step}}]}'
	rarog --quiet run --commit HEAD~1..HEAD >/dev/null
	works log -p HEAD~1..HEAD
	for job in './prog [0-9]' './prog \[libs\] [0-9]' './prog \[args=step\] [0-9]'; do
		[ "$(grep -c -- "trace $job" <<<"$output")" = 1 ] || fail "$job: $output"
	done
	works log --graph step:calls
	[[ $output == "step:calls  ./prog"* ]] || fail "$output"
	works report HEAD~1..HEAD -o jobs.html
	[ "$(page jobs.html 'sorted(d["jobs"])')" = "['./prog (trace)', './prog (trace) [args=step]', './prog (trace) [libs]']" ] ||
		fail "$(page jobs.html 'd["jobs"]')"
	# with one job of these words there is nothing to tell
	query "DELETE FROM profile WHERE job NOT IN (SELECT id FROM job ORDER BY length(parameters) DESC LIMIT 1)"
	works log -p HEAD~1..HEAD
	[[ $output == *"trace ./prog "* && $output != *"["*"]"* ]] || fail "$output"
}

@test "report A..B: a page with every amount of the range, and of the version before it" {
	line 8 5
	rarog --quiet run --commit c1~1..c8 >/dev/null
	works report c3..c7
	[ -s c3..c7.html ] || fail "$output"
	[ "$(page c3..c7.html '[v["subject"] for v in d["versions"]]')" = "['number 3', 'number 4', 'number 5', 'number 6', 'number 7']" ]
	[ "$(page c3..c7.html 'of("step", "calls")["value"]')" = "[20, 20, 30, 30, 30]" ]
	[ "$(page c3..c7.html '[(names[c["version"]], names[c["previous"]], c["before"], c["after"]) for c in d["changes"]]')" = \
		"[('$(git rev-parse c5)', '$(git rev-parse c4)', 20, 30)]" ]
	works report c1.. -o all.html --title 'A <b>line'
	[ "$(page all.html 'of("step", "calls")["value"]')" = "[20, 20, 20, 20, 30, 30, 30, 30]" ]
	grep -q '<title>A &#60;b&#62;line</title>' all.html
}

@test "report A..B --svg versions: a dot for each version, a line where it changed" {
	line 8 5
	rarog --quiet run --commit c1~1..c8 >/dev/null
	works report c3..c7 --svg versions:step
	[ -s c3..c7.svg ] || fail "$output"
	python3 - "$(git rev-parse c5)" <<-'END' || fail "$(cat c3..c7.svg)"
		import sys, xml.etree.ElementTree as tree
		s = "{http://www.w3.org/2000/svg}"
		root = tree.parse("c3..c7.svg").getroot()
		assert any("step: calls" in t.text for t in root.iter(s + "text"))
		[change] = [p.find(s + "title").text for p in root.iter(s + "path") if p.find(s + "title") is not None]
		assert change.startswith(sys.argv[1] + ": "), change
		assert "+50.0 %" in [t.text for t in root.iter(s + "text")]
		planes = list(root.iter(s + "g"))
		calls = [(float(c.get("cx")), float(c.get("cy"))) for c in planes[-1].iter(s + "circle")]
		# 20 20 30 30 30: two heights, at even distances
		assert len({y for x, y in calls[:2]}) == 1 and len({y for x, y in calls[2:]}) == 1, calls
		assert calls[0][1] > calls[2][1], calls
		steps = {round(b[0] - a[0], 1) for a, b in zip(calls, calls[1:])}
		assert len(calls) == 5 and max(steps) - min(steps) < 0.2, calls
	END
	works report c3..c7 --svg versions -o whole.svg
	grep -q 'whole program' whole.svg
	run_rarog report c3..c7 --svg versions:nobody -o x.svg
	[ "$status" -ne 0 ] && [[ $errors == *"no version of the range has measured 'nobody'"* ]] || fail "$errors"
	[ ! -e x.svg ]
	exits 2 report c3..c7 --svg flame
	[[ $errors == *"flame is of one profile; of a range there is versions:FUNC"* ]] || fail "$errors"
}

@test "report A..B: what is no range, or has no profiles, is refused in one line" {
	line 3 2
	run_rarog report c1..c3
	[[ $status -ne 0 && $errors == *"no version of this history has profiles"* ]] || fail "$errors"
	run_rarog report c1..nowhere
	[[ $status -ne 0 && $errors == *nowhere* ]] || fail "$errors"
	run_rarog report ../nothing.rarog
	[[ $status -ne 0 && $errors == *"../nothing.rarog"* && $errors != *history* ]] || fail "$errors"
	[ -z "$(ls ./*.html 2>/dev/null)" ]
}
