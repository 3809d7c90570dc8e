/**
 * Reads other extensions' contributions from their manifests. Pure: a manifest is foreign text, so every field is
 * validated, and a bad declaration is reported instead of half used. Part of the start path, so it imports nothing.
 */

import type { StrategyId } from '../../../api/index.ts';

/** One element of `contributes.palimpsest.compactionStrategies`. */
export interface DeclaredStrategy {
  readonly id: StrategyId;
  readonly label: string;
  readonly description: string;
  readonly extension: string;
  readonly publisher: string;
  /** Configuration section of that extension whose values the strategy reads; null without one. */
  readonly section: string | null;
  /** Full keys of the section's settings, as contributed by that extension's manifest. */
  readonly keys: readonly string[];
}

interface Declarations {
  readonly strategies: readonly DeclaredStrategy[];
  /** Unusable declarations, as sentences. */
  readonly problems: readonly string[];
}

const EXTENSION = /^[a-z0-9-]+\.[a-z0-9-]+$/i;
const NAME = /^[a-z0-9-]{1,64}$/i;
const LONGEST_LABEL = 80;
const LONGEST_DESCRIPTION = 400;

/** `extension` is its id, `publisher.name`. */
export function readDeclarations(extension: string, manifest: unknown): Declarations {
  const declared = at(manifest, 'contributes', 'palimpsest', 'compactionStrategies');
  if (declared === undefined) return { strategies: [], problems: [] };
  if (!Array.isArray(declared)) {
    return { strategies: [], problems: [`${extension}: contributes.palimpsest.compactionStrategies is not a list`] };
  }
  // People consent to a publisher by name, so no name may look like another's. The gallery allows no other letters
  // either.
  if (!EXTENSION.test(extension)) {
    return {
      strategies: [],
      problems: [`${extension}: its publisher and name are not of letters, digits and hyphens`],
    };
  }
  const strategies = new Map<string, DeclaredStrategy>();
  const problems: string[] = [];
  for (const [i, given] of declared.entries()) {
    const read = readDeclaration(extension, manifest, given);
    if (typeof read === 'string') problems.push(`${extension}: compaction strategy ${i} ${read}`);
    else if (strategies.has(read.id)) problems.push(`${extension}: the strategy ${read.id} is declared twice`);
    else strategies.set(read.id, read);
  }
  return { strategies: [...strategies.values()], problems };
}

function readDeclaration(extension: string, manifest: unknown, given: unknown): DeclaredStrategy | string {
  const name = at(given, 'name');
  if (typeof name !== 'string' || !NAME.test(name)) return 'has no name of letters, digits and hyphens';
  const label = at(given, 'label');
  if (typeof label !== 'string' || label.trim() === '') return `(${name}) has no label`;
  const description = at(given, 'description');
  const settings = at(given, 'settings');
  if (settings !== undefined && typeof settings !== 'string')
    return `(${name}) names its settings by something else than a section`;
  const publisher = extension.split('.')[0] ?? extension;
  return {
    id: `${extension}/${name}` as StrategyId,
    label: oneLine(label, LONGEST_LABEL),
    description: typeof description === 'string' ? oneLine(description, LONGEST_DESCRIPTION) : '',
    extension,
    publisher,
    section: settings ?? null,
    keys: settings === undefined ? [] : keysOf(manifest, settings),
  };
}

/** Only settings contributed by the extension itself: no strategy may read another extension's settings this way. */
function keysOf(manifest: unknown, section: string): string[] {
  const configuration = at(manifest, 'contributes', 'configuration');
  const parts: unknown[] = Array.isArray(configuration) ? configuration : [configuration];
  const keys = parts.flatMap((part) => {
    const properties = at(part, 'properties');
    return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  });
  return keys.filter((key) => key.startsWith(`${section}.`));
}

function at(value: unknown, ...path: readonly string[]): unknown {
  let here = value;
  for (const key of path) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = (here as Record<string, unknown>)[key];
  }
  return here;
}

/** Shown in menus and, quoted, in the question of consent: short, without line breaks, hidden characters or quotes. */
function oneLine(text: string, longest: number): string {
  return text
    .replace(/[\p{C}\s]+/gu, ' ')
    .replace(/["“”„‟«»]/g, "'")
    .trim()
    .slice(0, longest);
}
