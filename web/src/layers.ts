/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Places for the blocks of a function: layers from the entry down (Sugiyama, Tagawa and Toda
 * 1981), few crossings by medians, straight lines by least squares. Ways to one block that pass the
 * same layer are one line there, so a block that hundreds lead to costs one place a layer.
 *
 * All of it is a generator that stops often: a page lays out in slices and never freezes.
 */

export interface Flow {
	n: number; /* blocks; 0 is the entry */
	from: ArrayLike<number>;
	to: ArrayLike<number>;
}

export interface Layout {
	x: Float64Array; /* of the middle of each block … */
	layer: Int32Array; /* … and the layer it is in */
	/** Ways against the layers: they close loops. */
	isBack: Uint8Array;
	/** The x of each way in every layer between its ends, downwards; [] where these are neighbours. */
	between: number[][];
	width: number;
	layers: number;
	crossings: number;
}

export const NODE_WIDTH = 148;
const NODE_GAP = 26;
const LINE_WIDTH = 12; /* room for a way that passes a layer */
const SWEEPS = 10;
const STRAIGHTENING = 24;

/** Edges by one of their ends: list[first[v] … first[v + 1]). */
interface Adjacency {
	first: Int32Array;
	list: Int32Array;
}

function adjacency(n: number, ends: ArrayLike<number>): Adjacency {
	const first = new Int32Array(n + 1), list = new Int32Array(ends.length);

	for (let e = 0; e < ends.length; e++)
		first[ends[e] + 1]++;
	for (let v = 0; v < n; v++)
		first[v + 1] += first[v];
	const at = first.slice();

	for (let e = 0; e < ends.length; e++)
		list[at[ends[e]]++] = e;
	return { first, list };
}

/** Depth first from the entry, then from what it does not reach; ways to open blocks go back. */
function order(flow: Flow): { postorder: number[]; isBack: Uint8Array } {
	const out = adjacency(flow.n, flow.from), at = out.first.slice();
	const state = new Uint8Array(flow.n); /* 1: open, 2: done */
	const postorder: number[] = [], isBack = new Uint8Array(flow.from.length);

	for (let root = 0; root < flow.n; root++) {
		if (state[root] !== 0)
			continue;
		const path = [root];

		state[root] = 1;
		while (path.length > 0) {
			const block = path[path.length - 1];

			if (at[block] === out.first[block + 1]) {
				state[block] = 2;
				postorder.push(block);
				path.pop();
				continue;
			}
			const edge = out.list[at[block]++], to = flow.to[edge];

			if (state[to] === 1)
				isBack[edge] = 1;
			else if (state[to] === 0) {
				state[to] = 1;
				path.push(to);
			}
		}
	}
	return { postorder, isBack };
}

function longestPaths(flow: Flow, postorder: number[], isBack: Uint8Array): Int32Array {
	const out = adjacency(flow.n, flow.from), layer = new Int32Array(flow.n);

	for (let i = postorder.length - 1; i >= 0; i--) {
		const block = postorder[i];

		for (let k = out.first[block]; k < out.first[block + 1]; k++) {
			const edge = out.list[k];

			if (isBack[edge] === 0)
				layer[flow.to[edge]] = Math.max(layer[flow.to[edge]], layer[block] + 1);
		}
	}
	return layer;
}

/** Blocks and the points where ways pass layers, joined by lines that reach one layer down. */
interface Net {
	n: number; /* the first are the blocks */
	layer: number[];
	upper: number[];
	lower: number[]; /* ends of the lines */
	chains: number[][]; /* of each way: points from top to bottom, without its ends */
	rows: number[][]; /* by layer */
}

class NetMaker {
	private readonly points = new Map<string, number>();
	private readonly lines = new Set<number>();
	readonly net: Net;

	constructor(private readonly flow: Flow, private readonly place: Int32Array, private readonly isBack: Uint8Array) {
		this.net = { n: flow.n, layer: Array.from(place), upper: [], lower: [], chains: [], rows: [] };
	}

	private point(end: number, back: boolean, layer: number): number {
		const key = `${back ? "b" : "f"}${end} ${layer}`;
		let point = this.points.get(key);

		if (point === undefined) {
			point = this.net.n++;
			this.points.set(key, point);
			this.net.layer.push(layer);
		}
		return point;
	}

	private line(upper: number, lower: number): void {
		const key = upper * 0x2000000 + lower;

		if (this.lines.has(key))
			return;
		this.lines.add(key);
		this.net.upper.push(upper);
		this.net.lower.push(lower);
	}

