#!/usr/bin/env bats
# rarog check: on profiles of runs that never happened, and on a program that got slower.

load ../helper
load ../profiles
load ../repositories

# run_of FILE WORK_NS [STATEMENT…]: a run of ./prog: main calls parse, parse calls work 100 times,
# which takes WORK_NS in all, and idle, which takes 400 us; statements replace the standard ones. Those of
# two directories were made by turns, file 0 of either, then file 1, unless HEADER says when
run_of() {
	local file=$1 work=$2 header=${HEADER:-} turn=${1##*/}

	shift 2
	turn=${turn//[^0-9]/}
	[[ $header == *started_ns* ]] || header+=",\"started_ns\":$((1700000000 + 10#${turn:-0}))000000000"
	profile "$file" <<-END
		header {"command":["./prog"],"collector":"${COLLECTOR:-trace}","engine":"inline","parameters":{},"end":{"exit_status":0,"wall_ns":$((work + 500000)),"user_ns":$((work + 400000)),"system_ns":1000},"machine":{"architecture":"x86_64","cpu":"Test","cpus":2,"kernel":"6.1"}$header}
		binary /usr/bin/prog abc
		location main file=/src/prog.c line=40
		location parse file=/src/prog.c line=30
		location ${WORK:-work} file=/src/prog.c line=${LINE:-10} size=${SIZE:-64}
		location idle file=/src/prog.c line=20
		process 100 - 0 5000000 0 "./prog"
		strand 0 100 0 5000000
		> main 10
		> parse 1000
		repeat ${CALLS:-100}
		> ${WORK:-work} 10
		< $((work / ${CALLS:-100}))
		end
		> idle 10
		< ${IDLE:-400000}
		< 100
		< 10
		$(printf '%s\n' "$@")
	END
}

# runs_of DIRECTORY WORK_NS [N]: N runs, a little apart from each other
runs_of() {
	local i

	mkdir -p "$1"
	for ((i = 0; i < ${3:-8}; i++)); do
		IDLE=$((400000 + i * 137 % 1000)) run_of "$1/$i.rarog" $(($2 + i * 311 % 1700))
	done
}

# untraced WALL_US: member of a header, four runs without probes of about that time
untraced() {
	printf ',"untraced":['
	printf '{"wall_ns":%d,"user_ns":%d,"system_ns":1000},' $(($1 * 1000)) $(($1 * 990)) \
		$(($1 * 1001)) $(($1 * 991)) $(($1 * 1002)) $(($1 * 989))
	printf '{"wall_ns":%d,"user_ns":%d,"system_ns":1000}]' $(($1 * 999)) $(($1 * 992))
}

@test "check: equal runs are no alarm" {
	runs_of a 1000000
	runs_of b 1000300
	works check a/ b/
	[[ $output == "nothing changed"* ]]
	[[ $output == *"no verdict: there are no runs without probes"* ]]
	[[ $output == *"2 functions unchanged, 0 undecided"* ]]
}

@test "check: the function that got slower is named, with the reason and the path" {
	runs_of a 1000000
	runs_of b 1100000
	exits 1 check a/ b/
	[[ $output == "slower   a/ -> b/   ./prog   (8 and 8 runs)"* ]]
	[[ $output =~ slower\ +work\ +1.00.\ ms\ +1.10.\ ms\ +\+(9|10)\.[0-9]\ % ]]
	[[ $output == *"work: called as often (100 times), each call "*" slower itself"* ]]
	[[ $output == *"through main > parse > work"* ]]
	works check b/ a/
	[[ $output == "faster "* ]]
	works check a/ b/ --fail-on never
}

@test "check: a single call is one time" {
	mkdir a b
	for i in 0 1 2 3 4 5 6 7; do
		CALLS=1 run_of a/$i.rarog $((1000000 + i * 300))
		CALLS=1 run_of b/$i.rarog $((1500000 + i * 300))
	done
	exits 1 check a/ b/
	[[ $output == *"work: called as often (1 time), each call "*" slower itself"* ]] || fail "$output"
}

@test "check: called more often is told from slower itself" {
	runs_of a 1000000
	mkdir b
	for i in 0 1 2 3 4 5 6 7; do
		CALLS=150 run_of b/$i.rarog $((1500000 + i * 300))
	done
	exits 1 check a/ b/
	[[ $output == *"much slower"*work* ]]
	[[ $output == *"work: called more often (100 -> 150 times), each call as fast as before"* ]]
}

@test "check: the whole program is judged by its runs without probes" {
	HEADER=$(untraced 1000) runs_of a 1000000 2
	HEADER=$(untraced 1060) runs_of b 1000000 2
	exits 1 check a/ b/ --json
	[ "$(field verdict)" = degradation ]
	[ "$(field changes.0.metric)" = wall-time ]
	[ "$(field changes.0.class)" = Degradation ]
	[[ $(field changes.0.relative) == 0.0[56]* ]]
	[ "$(field checks.0.baseline.untraced_runs)" = 8 ]
	[ "$(field checks.0.runs_needed)" = 6 ] # for two functions

	HEADER=$(untraced 1000) runs_of same 1000000 2
	works check a/ same/ --json
	[ "$(field verdict)" = none ]
	[ "$(field changes.0.class)" = NoChange ]
}

@test "check: a new function that makes the run longer is no unchanged run" {
	local i

	runs_of a 1000000
	mkdir more split
	for ((i = 0; i < 8; i++)); do # work takes as long as before, and there is another half of it
		run_of more/$i.rarog $((1000000 + i * 311 % 1700)) 'location fresh file=/src/prog.c line=70' '> fresh 10' '< 700000'
		run_of split/$i.rarog $((300000 + i * 311 % 1700)) 'location fresh file=/src/prog.c line=70' '> fresh 10' '< 700000'
	done
	works check a/ more/
	[[ $output == "maybe slower"* && $output == *"new functions take "*" more than others save"* ]] || fail "$output"
	exits 1 check a/ more/ --fail-on maybe
	# it took over what another one did
	works check a/ split/ --fail-on maybe
	[[ $output != *"new functions take"* ]] || fail "$output"
	# the run itself says it
	HEADER=$(untraced 1000) runs_of a 1000000
	for ((i = 0; i < 8; i++)); do
		HEADER=$(untraced 1000) run_of more/$i.rarog $((1000000 + i * 311 % 1700)) 'location fresh file=/src/prog.c line=70' '> fresh 10' '< 700000'
	done
	works check a/ more/ --fail-on maybe
}

@test "check: what makes a tenth of the difference is shown whatever the limit" {
	local i

	runs_of a 1000000
	mkdir b
	for ((i = 0; i < 8; i++)); do
		IDLE=$((500000 + i * 137 % 1000)) run_of b/$i.rarog $((1300000 + i * 311 % 1700))
	done
	exits 1 check a/ b/ --limit 1
	[[ $output =~ slower\ +work && $output =~ slower\ +idle ]] || fail "$output"
	[[ $output != *"more; --limit"* ]] || fail "$output"
	exits 1 check a/ b/ --limit 1 --markdown
	[[ $output == *"| work |"* && $output == *"| idle |"* ]] || fail "$output"
}

@test "check: of versions measured one after the other times are at most maybe" {
	local i

	mkdir a b mixed
	for ((i = 0; i < 8; i++)); do
		HEADER="$(untraced 1000),\"started_ns\":$((1000 + i))" run_of a/$i.rarog $((1000000 + i * 311 % 1700))
		HEADER="$(untraced 1300),\"started_ns\":$((2000 + i))" run_of b/$i.rarog $((1300000 + i * 311 % 1700))
		HEADER="$(untraced 1300),\"started_ns\":$((995 + 3 * i))" run_of mixed/$i.rarog $((1300000 + i * 311 % 1700))
	done
	works check a/ b/
	[[ $output == "maybe slower"* ]] || fail "$output"
	[[ $output == *"rarog check --measure a/ b/ decides"* ]] || fail "$output"
	works check b/ a/
	exits 1 check a/ b/ --fail-on maybe
	exits 1 check a/ mixed/
	[[ $output == "slower"* && $output != *"one after the other"* ]] || fail "$output"
	# a late run of the baseline, or two, are no turns
	for ((i = 0; i < 2; i++)); do
		HEADER="$(untraced 1000),\"started_ns\":$((3000 + i))" run_of a/late$i.rarog 1000000
		works check a/ b/
		[[ $output == "maybe slower"* && $output == *"one after the other"* ]] || fail "$output"
	done
}

@test "check: runs of which nobody knows when they were made are of no one sitting" {
	HEADER=',"started_ns":0' runs_of a 1000000
	HEADER=',"started_ns":0' runs_of b 1300000
	works check a/ b/
	[[ $output == "maybe slower"* && $output == *"when these runs were made is not known of all"* ]] || fail "$output"
	exits 1 check a/ b/ --fail-on maybe
	# of one version it is known
	runs_of b 1300000
	works check a/ b/
	[[ $output == "maybe slower"* ]] || fail "$output"
	runs_of a 1000000
	exits 1 check a/ b/
}

# whole_of FILE STARTED_NS WALL_US: a run of which only the whole program was timed
whole_of() {
	profile "$1" <<-END
		header {"command":["./prog"],"collector":"time","engine":"time","parameters":{},"started_ns":$2,"end":{"exit_status":0,"wall_ns":$(($3 * 1000)),"user_ns":$(($3 * 990)),"system_ns":1000},"machine":{"architecture":"x86_64","cpu":"Test","cpus":2,"kernel":"6.1"}}
	END
}

@test "check: where nothing but the program was timed, sittings count as well" {
	local i

	mkdir a b turns
	for ((i = 0; i < 8; i++)); do
		whole_of a/$i.rarog $((1000 + 10 * i)) $((1000 + i))
		whole_of b/$i.rarog $((2000 + 10 * i)) $((1300 + i))
		whole_of turns/$i.rarog $((1005 + 10 * i)) $((1300 + i))
	done
	works check a/ b/
	[[ $output == "maybe slower"* && $output == *"check --measure a/ b/ decides"* ]] || fail "$output"
	exits 1 check a/ turns/
}

# sitting VERSION START_S US: eight runs of it, about US microseconds without probes and three fifths in work
sitting() {
	local i

	for ((i = 0; i < 8; i++)); do
		HEADER="$(untraced "$3"),\"started_ns\":$(($2 * 1000000000 + i * 1000000))" \
			run_of run.rarog $(($3 * 600 + i * 311 % 1700))
		rarog -q add --version "$1" --force run.rarog
	done
}

# sittings US…: a commit each, measured an hour after the one before
sittings() {
	local at=0 us

	repository repo
	rarog -q init
	for us; do
		commit "c$at"
		git tag "c$at"
		sitting "c$at" $((1000000 + at * 3600)) "$us"
		at=$((at + 1))
	done
}

@test "check: what other sittings of the job say of each other makes the difference of two sure, or not" {
	# by 1 % about their level, then a fifth more
	sittings 1000 1010 992 1004 990 1008 1200
	exits 1 check c5 c6
	[[ $output == "slower"* && $output == *"known from other sittings"* ]] || fail "$output"
	[[ $output =~ slower\ +work ]] || fail "$output"
	# too few of them
	works check c1 c2
	cd ..
	rm -rf repo
	sittings 1000 1010 992 1200
	works check c2 c3
	[[ $output == "maybe slower"* && $output == *"check --measure c2 c3 decides"* ]] || fail "$output"
}

@test "check: the step that is judged is no part of what sittings do, however many versions follow" {
	sittings 1000 1010 992 1004 990 1500 1510 1492
	exits 1 check c4 c5
	[[ $output == *"much slower"* ]] || fail "$output"
	works check c5 c6 --fail-on maybe
}

@test "check: where sittings differ as much as two versions do, these are at most maybe" {
	sittings 1000 1100 920 1080 900 1090 980 1200
	works check c6 c7
	[[ $output == "maybe slower"* && $output == *"decides"* ]] || fail "$output"
	# what is further apart than all sittings that are known is not known from them
	cd .. && rm -rf repo
	sittings 1000 1010 992 1004 990 1008
	commit late
	git tag late
	sitting late 9000000 1200
	works check c5 late
	[[ $output == "maybe slower"* ]] || fail "$output"
}

@test "check: what one of many sittings did once, another may do again" {
	# one in 24 was 18 % slower: their deviation is 3.4 %, but the machine can do that
	sittings 1000 1010 992 1004 990 1008 1002 996 1000 1180 1010 992 1004 990 1008 1002 996 1000 1003 997 1006 994 1001 1000 1200
	works check c23 c24
	[[ $output == "maybe slower"* && $output == *"decides"* ]] || fail "$output"
}

@test "check: versions that were measured by turns are one sitting" {
	local at us i
	repository repo
	rarog -q init
	for at in 0 1 2 3 4 5 6; do
		commit "c$at"
		git tag "c$at"
	done
	at=0
	for us in 1000 1002 998 1001 999 1000; do # runs of all begin within the same minutes
		sitting "c$at" $((1000000 + at)) "$us"
		HEADER="$(untraced "$us"),\"started_ns\":$(((1000100 + at) * 1000000000))" run_of run.rarog $((us * 600))
		rarog -q add --version "c$at" --force run.rarog
		at=$((at + 1))
	done
	sitting c6 1000200 1050
	works check c5 c6
	[[ $output == "maybe slower"* ]] || fail "$output"
}

@test "check: the same program is no change, whatever the machine did; another tree or library may be one" {
	local i same=',"tree":"0123456789012345678901234567890123456789","software":{"programs":{"prog":"abc"},"libraries":{"libc.so.6":"%s"}}'

	mkdir a b other tree none
	for ((i = 0; i < 8; i++)); do
		HEADER="$(untraced 1000)$(printf "$same" def)" run_of a/$i.rarog $((1000000 + i * 311 % 1700))
		HEADER="$(untraced 1300)$(printf "$same" def)" run_of b/$i.rarog $((1300000 + i * 311 % 1700))
		HEADER="$(untraced 1300)$(printf "$same" 123)" run_of other/$i.rarog $((1300000 + i * 311 % 1700))
		HEADER="$(untraced 1300)$(printf "${same/0123/0124}" def)" run_of tree/$i.rarog $((1300000 + i * 311 % 1700))
		HEADER="$(untraced 1300)$(printf "$same" '')" run_of none/$i.rarog $((1300000 + i * 311 % 1700))
	done
	works check a/ b/ --fail-on maybe
	[[ $output == "nothing changed"* && $output == *"the same program"* && $output != *"would tell"* ]] || fail "$output"
	exits 1 check a/ other/
	exits 1 check a/ tree/
	exits 1 check a/ none/
	# the tree of a commit is not what was measured with changes that are in none
	for changed in '"dirty":true' '"diff":"sha256:01"'; do
		rm -rf changed
		HEADER="$(untraced 1300)$(printf "$same" def),$changed" runs_of changed 1300000
		exits 1 check a/ changed/
		[[ $output != *"the same program"* ]] || fail "$output"
	done
	# what is given to it is another thing
	HEADER="$(untraced 1300)$(printf "$same" def),\"job\":{\"command\":\"./prog\",\"arguments\":\"3\"}" runs_of given 1300000
	exits 1 check a/ given/ --force
	[[ $output != *"the same program"* ]] || fail "$output"
}

@test "check: the same program that opens the same files is no change, whatever else is in the tree" {
	local i same=',"tree":"%s","opened":{"files":2,"digest":"%s"},"software":{"programs":{"prog":"abc"},"libraries":{"libc.so.6":"def"}}'

	mkdir a readme data
	for ((i = 0; i < 8; i++)); do
		HEADER="$(untraced 1000)$(printf "$same" 01 0f)" run_of a/$i.rarog $((1000000 + i * 311 % 1700))
		HEADER="$(untraced 1300)$(printf "$same" 02 0f)" run_of readme/$i.rarog $((1300000 + i * 311 % 1700))
		HEADER="$(untraced 1300)$(printf "$same" 01 1f)" run_of data/$i.rarog $((1300000 + i * 311 % 1700))
	done
	works check a/ readme/ --fail-on maybe
	[[ $output == "nothing changed"* && $output == *"the same program"* ]] || fail "$output"
	exits 1 check a/ data/
	# what only one opened may be another input
	local each=',"opened":{"files":2,"digest":"%s","each":{"prog":"01","%s":"%s"}},"software":{"programs":{"prog":"abc"},"libraries":{"libc.so.6":"def"}}'
	local one=',"tree":"01"'$each
	mkdir one walked changed elsewhere other
	for ((i = 0; i < 8; i++)); do
		HEADER="$(untraced 1000)$(printf "$one" 0f data 02)" run_of one/$i.rarog $((1000000 + i * 311 % 1700))
		HEADER="$(untraced 1300)$(printf "$one" 1f data 02\",\"folder\":\"03)" run_of walked/$i.rarog $((1300000 + i * 311 % 1700))
		HEADER="$(untraced 1300)$(printf "$one" 1f data 03)" run_of changed/$i.rarog $((1300000 + i * 311 % 1700))
		HEADER="$(untraced 1300)$(printf "$one" 1f data 02\",\"/folder\":\"03)" run_of elsewhere/$i.rarog $((1300000 + i * 311 % 1700))
		HEADER="$(untraced 1300)$(printf "${one/01/02}" 1f data 02\",\"folder\":\"03)" run_of other/$i.rarog $((1300000 + i * 311 % 1700))
	done
	for i in walked changed elsewhere other; do # no repository tells what is in the tree
		exits 1 check one/ $i/
	done
	# whatever it was given, it was something else: it calls work more often in every run
	CALLS=300 HEADER="$(untraced 1300)$(printf "$same" 01 0f)" runs_of more 1300000
	exits 1 check a/ more/
	[[ $output == *"the same program, but work is called a different number of times"* ]] || fail "$output"
	# not in every run: what differs is not what it was given
	CALLS=100 HEADER="$(untraced 1300)$(printf "$same" 01 0f)" run_of more/0.rarog 1300000
	works check a/ more/ --fail-on maybe
}

@test "check: too few runs are inconclusive, and the number needed is said" {
	run_of a.rarog 1000000
	run_of b.rarog 2000000
	exits 4 check a.rarog b.rarog
	[[ $output == "the runs do not tell"* ]]
	[[ $output == *"too few runs: at least 6 of each version are needed for 2 functions"* ]]
}

@test "check: a function inlined in one version only is counted with its caller" {
	runs_of a 1000000
	mkdir b
	for i in 0 1 2 3 4 5 6 7; do
		profile b/$i.rarog <<-END
			header {"command":["./prog"],"collector":"trace","engine":"inline","parameters":{},"end":{"exit_status":0,"wall_ns":1500000},"machine":{"architecture":"x86_64","cpu":"Test","cpus":2,"kernel":"6.1"}}
			binary /usr/bin/prog abc
			location main file=/src/prog.c line=40
			location parse file=/src/prog.c line=30
			location idle file=/src/prog.c line=20
			process 100 - 0 5000000 0 "./prog"
			strand 0 100 0 5000000
			> main 10
			> parse 1000
			> idle $((1001010 + i * 100))
			< 400000
			< 100
			< 10
			inlined work parse /src/prog.c 33
		END
	done
	works check a/ b/ --json
	[ "$(jq -r '[.changes[] | select(.location == "parse")][0].class' <<<"$output")" = NoChange ]
	[ "$(jq -r '[.changes[] | select(.location == "work")] | length' <<<"$output")" = 0 ]
}

@test "check: clones, moved and renamed functions are the same function" {
	runs_of a 1000000
	for name in work.constprop.0 work.isra.0 do_work; do
		rm -rf b
		WORK=$name LINE=12 SIZE=66 runs_of b 1000000
		works check a/ b/ --json
		[ "$(jq '[.changes[] | select(.class | startswith("NotIn"))] | length' <<<"$output")" = 0 ]
	done
	# another function at another place of another size is another one
	rm -rf b
	WORK=other LINE=900 SIZE=640 CALLS=80 runs_of b 1000000
	run_rarog check a/ b/ --json
	[ "$(jq -r '[.changes[] | select(.class == "NotInBaseline") | .location] | join(" ")' <<<"$output")" = other ]
}

@test "check: what cannot be compared is refused, and marked when it is forced" {
	runs_of a 1000000
	runs_of b 1000000
	HEADER=',"job":{"command":"./other"}' runs_of other 1000000 6
	exits 3 check a/ other/
	[[ $errors == *"cannot be compared"*"commands"*"--force"* ]]
	COLLECTOR=memory runs_of memory 1000000 6
	exits 3 check a/ memory/
	[[ $errors == *"collector"* ]]
	HEADER=',"software":{"compilers":{"GNU C17 12":["-O2"]}}' runs_of gcc 1000000 6
	HEADER=',"software":{"compilers":{"clang 14":["-O2"]}}' runs_of clang 1000000 6
	exits 3 check gcc/ clang/
	[[ $errors == *"different compilers"* ]]
	works check gcc/ clang/ --force
	[[ $output == *"(6 and 6 runs, not comparable)"* ]]
	[[ $output == *"note: forced: different compilers"* ]]
	[ "$(rarog check gcc/ clang/ --force --json | jq .checks[0].is_forced)" = true ]
}

@test "check: bad input is one line each" {
	mkdir empty
	run_of a.rarog 1000000
	HEADER=',"untraced":[{"wall_ns":-5,"user_ns":1,"system_ns":1}]' run_of negative.rarog 1000000
	HEADER=',"untraced":[{"wall_ns":"nan","user_ns":1,"system_ns":1}]' run_of nan.rarog 1000000
	exits 3 check a.rarog empty/
	[[ $errors == *"no profile (*.rarog) in this directory"* ]]
	for bad in negative nan; do
		exits 3 check a.rarog $bad.rarog
		[[ $errors == *"'wall_ns' of its header is no duration"* ]]
	done
	exits 3 check a.rarog empty
	[[ $errors == *"write 'empty/'"* ]]
	exits 3 check a.rarog missing.rarog
	[ "$(wc -l <errors.txt)" = 1 ]
	exits 2 check a.rarog a.rarog a.rarog
	exits 2 check --method nothing a.rarog a.rarog
	exits 2 check --set alpha=7 a.rarog a.rarog
	exits 3 check
	exits 2 check --all
}

@test "check: formats for programs and services are sound" {
	runs_of a 1000000
	WORK='"w<&>\"x\n"' runs_of b 1200000
	WORK='"w<&>\"x\n"' runs_of a 1000000
	for format in json sarif; do
		exits 1 check a/ b/ --$format
		jq -e . <<<"$output" >/dev/null
	done
	[ "$(jq -r '.runs[0].results[0].level' <<<"$output")" = error ]
	[ "$(jq -r '.runs[0].results[0].locations[0].physicalLocation.region.startLine' <<<"$output")" = 10 ]
	run_rarog check a/ b/ --junit
	python3 -c 'import sys, xml.etree.ElementTree as t; r = t.fromstring(sys.stdin.read()); assert len(r.findall(".//failure")) == 1' <<<"$output"
	run_rarog check a/ b/ --github
	[[ $output == "::error file=/src/prog.c,line=10,title=rarog check::"* ]]
	[ "$(wc -l <<<"$output")" = 1 ]
	exits 1 check a/ b/ --markdown -o comment.md
	grep -q '^### slower: ' comment.md
	[ -z "$output" ]
}

# counted FOLDER CALLS…: for each number a run that calls work() so often, without any times
counted() {
	local folder=$1 calls
	shift
	mkdir "$folder"
	for calls; do
		profile "$folder/$((i += 1)).rarog" <<-END
			header {"command":["./prog"],"collector":"trace","engine":"inline","parameters":{}}
			detail count
			location work
			process 1 - 0 10 0 prog
			strand 0 1 0 10
			repeat $calls
			> work 0
			< 1
			end
		END
	done
}

@test "check: only numbers of calls" {
	counted a 100 100
	counted b 110 110
	exits 1 check a/ b/
	[[ $output == *slower*work*100*110*"+10.0 %"* ]]
	[[ $output == *"only calls were counted"* ]]
}

@test "check: numbers of calls that vary in both versions tell nothing where they are apart" {
	counted a 100 101
	counted b 1000 1003
	counted c 99 102
	exits 4 check a/ b/
	[[ $output == "the runs do not tell"*"not the same in every run"* ]] || fail "$output"
	works check a/ c/
}

@test "check: runs in which no function was measured tell nothing" {
	for side in a b; do
		profile $side.rarog <<-END
			header {"command":["./prog"],"collector":"trace","engine":"inline","parameters":{}}
			process 1 - 0 $([ $side = a ] && echo 1000 || echo 9000) 0 prog
			strand 0 1 0 1000
		END
	done
	exits 4 check a.rarog b.rarog
	[[ $output == "the runs do not tell"* ]] || fail "$output"
}

# measured COMMIT WORK_NS: eight profiles of it in the store
measured() {
	local i

	for ((i = 0; i < 8; i++)); do
		HEADER=",\"commit\":\"$1\",\"dirty\":false,\"started_ns\":1700000000000000${i}00" \
			IDLE=$((400000 + i * 137 % 1000)) run_of m.rarog $(($2 + i * 311 % 1700))
		rarog -q add m.rarog >/dev/null
	done
}

# The verdict that a page says its version has.
verdict_of() {
	python3 - "$1" <<-'END'
		import base64, json, re, sys, zlib
		text = re.search(r'id="data">([A-Za-z0-9+/=]*)<', open(sys.argv[1]).read()).group(1)
		page = json.loads(zlib.decompress(base64.b64decode(text), -15))
		assert (page["changes"] > 0) == (page["verdict"] is not None), page["changes"]
		print(page["verdict"])
	END
}

@test "check: the base is found, the verdict is kept, ranges are walked" {
	repository r
	rarog -q init
	first=$(git rev-parse HEAD)
	measured "$first" 1000000
	exits 3 check
	[[ $errors == *"no ancestor was measured"* ]]
	commit second # not measured
	commit third
	third=$(git rev-parse HEAD)
	measured "$third" 1200000
	exits 1 check
	[[ $output == "slower   ${first:0:10} -> HEAD"* ]]
	[[ $output == *"the base is the nearest ancestor"* ]]
	[[ $output == *"1 commits in between"* ]]
	[[ $(rarog log --oneline) == *degradation* ]] || [[ $(rarog log) == *degradation* ]]
	works report "$third" -o third.html
	[ "$(verdict_of third.html)" = degradation ] || fail "$(verdict_of third.html)"
	works report "$first" -o first.html
	[ "$(verdict_of first.html)" = None ]
	commit fourth
	measured "$(git rev-parse HEAD)" 1200300
	works check
	rarog -q tag stable "$first"
	exits 1 check
	[[ $output == *"the newest ancestor tagged stable"* ]]
	exits 1 check "$first" HEAD
	exits 1 check --all "$first..HEAD" --json
	[ "$(field checks.0.verdict)" = degradation ]
	[ "$(field checks.1.verdict)" = none ]
	exits 3 check --all HEAD..HEAD
	[ "$(wc -l <errors.txt)" = 1 ]
}

@test "check: merges are compared with what they were merged into, branches with their start" {
	repository r
	rarog -q init
	measured "$(git rev-parse HEAD)" 1000000
	git checkout -q -b side
	commit on-side
	measured "$(git rev-parse HEAD)" 1500000
	exits 1 check
	[[ $output == *"where the branch left the main branch"* ]]
	git checkout -q main
	echo x >other && git add other && git commit -q -m on-main
	measured "$(git rev-parse HEAD)" 1000100
	git merge -q -X ours side -m merge
	measured "$(git rev-parse HEAD)" 1500000
	exits 1 check
	[[ $output == *"the base is the nearest ancestor"* ]]
	[[ $output == "slower   $(git rev-parse --short=10 HEAD~1)"* ]]
}

@test "check: changed lines of the function" {
	repository r
	rarog -q init
	printf 'line %d\n' $(seq 50) >prog.c
	git add prog.c && git commit -q -m prog
	measured "$(git rev-parse HEAD)" 1000000
	sed -i '13s/.*/slow/; 25s/.*/elsewhere/' prog.c
	git commit -q -a -m slow
	measured "$(git rev-parse HEAD)" 1200000
	exits 1 check --json
	[ "$(jq -r '[.changes[] | select(.location == "work")][0].lines' <<<"$output")" = prog.c:13 ]
	[ "$(jq -r '[.changes[] | select(.location == "work")][0].file' <<<"$output")" = prog.c ]
}

# prog.c: step is called N times; INLINE says whether as a function
real_program() {
	cat >prog.c <<-END
		#include <stdlib.h>
		static volatile unsigned long sum;
		__attribute__(($2)) static $3 void step(unsigned long i) { sum += i * i; }
		__attribute__((noinline)) static void work(unsigned long n) { while (n--) step(n); }
		int main(int argc, char **argv) { work(strtoul(argv[argc - 1], NULL, 0) * $1); return 0; }
	END
	gcc -O2 -g -o prog prog.c
}

@test "check: more calls of a real program are counted exactly" {
	mkdir a b
	factor=10
	for side in a b; do
		real_program $factor noinline ""
		factor=12
		for i in 1 2; do
			rarog -q collect --detail=count -o $side/$i.rarog -- ./prog 100
		done
	done
	exits 1 check a/ b/ --json
	[ "$(jq -r '.changes[] | select(.location == "step" and .metric == "calls") | [.baseline, .target, .class] | join(" ")' <<<"$output")" = \
		"1000 1200 Degradation" ]
}

@test "check: what gcc inlines in one version of a real program is neither new nor gone" {
	mkdir a b
	real_program 10 noinline ""
	for i in 1 2 3 4 5; do rarog -q collect -o a/$i.rarog -- ./prog 500; done
	real_program 10 always_inline inline
	for i in 1 2 3 4 5; do rarog -q collect -o b/$i.rarog -- ./prog 500; done
	run_rarog check a/ b/ --json
	[ "$status" -ne 3 ] || fail "$errors"
	[ "$(jq '[.changes[] | select(.location == "step")] | length' <<<"$output")" = 0 ]
	[ "$(jq '[.changes[] | select(.location == "work")] | length' <<<"$output")" = 1 ]
}

@test "check: methods are listed" {
	works check --methods
	[[ $output == *runs*alpha=0.01*smallest-effect=0.02* ]]
}

@test "check: --html writes a page besides; output and status stay" {
	runs_of a 1000000
	runs_of b 1100000
	run_rarog check a/ b/
	plain=$output
	exits 1 check a/ b/ --html page.html
	[ "$output" = "$plain" ]
	grep -qF '<title>a/ → b/ – rarog</title>' page.html
	exits 1 check a/ b/ --json --html page.html
	[ "$(jq -r .verdict <<<"$output")" = degradation ]
	exits 2 check a/ b/ --html -
	[[ $errors == *"--html needs a file"* ]]
	exits 3 check a/ b/ --html missing/page.html
	exits 2 check a/ b/ --html a/0.rarog
	[[ $errors == *"a/0.rarog is one of the profiles"* ]]
}

@test "check: every number of the page of two versions is that of the profiles" {
	runs_of a 1000000 5
	runs_of b 1100000 4
	run_rarog check a/ b/ --html page.html
	"$repo/tests/tools/check-pair" "$RAROG" page.html a b || fail "they differ"
	mkdir c d
	factor=10
	for side in c d; do
		real_program $factor noinline ""
		factor=12
		for i in 1 2; do
			rarog -q collect -o $side/$i.rarog -- ./prog 100
		done
	done
	rarog report -q c/ d/ -o real.html
	"$repo/tests/tools/check-pair" "$RAROG" real.html c d --calls || fail "they differ"
}

# lambdas FILE [LAMBDA SIZE NS]…: one run of main, which calls each
lambdas() {
	local file=$1 locations="" calls="" all=0

	shift
	while [ $# -gt 0 ]; do
		locations+="location \"$1\" file=/src/l.cc line=3 size=$2"$'\n'
		calls+="> \"$1\" 0"$'\n'"< $3"$'\n'
		all=$((all + $3))
		shift 3
	done
	profile "$file" <<-END
		header {"command":["./l"],"collector":"trace","engine":"inline","parameters":{},"end":{"exit_status":0,"wall_ns":$all,"user_ns":$all,"system_ns":0},"machine":{"architecture":"x86_64","cpu":"Test","cpus":2,"kernel":"6.1"}}
		binary /usr/bin/l abc
		location main file=/src/l.cc line=1 size=100
		$locations
		process 100 - 0 900000000 0 "./l"
		strand 0 100 0 900000000
		> main 10
		$calls
		< 10
	END
}

# the first of two lambdas is taken out, so the second is #1; the time of each is ten times the other's
@test "lambdas are known by their code, not by their number" {
	mkdir before after twins
	for i in 1 2 3 4 5 6; do
		lambdas "before/$i.rarog" "main::{lambda()#1}::operator()() const" 40 $((1000000 + i)) "main::{lambda()#2}::operator()() const" 60 $((10000000 + i))
		lambdas "after/$i.rarog" "main::{lambda()#1}::operator()() const" 60 $((10000000 + i))
		lambdas "twins/$i.rarog" "main::{lambda()#1}::operator()() const" 40 $((10000000 + i))
	done
	run_rarog check before/ after/ --json
	[ "$status" -eq 0 ] || fail "$output $errors"
	jq -e '[.changes[] | select(.location | test("lambda")) | .class] | sort == ["NoChange", "NotInTarget"]' \
		<<<"$output" >/dev/null || fail "$output"
	# the one that is left has the body of the one that is gone, and its own number: one of two is meant, which is not known
	for i in before/*; do
		lambdas "$i" "main::{lambda()#1}::operator()() const" 40 1000000 "main::{lambda()#2}::operator()() const" 40 10000000
	done
	run_rarog check before/ twins/ --json
	[ "$status" -ne 1 ] || fail "$output $errors"
	jq -e '[.changes[] | select(.location | test("lambda")) | .class] | sort == ["NotInBaseline", "NotInTarget", "NotInTarget"]' \
		<<<"$output" >/dev/null || fail "$output"
}
