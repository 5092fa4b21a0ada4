#!/usr/bin/env bats
# The page of counts of blocks: which code it has. Its pictures are tested in tests/web.

load ../helper

need_program() { # OPTION…
	command -v clang-14 >/dev/null || skip "needs clang-14"
	[ -f "${RAROG_BUILD:-$repo/build}/llvm/rarog-llvm-14.so" ] || skip "needs a build with llvm-14-dev"
	cp "$repo/tests/blocks/lines.c" .
	rarog cc -O1 -g "$@" -o lines lines.c
	rarog -q collect blocks -- ./lines 50 >out.txt
}

# what the page knows of the code: state, and how many blocks of how many have it
code() {
	rarog -q report lines.rarog -o page.html
	python3 -c '
import base64, json, re, zlib
page = open("page.html").read()
data = json.loads(zlib.decompress(base64.b64decode(re.search(r"id=\"data\">([^<]*)<", page)[1]), -15))
text = data["ir"]["text"]
print(*data["ir"]["state"], sum(t is not None for t in text) > 10, len(text) == len(data["blocks"]["count"]))'
}

@test "code of blocks: kept if asked for, found in the debug file, of this build only" {
	need_program --rarog-ir
	[ "$(code)" = "written True True" ] || fail "$(code)"
	objcopy --only-keep-debug lines lines.debug
	strip -o stripped lines
	objcopy --add-gnu-debuglink=lines.debug stripped lines
	! readelf -S lines | grep -q 'debug.rarog' || fail "strip left it"
	[ "$(code)" = "written True True" ] || fail "$(code)"
	rm lines.debug
	[ "$(code)" = "unwritten False True" ] || fail "$(code)"
	rarog cc -O2 -g --rarog-ir -o lines lines.c
	[ "$(code)" = "rebuilt False True" ] || fail "$(code)"
	rm lines
	[ "$(code)" = "missing False True" ] || fail "$(code)"
}

@test "code of blocks: nothing is kept unasked" {
	need_program
	! readelf -S lines | grep -q rarog_ir || fail "it is there"
	[ "$(code)" = "unwritten False True" ] || fail "$(code)"
}

@test "a source that is a link in its commit is what the link leads to" {
	command -v clang-14 >/dev/null || skip "needs clang-14"
	[ -f "${RAROG_BUILD:-$repo/build}/llvm/rarog-llvm-14.so" ] || skip "needs a build with llvm-14-dev"
	mkdir shared
	cp "$repo/tests/blocks/lines.c" shared/real.c
	ln -s shared/real.c lines.c
	git init -q .
	git add .
	git -c user.name=a -c user.email=a@b.c commit -qm first
	rarog cc -O1 -g -o lines lines.c
	rarog -q collect blocks -o lines.rarog -- ./lines 50 >out.txt
	rarog -q report lines.rarog -o page.html
	python3 -c '
import base64, json, re, zlib
page = open("page.html").read()
data = json.loads(zlib.decompress(base64.b64decode(re.search(r"id=\"data\">([^<]*)<", page)[1]), -15))
print(json.dumps(data["sources"]))' >sources.json
	grep -qF "$(sed -n '/main(/{p;q}' shared/real.c)" sources.json || fail "another text: $(head -c 400 sources.json)"
}
