#!/usr/bin/env bats
# rarog report: files, messages, exit codes. What is in the page is tested in tests/web.

load helper

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
	run_rarog report app.rarog
	expect_status 0
	[[ "$output" =~ ^app\.html\ \([0-9.]+\ KiB\)$ ]] || fail "$output"
	[ "$errors" = "" ]
	head -c 15 app.html | grep -q '<!DOCTYPE html>'
	tail -c 8 app.html | grep -q '</html>'
	no_debris app.html app.rarog
}

@test "any other name gets .html behind it" {
	make_profile "run 1.dat"
	run_rarog report "run 1.dat"
	expect_status 0
	[ -s "run 1.dat.html" ]
}

@test "-o names the page; an older one is replaced" {
	make_profile app.rarog
	echo old >out.html
	run_rarog report app.rarog -o out.html
	expect_status 0
	[ "$(wc -c <out.html)" -gt 10000 ]
	no_debris app.rarog out.html
}

@test "-o - writes the page to standard output and nothing else" {
	make_profile app.rarog
	run_rarog report app.rarog -o -
	expect_status 0
	[ "$(head -c 15 <<<"$output")" = '<!DOCTYPE html>' ]
	[ "${output: -7}" = '</html>' ]
	no_debris app.rarog
}

@test "--quiet prints nothing" {
	make_profile app.rarog
	run_rarog report --quiet app.rarog
	expect_status 0
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

@test "losses are said" {
	make_profile app.rarog "loss events 12"
	run_rarog report app.rarog
	expect_status 0
	expect_error "rarog: warning: 12 events of this run were lost; the page says so"
}

@test "a cut-off profile is said" {
	make_profile app.rarog
	truncate -s -20 app.rarog
	run_rarog report app.rarog
	expect_status 0
	expect_error "rarog: warning: app.rarog was cut off; the page shows what could be recovered and says so"
}

@test "wrong usage: status 2 and one line" {
	make_profile app.rarog
	run_rarog report
	expect_status 2
	expect_error "rarog report: which profile? give its file, or run rarog init to have them kept"
	run_rarog report app.rarog other third
	expect_status 2
	expect_error "rarog report: unexpected argument 'third'; give one profile, or two"
	run_rarog report app.rarog -o app.rarog
	expect_status 2
	expect_error "rarog report: app.rarog is the profile itself; choose another OUT"
	run_rarog report app.rarog --max-frames 0
	expect_status 2
	run_rarog report app.rarog --open -o -
	expect_status 2
	expect_error "rarog report: --open needs a file; drop it or -o -"
	no_debris app.rarog
}

@test "what cannot be read: status 3 and one line" {
	run_rarog report missing.rarog
	expect_status 3
	[ "$(wc -l <<<"$errors")" -eq 1 ]
	[[ "$errors" == *missing.rarog*"No such file"* ]] || fail "$errors"
	echo "no profile at all, only text" >text
	run_rarog report text
	expect_status 3
	[[ "$errors" == *"text: not a rarog profile"* ]] || fail "$errors"
	: >empty
	run_rarog report empty
	expect_status 3
	no_debris empty text
}

@test "what cannot be written: status 3, one line, the older page stays" {
	make_profile app.rarog
	run_rarog report app.rarog -o missing/out.html
	expect_status 3
	[[ "$errors" == *"missing/out.html"*"No such file"* ]] || fail "$errors"
	run_rarog report app.rarog -o /dev/full
	expect_status 3
	expect_error "rarog report: cannot write /dev/full: No space left on device"
	echo old >out.html
	(
		ulimit -f 8
		trap '' XFSZ
		run_rarog report app.rarog -o out.html
		expect_status 3
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
	PATH=$PWD/bin:$PATH run_rarog report --open app.rarog
	expect_status 0
	[ "$(cat opened.txt)" = "$PWD/app.html" ]
	printf '#!/bin/sh\nexit 3\n' >bin/xdg-open
	PATH=$PWD/bin:$PATH run_rarog report --open app.rarog
	expect_status 3
	expect_error "rarog report: no browser could be started; open $PWD/app.html yourself"
	[ -s app.html ]
	rm bin/xdg-open
	ln -s "$(command -v cat)" bin/cat
	PATH=$PWD/bin run_rarog report --open app.rarog
	expect_status 3
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
	run_rarog report before/ now/
	expect_status 0
	[[ "$output" =~ ^before..now.html\ \([0-9.]+\ KiB\)$ ]] || fail "$output"
	[ "$errors" = "" ]
	grep -qF '<title>before/ → now/ – rarog</title>' before..now.html
	tail -c 8 before..now.html | grep -q '</html>'
	run_rarog report -q before/1.rarog now/1.rarog
	expect_status 0
	[ -s 1..1.html ]
	run_rarog report before/ now/ -o - --title 'a <b>'
	expect_status 0
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
	run_rarog report before/ missing/
	expect_status 3
	[ "$(wc -l <<<"$errors")" -eq 1 ]
	[[ "$errors" == *missing* ]] || fail "$errors"
	echo "no profile at all, only text" >text
	run_rarog report before/1.rarog text
	expect_status 3
	[ "$(wc -l <<<"$errors")" -eq 1 ]
	[[ "$errors" == *"text: not a rarog profile"* ]] || fail "$errors"
	mkdir empty
	run_rarog report empty/ now/
	expect_status 3
	[ "$(wc -l <<<"$errors")" -eq 1 ]
	run_rarog report before/ now/ -o now/2.rarog
	expect_status 2
	expect_error "rarog report: now/2.rarog is one of the profiles; choose another file"
	run_rarog report before/ now/ -o '%cmd%.html'
	expect_status 2
	expect_error "rarog report: %cmd%.html: a page of two has no tags in its name"
	cp -r before '50%'
	rarog report '50%/' now/ >/dev/null
	rarog report '50%/' now/ -o '50%.html' >/dev/null
	rm '50%..now.html' '50%.html'
	run_rarog report --force before/1.rarog
	expect_status 2
	expect_error "rarog report: --force is for two versions side by side; give both"
	run_rarog report before/ now/ -o missing/out.html
	expect_status 3
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
