/**
 * Cuts a tool's output when the tool returns. What was cut is never lost: the full output goes into a blob, and the text
 * the model sees names it. An output that the tool has cut itself is left alone.
 */

import { messageOf } from '../../errors.ts';
import type { BlobStore } from '../../ports.ts';
import type { ToolOutcome } from '../tool.ts';
import { OUTPUT } from '../toolSettings.ts';
import { cutText, type TruncationLimits } from './cutText.ts';

/** The limits where none are given. */
export const TRUNCATION_DEFAULTS: TruncationLimits = {
  maxLines: OUTPUT.fields.maxLines.default,
  maxBytes: OUTPUT.fields.maxKilobytes.default * 1024,
  direction: 'head',
};

/** What `read_file` takes instead of a path to read a full output back. */
export const OUTPUT_PREFIX = 'output:';

/** `nonce` is the session's own word, which makes the note a stub that no tool output can forge. */
export async function truncateOutput(
  outcome: ToolOutcome,
  limits: TruncationLimits,
  nonce: string,
  blobs: BlobStore,
): Promise<ToolOutcome> {
  if (outcome.truncation) return outcome;
  const below = outcome.headed ? outcome.text.indexOf('\n') + 1 : 0;
  const cut = cutText(outcome.text.slice(below), limits);
  if (!cut) return outcome;
  // A line that does not fit is the first one; what stands above it counts in the full output.
  const isInLine = cut.firstCut === 1 && cut.head !== '';
  const rest = `offset ${below > 0 ? 2 : 1} and column ${cut.head.length + 1} reads on`;
  const kept = await keepWhole(outcome.text, blobs, isInLine ? rest : 'an offset reads the full output');
  const size = `lines ${cut.firstCut}-${cut.lastCut} of ${cut.lines} (${cut.bytes} bytes in all)`;
  const stub = `[palimpsest:${nonce} cut here: ${size}; ${kept.hint}]`;
  return {
    ...outcome,
    text: [outcome.text.slice(0, Math.max(0, below - 1)), cut.head, stub, cut.tail]
      .filter((part) => part !== '')
      .join('\n'),
    truncation: {
      by: 'formatter',
      direction: limits.direction,
      originalLines: cut.lines,
      originalBytes: cut.bytes,
      ...(kept.blob === null ? {} : { blob: kept.blob }),
    },
  };
}

/** A full disk must not cost the model the part it can be shown, so a failure to keep the whole is only mentioned. */
async function keepWhole(text: string, blobs: BlobStore, rest: string): Promise<{ blob: string | null; hint: string }> {
  try {
    const blob = await blobs.put(new TextEncoder().encode(text));
    return { blob, hint: `read_file with path "${OUTPUT_PREFIX}${blob}" and ${rest}` };
  } catch (thrown) {
    return { blob: null, hint: `the full output could not be kept: ${messageOf(thrown)}` };
  }
}
