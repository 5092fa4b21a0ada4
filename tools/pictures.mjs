/* SPDX-License-Identifier: GPL-3.0-or-later */
/* usage: node tools/pictures.mjs FROM TO: photographs the pages in FROM, light and dark, into TO (see tools/pictures). */
import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { launch } from "../tests/web/support.mjs";
import { smallPng } from "./small-png.mjs";

const [from, to] = process.argv.slice(2).map((path) => resolve(path));
const margin = 14, sharpness = 1.5;

const choose = (name, table = "functions") => (page) => page.click(`#${table} td.c-name >> text="${name}"`);

/* What is seen of each page, which is so wide: the column at the left from the top of one element to the bottom of another. */
const pictures = [
	{
		name: "flame-graph", page: "run.html", tab: "flame", width: 940, top: "#flame-heading", bottom: "#functions tbody tr >> nth=5",
		act: (page) => page.click("label[for=shape-flame]"),
	},
	{
		name: "difference", page: "change.html", tab: "differences", width: 940, top: "#flame-heading", bottom: "#functions tbody tr >> nth=4",
		act: choose("mainGtU"),
	},
	{ name: "control-flow", page: "blocks.html", tab: "blocks", width: 1080, top: "#flow", bottom: "#graph-box", act: async (page) => {
		await choose("add_pair_to_block", "counted")(page);
		await page.click("#graph-fit");
	} },
	{ name: "model", page: "models.html", tab: "models&fn=quick_sort_bad&log=xy", width: 1180, top: "#model-heading", bottom: "#residual-box", act: async () => {} },
	{ name: "timeline", page: "timeline.html", tab: "timeline&from=50000000&to=53000000", width: 1180, top: "#timeline-heading", bottom: "#timeline-note", act: async () => {} },
	{ name: "features", page: "features.html", tab: "features", width: 1020, top: "#features-heading", bottom: "#regions-box", act: async () => {} },
	{ name: "noise", page: "noise.html", tab: "noise", width: 1020, top: "#noise-heading", bottom: "#noise-box", act: async () => {} },
	{ name: "versions", page: "versions.html", tab: "versions&fn=mainGtU", width: 1180, top: "#series-heading", bottom: "#series-box", act: async () => {} },
];

const boxOf = (page, selector) => page.locator(selector).first().evaluate((e) => {
	const { left, top, right, bottom } = e.getBoundingClientRect();

	return { left, top: top + window.scrollY, right, bottom: bottom + window.scrollY };
});

async function draw(browser, picture, colorScheme) {
	const context = await browser.newContext({
		viewport: { width: picture.width, height: 900 }, colorScheme, deviceScaleFactor: sharpness });
	const page = await context.newPage();

	await page.goto(`file://${join(from, picture.page)}#tab=${picture.tab}`);
	await page.waitForSelector("html[data-ready]");
	await picture.act(page);
	await page.mouse.move(0, 0);
	/* The search field goes with the page and would lie over it. */
	await page.evaluate(() => {
		document.querySelector("#bar").style.position = "static";
		document.activeElement?.blur();
	});
	await page.waitForTimeout(500);

	const column = await boxOf(page, ".page:not([hidden]) :is(.left, main.single > section)"), first = await boxOf(page, picture.top), last = await boxOf(page, picture.bottom);

	const png = await page.screenshot({
		fullPage: true,
		clip: {
			x: column.left - margin, width: column.right - column.left + 2 * margin,
			y: first.top - margin, height: last.bottom - first.top + margin + 1,
		},
	});
	writeFileSync(join(to, `${picture.name}-${colorScheme}.png`), smallPng(png));
	await context.close();
}

const browser = await launch();

try {
	for (const picture of pictures.filter(({ page }) => existsSync(join(from, page))))
		for (const colorScheme of ["light", "dark"])
			await draw(browser, picture, colorScheme);
} finally {
	await browser.close();
}
