#!/usr/bin/env bats
# rarog report: files, messages, exit codes. What is in the page is tested in tests/web.

load ../helper

build=${RAROG_BUILD:-$(dirname "$RAROG")}

make_profile() { # NAME
	"$build/tests/make-profile" "$1" <<-END
		binary /bin/prog
		location main
		location work
		process 1 - 0 1000 0 "./prog x"
		strand 0 1 0 1000
		> main 10
		> work 10
		< 20
		< 10
		${2:-}
	END
}

no_debris() { # only these files are left
	[ "$(find . -mindepth 1 ! -name errors.txt -printf '%P\n' | sort | tr '\n' ' ')" = "$* " ] ||
		fail "left behind: $(ls -A)"
}

@test "app.rarog becomes app.html, and one line says so" {
	make_profile app.rarog
	works report app.rarog
	[[ "$output" =~ ^app\.html\ \([0-9.]+\ KiB\)$ ]] || fail "$output"
	[ "$errors" = "" ]
	head -c 15 app.html | grep -q '<!DOCTYPE html>'
	tail -c 8 app.html | grep -q '</html>'
	no_debris app.html app.rarog
}

@test "a name that does not end with .html gets that ending" {
	make_profile "run 1.dat"
	works report "run 1.dat"
	[ -s "run 1.dat.html" ]
}

@test "-o names the page; an older one is replaced" {
	make_profile app.rarog
	echo old >out.html
	works report app.rarog -o out.html
	[ "$(wc -c <out.html)" -gt 10000 ]
	no_debris app.rarog out.html
}

@test "-o - writes the page to standard output and nothing else" {
	make_profile app.rarog
	works report app.rarog -o -
	[ "$(head -c 15 <<<"$output")" = '<!DOCTYPE html>' ]
	[ "${output: -7}" = '</html>' ]
	no_debris app.rarog
}

@test "--quiet prints nothing" {
	make_profile app.rarog
	works report --quiet app.rarog
	[ "$output$errors" = "" ]
	[ -s app.html ]
}

@test "the same profile gives the same bytes" {
	make_profile app.rarog
	rarog report -q app.rarog -o a.html
	rarog report -q app.rarog -o b.html
	cmp a.html b.html
}

@test "the title is escaped" {
	make_profile app.rarog
	rarog report -q app.rarog --title '</title><b>&"'
	grep -qF '<title>&#60;/title&#62;&#60;b&#62;&#38;&#34;</title>' app.html
}

@test "the page names no address and carries a policy against connections" {
	make_profile app.rarog
	rarog report -q app.rarog
	if grep -E '(https?|wss?|ftp)://' app.html; then
		fail "an address"
	fi
	grep -qF "default-src 'none'" app.html
}

@test "the page says what was lost" {
	make_profile app.rarog "loss events 12"
	says 0 "rarog: warning: 12 events of this run were lost; the page says so" report app.rarog
}

@test "a cut-off profile is said" {
	make_profile app.rarog
	truncate -s -20 app.rarog
	says 0 "rarog: warning: app.rarog was cut off; the page shows what could be recovered and says so" report app.rarog
}

@test "wrong usage: status 2 and one line" {
	make_profile app.rarog
	says 2 "rarog report: which profile? give its file, or run rarog init to have them kept" report
	says 2 "rarog report: unexpected argument 'third'; give one profile, or two" report app.rarog other third
	says 2 "rarog report: app.rarog is the profile itself; choose another OUT" report app.rarog -o app.rarog
	exits 2 report app.rarog --max-frames 0
	says 2 "rarog report: --open needs a file; drop it or -o -" report app.rarog --open -o -
	no_debris app.rarog
}

@test "what cannot be read: status 3 and one line" {
	exits 3 report missing.rarog
	[ "$(wc -l <<<"$errors")" -eq 1 ]
	[[ "$errors" == *missing.rarog*"No such file"* ]] || fail "$errors"
	echo "no profile at all, only text" >text
	exits 3 report text
	[[ "$errors" == *"text: not a rarog profile"* ]] || fail "$errors"
	: >empty
	exits 3 report empty
	no_debris empty text
}

@test "what cannot be written: status 3, one line, the older page stays" {
	make_profile app.rarog
	exits 3 report app.rarog -o missing/out.html
	[[ "$errors" == *"missing/out.html"*"No such file"* ]] || fail "$errors"
	says 3 "rarog report: cannot write /dev/full: No space left on device" report app.rarog -o /dev/full
	echo old >out.html
	(
		ulimit -f 8
		trap '' XFSZ
		exits 3 report app.rarog -o out.html
		[ "$errors" = "rarog report: cannot write out.html: File too large" ] || fail "$errors"
	)
	[ "$(cat out.html)" = old ]
	no_debris app.rarog out.html
}

