/** Renames: a new file and one that is gone, shown as one change. Pure. */

import { equalBytes } from '../tools/text/decodeText.ts';
import type { Compared } from './compared.ts';
import { NOTHING } from './compared.ts';
import type { FileVersion } from './fileKeeper.ts';
import { countChangedLines, isText, textLines } from './lines.ts';

/** Share of the longer version's lines that both must have. */
const ALIKE = 0.5;

/** Above this many pairs, or bytes of a file, only equal contents are recognised. */
const MOST_PAIRS = 2_500;

const MOST_ALIKE_BYTES = 1_000_000;

/** In the same order; a file that was renamed stands where its new name does. */
export function pairRenames(files: readonly Compared[]): Compared[] {
  const gone = new Map(files.filter(({ now }) => now === null).map((file) => [file.path, file]));
  const pairs = new Map<string, Compared>();
  for (const file of files) {
    if (file.renamedFrom === null) continue;
    // Reviewed under its new name: what it was compared with is known.
    if (gone.delete(file.renamedFrom)) pairs.set(file.path, file);
    else pairs.set(file.path, { ...file, renamedFrom: null });
  }
  const made = files.filter(({ path, before, now }) => before === null && now !== null && !pairs.has(path));
  for (const [old, file] of findPairs([...gone.values()], made)) {
    gone.delete(old.path);
    pairs.set(file.path, { ...file, renamedFrom: old.path, before: old.before, lines: countOnce(old, file) });
  }
  const kept = new Set(gone.keys());
  return files.flatMap((file) => (file.now === null && !kept.has(file.path) ? [] : (pairs.get(file.path) ?? file)));
}

/** A list is made again after each change, mostly of the same files. */
const counted = new WeakMap<FileVersion, { readonly before: FileVersion | null; readonly lines: Compared['lines'] }>();

const linesKnown = new WeakMap<FileVersion, readonly string[]>();

function countOnce({ before }: Compared, { now }: Compared): Compared['lines'] {
  const last = now && counted.get(now);
  if (last && last.before === before) return last.lines;
  const lines = countChangedLines(before?.bytes ?? NOTHING, now?.bytes ?? NOTHING);
  if (now) counted.set(now, { before, lines });
  return lines;
}

function linesOf(present: FileVersion): readonly string[] {
  const lines = linesKnown.get(present) ?? textLines(present.bytes);
  linesKnown.set(present, lines);
  return lines;
}

/** Equal ones first, then those with most lines in common. Each file is in one pair at most. */
function findPairs(gone: readonly Compared[], made: readonly Compared[]): (readonly [Compared, Compared])[] {
  const inBoth = gone.length * made.length;
  const scored = gone.flatMap((old) =>
    made.flatMap((file) => {
      const likeness = likenessOf(old, file, inBoth <= MOST_PAIRS);
      return likeness >= ALIKE ? [{ old, file, likeness }] : [];
    }),
  );
  const taken = new Set<Compared>();
  return scored
    .sort((a, b) => b.likeness - a.likeness)
    .flatMap(({ old, file }) => {
      if (taken.has(old) || taken.has(file)) return [];
      taken.add(old).add(file);
      return [[old, file] as const];
    });
}

/** From 0 to 1. Files without a byte have nothing in common. */
function likenessOf({ before }: Compared, { now }: Compared, closely: boolean): number {
  if (!before || !now || before.bytes.length === 0 || now.bytes.length === 0) return 0;
  if (equalBytes(before.bytes, now.bytes)) return 1;
  const [less, more] = [before.bytes.length, now.bytes.length].sort((a, b) => a - b) as [number, number];
  if (!closely || more > MOST_ALIKE_BYTES || less < more * ALIKE * ALIKE) return 0;
  if (!isText(before.bytes) || !isText(now.bytes)) return 0;
  const [old, made] = [linesOf(before), linesOf(now)];
  const left = new Map<string, number>();
  for (const line of old) left.set(line, (left.get(line) ?? 0) + 1);
  let common = 0;
  for (const line of made) {
    const count = left.get(line) ?? 0;
    // An empty line says nothing.
    if (count === 0 || line.trim() === '') continue;
    left.set(line, count - 1);
    common++;
  }
  return (common / Math.max(old.length, made.length)) * 0.999;
}
