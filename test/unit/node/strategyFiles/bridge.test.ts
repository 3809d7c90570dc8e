/** Strategies that are programs: real processes, from the file on disk to a compaction. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { checkStrategy } from '../../../../src/core/compaction/conformance/kit.ts';
import { StrategyRegistry } from '../../../../src/core/compaction/hosting/registry.ts';
import { compileStrategyFile, loadStrategyFile } from '../../../../src/node/strategyFiles/loadStrategyFile.ts';
import { readStrategyFile } from '../../../../src/node/strategyFiles/readStrategyFile.ts';
import { createEndpointClient } from '../../../../src/providers/endpointClient.ts';
import { calls, compactionHarness, type HarnessOptions, says, user } from '../../../support/compactionHarness.ts';
import { choiceChunk, sse } from '../../../support/modelServer/modelServerReply.ts';

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const EXAMPLE = new URL('../../../../docs/strategy-template/recent-results.py', import.meta.url);
const read = ['read_file', 'text '.repeat(2_000)] as const;
const history = [user('first'), calls([...read]), calls([...read]), calls([...read]), says('read'), user('second')];

function write(text: string, name = 'mine.tool'): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pal-bridge-')));
  made.push(folder);
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** A program in the Node that runs this test. */
const node = (body: string, header = '') => `#!${process.execPath}\n${header}\n${body}`;
const ANSWERS = `
process.stdin.once('data', (bytes) => {
  const say = (line) => process.stdout.write(JSON.stringify(line) + '\\n');
  const context = JSON.parse(bytes);
`;

async function load(path: string) {
  const file = await readStrategyFile(path, []);
  return loadStrategyFile(file, await compileStrategyFile(file));
}

async function open(
  path: string,
  settings: Record<string, unknown> = {},
  summaries: readonly string[] = [],
  more: Pick<HarnessOptions, 'summaryModel'> = {},
) {
  const registry = new StrategyRegistry();
  const factory = await load(path);
  registry.register({ id: 'file/mine', label: 'mine', description: '', publisher: 'you', file: path, factory });
  const chosen = { strategy: 'contributed', contributedStrategy: 'file/mine', ...settings };
  return compactionHarness({
    history,
    registry,
    settings: chosen,
    summaries: summaries.map((text) => ({ text })),
    ...more,
  });
}

type Harness = Awaited<ReturnType<typeof open>>;

/** `meanwhile` runs beside the strategy. */
async function preview(
  h: Harness,
  meanwhile: () => Promise<void> = async () => undefined,
  stop = new AbortController(),
) {
  const [outcome] = await Promise.all([
    h.compactor.consent.preview({ strategy: 'file/mine' }, stop.signal),
    meanwhile(),
  ]);
  return { h, outcome, said: 'reason' in outcome ? String(outcome.reason) : '' };
}

const run = async (...given: Parameters<typeof open>) => preview(await open(...given));

/** The module that the guide for agents shows first. */
const taught = /```js\n([\s\S]*?)```/.exec(
  readFileSync(new URL('../../../../docs/strategy-template/SKILL.md', import.meta.url), 'utf8'),
);

