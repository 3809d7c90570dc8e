/**
 * Demands of the guide that the product does not enforce, because a breach does no harm to the conversation: a result
 * that was cut twice, fields that nobody reads, a summary of an error, text of another session.
 */

import type { ContextMessage } from '../../../api/index.ts';
import { isObject } from '../../json.ts';
import type { Words } from '../../words.ts';
import { rule } from './rule.ts';
import { type Called, shown } from './watch.ts';

/** A shorter message of an error may well stand in a summary by chance. */
const SHORTEST_ERROR = 12;

/** Of one call whose result the product accepts. `session`: the number of its session. */
export function* breachesIn(history: readonly ContextMessage[], call: Called, session: number): Generator<Words> {
  yield* call.misuse;
  const { returned } = call;
  const whole = isObject(returned) && !Array.isArray(returned) ? returned : null;
  for (const name of whole ? Object.keys(whole) : [])
    if (name !== 'messages' && name !== 'details')
      yield rule(
        'its result has the field {0}, which nobody reads: it may have messages and details',
        name.slice(0, 40),
      );
  const list = Array.isArray(returned) ? returned : Array.isArray(whole?.messages) ? whole.messages : [];
  const byId = new Map(history.map((message) => [message.id, message]));
  const texts: string[] = [];
  for (const [i, value] of list.entries()) {
    if (!isObject(value)) continue;
    const given = byId.get(value.id as string);
    if ((given as unknown) === value) continue;
    if (given) {
      if (
        given.role === 'tool' &&
        given.truncated &&
        !given.hidden &&
        value.hidden !== true &&
        value.text !== given.text
      )
        yield rule(
          'the result {0} was cut when its tool returned, and was cut again: hide it, or leave it as it is',
          given.id,
        );
      texts.push(String(value.text), ...argumentsOf(value.toolCalls));
      continue;
    }
    texts.push(String(value.text));
    yield* breachesOfSummary(value, i);
    const error = call.modelErrors.find((each) => each.length >= SHORTEST_ERROR && String(value.text).includes(each));
    if (error !== undefined)
      yield rule(
        'entry {0} is a summary with the message of an error, {1}: let the error through, or go on without a summary',
        i,
        shown(error),
      );
  }
  const written = [
    ...texts.map((text) => ({ what: 'its result', text })),
    ...(whole?.details === undefined ? [] : [{ what: 'its details', text: JSON.stringify(whole.details) }]),
    ...call.texts,
  ];
  for (const { what, text } of written) {
    const foreign = findForeign(text, session);
    if (foreign !== null)
      yield rule(
        'there is text of another session in {0}, {1}: keep what it remembers in details, or in variables inside of create',
        what,
        foreign,
      );
  }
}

const SUMMARY_FIELDS: ReadonlySet<string> = new Set(['role', 'kind', 'text', 'cut', 'reasons', 'id']);

function* breachesOfSummary(summary: Readonly<Record<string, unknown>>, at: number): Generator<Words> {
  const { cut, reasons } = summary;
  for (const name of Object.keys(summary))
    if (!SUMMARY_FIELDS.has(name))
      yield rule('the summary of entry {0} has the field {1}, which nobody reads', at, `${name.slice(0, 40)}`);
  if (cut !== undefined && cut !== true && !(Number.isSafeInteger(cut) && Number(cut) >= 0))
    yield rule(
      'the summary of entry {0} has the cut {1}: it must be a whole number of characters, 0 or more, or true',
      at,
      shown(cut),
    );
  if (reasons === undefined) return;
  if (!Array.isArray(reasons)) yield rule('the summary of entry {0} has reasons that are no list', at);
  else if (!reasons.every((each) => each === null || (isObject(each) && typeof each.why === 'string')))
    yield rule('the summary of entry {0} has reasons of which one is neither null nor an object with a why', at);
}

const argumentsOf = (calls: unknown): string[] =>
  Array.isArray(calls) ? calls.flatMap((call) => (isObject(call) ? [String(call.arguments)] : [])) : [];

/**
 * A mark that stands in every text of a generated session, so that its text is known wherever it turns up. Of one
 * length: half of a mark is none.
 */
const MARK = /kit#(\d{5})/g;

export const markOf = (session: number): string => `kit#${String(session).padStart(5, '0')}`;

/** The first mark of another session, or null. */
function findForeign(text: string, session: number): string | null {
  const own = markOf(session);
  for (const [mark] of text.matchAll(MARK)) if (mark !== own) return mark;
  return null;
}
