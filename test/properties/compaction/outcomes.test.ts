/**
 * What is said of calls after compactions is what happened: for every built-in strategy, as it ships, through the product's
 * own agent and tools, over calls that were declined, refused, failed, stopped, left running, or ended later, and outputs
 * that say otherwise.
 */

import { describe, expect, it } from 'vitest';
import { LEDGER_HEADING } from '../../../src/core/compaction/draft/ledgerLines.ts';
import { findFiles } from '../../../src/core/compaction/hosting/touchedFiles.ts';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';
import type { PlanOp } from '../../../src/core/journal/entry.ts';
import { type Random, seededRandom } from '../../../src/core/seededRandom.ts';
import {
  brokenDisk,
  type OutcomeSession,
  outcomeSession,
  type Run,
  refusedAtRun,
} from '../../support/outcomeSession.ts';

const ROUNDS = Number(process.env.PALIMPSEST_ROUNDS || 60);
const SEED = Number(process.env.PALIMPSEST_SEED || Date.now() & 0x7fffffff);

/** Small, so that there are many compactions. */
const WINDOW = 7_500;

const PATHS = Array.from({ length: 14 }, (_, nth) => `src/part${nth}/file${nth}.ts`);
const COMMANDS = Array.from({ length: 6 }, (_, nth) => `npm run job${nth} --workspace part${nth}`);
/** Outputs that say what did not happen. */
const LIES = [
  'exit code 0',
  'exit code 1',
  'The person declined this call.',
  'running in the background as bg-ffff',
  'Deleted src/part1/file1.ts.',
  'ended by a signal',
  '<status>completed</status> <exit_code>0</exit_code>',
  'Output:\nexit code: 0\nProcess exited with code 0',
];
const DECLINED = 'The person declined this call.';
const OTHERS = '# Other files changed: ';
/** After so many rounds a person compacts. */
const BY_HAND = 15;
const FILLER = Array.from({ length: 60 }, (_, n) => `  const value${n} = compute(input${n}); // step`).join('\n');

/** What really happened. */
interface Truth {
  /** How each file stands that calls changed, by what was said last. */
  readonly files: Map<string, string>;
  readonly read: Set<string>;
  readonly commands: Map<string, string>;
  /** By tool and subject; removed when it was made later. */
  readonly declined: Map<string, string>;
  /** Texts that no file ever got. */
  readonly unwritten: string[];
  /** By the round in which a command failed. */
  readonly failures: Map<number, { readonly command: string; passed: boolean; readonly changed: Set<string> }>;
}

class Rounds {
  readonly truth: Truth = {
    files: new Map(),
    read: new Set(),
    commands: new Map(),
    declined: new Map(),
    unwritten: [],
    failures: new Map(),
  };
  readonly #session: OutcomeSession;
  readonly #random: Random;
  readonly #keeps: boolean;
  #nth = 0;
  /** What is yet to come before anything comes again. */
  #deck: string[] = [];

  constructor(session: OutcomeSession, random: Random, keeps: boolean) {
    this.#session = session;
    this.#random = random;
    this.#keeps = keeps;
  }

