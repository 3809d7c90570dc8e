/** A strategy that does not work is named with the reason, and gives no row of figures to what it never did. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { generateFolder } from '../../../scripts/lab/recordedFolder.ts';
import { runLab } from '../../../src/cli/runLab.ts';
import type { LabReport } from '../../../src/lab/makeReport.ts';

const SESSIONS = generateFolder(2, 80);
const FOLDER = mkdtempSync(join(tmpdir(), 'broken-'));
afterAll(() => {
  rmSync(SESSIONS, { recursive: true });
  rmSync(FOLDER, { recursive: true });
});

const moduleOf = (compact: string, needs = '[]') =>
  `let nth = 0;\nexport default { needs: ${needs}, create: () => ({ async compact(context) { nth++; ${compact} } }) };\n`;
const HALF = 'return context.history.slice(context.history.length >> 1);';

const FILES = {
  'throws.mjs': moduleOf("throw new Error('out of luck');"),
  'factory.mjs': "export default { needs: [], create: () => { throw new Error('not today'); } };\n",
  'port.mjs': moduleOf(HALF, "['database']"),
  'invalid.mjs': moduleOf('return [context.history[0], context.history[0]];'),
  'late.mjs': moduleOf('await new Promise(() => undefined);'),
  'exits.mjs': moduleOf('process.exit(3);'),
  'uncaught.mjs': moduleOf(
    "setTimeout(() => { throw new Error('too late to catch'); }); await new Promise(() => undefined);",
  ),
  'interpreter.py': '#!/no/such/interpreter\n',
  'port.sh': '#!/usr/bin/env node\n// palimpsest: {"needs": ["database"]}\n',
  'crashes.sh': '#!/usr/bin/env node\nprocess.exit(7);\n',
  'when.mjs': `export default { needs: [], create: () => ({ shouldCompact() { throw new Error('no clock'); }, async compact(context) { ${HALF} } }) };\n`,
  'sometimes.mjs': moduleOf(`if (nth % 2 === 1) throw new Error('every other time'); ${HALF}`),
} as const;

/** What the program prints, and its report. */
async function run(names: readonly (keyof typeof FILES | 'none')[]): Promise<{ text: string; report: LabReport }> {
  const json = join(FOLDER, 'report.json');
  const paths = names.map((name) => (name === 'none' ? name : join(FOLDER, name)));
  const printed: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  const quiet = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
  try {
    // Only the one that never answers is waited for in vain, so that a slow machine makes no other one late.
    const deadline = names.includes('late.mjs') ? ['--set', 'deadline=1'] : [];
    const asked = ['--strategies', paths.join(','), '--window', '6000', ...deadline, '--json', json];
    await runLab([SESSIONS, ...asked], null, new AbortController().signal);
  } finally {
    write.mockRestore();
    quiet.mockRestore();
  }
  return { text: printed.join(''), report: JSON.parse(readFileSync(json, 'utf8')) as LabReport };
}

describe('a strategy that does not work', { tags: ['B6', 'long'] }, () => {
  beforeAll(() => {
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(FOLDER, name), text);
  });

  it.each([
    ['throws.mjs', 'out of luck'],
    ['factory.mjs', 'not today'],
    ['port.mjs', 'it needs database, which is not a port'],
    ['invalid.mjs', /its result|twice|invalid/],
    ['late.mjs', /1 s/],
    ['exits.mjs', 'it ended the process that ran it, with code 3'],
    ['uncaught.mjs', 'too late to catch'],
    ['interpreter.py', '/no/such/interpreter'],
    ['port.sh', 'it needs database, which is not a port'],
    ['crashes.sh', '7'],
  ] as const)(
    '%s is named with its reason and has no figures, and the others do',
    async (name, reason) => {
      const { text, report } = await run(['none', name]);
      const path = join(FOLDER, name);
      expect(report.strategies.map(({ id }) => id)).toEqual(['none']);
      expect(report.idle.map(({ id }) => id)).toEqual([path]);
      const said = text.split('\n').find((line) => line.includes(path) && line.includes('never compacted'));
      expect(said).toMatch(reason);
    },
    120_000,
  );

  it('when.mjs has figures, and its own rule for when to compact is said to have failed', async () => {
    const { text, report } = await run(['none', 'when.mjs']);
    expect(report.strategies.find(({ id }) => id.endsWith('when.mjs'))?.runs?.own).toBeGreaterThan(0);
    expect(text).toMatch(/when\.mjs \(2\): .*no longer decides when to compact in this session: .*no clock/);
  }, 120_000);

  it('sometimes.mjs has figures, with how many of how many runs were its own, and what became of the rest', async () => {
    const { text, report } = await run(['none', 'sometimes.mjs']);
    const row = report.strategies.find(({ id }) => id.endsWith('sometimes.mjs'));
    const { due = 0, own = 0, others = [] } = row?.runs ?? {};
    expect(own).toBeGreaterThan(0);
    expect(others.reduce((sum, { count }) => sum + count, 0)).toBe(due - own);
    expect(text).toMatch(
      new RegExp(
        `sometimes\\.mjs: ${own} of ${due} runs were its own\\. .* \\(\\d+\\): it threw an error: every other time`,
      ),
    );
  }, 120_000);
});
