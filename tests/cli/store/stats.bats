#!/usr/bin/env bats
# rarog stats: what earlier runs and versions tell techniques. What there is is compared with what is in the folder.

load ../helper
load ../collect-helper
load ../repositories

here() {
	cat >p.c <<-'EOF'
		#include <stdlib.h>
		#define N __attribute__((noinline, noclone, noipa))
		N int leaf(int x) { return x * 3; }
		N int mid(int x) { int s = 0; for (int i = 0; i <= x % 9; i++) s += leaf(i + x); return s; }
		int main(int argc, char **argv) { int s = 0; for (int i = 0; i < atoi(argv[1]); i++) s += mid(i); return s < 0; }
	EOF
	gcc -O2 -g p.c -o prog
	git init -q -b main .
	printf '%s\n' prog .rarog .rarog.yml '*.txt' >.gitignore
	git add .
	git commit -qm first
	works init
	folder=.git/rarog/history/stats
}

measure() {
	works collect --on diff-tracing --on dynamic-baseline --on cg-shaping ./prog "${1:-2000}"
}

# listed COMMAND OPTION…: "version name" of each row of the JSON
listed() {
	rarog stats "$@" --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
for row in d.get("files", d.get("versions")):
    print(row["version"], row.get("name", row.get("files")))'
}

# head_of COMMAND OPTION…: the titles of its columns
head_of() {
	rarog stats "$@" | awk 'NR == 1 { $1 = $1; print }'
}

@test "each version has its files, the newest comes first" {
	here
	measure
	git commit -q --allow-empty -m second
	measure
	measure 99
	run listed list-files
	[ "${#lines[@]}" -eq 5 ]
	[[ "${lines[0]}" == "$(git rev-parse HEAD) code-digest--prog" ]]
	[[ "${lines[4]}" == "$(git rev-parse HEAD~1) statistics--prog--2000-"*"--prog" ]]
	run listed list-versions
	[ "$output" = "$(git rev-parse HEAD) 3"$'\n'"$(git rev-parse HEAD~1) 2" ]
	[ "$(find $folder -type f | wc -l)" -eq 5 ]
	run listed list-files -N1
	[ "${#lines[@]}" -eq 3 ]
	run listed list-files --from-minor HEAD~1
	[ "${#lines[@]}" -eq 2 ]
	[ "$(rarog stats list-files --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["bytes"])')" -eq \
		"$(find $folder -type f -printf '%s\n' | paste -sd+ | bc)" ]
}

@test "each column can be left out, by the letters of the documents" {
	here
	measure
	[ "$(head_of list-files)" = "Size Version File" ]
	[ "$(head_of list-files -f)" = "Version File" ]
	[ "$(head_of list-files -f -i)" = "File" ]
	[ "$(head_of list-versions)" = "Size Version Files" ]
	[ "$(head_of list-versions -f)" = "Size Version" ]
	[ "$(head_of list-versions -d)" = "Version Files" ]
	[ "$(head_of list-versions -d -i)" = "Files" ]
	[[ "$(rarog stats list-versions)" == *"in all: "* ]]
	[[ "$(rarog stats list-versions -t)" != *"in all: "* ]]
}

@test "a file says what it is about" {
	here
	measure
	zstd -dc "$folder/$(git rev-parse HEAD)"/statistics--*.zst | python3 -c '
import json, sys
d = json.load(sys.stdin)
assert d["command"] == "prog" and d["arguments"] == ["2000"] and d["file"] == "prog", d
of = {f["name"]: f for f in d["functions"]}
assert of["mid"]["count"] == 2000 and of["leaf"]["count"] == 9993, of
m = of["mid"]
assert abs(m["mean_ns"] - m["total_ns"] / m["sampled"]) < 1e-6
assert abs(m["iqr_ns"] - (m["quartiles_ns"][2] - m["quartiles_ns"][0])) < 1e-6
'
}

