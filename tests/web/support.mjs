/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Modules of web/node_modules for tests that live beside it, and a browser that stays at home. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { inflateRawSync } from "node:zlib";

const require = createRequire(new URL("../../web/package.json", import.meta.url));

export const esbuild = require("esbuild");
export { random } from "./fixture.mjs";

/** By what times are multiplied on a slow machine. */
export const timeScale = Number(process.env.RAROG_TIME_SCALE ?? 1);
export const chromiumPath = process.env.CHROMIUM ?? "/usr/bin/chromium";

export async function launch(options = {}) {
	const { chromium } = require("playwright-core");

	return chromium.launch({
		executablePath: chromiumPath,
		args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		       "--disable-background-networking", "--disable-component-update", "--disable-sync"],
		...options,
	});
}

/** The page that a report is mostly for, unless @tab names another. */
const mainPages = ["flame", "differences", "blocks"];

export const showTab = (page, tab) => page.click(`#tabs [data-tab=${tab}]`);

/** Opens a report; whatever it says on the console or asks the network for is a failure at the end. */
export async function openPage(t, browser, file, { tab, hash = "", ...options } = {}) {
	const context = await browser.newContext({ viewport: { width: 1440, height: 1000 }, ...options });
	const page = await context.newPage();
	const complaints = [];

	page.setDefaultTimeout(30000 * timeScale);
	page.on("console", (message) => complaints.push(`console: ${message.text()}`));
	page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
	page.on("dialog", (dialog) => {
		complaints.push(`dialog: ${dialog.message()}`);
		void dialog.dismiss();
	});
	page.on("request", (request) => {
		if (!request.url().startsWith("file://") && !request.url().startsWith("data:,"))
			complaints.push(`request: ${request.url()}`);
	});
	t.after(async () => {
		await context.close();
		assert.deepEqual(complaints, []);
	});
	await page.goto(`file://${file}${hash}`);
	await page.waitForSelector("html[data-ready]", { timeout: 120000 * timeScale });
	assert.notEqual(await page.getAttribute("html", "data-ready"), "failed", await page.textContent("#banners"));
	const tabs = await page.$$eval("#tabs [data-tab]", (list) => list.map((button) => button.dataset.tab));
	const wanted = tab ?? mainPages.find((id) => tabs.includes(id));

	if (hash === "" && wanted)
		await showTab(page, wanted);
	return page;
}

/** The data of a page as it was written. */
export function dataOf(page) {
	const text = /<script type="application\/json" id="data">([A-Za-z0-9+/=]*)<\/script>/.exec(readFileSync(page, "utf8"))[1];

	return JSON.parse(inflateRawSync(Buffer.from(text, "base64")).toString("utf8"));
}

/** For page.evaluate(): every text whose contrast with its ground is below 4.5 (WCAG 2, AA). */
export function lowContrast() {
	const channel = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
	const parse = (css) => css.match(/[\d.]+/g).map(Number);
	const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
	const ground = (e) => {
		for (; e; e = e.parentElement) {
			const colour = parse(getComputedStyle(e).backgroundColor);

			if (colour.length < 4 || colour[3] > 0)
				return colour;
		}
		return [255, 255, 255];
	};

	return [...document.querySelectorAll("body *")].filter((e) => e.offsetParent && !e.closest("canvas, svg, :disabled") &&
		[...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim() !== "")).map((e) => {
		const [a, b] = [luminance(parse(getComputedStyle(e).color)), luminance(ground(e))].sort((x, y) => x - y);

		return [e.className || e.id || e.tagName, (b + 0.05) / (a + 0.05)];
	}).filter(([, ratio]) => ratio < 4.5);
}

/* --- pages of counted blocks --- */

export const rarog = resolve(process.env.RAROG ?? "build/rarog");

const compiler = [rarog, join(dirname(rarog), "llvm", "rarog-llvm-14.so"), "/usr/bin/clang-14"];

/** Why programs cannot be counted here; false: they can. */
export const cannotCount = compiler.filter((path) => !existsSync(path)).map((path) => `needs ${path}`).join(", ") || false;

/** The texts of the rows of a table that exist. */
export const tableRows = (page, table) => page.$$eval(`#${table} tbody:not(.spacer) tr`, (list) =>
	list.map((row) => [...row.cells].map((cell) => cell.textContent)));

/** What is drawn of a control flow graph, when it has been laid out. */
export async function graphOf(page) {
	await page.waitForFunction(() => window.rarog.graph().isReady);
	return page.evaluate(() => window.rarog.graph());
}

export async function clickBlock(page, number) {
	await page.locator("#graph-box").scrollIntoViewIfNeeded();
	const { x, y } = (await graphOf(page)).blocks.find((block) => block.number === number);

	await page.mouse.click(x, y);
}

/**
 * Types @text into the search field as a user would; how long the slowest key took from the key to
 * the picture, ms (Event Timing; 16 stands for less).
 */
export async function typeSearch(page, text) {
	await page.evaluate(() => {
		window.slowest = 16;
		new PerformanceObserver((list) => {
			for (const { duration } of list.getEntries())
				window.slowest = Math.max(window.slowest, duration);
		}).observe({ type: "event", durationThreshold: 16 });
	});
	await page.focus("#search");
	await page.keyboard.type(text);
	await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))));
	return page.evaluate(() => window.slowest);
}
