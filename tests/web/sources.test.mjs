/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is committed for the page: types, bundle, lock. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

const web = fileURLToPath(new URL("../../web/", import.meta.url));

function succeeds(...args) {
	const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: web, encoding: "utf8" });

	assert.equal(status, 0, stdout + stderr);
}

test("the sources are sound for the type checker", () => succeeds("node_modules/typescript/bin/tsc", "--noEmit"));

test("the committed page is what the sources give", () => succeeds("build.mjs", "--check"));

test("the lock names no registry", () => {
	assert.doesNotMatch(readFileSync(`${web}package-lock.json`, "utf8"), /resolved|:\/\//);
});

test("the page forbids itself everything but its own script and style", () => {
	const page = readFileSync(`${web}dist/report.html`, "utf8");
	const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(page)[1];

	assert.match(policy, /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; form-action 'none'$/);
	assert.doesNotMatch(page, /(?:https?|wss?|ftp):\/\//);
	assert.doesNotMatch(page, /\son[a-z]+=/);
});
