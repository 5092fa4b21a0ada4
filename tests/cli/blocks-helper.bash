# Tests of block counters, after helper.bash: by the plug-in for LLVM $RAROG_LLVM (14).

llvm=${RAROG_LLVM:-14}
build=${RAROG_BUILD:-$repo/build}
plugin=$build/llvm/rarog-llvm-$llvm.so

need_plugin() {
	command -v "clang++-$llvm" >/dev/null || skip "needs clang-$llvm"
	[ -f "$plugin" ] || skip "needs a build with llvm-$llvm-dev"
}

rarog() {
	case $1 in
	cc | c++) "$RAROG" "$1" "--rarog-compiler=clang-$llvm" "${@:2}" ;;
	*) "$RAROG" "$@" ;;
	esac
}

# counted CLANG… : compiled with counters in every block beside the tree's
counted() {
	"$@" -w -I"$repo/tests/blocks" "-fplugin=$plugin" "-fpass-plugin=$plugin" -mllvm -rarog-placement=both
}
