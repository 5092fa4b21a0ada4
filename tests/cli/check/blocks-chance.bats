#!/usr/bin/env bats
# rarog check on counts that are not the same every time, not whole, or not comparable: it is said, in one
# line, and nothing is alarmed about.

load ../helper
load ../blocks-helper

@test "seeds of hashes, addresses, time and threads are found out by repeating, and are no change" {
	need_plugin
	[ "$(cat /proc/sys/kernel/randomize_va_space)" -gt 0 ] || skip "addresses are the same every time here"
	take check/by-chance.c work.c
	rarog cc -O1 -g -o work work.c -pthread
	for way in seeded addressed timed other; do
		mkdir "$way"
		rarog -q collect blocks --repeat 4 -o "$way/run.rarog" -- ./work "$way"
		run_rarog check "$way/" "$way/" --json
		[ "$status" -eq 0 ] || [ "$status" -eq 4 ] || fail "$way: $status $output"
		printf '%s' "$output" | python3 -c '
import json, sys
all = json.load(sys.stdin)
classes = {c["location"]: c["class"] for c in all["changes"]}
guilty = {"other": "threaded"}.get(sys.argv[1], sys.argv[1])
assert classes["steady"] == classes["main"] == "NoChange", classes
assert classes[guilty] == "Unknown", classes
assert not {"Degradation", "Optimization"} & set(classes.values()), classes
notes = all["checks"][0]["notes"]
assert any("not deterministic: 1 function did not" in n and n.endswith("most of all " + guilty) for n in notes), notes' "$way"
	done
}

# counted_at NAME FLAG…: two runs of the program built so, in NAME/
counted_at() {
	mkdir "$1"
	rarog cc "${@:2}" -o work work.c -pthread
	rarog -q collect blocks --repeat 2 -o "$1/run.rarog" -- ./work
}

@test "other levels are refused, other placements and kinds of counters are compared: counts are the same" {
	need_plugin
	take check/by-chance.c work.c
	counted_at O1 -O1 -g
	counted_at O2 -O2 -g
	counted_at every -O1 -g --rarog-placement=every
	counted_at atomic -O1 -g --rarog-threads=atomic
	exits 3 check O1/ O2/
	grep -qxE "rarog check: O1/ and O2/ cannot be compared: .*different flags of .*-O1.* and .*-O2.*; --force does it all the same" <<<"$errors" || fail "$errors"
	run_rarog check O1/ O2/ --force
	[[ $output == *"different flags of"* ]] || fail "$output"
	for other in every atomic; do
		works check O1/ $other/ --json
		! grep -q '"class": "\(Deg\|Opt\|Maybe\|Unk\|Not\)' <<<"$output" || fail "$output"
	done
}

@test "relaxed counters of several threads are not exact, those of one thread are" {
	need_plugin
	take check/ticks.c tick.c
	rarog cc -O2 -g --rarog-threads=relaxed -o tick tick.c -pthread
	run_rarog collect blocks -o before.rarog -- ./tick 2
	[[ $errors == *"warning: 3 shared: "* && $errors != *exact* ]] || fail "$errors"
	touch more
	rarog -q collect blocks -o after.rarog -- ./tick 2
	works check before.rarog after.rarog --json
	! grep -q '"class": "\(Deg\|Opt\)' <<<"$output" || fail "$output"
	grep -q '"class": "MaybeDeg' <<<"$output" || fail "$output"
	run_rarog show before.rarog
	[[ $output == *"LOST: 3 shared"* ]] || fail "$output"

	rm more
	run_rarog collect blocks -o before.rarog -- ./tick
	[[ $errors != *relaxed* && $errors == *", exact"* ]] || fail "$errors"
	touch more
	rarog -q collect blocks -o after.rarog -- ./tick
	exits 1 check before.rarog after.rarog
	for how in own atomic; do
		rarog cc -O2 --rarog-threads=$how -o "$how" tick.c -pthread
		run_rarog collect blocks -o "$how.rarog" -- "./$how" 2
		[[ $errors != *relaxed* && $errors == *", exact"* ]] || fail "$how: $errors"
	done
	# of a library only the program's own counters can tell that there was one thread
	rarog cc -O2 --rarog-threads=relaxed -DLIBRARY -fPIC -shared -o libtick.so tick.c
	echo 'void *work(void *); int main(void) { work(0); }' >user.c
	gcc -o plain user.c -L. -ltick -Wl,-rpath,"$PWD"
	rarog cc -o counted user.c -L. -ltick -Wl,-rpath,"$PWD"
	run_rarog collect blocks -o plain.rarog -- ./plain
	[[ $errors == *"warning: 2 shared: "* && $errors != *exact* ]] || fail "$errors"
	run_rarog collect blocks -o counted.rarog -- ./counted
	[[ $errors != *relaxed* && $errors == *", exact"* ]] || fail "$errors"
}

@test "damaged and cut-off profiles are refused in one line" {
	need_plugin
	take check/by-chance.c work.c
	counted_at whole -O1 -g
	size=$(stat -c %s whole/run.1.rarog) refused=0
	head -c 200 whole/run.1.rarog >cut.rarog
	says 3 "rarog check: cut.rarog: cut off: what was run is missing; without it nothing is compared" \
		check cut.rarog whole/run.2.rarog
	for part in 60 80 99; do
		head -c $((size * part / 100)) whole/run.1.rarog >cut.rarog
		says 3 "rarog check: cut.rarog: cut off: counts are missing; without them nothing is compared" \
			check cut.rarog whole/run.2.rarog
	done
	for ((at = 100; at < 3 * size / 4; at += 200)); do
		cp whole/run.1.rarog damaged.rarog
		printf 'xxxx' | dd of=damaged.rarog bs=1 seek=$at conv=notrunc status=none
		run_rarog check damaged.rarog whole/run.2.rarog
		# a section that no check reads (machine code) may be damaged: the rest is compared, as instructions
		if [ "$status" -eq 0 ] && grep -q '^unchanged *instructions' <<<"$output"; then
			continue
		fi
		refused=$((refused + 1))
		expect_status 3
		[[ $errors == "rarog check: damaged.rarog: "*damaged* && $errors != *$'\n'* ]] || fail "$at: $errors"
	done
	[ "$refused" -ge 4 ] || fail "$refused refused"
}
