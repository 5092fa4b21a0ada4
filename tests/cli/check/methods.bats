#!/usr/bin/env bats
# The methods of rarog check that compare models, averages and outliers, and the strategies in the
# settings that choose them. Profiles are made by tests/tools/make-curves; with RAROG_PERUN_PROFILES
# naming a directory of real .perf files, these are judged, too.

load ../helper
load ../repositories

make_profile=${RAROG_BUILD:-$repo/build}/tests/make-profile

setup_file() {
	load ../helper
	"$repo/tests/tools/make-curves" "$BATS_FILE_TMPDIR/curves"
	for file in "$BATS_FILE_TMPDIR"/curves/*.perf; do
		"$RAROG" import -q -o "${file%.perf}.rarog" "$file"
	done
}

# verdict METHOD BASELINE TARGET OPTION…: "class location change" of what is not NoChange, by line
verdict() {
	local method=$1 baseline=$BATS_FILE_TMPDIR/curves/$2.rarog target=$BATS_FILE_TMPDIR/curves/$3.rarog

	shift 3
	status=0
	"$RAROG" check --force -m "$method" "$@" --json "$baseline" "$target" >check.json || status=$?
	python3 - <<-'END'
		import json
		for c in json.load(open("check.json"))["changes"]:
		    if c["class"] != "NoChange":
		        relative = "-" if c["relative"] is None else f"{100 * c['relative']:+.0f}%"
		        print(c["class"], c["location"], relative)
	END
}

# expect METHOD BASELINE TARGET LINES: these verdicts, in any order
expect() {
	diff <(verdict "$1" "$2" "$3" "${@:5}" | sort) <(printf '%s' "${4:+$4$'\n'}" | sort) ||
		fail "$1 $2 $3: $(grep -o '"reason": "[^"]*"' check.json | head -3)"
}

@test "regression checks: shifted, steeper, bent, and each the other way round" {
	for method in polynomial-regression linear-regression fast-regression; do
		expect $method line again ""
		expect $method line shifted "Degradation search +39%"
		expect $method shifted line "Optimization search -28%"
		grep -q 'the difference is constant' check.json || verdict $method shifted line
		expect $method line steeper "MaybeDegradation search +20%"
		expect $method steeper line "MaybeOptimization search -17%"
		verdict $method line steeper >/dev/null
		grep -q 'the difference is linear' check.json
	done
	expect PREG line bent "Degradation search +39%"
	verdict PREG line bent >/dev/null
	grep -q 'quadratic against linear.*the difference is quadratic' check.json
	expect LREG line bent "MaybeDegradation search +20%"
	expect FAST line shifted "" --set maybe=0.5 --set sure=1
}

@test "best-model order: another class of complexity, however steep" {
	expect best-model-order list list-slower ""
	expect best-model-order list square "Degradation search -"
	expect best-model-order square list "Optimization search -"
	expect best-model-order list logarithm "Optimization search -"
	verdict BMOE list square >/dev/null
	grep -q 'linear (linear) before, quadratic (' check.json
	expect BMOE list square "Unknown search -" --set trust=1
}

@test "integral comparison: the common interval only" {
	expect integral-comparison line again ""
	expect INT line shifted $'MaybeDegradation search +20%\nMaybeDegradation search +20%'
	expect INT line bent $'Degradation search +55%\nDegradation search +55%'
	expect INT short long "" # called ten times more often, not slower
	expect INT short longest "Unknown grow -"
	exits 4 check -m INT "$BATS_FILE_TMPDIR"/curves/{short,longest}.rarog
	[[ "$output" == *"hardly a common interval: 0 to 396, 0 to 396000"* ]] || fail "$output"
}

@test "local statistics: where it got slower" {
	expect local-statistics line shifted "MaybeDegradation search +20%" --set models=0 --set parts=4
	verdict LOC line shifted --set models=0 --set parts=4 >/dev/null
	grep -q 'slower by 77% at 1 to 500001; maybe slower by 14% at 500001 to 1e+06' check.json
	tr -d ' \n' <check.json |
		grep -qE '"parts":\[\{"class":"Degradation","from":1,"to":500001,"relative":0\.7[67][0-9]*\},'
	expect LOC line line "" --set parts=1
}

@test "models that came along: a spike in a moving average, a bucket of a regressogram" {
	for method in INT LOC; do
		expect $method models models-slower $'Degradation x +93%\nMaybeDegradation x +16%' \
			--set models=3
		expect $method models models "" --set models=3
	done
	verdict LOC models models-slower --set models=3 >/dev/null
	grep -q 'at 146583 to 159908' check.json
	expect BMOE models models-slower ""
}

@test "average amount: by a factor, of times and of other units" {
	expect average-amount list square "Degradation search +2893%"
	expect AAT square list "Optimization search -97%"
	expect AAT list list-slower ""
	expect AAT list list-slower "Degradation search +10%" --set factor=1.05
	expect AAT zero zero ""
}

@test "exclusive-time outliers: what stands out, what came and went, what it sums up to" {
	expect exclusive-outliers traced traced ""
	expect ETO traced traced-slower "$(printf '%s\n' "SevereDegradation swap +20%" \
		"NotInTarget gone -100%" "NotInBaseline new -" "TotalDegradation  +9%" \
		"TotalDegradation sorts +9%")"
	expect ETO traced traced-slower $'NotInTarget gone -100%\nNotInBaseline new -' \
		--set cutoff=0.2 --set total=0.2
}

@test "points of single calls: the number of the call" {
	printf '%s\n' 'int work(int n) { volatile int x = 0; for (int i = 0; i < n; i++) x += i; return x; }' \
		'int main(void) { int s = 0; for (int i = 0; i < 40; i++) s += work(100); return s & 1; }' >p.c
	cc -O1 -fno-inline -o p p.c
	rarog collect -q -o a.rarog -- ./p || true
	works check -m INT --set models=0 --set trust=0 --json a.rarog a.rarog
	[[ "$output" == *"over 1 to 40"* ]] || fail "$output"
	rarog collect -q --detail=summary -o b.rarog -- ./p || true
	exits 4 check -m INT b.rarog b.rarog
	[[ "$output" == *"--detail=calls"* ]] || fail "$output"
}

@test "strategies: the first that fits, or all" {
	local curves=$BATS_FILE_TMPDIR/curves

	git init -q .
	cat >.rarog.yml <<-'END'
		check:
		  apply: first
		  strategies:
		    - method: ETO
		      collector: time
		    - method: best-model-order
		      command: "*prog"
		      set: { trust: 0.8 }
		    - method: integral-comparison
	END
	exits 1 check --json "$curves"/{list,square}.rarog
	[[ "$output" == *best-model-order* && "$output" != *integral-comparison* ]] || fail "$output"
	run_rarog -c check.apply=all check --json "$curves"/{list,square}.rarog
	[[ "$output" == *best-model-order* && "$output" == *integral-comparison* ]] || fail "$output"
	[[ "$output" != *exclusive-outliers* ]] || fail "$output"
	# named ones go first, what fits nothing is checked by the standard method
	run_rarog check -m AAT --json "$curves"/{list,square}.rarog
	[[ "$output" == *average-amount* && "$output" != *best-model* ]] || fail "$output"
	sed -i 's/integral-comparison/INT\n      label: x/; s/prog/other/' .rarog.yml
	run_rarog check --json "$curves"/{list,square}.rarog
	[[ "$output" != *best-model* && "$output" != *integral* ]] || fail "$output"
}

@test "strategies: mistakes are named by their place" {
	local curves=$BATS_FILE_TMPDIR/curves

	git init -q .
	said() { # STRATEGY WORDS
		printf 'check:\n  strategies:\n    - %s\n' "$1" >.rarog.yml
		exits 3 check "$curves"/{list,square}.rarog
		[[ "$errors" == *".rarog.yml:3:"*"$2"* ]] || fail "$errors"
	}
	said '{ collector: trace }' 'a strategy needs a method'
	said '{ method: integral }' "'integral' is no method of checking"
	said '{ method: INT, set: { shure: 1 } }' "has no threshold 'shure'"
	said '{ method: INT, set: { sure: -1 } }' 'must be a number from 0'
	said '{ method: INT, set: 3 }' 'a map of thresholds'
	said '{ method: INT, colector: trace }' 'collector'
	said '{ method: INT, command: "/(/" }' '('
	said 'INT' 'a strategy'
	printf 'check:\n  apply: some\n' >.rarog.yml
	exits 3 check "$curves"/{list,square}.rarog
	[[ "$errors" == *".rarog.yml:2:"* ]] || fail "$errors"
}

# What the original's own tests expect where they are right (doc/design/methods.md).
@test "Perun's own profiles have Perun's own verdicts" {
	[ -n "${RAROG_PERUN_PROFILES:-}" ] || skip "RAROG_PERUN_PROFILES names no directory of .perf files"
	local real=$RAROG_PERUN_PROFILES/gpl3-perun-tests name

	[ -d "$real/degradation" ] || skip "$RAROG_PERUN_PROFILES has no gpl3-perun-tests/degradation"
	for name in degradation/{lin1,lin2,lin3,lin4,linear_base,linear_base_degradated,quad_base,zero} \
		baseline_all_models degradation/target_all_models tracer_baseline tracer_target; do
		rarog import -q -o "$BATS_FILE_TMPDIR/curves/real-${name#*/}.rarog" "$real/$name.perf"
	done
	local f='skiplistSearch(skiplist*, int)'

	for method in PREG LREG FAST; do
		expect $method real-lin1 real-lin2 "Degradation $f +39%"
		expect $method real-lin1 real-lin3 "MaybeDegradation $f +20%"
		expect $method real-lin3 real-lin1 "MaybeOptimization $f -17%"
	done
	expect BMOE real-linear_base real-linear_base_degradated ""
	expect BMOE real-linear_base real-quad_base "Degradation SLList_search(SLList*, int) -"
	expect BMOE real-quad_base real-linear_base "Optimization SLList_search(SLList*, int) -"
	expect AAT real-zero real-zero ""
	verdict AAT real-linear_base_degradated real-quad_base | grep -q '^Degradation SLList_search'
	verdict AAT real-quad_base real-linear_base_degradated | grep -q '^Optimization SLList_search'
	verdict ETO real-tracer_baseline real-tracer_target | grep -q '^TotalDegradation'
	expect ETO real-tracer_baseline real-tracer_baseline ""
	verdict INT real-baseline_all_models real-target_all_models --set models=3 --set stored-models=1 |
		grep -v '^NotIn' | sort >found
	diff found - <<-'END'
		Degradation skipwhite +30%
		Degradation test_for_current +34%
		Degradation test_for_static +91%
		Degradation vim_regexec +41%
		MaybeDegradation test_for_static +15%
		MaybeDegradation vim_isblankline +22%
		Unknown ga_grow -
	END
}

