# Loaded by test files: `load repositories`. Real git repositories of every kind, and profiles for
# them that need no tracing.

export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_CEILING_DIRECTORIES=/
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=C
export GIT_COMMITTER_EMAIL=c@example.org TZ=UTC

# repository DIRECTORY [OPTION…]: of git, with one commit, and goes there
repository() {
	local directory=$1

	shift
	git init -q -b main "$@" "$directory"
	cd "$directory" || return 1
	commit first
}

# commit SUBJECT: changes file.c; one second after the commit before
commit() {
	commit_time=$((${commit_time:-1700000000} + 1))
	echo "$1" >>file.c
	git add file.c
	GIT_AUTHOR_DATE="$commit_time +0000" GIT_COMMITTER_DATE="$commit_time +0000" \
		git commit -q -m "$1"
}

# made FILE [COMMIT [MEMBERS]]: a profile of a run that never happened; MEMBERS of its header begin
# with a comma
made() {
	local commit=""

	[ -z "${2:-}" ] || commit=",\"commit\":\"$2\",\"dirty\":false"
	"$(dirname "$RAROG")/tests/make-profile" "$1" <<-END
		header {"command":["./prog","-x"],"collector":"trace","engine":"inline","workload":"w","started_ns":1700000000000000000,"detail":"calls","parameters":{},"end":{"exit_status":0,"wall_ns":1000},"machine":{"architecture":"x86_64","cpu":"Test","cpus":2,"kernel":"6.1"}$commit${3:-}}
		binary /usr/bin/prog abc
		location main
		process 100 - 0 2000 0 "./prog -x"
		strand 0 100 0 2000
		> main 10
		< 1000
	END
}

# field JSON-PATH: of the last output, by python
field() {
	python3 -c 'import json, sys; v = json.load(sys.stdin)
for part in sys.argv[1].split("."):
    v = v[int(part)] if isinstance(v, list) else v[part]
print(v if isinstance(v, (str, int, float, bool)) or v is None else json.dumps(v))' "$1" <<<"$output"
}

# stored LABEL: the name in the store of the one profile with that label ("": without one)
stored() {
	sqlite3 "file:$PWD/.git/rarog/catalog.db?mode=ro" \
		"SELECT lower(hex(object)) FROM profile WHERE ifnull(label, '') = '$1'"
}
