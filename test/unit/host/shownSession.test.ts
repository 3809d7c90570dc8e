/** A message for which no session can be made comes back, and the next one finds a session. */

import { expect, test } from 'vitest';
import { type SessionChange, ShownSession } from '../../../src/host/session/shownSession.ts';

function startSession(open: () => Promise<never>) {
  const told: SessionChange[] = [];
  const remember = () => {
    throw new Error('not asked for here');
  };
  const session = new ShownSession({ open, remember });
  session.onDidChange((change) => told.push(change));
  return { session, told };
}

test('a text that finds no session goes back to the composer, and each message tries again', async () => {
  let opened = 0;
  const { session, told } = startSession(() => Promise.reject(new Error(`The disk is full (${++opened})`)));
  await expect(session.send('first')).rejects.toThrow('The disk is full (1)');
  await expect(session.send('second')).rejects.toThrow('The disk is full (2)');
  expect(told).toEqual([
    { kind: 'compose', text: 'first' },
    { kind: 'compose', text: 'second' },
  ]);
});
