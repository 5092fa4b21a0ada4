/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The buttons around a control flow graph, and its switch for blocks that never ran (parts/graph.html). */

import { byId } from "./dom";
import { plural } from "./format";
import type { ControlFlowGraph } from "./graph";
import type { GraphBlock, GraphWay } from "./graph-look";

/** To be called when another function is shown, or the graph hides less by itself. */
export function showIdleSwitch<B extends GraphBlock, W extends GraphWay>(graph: ControlFlowGraph<B, W>): void {
	const { idle } = graph, input = byId<HTMLInputElement>("graph-idle");

	input.checked = !graph.hidesIdle;
	input.disabled = idle === 0;
	byId("graph-idle-label").textContent = idle === 0 ? "every block ran" : `also ${plural(idle, "block")} that never ran`;
}

export function wireGraph<B extends GraphBlock, W extends GraphWay>(graph: ControlFlowGraph<B, W>): void {
	byId("graph-fit").addEventListener("click", () => graph.fit());
	byId("graph-in").addEventListener("click", () => graph.zoomBy(1.25));
	byId("graph-out").addEventListener("click", () => graph.zoomBy(0.8));
	byId<HTMLInputElement>("graph-idle").addEventListener("change", (event) => {
		graph.setHidesIdle(!(event.target as HTMLInputElement).checked);
	});
}
