/** A line diff of two texts for people: hunks with three lines of context. Pure. */

import { applyPatch, parsePatch, type StructuredPatchHunk, structuredPatch } from 'diff';

interface TextDiff {
  /** Hunks without file names; empty when nothing differs. */
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
}

/** Begins a hunk whose place in its file is not known. */
const NOWHERE = '@@\n';

/**
 * The change of a piece of a file whose place there is not known: hunks without numbers. Both texts end with a line end, or are
 * empty.
 */
export function diffPieces(before: string, after: string): TextDiff {
  const whole = diffTexts(before, after);
  return { ...whole, diff: whole.diff.replace(/^@@ .*\n/gm, NOWHERE) };
}

/** Above this many changed lines no exact diff is computed: everything is shown as replaced. */
const MOST_EDITS = 1_000;

export function diffTexts(before: string, after: string): TextDiff {
  const patch = structuredPatch('', '', before, after, '', '', { context: 3, maxEditLength: MOST_EDITS });
  const hunks = patch?.hunks ?? [replaceAll(before, after)];
  const count = (sign: '+' | '-') =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(sign)).length, 0);
  return { diff: hunks.map(formatHunk).join(''), added: count('+'), removed: count('-') };
}

function replaceAll(before: string, after: string): StructuredPatchHunk {
  const lines = (text: string) => text.replace(/\n$/, '').split('\n');
  const [old, fresh] = [lines(before), lines(after)];
  return {
    oldStart: 1,
    oldLines: old.length,
    newStart: 1,
    newLines: fresh.length,
    lines: [...old.map((line) => `-${line}`), ...fresh.map((line) => `+${line}`)],
  };
}

function formatHunk({ oldStart, oldLines, newStart, newLines, lines }: StructuredPatchHunk): string {
  return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@\n${lines.join('\n')}\n`;
}

/** A side without lines is numbered by the preceding line. */
function range(start: number, lines: number): string {
  return `${lines === 0 ? start - 1 : start},${lines}`;
}

interface Texts {
  readonly before: string;
  readonly after: string;
}

/**
 * The two texts of a recorded diff. With the whole earlier text, both are whole; without it they are the parts that the
 * diff shows. `before` is null where it was not stored.
 */
export function textsOfDiff(diff: string, before: string | null): Texts {
  const after = before === null ? null : patched(before, diff);
  return before === null || after === null ? partsOfDiff(diff) : { before, after };
}

/** Null where the diff does not fit the text, or was cut. */
function patched(before: string, diff: string): string | null {
  try {
    const [patch] = parsePatch(diff);
    // Of hunks without numbers none is read.
    const after = patch && patch.hunks.length > 0 ? applyPatch(before, patch) : false;
    return after === false ? null : after;
  } catch {
    // A diff that was cut in the middle of a hunk cannot be read.
    return null;
  }
}

/** A line stands for what is left out between two parts, and before the first unless that begins the file or may do so. */
function partsOfDiff(diff: string): Texts {
  const before: string[] = [];
  const after: string[] = [];
  for (const [at, line] of diff.replace(/\n$/, '').split('\n').entries()) {
    const text = line.slice(1);
    if (line.startsWith('-')) before.push(text);
    else if (line.startsWith('+')) after.push(text);
    else if (line.startsWith('\\')) continue;
    else if (!line.startsWith('@@')) for (const side of [before, after]) side.push(text);
    else if (at > 0 || LATER.test(line)) for (const side of [before, after]) side.push('⋯');
  }
  return { before: before.join('\n'), after: after.join('\n') };
}

/** A hunk that begins after the first line. */
const LATER = /^@@ -(?:[2-9]|\d\d)/;
