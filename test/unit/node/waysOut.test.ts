/** Every kind of refusal, as providers really say it, offers what its own sentence advises, and to try again. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ModelError, ModelErrorKind } from '../../../src/core/errors.ts';
import type { NoteAction } from '../../../src/core/journal/entry.ts';
import { waysOut } from '../../../src/node/session/turnNotes.ts';
import { NOTICE_ACTIONS } from '../../../src/protocol/rows.ts';
import { classify } from '../providers/errors/classify.ts';

interface Known {
  readonly name: string;
  readonly status?: number;
  readonly body: unknown;
  readonly kind: ModelErrorKind;
}
const REFUSALS: readonly Known[] = JSON.parse(
  readFileSync(new URL('../providers/errors/refusals.json', import.meta.url), 'utf8'),
);

/** What a sentence tells the person to do, and the button that does it. */
const ADVICE: readonly (readonly [advice: RegExp, way: NoteAction])[] = [
  [/Check it, and set it again/, 'setKey'],
  [/choose another model|choose a model with a larger window/i, 'chooseModel'],
  [/Check the model’s name and the endpoint’s URL/, 'openSettings'],
  [/Compact the conversation/, 'compact'],
  [/Try again|Send the message again|^Wait /i, 'retry'],
];

/** The sentence without the provider's own words, which advise what they like. */
const ours = ({ message, facts }: ModelError) => message.replace(facts.reported ?? '\u0000', '');

describe.each(REFUSALS.map((known) => [known.name, known] as const))('%s', (_, { status, body }) => {
  test('offers what it advises, once each, and to try again', () => {
    const error = classify(status, body);
    const ways = waysOut(error);
    expect(ways).toContain('retry');
    expect(new Set(ways).size).toBe(ways.length);
    for (const way of ways) expect(NOTICE_ACTIONS).toContain(way);
    for (const [advice, way] of ADVICE) if (advice.test(ours(error))) expect(ways).toContain(way);
  });
});

test('the refusals are of every kind that a provider can give', () => {
  const inStream = classify(undefined, { error: { message: 'Something broke' } });
  expect(waysOut(inStream)).toEqual(['retry']);
  const kinds = new Set([inStream.kind, ...REFUSALS.map(({ status, body }) => classify(status, body).kind)]);
  expect([...kinds].sort()).toEqual(
    ['auth', 'badRequest', 'billing', 'interrupted', 'network', 'notFound', 'overflow', 'rateLimit'].sort(),
  );
});
