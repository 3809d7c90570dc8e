/** `palimpsest-lab autopsy --scrub`: no secret of a session is in what it prints and writes. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { printAutopsy } from '../../../src/cli/autopsy.ts';
import { VENDORS, WRITTEN } from '../../support/secrets/corpus.ts';

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-autopsy-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Of one line, so that a page shows it whole. */
const SECRETS = [...VENDORS, ...WRITTEN].filter(([, text]) => !text.includes('\n') && text.length < 150);

/** Each line with a secret was read, left with a compaction, and was needed for a change afterwards. */
function writeSession(): string {
  const call = (id: string, name: string, args: object, result: string) => [
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
    },
    { role: 'tool', tool_call_id: id, content: result },
  ];
  const path = (nth: number) => `src/part${nth}.txt`;
  const read = SECRETS.flatMap(([, text], nth) =>
    call(`r${nth}`, 'read_file', { path: path(nth) }, `first\n${text}\nlast\n${'filler\n'.repeat(40)}`),
  );
  const edits = SECRETS.flatMap(([, text], nth) =>
    call(`e${nth}`, 'edit_file', { path: path(nth), old_string: text, new_string: 'x' }, 'done'),
  );
  const messages = [{ role: 'user', content: 'Mend them.' }, ...read, ...edits];
  const file = join(folder, 'one.jsonl');
  writeFileSync(file, messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  const compactions = [{ after: 1 + read.length, summary: 'They read many parts.' }];
  writeFileSync(join(folder, 'one.meta.json'), JSON.stringify({ compactions }));
  return file;
}

async function autopsy(...options: string[]): Promise<string> {
  const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const html = join(folder, 'page.html');
  await printAutopsy(
    [writeSession(), '--strategies', 'layered', '--html', html, ...options],
    new AbortController().signal,
  );
  const text = printed.mock.calls.map(([each]) => String(each)).join('');
  printed.mockRestore();
  return text + readFileSync(html, 'utf8');
}

test('without --scrub they are there, and with it none is', async () => {
  const found = (text: string) => SECRETS.filter(([, , secret]) => text.includes(secret)).map(([name]) => name);
  expect(found(await autopsy()).length).toBeGreaterThan(20);
  expect(found(await autopsy('--scrub'))).toEqual([]);
});
