/**
 * The answer of a hook's process. An answer that cannot be read counts as a failure, and an unknown decision never as
 * approval.
 */

import * as z from 'zod';
import { isTextTooDeep, parseObject } from '../../json.ts';
import { cutHead } from '../../tools/text/cutText.ts';
import { neutralise } from '../../tools/text/neutralise.ts';
import { stripControls } from '../../tools/text/stripControls.ts';
import { type Words, words } from '../../words.ts';

/** Result of a hook's process. The runner cuts output that is too long. */
export interface HookResult {
  readonly ended: 'exit' | 'timeout' | 'aborted';
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
  /** Its program was not found, so it did not run at all. */
  readonly missing?: boolean;
}

export type HookAnswer =
  /** `text` is for the model; empty when there is none. */
  | { readonly kind: 'pass'; readonly text: string }
  | { readonly kind: 'refuse'; readonly reason: string; readonly text: string }
  /** `missing`: the hook never ran, so nothing has checked the call. */
  | { readonly kind: 'failed'; readonly reason: Words; readonly missing?: boolean };

const REFUSED = 2;

const MOST_BYTES = 8_000;

const MOST_REASON_BYTES = 2_000;

const answerSchema = z.looseObject({
  decision: z.enum(['continue', 'refuse']).optional(),
  reason: z.string().optional(),
  context: z.string().optional(),
});

export function readAnswer(result: HookResult, timeoutSeconds: number): HookAnswer {
  const { ended, exitCode, output, errors, missing } = result;
  if (ended === 'timeout') return failed(words('it did not end within {0} s', timeoutSeconds));
  if (exitCode === null) return failed(words('it was ended by a signal'));
  if (missing) return { kind: 'failed', reason: words('its program was not found'), missing };
  if (exitCode === REFUSED) return { kind: 'refuse', reason: bound(errors || output, MOST_REASON_BYTES), text: '' };
  if (exitCode !== 0) {
    const why = firstLine(errors || output);
    return failed(
      why === ''
        ? words('it ended with exit code {0}', exitCode)
        : words('it ended with exit code {0} and said: {1}', exitCode, why),
    );
  }
  const answer = parseAnswer(output);
  if (answer === 'text') return { kind: 'pass', text: bound(output, MOST_BYTES) };
  if (answer === 'unreadable') return failed(words('its answer in JSON cannot be read'));
  const { decision, reason = '', context = '' } = answer;
  const text = bound(context, MOST_BYTES);
  return decision === 'refuse'
    ? { kind: 'refuse', reason: bound(reason, MOST_REASON_BYTES), text }
    : { kind: 'pass', text };
}

export const failed = (reason: Words): HookAnswer => ({ kind: 'failed', reason });

/** Plain text is passed to the model as it is; an unknown decision must not count as approval. */
function parseAnswer(output: string): z.infer<typeof answerSchema> | 'text' | 'unreadable' {
  const text = output.trim();
  if (text.startsWith('{') && isTextTooDeep(text)) return 'unreadable';
  const value = parseObject(text);
  if (!value || !['decision', 'reason', 'context'].some((key) => Object.hasOwn(value, key))) return 'text';
  const parsed = answerSchema.safeParse(value);
  return parsed.success ? parsed.data : 'unreadable';
}

function bound(text: string, most: number): string {
  const clean = neutralise(stripControls(text)).toWellFormed().trim();
  const kept = cutHead(clean, most);
  return kept.length === clean.length ? clean : `${kept}\n… (cut)`;
}

const firstLine = (text: string) => cutHead(stripControls(text).toWellFormed().trim().split('\n')[0] ?? '', 200);
