/** Messages between sessions: left in a folder, given once at the next turn, seen by the person. */

import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { leaveMessage, openMailbox, redactMail } from '../../../src/node/storage/sessions/mailbox.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { ScriptedModel } from '../../support/ports/scriptedModel.ts';
import { testClock } from '../../support/ports/testClock.ts';
import { testAgent } from '../../support/testAgent.ts';

const folder = mkdtempSync(join(tmpdir(), 'mail-'));
afterAll(() => rmSync(folder, { recursive: true }));
const ports = { clock: testClock(), crypto: testCrypto() };
const leave = (text: string) => leaveMessage(folder, { from: 's1', title: 'Elsewhere', text }, ports);

test('what was left is a reminder at the next turn, once, and the person sees it', { tags: ['M11'] }, async () => {
  const model = new ScriptedModel(['one', 'two']);
  const { agent } = await testAgent(model.choice(), { mailbox: openMailbox(folder) });
  await leave('The parser is slow.');
  await agent.send('go', new AbortController().signal);
  const told = JSON.stringify(model.requests[0]?.messages);
  expect(told).toContain('The parser is slow.');
  expect(told.indexOf('The parser is slow.')).toBeLessThan(told.indexOf('"go"'));
  expect(agent.journal.context.conversation[0]?.kind).toBe('reminder');
  await agent.send('go on', new AbortController().signal);
  expect(JSON.stringify(model.requests[1]?.messages).match(/The parser is slow\./g)).toHaveLength(1);
  const notes = agent.journal.entries.flatMap((entry) =>
    entry.type === 'note' ? [`${entry.text} ${entry.detail}`] : [],
  );
  expect(notes).toEqual(['The model was given a message from the session “Elsewhere”. The parser is slow.']);
});

test('what is damaged costs no turn, too many are refused, and redaction removes what waits', {
  tags: ['M11'],
}, async () => {
  await writeFile(join(folder, 'mail', '0.json'), 'not JSON');
  for (let i = 0; i < 19; i++) await leave(`secret ${i}`);
  expect(await openMailbox(folder).waiting(new AbortController().signal)).toHaveLength(19);
  await expect(leave('one more')).rejects.toThrow('20 messages are already waiting');
  await redactMail(folder, (bytes) => bytes.includes('secret'));
  expect(await readdir(join(folder, 'mail'))).toEqual(['0.json']);
});
