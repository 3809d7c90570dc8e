/** Runs the files of the list from `from=` on under Windows' Node and prints each outcome, and with `proofs` whether the reasons are true, as a line of JSON. */

import { writeSync } from 'node:fs';
// @ts-expect-error Made by the bundler: the files, each loaded when its turn comes.
import { files } from 'test-files';
import { findNotShown } from './notShown.ts';
import { proveReasons } from './proofs.ts';
import { runFile } from './runner.ts';

/** Only something wrong takes as long. */
const LONGEST_MS = 2 * 60_000;

// A test's unhandled rejection must not end the others.
process.on('unhandledRejection', () => undefined);
process.on('uncaughtException', () => undefined);

if (process.argv.includes('proofs'))
  writeSync(1, `${JSON.stringify({ proofs: await proveReasons().catch(String) })}\n`);
const from = Number(process.argv.find((word) => word.startsWith('from='))?.slice(5) ?? 0);
for (const [file, load] of (files as readonly (readonly [string, () => Promise<unknown>])[]).slice(from)) {
  const started = performance.now();
  const outcomes = await runFile(load, {
    longestMs: LONGEST_MS,
    isIdle: (name) => findNotShown(file, name)?.idle ?? false,
    // Heard by whoever waits for the end of the file.
    onDidRun: () => writeSync(1, '.\n'),
  });
  const ms = Math.round(performance.now() - started);
  writeSync(1, `${JSON.stringify({ file, ms, outcomes })}\n`);
}
process.exit(0);
