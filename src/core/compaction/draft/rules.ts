/**
 * Invariants of every draft, whatever produced it. Two violations are repaired and recorded: the latest user message is
 * restored, and text that poses as the product's own is neutralised. Any other violation rejects the whole draft.
 */

import type { ContextMessage } from '../../../api/index.ts';
import { isObject, isWellFormedDeep, parseJson } from '../../json.ts';
import { type MeterReading, sumTokens } from '../../tokens/meter.ts';
import { neutraliseNotes } from '../../tools/text/neutralise.ts';
import { type Words, words } from '../../words.ts';
import { type Decision, type Draft, UNDECIDED } from './draft.ts';
import type { History } from './history.ts';
import { isPerson } from './messageKinds.ts';

export function mend(draft: Draft): Draft {
  return mendText(restoreLatestUser(draft));
}

/**
 * The first broken rule, as a sentence; null if none is broken. `protectedAt` are the indices of protected messages.
 * Order, identity and unknown ids were checked when the strategy's answer was read.
 */
export function findBrokenRule(draft: Draft, protectedAt: readonly number[]): Words | null {
  return checkProtected(draft, protectedAt) ?? checkBlocks(draft) ?? checkText(draft);
}

/** Some published strategies drop the latest user message at most triggers: it is restored in its place. */
function restoreLatestUser(draft: Draft): Draft {
  const index = draft.history.messages.findLastIndex(isPerson);
  if (!draft.isDropped(index)) return draft;
  return draft.decide([[index, UNDECIDED]]).repaired(words('Your latest message was put back.'));
}

/** A foreign body can neither break UTF-16 nor pose as a stub; changed JSON must stay JSON, so it is left alone. */
function mendText(draft: Draft): Draft {
  const mended: [number, Decision][] = [];
  for (const [index, change] of draft.changes()) {
    if (change.kind !== 'replace' || change.text === undefined) continue;
    if (draft.history.messages[index]?.text.includes(change.text)) continue;
    const text = neutraliseNotes(change.text);
    if (text !== change.text) mended.push([index, { ...change, text }]);
  }
  const safe = draft.rewriteInserts(neutraliseNotes, true);
  const rewritten = safe.inserts.some(({ text }, i) => text !== draft.inserts[i]?.text);
  if (mended.length === 0 && !rewritten) return draft;
  return safe
    .decide(mended)
    .repaired(words('Text that imitated a placeholder or the list of key facts was made harmless.'));
}

function checkProtected(draft: Draft, protectedAt: readonly number[]): Words | null {
  const index = protectedAt.find((each) => draft.at(each).kind !== 'undecided');
  if (index === undefined) return null;
  return words('the protected message {0} was dropped or changed', idAt(draft, index));
}

const idAt = (draft: Draft, index: number): string => draft.history.messages[index]?.id ?? String(index);

/** Blocks are contiguous in a history, so each must be returned whole and without an insert inside. */
function checkBlocks(draft: Draft): Words | null {
  const { messages } = draft.history;
  const inOneBlock = (index: number) => index > 0 && messages[index - 1]?.block === messages[index]?.block;
  const dropped = draft.dropped();
  for (const [i, index] of dropped.entries()) {
    if (inOneBlock(index) && dropped[i - 1] !== index - 1)
      return words('the block of {0} lost its end', idAt(draft, index - 1));
    if (inOneBlock(index + 1) && dropped[i + 1] !== index + 1)
      return words('the block of {0} lost its beginning', idAt(draft, index + 1));
  }
  const inside = draft.inserts.find(({ before }) => inOneBlock(before) && !draft.isDropped(before));
  return inside ? words('a summary was put inside the block of {0}', idAt(draft, inside.before)) : null;
}

function checkText(draft: Draft): Words | null {
  for (const [index, change] of draft.changes()) {
    const message = draft.history.messages[index] as ContextMessage;
    const text = draft.textAt(index);
    if (text !== message.text && !text.isWellFormed())
      return words('the text of {0} is not well-formed Unicode', message.id);
    if (!change.arguments || message.role !== 'assistant') continue;
    for (const [i, json] of change.arguments.entries()) {
      const before = message.toolCalls[i]?.arguments ?? '';
      const broken = json === before ? null : checkArguments(json, before, message.id);
      if (broken) return broken;
    }
  }
  return draft.inserts.every(({ text }) => text.isWellFormed()) ? null : words('a summary is not well-formed Unicode');
}

/** Arguments that were malformed when the model wrote them may stay malformed. */
function checkArguments(json: string, before: string, id: string): Words | null {
  if (!json.isWellFormed()) return words('the arguments of {0} are not well-formed Unicode', id);
  const value = parseJson(json);
  if (value === undefined) return words('the arguments of {0} are no longer JSON', id);
  if (!isObject(value)) return words('the arguments of {0} are no longer a JSON object', id);
  return isWellFormedDeep(value) || !isWellFormedDeep(parseJson(before))
    ? null
    : words('the arguments of {0} hold half of a surrogate pair as an escape', id);
}

/**
 * Indices of messages that no step changes: a result in an open loop of reasoning may go as a last resort, a pin never.
 */
export function fixedMessages({ messages, items, protectedAt }: History): number[] {
  return protectedAt.filter((i) => messages[i]?.role !== 'tool' || items[i]?.pinned);
}

/** Calibrated tokens of the whole request that cannot be removed. */
export function leastTokens(history: History, reading: MeterReading): number {
  const fixed = fixedMessages(history).reduce((sum, i) => sum + (history.messages[i]?.tokens ?? 0), 0);
  return Math.round(reading.tokens - reading.factor * (history.tokens - fixed));
}

/** Describes the messages that cannot be removed. `header` in uncalibrated tokens. */
export function describeFixed(history: History, header: number, reading: MeterReading): Words {
  const { messages, items } = history;
  const fixed = fixedMessages(history);
  const about = (indices: readonly number[]) =>
    Math.round(sumTokens(indices.flatMap((i) => messages[i] ?? [])) * reading.factor);
  const latest = messages.findLastIndex(isPerson);
  const pinned = about(fixed.filter((i) => items[i]?.pinned));
  const loop = about(fixed.filter((i) => !items[i]?.pinned && messages[i]?.role === 'assistant'));
  return [
    ...words(
      'The system prompt and tools take {0} tokens, and your latest message {1}.',
      Math.round(header * reading.factor),
      about(latest < 0 ? [] : [latest]),
    ),
    ...(loop > 0 ? words('Answers whose reasoning is still needed use {0}.', loop) : []),
    ...(pinned > 0 ? words('Pinned messages take {0}.', pinned) : []),
  ];
}
