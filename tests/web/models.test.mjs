/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of models: points, curve, residuals, candidates, the address. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { blocksPayload, largePairPayload, linearModel, makePage, smallPayload } from "./fixture.mjs";
import { launch, lowContrast, openPage, showTab } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "rarog-models-"));
let browser;

before(async () => {
	browser = await launch();
});
after(async () => {
	await browser?.close();
	rmSync(folder, { recursive: true });
});

async function open(t, models, options = { tab: "models" }) {
	const file = join(folder, `${t.name.replace(/\W+/g, "-").slice(0, 60)}.html`);

	writeFileSync(file, makePage({ ...smallPayload(), models: models && { level: 0.95, models } }));
	return openPage(t, browser, file, options);
}

const drawn = (page) => page.evaluate(() => window.rarog.model());
const state = async (page) => Object.fromEntries(new URLSearchParams((await page.evaluate(() => location.hash)).slice(1)));

test("without models there is no such tab", async (t) => {
	for (const models of [null, []]) {
		const page = await open(t, models, { tab: "overview" });

		assert.equal(await page.$("#tabs [data-tab=models]"), null);
	}
});

test("a page of blocks has the models that are kept with its runs", async (t) => {
	const file = join(folder, "blocks.html"), payload = blocksPayload(5, 4);
	const { name, demangled } = payload.functions, shown = demangled[3] ?? name[3];
	const model = { ...linearModel(3, shown, 8), x: "iterations", y: "instructions", unit: "count", over_runs: true, per_call: true };

	writeFileSync(file, makePage({ ...payload, models: { level: 0.95, models: [model] } }));
	const page = await openPage(t, browser, file, { tab: "models" });

	assert.ok((await page.textContent("#model-name")).includes(`${shown} by iterations: instructions per call`));
	assert.equal((await drawn(page)).points.length, 8);
});

test("points stand where their numbers are, residuals are measured less expected", async (t) => {
	const model = linearModel(2, "core::solve(int)", 11), { x, y, value } = model.points;

	y[5] += 300; /* one that took longer */
	const page = await open(t, [model]), { points, residuals } = await drawn(page);
	const share = (list, k, i) => (list[i][k] - list[0][k]) / (list[10][k] - list[0][k]);

	assert.equal(points.length, 11);
	x.forEach((each, i) => {
		assert.ok(Math.abs(share(points, 0, i) - (each - 1) / 10) < 1e-6);
		assert.ok(Math.abs(share(points, 1, i) - (y[i] - y[0]) / (y[10] - y[0])) < 1e-6);
		assert.equal(residuals[i][0], points[i][0], "both have the same horizontal axis");
		assert.equal(residuals[i][1] < residuals[0][1], y[i] - value[i] > 0, `${i}`);
	});
});

test("what is said of a model: class, how sure, formula, intervals, candidates", async (t) => {
	const page = await open(t, [linearModel(2, "core::solve(int)", 30, 4)]), detail = await page.textContent("#model-detail");

	for (const part of ["core::solve(int)", "linear", "98.0 %", "100 ns + 20 ns n", "98 … 102", "19.8 … 20.2", "quadratic", "7.3 behind", "0.9990"])
		assert.ok(detail.includes(part), part);
	await page.click("#model-detail button:has-text('quadratic')");
	assert.equal((await state(page)).candidate, "quadratic");
	assert.equal(await page.getAttribute("#model-detail button:has-text('quadratic')", "aria-pressed"), "true");
	await page.goBack();
	assert.equal(await page.getAttribute("#model-detail button:has-text('quadratic')", "aria-pressed"), "false");
});

test("a model without a class says why, one that is missing too", async (t) => {
	const unsure = linearModel(1, "parse_input", 20), none = { ...linearModel(3, "compare", 3), pieces: [], missing: "fewer than 3 different x" };

	Object.assign(unsure.pieces[0], { is_told: false, reason: "quadratic is as likely" });
	const page = await open(t, [unsure, none]);

	assert.match(await page.textContent("#models"), /cannot tell/);
	assert.match(await page.textContent("#model-detail"), /quadratic is as likely/);
	await page.click("#models tbody tr:has-text('compare')");
	assert.match(await page.textContent("#model-detail"), /fewer than 3 different x/);
	assert.equal(await page.isVisible("#residual-box"), false);
});

