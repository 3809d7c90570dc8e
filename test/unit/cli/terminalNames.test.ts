/** `palimpsest-lab` prints names of others: none moves the cursor, hides or reorders what a terminal shows, or adds a line. */

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../../../scripts/paths.ts';
import { hasHidden } from '../../../src/core/tools/text/showHidden.ts';

/** What a file or a tool may be called on disk and in a session. */
const HOSTILE = '\u001B[2J\u001B]0;title\u0007\u202Egnp.exe a\rb zero\u200Bwidth \u009B31m';

function run(...args: string[]): Promise<string> {
  const given = [join(ROOT, 'src/cli/main.ts'), ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, given, { cwd: ROOT, maxBuffer: 1 << 26 }, (_, out, errors) => resolve(out + errors));
  });
}

function session(folder: string, name: string, path: string, tool: string): string {
  const file = join(folder, `${name}.jsonl`);
  const call = (id: string, called: string, args: object, result: string) => [
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ id, type: 'function', function: { name: called, arguments: JSON.stringify(args) } }],
    },
    { role: 'tool', tool_call_id: id, content: result },
  ];
  const read = call('r', 'read_file', { path }, `one line of it\n${'filler\n'.repeat(300)}`);
  const messages = [
    { role: 'user', content: `Mend ${path}.` },
    ...read,
    ...call('t', tool, { path }, 'x\n'.repeat(300)),
    ...call('e', 'edit_file', { path, old_string: 'one line of it', new_string: 'x' }, 'done'),
  ];
  writeFileSync(file, messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  writeFileSync(
    join(folder, `${name}.meta.json`),
    JSON.stringify({ compactions: [{ after: 1 + read.length, summary: `Read ${path}.` }] }),
  );
  return file;
}

test('names of sessions, files and tools, and wrong arguments', { tags: ['long'] }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-names-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = session(folder, HOSTILE, `src/${HOSTILE}.ts`, `tool${HOSTILE}`);
  const ways = [
    ['autopsy', file],
    [folder, '--strategies', 'tool-result-hiding', '--window', '4000'],
    [`${file}x`],
    [`--${HOSTILE}`],
  ];
  for (const way of ways) {
    const text = await run(...way);
    expect(text).toContain('⟨U+');
    expect(text.split('\n').filter(hasHidden)).toEqual([]);
  }
});
