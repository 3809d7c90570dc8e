/** What a person meets in the panel and around it, item by item, with parts of the titles of the scenarios that show it. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../paths.ts';

export interface PanelItem {
  readonly item: number;
  readonly what: string;
  readonly tests: readonly string[];
}

export function listPanelItems(): readonly PanelItem[] {
  return JSON.parse(readFileSync(join(ROOT, 'test/panel.json'), 'utf8'));
}
