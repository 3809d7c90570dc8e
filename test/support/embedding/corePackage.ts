/** `palimpsest-core` bundled for plain Node, and processes that use it as their users do. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import {
  type ClientConnection,
  client,
  methods,
  ndJsonStream,
  type PromptRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { build } from 'esbuild';
import { ROOT } from '../../../scripts/paths.ts';

const SOURCE = join(ROOT, 'src/embedding');

/** A program that says what it is told to on its standard input, in a session of its own, and how that ended. */
const WRITER = `
import { createInterface } from 'node:readline';
import { ask, createAgent, createEndpointClient, nodeSystem, openStorage } from 'palimpsest-core';
const [folder, baseUrl, id, takeOver] = process.argv.slice(2);
const say = (value) => console.log(JSON.stringify(value));
try {
  const storage = await openStorage(folder, id || undefined, { takeOver: takeOver === 'takeOver' });
  const client = createEndpointClient({ baseUrl, key: async () => undefined });
  const agent = await createAgent({ model: { client, model: 'any', window: 32_000 }, tools: [], system: nodeSystem(), ...storage });
  say({ id: storage.id });
  for await (const line of createInterface(process.stdin)) {
    const { text, outcome, reason } = await ask(agent, line);
    say({ kind: outcome.kind, text, reason });
  }
  agent.dispose();
  await storage.close();
} catch ({ kind, message }) {
  say({ refused: kind, message });
}
`;

export interface CorePackage {
  /** Begins a session in the folder, or opens the one with that id. */
  readonly write: (id?: string, takeOver?: 'takeOver') => Writer;
  /** An editor and the agent that it starts. */
  readonly edit: () => Promise<Editor>;
}

export interface Writer {
  readonly pid: number;
  /** What it says next. */
  readonly heard: () => Promise<Record<string, string>>;
  readonly ask: (text: string) => Promise<Record<string, string>>;
  /** Its standard input ends, so it closes its session. */
  readonly close: () => Promise<void>;
  readonly kill: () => Promise<void>;
}

export interface Editor {
  readonly pid: number;
  readonly updates: readonly SessionUpdate[];
  readonly begin: () => Promise<string>;
  readonly load: (sessionId: string) => Promise<unknown>;
  readonly prompt: (sessionId: string, text: string) => Promise<string>;
  readonly close: () => Promise<void>;
  readonly kill: () => Promise<void>;
}

/** Bundles it into `scratch`. `sessions`: their folder; `baseUrl`: of the model; `onStart` is given each process. */
export async function bundleCore(
  scratch: string,
  sessions: string,
  baseUrl: string,
  onStart: (child: ChildProcess) => void,
): Promise<CorePackage> {
  const folder = join(scratch, 'palimpsest-core');
  mkdirSync(folder);
  await build({
    entryPoints: { index: join(SOURCE, 'index.ts'), acp: join(SOURCE, 'acp.ts') },
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    banner: {
      js: `import { createRequire as forRequire } from 'node:module'; const require = forRequire(import.meta.url);`,
    },
    alias: {
      'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
      yaml: join(ROOT, 'node_modules/yaml/browser/index.js'),
    },
    logLevel: 'error',
  });
  // A file of a package may name the package.
  for (const name of ['package.json', 'editor.mjs']) copyFileSync(join(SOURCE, name), join(folder, name));
  writeFileSync(join(folder, 'writer.mjs'), WRITER);
  const start = (...given: readonly string[]) => {
    const env = { ...process.env, NODE_OPTIONS: '', MODEL_URL: baseUrl, SESSIONS: sessions };
    const child = spawn(process.execPath, given, { cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit'] });
    onStart(child);
    const end = (how: () => void) => async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      how();
      await once(child, 'close');
    };
    return {
      child,
      pid: child.pid ?? 0,
      close: end(() => child.stdin.end()),
      kill: end(() => child.kill('SIGKILL')),
    };
  };
  return {
    write: (id = '', takeOver) => {
      const { child, ...process } = start('writer.mjs', sessions, baseUrl, id, takeOver ?? '');
      const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
      const heard = async () => JSON.parse((await lines.next()).value ?? 'null');
      const ask = (text: string) => {
        child.stdin.write(`${text}\n`);
        return heard();
      };
      return { ...process, heard, ask };
    },
    edit: async () => {
      const { child, ...process } = start('editor.mjs');
      const updates: SessionUpdate[] = [];
      const output = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
      const connection: ClientConnection = client({ name: 'editor' })
        .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
        .connect(ndJsonStream(Writable.toWeb(child.stdin), output));
      const { agent } = connection;
      await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
      return {
        ...process,
        updates,
        begin: async () =>
          (await agent.request(methods.agent.session.new, { cwd: sessions, mcpServers: [] })).sessionId,
        load: (sessionId) => agent.request(methods.agent.session.load, { sessionId, cwd: sessions, mcpServers: [] }),
        prompt: async (sessionId, text) => {
          const asking: PromptRequest = { sessionId, prompt: [{ type: 'text', text }] };
          return (await agent.request(methods.agent.session.prompt, asking)).stopReason;
        },
      };
    },
  };
}
