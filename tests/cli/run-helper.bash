# shellcheck shell=bash
# For the tests of `rarog run`: `load helper` first, then `load run-helper`.

setup_file() {
	export GIT_CONFIG_NOSYSTEM=1
	RAROG_CANNOT_TRACE=$("$RAROG" doctor --json | python3 -c '
import json, sys
print(*("%(what)s: %(found)s" % c for c in json.load(sys.stdin)["checks"]
        if c["verdict"] == "missing" and c["needed_for"] == "collect trace"), sep=", ")')
	export RAROG_CANNOT_TRACE
}

# identity: who commits
identity() {
	git config user.name Tester
	git config user.email tester@example.org
}

# project: a repository with one commit and a built program in ./project; goes there
project() {
	mkdir project
	cd project || return 1
	git init -q -b main
	identity
	cp "$repo/tests/cli/run-program.c" prog.c
	printf 'prog: prog.c\n\tcc -g -O1 -o $@ $<\n' >Makefile
	printf 'prog\n*.txt\n' >.gitignore
	git add .
	git commit -q -m one
	make -s
	rarog --quiet init
	rm -f .rarog.yml
}

# settings TEXT: .rarog.yml
settings() {
	printf '%s\n' "$1" >.rarog.yml
}

# query SQL: of the catalogue, by another program
query() {
	sqlite3 -cmd ".timeout 20000" "$(git rev-parse --git-common-dir)/rarog/catalog.db" "$1"
}

# profile_of WORKLOAD: hash of the newest profile
profile_of() {
	query "SELECT lower(hex(p.object)) FROM profile p JOIN job j ON j.id = p.job
		WHERE j.workload = '$1' ORDER BY p.id DESC LIMIT 1"
}

# calls_of PROFILE FUNCTION
calls_of() {
	rarog show --json "$1" | python3 -c '
import json, sys
print(sum(f["count"] for f in json.load(sys.stdin)["functions"] if f["name"] == sys.argv[1]))' "$2"
}

# write_program NUMBER STATUS [TEXT]: a version of prog.c that multiplies by NUMBER
write_program() {
	cat >prog.c <<END
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static int step(int i) { return i * $1 + 1; }
int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[argc - 1]) : 3, sum = 0;
	for (int i = 0; i < n; i++)
		sum += step(i);
	printf("%s %d\n", __FILE__, sum);
	return $2;
}
${3:-}
END
}
