/** `palimpsest-lab tasks` as a stranger has it: the packed program, installed in an empty folder, against a scripted server. */

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { packProgram } from '../../../scripts/packages/packProgram.ts';
import { type ModelServer, startModelServer } from '../../support/modelServer/modelServer.ts';
import type { Reply, ReplyCall } from '../../support/modelServer/modelServerReply.ts';
import { answerSummary, isSummaryRequest } from '../../support/modelServer/summaryRequest.ts';

const scratch = mkdtempSync(join(tmpdir(), 'tasks-'));
const installed = join(scratch, 'empty');
const program = join(installed, 'node_modules/palimpsest-lab/main.js');
const example = join(installed, 'node_modules/palimpsest-lab/example-tasks/add');

beforeAll(async () => {
  mkdirSync(installed);
  writeFileSync(join(installed, 'package.json'), '{"private":true}');
  const packed = await packProgram('src/cli', { main: 'src/cli/main.ts', worker: 'src/cli/worker.ts' }, scratch);
  const given = ['install', '--offline', '--no-audit', '--no-fund', packed];
  const { status, stderr } = spawnSync('npm', given, { cwd: installed, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
});
afterAll(() => rmSync(scratch, { recursive: true }));

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const KEY = 'PALIMPSEST_LAB_KEY';

function begin(given: readonly string[], cwd: string, more: NodeJS.ProcessEnv = {}) {
  const env = { ...process.env, NODE_OPTIONS: '', NODE_PATH: '', ...more };
  return spawn(process.execPath, [program, ...given], { cwd, env, stdio: 'pipe' });
}

async function ended(child: ChildProcess): Promise<Ran> {
  const said = { out: '', err: '' };
  child.stdout?.on('data', (piece) => (said.out += piece));
  child.stderr?.on('data', (piece) => (said.err += piece));
  const [code] = await once(child, 'close');
  return { code, ...said };
}

const lab = (given: readonly string[], cwd: string, more?: NodeJS.ProcessEnv) => ended(begin(given, cwd, more));

const WORKING = `console.log(process.argv.slice(2).map(Number).reduce((sum, each) => sum + each, 0));\n`;
const write = (path: string, content: string): ReplyCall => ({ name: 'write_file', arguments: { path, content } });
const run = (command: string): ReplyCall => ({ name: 'run_command', arguments: { command } });

/** Calls of the agent by the first word of the prompt, a step each; after the last one it says that it is done. */
const STEPS: Readonly<Record<string, readonly ReplyCall[]>> = {
  SOLVE: [{ name: 'read_file', arguments: { path: 'sum.mjs' } }, write('sum.mjs', WORKING)],
  IDLE: [],
  // What the check brings takes the place of what the agent made of it.
  CHEAT: [run('mkdir -p elsewhere && ln -s elsewhere/target check.mjs'), write('package.json', '{"type":"commonjs"}')],
  HANG: [write('sum.mjs', 'setInterval(() => 0, 1000);\n')],
  // It outlives its command and its session, and passes the check whenever it is there.
  DETACH: [
    run("setsid sh -c 'while :; do echo 0 > check.mjs; sleep 0.01; done' > /dev/null 2>&1 & sleep 0.2; cat check.mjs"),
  ],
  LOOK: [run('env; ls -a; cat ../*; cat check.mjs')],
};
const LONG = `// ${'filler '.repeat(400)}`;

interface Asked {
  readonly word: string;
  /** Answers so far. */
  readonly step: number;
  readonly texts: readonly string[];
}

function readAsked(body: Readonly<Record<string, unknown>>): Asked {
  const messages = body.messages as readonly { role: string; content: unknown }[];
  const texts = messages.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)));
  const prompt = messages.findIndex(({ role }) => role === 'user');
  return {
    word: /\b(SOLVE|IDLE|CHEAT|DETACH|HANG|LOOK|LOOP|SILENT|LONG)\b/.exec(texts.slice(prompt).join('\n'))?.[1] ?? '',
    step: messages.filter(({ role }) => role === 'assistant').length,
    texts,
  };
}

function answer({ word, step }: Asked): Reply {
  if (word === 'SILENT') return { kind: 'silence' };
  const usage = { prompt_tokens: 2_000, completion_tokens: 100, total_tokens: 2_100 };
  if (word === 'LOOP') return { kind: 'answer', usage, calls: [{ name: 'list_files', arguments: { path: '.' } }] };
  const call = STEPS[word]?.[step];
  return call ? { kind: 'answer', usage, calls: [call] } : { kind: 'answer', usage, text: 'Done.' };
}

