#!/usr/bin/env bats
# rarog check on counts of blocks: every difference is found and named, and nothing else.

load ../helper
load ../blocks-helper

need_compiler() {
	need_plugin
}

# runs NAME FLAG… -- [ARGUMENT]: two runs of the program built so, in NAME/
runs() {
	local name=$1 flags=()

	shift
	while [ "$1" != -- ]; do
		flags+=("$1")
		shift
	done
	shift
	mkdir "$name"
	rarog cc -O1 -g "${flags[@]}" -o work work.c
	rarog -q collect blocks --repeat "${repeat:-2}" -o "$name/run.rarog" -- ./work "$@"
}

@test "a change of a thousandth is found and named by function and block, and none in itself" {
	need_compiler
	take check/planted.c work.c
	runs before "-DPLANT=sink % 2" --
	runs after "-DPLANT=(sink % 2 + (sink ^ 1) + (sink ^ 2))" --
	exits 1 check before/ after/
	read -r was now < <(rarog check --json before/ after/ | python3 -c 'import json, sys
c = [c for c in json.load(sys.stdin)["changes"] if c["location"] == ""][0]; print(c["baseline"], c["target"])')
	# ten executions of the block: some instructions each, about a thousandth of all
	[ $((now - was)) -ge 30 ] && [ $((now - was)) -le 100 ] || fail "$was $now"
	[ $((was / (now - was))) -ge 400 ] || fail "$was $now"
	grep -q '^slower *light ' <<<"$output" || fail "$output"
	grep -qE '^light: .*; block [0-9]+ \(line 13\): 10 of [0-9]+ instructions, before 10 of [0-9]+$' <<<"$output" || fail "$output"
	[[ $output != *heavy* ]] || fail "$output"
	for name in before after; do
		works check $name/ $name/
		[[ $output == "nothing changed"* ]] || fail "$output"
	done
	works check after/ before/
	[[ $output == "faster "* ]] || fail "$output"
}

@test "a small function that was inlined and changed is named, not its caller alone" {
	need_compiler
	cat >work.c <<-'END'
		volatile unsigned sink;
		static inline __attribute__((always_inline)) unsigned small(unsigned n)
		{
			unsigned sum = 0;
			for (unsigned i = 0; i < n; i++)
				sum += sink PLANT;
			return sum;
		}
		__attribute__((noinline)) void caller(void) { sink = small(1000) + 1; }
		int main(void) { caller(); return 0; }
	END
	runs before "-DPLANT=" --
	runs after "-DPLANT=^ sink * 3" --
	exits 1 check before/ after/
	grep -qE '^caller: .*; inlined small changed' <<<"$output" || fail "$output"
	# the caller itself: its own blocks are named
	sed -i 's/small(1000) + 1/small(1000) CALLER/; s/sink PLANT/sink/' work.c
	rm -rf before after
	runs before "-DCALLER=+ 1" --
	runs after "-DCALLER=; for (int i = 0; i < 500; i++) sink ^= i" --
	exits 1 check before/ after/
	[[ $output != *"inlined small changed"* ]] || fail "$output"
}

@test "what differs from run to run is said, and is no alarm" {
	need_compiler
	take check/planted.c work.c
	repeat=3
	runs some "-DPLANT=sink % 2" -- chance
	runs others "-DPLANT=sink % 2" -- chance
	run_rarog check some/ others/
	[ "$status" -eq 0 ] || [ "$status" -eq 4 ] || fail "$status: $output"
	[[ $output == *"not deterministic: 1 function did not execute the same instructions in every run, most of all chance"* ]] || fail "$output"
}

@test "code that moved to another function is no degradation" {
	need_compiler
	take check/planted.c work.c
	runs before "-DPLANT=sink % 2" --
	sed -i 's/light(1000);/light(500); heavier(500);/; s/^int main/__attribute__((noinline)) void heavier(int n) { light(n); }\n&/' work.c
	runs after "-DPLANT=sink % 2" --
	works check before/ after/ --method exact --set smallest=0.01
	[[ $output == "nothing changed"* ]] || fail "$output"
	[[ $output == *"changed by less than 1 % of the run's instructions; --method exact --set smallest=0 shows them"* ]] || fail "$output"
}

@test "one run a side is compared, and said to be one; profiles of calls are not" {
	need_compiler
	take check/planted.c work.c
	runs both "-DPLANT=sink % 2" --
	works check both/run.1.rarog both/run.2.rarog
	[[ $output == *"one run of a version does not tell whether its counts are the same every time"* ]] || fail "$output"
	rarog -q collect -o calls.rarog -- ./work
	exits 4 check calls.rarog calls.rarog --method exact
	[[ $output == *"not all runs counted blocks"* ]] || fail "$output"
}

# headline BEFORE AFTER LINE…: what a check of them by every difference says: its first line, and lines
headline() {
	local before=$1 after=$2 expected=$3 line

	shift 3
	run_rarog check "$before/" "$after/"
	[[ $output == "$expected"* ]] || fail "$output"
	for line; do
		grep -qE "$line" <<<"$output" || fail "$line: $output"
	done
}

# rows BEFORE AFTER: class and binary of each change, by location
rows() {
	rarog check --json "$1/" "$2/" | python3 -c 'import json, sys
for c in json.load(sys.stdin)["changes"]: print(c["location"] or "program", c["class"], c["binary"])'
}

@test "what only moved between functions is neither slower nor faster" {
	need_compiler
	take check/moved.c work.c
	runs whole -DF=20000 -DG=20000 --
	runs split -DSPLIT=1 -DG=20000 --
	runs moved -DF=10000 -DG=30000 --
	headline whole split "nothing changed" '^maybe faster +f .*' '^f: .*; the program as a whole executes no less$'
	expect_status 0
	headline whole moved "nothing changed" '^maybe slower +g ' '^maybe faster +f ' '^g: .*executes no more$'
	expect_status 0
	rows whole moved >rows.txt
	grep -qx 'program NoChange None' rows.txt || fail "$(cat rows.txt)"
	grep -qx 'g MaybeDegradation work' rows.txt || fail "$(cat rows.txt)"
	works check whole/ moved/ --fail-on maybe
}

@test "ranges are a change from six runs a side on, and no run is spoken of as all" {
	need_compiler
	take check/ranges.c work.c
	for name in before after; do
		mkdir "$name"
		rarog cc -O1 -g "-DBASE=$([ "$name" = before ] && echo 10000 || echo 20000)" -o work work.c
		printf '#!/bin/sh\nn=$(cat n)\necho $((n + 100)) >n\n./work $n\n' >vary
		chmod +x vary
		echo 0 >n
		rarog -q collect blocks --repeat 6 -o "$name/run.rarog" -- ./vary
	done
	headline before after slower '^f: not the same in every run: [0-9]+ to [0-9]+ before, [0-9]+ to [0-9]+ now$'
	expect_status 1
	[[ $output != *block* ]] || fail "$output"
	rm before/run.6.rarog
	headline before after "maybe slower"
	expect_status 0
}

@test "counts that are known to be incomplete are said to be, and no verdict is certain" {
	need_compiler
	take check/loses.c work.c
	runs before -DN=10000 -- lose
	runs after -DN=20000 -- lose
	rarog export --format json before/run.1.rarog -o before.json
	[ "$(python3 -c 'import json, sys; j = json.load(sys.stdin)
print(j["header"]["totals"]["lost"] == sum(l["count"] for l in j["losses"]) > 0)' <before.json)" = True ]
	headline before after "maybe slower" 'before/: 2 of 2 runs lost counts: their counts are too low'
	[[ $output != *"times are too short"* ]] || fail "$output"
	rows before after >rows.txt
	grep -qx 'program MaybeDegradation None' rows.txt || fail "$(cat rows.txt)"
	runs whole -DN=10000 --
	rarog export --format json whole/run.1.rarog -o whole.json
	[ "$(python3 -c 'import json, sys; print(json.load(sys.stdin)["header"]["totals"]["lost"])' <whole.json)" = 0 ]
}

@test "changed lines are those of the whole function, also before the block that makes the difference" {
	need_compiler
	take check/planted.c work.c
	git init -q .
	printf '/work\n*.json\n' >.gitignore
	for version in "i < n" "i < n + 9"; do
		sed -i "s/i < n.*; i++)$/$version; i++)/" work.c
		git add work.c .gitignore
		git -c user.name=a -c user.email=a@b commit -qm "$version"
		[ -d .git/rarog ] || rarog -q init
		git add . && git -c user.name=a -c user.email=a@b commit -qm "$version" --amend
		rarog cc -O1 -g -DPLANT=1 -o work work.c
		rarog -q collect blocks -- ./work
	done
	run rarog check HEAD~1 HEAD
	[[ $output == *$'\n'"heavy: 36,087 instructions a call, before 36,003; "*"(line 7)"*$'\n'"  changed lines: work.c:6"$'\n'* ]] || fail "$output"
	run_rarog check --json HEAD~1 HEAD
	[[ $output == *'"lines": "work.c:6"'* ]] || fail "$output"
}

@test "changed lines after a lambda are the function's, too" {
	need_compiler
	git init -q .
	printf '/work\n*.json\n' >.gitignore
	for version in "i < n" "i < n + 9"; do
		cat >work.cc <<-END
			static volatile long sum;
			__attribute__((noinline)) static void heavy(long n)
			{
				auto add = [](long x) {
					sum += x;
				};
				add(n);
				for (long i = 0; $version; i++)
					sum += i;
			}
			int main()
			{
				for (int i = 0; i < 100; i++)
					heavy(1000);
			}
		END
		git add . && git -c user.name=a -c user.email=a@b commit -qm "$version"
		[ -d .git/rarog ] || rarog -q init
		git add . && git -c user.name=a -c user.email=a@b commit -qm "$version" --amend
		rarog c++ -O0 -g -o work work.cc
		rarog -q collect blocks -- ./work
	done
	run rarog check HEAD~1 HEAD
	[[ $output == *$'\n'"  changed lines: work.cc:8"$'\n'* ]] || fail "$output"
}
