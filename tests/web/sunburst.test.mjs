/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The circle of functions and their blocks. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { blocksPayload, makePage } from "./fixture.mjs";
import { launch, openPage } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "rarog-sunburst-"));
let browser;

before(async () => {
	browser = await launch();
});
after(async () => {
	await browser?.close();
	rmSync(folder, { recursive: true });
});

async function open(t, payload, options = { tab: "blocks" }) {
	const file = join(folder, `${t.name.replace(/\W+/g, "-").slice(0, 60)}.html`);

	writeFileSync(file, makePage(payload));
	return openPage(t, browser, file, options);
}

const wedges = (page) => page.evaluate(() => window.rarog.sun());

/* Sums of each function by brute force: of its blocks what @of says. */
function sums({ functions, blocks }, of) {
	let at = 0;

	return functions.blocks.map((n) => {
		const sum = Array.from({ length: n }, (_, k) => of(blocks, at + k));

		at += n;
		return sum;
	});
}

const add = (list) => list.reduce((a, b) => a + b, 0);
const instructions = (blocks, i) => blocks.count[i] * blocks.instructions[i];

test("a wedge is as wide as what it stands for, and nothing is missing", async (t) => {
	const payload = blocksPayload(40, 30), page = await open(t, payload), list = await wedges(page), all = sums(payload, instructions);
	const total = add(all.map(add)), functions = list.filter(({ block }) => block === null);

	assert.equal(functions.length, 13, "twelve and the others");
	assert.ok(Math.abs(functions[12].to - 1) < 1e-9);
	functions.slice(0, 12).forEach((wedge) => {
		const own = all[wedge.fn], around = list.filter(({ fn, block }) => fn === wedge.fn && block !== null);

		assert.ok(Math.abs(wedge.to - wedge.from - add(own) / total) < 1e-9);
		assert.ok(Math.abs(add(around.map(({ from, to }) => to - from)) - (wedge.to - wedge.from)) < 1e-9);
		for (const { block, from, to } of around.filter((each) => each.block >= 0))
			assert.ok(Math.abs(to - from - own[block] / total) < 1e-9);
		assert.ok(around.length <= 9);
	});
	assert.deepEqual(functions.slice(0, 12).map(({ fn }) => add(all[fn])), all.map(add).sort((a, b) => b - a).slice(0, 12));
});

test("by executions, how many of both, a click on a block; all of it in the address", async (t) => {
	const payload = blocksPayload(40, 30), page = await open(t, payload), all = sums(payload, (blocks, i) => blocks.count[i]);

	await page.click("label[for=sun-weight-executions]");
	await page.click("label[for=sun-functions-6]");
	await page.click("label[for=sun-blocks-4]");
	const list = await wedges(page), largest = list.find(({ block }) => block !== null && block >= 0);

	assert.equal(list.filter(({ block }) => block === null).length, 7);
	assert.equal(largest.weight, Math.max(...all[largest.fn]));
	assert.equal(await page.isVisible("label[for=sun-weight-time]"), false, "times of blocks were not measured");
	await page.locator("#sun").scrollIntoViewIfNeeded();
	const { x, y } = (await wedges(page)).find(({ fn, block }) => fn === largest.fn && block === largest.block);

	await page.mouse.click(x, y);
	const hash = await page.evaluate(() => location.hash), state = Object.fromEntries(new URLSearchParams(hash.slice(1)));

	assert.deepEqual([state.sun, state.suns, state.block], ["executions", "6x4", String(largest.block)]);
	assert.match(await page.textContent("#counted-detail"), new RegExp(`Block ${largest.block}Executed`));
	const other = await open(t, payload, { hash });

	assert.match(await other.textContent("#counted-detail"), new RegExp(`Block ${largest.block}Executed`));
	assert.equal((await wedges(other)).length, list.length);
});

test("by time where the profile has times of blocks", async (t) => {
	const payload = blocksPayload(10, 20);

	payload.blocks.ticks = payload.blocks.count.map((_, i) => i % 7);
	const page = await open(t, payload, { hash: "#tab=blocks&sun=time" }), all = sums(payload, (blocks, i) => blocks.ticks[i]);

	assert.ok(await page.isVisible("label[for=sun-weight-time]"));
	const [first] = await wedges(page);

	assert.equal(first.weight, Math.max(...all.map(add)));
});

test("times of blocks: of one execution, below what a stamp can tell, and what stamps spoil", async (t) => {
	const payload = blocksPayload(3, 4), { blocks } = payload;

	payload.header = JSON.stringify({ command: "./made up", collector: "blocks", engine: "rewrite", totals: { functions_left: 2 },
					  times: { how: "measured", compensated: false, stamp_ticks: 100, probe_share: 0.75 } });
	blocks.estimated = false;
	blocks.ticks = blocks.count.map((count, i) => count * (i === 0 ? 140 : 1000)); /* 40 and 900 without the stamp */
	const page = await open(t, payload), fn = payload.functions.name[0];
	const detail = async (block) => {
		await page.evaluate((hash) => {
			location.hash = hash;
		}, `#tab=blocks&fn=${encodeURIComponent(fn)}&block=${block}`);
		await page.waitForFunction((n) => document.getElementById("counted-detail").textContent.includes(`Block ${n}`), block);
		return page.textContent("#counted-detail");
	};

	assert.match(await detail(0), /One executionbelow resolution/);
	assert.doesNotMatch(await detail(1), /below resolution/);
	await page.evaluate(() => {
		location.hash = "#tab=overview";
	});
	await page.waitForFunction(() => document.body.innerText.includes("stamps were more than half of it (75"));
	assert.match(await page.evaluate(() => document.body.innerText), /2 functions were left as they are/);
});
