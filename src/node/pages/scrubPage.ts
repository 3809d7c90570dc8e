/**
 * A page that can be shown to others: secrets, a person's name and folders are gone from every text on it. Of a path only
 * its last part stays. Pure.
 */

import type { Page } from '../../protocol/pages.ts';
import type { Cleaner } from '../secrets/cleaner.ts';
import { type HiddenPlace, hideName, hidePlaces } from '../secrets/hidePlaces.ts';

export interface Scrubbed {
  readonly places: readonly HiddenPlace[];
  /** Names of the person's account. */
  readonly names: readonly string[];
  readonly cleaner: Cleaner;
}

/** Folders in front of a name. An address keeps its host, and a comment its mark. */
const FOLDERS = /(?<![\w.@+~:/\\…-])(?!\/\/)(?:~|\.{1,2})?(?:\/?[\w.@+~-]+)?(?:\/+[\w.@+~-]+)*\/+(?=[\w.@+~-])/g;
const ON_WINDOWS = /\b[A-Za-z]:[\\/]+(?:[\w.@+~-][\w.@+ ~-]*[\\/]+)*(?=[\w.@+~-])/g;
export function scrubPage(page: Page, scrubbed: Scrubbed): Page {
  return scrubValue(page, (text) => scrubText(text, scrubbed)) as Page;
}

export function scrubText(text: string, { places, names, cleaner }: Scrubbed): string {
  const placeless = hidePlaces(cleaner.clean(text), places).replace(ON_WINDOWS, '…/').replace(FOLDERS, '…/');
  return names.reduce((rest, name) => hideName(rest, name), placeless);
}

/** Ids and kinds are words of the product, which hold nothing to hide. */
const KEPT = new Set(['kind', 'id', 'act', 'tone', 'fold', 'align']);

function scrubValue(value: unknown, scrub: (text: string) => string): unknown {
  if (typeof value === 'string') return scrub(value);
  if (Array.isArray(value)) return value.map((each) => scrubValue(each, scrub));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, KEPT.has(key) ? each : scrubValue(each, scrub)]),
  );
}
