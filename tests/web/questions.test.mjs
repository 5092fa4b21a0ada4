/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps to ten answers, which doc/questions.md states: each is taken here, and their number compared. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { blocksPayload, largePairPayload, linearModel, makePage, smallPayload } from "./fixture.mjs";
import { launch, openPage } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "rarog-questions-"));
const stated = readFileSync(new URL("../../doc/questions.md", import.meta.url), "utf8").split("\n").filter((line) => /^\| \d/.test(line))
	.map((line) => line.split("|").map((cell) => cell.trim()).slice(1, -1));
let browser;

before(async () => {
	browser = await launch();
});
after(async () => {
	await browser?.close();
	rmSync(folder, { recursive: true });
});

/** A run with all that a page can have: calls of core::solve(int) grow with n, the one of n 40 is the longest. */
function calls() {
	const payload = smallPayload(), n = payload.functions.name.length, solve = 2, x = [10, 40, 20, 30], y = x.map((value) => 100 + 20 * value);
	const begin = [1000, 5000, 9000, 13000], zero = x.map(() => 0), known = (value) => payload.functions.name.map(() => value);

	payload.arguments = [{ function: solve, within: -1, name: "n", type: "int", seen: 4, x, y, strand: zero, begin }];
	payload.models = { level: 0.95, models: [linearModel(solve, "core::solve(int)", 40)] };
	payload.functions.away = { waited: known(0), preempted: known(0), total_waited: known(0), total_preempted: known(0) };
	payload.functions.away.waited[5] = payload.functions.exclusive[5];
	payload.threads = { depth: [0, 1, 2, 1, 2], function: [-1, n, solve, n + 1, 4], count: [0, 0, 10, 0, 20], self: [0, 0, 4000, 0, 1000], left_out: [] };
	payload.timeline = { from: 0, to: 20000, slice: 10, all: 4, strands: { process: [0, 0], tid: [71, 72] }, losses: { strand: [], at: [], count: [] },
			     calls: { strand: zero, depth: zero, function: zero.map(() => solve), begin: begin.map((at, i) => at - (begin[i - 1] ?? 0)), extent: y, waited: zero },
			     sums: { strand: [], depth: [], slice: [], function: [], calls: [], ticks: [] } };
	return payload;
}

/** Two versions; rarog check found that the fourth function became slower. */
function versions() {
	const payload = largePairPayload(500, 100), [check] = payload.checks, name = check.functions.symbol[3];

	check.changes = [{ row: 3, location: name, class: "Degradation", metric: "exclusive-time", unit: "ns", before: 100, now: 130, relative: 0.3, low: 0.2, high: 0.4,
			   p: 0.001, q: 0.01, impact: 0.1, method: "exclusive", reason: "because", path: null, lines: null, runs_before: [100], runs_now: [130],
			   words: { class: "slower", before: "100 ns", now: "130 ns", change: "+30.0 %", interval: "20 … 40 %", sure: "99 %", impact: "10 %" } }];
	return payload;
}

/** Steps that are counted. */
function user(page) {
	let steps = 0;
	const count = (step) => (...args) => {
		steps++;
		return step(...args);
	};

	return { click: count((selector) => page.click(selector)), type: count((text) => page.fill("#search", text)), press: count((key) => page.press("#search", key)),
		 tab: count((id) => page.click(`#tabs [data-tab=${id}]`)), get steps() { return steps; } };
}

const questions = [
	[calls, async (page) => assert.match(await page.textContent("#headline"), /Most time of its own\s*core::solve/)],
	[calls, async (page, we) => {
		await we.type("solve");
		await we.press("Enter");
		assert.match(await page.textContent("#detail"), /Called by.*main/);
	}],
	[calls, async (page, we) => {
		await we.tab("timeline");
		await we.type("solve");
		await we.press("Enter");
		assert.match(await page.textContent("#timeline-facts"), /core::solve.*took 900 ns.*began 5\.00 µs/);
	}],
	[calls, async (page, we) => {
		await we.tab("arguments");
		const places = await page.evaluate(() => window.rarog.points());

		assert.equal(places.indexOf(places.reduce((a, b) => b[1] < a[1] ? b : a)), 1, "the highest point is n 40");
	}],
	[calls, async (page, we) => {
		await we.tab("models");
		assert.match(await page.textContent("#model-detail"), /linear.*100 ns \+ 20 ns n/);
	}],
	[versions, async (page) => assert.match(await page.textContent("#headline"), /slower.*\+30\.0 %/)],
	[calls, async (page, we) => {
		await we.tab("flame");
		await we.click("label[for=graph-threads]");
		const labels = (await page.evaluate(() => window.rarog.frames())).map(({ label }) => label);

		assert.ok(labels.includes("thread 71") && labels.includes("thread 72") && labels.includes("core::solve"));
	}],
	[calls, async (page, we) => {
		await we.type("solve");
		await we.press("Enter");
		assert.ok(await page.isVisible("#detail .histogram svg"));
	}],
	[calls, async (page, we) => {
		await we.tab("functions");
		assert.ok(await page.isVisible("#functions th.c-waited"));
		assert.ok((await page.$$eval("#functions tbody:not(.spacer) tr", (list) => list.map((tr) => tr.querySelector(".c-waited").textContent))).some((text) => !/^0 ns|–/.test(text)));
	}],
	[() => blocksPayload(10, 20), async (page, we) => {
		await we.tab("blocks");
		assert.ok((await page.evaluate(() => window.rarog.sun())).some(({ block }) => block !== null && block >= 0));
	}],
];

questions.forEach(([payload, answer], i) => {
	const [, question, steps] = stated[i];

	test(`${question} (${steps})`, async (t) => {
		const file = join(folder, `${i}.html`);

		writeFileSync(file, makePage(payload()));
		const page = await openPage(t, browser, file, { tab: "overview" }), we = user(page);

		await page.evaluate(() => document.activeElement?.blur());
		await answer(page, we);
		assert.equal(we.steps, Number(steps));
	});
});
