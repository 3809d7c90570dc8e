/**
 * One line of 40 MB from a real process or file, for every reader of lines. What is counted is the characters that are
 * looked at: in proportion to the line, and not to its square.
 */

import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { afterEach, expect, test } from 'vitest';
import { readMcpResult } from '../../../../src/core/mcp/mcpResult.ts';
import { runRipgrep } from '../../../../src/node/files/runRipgrep.ts';
import { BackgroundShell } from '../../../../src/node/shell/backgroundShell.ts';
import { createChildShell } from '../../../../src/node/shell/childShell.ts';
import { importFile } from '../../../../src/node/storage/sessions/importFile.ts';
import { compileStrategyFile, loadStrategyFile } from '../../../../src/node/strategyFiles/loadStrategyFile.ts';
import { readStrategyFile } from '../../../../src/node/strategyFiles/readStrategyFile.ts';
import { countScanned } from '../../../support/countScanned.ts';
import { hostile, startServers } from '../../../support/mcp/startServers.ts';

const LINE = 40_000_000;
/** Each reader may look at its line so many times. */
const TIMES = 25;
const signal = new AbortController().signal;

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});
function write(name: string, text: string): { readonly folder: string; readonly path: string } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pal-lines-')));
  made.push(folder);
  const path = join(folder, name);
  writeFileSync(path, text);
  return { folder, path };
}

/** Writes `text` to its standard output until it has written one line, in pieces of 4 KB. */
const writes = (text: string) =>
  `const piece = ${JSON.stringify(text)}.repeat(4096);
   const put = (nth) => nth === 0 ? process.stdout.end('\\n') : process.stdout.write(piece, () => put(nth - 1));
   put(Math.ceil(${LINE} / piece.length));`;

test('a strategy that is a program', async () => {
  const { path } = write('mine.tool', `#!${process.execPath}\nprocess.stdin.once('data', () => { ${writes('x')} });`);
  const file = await readStrategyFile(path, []);
  const factory = await loadStrategyFile(file, await compileStrategyFile(file));
  const strategy = factory.create({ log: () => undefined, settings: () => ({}) } as never);
  const context = { history: [], signal, report: () => undefined } as never;
  const { characters, result } = await countScanned(() =>
    Promise.resolve(strategy.compact(context)).catch((thrown: unknown) => String(thrown)),
  );
  expect(result).toContain('it wrote more than 32 MB');
  expect(characters).toBeLessThan(TIMES * LINE);
});

test('a file that ripgrep finds', async () => {
  const { folder } = write('long.txt', `${'x'.repeat(LINE)} needle\n`);
  const start = { root: folder, target: folder, prefix: '', encoding: null };
  const run = { options: ['--json', '--regexp=needle'], separator: '\n' } as const;
  const { characters, result } = await countScanned(async () => {
    const lengths: number[] = [];
    for await (const line of runRipgrep(rgPath, start, run, signal, { unread: false })) lengths.push(line.length);
    return Math.max(...lengths);
  });
  expect(result).toBeGreaterThan(LINE);
  expect(characters).toBeLessThan(TIMES * LINE);
});

test('a line with more places than can be held is left out of a search, and that is noted', async () => {
  const { folder } = write('long.txt', `${'x'.repeat(3_000_000)}\nx\n`);
  const start = { root: folder, target: folder, prefix: '', encoding: null };
  const seen: { unread: boolean; tooLong?: boolean } = { unread: false };
  const found: string[] = [];
  const run = { options: ['--json', '--regexp=x'], separator: '\n' } as const;
  for await (const line of runRipgrep(rgPath, start, run, signal, seen)) found.push(line);
  expect(seen).toEqual({ unread: false, tooLong: true });
  expect(found.filter((line) => line.startsWith('{"type":"match"'))).toHaveLength(1);
});

test.each([
  ['letters', 'x'],
  ['returns to the beginning of the line', '\r'],
  ['beginnings of control sequences', '\u001B['],
])('a command in the background that writes %s', async (_, text) => {
  const { path, folder } = write('writes.cjs', writes(text));
  const shell = createChildShell({
    folder,
    environment: process.env,
    limits: { keep: 1_000_000, live: Number.POSITIVE_INFINITY },
  });
  const background = new BackgroundShell({
    shell: () => shell,
    crypto: { randomHex: () => 'abc' } as never,
    timers: { after: () => () => undefined },
  });
  const { characters } = await countScanned(async () => {
    const commands = background.of('me');
    const started = commands.start(`"${process.execPath}" "${path}"`, signal);
    await expect.poll(() => background.list()[0]?.ended, { timeout: 120_000 }).toMatchObject({ exitCode: 0 });
    await started;
  });
  expect(background.outputOf('bg-abc').length).toBeGreaterThan(0);
  expect(characters).toBeLessThan(TIMES * LINE);
});

test('an MCP server that writes beside its messages', async () => {
  const servers = startServers({ s: hostile('writesLongLine') });
  try {
    const { characters, result } = await countScanned(() => servers.call('look'));
    expect(readMcpResult(result).text).toBe('after a long line');
    expect(characters).toBeLessThan(TIMES * LINE);
  } finally {
    await servers.stop();
  }
});

test('a file that is imported', async () => {
  const { path } = write('long.jsonl', `${JSON.stringify({ role: 'user', content: 'x'.repeat(LINE) })}\n`);
  const report = { badLines: [], notes: [] };
  const limits = { streamed: 2 * LINE, whole: 2 * LINE, line: LINE / 2 };
  const { characters } = await countScanned(() =>
    importFile({ store: {} as never, path, report: report as never, signal, limits }),
  );
  expect(report.badLines).toEqual([{ line: 1, reason: `longer than ${LINE / 2} characters` }]);
  expect(characters).toBeLessThan(TIMES * LINE);
});
