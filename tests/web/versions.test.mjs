/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of a range of versions. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { makePage } from "./fixture.mjs";
import { launch, lowContrast, openPage, showTab } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "rarog-versions-"));
let browser;

before(async () => {
	browser = await launch();
});
after(async () => {
	await browser?.close();
	rmSync(folder, { recursive: true });
});

const hash = (i) => i.toString(16).padStart(40, "abcdef0123");

/** Eight versions: step() takes 100 ns, from the fifth on 150 ns; </b>other never changes. */
function history() {
	const numbers = [0, 1, 2, 3, 4, 5, 6, 7], step = numbers.map((i) => i < 4 ? 100 : 150);
	const series = (name, metric, unit, value) => ({ job: 0, name, binary: name ? "/bin/prog" : "", metric, unit, version: numbers, value,
							 low: value.map((v) => v - 5), high: value.map((v) => v + 20), runs: numbers.map(() => 3) });

	return {
		version: 1, rarog: "0.1.0", title: null, range: "v1..v8", profiles: 24, tested: 3, left_out: 0, jobs: ["./prog -x (trace)"],
		versions: numbers.map((i) => ({ name: hash(i), parent: i === 6 ? hash(99) : i > 0 ? hash(i - 1) : null, subject: `<i>number ${i}`, author: "Ada",
						time_s: 1763640000 + i * 86400, profiles: 3, verdict: i === 4 ? "degradation" : null })),
		series: [series("step", "exclusive", "ns", step), series("", "wall", "ns", step.map((v) => v * 10)), series("</b>other", "calls", "count", numbers.map(() => 7))],
		changes: [{ series: 0, version: 4, previous: 3, class: "Degradation", before: 100, after: 150, relative: 0.5, impact: 0.05, q: 0.001 }],
		splits: [{ version: 6, job: "./prog -x (trace)", reason: "other compiler: gcc 13 instead of 12" }],
	};
}

async function open(t, payload, options = { tab: "versions" }) {
	const file = join(folder, `${t.name.replace(/\W+/g, "-").slice(0, 60)}.html`);

	writeFileSync(file, makePage(payload));
	return openPage(t, browser, file, options);
}

const series = (page) => page.evaluate(() => window.rarog.series());
const state = async (page) => Object.fromEntries(new URLSearchParams((await page.evaluate(() => location.hash)).slice(1)));

test("the overview says what changed and leads there", async (t) => {
	const page = await open(t, history(), { tab: "overview" });

	assert.deepEqual(await page.$$eval("#tabs button", (list) => list.map((button) => button.dataset.tab)), ["overview", "versions"]);
	assert.match(await page.textContent("#headline"), /step.*100 ns → 150 ns \(\+50\.0 %\) since .*number 4/);
	assert.match(await page.textContent("#limits"), /gcc 13.*|1 version others were not measured/);
	await page.click("#headline button");
	const { name, version } = await series(page);

	assert.deepEqual([name, version], ["step", hash(4)]);
	assert.match(await page.textContent("#version-detail"), /<i>number 4.*Ada.*degradation.*step.*\+50\.0 %/);
});

test("points stand where versions and values are", async (t) => {
	const page = await open(t, history()), { points, name } = await series(page);

	assert.equal(name, "step");
	points.forEach(([x, y], i) => {
		assert.ok(Math.abs((x - points[0][0]) / (points[7][0] - points[0][0]) - i / 7) < 1e-6);
		assert.ok(Math.abs(y - points[i < 4 ? 0 : 7][1]) < 1e-6);
	});
	assert.ok(points[7][1] < points[0][1], "more is higher");
});

test("choosing a version and an amount, by clicks, keys, address and back button", async (t) => {
	const page = await open(t, history()), { points } = await series(page), box = await page.locator("#series-plot").boundingBox();

	await page.mouse.click(box.x + points[2][0], box.y + points[2][1]);
	assert.equal((await state(page)).version, hash(2));
	await page.evaluate(() => document.activeElement.blur());
	await page.keyboard.press("n");
	await page.keyboard.press("n");
	assert.equal((await series(page)).version, hash(4));
	await page.click("#series-list tbody tr:has-text('other')");
	assert.match(await page.textContent("#series-name"), /<\/b>other/);
	const address = await page.evaluate(() => location.hash), other = await open(t, history(), { hash: address });

	assert.match(await other.textContent("#series-name"), /<\/b>other/);
	assert.equal((await series(other)).version, hash(4));
	await page.goBack();
	assert.equal((await series(page)).name, "step");
	await page.fill("#search", "whole");
	assert.equal((await page.$$("#series-list tbody:not(.spacer) tr")).length, 1);
	assert.match(await page.textContent("#version-detail"), /rarog report/);
	await page.press("#search", "Enter");
	assert.equal((await series(page)).name, "");
});

test("a version whose parent was not measured says so where it changed", async (t) => {
	const payload = history();

	payload.changes.push({ ...payload.changes[0], version: 6, previous: 5 });
	const page = await open(t, payload, { hash: `#tab=versions&fn=step&version=${hash(6)}` });

	assert.match(await page.textContent("#version-detail"), /were not measured/);
});

for (const colorScheme of ["light", "dark"])
	test(`every text can be read (${colorScheme})`, async (t) => {
		const page = await open(t, history(), { tab: "overview", colorScheme });

		assert.deepEqual(await page.evaluate(lowContrast), []);
		await showTab(page, "versions");
		await page.keyboard.press("p");
		assert.deepEqual(await page.evaluate(lowContrast), []);
	});
