/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The page of features, from events through `rarog report` to what is shown. Times are in ms of a clock
 * of 1 MHz; what must be shown is worked out here, by hand.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { launch, openPage, showTab, tableRows, typeSearch } from "./support.mjs";

const rarog = process.env.RAROG ?? "build/rarog";
const maker = process.env.MAKE_PROFILE ?? join(dirname(rarog), "tests", "make-profile");
const skip = [rarog, maker].filter((path) => !existsSync(path)).map((path) => `needs ${path}`).join(", ") || false;
const folder = mkdtempSync(join(tmpdir(), "rarog-features-"));
let browser;

before(async () => {
	browser = skip ? undefined : await launch();
});
after(async () => {
	await browser?.close();
	rmSync(folder, { recursive: true });
});

const regions = ["A@prog.c:10", "B@prog.c:20", "A,B@prog.c:30"];

/* A for @a ms, of which in the middle B for @b, in which both meet for @both; then B alone for 10; the run takes 200. */
function makeProfile(name, [a, b, both]) {
	const profile = join(folder, `${name}.rarog`), ms = 1000;
	const aside = (a - b) / 2, within = (b - both) / 2;
	const events = [["> A@prog.c:10", 20], ["> B@prog.c:20", aside], ...both > 0 ? [["> A,B@prog.c:30", within], ["<", both], ["<", within]] : [["<", b]], ["<", aside], ["> B@prog.c:20", 10], ["<", 10]];
	const lines = ["clock 1000000 1763640000000000000", "binary /bin/prog",
		       ...regions.map((region, i) => `location ${region} binary=0 file=/src/prog.c line=${10 * (i + 1)} address=${64 * i} kind=1`),
		       `process 7 - 0 ${200 * ms} 0 "./prog"`, `strand 0 7 0 ${200 * ms}`,
		       ...events.map(([event, delta]) => `${event} ${delta * ms}`)];

	execFileSync(maker, [profile], { input: lines.join("\n") + "\n" });
	return profile;
}

async function open(t, ...profiles) {
	const file = join(folder, `${t.name.replace(/\W+/g, "-").slice(0, 60)}.html`);

	execFileSync(rarog, ["report", ...profiles.length > 1 ? ["--force"] : [], "-o", file, ...profiles]);
	return openPage(t, browser, file, { tab: "features" });
}

test("of one run: inclusive, share, exclusive, times, regions of each set", { skip }, async (t) => {
	const page = await open(t, makeProfile("one", [100, 60, 20]));

	/* A: 100; B: 60 in it, and 10; both: while B is in A, of which 20 in a region of both */
	assert.deepEqual(await tableRows(page, "features"), [
		["A", "100 ms", "50.0 %", "40.0 ms", "1", "1", "1"],
		["B", "70.0 ms", "35.0 %", "10.0 ms", "2", "1", "1"],
		["A,B", "60.0 ms", "30.0 %", "60.0 ms", "1", "1", "2"],
	]);
	assert.deepEqual(await tableRows(page, "regions"), [
		["A@prog.c:10", "100 ms", "50.0 %", "40.0 ms", "1"],
		["B@prog.c:20", "70.0 ms", "35.0 %", "50.0 ms", "2"],
		["A,B@prog.c:30", "20.0 ms", "10.0 %", "20.0 ms", "1"],
	]);
});

test("a chosen interaction has its regions, and is in the address", { skip }, async (t) => {
	const page = await open(t, makeProfile("chosen", [100, 60, 20]));

	await page.click("#features tbody tr:has-text('A,B')");
	assert.deepEqual((await tableRows(page, "regions")).map(([name]) => name), ["A,B@prog.c:30"]);
	assert.ok(decodeURIComponent(await page.evaluate(() => location.hash)).includes("feature=A,B"));
	await page.click("#all-regions");
	assert.equal((await tableRows(page, "regions")).length, 3);
	await typeSearch(page, "prog.c:20");
	assert.deepEqual((await tableRows(page, "regions")).map(([name]) => name), ["B@prog.c:20"]);
});

