# shellcheck shell=bash
# A project whose versions call step() so often.

# write_steps CALLS [TEXT]: a version of prog.c that calls step() so often
write_steps() {
	cat >prog.c <<END
static volatile int total;
__attribute__((noinline)) static void step(int i) { total += i; }
int main(void)
{
	for (int i = 0; i < $1; i++)
		step(i);
	return 0;
}
${2:-}
END
}

# line N CHANGE [BROKEN…]: N commits c1 … cN; from CHANGE on step() is called more often
line() {
	local n=$1 change=$2 i
	shift 2
	project
	for ((i = 1; i <= n; i++)); do
		write_steps "$((i >= change ? 30 : 20))" "/* $i */"
		[[ " $* " != *" $i "* ]] || echo broken >>prog.c
		git commit -q -a -m "number $i"
		git tag "c$i"
	done
	settings 'build: make
matrix: {command: ./prog, collectors: [{name: trace, parameters: {detail: count}}]}'
}

# build_below: a prog whose main() calls middle(), and that deep()
build_below() {
	cat >prog.c <<-'END'
		__attribute__((noipa)) int deep(int n) { volatile int k = 0; while (k < n) k++; return k; }
		__attribute__((noipa)) int middle(int n) { return deep(n) + 1; }
		int main(void) { int sum = 0; for (int i = 0; i < 300; i++) sum += middle(3000); return sum == 1; }
	END
	gcc -g -O1 -o prog prog.c
}
