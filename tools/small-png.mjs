/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A screenshot as a smaller PNG: its 256 most frequent colours as a palette, every other pixel as the nearest of
 * these, best compression. Pages have few colours; what is left out are shades at the edges of letters.
 */
import * as zlib from "node:zlib";

const { deflateSync, inflateSync } = zlib;

const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

/* node:zlib has it since version 22. */
function crc32(bytes) {
	let crc = ~0;

	if (zlib.crc32)
		return zlib.crc32(bytes);
	for (const byte of bytes) {
		crc ^= byte;
		for (let bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >>> 1 ^ 0xedb88320 : crc >>> 1;
	}
	return ~crc >>> 0;
}

function chunk(type, data) {
	const body = Buffer.concat([Buffer.from(type, "latin1"), data]), head = Buffer.alloc(4), tail = Buffer.alloc(4);

	head.writeUInt32BE(data.length);
	tail.writeUInt32BE(crc32(body));
	return Buffer.concat([head, body, tail]);
}

function paeth(a, b, c) {
	const p = a + b - c, pa = Math.abs(p - a), pb = Math.abs(p - b), pc = Math.abs(p - c);

	return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

/* What a byte is predicted from: the one at the left, above, and above at the left (PNG, 9.2). */
const filters = [() => 0, (a) => a, (a, b) => b, (a, b) => a + b >> 1, paeth];

/* Pixels of an image of 8-bit samples, as numbers of 24 bits. */
function decode(png) {
	const data = [];
	let width, height, size;

	for (let at = 8; at < png.length;) {
		const length = png.readUInt32BE(at), type = png.toString("latin1", at + 4, at + 8);

		if (type === "IHDR") {
			[width, height] = [png.readUInt32BE(at + 8), png.readUInt32BE(at + 12)];
			size = { 2: 3, 6: 4 }[png[at + 17]];
		} else if (type === "IDAT") {
			data.push(png.subarray(at + 8, at + 8 + length));
		}
		at += length + 12;
	}

	const raw = inflateSync(Buffer.concat(data)), row = width * size, pixels = new Uint32Array(width * height);
	let above = Buffer.alloc(row);

	for (let y = 0; y < height; y++) {
		const line = raw.subarray(y * (row + 1) + 1, (y + 1) * (row + 1)), filter = filters[raw[y * (row + 1)]];

		for (let i = 0; i < row; i++)
			line[i] += filter(i < size ? 0 : line[i - size], above[i], i < size ? 0 : above[i - size]);
		for (let x = 0; x < width; x++)
			pixels[y * width + x] = line.readUIntBE(x * size, 3);
		above = line;
	}
	return { width, height, pixels };
}

const distance = (a, b) => ((a >> 16) - (b >> 16)) ** 2 + ((a >> 8 & 255) - (b >> 8 & 255)) ** 2 + ((a & 255) - (b & 255)) ** 2;

const nearest = (palette, colour) => palette.reduce((best, other, i) =>
	distance(colour, other) < distance(colour, palette[best]) ? i : best, 0);

export function smallPng(png) {
	const { width, height, pixels } = decode(png), counts = new Map();

	for (const colour of pixels)
		counts.set(colour, (counts.get(colour) ?? 0) + 1);

	const palette = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 256).map(([colour]) => colour);
	const index = new Map([...counts.keys()].map((colour) => [colour, nearest(palette, colour)]));
	const lines = Buffer.alloc((width + 1) * height), header = Buffer.alloc(13);

	for (let i = 0; i < pixels.length; i++)
		lines[i + Math.floor(i / width) + 1] = index.get(pixels[i]);
	header.writeUInt32BE(width);
	header.writeUInt32BE(height, 4);
	header[8] = 8; /* bits a pixel */
	header[9] = 3; /* of a palette */
	return Buffer.concat([signature, chunk("IHDR", header),
		chunk("PLTE", Buffer.from(palette.flatMap((c) => [c >> 16, c >> 8 & 255, c & 255]))),
		chunk("IDAT", deflateSync(lines, { level: 9 })), chunk("IEND", Buffer.alloc(0))]);
}
