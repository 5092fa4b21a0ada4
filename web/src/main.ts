/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pages of the report, in the order of their tabs (doc/howto/add-a-page.md). */

import { argumentsPage } from "./arguments-page";
import { blocksPage } from "./blocks-page";
import { callTreePage } from "./call-tree-page";
import { differencesPage } from "./differences-page";
import { environmentPage } from "./environment-page";
import { featuresPage } from "./features-page";
import { flamePage, functionsPage } from "./flame-page";
import { modelsPage } from "./models-page";
import { noisePage } from "./noise-page";
import { overviewPage } from "./overview-page";
import { start, type Page } from "./shell";
import { timelinePage } from "./timeline-page";
import { versionsPage } from "./versions-page";

const pages: Page[] = [
	overviewPage,
	flamePage,
	functionsPage,
	callTreePage,
	timelinePage,
	argumentsPage,
	differencesPage,
	featuresPage,
	modelsPage,
	noisePage,
	versionsPage,
	blocksPage,
	environmentPage,
];

void start(pages);
