/** Which ticks of a restore go together. */

import { expect, test } from 'vitest';
import { tickable } from '../../../src/host/commands/restorePreview.ts';

const conversation = { part: { kind: 'conversation' } } as const;
const summary = { part: { kind: 'summary' } } as const;
const file = { part: { kind: 'file', step: { kind: 'same' } } } as never;
const lost = { part: { kind: 'file', step: { kind: 'lost' } } } as never;
const all = [conversation, summary, file, lost];

test('a file that cannot be restored is never ticked', () => {
  expect(tickable([conversation, file, lost], [conversation], all)).toEqual([conversation, file]);
});

test('a summary brings the conversation along, and leaves with it', () => {
  expect(tickable([file, summary], [file], all)).toEqual([conversation, file, summary]);
  expect(tickable([file, summary], [conversation, summary, file], all)).toEqual([file]);
  expect(tickable([conversation, summary], [conversation], all)).toEqual([conversation, summary]);
});