@test "what is deleted is not known to the next run" {
	local name

	here
	measure
	measure
	[[ "$errors" != *"no earlier run of this is known"* ]]
	name=$(rarog stats list-files --json | python3 -c '
import json, sys
print([f["name"] for f in json.load(sys.stdin)["files"] if f["name"].startswith("statistics")][0])')
	git commit -q --allow-empty -m second
	measure
	works stats delete file "$name"
	[ "$(listed list-files | grep -c statistics--)" -eq 1 ]
	works stats delete file -m . "$name"
	[ "$(listed list-files | grep -c statistics--)" -eq 0 ]
	measure
	[[ "$errors" == *"no earlier run of this is known"* ]]
	works stats reset
	[ "$(listed list-files | grep -c code-digest--)" -eq 2 ]
	works stats delete minor HEAD~1
	[ "$(listed list-versions)" = "$(git rev-parse HEAD) 1" ]
	works stats delete minor -k HEAD
	[ "$(listed list-versions)" = "$(git rev-parse HEAD) 0" ]
	measure
	works stats delete all
	[ -z "$(find $folder -mindepth 1)" ]
}

@test "clean removes what Rarog did not make, sync what cannot be read" {
	here
	measure
	mkdir "$folder/mine" "$folder/$(git rev-parse HEAD~0 | tr 0-9a-f 1-9a-f0)"
	echo text >"$folder/$(git rev-parse HEAD)/note.txt"
	works stats clean --keep-custom --keep-empty
	[ "$(find $folder -mindepth 1 -type d | wc -l)" -eq 3 ]
	truncate -s -3 "$folder/$(git rev-parse HEAD)"/code-digest--prog.zst
	works stats sync
	[ ! -e "$folder/$(git rev-parse HEAD)/code-digest--prog.zst" ]
	[ -e "$folder/$(git rev-parse HEAD)/note.txt" ]
	works stats clean
	[ "$(find $folder -mindepth 1 -type d)" = "$folder/$(git rev-parse HEAD)" ]
	[ "$(find $folder -type f | wc -l)" -eq 1 ]
}

@test "clean leaves what Rarog has kept of versions that are no hashes" {
	here
	measure
	cp -r "$folder/$(git rev-parse HEAD)" "$folder/v1"
	echo text >"$folder/v1/note.txt"
	works stats clean
	[ "$output" = "removed 1 file, 0 versions" ]
	[ "$(find "$folder/v1" -type f | wc -l)" -eq 2 ]
}

@test "gc of profiles leaves them" {
	here
	measure
	works rm 0@i || works rm HEAD
	works gc --now
	[ "$(listed list-files | wc -l)" -eq 2 ]
	measure
	[[ "$errors" != *"no earlier run of this is known"* ]]
}

@test "--opt-cache=reset forgets what runs have shown, =off does not" {
	here
	measure
	works collect --on dynamic-baseline --opt-cache=off ./prog 2000
	[[ "$errors" != *"no earlier run of this is known"* ]]
	works collect --on dynamic-baseline --opt-cache=reset ./prog 2000
	[[ "$errors" == *"no earlier run of this is known"* ]]
}

@test "what is no command, version or file is one line" {
	here
	measure
	for words in "" "frob" "delete" "delete file" "delete minor" "list-files x" "delete all x"; do
		# shellcheck disable=SC2086
		run rarog stats $words
		[ "$status" -eq 2 ]
		[ "${#lines[@]}" -eq 1 ]
	done
	run rarog stats delete file no-such
	[ "$status" -eq 3 ]
	[[ "$output" == *"there is no file no-such"* ]]
	run rarog stats delete minor no-such
	[ "$status" -eq 3 ]
}

@test "--no-stap-cache says where it means nothing" {
	here
	works collect --no-stap-cache ./prog 20
	[[ "$errors" == *"--no-stap-cache means nothing to --engine=inline"* ]]
}
