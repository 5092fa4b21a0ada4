#!/usr/bin/env bats
# Configurations of jobs: which of them are measured, and what is made of them. What may be is told by brute force.

load ../helper
load ../blocks-helper

need_interaction() {
	need_plugin
	[ -f "$build/llvm/rarog-features-$llvm.so" ] || skip "needs a build with llvm-$llvm-dev"
}

project() {
	git init -q .
	git config user.name tester
	git config user.email tester@example.org
	rarog init >/dev/null
}

# configurations: the options of each run that is planned, sorted
configurations() {
	rarog run --dry-run --json | python3 -c '
import json, sys
for row in json.load(sys.stdin)["results"]:
    c = row["job"]["configuration"]
    print(",".join(k + "=" + c[k] for k in sorted(c)))' | sort
}

switches() {
	cat >.rarog.yml <<-YAML
		jobs:
		  one:
		    command: "true"
		    collector: time
		    options:
		      a: [no, yes]
		      b: [no, yes]
		      c: [no, yes]
		      level: [1, 6, 9]
		    configurations: $1
	YAML
}

@test "without a plan all are measured, but what the model forbids" {
	project
	switches all
	[ "$(configurations | uniq | wc -l)" -eq 24 ]
	printf 'features:\n  A: {option: a, implies: [B]}\n  B: {option: b}\n  C: {option: c, excludes: [B]}\n' >m.yml
	printf '  Level: {option: level, values: [1, 6, 9], optional: false, implies: [Gone]}\n  Gone: {kind: switch}\n' >>m.yml
	for plan in all feature-wise pair-wise random; do
		[ "$plan" = random ] && count=", count: 200" || count=
		switches "{plan: $plan, model: m.yml$count}"
		configurations >found.txt
		python3 - $plan <<-'PYTHON'
			import itertools, sys
			found = [dict(p.split("=") for p in line.split(",")) for line in open("found.txt").read().split()]
			rows = [(c["a"] == "true", c["b"] == "true", c["c"] == "true", c["level"]) for c in found]
			allowed = {(a, b, c, l) for a, b, c in itertools.product((False, True), repeat=3) for l in "169"
			           if (b or not a) and not (b and c)}
			assert rows and len(set(rows)) == len(rows) and set(rows) <= allowed, rows
			if sys.argv[1] in ("all", "random"):
			    assert set(rows) == allowed, rows
			else:
			    assert {r[3] for r in rows} == set("169") and len(rows) < len(allowed), rows
		PYTHON
	done
}

@test "the list of what would be run tells configurations apart, however long its lines are" {
	project
	cat >.rarog.yml <<-YAML
		jobs:
		  one:
		    command: "true"
		    arguments: a-long-argument-that-leaves-little-room-for-what-comes-after-it
		    collector: time
		    options: {first: [no, yes], with-a-long-name: [no, yes], last: [no, yes]}
	YAML
	[ "$(rarog run --dry-run | grep -c to-do)" = 8 ]
	[ "$(rarog run --dry-run | grep to-do | sort -u | wc -l)" = 8 ] || fail "$(rarog run --dry-run)"
}

@test "constraints of the model hold for a job, too" {
	project
	printf 'features:\n  A: {option: a}\n  B: {option: b}\n  C: {option: c}\n  Gone: {kind: switch}\n' >m.yml
	printf 'constraints: ["!(A & B)", "!C | A", "C => Gone"]\n' >>m.yml
	switches "{plan: all, model: m.yml}"
	configurations >found.txt 2>warnings.txt
	python3 - <<-'PYTHON'
		import itertools
		found = [dict(p.split("=") for p in line.split(",")) for line in open("found.txt").read().split()]
		rows = [tuple(c[n] == "true" for n in "abc") + (c["level"],) for c in found]
		allowed = {(a, b, c, l) for a, b, c in itertools.product((False, True), repeat=3) for l in "169"
		           if not (a and b) and (a or not c)}
		assert len(rows) == len(set(rows)) and set(rows) == allowed, rows
	PYTHON
	grep -q "the constraint 'C => Gone' is left out" warnings.txt
}