@test "a damaged profile never makes a broken page" {
	make_profile app.rarog
	size=$(stat -c %s app.rarog)
	for ((at = 40; at < size; at += 61)); do
		cp app.rarog bad.rarog
		printf '\xa5' | dd of=bad.rarog bs=1 seek="$at" conv=notrunc status=none
		run_rarog report bad.rarog -o bad.html
		[ "$status" -eq 0 ] || [ "$status" -eq 3 ] || fail "at $at: status $status: $errors"
		[ "$status" -eq 0 ] || [ ! -e bad.html ] || fail "at $at: a page in spite of status 3"
		rm -f bad.html
	done
}

@test "--open runs xdg-open with the absolute path, and says when it cannot" {
	make_profile app.rarog
	mkdir bin
	printf '#!/bin/sh\necho "$1" >opened.txt\n' >bin/xdg-open
	chmod +x bin/xdg-open
	PATH=$PWD/bin:$PATH works report --open app.rarog
	[ "$(cat opened.txt)" = "$PWD/app.html" ]
	printf '#!/bin/sh\nexit 3\n' >bin/xdg-open
	PATH=$PWD/bin:$PATH says 3 "rarog report: no browser could be started; open $PWD/app.html yourself" report --open app.rarog
	[ -s app.html ]
	rm bin/xdg-open
	ln -s "$(command -v cat)" bin/cat
	PATH=$PWD/bin exits 3 report --open app.rarog
	[[ "$errors" == *"xdg-open is not installed; open $PWD/app.html yourself"* ]] || fail "$errors"
}

# --- two versions side by side ---

two_versions() { # before/ and now/ of three runs each
	local i

	mkdir -p before now
	for i in 1 2 3; do
		make_profile "before/$i.rarog"
		make_profile "now/$i.rarog"
	done
}

@test "two operands: BASE..TARGET.html in the current directory, and one line says so" {
	two_versions
	works report before/ now/
	[[ "$output" =~ ^before..now.html\ \([0-9.]+\ KiB\)$ ]] || fail "$output"
	[ "$errors" = "" ]
	grep -qF '<title>before/ → now/ – rarog</title>' before..now.html
	tail -c 8 before..now.html | grep -q '</html>'
	works report -q before/1.rarog now/1.rarog
	[ -s 1..1.html ]
	works report before/ now/ -o - --title 'a <b>'
	[[ "$output" == *"<title>a &#60;b&#62;</title>"* ]]
}

@test "two operands: the same profiles give the same bytes, and the page names no address" {
	two_versions
	rarog report -q before/ now/ -o a.html
	rarog report -q before/ now/ -o b.html
	cmp a.html b.html
	if grep -E '(https?|wss?|ftp)://' a.html; then
		fail "an address"
	fi
	grep -qF "default-src 'none'" a.html
}

@test "two operands: bad input, one line each, and no page" {
	two_versions
	exits 3 report before/ missing/
	[ "$(wc -l <<<"$errors")" -eq 1 ]
	[[ "$errors" == *missing* ]] || fail "$errors"
	echo "no profile at all, only text" >text
	exits 3 report before/1.rarog text
	[ "$(wc -l <<<"$errors")" -eq 1 ]
	[[ "$errors" == *"text: not a rarog profile"* ]] || fail "$errors"
	mkdir empty
	exits 3 report empty/ now/
	[ "$(wc -l <<<"$errors")" -eq 1 ]
	says 2 "rarog report: now/2.rarog is one of the profiles; choose another file" report before/ now/ -o now/2.rarog
	says 2 "rarog report: %cmd%.html: a page of two has no tags in its name" report before/ now/ -o '%cmd%.html'
	cp -r before '50%'
	rarog report '50%/' now/ >/dev/null
	rarog report '50%/' now/ -o '50%.html' >/dev/null
	rm '50%..now.html' '50%.html'
	says 2 "rarog report: --force is for two versions side by side; give both" report --force before/1.rarog
	exits 3 report before/ now/ -o missing/out.html
	[ "$(find . -name '*.html')" = "" ]
}

@test "two operands: a damaged profile never makes a broken page" {
	two_versions
	size=$(stat -c %s now/2.rarog)
	cp now/2.rarog whole
	for ((at = 40; at < size; at += 97)); do
		cp whole now/2.rarog
		printf '\xa5' | dd of=now/2.rarog bs=1 seek="$at" conv=notrunc status=none
		run_rarog report --force before/ now/ -o bad.html
		[ "$status" -eq 0 ] || [ "$status" -eq 3 ] || fail "at $at: status $status: $errors"
		[ "$status" -eq 0 ] || [ ! -e bad.html ] || fail "at $at: a page in spite of status 3"
		rm -f bad.html
	done
}