async function serve(script: (asked: Asked) => Reply = answer, key?: string): Promise<ModelServer> {
  const server = await startModelServer({
    script: ({ body }) =>
      isSummaryRequest(body) ? { kind: 'answer', text: answerSummary(body) } : script(readAsked(body)),
    ...(key === undefined ? {} : { key }),
  });
  onTestFinished(() => server.close());
  return server;
}

/** An empty folder with tasks in `tasks`, each named by the word of its prompt, and all else as in the example. */
function folderWith(...words: readonly string[]): string {
  const folder = mkdtempSync(join(scratch, 'run-'));
  for (const word of words) {
    const task = join(folder, 'tasks', word.toLowerCase());
    cpSync(example, task, { recursive: true });
    writeFileSync(join(task, 'prompt.md'), `${word}: mend sum.mjs.\n`);
  }
  return folder;
}

const given = ({ baseUrl }: Pick<ModelServer, 'baseUrl'>, ...more: readonly string[]) => [
  ...['tasks', 'tasks', '--base-url', baseUrl, '--model', 'm', '--without-sandbox'],
  ...more,
];

const resultOf = (folder: string, name: string, results = 'task-results') =>
  JSON.parse(readFileSync(join(folder, results, 'runs', `${name}.json`), 'utf8'));

describe('runs over tasks', { tags: ['B6', 'long'] }, () => {
  it('tell solved ones from failed ones, and each limit from the others', async () => {
    const folder = folderWith('SOLVE', 'IDLE', 'CHEAT', 'HANG', 'LOOP');
    writeFileSync(join(folder, 'tasks/hang/task.json'), '{"check":"node sum.mjs","checkSeconds":0.5}');
    mkdirSync(join(folder, 'tasks/odd'));
    writeFileSync(join(folder, 'tasks/odd/prompt.md'), 'Mend it.');
    writeFileSync(join(folder, 'tasks/odd/task.json'), '{"check": 3, "chek": ""}');
    const limits = ['--steps', '4', '--money', '5', '--price', '3/15', '--strategies', 'layered'];
    const { code, out, err } = await lab(given(await serve(), ...limits, '--markdown', 'out.md'), folder);
    expect(code, err).toBe(0);
    const endOf = (task: string) => resultOf(folder, `${task}/1-layered.1`).end;
    expect(endOf('solve')).toEqual({ kind: 'solved' });
    expect(endOf('idle')).toMatchObject({ by: 'check', detail: expect.stringContaining('sum.mjs 2 3 prints -1') });
    expect(endOf('cheat')).toMatchObject({ by: 'check', detail: expect.stringContaining('sum.mjs 2 3 prints -1') });
    expect(endOf('hang')).toMatchObject({ kind: 'failed', by: 'hungCheck' });
    expect(endOf('loop')).toMatchObject({ by: 'steps', detail: expect.stringContaining('its limit of 4 requests') });
    expect(resultOf(folder, 'solve/1-layered.1')).toMatchObject({ requests: 3, input: 6_000, output: 300 });
    expect(resultOf(folder, 'solve/1-layered.1').cost.amount).toBeCloseTo(0.0225, 6);
    expect(out).toContain('layered: solved 1 of 5, 2 the check did not pass, 1 the check hung, 1 out of steps,');
    expect(out).toMatch(/- odd: task\.json: check: .*expected string.*chek/);
    expect(readFileSync(join(folder, 'out.md'), 'utf8')).toBe(out);
  });

  it('end a run that is out of time, or out of money', async () => {
    const folder = folderWith('SILENT');
    const server = await serve();
    const late = await lab(given(server, '--minutes', '0.02', '--strategies', 'layered'), folder);
    expect(late.code, late.err).toBe(0);
    expect(resultOf(folder, 'silent/1-layered.1').end).toEqual({ kind: 'failed', by: 'time', detail: '' });
    const dear = folderWith('LOOP');
    const limits = ['--money', '0.02', '--price', '3/15', '--strategies', 'layered'];
    expect((await lab(given(server, ...limits), dear)).out).toContain('layered: solved 0 of 1, 1 out of money,');
    const { end, requests, cost } = resultOf(dear, 'loop/1-layered.1');
    expect(end).toMatchObject({ by: 'money', detail: expect.stringContaining('its limit is $0.02') });
    expect([requests, cost]).toEqual([3, { amount: expect.closeTo(0.0225, 6), currency: 'USD' }]);
  });

  it('compact under each strategy, and keep sessions that the lab and the autopsy read', async () => {
    const folder = folderWith('LONG');
    writeFileSync(join(folder, 'tasks/long/files/long.mjs'), LONG);
    const server = await serve(({ step }) =>
      step < 12
        ? { kind: 'answer', calls: [{ name: 'read_file', arguments: { path: 'long.mjs' } }] }
        : { kind: 'answer', text: 'Done.' },
    );
    const broken = `export default { needs: [], create: () => ({ compact: async () => { throw new Error('no idea'); } }) };`;
    writeFileSync(join(folder, 'broken.mjs'), broken);
    const strategies = ['--strategies', 'layered,llm-summary,./broken.mjs'];
    const { code, out, err } = await lab(given(server, '--window', '8000', '--steps', '14', ...strategies), folder);
    expect(code, err).toBe(0);
    expect(out).toMatch(/broken\.mjs: .* Of its compactions 0 of \d+ runs were its own; .*no idea/);
    expect(out).toMatch(/llm-summary: solved 0 of 1, 1 out of steps, compacted in 1 run\.\n/);
    for (const name of ['1-layered', '2-llm-summary'])
      expect(resultOf(folder, `long/${name}.1`).compactions, name).toBeGreaterThan(0);
    expect(out).toMatch(/## llm-summary against layered/);
    const { session } = resultOf(folder, 'long/2-llm-summary.1');
    const autopsy = await lab(['autopsy', join('task-results', session)], folder);
    expect(autopsy.out).toMatch(/# Autopsy of compactions[\s\S]*tokens/);
    expect(autopsy.out).not.toContain('no compaction');
    const replayed = await lab(['task-results/sessions', '--strategies', 'layered', '--window', '8000'], folder);
    expect(replayed.out).toMatch(/3 sessions, window 8,000 tokens/);
  });

  it('begin again what was killed half-way, and nothing else', async () => {
    const folder = folderWith('SOLVE', 'IDLE');
    let killed: ChildProcess | null = null;
    let work = '';
    const seen: string[] = [];
    const server = await serve((asked) => {
      if (asked.step === 0) seen.push(asked.word);
      if (killed && seen.length === 3 && asked.step === 0) {
        work = readFileSync(
          globSync('task-results/sessions/*/*/work.txt', { cwd: folder }).map((path) => join(folder, path))[0] ?? '',
          'utf8',
        );
        killed.kill('SIGKILL');
        return { kind: 'silence' };
      }
      return answer(asked);
    });
    killed = begin(given(server), folder);
    await ended(killed);
    killed = null;
    expect(seen).toHaveLength(3);
    expect(globSync('task-results/runs/*/*', { cwd: folder })).toHaveLength(2);
    expect(existsSync(work)).toBe(true);
    const again = await lab(given(server, '--json', 'again.json'), folder);
    expect(again.code, again.err).toBe(0);
    expect(seen).toHaveLength(3 + 2);
    expect(seen[3]).toBe(seen[2]);
    expect(existsSync(work)).toBe(false);
    expect(globSync('task-results/sessions/*/*/*/journal.jsonl', { cwd: folder })).toHaveLength(4);
    const fresh = await lab(given(server, '--json', 'fresh.json', '--results', 'fresh'), folder);
    expect(fresh.out).toBe(again.out);
    expect(readFileSync(join(folder, 'fresh.json'))).toEqual(readFileSync(join(folder, 'again.json')));
  });

  it('have the same figures in one process, in shards of one folder, and in shards of two that are merged', async () => {
    const folder = folderWith('SOLVE', 'IDLE');
    const server = await serve();
    const all = (...more: readonly string[]) => given(server, '--tries', '2', '--seed', '5', ...more);
    const whole = await lab(all('--json', 'whole.json', '--html', 'whole.html'), folder);
    expect(whole.code, whole.err).toBe(0);
    expect(server.requests).toHaveLength(2 * 2 * (3 + 1));
    for (const nth of [1, 2]) {
      for (const results of ['same', `apart${nth}`])
        expect((await lab(all('--shard', `${nth}/2`, '--results', results), folder)).out).toBe('');
    }
    expect(globSync('apart1/runs/*/*', { cwd: folder })).toHaveLength(4);
    const merged = await lab(['merge', 'apart2', 'apart1', '--json', 'merged.json', '--html', 'merged.html'], folder);
    const same = await lab(['merge', 'same'], folder);
    expect(merged.err).toBe('');
    expect([merged.out, same.out]).toEqual([whole.out, whole.out]);
    for (const kind of ['json', 'html'])
      expect(readFileSync(join(folder, `merged.${kind}`), 'utf8')).toBe(
        readFileSync(join(folder, `whole.${kind}`), 'utf8'),
      );
    expect((await lab(['merge', 'same', 'apart1'], folder)).err).toMatch(/same and apart1 both have (idle|solve), /);
    const other = await lab(given(server, '--seed', '6', '--results', 'other', '--shard', '9/9'), folder);
    expect(other.code).toBe(0);
    expect((await lab(['merge', 'apart1', 'other'], folder)).err).toMatch(/other is of another run than apart1/);
    expect((await lab(['merge', 'tasks'], folder)).err).toMatch(/tasks holds no results of palimpsest-lab tasks/);
  });

  it('are refused in a folder of other results, or of another version of a task', async () => {
    const folder = folderWith('SOLVE');
    const server = await serve();
    const one = (...more: readonly string[]) => lab(given(server, '--strategies', 'layered', ...more), folder);
    expect((await one()).code).toBe(0);
    expect((await one('--price', '3/15')).err).toMatch(/another run: price differ\. Name another/);
    expect((await one('--steps', '7', '--window', '9000')).err).toMatch(
      /another run: window, steps differ\. Name another/,
    );
    writeFileSync(join(folder, 'tasks/solve/check/check.mjs'), 'process.exit(0);\n');
    expect((await one()).err).toMatch(/other versions of these tasks: solve\./);
  });

  it('stop where the server is down, and go on when it is there', async () => {
    const folder = folderWith('SOLVE', 'IDLE');
    const down = await serve();
    await down.close();
    const stopped = await lab(given(down), folder);
    expect(stopped).toMatchObject({ code: 1, out: '' });
    expect(stopped.err).toMatch(/127\.0\.0\.1[\s\S]*The runs so far are in .*task-results: the same command goes on/);
    expect(globSync('task-results/runs/*/*', { cwd: folder })).toHaveLength(1);
    const { code, out } = await lab(given(await serve()), folder);
    expect(code).toBe(0);
    expect(out).toMatch(/layered: solved 1 of 2, 1 the check did not pass, compacted in 0 runs\.\n/);
  });

  it('count no round with an error of the server, and go on with the others', async () => {
    const folder = folderWith('SOLVE', 'IDLE', 'LOOP');
    const refused = { kind: 'error', status: 401, body: { error: { message: 'no such key' } } } as const;
    const server = await serve((asked) => (asked.word === 'LOOP' && asked.step > 0 ? refused : answer(asked)));
    const { code, out } = await lab(given(server), folder);
    expect(code).toBe(0);
    expect(out).toMatch(/2 tasks, 2 rounds of all strategies/);
    expect(out).toMatch(/- loop, try 1, layered: .*key/);
    expect(out).toMatch(/Ended by an error, and not counted: 1\./);
  });

  it('take a strategy from a file, with its own settings', async () => {
    const folder = folderWith('SOLVE');
    const text = `export default { needs: [], settings: { least: { type: 'integer', default: 1, description: 'x' } },
      create: () => ({ compact: async ({ history }) => history }) };`;
    writeFileSync(join(folder, 'mine.mjs'), text);
    const strategies = ['--strategies', 'layered,./mine.mjs', '--set', 'mine.least=1,2'];
    const { code, out, err } = await lab(given(await serve(), ...strategies), folder);
    expect(code, err).toBe(0);
    expect(out).toMatch(/\.\/mine\.mjs \(least 2\): solved 1 of 1/);
    expect(readdirSync(join(folder, 'task-results/runs/solve'))).toHaveLength(3);
  });

  it('read the key from the environment, and give it to nobody else', async () => {
    const folder = folderWith('LOOK');
    const server = await serve(answer, 'sk-of-mine');
    const none = await lab(given(server, '--results', 'none'), folder, { [KEY]: undefined });
    expect(none.code).toBe(1);
    expect(none.err).toMatch(/Incorrect API key|refused the key|API key/);
    const { code, err } = await lab(given(server), folder, { [KEY]: 'sk-of-mine' });
    expect(code, err).toBe(0);
    for (const path of globSync('task-results/**/*.json*', { cwd: folder }))
      expect(readFileSync(join(folder, path), 'utf8'), path).not.toContain('sk-of-mine');
    const looked = server.requests.flatMap(({ body }) => readAsked(body).texts);
    expect(looked.join('\n')).toContain('sum.mjs');
    expect(looked.join('\n')).not.toMatch(/sk-of-mine|Exits with 0 when/);
  });
});

describe.runIf(process.platform === 'linux')('a process that the agent left', { tags: ['B6', 'long'] }, () => {
  it('changes nothing of the check', async () => {
    const folder = folderWith('DETACH');
    const { code, err } = await lab(given(await serve(), '--strategies', 'layered'), folder);
    expect(code, err).toBe(0);
    expect(resultOf(folder, 'detach/1-layered.1').end).toMatchObject({
      by: 'check',
      detail: expect.stringContaining('sum.mjs 2 3 prints -1'),
    });
  });
});

const bubblewrap = (process.env.PATH ?? '').split(':').find((folder) => existsSync(join(folder, 'bwrap')));

describe.runIf(process.platform === 'linux')('commands of agents', { tags: ['B6', 'long'] }, () => {
  it('do not run without a sandbox until the person says so', async () => {
    const folder = folderWith('SOLVE');
    const server = await serve();
    const [node, sh] = [dirname(process.execPath), '/nowhere'];
    const without = given(server).filter((each) => each !== '--without-sandbox');
    const { code, err } = await lab(without, folder, { PATH: [node, sh].join(':') });
    expect(code).toBe(1);
    expect(err).toMatch(
      /runs? in a sandbox, and there is none here\. The program bubblewrap .* With --without-sandbox/,
    );
    expect(server.requests).toHaveLength(0);
    expect(existsSync(join(folder, 'task-results'))).toBe(false);
  });

  it.skipIf(bubblewrap === undefined)('see in the sandbox neither tasks nor results', async () => {
    const folder = folderWith('LOOK', 'SOLVE');
    const secret = `cat ${folder}/tasks/look/check/check.mjs; ls ${folder}; echo seen`;
    const server = await serve((asked) =>
      asked.word === 'LOOK' && asked.step === 0 ? { kind: 'answer', calls: [run(secret)] } : answer(asked),
    );
    const without = given(server, '--strategies', 'layered').filter((each) => each !== '--without-sandbox');
    const { code, out, err } = await lab(without, folder);
    expect(code, err).toBe(0);
    expect(out).toMatch(/layered: solved 1 of 2, 1 the check did not pass/);
    const looked = server.requests.flatMap(({ body }) => readAsked(body).texts).join('\n');
    expect(looked).toMatch(/No such file[\s\S]*seen/);
    expect(looked).not.toContain('Exits with 0 when');
  });
});

describe('the options of tasks', { tags: ['B6', 'long'] }, () => {
  it.each([
    [[], 'tasks takes one folder'],
    [['tasks'], 'tasks needs --base-url and --model'],
    [['tasks', '--strategies', 'none'], 'yardsticks replay recorded sessions only'],
    [['tasks', '--strategies', 'no-such'], 'There is no strategy no-such'],
    [['tasks', '--money', '1'], 'nobody knows the price of m. Give --price.'],
    [['tasks', '--money', '0'], '--money 0: expected an amount above 0'],
    [['tasks', '--price', '3'], '--price 3: expected dollars for a million tokens as INPUT/OUTPUT'],
    [['tasks', '--steps', '2000'], '--steps 2000: 1000 are the most'],
    [['nowhere'], 'cannot be read'],
    [['tasks', '--base-url', 'http://10.0.0.3/v1'], 'With --plain-http it is used all the same'],
    [['tasks', '--results', 'plain.txt'], 'Name another folder by --results'],
    [['tasks', '--results', 'tasks/results'], 'lies in the folder of the tasks, tasks. Name a folder beside it.'],
    [['tasks/solve', '--results', 'tasks/solve/files/out'], 'lies in the folder of the tasks, tasks/solve.'],
    [['.'], 'lies in the folder of the tasks, .. Name a folder beside it.'],
    [['.', '--results', '../elsewhere'], 'There is no task in .: a task is a folder with prompt.md and task.json'],
  ])('%j are refused in words', async (options, message) => {
    const folder = folderWith('SOLVE');
    writeFileSync(join(folder, 'plain.txt'), '');
    const address =
      options.length === 1 && options[0] === 'tasks' ? [] : ['--base-url', 'http://127.0.0.1:9/v1', '--model', 'm'];
    const { code, out, err } = await lab(['tasks', ...address, ...options, '--without-sandbox'], folder);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(message);
    expect(existsSync(join(folder, 'task-results'))).toBe(false);
  });

  it('are explained', () => {
    const help = (...of: readonly string[]) =>
      execFileSync(process.execPath, [program, ...of, '--help'], { encoding: 'utf8' });
    expect(help('tasks')).toMatch(
      /--without-sandbox[\s\S]*PALIMPSEST_LAB_KEY|PALIMPSEST_LAB_KEY[\s\S]*--without-sandbox/,
    );
    expect(help()).toContain('palimpsest-lab tasks --help');
  });
});
