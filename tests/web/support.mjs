/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Modules of web/node_modules for tests that live beside it, and a browser that stays at home. */
import { createRequire } from "node:module";

const require = createRequire(new URL("../../web/package.json", import.meta.url));

export const esbuild = require("esbuild");
export { random } from "./fixture.mjs";

export const chromiumPath = process.env.CHROMIUM ?? "/usr/bin/chromium";

export async function launch() {
	const { chromium } = require("playwright-core");

	return chromium.launch({
		executablePath: chromiumPath,
		args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		       "--disable-background-networking", "--disable-component-update", "--disable-sync"],
	});
}
