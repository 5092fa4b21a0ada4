/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hundred thousand functions, some with names of 2,000 characters. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { emptyPayload, makePage } from "./fixture.mjs";
import { launch, openPage, showTab, tableRows } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "rarog-large-")), file = join(folder, "large.html"), N = 100000, LONG = 2000;
let browser;

/** Function i was called from the root and took N - i ticks; the first five hundred have long names. */
function payload() {
	const p = emptyPayload(), { functions: f, tree, histograms } = p, each = Array.from({ length: N }, (_, i) => i);
	const name = (i) => i < 500 ? `ns${i}::`.padEnd(LONG - 5, "verylong_") + "::end" : `ns${i}::f${i % 97}`;

	for (const key of Object.keys(f))
		f[key] = each.map((i) => key === "name" ? name(i) : key === "demangled" ? null : ["binary", "file"].includes(key) ? -1
			: ["count", "timed", "line"].includes(key) ? 1 : ["open", "unwound", "deviation"].includes(key) ? 0 : N - i);
	f.away = null;
	histograms.n = each.map(() => 0);
	for (const i of each) {
		tree.depth.push(1);
		tree.function.push(i);
		tree.count.push(1);
		tree.self.push(N - i);
	}
	return p;
}

before(async () => {
	writeFileSync(file, makePage(payload()));
	browser = await launch();
});
after(async () => {
	await browser?.close();
	rmSync(folder, { recursive: true });
});

const sideways = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

test("a hundred thousand functions: every page has few elements, the last row can be reached", async (t) => {
	const page = await openPage(t, browser, file, { tab: "overview" });

	for (const tab of await page.$$eval("#tabs [data-tab]", (list) => list.map((button) => button.dataset.tab))) {
		await showTab(page, tab);
		assert.ok(await page.evaluate(() => document.querySelectorAll("*").length) < 5000, tab);
		assert.ok(await sideways(page) <= 0, `${tab} is not wider than the window`);
	}
	await showTab(page, "functions");
	await page.focus("#functions");
	await page.keyboard.press("End");
	const rows = await tableRows(page, "functions");

	assert.ok(rows.length < 80);
	assert.match(rows.at(-1)[0], new RegExp(`^ns${N - 1}::`));
	assert.match(await page.textContent("#detail h2"), new RegExp(`^ns${N - 1}::`));
});

test("names of 2,000 characters: cut in rows, beginning and end are there; whole in the panel; found", async (t) => {
	const page = await openPage(t, browser, file, { tab: "functions" }), box = await page.locator("#functions-box").boundingBox();
	const first = page.locator("#functions tbody:not(.spacer) tr").first(), cell = await first.locator("td.c-name").boundingBox();

	assert.ok(cell.width < box.width / 2 && cell.height < 60, `${cell.width} × ${cell.height}`);
	const ends = await first.locator("td.c-name").evaluate((td) => {
		const range = new Range(), inside = td.getBoundingClientRect(), texts = [...td.querySelectorAll("*")].filter((e) => e.children.length === 0 && e.textContent !== "");

		range.selectNodeContents(texts.at(-1));
		return range.getBoundingClientRect().right <= inside.right + 1;
	});

	assert.ok(ends, "what tells such names apart is in sight");
	await first.click();
	assert.equal((await page.textContent("#detail h2")).length, LONG);
	assert.ok(await page.locator("#detail").evaluate((e) => e.scrollWidth <= e.clientWidth));
	await page.fill("#search", "ns499::");
	assert.equal((await tableRows(page, "functions")).length, 1);
	await page.fill("#search", "/long_::end$/");
	assert.match(await page.textContent("#matches"), /of 100,000 functions/);
	assert.ok(await sideways(page) <= 0);
});
