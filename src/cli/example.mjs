/** Makes a small session with a compaction in it, compares two strategies on it, and examines what was lost. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const line = 'export function computeTotal(orders) {';
const file = `import { addUp } from './sums.js';\n${line}\n  return orders.reduce(addUp, 0);\n}\n${'// filler\n'.repeat(40)}`;
const messages = [{ role: 'user', content: 'Mend the totals.' }];
const call = (id, name, args, result) =>
  messages.push(
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
    },
    { role: 'tool', tool_call_id: id, content: result },
  );
for (let i = 0; i < 30; i++)
  call(`r${i}`, 'read_file', { path: `src/part${i}.js` }, file.replace('computeTotal', `computePart${i}`));
const after = messages.length;
for (let i = 0; i < 5; i++) {
  call(`a${i}`, 'read_file', { path: `src/part${i}.js` }, file.replace('computeTotal', `computePart${i}`));
  call(
    `e${i}`,
    'edit_file',
    { path: `src/part${i}.js`, old_string: line.replace('computeTotal', `computePart${i}`), new_string: '' },
    'done',
  );
}

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-lab-example-'));
writeFileSync(join(folder, 'one.jsonl'), messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
writeFileSync(
  join(folder, 'one.meta.json'),
  JSON.stringify({ compactions: [{ after, summary: 'They read many parts.' }] }),
);
const program = join(dirname(fileURLToPath(import.meta.url)), 'main.js');
const run = (...given) =>
  process.stdout.write(execFileSync(process.execPath, [program, ...given], { stdio: ['ignore', 'pipe', 'ignore'] }));
run(folder, '--strategies', 'layered,tool-result-hiding', '--window', '4000');
run('autopsy', join(folder, 'one.jsonl'), '--scrub');
rmSync(folder, { recursive: true });