@test "plans propose few: each by itself, each two" {
	project
	switches feature-wise
	[ "$(configurations | wc -l)" -eq 6 ]
	configurations | grep -qx "a=false,b=false,c=false,level=1"
	configurations | grep -qx "a=false,b=false,c=false,level=6"
	switches pair-wise
	[ "$(configurations | wc -l)" -eq 12 ]
	switches pairs
	configurations | python3 -c '
import itertools, sys
found = [dict(p.split("=") for p in line.split(",")) for line in sys.stdin.read().split()]
values = {"a": ("true", "false"), "b": ("true", "false"), "c": ("true", "false"), "level": "169"}
for x, y in itertools.combinations(values, 2):
    assert {(c[x], c[y]) for c in found} == set(itertools.product(values[x], values[y])), (x, y, found)
assert len(found) < 12, found'
	pairs=$(configurations)
	switches "{plan: pairs, count: 14}"
	[ "$(configurations | wc -l)" -eq 14 ]
	[ -z "$(comm -23 <(echo "$pairs") <(configurations | uniq))" ]
	switches "{plan: random, count: 7, seed: 3}"
	[ "$(configurations | wc -l)" -eq 7 ]
	[ "$(configurations)" = "$(configurations)" ]
}

@test "what is wrong with a plan is said with its place" {
	project
	switches sometimes
	run_rarog run --dry-run
	[ "$status" -ne 0 ]
	[[ $errors == *".rarog.yml:"*"feature-wise"* ]]
	switches "{plan: regions}"
	run_rarog run --dry-run
	[ "$status" -ne 0 ]
	[[ $errors == *"in which program?"* ]]
	switches "{model: nowhere.yml}"
	run_rarog run --dry-run
	[ "$status" -ne 0 ]
	[[ $errors == *"nowhere.yml: there is no such file"* ]]
}

# meeting MORE: a program whose options meet in regions, and its job, whose command has MORE arguments; the rest of it
# is read
meeting() {
	cat >meeting.c <<-'C'
		#include <rarog.h>
		#include <stdlib.h>
		volatile long sink;
		static void work(long n) { while (n--) sink++; }
		int main(int argc, char **argv)
		{
			int a RAROG_FEATURE_VARIABLE(a) = atoi(argv[1]), b RAROG_FEATURE_VARIABLE(b) = atoi(argv[2]);
			int c RAROG_FEATURE_VARIABLE(c) = atoi(argv[3]), d RAROG_FEATURE_VARIABLE(d) = atoi(argv[4]);
			if (a) { work(1000); if (b) work(2000); }
			if (c) work(3000);
			if (d > 5) { work(10); if (c) work(70); }
			return argc > 9;
		}
	C
	rarog cc --features -O1 "-I$repo/include" -o meeting meeting.c
	printf 'jobs:\n  one:\n    command: ./meeting {a} {b} {c} {d}%s\n' "$1" >.rarog.yml
	sed 's/^/    /' >>.rarog.yml # the rest of the job
}

