#!/usr/bin/env bats
# rarog show: what of a profile is missing, empty, cut off, hostile or very deep, and what is said of it.

load ../helper
load ../profiles
export TZ=UTC

@test "processes, losses" {
	processes_profile
	prints show processes.rarog <<-'END'
		parent --flag
		2023-11-14 22:13:20 · 3.478 ms · 2 processes · 3 threads · 9 calls of 3 functions
		LOST: 12 events; counts and times below are too low; leave out what is called most (--exclude)

		exclusive   share     total  calls      mean  100 ns … 10 ms  function
		 1.522 ms  99.8 %  1.522 ms      7  217.5 us  ▂▂        █     work
		 2.207 us  0.14 %  1.524 ms      1  1.524 ms              █   main
		   145 ns  0.01 %    290 ns      1    290 ns   █              child
	END
}

@test "hostile names do no harm" {
	hostile_profile
	prints show --width 100 hostile.rarog <<-'END'
		pro\x1bgram "x"
		2023-11-14 22:13:20 · 100.0 us · 10 calls of 10 functions

		exclusive   share   total  calls    mean  1 ns … 1 us    function
		   100 ns  38.2 %  100 ns      1  100 ns            █    std::map<…>::at
		    21 ns  8.02 %  122 ns      1  122 ns            █    same [x.c:1]
		    20 ns  7.63 %  142 ns      1  142 ns            █    =cmd|calc,comma
		    20 ns  7.63 %  202 ns      1  202 ns             █   bad\xff\xfeutf8
		    20 ns  7.63 %  162 ns      1  162 ns             █   bidi\u{202e}override
		    20 ns  7.63 %  222 ns      1  222 ns             █   ctl\x1b[31mred\x07\x0anewline
		    20 ns  7.63 %  242 ns      1  242 ns             █   quo"te\back
		    20 ns  7.63 %  262 ns      1  262 ns              █  sp ace;semi
		    20 ns  7.63 %  182 ns      1  182 ns             █   über::größe
		     1 ns  0.38 %    1 ns      1    1 ns  █              same [y.c:7]
	END
}

@test "a profile without calls says so" {
	empty_profile
	prints show empty.rarog <<-'END'
		true
		2023-11-14 22:13:20 · 10 ns · 0 calls of 0 functions

		no function was called
	END
}

@test "one call is shown in the singular" {
	one_profile
	prints show one.rarog <<-'END'
		one
		2023-11-14 22:13:20 · 10 ns · 1 call of 1 function

		exclusive    share  total  calls  mean  1 ns … 10 ns  function
		     4 ns  100.0 %   4 ns      1  4 ns           █    only
	END
}

@test "a profile of sums has a tree without single calls" {
	summary_profile
	prints show --tree summary.rarog <<-'END'
		sums
		2023-11-14 22:13:20 · 10 ns · 2 calls of 2 functions

		total    share  exclusive  calls  call tree
		 4 ns  100.0 %       2 ns      1  main
		 2 ns   50.0 %       2 ns      1  └─ f
	END
}

@test "a function that was never called, and one that does not exist" {
	plain_profile
	prints show --func never plain.rarog <<<"never: never called in this run"
	for view in "--func" "--replay --func" "--tree --func" --callers --callees; do
		says 3 "rarog show: no function 'manSort' in plain.rarog; did you mean mainSort?" show $view manSort plain.rarog
		[ -z "$output" ]
	done
}

@test "sums only: a replay says how to get calls" {
	summary_profile
	says 3 "rarog show: summary.rarog has no calls to replay, only their sums; collect with --detail=calls" \
		show --replay summary.rarog
	[ -z "$output" ]
}

@test "no profile, and a profile that was cut off" {
	exits 3 show missing.rarog
	echo "not one" >text
	exits 3 show text
	[[ $errors == *text* ]]
	deep_profile deep.rarog 20000
	# wherever: it is said; between the calls and the sums, these are made anew
	rebuilt=
	for percent in $(seq 5 5 95); do
		head -c $(($(stat -c %s deep.rarog) * percent / 100)) deep.rarog >cut.rarog
		run_rarog show cut.rarog
		[ "$status" -eq 3 ] || [[ $output == *"CUT OFF: the end of the file is missing; "* ]] || fail "$percent %: $output"
		[[ $output != *"recovered: sums rebuilt from 20,000 calls"* ]] || rebuilt=$percent
	done
	[ -n "$rebuilt" ]
}

@test "recursion of 100,000 calls, in every view" {
	deep_profile deep.rarog 100000
	works show --tree --fold-recursion deep.rarog
	[[ $output == *"100,000  f" ]]
	run_rarog show --tree deep.rarog
	[[ $output == *"1 branch deeper than 64 levels not shown; --depth 0 does" ]]
	works show --callers f deep.rarog
	[[ $output == *"f: 100,000 calls, 200.0 us total, 200.0 us exclusive"* ]]
	[ "$(rarog show --replay deep.rarog | grep -c '│ .*f')" -eq 199999 ]
	[ "$(rarog show --tree --json deep.rarog | grep -c '"id"')" -eq 100000 ]
	[ "$(rarog show --tree --depth 0 --min-share 0 deep.rarog | wc -l)" -eq 100004 ]
}

@test "a full disk is an error, a reader that goes away is not" {
	plain_profile
	deep_profile deep.rarog 50000
	for view in "" --tree --replay --json "--replay --csv"; do
		status=0
		"$RAROG" show $view plain.rarog >/dev/full 2>errors.txt || status=$?
		[ $status -eq 3 ]
		grep -q "No space left on device" errors.txt
		"$RAROG" show $view deep.rarog 2>errors.txt | head -1 >/dev/null
		(trap '' PIPE; "$RAROG" show $view deep.rarog 2>>errors.txt; echo $? >status) | head -c 10 >/dev/null
		[ "$(cat status)" = 0 ]
		[ ! -s errors.txt ]
	done
}

# facts_of OPTION…: what `show --json` says of functions, contexts, threads
facts_of() {
	"$RAROG" show --json "$@" | python3 -c '
import json, sys
facts = json.load(sys.stdin)
kept = {"calls", "functions", "nodes", "threads", "binaries"} & facts.keys()
print(json.dumps({key: facts[key] for key in sorted(kept)}, indent=1))'
}

# fact KEY FILE: of the heading
fact() {
	"$RAROG" show --json "$2" | python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"
}

@test "a profile without its end: sums and tree are rebuilt from the calls, and are the same" {
	local view name

	for name in plain processes hostile deep; do
		if [ "$name" = deep ]; then deep_profile deep.rarog 3000; else "${name}_profile"; fi
		cp "$name.rarog" cut.rarog
		"$repo/tests/tools/cut-profile" cut.rarog 9
		for view in "" --tree --by-thread --by-binary; do
			diff <(facts_of $view "$name.rarog") <(facts_of $view cut.rarog) ||
				fail "$name $view: other numbers"
		done
		"$RAROG" show cut.rarog | grep -q "CUT OFF: the end of the file is missing; recovered: \
sums rebuilt from [0-9,]* calls\?\$" || fail "$name: not said"
		[ "$(fact rebuilt_from_calls cut.rarog)" = "$(fact calls "$name.rarog")" ] ||
			fail "$name: not told"
		[ "$(fact rebuilt_from_calls "$name.rarog")" = None ]
		diff <("$RAROG" export -f collapsed "$name.rarog") \
			<("$RAROG" export -f collapsed cut.rarog 2>export.err) || fail "$name: other stacks"
		grep -q "rarog: warning: cut.rarog was cut off; recovered: sums rebuilt from" export.err
	done
}

@test "a profile without its end: whatever command reads it says so, and so it does when it refuses" {
	local kind command words

	plain_profile
	# 9: between calls and tree, so that sums are rebuilt; 7: among the tables in front of the calls
	for kind in 9 7; do
		cp plain.rarog cut.rarog
		"$repo/tests/tools/cut-profile" cut.rarog $kind
		while read -r command words; do
			run_rarog $command $words
			grep -qiE 'cut off|"is_partial": true' <<<"$output$errors" || fail "$kind: $command $words is silent: $output$errors"
			[ "$(grep -ic 'cut off' <<<"$output$errors")" -le 1 ] || fail "$kind: $command $words says it twice: $output$errors"
		done <<-'END'
			show cut.rarog
			show --json cut.rarog
			show --csv cut.rarog
			show --tree cut.rarog
			show --callers swap cut.rarog
			show --callees compress cut.rarog
			show --func never cut.rarog
			show --func manSort cut.rarog
			show --blocks compress cut.rarog
			show --coverage cut.rarog
			report -o out.html cut.rarog
			report -o out.html --force plain.rarog cut.rarog
			check plain.rarog cut.rarog
			check --json plain.rarog cut.rarog
			diff plain.rarog cut.rarog
			export -f collapsed -o out cut.rarog
			export -f csv -o out cut.rarog
			export -f json -o out cut.rarog
		END
		for command in "show --csv" "diff plain.rarog" "report -o out.html" "export -f csv -o out" "check plain.rarog"; do
			run_rarog $command plain.rarog
			[[ $output$errors != *"cut off"* ]] || fail "$command: $errors"
		done
	done
}

@test "a profile without its end and without calls says so" {
	summary_profile
	"$repo/tests/tools/cut-profile" summary.rarog 9
	works show summary.rarog
	[[ $output == *"CUT OFF: the end of the file is missing; shown is what was recovered"* ]]
}

@test "counts only: by calls, without times; what needs times says so" {
	count_profile
	works show count.rarog
	[[ $output == *"

calls  function
    3  beta
    1  alpha" ]] || fail "$output"
	run_rarog show -n 1 count.rarog
	[[ $output == *"1 more function with 25.0 % of the calls; -n 0 shows all" ]] || fail "$output"
	run_rarog show --sort name count.rarog
	[[ $output == *"    1  alpha"*"    3  beta" ]] || fail "$output"
	run_rarog show --columns mean count.rarog
	[[ $output == *"mean  function
   -  alpha
"* ]] || [[ $output == *"mean  function
   -  beta"* ]] || fail "$output"
	run_rarog show --by-binary count.rarog
	[[ $output == *"

calls  functions  binary
    4          2  /bin/app" ]] || fail "$output"
	for view in --tree "--callers beta" "--callees alpha"; do
		says 3 "rarog show: count.rarog has only counts, neither times nor a call tree; \
collect with --detail=summary or --detail=calls" show $view count.rarog
	done
	python3 - <(facts_of count.rarog) <<-'END'
		import json, sys
		for f in json.load(open(sys.argv[1]))["functions"]:
		    unknown = {k for k in f if k == "share" or k.endswith("_ns")}
		    assert len(unknown) == 13, unknown
		    assert all(f[k] is None for k in unknown), f
		    assert f["timed"] == 0 and f["count"] > 0
	END
}

@test "a document gets a table also of a profile without calls, and threads of none are no error" {
	profile empty.rarog <<-'END'
		header {"collector":"trace","detail":"calls"}
	END
	for form in html markdown latex; do
		works show --tableof $form empty.rarog
		[[ $output == *function* ]] || fail "$form: $output"
	done
	works show --tableof html empty.rarog
	python3 - "$output" <<-'END' || fail "$output"
		import sys, xml.etree.ElementTree as tree
		table = tree.fromstring(sys.argv[1])
		assert len(list(table.iter("tr"))) == 1 and not list(table.iter("td")), sys.argv[1]
	END
	works show --threads empty.rarog
	[[ $output == *"no function was called"* ]] || fail "$output"
}