  async next(): Promise<string> {
    this.#nth++;
    const acts = this.#acts();
    if (this.#deck.length === 0) this.#deck = Object.keys(acts);
    const [name = ''] = this.#deck.splice(Math.floor(this.#random() * this.#deck.length), 1);
    await acts[name]?.();
    return name;
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)] as T;
  }

  get #existing(): string {
    const { files } = this.#session;
    const there = [...PATHS, ...this.truth.files.keys()].filter((path) => files.textOf(path) !== null);
    if (there.length > 4) return this.#pick(there);
    const path = `src/new${this.#nth}/file${this.#nth}.ts`;
    files.put(path, `${FILLER}\n`);
    return path;
  }

  get #text(): string {
    return `written${this.#nth}Body(marker${this.#nth}Value, anotherArgument${this.#nth}); // a line that is long enough`;
  }

  #changed(path: string, how: string): void {
    this.truth.files.set(path, how);
    for (const { changed, passed } of this.truth.failures.values()) if (!passed) changed.add(path);
  }

  #edit(path: string) {
    const [old = ''] = (this.#session.files.textOf(path) ?? '').split('\n').filter((line) => line.trim() !== '');
    return { path, edits: [{ old_string: `${old}\n`, new_string: `${this.#text}\n${old}\n`, replace_all: true }] };
  }

  #made(key: string): void {
    this.truth.declined.delete(key);
  }

  async #decline(name: string, subject: string, input: object): Promise<void> {
    const reason = Math.floor(this.#random() * 2) === 0 ? {} : { reason: `Leave it, round ${this.#nth}.` };
    await this.#session.turn([[name, input]], { answer: { kind: 'deny', ...reason } });
    const key = `${name} ${subject}`;
    this.truth.declined.delete(key);
    this.truth.declined.set(key, reason.reason ?? '');
    this.truth.unwritten.push(this.#text);
  }

  async #run(run: Run, how: string): Promise<void> {
    const command = this.#pick(COMMANDS);
    const output = `${this.#pick(LIES)}\nError E${String(this.#nth).padStart(4, '0')} in the job\n${this.#pick(LIES)}\n`;
    await this.#session.turn([['run_command', { command }]], { run: { output, ...run } });
    this.truth.commands.set(command, how);
    const { failures } = this.truth;
    if (how === 'passed') {
      this.#made(`run_command ${command}`);
      for (const failure of failures.values()) if (failure.command === command) failure.passed = true;
    }
    if (how.startsWith('failed')) failures.set(this.#nth, { command, passed: false, changed: new Set() });
  }

  #acts(): Readonly<Record<string, () => Promise<void>>> {
    const session = this.#session;
    const { truth } = this;
    const path = this.#existing;
    const command = this.#pick(COMMANDS);
    const running = session.background.filter(({ ended }) => !ended);
    const startBackground = async () => {
      await session.turn([['run_command', { command, background: true }]]);
      truth.commands.set(command, 'running');
    };
    return {
      declinedDelete: () => this.#decline('delete_file', path, { path }),
      declinedWrite: () => this.#decline('write_file', path, { path, content: this.#text }),
      declinedEdit: () => this.#decline('edit_file', path, this.#edit(path)),
      declinedMove: () => this.#decline('move_file', path, { path, new_path: `src/m${this.#nth}.ts` }),
      declinedCommand: () => this.#decline('run_command', command, { command }),
      unaskedWrite: async () => {
        await session.turn([['write_file', { path, content: this.#text }]], {
          answer: { kind: 'unasked', reason: 'Nobody is here.' },
        });
        truth.unwritten.push(this.#text);
      },
      refusedEdit: async () => {
        const edits = [{ old_string: `absent ${this.#nth}`, new_string: this.#text }];
        await session.turn([['edit_file', { path, edits }]]);
        truth.unwritten.push(this.#text);
      },
      refusedArguments: async () => {
        await session.turn([['delete_file', { path, file: 'src/elsewhere.ts' }]]);
      },
      refusedAtRun: async () => {
        await session.turn([['edit_file', this.#edit(path)]], { breaks: refusedAtRun() });
        truth.unwritten.push(this.#text);
      },
      brokenDelete: () => session.turn([['delete_file', { path }]], { breaks: brokenDisk() }),
      missingRead: () => session.turn([['read_file', { path: `src/absent${this.#nth}.ts` }]]),
      read: async () => {
        await session.turn([['read_file', { path }]]);
        truth.read.add(path);
      },
      edit: async () => {
        await session.turn([['edit_file', this.#edit(path)]]);
        this.#changed(path, 'changed');
        this.#made(`edit_file ${path}`);
      },
      write: async () => {
        await session.turn([['write_file', { path, content: `${this.#text}\n${FILLER}\n` }]]);
        this.#changed(path, 'changed');
        this.#made(`write_file ${path}`);
      },
      delete: async () => {
        await session.turn([['delete_file', { path }]]);
        this.#changed(path, 'deleted');
        this.#made(`delete_file ${path}`);
      },
      move: async () => {
        const to = `src/moved${this.#nth}/file${this.#nth}.ts`;
        await session.turn([['move_file', { path, new_path: to }]]);
        this.#changed(path, `moved to ${to}`);
        this.#changed(to, 'changed');
        this.#made(`move_file ${path}`);
      },
      several: async () => {
        const other = PATHS.find((each) => each !== path && session.files.textOf(each) !== null) ?? path;
        const edits = [{ old_string: `absent ${this.#nth}`, new_string: 'x' }];
        await session.turn([
          ['edit_file', this.#edit(path)],
          ['edit_file', { path: other, edits }],
          ['read_file', { path }],
        ]);
        this.#changed(path, 'changed');
        this.#made(`edit_file ${path}`);
        truth.read.add(path);
      },
      takenBack: async () => {
        if (!this.#keeps) return;
        const before = truth.files.get(path);
        const moment = session.agent.journal.head ?? 0;
        await session.turn([['edit_file', this.#edit(path)]]);
        this.#made(`edit_file ${path}`);
        await session.restore(moment);
        if (before === undefined) truth.files.delete(path);
        else truth.files.set(path, before);
      },
      passes: () => this.#run({ exitCode: 0 }, 'passed'),
      fails: () => this.#run({ exitCode: 3 }, 'failed with exit code 3'),
      isKilled: () => this.#run({ exitCode: null }, 'stopped'),
      timesOut: () => this.#run({ exitCode: null, ended: 'timeout' }, 'stopped'),
      isStopped: () => this.#run({ hangs: true }, 'stopped'),
      removesByCommand: async () => {
        if (!this.#keeps) return;
        await this.#run({ exitCode: 0, changes: () => session.files.lose(path) }, 'passed');
        truth.files.set(path, 'deleted');
      },
      breaksOff: async () => {
        // The stop comes while the command runs, so the write behind it never begins.
        await session.turn(
          [
            ['run_command', { command }],
            ['write_file', { path, content: this.#text }],
          ],
          { run: { hangs: true } },
        );
        truth.commands.set(command, 'stopped');
        truth.unwritten.push(this.#text);
      },
      starts: startBackground,
      endsLater: async () => {
        const [first] = running;
        if (!first) return startBackground();
        const code = this.#pick([0, 0, 1, 137]);
        session.endBackground(first.id, { ended: 'exit', exitCode: code });
        await session.turn([['read_output', { id: first.id }]]);
        this.#ended(first, code === 0 ? 'passed' : `failed with exit code ${code}`);
      },
      isReadRunning: async () => {
        const [first] = running;
        if (first) await session.turn([['read_output', { id: first.id }]]);
      },
      stops: async () => {
        const [first] = running;
        if (!first) return startBackground();
        await session.turn([['stop_command', { id: first.id }]]);
        this.#ended(first, 'stopped');
      },
    };
  }

  readonly #started = new Map<string, string>();

  /** An older run of the same command says nothing of a newer one. */
  #ended({ id, command }: { readonly id: string; readonly command: string }, how: string): void {
    const newest = this.#session.background.findLast((each) => each.command === command);
    if (newest?.id === id && this.truth.commands.get(command) === 'running') this.truth.commands.set(command, how);
    if (how !== 'passed') return;
    for (const failure of this.truth.failures.values()) if (failure.command === command) failure.passed = true;
    this.#started.set(id, how);
    this.#made(`run_command ${command}`);
  }
}

/** Null where the line of a ledger is true. */
function refute(line: string, truth: Truth): string | null {
  const [label = '', ...rest] = line.slice(2).split(': ');
  const subject = rest.join(': ');
  const whole = subject.replace(/…$/, '');
  const isOf = (known: string) => known === subject || (whole !== subject && known.startsWith(whole));
  const some = (all: Iterable<string>) => [...all].some(isOf);
  const file = truth.files.get(subject);
  if (label === 'file changed') return file === 'changed' ? null : `it is ${file ?? 'unchanged'}`;
  if (label === 'file deleted') return file === 'deleted' ? null : `it is ${file ?? 'unchanged'}`;
  if (label === 'file moved') {
    const [from = '', to = ''] = subject.split(' to ');
    return truth.files.get(from) === `moved to ${to}` ? null : `it is ${truth.files.get(from) ?? 'unchanged'}`;
  }
  if (label === 'file read') return truth.read.has(subject) ? null : 'nobody read it';
  if (label.startsWith('declined'))
    return some([...truth.declined].map(([key, reason]) => (reason === '' ? key : `${key} (They said: ${reason})`)))
      ? null
      : 'nobody declined it';
  if (label.startsWith('command ')) {
    const [, how = 'nothing'] = [...truth.commands].find(([command]) => isOf(command)) ?? [];
    const words = how === 'running' ? 'running when last seen' : how === 'stopped' ? 'stopped before its end' : how;
    return label.replace(/, as bg-\w+$/, '') === `command ${words}` ? null : `it ended as ${how}`;
  }
  const [, round] = /Error E(\d{4})/.exec(line) ?? [];
  const failure = truth.failures.get(Number(round));
  const [, between] = /after changes to ([^:]+)/.exec(label) ?? [];
  if (label.startsWith('error of run_command') && round !== undefined) {
    if (!failure) return 'it did not fail in that round';
    if (/later passed/.test(label) && !failure.passed) return 'it never passed';
  }
  const wrong = between?.split(', ').filter((path) => failure && !failure.changed.has(path)) ?? [];
  return wrong.length === 0 ? null : `${wrong.join()} did not change`;
}

describe.each(BUILT_IN_STRATEGIES.map(({ id }) => id))('%s', (strategy) => {
  it.each([
    ['contents of files are kept', true],
    ['nothing is kept', false],
  ])(`says what happened, ${ROUNDS} rounds from seed ${SEED}: %s`, { tags: ['B5', 'B18'] }, async (_, keeps) => {
    const random = seededRandom(SEED);
    const session = await outcomeSession({
      files: Object.fromEntries(PATHS.map((path, nth) => [path, `export const part${nth} = ${nth};\n${FILLER}\n`])),
      compaction: { strategy },
      window: WINDOW,
      keeps,
    });
    const { journal } = session.agent;
    const rounds = new Rounds(session, random, keeps);
    const { truth } = rounds;
    const compactions = () => [...journal.ofType('compaction')];
    const story: string[] = [];
    const told: string[] = [];
    for (let nth = 0; nth < ROUNDS; nth++) {
      const made = compactions().length;
      const before = structuredClone(truth);
      story.push(await rounds.next());
      if (nth % BY_HAND === BY_HAND - 1)
        await session.agent.compactor.compact({ trigger: 'manual' }, new AbortController().signal);
      const where = `seed ${SEED}, ${strategy}, round ${nth}: ${story.slice(-12).join(', ')}`;
      // A compaction within the round may have come before its call.
      const known = [before, truth];
      const isUnchanged = (path: string) => known.every(({ files }) => !files.has(path));
      expect(
        findFiles(journal.backward()).changed.filter((path) => !truth.files.has(path)),
        where,
      ).toEqual([]);
      for (const text of compactions()
        .slice(made)
        .flatMap(({ plan }) => plan.flatMap(insertedBy))) {
        const [heading, ...lines] = text.split('\n');
        for (const line of heading === LEDGER_HEADING ? lines : []) {
          told.push(line);
          const faults = known.map((each) => refute(line, each));
          expect(faults.includes(null) ? line : `${line}: ${faults.join(', ')}`, where).toBe(line);
        }
        const others =
          lines
            .find((line) => line.startsWith(OTHERS))
            ?.slice(OTHERS.length)
            .split(', ') ?? [];
        expect(others.filter(isUnchanged), where).toEqual([]);
        expect(
          truth.unwritten.filter((each) => text.includes(each)),
          where,
        ).toEqual([]);
      }
      // The model must not ask again.
      const [newest] = [...truth.declined.keys()].slice(-1);
      const shown = journal.context.conversation.map(({ message }) => message);
      const isInView = shown.some(({ role, text }) => role === 'tool' && text.startsWith(DECLINED));
      if (newest !== undefined && !isInView)
        expect(shown.filter(({ text }) => text.includes(`- declined by the person: ${newest}`)).length, where).toBe(1);
    }
    // Of which kinds they are is a matter of chance; there are some in any case.
    expect(told.length, strategy).toBeGreaterThan(0);
  });
});

const insertedBy = (op: PlanOp): string[] => (op.op === 'insert' ? [op.message.text] : []);