test("axes, the selection and the way back are in the address", async (t) => {
	const models = [linearModel(1, "parse_input", 20, 3), linearModel(2, "core::solve(int)", 2000, 40)], page = await open(t, models);

	await page.click("#models tbody tr:has-text('solve')");
	await page.click("label[for=model-x-log]");
	const hash = await page.evaluate(() => location.hash), places = (await drawn(page)).points;

	assert.ok(await page.isChecked("#model-dots-hex"), "many points are hexagons");
	assert.ok(Math.abs((places[9][0] - places[0][0]) / (places[99][0] - places[0][0]) - 0.5) < 1e-6, "1, 10, 100 are evenly apart");
	const other = await open(t, models, { hash });

	assert.match(await other.textContent("#model-name"), /core::solve/);
	assert.ok(await other.isChecked("#model-x-log"));
	await showTab(other, "functions");
	assert.match(await other.textContent("#detail h2"), /core::solve/);
	await page.goBack();
	assert.match(await page.textContent("#model-name"), /parse_input/);
});

for (const colorScheme of ["light", "dark"])
	test(`every text can be read (${colorScheme})`, async (t) => {
		const page = await open(t, [linearModel(2, "core::solve(int)", 200, 40)], { tab: "models", colorScheme });

		assert.deepEqual(await page.evaluate(lowContrast), []);
	});

/* Of two versions, by lists of models. */
async function openPair(t, before, now, changes = []) {
	const payload = largePairPayload(20, 12), [check] = payload.checks, file = join(folder, `${t.name.replace(/\W+/g, "-").slice(0, 60)}.html`);

	check.changes = changes;
	check.models = before || now ? { level: 0.95, before, now } : null;
	writeFileSync(file, makePage(payload));
	return { page: await openPage(t, browser, file, { tab: before || now ? "models" : "differences" }), names: check.functions.name };
}

const growth = (row, location, reason) => ({
	row, location, "class": "Degradation", metric: "growth", unit: "ns", before: 300, now: 900, relative: 2, low: null, high: null, p: null, q: null,
	impact: null, method: "growth", reason, path: null, lines: null, runs_before: [], runs_now: [],
	words: { "class": "slower", before: "300 ns", now: "900 ns", change: "x 3.00", interval: "", sure: "", impact: "" },
});

test("of two versions both curves are drawn, and what changed is said", async (t) => {
	const before = linearModel(2, "f", 11), now = linearModel(2, "f", 7);

	now.points.y = now.points.y.map((y) => 3 * y);
	now.points.value = now.points.value.map((y) => 3 * y);
	Object.assign(now.pieces[0], { "class": "quadratic", formula: "300 ns + 60 ns n" });
	const { page } = await openPair(t, [before], [now], [growth(2, "f", "linear before, quadratic now")]);
	const { points, residuals } = await drawn(page), detail = await page.textContent("#model-detail");

	assert.equal(points.length, 18);
	assert.equal(residuals.length, 18);
	/* x = 7 of both: the same place; three times as far from 0, which is where the axis begins */
	assert.ok(Math.abs(points[6][0] - points[11 + 6][0]) < 1e-6);
	const zero = points[0][1] + (points[0][1] - points[1][1]) * 120 / 20, high = (i) => zero - points[i][1];

	assert.ok(Math.abs(high(11 + 6) / high(6) - 3) < 1e-6);
	for (const words of ["▲ slower, x 3.00", "linear before, quadratic now", "300 ns + 60 ns n", "100 ns + 20 ns n", "Before"])
		assert.ok(detail.includes(words), words);
	assert.match(await page.textContent("#models"), /quadratic; before linear/);
	assert.match(await page.textContent("#model-note"), /7 points.*before, 11 points/);
	assert.equal(await page.$$eval("#model-detail .candidates", (lists) => lists.length), 1);
});

test("a model that one version lacks is there all the same", async (t) => {
	const { page } = await openPair(t, [linearModel(1, "old", 9), linearModel(4, "kept", 8)], [linearModel(4, "kept", 10), linearModel(5, "fresh", 12)]);
	const rows = await page.$$eval("#models tbody tr", (list) => list.map((row) => row.textContent));

	assert.equal(rows.length, 3);
	assert.ok(rows.some((row) => row.includes("old") && row.includes("only before")));
	assert.ok(rows.some((row) => row.includes("fresh") && row.includes("only now")));
	assert.ok(rows.some((row) => row.includes("kept") && !row.includes("only") && !row.includes("before")));
	await page.click("#models tbody tr:has-text('old')");
	assert.match(await page.textContent("#model-detail"), /Now there is no such model/);
	assert.equal((await drawn(page)).points.length, 9);
	assert.deepEqual(await page.evaluate(lowContrast), []);
});

test("two versions without models have no such tab", async (t) => {
	const { page } = await openPair(t, null, null);

	assert.equal(await page.$("#tabs [data-tab=models]"), null);
});
