/**
 * F13: how soon everything has ended after *Stop*. The request of a turn, in the middle of its answer, against a bare
 * `fetch` that is aborted, both until the server sees the connection close; and a command's processes, those included that
 * ignore the polite signal or have left its group.
 */

import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createChildShell } from '../src/node/shell/childShell.ts';
import { createEndpointClient } from '../src/providers/endpointClient.ts';
import { testAgent } from '../test/support/testAgent.ts';
import { type Line, quantile, ratioLine } from './support/line.ts';
import { inFolder } from './support/session.ts';

export const id = 'F13';

const REPETITIONS = 100;
const COMMANDS = 10;
const MOST_MS = 1_000;
/** One child stays in the group, one leaves the session; both and the shell ignore the polite signal. */
const COMMAND = `trap '' TERM; sleep 300 & echo $! > child; setsid sleep 300 & echo $! > other; echo $$ > shell; echo up; wait`;

export async function run(): Promise<Line[]> {
  return [await measureRequests(), await measureCommands()];
}

async function measureRequests(): Promise<Line> {
  const server = await startEndless();
  const bare: number[] = [];
  const ours: number[] = [];
  for (let i = 0; i < REPETITIONS; i++) {
    bare.push(await server.timeStop(abortFetch));
    ours.push(await server.timeStop(abortTurn));
  }
  await server.close();
  const p95 = (times: readonly number[]) => quantile(times, 0.95);
  const name = `stop until the request is closed, p95 of ${REPETITIONS} (${p95(ours).toFixed(1)} ms), against a bare fetch`;
  return ratioLine(id, name, p95(ours) / p95(bare), 5);
}

type Stoppable = (baseUrl: string) => Promise<{ readonly stop: () => void; readonly ended: Promise<unknown> }>;

const abortFetch: Stoppable = async (baseUrl) => {
  const abort = new AbortController();
  const { body } = await fetch(`${baseUrl}/chat/completions`, { method: 'POST', body: '{}', signal: abort.signal });
  const reader = body?.getReader();
  await reader?.read();
  const ended = reader?.read().catch(() => undefined) ?? Promise.resolve();
  return { stop: () => abort.abort(), ended };
};

const abortTurn: Stoppable = async (baseUrl) => {
  const client = createEndpointClient({ baseUrl, key: async () => undefined });
  const begun = Promise.withResolvers<void>();
  const ignore = () => undefined;
  const { agent } = await testAgent(
    { client, model: 'any', window: 100_000 },
    {
      events: {
        onTurn: ({ type }) => type === 'delta' && begun.resolve(),
        onProgress: ignore,
        onCompaction: ignore,
      },
    },
  );
  const abort = new AbortController();
  const ended = agent.send('Go on for ever.', abort.signal);
  await begun.promise;
  return { stop: () => abort.abort(), ended };
};

/** A server whose answers begin and never end. */
async function startEndless() {
  let open: ServerResponse | null = null;
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'And ' } }] })}\n\n`);
    open = response;
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    async timeStop(begin: Stoppable): Promise<number> {
      const { stop, ended } = await begin(baseUrl);
      if (!open) throw new Error('no request came');
      const closed = once(open, 'close');
      const begun = performance.now();
      stop();
      await closed;
      const time = performance.now() - begun;
      await ended;
      open = null;
      return time;
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

async function measureCommands(): Promise<Line> {
  const times: number[] = [];
  let alive = 0;
  for (let i = 0; i < COMMANDS; i++) {
    await inFolder(async (folder) => {
      const shell = createChildShell({ folder, environment: process.env });
      const abort = new AbortController();
      const up = Promise.withResolvers<void>();
      const options = { timeoutMs: null, onOutput: (text: string) => text.includes('up') && up.resolve() };
      const ended = shell.run(COMMAND, options, abort.signal);
      await up.promise;
      const begun = performance.now();
      abort.abort();
      await ended;
      times.push(performance.now() - begun);
      const ids = ['shell', 'child', 'other'].map((name) => Number(readFileSync(join(folder, name), 'utf8')));
      alive += ids.filter(runs).length;
    });
  }
  const worst = Math.max(...times);
  return {
    id,
    name: `stop until all processes of a command are gone that ignores it, worst of ${COMMANDS}`,
    figure: alive === 0 ? `${Math.round(worst)} ms` : `${alive} left`,
    goal: `≤ ${MOST_MS} ms`,
    ok: alive === 0 && worst <= MOST_MS,
  };
}

/** Neither gone nor waiting to be collected. */
function runs(process: number): boolean {
  const file = `/proc/${process}/stat`;
  return existsSync(file) && !readFileSync(file, 'latin1').includes(') Z ');
}
