/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two versions of counts of blocks on one page: tables, and both control flows as one graph. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import { makePage, pairGraphsPayload } from "./fixture.mjs";
import { cannotCount as skip, clickBlock, graphOf, launch, lowContrast, openPage, rarog, typeSearch } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "rarog-pair-blocks-"));
const source = readFileSync(fileURLToPath(new URL("../blocks/lines.c", import.meta.url)), "utf8");
let browser;

const rarogIn = (cwd, ...words) => execFileSync(rarog, words, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
const run = (...words) => rarogIn(folder, ...words);
const functionsOf = (profile) => new Map(JSON.parse(run("show", "--json", "-n", "0", profile)).functions.map((fn) => [fn.name, fn]));
const blocksOf = (profile, name) => JSON.parse(run("show", "--json", "-n", "0", "--blocks", name, profile)).blocks;

/* A version is a folder of its own, so that the command line is the same. */
function count(name, text) {
	const cwd = join(folder, name);

	mkdirSync(cwd);
	writeFileSync(join(cwd, "lines.c"), text);
	rarogIn(cwd, "cc", "-O0", "-g", "-o", "lines", "lines.c");
	rarogIn(cwd, "-q", "collect", "blocks", "-o", `../${name}.rarog`, "--", "./lines", "50");
}

before(async () => {
	browser = await launch();
	if (skip)
		return;
	count("before", source);
	count("more", source.replace("i % 3 == 0", "i % 4 == 0"));
	/* another block, and one gone */
	count("other", source.replace("i % 3 == 0", "i % 3 == 0 && i != 9").replace(/\n\s*s -= 2;/, ";"));
	run("report", "before.rarog", "more.rarog", "-o", "more.html");
	run("report", "before.rarog", "other.rarog", "-o", "other.html");
});
after(async () => {
	await browser?.close();
	rmSync(folder, { recursive: true });
});

const open = (t, name, options) => openPage(t, browser, join(folder, `${name}.html`), options);

async function openMade(t, payload, options) {
	const file = join(folder, `${t.name.replace(/\W+/g, "-").slice(0, 60)}.html`);

	writeFileSync(file, makePage(payload, "made", "pair"));
	return openPage(t, browser, file, options);
}

const number = (text) => Number(text.replace(/[+,]/g, "").replace("\u2212", "-"));
const amount = (text) => text === "none" ? 0 : text.split(" × ").map(number).reduce((a, b) => a * b);

async function choose(page, name) {
	await page.click(`#functions td.c-name >> text="${name}"`);
	return graphOf(page);
}

test("two versions of counts: instructions before and now, and the blocks that make the difference", { skip }, async (t) => {
	const page = await open(t, "more"), was = functionsOf("before.rarog"), is = functionsOf("more.rarog");
	const rows = await page.$$eval("#functions tbody tr", (all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
	const shown = rows.filter(([name]) => was.has(name));

	assert.ok(shown.length >= 2, JSON.stringify(rows.slice(0, 3)));
	for (const [name, , before, now, difference] of shown) {
		assert.equal(number(before), was.get(name).instructions, name);
		assert.equal(number(now), is.get(name).instructions, name);
		assert.equal(number(difference), is.get(name).instructions - was.get(name).instructions, name);
	}
	const [changed] = shown.find(([name]) => was.get(name).instructions !== is.get(name).instructions);

	await choose(page, changed);
	const blocks = await page.$$eval("#detail .blocks button", (all) => all.map((row) =>
		[row.firstChild, ...row.querySelectorAll(".runs span"), row.querySelector(".amount")].map((part) => part.textContent)));
	const sum = (at) => blocks.reduce((all, row) => all + amount(row[at]), 0);

	assert.ok(blocks.length > 0);
	assert.equal(sum(2) - sum(1), is.get(changed).instructions - was.get(changed).instructions);
	for (const [name, before, now, more] of blocks) {
		const id = Number(name.match(/^block (\d+)/)[1]), [a, b] = ["before.rarog", "more.rarog"].map((file) => blocksOf(file, changed)[id]);

		assert.equal(amount(before), a.count * a.instructions, name);
		assert.equal(amount(now), b.count * b.instructions, name);
		assert.equal(number(more), amount(now) - amount(before), name);
	}
	assert.doesNotMatch(await page.textContent("#detail"), / ns\b/);
	assert.equal(await page.isHidden("#flame-box"), true, "no empty flame graph");
});

/* Whatever the two have in common: taken alone, each version in the picture is what rarog show says of it. */
for (const version of ["more", "other"])
	test(`both control flows as one graph: each version is whole in it (${version})`, { skip }, async (t) => {
		const page = await open(t, version);

		for (const name of functionsOf("before.rarog").keys()) {
			if (!await page.locator(`#functions td.c-name >> text="${name}"`).count())
				continue;
			const { blocks, ways } = await choose(page, name);

			for (const [side, profile] of [["before", "before.rarog"], ["now", `${version}.rarog`]]) {
				const said = blocksOf(profile, name).sort((a, b) => a.id - b.id);
				const drawn = blocks.filter((block) => block[side].number >= 0).sort((a, b) => a[side].number - b[side].number);

				assert.deepEqual(drawn.map((block) => [block[side].number, block[side].count, block[side].size, block[side].line || null]),
						 said.map((block) => [block.id, block.count, block.instructions, block.line]));
				/* what enters a block leaves it */
				for (const block of drawn.filter((one) => one[side].number > 0))
					assert.equal(ways.filter(({ to }) => to === block.number).reduce((sum, way) => sum + Math.max(0, way[side]), 0), block[side].count);
			}
		}
	});

test("what changed is coloured, and what came or went is said by more than a colour", { skip }, async (t) => {
	const page = await open(t, "more"), { blocks, ways } = await choose(page, "many"), fill = (block) => block.paint.fill;
	const grey = new Set(blocks.filter(({ gain, before }) => gain === 0 && before.count > 0).map(fill));
	const up = new Set(blocks.filter(({ gain }) => gain > 0).map(fill)), down = new Set(blocks.filter(({ gain }) => gain < 0).map(fill));

	assert.equal(grey.size, 1);
	assert.ok(up.size > 0 && down.size > 0);
	for (const colour of up)
		assert.ok(!down.has(colour) && !grey.has(colour));
	for (const { gain, paint } of blocks)
		assert.match(paint.below, gain > 0 ? /^\+/ : gain < 0 ? /^−/ : /^$/);
	assert.ok(ways.some(({ before, now, paint }) => before !== now && paint.label.includes(" → ")));
	const other = await choose(await open(t, "other"), "many");
	const gone = other.blocks.filter(({ now }) => now.number < 0), added = other.blocks.filter(({ before }) => before.number < 0);

	assert.ok(gone.length + added.length > 0);
	for (const { paint } of [...gone, ...added])
		assert.ok(paint.isHatched && /^[+−] \d/.test(paint.corner), JSON.stringify(paint));
	assert.ok(other.blocks.filter(({ before, now }) => before.number >= 0 && now.number >= 0).every(({ paint }) => !paint.isHatched));
	/* the legend names every colour that is there */
	const legend = await page.$$eval("#graph-legend i", (list) => list.map((i) => i.style.backgroundColor));
	const rgb = (css) => `rgb(${[1, 3, 5].map((at) => parseInt(css.slice(at, at + 2), 16)).join(", ")})`;

	for (const colour of [...grey, ...up, ...down])
		assert.ok(legend.includes(rgb(colour)), `${colour} is not in the legend`);
});

test("the keyboard walks through both versions; a block of the panel is shown in the graph", { skip }, async (t) => {
	const page = await open(t, "more");

	await choose(page, "many");
	await page.focus("#graph-box");
	await page.keyboard.press("Home");
	assert.match(await page.textContent("#live"), /^block 0, before 1 × /);
	await page.keyboard.press("ArrowDown");
	assert.doesNotMatch(await page.textContent("#live"), /^block 0,/);
	await page.keyboard.press("End");
	const largest = (await graphOf(page)).blocks.reduce((a, b) => Math.abs(b.gain) > Math.abs(a.gain) ? b : a);

	assert.match(await page.textContent("#live"), new RegExp(`difference ${largest.gain > 0 ? "\\+" : "−"}`));
	const scale = (await graphOf(page)).scale;

	await page.keyboard.press("+");
	assert.ok((await graphOf(page)).scale > scale);
	await page.keyboard.press("0");
	await page.click("#detail .blocks button >> nth=0");
	assert.match(await page.textContent("#live"), new RegExp(`^block ${largest.now.number}`));
	await clickBlock(page, largest.number);
	assert.match(await page.textContent("#live"), new RegExp(`^block ${largest.now.number}`));
});

for (const [name, options] of [["dark", { colorScheme: "dark" }], ["a phone", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 3 }]])
	test(`two versions of counts on ${name}`, async (t) => {
		const page = await openMade(t, pairGraphsPayload(20, 12), options);

		assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth), false, "no sideways scrolling");
		await clickBlock(page, 0);
		assert.deepEqual(await page.evaluate(lowContrast), []);
	});

test("two versions of 8,000 counted functions: the page answers (times printed)", async (t) => {
	const begin = performance.now(), page = await openMade(t, pairGraphsPayload(8000, 6)), opened = performance.now() - begin;

	t.diagnostic(`opened in ${opened.toFixed(0)} ms (${await page.getAttribute("html", "data-ready")} ms of script)`);
	const { blocks } = await choose(page, "made_40");

	assert.equal(blocks.length, 6);
	t.diagnostic(`a letter typed into the search shows after at most ${await typeSearch(page, "made_4")} ms`);
	assert.ok((await page.$$("#functions tbody:not(.spacer) tr")).length < 60);
});
