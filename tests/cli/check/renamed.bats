#!/usr/bin/env bats
# rarog check on counts of blocks: functions that are called otherwise now are the same functions, and where it
# cannot be told nothing is said to be.

load ../helper
load ../blocks-helper

# Among 40 others: one that is like none (walk), and twins (left, right). Names come from the command line.
write_program() {
	{
		echo '#include <stdlib.h>'
		echo 'static volatile unsigned sink;'
		echo '#define OWN __attribute__((noinline)) static'
		for i in {1..40}; do
			echo "OWN void f$i(int n) { for (int i = 0; i < n; i++) sink += i % $((i + 2)) ? i ^ $i : n * sink; }"
		done
		cat <<-'END'
			OWN int WALK(int n)
			{
				int sum = 0;
				for (int i = 0; i < n; i++) {
					if (i % 7 == 3)
						sum += sink++;
					else if (i % 11 == 5)
						for (int k = 0; k < i; k++)
							sum ^= k * (int)sink;
					switch (i % 5) {
					case 0: sink += 3; break;
					case 1: sum -= i; sink ^= 5; break;
					case 2: sum *= 3; break;
					case 3: sink--; sum++; break;
					}
			#ifdef EDITED
					sink += 17;
			#endif
				}
				while (sum > 1000 && sink % 1024 != 9)
					sum = sum / 2 - (int)sink++;
				return sum;
			}
		END
		for name in LEFT RIGHT; do
			cat <<-END
				OWN int $name(int n)
				{
					int sum = 0;
					for (int i = 0; i < n; i++) {
						if (i % 13 == 3)
							sum += sink++;
						else if (i % 3 == 1)
							for (int k = 0; k < i % 9; k++)
								sum ^= k - (int)sink;
						sum += sum % 2 ? i : 2;
					}
					while (sum > 1000 && sink % 512 != 9)
						sum = sum / 2 - (int)sink++;
					return sum;
				}
			END
		done
		echo 'int main(void) {'
		for i in {1..40}; do echo "f$i($i);"; done
		echo 'return (WALK(50) + LEFT(30) * 2 + RIGHT(60)) == 12345; }'
	} >prog.c
}

# version NAME FLAG…
version() {
	rarog cc -O1 -g -w "${@:2}" -o prog prog.c
	rarog -q collect blocks -o "$1.rarog" -- ./prog
}

# pairs BASELINE TARGET: "old new" of each that is said to be renamed
pairs() {
	rarog check --json --method exact --set smallest=0 "$1.rarog" "$2.rarog" >check.json || true
	python3 - <<-'END'
		import json, re
		for change in json.load(open("check.json"))["changes"]:
		    was = re.search(r"renamed: was (\S+)$", change["reason"] or "")
		    if was:
		        print(was[1], change["location"])
	END
}

@test "a renamed function is found, twins are not, nor is one that came with one that went" {
	need_plugin
	write_program
	version old -DWALK=walk -DLEFT=left -DRIGHT=right
	version new -DWALK=stroll -DLEFT=port -DRIGHT=starboard
	[ "$(pairs old new)" = "walk stroll" ] || fail "$(pairs old new)"
	# nothing changed, and it is no other function that came
	works check old.rarog new.rarog
	# one of the twins is still called the same: the other could be it, or new
	version half -DWALK=walk -DLEFT=left -DRIGHT=starboard
	[ -z "$(pairs old half)" ] || fail "$(pairs old half)"
	# something else in its place
	sed -i '/sum = 0;/,/return sum;/{/sink % 1024/d; /case [0-3]/d; s/i % 7 == 3/i == n/}' prog.c
	version other -DWALK=stroll -DLEFT=left -DRIGHT=right
	[ -z "$(pairs old other)" ] || fail "$(pairs old other)"
}

@test "a renamed function that executes more is a degradation of that function" {
	need_plugin
	write_program
	version old -DWALK=walk -DLEFT=left -DRIGHT=right
	version new -DWALK=stroll -DLEFT=left -DRIGHT=right -DEDITED
	[ "$(pairs old new)" = "walk stroll" ] || fail "$(pairs old new)"
	exits 1 check old.rarog new.rarog
	[[ $output == *stroll*"renamed: was walk"* ]] || fail "$output"
}