test("of two runs: both, and the difference, largest first", { skip }, async (t) => {
	const page = await open(t, makeProfile("before", [100, 60, 20]), makeProfile("now", [160, 60, 40]));
	const [first, ...rest] = await tableRows(page, "features");

	assert.deepEqual([first, ...rest.sort(([a], [b]) => a < b ? -1 : 1)].map((row) => row.slice(0, 5)), [
		["A", "100 ms", "160 ms", "+60.0 ms", "+60.0 %"],
		["A,B", "60.0 ms", "60.0 ms", "0 ns", "+0.0 %"],
		["B", "70.0 ms", "70.0 ms", "0 ns", "+0.0 %"],
	]);
	assert.deepEqual((await tableRows(page, "regions")).map((row) => row.slice(0, 4)), [
		["A@prog.c:10", "100 ms", "160 ms", "+60.0 ms"],
		["A,B@prog.c:30", "20.0 ms", "40.0 ms", "+20.0 ms"],
		["B@prog.c:20", "70.0 ms", "70.0 ms", "0 ns"],
	]);
});

/* Else the browser of the tests has no such bars. */
test("a table wider than its place shows its last row whole, above the bar that scrolls it", { skip }, async (t) => {
	const file = join(folder, "wide.html"), withBars = await launch({ ignoreDefaultArgs: ["--hide-scrollbars"] });

	t.after(() => withBars.close());
	execFileSync(rarog, ["report", "--force", "-o", file, makeProfile("wide", [100, 60, 20]), makeProfile("wider", [160, 60, 40])]);
	const page = await openPage(t, withBars, file, { tab: "features" });

	for (const width of [640, 1800, 640]) {
		await page.setViewportSize({ width, height: 900 });
		for (const place of ["features", "regions"])
			await page.waitForFunction(([id, isWide]) => {
				const box = document.getElementById(`${id}-box`), rows = box.querySelectorAll("tbody:not(.spacer) tr");
				const end = box.getBoundingClientRect().top + box.clientTop + box.clientHeight;

				return rows.length === 3 && box.scrollWidth > box.clientWidth === isWide &&
					box.offsetHeight - box.clientHeight > 2 === isWide && rows[2].getBoundingClientRect().bottom <= end;
			}, [place, width < 1800]);
	}
});

test("of a region's name that has no room the place is shown whole", { skip }, async (t) => {
	const profile = join(folder, "long.rarog"), file = join(folder, "long.html");
	const name = (line) => `${"A_feature_with_a_long_name,".repeat(3)}Last@compress.c:${line}`;

	execFileSync(maker, [profile], { input: ["clock 1000000 1763640000000000000", `location ${name(10)} kind=1`, `location ${name(20)} kind=1`,
						 "process 7 - 0 90 0 ./prog", "strand 0 7 0 90", `> ${name(10)} 1`, "< 5", `> ${name(20)} 1`, "< 5"].join("\n") + "\n" });
	execFileSync(rarog, ["report", "-o", file, profile]);
	const page = await openPage(t, browser, file, { tab: "features" });

	await page.setViewportSize({ width: 1100, height: 800 });
	const shown = await page.$$eval("#regions tbody:not(.spacer) tr .parts", (all) => all.map(({ children: [features, place] }) =>
		[features.scrollWidth > features.clientWidth, place.scrollWidth <= place.clientWidth, place.textContent]));
	assert.deepEqual(shown.sort(), [[true, true, "@compress.c:10"], [true, true, "@compress.c:20"]]);
});

test("without regions of features there is no such tab", { skip }, async (t) => {
	const profile = join(folder, "none.rarog"), file = join(folder, "none.html");

	execFileSync(maker, [profile], { input: "clock 1000000 1763640000000000000\nlocation f\nprocess 7 - 0 10 0 ./f\nstrand 0 7 0 10\n> f 1\n< 5\n" });
	execFileSync(rarog, ["report", "-o", file, profile]);
	const page = await openPage(t, browser, file, { tab: "overview" });

	assert.equal(await page.$("#tabs [data-tab=features]"), null);
	await showTab(page, "functions");
});
