/**
 * The two texts of a recorded diff. With the whole text before, both are whole; without it they are the parts that the
 * diff shows. Pure.
 */

import { applyPatch, parsePatch } from 'diff';

export interface Texts {
  readonly before: string;
  readonly after: string;
}

/** `before` is null where it is not kept. */
export function textsOfDiff(diff: string, before: string | null): Texts {
  const after = before === null ? null : patched(before, diff);
  return before === null || after === null ? partsOfDiff(diff) : { before, after };
}

/** Null where the diff does not fit the text, or was cut. */
function patched(before: string, diff: string): string | null {
  try {
    const [patch] = parsePatch(diff);
    const after = patch ? applyPatch(before, patch) : false;
    return after === false ? null : after;
  } catch {
    // A diff that was cut in the middle of a hunk cannot be read.
    return null;
  }
}

function partsOfDiff(diff: string): Texts {
  const before: string[] = [];
  const after: string[] = [];
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    const text = line.slice(1);
    if (line.startsWith('-')) before.push(text);
    else if (line.startsWith('+')) after.push(text);
    else if (line.startsWith('\\')) continue;
    else for (const side of [before, after]) side.push(line.startsWith('@@') ? '⋯' : text);
  }
  return { before: before.join('\n'), after: after.join('\n') };
}
