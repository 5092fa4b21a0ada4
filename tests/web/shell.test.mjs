/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all pages of the report share: tabs, the address, one selection, keys, the head. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { blocksPayload, emptyPayload, largePayload, makePage, smallPayload } from "./fixture.mjs";
import { launch, lowContrast, openPage, showTab, timeScale } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "rarog-shell-"));
let browser;

before(async () => {
	browser = await launch();
});
after(async () => {
	await browser?.close();
	rmSync(folder, { recursive: true });
});

async function open(t, payload, options = {}) {
	const file = join(folder, `${t.name.replace(/\W+/g, "-").slice(0, 60)}.html`);

	writeFileSync(file, makePage(payload));
	return openPage(t, browser, file, options);
}

const settle = (page) => page.waitForTimeout(260 * timeScale); /* the zoom's animation */
const tabs = (page) => page.$$eval("#tabs button", (list) => list.map((button) => button.dataset.tab));
const visiblePages = (page) => page.$$eval("#pages > *", (list) => list.filter((e) => e.offsetParent).map((e) => e.id));
const state = async (page) => Object.fromEntries(new URLSearchParams((await page.evaluate(() => location.hash)).slice(1)));

test("tabs are of what the profile has, one page is shown at a time", async (t) => {
	const page = await open(t, smallPayload(), { tab: "overview" }), ids = await tabs(page);

	for (const id of ["overview", "flame", "functions", "environment"])
		assert.ok(ids.includes(id), id);
	for (const id of ["differences", "blocks"])
		assert.ok(!ids.includes(id), id);
	for (const id of ids) {
		await showTab(page, id);
		assert.equal((await visiblePages(page)).length, 1, id);
		assert.equal(await page.getAttribute("#tabs [aria-selected=true]", "data-tab"), id);
		assert.equal((await state(page)).tab, id);
	}
});

test("what is looked at is in the address, and an address shows it", async (t) => {
	const page = await open(t, smallPayload());

	await page.click("#functions tbody tr:has-text('parse_input')");
	await page.click("#page-flame .zoom-to");
	await settle(page);
	await page.fill("#search", "memcpy");
	const hash = await page.evaluate(() => location.hash), zoom = await page.evaluate(() => window.rarog.zoom());

	assert.ok(zoom > 0);
	const other = await open(t, smallPayload(), { hash });

	await settle(other);
	assert.equal(await other.inputValue("#search"), "memcpy");
	assert.equal(await other.textContent("#detail h2"), "parse_input");
	assert.equal(await other.evaluate(() => window.rarog.zoom()), zoom);
	assert.equal(await other.getAttribute("#tabs [aria-selected=true]", "data-tab"), "flame");
});

test("the back button undoes one step, forward does it again", async (t) => {
	const page = await open(t, smallPayload());

	await page.click("#functions tbody tr:has-text('compare')");
	await page.click("#functions tbody tr:has-text('parse_input')");
	await showTab(page, "environment");
	await page.goBack();
	assert.deepEqual(await visiblePages(page), ["page-flame"]);
	assert.equal(await page.textContent("#detail h2"), "parse_input");
	await page.goBack();
	assert.equal(await page.textContent("#detail h2"), "compare");
	await page.goForward();
	assert.equal(await page.textContent("#detail h2"), "parse_input");
});

test("one selection for all pages", async (t) => {
	const page = await open(t, smallPayload(), { tab: "overview" });
	const name = await page.textContent("#headline button >> nth=0");

	await page.click("#headline button >> nth=0");
	assert.ok((await page.textContent("#detail h2")).includes(name));
	await showTab(page, "functions");
	assert.ok((await page.textContent("#detail h2")).includes(name));
	assert.equal(await page.isVisible("#flame-box"), false);
});

