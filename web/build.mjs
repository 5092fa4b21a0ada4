/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bundles each page into one file, dist/NAME.html, which the C build embeds: two places in it,
 * {{title}} and {{data}}, are filled by `rarog report`. What all pages have alike is in src/parts/:
 * {{head}} becomes head.html. The bundles are committed, so that building rarog needs no npm;
 * `node build.mjs --check` says whether they are up to date.
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

const pages = [
	{ name: "report", script: "src/main.ts", style: "src/style.css", html: "src/page.html" },
	{ name: "pair", script: "src/pair.ts", style: "src/pair.css", html: "src/pair.html" },
	{ name: "blocks", script: "src/blocks.ts", style: "src/blocks.css", html: "src/blocks.html" },
];

/* A page with its parts. */
function assemble(html) {
	return readFileSync(here(html), "utf8").replace(/\{\{(head|search|flame|functions|graph|source|tail)\}\}/g,
		(whole, name) => readFileSync(here(`src/parts/${name}.html`), "utf8").replace(/\n$/, ""));
}

function build(from) {
	const script = bundle(from.script, { format: "iife" });
	const style = bundle(from.style);
	const parts = { script, style, "script-hash": hashOf(script), "style-hash": hashOf(style) };
	const html = assemble(from.html)
		.replace(/\{\{([a-z-]+)\}\}/g, (whole, name) => parts[name] ?? whole);

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
for (const page of pages) {
	const target = here(`dist/${page.name}.html`), html = build(page);

	if (!process.argv.includes("--check")) {
		writeFileSync(target, html);
		console.log(`dist/${page.name}.html: ${html.length} bytes`);
	} else if (!existsSync(target) || readFileSync(target, "utf8") !== html) {
		console.error(`web/dist/${page.name}.html is not what the sources give: run \`npm run build\` in web/`);
		process.exitCode = 1;
	}
}
