# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of recipes/ with loops planted at the beginnings of some functions, of which the environment switches one on:
RAROG_PLANT is its number, RAROG_PLANT_TURNS how often it turns. Their results are what they were."""
import pathlib
import re
import shutil
import subprocess

from harness import CACHE, HERE

HEADER = """#ifndef RAROG_PLANT
extern char *getenv(const char *);
extern long atol(const char *);
static int rarog_plant_which = -1;
static volatile long rarog_plant_turns;
__attribute__((constructor)) static void rarog_plant_read(void)
{
	const char *which = getenv("RAROG_PLANT"), *turns = getenv("RAROG_PLANT_TURNS");

	rarog_plant_which = which ? (int)atol(which) : -1;
	rarog_plant_turns = turns ? atol(turns) : 0;
}
#define RAROG_PLANT(k)                                                                             \\
	__attribute__((unused)) int rarog_planted = ({                                             \\
		if ((RAROG_CHANGED) >> (k) & 1)                                                    \\
			__asm__ volatile("lea 0(%rsp), %rsp");                                     \\
		if (rarog_plant_which == (k))                                                      \\
			for (long n_ = rarog_plant_turns; n_ > 0; n_--)                            \\
				__asm__ volatile("");                                              \\
		0;                                                                                 \\
	})
#endif
"""


def plant(folder, names):
    """the macro, a declaration, at the beginning of each function; only files that have one are changed"""
    for path in sorted(folder.rglob("*.c")):
        text = path.read_text(errors="surrogateescape")
        before = text
        for k, name in enumerate(names):
            pattern = re.compile(r"(?m)^(?:[A-Za-z_][^\n;#={}]*[\s*])?" + re.escape(name) + r" ?\([^;{}#]*\)\s*\{\n")
            text = pattern.sub(lambda m, k=k: m.group(0) + f"  RAROG_PLANT({k});\n", text, count=1)
        if text != before:
            path.write_text(f'#include "{folder}/rarog-plant.h"\n' + text, errors="surrogateescape")


def switched_on(k, turns):
    """the environment in which the loop in names[k] turns so often"""
    return {"RAROG_PLANT": str(k), "RAROG_PLANT_TURNS": str(turns)}


def build(program, kind, names, changed=0):
    """the folder of its binaries; changed: a bit for each function that has an instruction more than the others"""
    to = CACHE / "bin" / f"{program}-planted-{kind}"
    if (to / "complete").exists():
        return to
    source = pathlib.Path(subprocess.run([HERE / "fetch", program], check=True, text=True,
                                         stdout=subprocess.PIPE).stdout.split()[-1])
    work = CACHE / "build" / f"{program}-planted"  # of all kinds: what asserts print has the folder's name
    for folder in (work, to):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source, work, symlinks=True)
    to.mkdir(parents=True)
    plant(work, names)
    (work / "rarog-plant.h").write_text(f"#define RAROG_CHANGED {changed:#x}ul\n" + HEADER)
    with open(to / "log", "w") as log:
        subprocess.run([HERE / "build", "--here", program, "-O2", "gcc", "", to], cwd=work, check=True, stdout=log, stderr=log)
    (to / "complete").touch()
    return to