@test "what meets in a region is measured in all combinations, and no more" {
	need_interaction
	project
	meeting " {e}" <<-'YAML'
		collector: time
		options: {a: [0, 1], b: [0, 1], c: [0, 1], d: [1, 6, 9], e: [0, 1]}
		configurations: {plan: regions, program: meeting}
	YAML
	configurations >found.txt 2>errors.txt
	python3 - <<-'PYTHON'
		import itertools
		found = [dict(p.split("=") for p in line.split(",")) for line in open("found.txt").read().split()]
		assert {(c["a"], c["b"]) for c in found} == set(itertools.product("01", "01")), found
		assert {(c["c"], c["d"]) for c in found} == set(itertools.product("01", "169")), found
		assert {c["e"] for c in found} == {"0"}, found
		assert len(found) == 6, found  # the larger of both sets: 3 * 2
	PYTHON
	rarog run --dry-run 2>&1 | grep -q "no region depends on e"
	printf 'features:\n' >m.yml
	for name in a b c; do printf '  %s: {values: [0, 1]}\n' $name >>m.yml; done
	printf '  d: {values: [1, 6, 9], excludes: [a]}\n' >>m.yml
	rarog feature plan --plan regions --model m.yml --json ./meeting 2>/dev/null | python3 -c '
import json, sys
found = json.load(sys.stdin)["configurations"]
assert all(c["a"] == "0" or c["d"] == "1" for c in found), found
assert {(c["a"], c["b"]) for c in found} == {(x, y) for x in "01" for y in "01"}, found
assert {(c["c"], c["d"]) for c in found} == {(x, y) for x in "01" for y in "169"}, found'
	# e meets c only by a constant that c chooses
	cat >chosen.c <<-'C'
		#include <rarog.h>
		#include <stdlib.h>
		volatile long sink;
		static void work(long n) { while (n--) sink++; }
		int main(int argc, char **argv)
		{
			int c RAROG_FEATURE_VARIABLE(c) = atoi(argv[1]), e RAROG_FEATURE_VARIABLE(e) = atoi(argv[2]);
			int turns = 3;
			if (c) turns = 7;
			if (turns > 5) { if (e) work(1000); }
			if (c) work(10);
			return argc > 9;
		}
	C
	rarog cc --features -O1 "-I$repo/include" -o chosen chosen.c
	printf 'features:\n  c: {values: [0, 1, 2]}\n  e: {values: [0, 1, 2]}\n' >m.yml
	[ "$(rarog feature plan --plan regions --model m.yml ./chosen | wc -l)" -eq 9 ]
	[ "$(rarog feature plan --plan regions --explicit --model m.yml ./chosen | wc -l)" -eq 3 ]
	for words in "9 " "3 , explicit: yes"; do
		printf 'jobs:\n  one:\n    command: ./chosen {c} {e}\n    collector: time\n    options: {c: [0, 1, 2], e: [0, 1, 2]}\n' >.rarog.yml
		printf '    configurations: {plan: regions, program: chosen%s}\n' "${words#* }" >>.rarog.yml
		[ "$(configurations | wc -l)" -eq "${words%% *}" ]
	done
}

@test "a job measures features of each configuration, and options are told from it" {
	need_interaction
	project
	meeting "" <<-'YAML'
		collector: {name: features, parameters: {feature: [a, b]}}
		options: {a: [0, 1], b: [0, 1], c: [0], d: [1]}
	YAML
	git add .rarog.yml
	git commit -qm one
	rarog run
	at=$(grep -n 'if (a)' meeting.c | cut -d: -f1)
	rarog feature influence --json --of "a@meeting.c:$at" >it.json
	python3 - <<-'PYTHON'
		import json
		it = json.load(open("it.json"))
		assert it["configurations"] == 4, it
		assert {t["term"] for t in it["terms"]} >= {"1", "a"}, it
	PYTHON
	rarog feature predict --option a=1 --option b=1 --option c=0 --option d=1 HEAD
	rarog show --json --option a=1 --option b=1 HEAD | python3 -c '
import json, sys
header = json.load(sys.stdin)["header"]
assert header["parameters"]["feature"] == ["a", "b"], header["parameters"]'
}

