/**
 * A coding agent of three tools that embeds the packaged core, as its users write one: `embeddingProgram.ts ENTRY ORDER PROMPT`,
 * run in the workspace. It goes on with the session in the order's folder when there is one.
 */

import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MOST_OUTPUT } from './agents/agent.ts';

const [entry = '', orderFile = '', prompt = ''] = process.argv.slice(2);
// The types are those of the sources; what runs is the package.
const {
  ask,
  createAgent,
  createEndpointClient,
  nodeSystem,
  openStorage,
  z,
}: typeof import('../../src/embedding/index.ts') = await import(pathToFileURL(entry).href);
type Tool<Input> = import('../../src/core/tools/tool.ts').Tool<Input>;

const order: {
  readonly url: string;
  readonly model: string;
  readonly window: number;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly folder: string;
} = JSON.parse(readFileSync(orderFile, 'utf8'));

const readTool: Tool<{ path: string }> = {
  name: 'read_file',
  toolClass: 'read',
  description: 'Reads a whole file.',
  input: z.object({ path: z.string() }),
  prepare: async ({ path }) => ({
    title: path,
    approval: null,
    changes: [],
    run: async () => ({ text: await readFile(path, 'utf8') }),
  }),
};

const editTool: Tool<{ path: string; old_text: string; new_text: string }> = {
  name: 'edit_file',
  toolClass: 'write',
  description: 'Replaces one passage of a file.',
  input: z.object({ path: z.string(), old_text: z.string(), new_text: z.string() }),
  async prepare({ path, old_text, new_text }) {
    const before = await readFile(path, 'utf8');
    const after = before.replace(old_text, () => new_text);
    return {
      title: path,
      approval: { title: path, mayRemember: false, detail: { kind: 'edit', path, before, after } },
      changes: [],
      async run() {
        await writeFile(path, after);
        return { text: `Replaced one passage in ${path}.` };
      },
    };
  },
};

const runTool: Tool<{ command: string }> = {
  name: 'run_command',
  toolClass: 'run',
  description: 'Runs a shell command.',
  input: z.object({ command: z.string() }),
  keeps: 'tail',
  prepare: async ({ command }) => ({
    title: command,
    approval: { title: command, mayRemember: false, detail: { kind: 'command', command, cwd: process.cwd() } },
    changes: [],
    async run() {
      const { code, output } = await runCommand(command);
      return { text: `${output}\nexit code ${code}`, isError: code !== 0 };
    },
  }),
};

function runCommand(command: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (piece: string) => {
        output += piece;
      });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

const idFile = join(order.folder, 'id.txt');
await mkdir(order.folder, { recursive: true });
const { id, close, ...session } = await openStorage(
  order.folder,
  existsSync(idFile) ? readFileSync(idFile, 'utf8') : undefined,
);
writeFileSync(idFile, id);
const agent = await createAgent({
  model: {
    client: createEndpointClient({ baseUrl: order.url, key: async () => undefined }),
    model: order.model,
    window: order.window,
    maxOutputTokens: MOST_OUTPUT,
  },
  tools: [readTool, editTool, runTool],
  system: nodeSystem(),
  systemPrompt: 'You are a coding agent. Work in the folder with the tools.',
  approver: { ask: async () => ({ kind: 'allow', remember: 'no' }) },
  compaction: { settings: order.settings },
  ...session,
});
const { text, outcome, reason } = await ask(agent, prompt);
console.log(outcome.kind === 'done' ? text : `${outcome.kind}: ${reason}`);
if (outcome.kind !== 'done') process.exitCode = 1;
agent.dispose();
await close();