test("what the overview finds is what the data says", async (t) => {
	const payload = smallPayload(), f = payload.functions, page = await open(t, payload, { tab: "overview" });
	const most = (list) => f.demangled[list.indexOf(Math.max(...list))] ?? f.name[list.indexOf(Math.max(...list))];
	const shown = await page.$$eval("#headline li", (list) => list.map((li) => li.textContent));

	assert.ok(shown.length >= 3 && shown.length <= 5, `${shown.length}`);
	assert.ok(shown[0].startsWith("Most time of its own") && shown[0].includes(most(f.exclusive).replace(/\(.*/, "").replace(/.*::/, "")), shown[0]);
	assert.ok(shown.some((text) => text.startsWith("Most calls") && text.includes(most(f.count))), shown.join("\n"));
});

test("an address that means nothing shows the overview", async (t) => {
	for (const hash of ["#tab=nowhere&fn=none&zoom=-5", "#tab=flame&zoom=1e9&fn=%E0%A4", "#zoom=abc", "#=&&==", "#7"]) {
		const page = await open(t, smallPayload(), { hash });

		assert.equal((await visiblePages(page)).length, 1, hash);
	}
});

test("keys: the sheet, tabs by number and by arrows", async (t) => {
	const page = await open(t, smallPayload(), { tab: "overview" }), ids = await tabs(page);

	await page.evaluate(() => document.activeElement.blur());
	await page.keyboard.press("?");
	assert.equal(await page.isVisible("#keys"), true);
	assert.match(await page.textContent("#keys"), /ctrl F.*search/);
	await page.keyboard.press("Escape");
	assert.equal(await page.isVisible("#keys"), false);
	await page.keyboard.press("2");
	assert.equal(await page.getAttribute("#tabs [aria-selected=true]", "data-tab"), ids[1]);
	await page.focus("#tabs [aria-selected=true]");
	await page.keyboard.press("ArrowRight");
	assert.equal(await page.evaluate(() => document.activeElement.dataset.tab), ids[2]);
	await page.focus("#search");
	await page.keyboard.type("?1");
	assert.equal(await page.inputValue("#search"), "?1");
});

test("the head takes at most a sixth of the window, all pages fit their width", async (t) => {
	for (const viewport of [{ width: 1440, height: 900 }, { width: 1024, height: 768 }, { width: 390, height: 844 }]) {
		const page = await open(t, smallPayload(), { tab: "overview", viewport });

		assert.ok(await page.$eval("#bar", (bar) => bar.getBoundingClientRect().bottom) <= viewport.height / (viewport.width < 500 ? 4 : 6));
		for (const id of await tabs(page)) {
			await showTab(page, id);
			assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth), false, `${id} at ${viewport.width}`);
		}
	}
});

for (const colorScheme of ["light", "dark"])
	test(`every text of every page can be read (${colorScheme})`, async (t) => {
		const page = await open(t, smallPayload(), { tab: "overview", colorScheme });

		for (const id of await tabs(page)) {
			await showTab(page, id);
			assert.deepEqual(await page.evaluate(lowContrast), [], id);
		}
	});

test("an empty profile has pages, each says so", async (t) => {
	const page = await open(t, emptyPayload(), { tab: "overview" });

	for (const id of await tabs(page)) {
		await showTab(page, id);
		assert.equal((await visiblePages(page)).length, 1, id);
	}
});

test("every page on paper", async (t) => {
	const page = await open(t, largePayload(2000, 200), { tab: "overview" });

	await page.emulateMedia({ media: "print" });
	for (const id of await tabs(page)) {
		await page.evaluate((tab) => {
			location.hash = `#tab=${tab}`;
		}, id);
		await page.waitForFunction((tab) => document.querySelector("#tabs [aria-selected=true]").dataset.tab === tab, id);
		assert.ok((await page.pdf()).length > 5000, id);
		assert.equal(await page.isVisible("#bar"), false);
	}
});

test("a program as a whole: what the kernel said of it, and nothing of functions", async (t) => {
	const payload = { ...emptyPayload(), whole_program: true };

	payload.header = JSON.stringify({ command: "./whole", collector: "time", engine: "kernel", end: { wall_ns: 31696127, user_ns: 145000,
		system_ns: 4222000, max_rss_bytes: 2199552, minor_faults: 1020, major_faults: 3, voluntary_switches: 16, involuntary_switches: 2 } });
	const page = await open(t, payload, { tab: "overview" });

	assert.deepEqual(await tabs(page), ["overview", "environment"]);
	for (const part of ["31.7 ms", "145 µs", "4.22 ms", "1,020", "and 3 from the disk", "2 preempted"])
		assert.ok((await page.textContent("#figures")).includes(part), part);
	assert.match(await page.textContent("#limits"), /as a whole/);
});

