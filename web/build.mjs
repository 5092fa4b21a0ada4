/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bundles the report into one file, dist/report.html, which the C build embeds: two places in it,
 * {{title}} and {{data}}, are filled by `rarog report`. The bundle is committed, so that building
 * rarog needs no npm; `node build.mjs --check` says whether it is up to date.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

function bundle(entry, options = {}) {
	const result = buildSync({
		entryPoints: [here(entry)], bundle: true, write: false, minify: true, charset: "ascii",
		target: ["es2022"], legalComments: "none", logLevel: "error", ...options,
	});

	return result.outputFiles[0].text.trim();
}

const hashOf = (text) => "sha256-" + createHash("sha256").update(text).digest("base64");

/* Pages whose markup is no list or table of the script's making: src/pages/NAME.html is a template. */
const templates = ["overview", "flame", "calltree", "arguments", "features", "models", "noise", "versions", "blocks", "differences", "environment"];

const read = (path) => readFileSync(here(path), "utf8").replace(/\n$/, "");

/* What several pages have is in src/parts/. */
function template(name) {
	const html = read(`src/pages/${name}.html`)
		.replace(/\{\{(flame|functions|graph|source)\}\}/g, (whole, part) => read(`src/parts/${part}.html`));

	return `<template id="template-${name}">${html}</template>`;
}

function build() {
	const script = bundle("src/main.ts", { format: "iife" });
	const style = bundle("src/page.css", { target: ["chrome103", "firefox113", "safari16.4"] });
	const parts = { script, style, "script-hash": hashOf(script), "style-hash": hashOf(style),
			templates: templates.map(template).join("\n") };
	const html = read("src/page.html").replace(/\{\{([a-z-]+)\}\}/g, (whole, name) => parts[name] ?? whole) + "\n";

	if (/<\/script/i.test(script) || /<\/style/i.test(style))
		throw new Error("the bundle contains a closing tag");
	const address = /.{0,40}(?:\b(?:https?|wss?|ftp):\/\/|(?:src|href)=["']?\/\/|url\(["']?\/\/).{0,40}/.exec(html);

	if (address)
		throw new Error(`the page names an address: ${address[0]}`);
	for (const mark of ["{{title}}", "{{data}}"])
		if (html.split(mark).length !== 2)
			throw new Error(`${mark} must occur exactly once`);
	return html;
}

mkdirSync(here("dist"), { recursive: true });
const target = here("dist/report.html"), html = build();

if (!process.argv.includes("--check")) {
	writeFileSync(target, html);
	console.log(`dist/report.html: ${html.length} bytes`);
} else if (!existsSync(target) || readFileSync(target, "utf8") !== html) {
	console.error("web/dist/report.html is not what the sources give: run `npm run build` in web/");
	process.exitCode = 1;
}
