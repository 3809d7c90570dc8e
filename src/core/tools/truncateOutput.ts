/** Cuts the result of a call to its limits. The whole of it is stored, and a stub in place of the cut names it. */

import type { TruncationRecord } from '../context/message.ts';
import { messageOf } from '../errors.ts';
import type { BlobStore } from '../journal/blobStore.ts';
import { cutText, type TruncationLimits, utf8Length } from './text/cutText.ts';
import type { ToolOutcome } from './tool.ts';

/** Prefix with which `read_file` reads a stored full output instead of a path. */
export const OUTPUT_PREFIX = 'output:';

/** `nonce` is the session's secret word, which makes the note a stub that no tool output can forge. */
export async function truncateOutput(
  { whole, ...outcome }: ToolOutcome,
  limits: TruncationLimits,
  nonce: string,
  blobs: BlobStore,
): Promise<ToolOutcome> {
  if (outcome.truncation) return outcome;
  const below = outcome.headed ? outcome.text.indexOf('\n') + 1 : 0;
  const cut = cutText(outcome.text.slice(below), limits);
  if (!cut && whole === undefined) return outcome;
  const note = (words: string) => `[palimpsest:${nonce} ${words}]`;
  const record = (lines: number, bytes: number, blob: string | null): TruncationRecord => ({
    by: 'formatter',
    direction: limits.direction,
    originalLines: lines,
    originalBytes: bytes,
    ...(blob === null ? {} : { blob }),
  });
  if (!cut) {
    const all = whole ?? '';
    const kept = await keepWhole(all, blobs, 'an offset reads all of it');
    const truncation = record(all.split('\n').length, utf8Length(all), kept.blob);
    return { ...outcome, text: `${outcome.text}\n${note(`redrawn lines are left out; ${kept.hint}`)}`, truncation };
  }
  // An overlong line is the first one; text above it is counted in the full output.
  const isInLine = cut.firstCut === 1 && cut.head !== '' && whole === undefined;
  const rest = `offset ${below > 0 ? 2 : 1} and column ${cut.head.length + 1} reads on`;
  const kept = await keepWhole(whole ?? outcome.text, blobs, isInLine ? rest : 'an offset reads the full output');
  const without = whole === undefined ? '' : ' without redrawn lines';
  const size = `lines ${cut.firstCut}-${cut.lastCut} of ${cut.lines}${without} (${cut.bytes} bytes in all)`;
  return {
    ...outcome,
    text: [outcome.text.slice(0, Math.max(0, below - 1)), cut.head, note(`cut here: ${size}; ${kept.hint}`), cut.tail]
      .filter((part) => part !== '')
      .join('\n'),
    truncation: record(cut.lines, cut.bytes, kept.blob),
  };
}

/** A full disk must not cost the model the visible part, so a failure to store the whole is only mentioned. */
async function keepWhole(text: string, blobs: BlobStore, rest: string): Promise<{ blob: string | null; hint: string }> {
  try {
    const blob = await blobs.put(new TextEncoder().encode(text));
    return { blob, hint: `read_file with path "${OUTPUT_PREFIX}${blob}" and ${rest}` };
  } catch (thrown) {
    return { blob: null, hint: `the full output could not be kept: ${messageOf(thrown)}` };
  }
}