test("sampled calls: estimates are shown, what is not known is not", async (t) => {
	const payload = { ...smallPayload(), calls_sampled: true };

	payload.functions.exclusive.fill(null);
	const page = await open(t, payload, { tab: "functions" });

	assert.deepEqual(await tabs(page), ["overview", "functions", "environment"]);
	assert.equal(await page.$("th.c-exclusive"), null);
	assert.equal((await page.$$eval("#functions tbody:not(.spacer) tr", (list) => list.length)), 6);
	await page.click("#functions tbody tr:has-text('compare')");
	assert.doesNotMatch(await page.textContent("#detail"), /Exclusive|flame graph/);
	await showTab(page, "overview");
	assert.match(await page.textContent("#limits"), /Only some calls were recorded/);
});

test("sampled calls: exclusive times of functions that call nothing sampled are known", async (t) => {
	const payload = { ...smallPayload(), calls_sampled: true };
	const known = payload.functions.name.indexOf("main");

	payload.functions.exclusive = payload.functions.exclusive.map((_, i) => i === known ? 5e6 : null);
	const page = await open(t, payload, { tab: "functions" });
	const cell = (name) => page.textContent(`#functions tbody tr:has-text('${name}') .c-exclusive .amount`);

	assert.match(await cell("main"), /ms|µs/);
	assert.match(await cell("compare"), /^[–-]$/);
	await page.click("#functions tbody tr:has-text('main')");
	assert.match(await page.textContent("#detail"), /Exclusive/);
	await page.click("#functions tbody tr:has-text('compare')");
	assert.doesNotMatch(await page.textContent("#detail"), /Exclusive/);
});

test("calls and blocks of one run are in one report", async (t) => {
	const payload = { ...smallPayload(), blocks: blocksPayload(4, 12) }, page = await open(t, payload, { tab: "overview" });
	const ids = await tabs(page);

	for (const id of ["flame", "calltree", "blocks"])
		assert.ok(ids.includes(id), id);
	await showTab(page, "blocks");
	assert.ok(await page.isVisible("#counted"));
	await showTab(page, "functions");
	assert.ok(await page.isVisible("#functions"));
	assert.equal((await page.$$eval("[id]", (list) => list.map(({ id }) => id).filter((id, i, all) => all.indexOf(id) !== i))).length, 0);
});

test("arguments: a point for each call, where value and time put it, also by powers of ten", async (t) => {
	const payload = smallPayload(), x = [1, 10, 100, 1000], y = [1000, 20000, 300000, 4000000];

	payload.arguments = [{ function: 0, within: -1, name: "</b>n", type: "size_t", seen: 4, x, y },
			     { function: 1, within: -1, name: "m", type: "int", seen: 3, x: [0, 5, 10], y: [10, 10, 10] }];
	const page = await open(t, payload, { tab: "arguments" });
	const points = () => page.evaluate(() => window.rarog.points());
	const linear = await points();

	assert.equal(linear.length, 4);
	assert.match(await page.textContent("#scatter-name"), /<\/b>n/);
	/* linear: distances are as those of the values */
	const ratio = (list, k) => (list[2][k] - list[1][k]) / (list[3][k] - list[2][k]);

	assert.ok(Math.abs(ratio(linear, 0) - 90 / 900) < 0.01);
	assert.ok(Math.abs(ratio(linear, 1) - 280000 / 3700000) < 0.01);
	await page.click("label[for=scatter-x-log]");
	await page.click("label[for=scatter-y-log]");
	const log = await points();

	assert.ok(Math.abs(ratio(log, 0) - 1) < 0.01, "factors of ten are as far from each other");
	assert.ok(Math.abs(ratio(log, 1) - Math.log10(15) / Math.log10(40 / 3)) < 0.01);
	await page.click("#arguments tbody tr:has-text(': m')");
	assert.match(await page.textContent("#scatter-note"), /1 point at or below zero/);
	assert.equal((await state(page)).log, "xy");
});