const hasPython = () => {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

describe('the strategy that the skill file teaches', { tags: ['K9'] }, () => {
  it('loads, and passes the check', async () => {
    const factory = await load(write(taught?.[1] ?? '', 'my-strategy.js'));
    const { broken, compactions } = await checkStrategy(factory, { cases: 20, settings: { keep: 1 } });
    expect(broken).toEqual([]);
    expect(compactions).toBeGreaterThan(0);
  });
});

describe('a strategy that is a program', { tags: ['K11'] }, () => {
  it.runIf(hasPython())('compacts: the example in Python, with the setting that it declares', async () => {
    const path = write(readFileSync(EXAMPLE, 'utf8'), 'mine.py');
    const hidden = async (settings: object) => {
      const { outcome } = await run(path, { ...settings });
      return outcome.kind === 'preview' ? outcome.items.filter(({ fate }) => fate === 'hidden').length : outcome;
    };
    expect(await hidden({ fileSettings: { 'mine.keep': 1 } })).toBe(2);
    expect(await hidden({ fileSettings: { 'mine.keep': 0 } })).toBe(3);
    expect(await hidden({})).toMatchObject({ kind: 'none' });
  });

  it('asks the model, reports and keeps details', async () => {
    const path = write(
      node(
        `${ANSWERS}
  say({ type: 'report', text: 'asking', fraction: 0.5 });
  say({ type: 'log', text: 'hello' });
  say({ type: 'ask', id: 1, prompt: 'What was done?' });
  process.stdin.once('data', (answer) => {
    const { text } = JSON.parse(answer);
    const last = context.history.at(-1).id;
    say({ type: 'result', messages: [{ summary: text }, last], details: { seen: context.history.length } });
  });
});`,
        '// palimpsest: {"needs": ["llm"]}',
      ),
    );
    const { h, outcome } = await run(path, {}, ['It read files.']);
    expect(outcome).toMatchObject({ kind: 'preview' });
    expect(JSON.stringify(outcome)).toContain('It read files.');
    expect(h.progress).toContain('asking');
    expect(h.logs).toContain('info file/mine: hello');
  });

  it.each<[string, string, string]>([
    ['ends at once', 'process.exit(3);', 'it ended (3) before it wrote a result'],
    ['throws', 'throw new Error("my own fault");', 'before it wrote a result'],
    ['writes garbage', 'console.log("hello, world"); setInterval(() => 0, 1e6);', 'no JSON: hello, world'],
    ['writes something else', 'console.log("{}"); setInterval(() => 0, 1e6);', 'no result, report, log or ask: {}'],
    [
      'never stops writing',
      'const f = "x".repeat(1e6); for (;;) require("fs").writeSync(1, f);',
      'it wrote more than 32 MB',
    ],
    [
      'writes lines for ever',
      'for (;;) require("fs").writeSync(1, \'{"type":"log","text":""}\\n\'.repeat(500));',
      'it wrote more than 10,000 lines',
    ],
    ['makes up a message', `${ANSWERS} say({ type: 'result', messages: ['nobody'] }); });`, 'its result names nobody'],
  ])('that %s is named, and leaves the context as it was', async (_, body, reason) => {
    const { said, h } = await run(write(node(body)));
    expect(said).toContain(reason);
    expect(h.journal.entries.some(({ type }) => type === 'compaction')).toBe(false);
  });

  it('that asks thousands of questions at once: few are sent, and it reads that the others are not', async () => {
    const waiting: ServerResponse[] = [];
    let [sent, most, released] = [0, 0, false];
    const answer = (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(sse(choiceChunk({ content: 'A summary.' }), choiceChunk({}, 'stop'), '[DONE]'));
    };
    const server = createServer((request, response) => {
      request.resume();
      sent++;
      waiting.push(response);
      most = Math.max(most, waiting.length);
      if (released) for (const each of waiting.splice(0)) answer(each);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const client = createEndpointClient({ baseUrl: `http://127.0.0.1:${port}/v1`, key: async () => undefined });
    const path = write(
      node(
        `
const say = (line) => process.stdout.write(JSON.stringify(line) + '\\n');
let refused = 0, answered = 0, reason = '';
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const said = JSON.parse(line);
  if (said.type === 'compact') {
    for (let id = 0; id < 6606; id++) say({ type: 'ask', id, prompt: 'What was done?' });
    return;
  }
  if (said.error) { refused++; reason = said.error.message; } else answered++;
  if (refused === 6590) say({ type: 'report', text: 'pid 1' });
  if (refused + answered < 6606) return;
  say({ type: 'log', text: answered + ' answered; ' + refused + ': ' + reason });
  say({ type: 'result', messages: null });
});`,
        '// palimpsest: {"needs": ["llm"]}',
      ),
    );
    try {
      const h = await open(path, {}, [], { summaryModel: { client, model: 'm', window: 100_000 } });
      const release = async () => {
        await reported(h);
        await expect.poll(() => waiting.length).toBe(16);
        released = true;
        for (const each of waiting.splice(0)) answer(each);
      };
      await preview(h, release);
      expect([sent, most]).toEqual([16, 16]);
      expect(h.logs).toContain(
        'info file/mine: 16 answered; 6590: it asked the model again while 16 of its requests had no answer; it has to wait for them',
      );
    } finally {
      server.close();
    }
  });

  it('that asks one question after the other has a last one', async () => {
    const path = write(
      node(
        `
const say = (line) => process.stdout.write(JSON.stringify(line) + '\\n');
let asked = 0;
const ask = () => say({ type: 'ask', id: asked++, prompt: 'What was done?' });
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { error } = JSON.parse(line);
  if (!error) return ask();
  console.error(asked + ': ' + error.message);
  process.exit(1);
});`,
        '// palimpsest: {"needs": ["llm"]}',
      ),
    );
    const answers = Array.from({ length: 600 }, () => 'A summary.');
    const { h, said } = await run(path, {}, answers);
    expect(said).toContain('501: it asked the model more than 500 times in one compaction');
    expect(h.model.requests).toHaveLength(500);
  });

  it('is checked like any other: what it may not drop is refused', async () => {
    const body = `${ANSWERS} say({ type: 'result', messages: [{ summary: 'All gone.' }, context.history[1].id, context.history.at(-1).id] }); });`;
    const { said } = await run(write(node(body)));
    expect(said).not.toBe('');
  });

  it('that never answers ends at its deadline', async () => {
    const h = await open(write(node(`${ANSWERS} say({ type: 'report', text: 'pid ' + process.pid }); });`)), {
      deadline: 7,
    });
    const { said } = await preview(h, () => reported(h).then(() => h.fireTimers()));
    expect(said).toContain('it did not answer within 7 seconds');
  });

  it('ends with its children when it is stopped', async () => {
    const stop = new AbortController();
    const path = write(
      node(`${ANSWERS}
  const child = require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => 0, 1e6)'], { stdio: 'ignore' });
  say({ type: 'report', text: 'pid ' + child.pid });
});`),
    );
    const h = await open(path);
    const { outcome } = await preview(h, () => reported(h).then(() => stop.abort()), stop);
    expect(outcome.kind).not.toBe('preview');
    const pid = Number(/pid (\d+)/.exec(h.progress.join(' '))?.[1]);
    expect(pid).toBeGreaterThan(0);
    await expect.poll(() => runs(pid), { timeout: 5_000 }).toBe(false);
  });

  const lines =
    'const [first] = require("fs").readFileSync(0, "utf8").split("\\n"); const { history } = JSON.parse(first);';
  const hidden = (outcome: Awaited<ReturnType<typeof preview>>['outcome']) =>
    outcome.kind === 'preview' ? outcome.items.filter(({ fate }) => fate === 'hidden').length : outcome;
  const ANSWER =
    'const answer = JSON.stringify({ type: "result", messages: history.map(({ id, role }) => role === "tool" ? { hide: id, note: "Größe, 大小" } : id) });';

  /** Reads its line, and goes on reading: its input stays open. */
  const reads = (body: string) => node(`${ANSWERS} const { history } = context; ${ANSWER} ${body} });`);

  it.each<[string, string]>([
    ['without a line end', 'process.stdout.write(answer, () => process.exit(0));'],
    ['without a line end, and ends as failed', 'process.stdout.write(answer, () => process.exit(3));'],
    ['and ends as failed', 'process.stdout.write(answer + "\\n", () => process.exit(3));'],
    ['with the line ends of Windows', 'process.stdout.write("\\r\\n" + answer + "\\r\\n");'],
    ['behind the mark of UTF-8', 'process.stdout.write("\\uFEFF" + answer + "\\n");'],
    [
      'in pieces that part letters',
      'const all = Buffer.from(answer + "\\n"); let at = 0; const put = () => { if (at < all.length) process.stdout.write(all.subarray(at, (at += 7)), put); }; put();',
    ],
    [
      'twice: the first counts',
      'process.stdout.write(answer + "\\n" + JSON.stringify({ type: "result", messages: null }) + "\\n");',
    ],
    [
      'beside noise',
      'console.error("warning ".repeat(1e5)); process.stdout.write(answer + "\\n"); console.error("more");',
    ],
    [
      'without a line end, while a child of it holds its output',
      `require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => 0, 1e6)'], { stdio: 'inherit' }); process.stdout.write(answer, () => process.exit(0));`,
    ],
  ])('answers %s', async (_, body) => {
    const { outcome, said } = await run(write(reads(body)));
    expect([hidden(outcome), said]).toEqual([3, '']);
  });

  it.each<[string, string, string | RegExp]>([
    ['prints before it is asked', `console.log('Loading…');`, 'no JSON: Loading…'],
    [
      'ends half-way through its last line',
      `process.stdout.write('{"type":"res', () => { console.error('no luck'); process.exit(1); });`,
      'it ended (1) before it wrote a result: no luck',
    ],
    [
      'prints an unfinished last line',
      `process.stdout.write('{"type":"res', () => process.exit(0));`,
      'no JSON: {"type":"res',
    ],
    ['ends in silence', `${lines}`, 'it ended (0) before it wrote a result'],
    [
      'ends in silence, while a child of it holds its output',
      `require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => 0, 1e6)'], { stdio: 'inherit' }); process.exit(4);`,
      'it ended (4) before it wrote a result',
    ],
    [
      'writes another encoding',
      `process.stdout.write(Buffer.from('{"type":"log","text":"Gr\u00f6\u00dfe"}\\n', 'latin1')); setInterval(() => 0, 1e6);`,
      'it wrote what is no UTF-8',
    ],
    [
      'asks a model that it did not declare',
      'console.log(JSON.stringify({ type: "ask", id: 1, prompt: "Well?" })); setInterval(() => 0, 1e6);',
      'its needs do not name: {"needs": ["llm"]}',
    ],
    [
      'answers for another conversation',
      `${lines} console.log(JSON.stringify({ type: 'result', messages: ['m999'] }));`,
      'its result names m999',
    ],
  ])('that %s is told so', async (_, body, reason) => {
    const { said } = await run(write(node(body)));
    expect(said).toContain(reason);
  });

  it('finds its interpreter by name where the path of another system has none', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pal-bridge-')));
    made.push(folder);
    const name = `node-${Date.now()}`;
    symlinkSync(process.execPath, join(folder, name));
    const before = process.env.PATH;
    process.env.PATH = [folder, before].join(delimiter);
    try {
      const text = reads('process.stdout.write(answer);process.exit(0)');
      const { outcome } = await run(write(text.replace(process.execPath, `/no/such/place/${name}`)));
      expect(hidden(outcome)).toBe(3);
    } finally {
      process.env.PATH = before;
    }
  });

  it('takes a command with arguments from env -S', async () => {
    const text = reads(
      'process.stdout.write(answer + process.execArgv.length.toString().replace("1", ""), () => process.exit(0));',
    );
    const { outcome } = await run(write(text.replace('#!', '#!/usr/bin/env -S ').replace('\n', ' --no-warnings\n')));
    expect(hidden(outcome)).toBe(3);
  });

  it.each([
    ['no interpreter', '#!\n', 'names no interpreter in its first line'],
    ['a broken header', '#!/usr/bin/env node\n# palimpsest: needs llm\n', 'has no JSON object after “palimpsest:”'],
    [
      'settings that cannot be used',
      '#!/usr/bin/env node\n# palimpsest: {"settings":{"x":{"type":"list"}}}\n',
      'its setting x has none',
    ],
    [
      'needs that are no list',
      '#!/usr/bin/env node\n# palimpsest: {"needs":"llm"}\n',
      'needs that are no list of ports',
    ],
    [
      'needs that are an object',
      '#!/usr/bin/env node\n# palimpsest: {"needs":{"llm":true}}\n',
      'needs that are no list',
    ],
    ['needs that are null', '#!/usr/bin/env node\n# palimpsest: {"needs":null}\n', 'needs that are no list of ports'],
    [
      'needs of which one is no text',
      '#!/usr/bin/env node\n# palimpsest: {"needs":["llm",1]}\n',
      'needs that are no list',
    ],
    ['a misspelt header', '#!/usr/bin/env node\n# palimpsest: {"need":["llm"]}\n', 'declares need after'],
    ['a header that is a list', '#!/usr/bin/env node\n# palimpsest: ["llm"]\n', 'has no JSON object after'],
    ['neither', 'print("hello")\n', 'does not begin with #!'],
  ])('is refused with %s', async (_, text, reason) => {
    await expect(load(write(text))).rejects.toThrow(reason);
  });

  it('whose interpreter is not there says so', async () => {
    const { said } = await run(write('#!/usr/bin/env no-such-interpreter\n'));
    expect(said).toContain('needs no-such-interpreter, which is not installed');
  });
});

const reported = (h: Harness) => expect.poll(() => h.progress.join(' '), { timeout: 20_000 }).toContain('pid ');

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