	/** The way @edge; a way back is drawn from its target down to its source. */
	add(edge: number): void {
		const back = this.isBack[edge] === 1;
		const from = this.flow.from[edge], to = this.flow.to[edge];
		const [top, bottom] = back ? [to, from] : [from, to];
		const chain: number[] = [];
		let last = top;

		this.net.chains.push(chain);
		if (top === bottom)
			return;
		for (let layer = this.place[top] + 1; layer < this.place[bottom]; layer++) {
			const point = this.point(to, back, layer);

			this.line(last, point);
			chain.push(point);
			last = point;
		}
		this.line(last, bottom);
	}

	/** Points in the order in which a walk over the lines, depth first, comes to them. */
	finish(): Net {
		const { net } = this, out = adjacency(net.n, net.upper), seen = new Uint8Array(net.n);

		for (let root = 0; root < net.n; root++) {
			const open = [root];

			while (open.length > 0) {
				const v = open.pop()!;

				if (seen[v] !== 0)
					continue;
				seen[v] = 1;
				(net.rows[net.layer[v]] ??= []).push(v);
				for (let k = out.first[v + 1] - 1; k >= out.first[v]; k--)
					open.push(net.lower[out.list[k]]);
			}
		}
		return net;
	}
}

/** Pairs of lines between two rows that cross (Barth, Jünger and Mutzel 2002). */
function crossingsBelow(row: number[], down: Adjacency, lower: number[], at: Int32Array, size: number): number {
	const tree = new Int32Array(size + 1);
	let sum = 0, seen = 0;

	for (const v of row) {
		const ends: number[] = [];

		for (let k = down.first[v]; k < down.first[v + 1]; k++)
			ends.push(at[lower[down.list[k]]]);
		for (const end of ends) {
			let left = 0;

			for (let i = end + 1; i > 0; i -= i & -i)
				left += tree[i];
			sum += seen - left;
		}
		for (const end of ends)
			for (let i = end + 1; i <= size; i += i & -i)
				tree[i]++;
		seen += ends.length;
	}
	return sum;
}

function* uncross(net: Net): Generator<void, number> {
	const down = adjacency(net.n, net.upper), up = adjacency(net.n, net.lower);
	const at = new Int32Array(net.n), key = new Float64Array(net.n);
	const number = (row: number[]) => row.forEach((v, i) => { at[v] = i; });
	const count = () => net.rows.reduce((sum, row, i) => i + 1 < net.rows.length
		? sum + crossingsBelow(row, down, net.lower, at, net.rows[i + 1].length) : sum, 0);
	const median = (v: number, ways: Adjacency, ends: number[]) => {
		const places: number[] = [];

		for (let k = ways.first[v]; k < ways.first[v + 1]; k++)
			places.push(at[ends[ways.list[k]]]);
		if (places.length === 0)
			return at[v];
		places.sort((a, b) => a - b);
		const half = places.length >> 1;

		return places.length % 2 === 1 ? places[half] : (places[half - 1] + places[half]) / 2;
	};

	net.rows.forEach(number);
	let best = net.rows.map((row) => row.slice()), least = count();

	for (let sweep = 0; sweep < SWEEPS && least > 0; sweep++) {
		const isDown = sweep % 2 === 0;

		for (let i = 1; i < net.rows.length; i++) {
			const row = net.rows[isDown ? i : net.rows.length - 1 - i];

			for (const v of row)
				key[v] = isDown ? median(v, up, net.upper) : median(v, down, net.lower);
			row.sort((a, b) => key[a] - key[b] || at[a] - at[b]);
			number(row);
			if (i % 16 === 0)
				yield;
		}
		const now = count();

		if (now < least) {
			least = now;
			best = net.rows.map((row) => row.slice());
		}
		yield;
	}
	net.rows = best;
	return least;
}

/**
 * The places nearest to what each of a row wants (weighted least squares), in their order and
 * with room between them: pooling adjacent violators.
 */
