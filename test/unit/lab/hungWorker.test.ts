/** A strategy that blocks its worker, or ends it, is named, and the session goes on without it. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { inEnglish } from '../../../src/core/words.ts';
import type { BrokenReplay } from '../../../src/lab/replay.ts';
import { type Begun, BegunReplays, type ReplayOrder } from '../../../src/node/lab/begun.ts';
import { runPool } from '../../../src/node/lab/runPool.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'hung-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

/** Goes through three strategies, of which the second does what `act` says. */
const workerOf = (name: string, act: string): URL => {
  const path = join(FOLDER, `${name}.mjs`);
  writeFileSync(
    path,
    `import { parentPort } from 'node:worker_threads';
    parentPort.on('message', async ({ name: session, done = [] }) => {
      for (const strategy of ['first', 'second', 'third'].filter((each) => !done.includes(each))) {
        parentPort.postMessage({ type: 'begun', session, strategy });
        await new Promise((resolve) => setTimeout(resolve, 20));
        if (strategy === 'second') { ${act} }
        parentPort.postMessage({ type: 'score', session, strategy });
      }
      parentPort.postMessage({ type: 'done' });
    });\n`,
  );
  return pathToFileURL(path);
};

type Message = Begun | { readonly type: 'score'; readonly session: string; readonly strategy: string };

it.each([
  ['hangs', 'for (;;);', 'nothing was heard of it for 5 s'],
  ['exits', 'process.exit(5);', 'it ended the process that ran it, with code 5'],
  [
    'throws',
    "setTimeout(() => { throw new Error('nobody listens'); }); await new Promise(() => undefined);",
    'nobody listens',
  ],
])(
  'one that %s',
  async (name, act, reason) => {
    const broken: BrokenReplay[] = [];
    const scores: string[] = [];
    const begun = new BegunReplays((one) => void broken.push(one));
    const sources: ({ readonly name: string; readonly size: number } & ReplayOrder)[] = [
      { name: 'a', size: 2 },
      { name: 'b', size: 1 },
    ];
    await runPool<(typeof sources)[number], Message>(workerOf(name, act), null, sources, {
      signal: new AbortController().signal,
      most: 1,
      // Only the one that hangs is waited for.
      hungMs: name === 'hangs' ? 5_000 : 60_000,
      onEnded: (source, why) => begun.end(source, source.name, inEnglish(why)),
      onMessage: (message) => {
        if (message.type === 'begun') begun.begin(message);
        else scores.push(`${message.session} ${message.strategy}`);
      },
    });
    expect(scores).toEqual(['a first', 'a third', 'b first', 'b third']);
    expect(broken).toEqual(['a', 'b'].map((session) => ({ session, strategy: 'second', reason })));
  },
  60_000,
);
