/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: node report-page.mjs PAGE.html
 * What a browser does with a page of a report, as JSON: ms until it is shown, pictures a second while its timeline
 * is zoomed in and out, and, on the same machine in the same minute, while a canvas of that size is filled with
 * 2,000 rectangles and 300 texts: what a picture of such a size costs at least.
 */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(new URL("../web/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
					args: ["--headless", "--no-sandbox", "--disable-gpu"] });
const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
const address = pathToFileURL(process.argv[2]).href;

page.setDefaultTimeout(120000);
const begin = performance.now();

await page.goto(`${address}#tab=timeline`);
await page.waitForSelector("html[data-ready]");
await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
const opened = performance.now() - begin;

/* Each step is one picture: its time is that of the script and of what the browser makes of it. */
const rates = await page.evaluate(async () => {
	const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
	const rate = async (step, n) => {
		const start = performance.now();

		for (let i = 0; i < n; i++) {
			step(i);
			await frame();
		}
		return n / ((performance.now() - start) / 1000);
	};
	const box = document.getElementById("timeline"), place = box.getBoundingClientRect();
	const zoom = (i) => box.dispatchEvent(new WheelEvent("wheel", { deltaY: i % 80 < 40 ? -120 : 120, clientX: place.left + place.width * 0.4, clientY: place.top + 60, cancelable: true }));
	const canvas = document.createElement("canvas"), c = canvas.getContext("2d");

	Object.assign(canvas, { width: box.width, height: box.height });
	document.body.append(canvas);
	const fill = (k) => {
		c.clearRect(0, 0, canvas.width, canvas.height);
		for (let i = 0; i < 2000; i++) {
			c.fillStyle = `hsl(${(i * 7 + k) % 360} 60% 60%)`;
			c.fillRect(i * 37 % canvas.width, i * 11 % canvas.height, 20, 18);
		}
		c.fillStyle = "#000";
		for (let i = 0; i < 300; i++)
			c.fillText("a name", i * 53 % canvas.width, i * 17 % canvas.height);
	};

	await rate(zoom, 20);
	return { zoom: await rate(zoom, 160), reference: await rate(fill, 160) };
});

console.log(JSON.stringify({ opened, script: Number(await page.getAttribute("html", "data-ready")), ...rates }));
await browser.close();