export function settle(wanted: number[], weight: number[], room: number[]): number[] {
	const sums: number[] = [], weights: number[] = [], sizes: number[] = [], offsets: number[] = [0];

	for (let i = 1; i < wanted.length; i++)
		offsets.push(offsets[i - 1] + room[i - 1]);
	for (let i = 0; i < wanted.length; i++) {
		let sum = (wanted[i] - offsets[i]) * weight[i], all = weight[i], size = 1;

		while (sums.length > 0 && sums[sums.length - 1] / weights[weights.length - 1] >= sum / all) {
			sum += sums.pop()!;
			all += weights.pop()!;
			size += sizes.pop()!;
		}
		sums.push(sum);
		weights.push(all);
		sizes.push(size);
	}
	const places: number[] = [];

	for (let group = 0; group < sums.length; group++)
		for (let k = 0; k < sizes[group]; k++)
			places.push(sums[group] / weights[group] + offsets[places.length]);
	return places;
}

/** Every row in turn goes where its neighbours above and below are; lines want to be straight. */
function* straighten(net: Net, nBlocks: number): Generator<void, Float64Array> {
	const down = adjacency(net.n, net.upper), up = adjacency(net.n, net.lower);
	const x = new Float64Array(net.n);
	const half = (v: number) => v < nBlocks ? NODE_WIDTH / 2 : LINE_WIDTH / 2;
	const isBlock = (v: number) => v < nBlocks;
	const rooms = net.rows.map((row) => row.slice(1).map((v, i) => half(row[i]) + half(v) +
		(isBlock(row[i]) && isBlock(v) ? NODE_GAP : NODE_GAP / 2)));

	net.rows.forEach((row, r) => row.forEach((v, i) => {
		x[v] = i === 0 ? 0 : x[row[i - 1]] + rooms[r][i - 1];
	}));
	for (let pass = 0; pass < STRAIGHTENING; pass++) {
		const isDown = pass % 2 === 0, both = pass >= STRAIGHTENING / 2;

		for (let i = 0; i < net.rows.length; i++) {
			const r = isDown ? i : net.rows.length - 1 - i, row = net.rows[r];
			const wanted: number[] = [], weights: number[] = [];

			for (const v of row) {
				let sum = 0, all = 0;
				const pull = (ways: Adjacency, ends: number[]) => {
					for (let k = ways.first[v]; k < ways.first[v + 1]; k++) {
						const other = ends[ways.list[k]];
						const weight = isBlock(v) ? (isBlock(other) ? 2 : 1) : isBlock(other) ? 2 : 8;

						sum += x[other] * weight;
						all += weight;
					}
				};

				if (isDown || both)
					pull(up, net.upper);
				if (!isDown || both)
					pull(down, net.lower);
				wanted.push(all > 0 ? sum / all : x[v]);
				weights.push(all > 0 ? all : 0.1);
			}
			settle(wanted, weights, rooms[r]).forEach((place, k) => { x[row[k]] = place; });
			if (i % 16 === 15)
				yield;
		}
		yield;
	}
	return x;
}

export function* layOut(flow: Flow): Generator<void, Layout> {
	const { postorder, isBack } = order(flow);
	const layer = longestPaths(flow, postorder, isBack);
	const maker = new NetMaker(flow, layer, isBack);

	yield;
	for (let e = 0; e < flow.from.length; e++) {
		maker.add(e);
		if (e % 512 === 511)
			yield;
	}
	const net = maker.finish(), { chains } = net;

	yield;
	const crossings = yield* uncross(net);
	const x = yield* straighten(net, flow.n);
	let left = Infinity, right = -Infinity;

	for (let v = 0; v < net.n; v++) {
		left = Math.min(left, x[v] - NODE_WIDTH / 2);
		right = Math.max(right, x[v] + NODE_WIDTH / 2);
	}
	return {
		x: Float64Array.from({ length: flow.n }, (_, v) => x[v] - left), layer, isBack, crossings,
		between: chains.map((chain) => chain.map((v) => x[v] - left)),
		width: flow.n > 0 ? right - left : 0, layers: net.rows.length,
	};
}

/** At once, for small graphs and tests. */
export function layOutNow(flow: Flow): Layout {
	const work = layOut(flow);

	for (;;) {
		const step = work.next();

		if (step.done === true)
			return step.value;
	}
}

const SLICE_MS = 12;

/** In slices, between which the page stays alive. @done is called at once if one slice is enough. */
export function layOutSoon(flow: Flow, done: (layout: Layout) => void): () => void {
	const work = layOut(flow);
	let isWanted = true;
	const slice = () => {
		const end = performance.now() + SLICE_MS;

		while (isWanted) {
			const step = work.next();

			if (step.done === true)
				return done(step.value);
			if (performance.now() > end)
				return void setTimeout(slice);
		}
	};

	slice();
	return () => { isWanted = false; };
}