@test "influence is of one workload, collector, and set of arguments and parameters, and says what to choose" {
	local same="name the profiles of one"
	project
	cat >.rarog.yml <<-'YAML'
		jobs:
		  one: {command: "sh -c : {A}", workloads: ["small", "large"], collector: time, options: {A: [1, 2]}}
		  two: {command: "sh -c : {A}", args: ["x", "y"], collector: time, options: {A: [1, 2]}}
		  three: {command: "sh -c : {A}", collectors: [trace, time], options: {A: [1, 2]}}
		  four: {command: "sh -c : {A}", collector: {name: trace, parameters: {detail: count}}, options: {A: [1, 2]}}
	YAML
	git add .rarog.yml
	git commit -qm one
	rarog run
	# is_refused BEFORE A B AFTER [ARGUMENT…]: runs are measured in any order
	is_refused() {
		run_rarog feature influence "${@:5}" HEAD
		[ "$status" -ne 0 ] || fail "$* is taken"
		case "$errors" in
		"rarog feature: these are runs $1$2 and $3$4" | "rarog feature: these are runs $1$3 and $2$4") ;;
		*) fail "$errors" ;;
		esac
	}
	is_refused "of the workloads " small large "; $same" --job one
	is_refused "with the arguments " "'-c : {A} x'" "'-c : {A} y'" ", which their options do not explain; $same" --job two
	run_rarog feature influence --job three HEAD
	[ "$status" -ne 0 ]
	collector=${errors##* }
	[[ $errors == *"; choose one: --collector $collector" ]] || fail "$errors"
	rarog feature influence --job three --collector "$collector" HEAD
	run_rarog feature influence --collector trace HEAD
	[ "$status" -ne 0 ]
	job=${errors##* }
	[[ $errors == *"; choose one job: --job $job" ]] || fail "$errors"
	rarog feature influence --job "$job" --collector trace HEAD
	rarog feature influence --job four HEAD
	for job in one two three four; do
		rarog feature influence --job $job
	done
}

@test "influence is of one engine" {
	[ -x "$build/src/vex/rarog-vex" ] || skip "needs a build with valgrind"
	rarog collect trace --option A=1 -o a.rarog -- true
	rarog collect trace --engine vex --option A=2 -o b.rarog -- true
	run_rarog feature influence a.rarog b.rarog
	[ "$status" -ne 0 ]
	[ "$errors" = "rarog feature: these are runs of the engines inline and vex; name the profiles of one" ] || fail "$errors"
}

@test "an option may be called as a feature that has another one" {
	project
	printf 'features:\n  level: {option: preset}\n  best: {option: b, kind: switch, implies: [level]}\n' >m.yml
	cat >.rarog.yml <<-YAML
		jobs:
		  one:
		    command: "true"
		    collector: time
		    options: {preset: [0, 1], level: [3, 4], b: [no, yes]}
		    configurations: {plan: all, model: m.yml}
	YAML
	configurations >found.txt
	# all eight but the two with b and the first preset, which is off
	[ "$(uniq found.txt | wc -l)" -eq 6 ] || fail "$(cat found.txt)"
}

@test "plans that are too large are refused" {
	plan() {
		python3 -c '
import sys
print("features:")
for i in range(int(sys.argv[1])):
    print(f"  F{i}: {{kind: switch}}")
if len(sys.argv) > 2:
    print("alternatives: [[" + ", ".join(f"F{i}" for i in range(int(sys.argv[1]))) + "]]")' "$1" $2 >model.yml
		run_rarog feature plan --model model.yml "${@:3}"
	}
	plan 300 "" --plan feature-wise
	[ "$(wc -l <<<"$output")" -ge 301 ]
	plan 2100 "" --plan feature-wise
	[ "$status" -ne 0 ]
	[ "$errors" = "rarog feature: plan: more than 4000000 values, as each configuration has one of each of 2100 options; plan fewer of them" ] || fail "$errors"
	plan 20 "" --plan random --count 20001
	[ "$status" -ne 0 ]
	[ "$errors" = "rarog feature: plan: more than 20000 configurations; let another plan choose some" ] || fail "$errors"
	# more is wanted than there is
	plan 3 "" --plan random --count 20001
	[ "$status" -eq 0 ]
	plan 3000 "" --plan random --count 2000
	[ "$status" -ne 0 ]
	[[ $errors == *"more than 4000000 values"* ]] || fail "$errors"
	plan 700 all --plan pair-wise
	[ "$status" -ne 0 ]
	[ "$errors" = "rarog feature: plan: too many combinations of 700 options to try; plan fewer of them" ] || fail "$errors"
}