# growth_of ARGUMENT…: the class that growth found of each function, and how its reason begins
growth_of() {
	run_rarog check "$@" --json
	printf '%s' "$output" | python3 -c '
import json, sys
for c in sorted((c for c in json.load(sys.stdin)["changes"] if c["method"] == "growth"), key=lambda c: c["location"]):
    print(c["location"], c["class"], c["reason"].split(" (")[0], c["reason"].split(") before, ")[1].split(" (")[0])'
}

@test "growth: a function that became quadratic is named with both models, beside the standard method" {
	[ -x "${RAROG_BUILD:-$repo/build}/src/vex/rarog-vex" ] || skip "needs a build with valgrind"
	program check/growth -O1 -g
	works --quiet collect --engine vex --args nested --args straight -o before.rarog -- ./growth
	program check/growth -O1 -g -DNESTED
	works --quiet collect --engine vex --args nested --args straight -o now.rarog -- ./growth
	[ "$(growth_of before.rarog now.rarog)" = "nested SevereDegradation linear quadratic
straight NoChange linear linear" ] || fail "$output"
	[ "$(growth_of now.rarog before.rarog)" = "nested SevereOptimization quadratic linear
straight NoChange linear linear" ] || fail "$output"
	exits 1 check -m growth before.rarog now.rarog
	works check -m growth before.rarog before.rarog
}

# given NAME START EXPRESSION: NAME.rarog, a run that began at second START, with calls of nested that were given n
# and took EXPRESSION ns, and some ns more
given() {
	local round n

	{
		echo 'header {"collector":"trace","engine":"inline","command":["./p"],"started_ns":'"$2"'000000000}'
		printf '%s\n' 'location main' 'location nested' 'argument n nested' 'process 1 - 0 1000000000 0 ./p' 'strand 0 1 0' '> main 0'
		for round in {1..10}; do
			for n in 10 15 22 33 49 73 109 163 244 366 549 823 1234 1851; do
				printf '> nested 1\nvalue 0 %d\n< %d\n' $n $((($3) + (round * n) % 7))
			done
		done
		echo '< 0'
	} | "$make_profile" "$1.rarog"
}

@test "growth: of times that were measured one after the other it is at most maybe" {
	given before 1700000000 '20 + 3 * n'
	given now 1700000060 '20 + n * n / 2'
	[ "$(growth_of before.rarog now.rarog)" = "nested MaybeDegradation linear quadratic" ] || fail "$output"
	works check -m growth before.rarog now.rarog
	[[ $output =~ "maybe slower"\ +nested && $output == *"one after the other"*"check --measure"* ]] || fail "$output"
	exits 1 check -m growth --fail-on maybe before.rarog now.rarog
}

@test "growth: values are needed, and some that both versions have" {
	program check/growth -O1 -g
	works --quiet collect -o calls.rarog -- ./growth
	run_rarog check -m growth calls.rarog calls.rarog
	[[ "$output$errors" == *"rarog collect --args FUNC keeps them"* ]] || fail "$output$errors"
}

# sizes_of FOLDER EXPRESSION START [OPTION]: four runs of each of eight sizes n, a minute apart from second START on,
# in which f takes so long and g 5 n; the size is the number of the workload, or the value of OPTION
sizes_of() {
	local n i ns job configuration alone start=$((1700000000 + $3))

	mkdir -p "$1"
	for n in 10 20 40 80 160 320 640 1280; do
		for i in 1 2 3 4; do
			ns=$((1000 * ($2))) start=$((start + 60)) alone=
			[ -z "${untraced:-}" ] || alone='"untraced":[{"wall_ns":'$((ns + 5000 * n))'}],'
			job='"workload":{"name":"sizes:'$n'","number":'$n'}' configuration=
			[ -z "${4:-}" ] || job='"workload":"w"' configuration='"configuration":{"'$4'":"'$n'"},'
			"$make_profile" "$1/$n-$i.rarog" <<-END
				header {"collector":"trace","engine":"inline","parameters":{},"command":["./p"],"started_ns":${start}000000000,"machine":{"class":"${machine:-one}"},$configuration"job":{"command":"./p","collector":"trace",$job},$alone"end":{"wall_ns":$((ns + 5000 * n))}}
				location main
				location f
				location g
				process 1 - 0 100000000 0 ./p
				strand 0 1 0
				> main 0
				> f 0
				< $((ns + i))
				> g 0
				< $((5000 * n + i))
				< 0
			END
		done
	done
}

# grown ARGUMENT…: what growth found over runs, with the job that it is told of
grown() {
	run_rarog check "$@" --json
	printf '%s' "$output" | python3 -c '
import json, sys
d = json.load(sys.stdin)
for c in d["changes"]:
    if c["method"] == "growth":
        print(d["checks"][c["check"]]["job"], "|", c["location"], c["class"], "|", c["reason"])'
}

@test "growth over runs: a function that became quadratic from workload to workload" {
	sizes_of before '3 * n + 50' 0
	sizes_of now '3 * n + 50 + n * n / 10' 30
	sizes_of steeper '6 * n + 100' 30
	grown before/ now/ >found
	grep -q '^./p · sizes:1280 | f SevereDegradation | linear (.*) before, quadratic (.*) now; amounts are at n = 1280$' found ||
		fail "$(cat found)"
	if grep -q '| g ' found; then fail "$(cat found)"; fi
	grown now/ before/ | grep -q '| f SevereOptimization |' || fail "$output"
	# within a class the jobs say it one by one
	[ "$(grown before/ steeper/)" = "" ] || fail "$output"
	[ "$(grown before/ before/)" = "" ] || fail "$output"
}

@test "growth over runs: an option of the program is x, too; other methods leave it alone" {
	sizes_of before '3 * n + 50' 0 level
	sizes_of now '3 * n + 50 + n * n / 10' 30 level
	grown before/ now/ | grep -q '| f SevereDegradation | linear (.*) before, quadratic (.*) now; amounts are at level = 1280$' ||
		fail "$output"
	[ "$(grown -m average-amount before/ now/)" = "" ] || fail "$output"
}

# page EXPRESSION: python, of the last check of page.html as c; both(m) are class and formula before and now
page() {
	python3 - "$1" <<'END'
import base64, json, re, sys, zlib
text = re.search(r'id="data">([A-Za-z0-9+/=]*)<', open("page.html").read()).group(1)
checks = json.loads(zlib.decompress(base64.b64decode(text), -15))["checks"]
c = next(c for c in checks if "1280" in c["job"] or len(checks) == 1)
said = lambda list, name: next((m["pieces"][0]["class"], m["count"], c["functions"]["name"][m["function"]] if m["function"] >= 0 else "")
                               for m in list if m["name"] == name)
both = lambda name: [said(c["models"][side], name) for side in ("before", "now")]
print(eval(sys.argv[1]))
END
}

# drawn SVG TITLE BEFORE NOW: one plane with that title, with curves of these classes
drawn() {
	[ "$(grep -c '<polyline' "$1")" -eq 2 ] && grep -q ">$2<" "$1" && grep -q ">before: $3, " "$1" && grep -q ">now: $4, " "$1" ||
		fail "$(grep '<text' "$1")"
}

@test "growth: the report of two versions has the models of both" {
	program check/growth -O1 -g
	works --quiet collect --engine vex --args nested --args straight -o before.rarog -- ./growth
	program check/growth -O1 -g -DNESTED
	works --quiet collect --engine vex --args nested --args straight -o now.rarog -- ./growth
	works --quiet report before.rarog now.rarog -o page.html
	[ "$(page 'both("nested")')" = "[('linear', 140, 'nested'), ('quadratic', 140, 'nested')]" ] || fail "$(page 'both("nested")')"
	[ "$(page 'both("straight")')" = "[('linear', 140, 'straight'), ('linear', 140, 'straight')]" ] || fail "$(page 'both("straight")')"
	works --quiet report before.rarog now.rarog --svg model:nested -o model.svg
	drawn model.svg "nested: instructions by n" linear quadratic
}

@test "growth over runs: the report of two versions has the models of both with the largest workload" {
	sizes_of before '3 * n + 50' 0
	sizes_of now '3 * n + 50 + n * n / 10' 30
	works --quiet report before/ now/ -o page.html
	[ "$(page 'both("f")')" = "[('linear', 32, 'f'), ('quadratic', 32, 'f')]" ] || fail "$(page 'both("f")')"
	[ "$(page 'both("g")')" = "[('linear', 32, 'g'), ('linear', 32, 'g')]" ] || fail "$(page 'both("g")')"
	[ "$(page 'sum(c["models"] is not None for c in checks)')" = 1 ]
	works --quiet report before/ now/ --svg model:f -o model.svg
	drawn model.svg "f: wall by workload" linear quadratic
}

@test "growth over runs: of versions that were measured days apart it is at most maybe" {
	sizes_of before '3 * n + 50' 0
	sizes_of now '3 * n + 50 + n * n / 10' 300000
	grown before/ now/ | grep -q '| f MaybeDegradation | linear (.*) before, quadratic (.*) now' || fail "$output"
	run_rarog check before/ now/
	[[ $status -ne 1 && $output == *"the versions were measured one after the other"*"rarog check --measure"* ]] || fail "$output"
	# one size is enough: the largest, which says it, was measured by turns here
	rm now/10-*
	mv now later
	sizes_of now '3 * n + 50 + n * n / 10' 30
	for file in later/*; do
		case $file in later/1280-*) ;; *) mv "$file" now/ ;; esac
	done
	grown before/ now/ | grep -q '| f MaybeDegradation |' || fail "$output"
}

# kept VERSION HOUR EXPRESSION: what sizes_of makes is a version's of the store
kept() {
	commit "$1"
	git tag "$1"
	untraced=yes sizes_of "$BATS_TEST_TMPDIR/$1" "$3" $(($2 * 3600))
	rarog -q add --version "$1" --force "$BATS_TEST_TMPDIR/$1"/*.rarog
}

@test "growth over runs: five sittings of each size say how sure it is" {
	local at=0 part

	repository repo
	rarog -q init
	for part in 100 101 99 100 99 101; do # so much do sittings differ
		kept "c$at" $at "(3 * n + 50) * $part"
		at=$((at + 1))
	done
	kept bent 6 '(3 * n + 50) * 100 + n * n * 10'
	grown c5 bent >found
	grep -q '| f SevereDegradation | linear (.*) before, quadratic (.*) now' found || fail "$(cat found)"
	exits 1 check c5 bent
	# too few, and sittings that differ by more than the bend
	grown c1 c2 >found
	[ ! -s found ] || fail "$(cat found)"
	cd .. && rm -rf repo
	repository repo
	rarog -q init
	at=0
	for part in 100 200 40 300 70 150; do
		kept "d$at" $at "(3 * n + 50) * $part"
		at=$((at + 1))
	done
	kept turned 6 '(3 * n + 50) * 100 + n * n / 10'
	grown d5 turned >found
	if grep -v 'Maybe' found; then fail "$(cat found)"; fi
}

@test "growth over runs: sizes of two machines are no curve" {
	local version

	for version in before now; do
		machine=two sizes_of other "3 * n + 50 $([ $version = before ] || echo '+ n * n / 10')" 30
		sizes_of $version '3 * n + 50' 0
		rm $version/{160,320,640,1280}-*
		mkdir -p $version
		mv other/1280-* $version/
		rm -r other
	done
	# four sizes of the one, in which nothing changed, and one of the other
	[ "$(grown before/ now/)" = "" ] || fail "$output"
}

@test "the best model by R2 alone, as Perun has it: --set rule=1 of each method that takes a best one" {
	local method

	for method in best-model-order polynomial-regression fast-regression integral-comparison local-statistics; do
		verdict $method line again
		if grep -q '"reason": "[^"]*cubic' check.json; then fail "$method: $(cat check.json)"; fi
		# more coefficients always leave less
		verdict $method line again --set rule=1
		grep -q '"reason": "[^"]*cubic' check.json || fail "$method: $(cat check.json)"
	done
}
