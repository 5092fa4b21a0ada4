/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the blocks and ways of a control flow graph lie, in units of the picture. */

import type { GraphWay } from "./graph-look";
import { NODE_WIDTH, type Layout } from "./layers";

export const NODE_HEIGHT = 50;
export const LAYER = NODE_HEIGHT + 46;

export type Point = [number, number];

/** A way with the points it passes, from its source to its target. */
export interface Route<W extends GraphWay> {
	way: W;
	points: Point[];
	isBack: boolean;
}

export function layerTop(layer: number): number {
	return layer * LAYER;
}

/** Where each way leaves and enters: side by side, in the order of where it goes. */
export function routeWays<W extends GraphWay>(layout: Layout, place: Int32Array, ways: W[]): Route<W>[] {
	const routes = ways.map((way, e): Route<W> => {
		const a = place[way.from], b = place[way.to], isBack = layout.isBack[e] === 1;
		const [top, bottom] = isBack ? [layout.layer[b], layout.layer[a]] : [layout.layer[a], layout.layer[b]];
		const middle = layout.between[e].map((x, i): Point => [x, layerTop(top + 1 + i) + NODE_HEIGHT / 2]);

		if (isBack) {
			middle.reverse();
			return { way, isBack, points: [[layout.x[a], layerTop(bottom)], ...middle, [layout.x[b], layerTop(top) + NODE_HEIGHT]] };
		}
		return { way, isBack, points: [[layout.x[a], layerTop(top) + NODE_HEIGHT], ...middle, [layout.x[b], layerTop(bottom)]] };
	});
	const ports = new Map<string, { point: Point; towards: number }[]>();

	for (const { way, points, isBack } of routes) {
		const add = (block: number, side: string, point: Point, next: Point) => {
			const key = `${block}${side}`, list = ports.get(key);
			const port = { point, towards: next[0] };

			if (list)
				list.push(port);
			else
				ports.set(key, [port]);
		};

		add(way.from, isBack ? "top" : "bottom", points[0], points[1]);
		add(way.to, isBack ? "bottom" : "top", points[points.length - 1], points[points.length - 2]);
	}
	for (const list of ports.values()) {
		const step = Math.min(30, (NODE_WIDTH - 20) / list.length);

		list.sort((a, b) => a.towards - b.towards);
		list.forEach(({ point }, i) => { point[0] += (i - (list.length - 1) / 2) * step; });
	}
	return routes;
}
