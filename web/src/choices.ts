/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups of radio buttons whose values a page reads. */

import { byId } from "./dom";
import { choice } from "./shell";

export type Choices<N extends string> = Record<N, string> & {
	/** Without telling anybody; a value that the group does not have is ignored. */
	set(name: N, value: string): void;
};

/** Ids of the buttons are NAME-VALUE. @then is called when the user chooses. */
export function choices<N extends string>(names: N[], then: () => void): Choices<N> {
	const values = {
		set(name: N, value: string) {
			const button = byId<HTMLInputElement>(`${name}-${value}`);

			if (!button)
				return;
			button.checked = true;
			(values as Record<string, unknown>)[name] = value;
		},
	} as Choices<N>;

	for (const name of names) {
		(values as Record<string, unknown>)[name] = document.querySelector<HTMLInputElement>(`input[name=${name}]:checked`)!.value;
		choice(name, (value) => {
			(values as Record<string, unknown>)[name] = value;
			then();
		});
	}
	return values;
}
