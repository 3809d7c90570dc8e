/**
 * The facts of a path that must survive compactions: the person's requests and what they declined, files and their state,
 * errors and what changed until they passed, commands and how they ended, the newest todo list, recallable ids, and the paths and error
 * codes in notes. They are collected by program, each message is read once, and what is asked for is found newest first
 * and no further than it is needed.
 */

import type { ContextMessage } from '../../../api/index.ts';
import { CallLog, type CallRecord } from '../../calls/callLog.ts';
import { commandOf, looks, onlyShows, scriptOf } from '../../calls/commandsInCalls.ts';
import { type FileEffect, namesIn } from '../../calls/effects.ts';
import { type ErrorMessage, findErrorMessage } from '../../calls/errorMessage.ts';
import { filesIn, plainPath } from '../../calls/filesInCalls.ts';
import { DECLINED } from '../../calls/outcome.ts';
import { ownText } from '../../context/authorship.ts';
import type { CallOutcome, ToolCall, UserMessage } from '../../context/message.ts';
import { type MessageEntry, messageId, type TreeEntry } from '../../journal/entry.ts';
import { PathFold } from '../../journal/pathFold.ts';
import { once } from '../../once.ts';
import { describeTodos, parseTodos, WRITE_TODOS } from '../../tools/todos.ts';
import { KnownTexts } from './knownTexts.ts';
import { type Fact, type FactKind, KINDS, withoutLedger } from './ledgerLines.ts';

const LONGEST_LINE = 300;
const NEEDLE = 80;

/** Most changed files that are named between an error and the run that passed. */
const MOST_NAMED = 3;

export interface Facts {
  /** By kind, newest first, found as far as they are asked for. */
  readonly kinds: readonly Iterable<Fact>[];
  /** The person's first request; null if it stays. It is also among the others. */
  readonly first: Fact | null;
}

/** Something of a message that leaves with it. */
interface Leaving {
  /** `seq` of the message. */
  readonly seq: number;
}

interface Asked extends Leaving {
  readonly fact: Fact;
}

interface FileEvent extends Leaving {
  readonly record: CallRecord;
  readonly effect: FileEffect;
}

interface Read extends Leaving {
  readonly path: string;
}

/** A call that the person declined, with what it is about: the same tool on the same thing is one. */
interface Unmade extends Leaving {
  readonly about: string;
  readonly text: string;
  readonly tool: string;
}

interface Failure extends Leaving {
  readonly about: string;
  readonly record: CallRecord;
  /** Number of changes of files before it, and before the success that followed; null while there is none. */
  readonly since: number;
  until: number | null;
}

interface Run extends Leaving {
  readonly command: string;
  readonly record: CallRecord;
}

interface Cut extends Leaving {
  readonly tool: string;
}

export class SessionFacts {
  readonly #log = new CallLog();
  readonly #asked: Asked[] = [];
  readonly #files: FileEvent[] = [];
  /** By their files, in the order of their last read. */
  readonly #reads = new Map<string, Read>();
  readonly #declined: Unmade[] = [];
  /** The newest by the thing that was declined; without those that were made since. */
  readonly #refusals = new Map<string, Unmade>();
  readonly #failures: Failure[] = [];
  /** Of the failures: those whose messages are among the known texts. */
  #searched = 0;
  readonly #unsolved = new Map<string, Failure[]>();
  /** In order; without those by commands. */
  readonly #changes: FileEvent[] = [];
  /** By their commands, in the order of their last run: of the same command the newest run counts, wherever it is. */
  readonly #runs = new Map<string, Run>();
  readonly #cut: Cut[] = [];
  #todo: (Leaving & { readonly list: string }) | null = null;
  readonly #known = new Map<FactKind, KnownTexts>(KINDS.map((kind) => [kind, new KnownTexts()]));

  /** Adds the next entry of the path. */
  add(entry: TreeEntry): void {
    if (entry.type === 'message' && entry.message.role === 'user') this.#ask(entry, entry.message);
    for (const record of this.#log.add(entry)) {
      if (record.result?.seq === entry.seq) this.#answer(record);
      // A command in the background was seen to end.
      else if (record.outcome?.kind === 'made') this.#succeed(aboutOf(record.call));
    }
  }

  /**
   * Those in messages that are `gone`. `history`: the present one, for what only it has. `carried` are lines of earlier
   * ledgers that leave, newest first: they may concern messages that were never added here, so they count as older than
   * all, and newer statements about the same thing win. `recalls`: the model can read hidden messages again.
   */
  of(
    history: readonly ContextMessage[],
    gone: (id: string) => boolean,
    carried: readonly (readonly string[])[] = [],
    recalls = true,
  ): Facts {
    const leaves = ({ seq }: Leaving) => gone(messageId(seq));
    const older = new Map<FactKind, Map<string, Fact>>(KINDS.map((kind) => [kind, new Map()]));
    const [oldest] = this.#asked;
    let first = oldest && leaves(oldest) ? oldest.fact : null;
    for (const line of carried.flat()) {
      const kind = kindOf(line);
      const text = textOf(line);
      if (kind === 'can be recalled' && !recalls) continue;
      if (kind === 'todo list' ? this.#todo !== null : kind !== 'error' && this.#knows(kind, text)) continue;
      if ((kind === 'file read' || kind === 'noted') && this.#isGone(text)) continue;
      const facts = older.get(kind);
      if (kind === 'todo list' && facts?.size) continue;
      const fact = { line, needle: isOnlyLine(line, kind) ? null : needleOf(uncut(text)) };
      // Of several ledgers the oldest records the first request.
      facts?.delete(line);
      if (fact.needle !== '') facts?.set(line, fact);
      if (kind === 'asked') first = fact;
    }
    const own: Readonly<Record<FactKind, () => Iterable<Fact>>> = {
      asked: () => this.#find(this.#asked, leaves, ({ fact }) => fact),
      declined: () => this.#find(this.#declined, leaves, (each) => this.#refusal(each)),
      'file changed': () => this.#find(this.#files, leaves, (each) => this.#state(each)),
      error: () => this.#find(this.#failures, leaves, (each) => this.#error(each)),
      command: () => this.#find([...this.#runs.values()], leaves, (each) => this.#run(each)),
      'todo list': () => (this.#todo && leaves(this.#todo) ? [quote('todo list', this.#todo.list)] : []),
      'can be recalled': () => (recalls ? this.#recallable(history, gone) : []),
      'file read': () => this.#find([...this.#reads.values()], leaves, (each) => this.#read(each)),
      noted: () => findNoted(history, gone, (path) => this.#isGone(path)),
    };
    const olderOf = (kind: FactKind) => older.get(kind)?.values() ?? [];
    const lists = KINDS.map((kind) => [
      own[kind](),
      kind === 'error' ? this.#olderErrors(olderOf(kind)) : olderOf(kind),
    ]);
    return { kinds: lists.map((each) => distinct(...each)), first };
  }

  /** Of those in earlier ledgers. Asked for last, because then every output of the session is searched for its message. */
  *#olderErrors(facts: Iterable<Fact>): Generator<Fact> {
    for (const fact of facts) if (!this.#knowsError(textOf(fact.line))) yield fact;
  }

  *#find<E extends Leaving>(
    events: readonly E[],
    leaves: (event: E) => boolean,
    toFact: (event: E) => Fact | null,
    newest = events.length - 1,
  ): Generator<Fact> {
    for (let at = newest; at >= 0; at--) {
      const event = events[at] as E;
      const fact = leaves(event) ? toFact(event) : null;
      if (fact) yield fact;
    }
  }

  #ask({ seq }: MessageEntry, message: UserMessage): void {
    if (message.kind !== 'user') return;
    const fact = quote('asked', ownText(message));
    if (fact.needle === '') return;
    this.#asked.push({ seq, fact });
    this.#note('asked', textOf(fact.line));
  }

  #answer(record: CallRecord): void {
    const { call, seq, outcome, effects, result } = record;
    if (!outcome || !result) return;
    const command = commandOf(call);
    const about = aboutOf(call);
    const { kind } = outcome;
    if (kind === 'failed' || kind === 'refused') this.#fail(record, about);
    if (kind === 'declined') this.#decline(record, about);
    if (kind === 'made') this.#succeed(about);
    for (const effect of effects) this.#change(record, effect, command !== null);
    if (kind === 'made') for (const { does, path } of filesIn(call)) if (does === 'reads') this.#open(seq, path);
    if (command !== null && kind !== 'declined' && kind !== 'refused' && !looks(command)) {
      const run = { seq, command, record };
      this.#runs.delete(command);
      this.#runs.set(command, run);
      this.#note('command', textOf(quoted('', command)));
    }
    const list = kind === 'made' ? todoList(call) : null;
    if (list !== null) this.#todo = { seq, list };
    const { message } = result;
    if (!message.truncation && !message.offload) return;
    this.#cut.push({ seq: result.seq, tool: message.toolName });
    this.#note('can be recalled', `${messageId(result.seq)} (${message.toolName})`);
  }

  #fail(record: CallRecord, about: string): void {
    if (!record.result) return;
    const failure: Failure = { seq: record.result.seq, about, record, since: this.#changes.length, until: null };
    this.#failures.push(failure);
    const unsolved = this.#unsolved.get(about);
    if (unsolved) unsolved.push(failure);
    else this.#unsolved.set(about, [failure]);
  }

  #decline({ call, result, seq }: CallRecord, about: string): void {
    const { text = '' } = result?.message ?? {};
    const words = text.startsWith(DECLINED) ? text.slice(DECLINED.length).trim() : '';
    const declined = { seq, about, tool: call.name, text: words };
    this.#declined.push(declined);
    this.#refusals.set(about, declined);
    this.#note('declined', textOf(declinedLine(declined)));
  }

  #succeed(about: string): void {
    this.#refusals.delete(about);
    for (const failure of this.#unsolved.get(about) ?? []) failure.until = this.#changes.length;
    this.#unsolved.delete(about);
  }

  /** Of the files that a command changed only those count that the session knows: a build writes hundreds. */
  #change(record: CallRecord, effect: FileEffect, byCommand: boolean): void {
    const { path } = effect;
    const changed = this.#known.get('file changed');
    if (byCommand && !changed?.has(path) && !this.#reads.has(path)) return;
    for (const name of namesIn([effect])) this.#note('file changed', name);
    this.#note('file changed', describeEffect(effect).subject);
    const event = { seq: record.seq, record, effect };
    if (!byCommand) this.#changes.push(event);
    this.#files.push(event);
  }

  #open(seq: number, named: string): void {
    const read = { seq, path: plainPath(named) };
    this.#reads.delete(read.path);
    this.#reads.set(read.path, read);
    this.#note('file read', read.path);
  }

  #note(kind: FactKind, text: string): void {
    this.#known.get(kind)?.add(text);
  }

  #knows(kind: FactKind, text: string): boolean {
    const known = this.#known.get(kind);
    const begins = uncut(text);
    return begins === text ? known?.has(text) === true : known?.begins(begins) === true;
  }

  #knowsError(text: string): boolean {
    for (const { record } of this.#failures.slice(this.#searched)) {
      const found = messageOf(record);
      if (found) this.#note('error', textOf(quote('', found.text).line));
    }
    this.#searched = this.#failures.length;
    return this.#knows('error', text);
  }

  /** Null where something else was done to the file since, or all of it was taken back. */
  #state({ record, effect }: FileEvent): Fact | null {
    const last = this.#log.last(effect.path);
    if (last?.record !== record || last.effect !== effect) return null;
    const { label, subject } = describeEffect(effect);
    // A message that names the file does not say that it is gone.
    return { line: `${label}: ${subject}`, needle: effect.did === 'changed' ? effect.path : null };
  }

  #read({ path }: Read): Fact | null {
    return this.#isGone(path) ? null : { line: `file read: ${path}`, needle: path };
  }

  /** It was deleted or moved, and not written again. */
  #isGone(path: string): boolean {
    const last = this.#log.last(path)?.effect;
    return last?.path === path && (last.did === 'deleted' || last.did === 'moved');
  }

  /** Mentioning the call elsewhere does not say that it was declined. */
  #refusal(declined: Unmade): Fact | null {
    return this.#refusals.get(declined.about) === declined ? { line: declinedLine(declined), needle: null } : null;
  }

  /** Null where the output says nothing of what went wrong. */
  #error({ record, since, until }: Failure): Fact | null {
    const found = messageOf(record);
    if (!found) return null;
    const { text, line } = found;
    const label = until === null ? '' : laterPassed(this.#changes.slice(since, until));
    const fact = quote(`error of ${record.call.name}${label}`, text);
    return { ...fact, needle: line === null ? null : quote('', line).needle };
  }

  /** Mentioning it elsewhere does not reveal its result. */
  #run({ command, record: { outcome } }: Run): Fact | null {
    return outcome ? { line: quoted(describeRun(outcome), command), needle: null } : null;
  }

  /** A stub or a cut result was the only way back to its body, so its id is a fact. */
  *#recallable(history: readonly ContextMessage[], gone: (id: string) => boolean): Generator<Fact> {
    const toFact = (id: string, tool: string) => ({ line: `can be recalled: ${id} (${tool})`, needle: `id ${id}` });
    let before = this.#cut.length - 1;
    for (const message of history.toReversed()) {
      if (message.role !== 'tool' || !message.hidden || !gone(message.id)) continue;
      for (; before >= 0 && (this.#cut[before] as Cut).seq > seqOf(message.id); before--) {
        const { seq, tool } = this.#cut[before] as Cut;
        if (gone(messageId(seq))) yield toFact(messageId(seq), tool);
      }
      yield toFact(message.id, message.toolName);
    }
    const leaves = ({ seq }: Cut) => gone(messageId(seq));
    yield* this.#find(this.#cut, leaves, ({ seq, tool }) => toFact(messageId(seq), tool), before);
  }
}

/** Outputs are long, and most failures of a long session are never asked for. */
const messageOf = once(({ call, outcome, result }: CallRecord): ErrorMessage | null => {
  const command = commandOf(call);
  const shows = command !== null && onlyShows(scriptOf(call) ?? '');
  return findErrorMessage(result?.message.text ?? '', { exitCode: outcome?.exitCode, command, shows });
});

/** The facts of a path, which mostly only grows. */
export const pathFacts = new PathFold(() => new SessionFacts());

/** Ids begin with a letter and the number of their entry. */
const seqOf = (id: string): number => Number.parseInt(id.slice(1), 10) || 0;

/** A failed edit is retried with another text, so the file tells it. */
const aboutOf = (call: ToolCall): string =>
  `${call.name} ${commandOf(call) ?? filesIn(call)[0]?.path ?? call.arguments}`;

/** A message that names the thing does not say this of it. */
const isOnlyLine = (line: string, kind: FactKind): boolean =>
  kind === 'command' || kind === 'declined' || /^file (?:deleted|moved|restored)/.test(line);

function* distinct(...lists: readonly Iterable<Fact>[]): Generator<Fact> {
  const lines = new Set<string>();
  for (const list of lists) {
    for (const fact of list) {
      if (fact.needle === '' || lines.has(fact.line)) continue;
      lines.add(fact.line);
      yield fact;
    }
  }
}

function describeEffect({ path, did, to = '' }: FileEffect): { readonly label: string; readonly subject: string } {
  return did === 'moved'
    ? { label: 'file moved', subject: `${path} to ${to}` }
    : { label: `file ${did}`, subject: path };
}

function describeRun({ kind, exitCode, background }: CallOutcome): string {
  if (kind === 'running') return `command running when last seen${background ? `, as ${background.id}` : ''}`;
  if (kind === 'interrupted') return 'command stopped before its end';
  // Only an exit code says that it passed.
  if (kind !== 'failed') return exitCode === 0 ? 'command passed' : 'command run';
  return exitCode === undefined ? 'command failed' : `command failed with exit code ${exitCode}`;
}

const declinedLine = ({ about, text }: Unmade): string =>
  quoted('declined by the person', (text === '' ? about : `${about} (${text})`).replace(/\s+/g, ' '));

/** Changes in between may have nothing to do with it, so they are named only where they are few. */
function laterPassed(changed: readonly FileEvent[]): string {
  const stands = changed.filter(({ record }) => !record.takenBack);
  const files = namesIn(stands.map(({ effect }) => effect)).filter((path) => !path.includes(':'));
  const isLittle = files.length > 0 && files.length <= MOST_NAMED;
  return `, which later passed${isLittle ? `, after changes to ${files.join(', ')}` : ''}`;
}

const kindOf = (line: string): FactKind =>
  KINDS.find((name) => line.startsWith(name)) ??
  (/^file (?:deleted|moved|restored)/.test(line) ? 'file changed' : 'file read');

const textOf = (line: string): string => line.slice(line.indexOf(': ') + 2);

const uncut = (text: string): string => text.replace(/…$/, '');

/** The todo list in a call, empty for an empty list; null when the call does not concern it. */
function todoList({ name, arguments: json }: ToolCall): string | null {
  if (!/todo/i.test(name)) return null;
  if (name !== WRITE_TODOS) return json;
  const todos = parseTodos(json);
  return todos && describeTodos(todos);
}

/** In notes that leave, newest first. */
function* findNoted(
  history: readonly ContextMessage[],
  gone: (id: string) => boolean,
  isGone: (path: string) => boolean,
): Generator<Fact> {
  for (const message of history.toReversed()) {
    if (message.role !== 'user' || message.kind !== 'summary' || !gone(message.id)) continue;
    for (const name of pathsAndCodes(withoutLedger(message.text)))
      if (!isGone(name)) yield { line: `noted: ${name}`, needle: name };
  }
}

const NAME = /[^\s`'"()<>[\]{},;|]{3,200}/g;
const PATH = /^(?:[A-Za-z]:)?[\w.@+~-]*(?:[\\/][\w.@+~-]+)*[\\/][\w.@+~-]*\.[A-Za-z]\w{0,7}$/;

const CODE =
  /^(?:[A-Z]{1,6}-?\d{2,6}|0x[\dA-Fa-f]{4,16}|E(?:NO|CONN)[A-Z]{2,12}|EACCES|EPERM|EEXIST|ETIMEDOUT|EADDRINUSE)$/;

/** Paths and error codes only, so that no sentence of a model enters a ledger. */
function pathsAndCodes(notes: string): string[] {
  return (notes.match(NAME) ?? [])
    .map((name) => name.replace(/(?::\d{1,9}){0,2}[.:!?]{0,3}$/, ''))
    .filter((name) => PATH.test(name) || CODE.test(name));
}

function quote(label: string, text: string): Fact {
  const flat = text.replace(/\s+/g, ' ').trim().toWellFormed();
  return { line: quoted(label, flat), needle: needleOf(flat) };
}

function quoted(label: string, flat: string): string {
  return `${label}: ${flat.length > LONGEST_LINE ? `${flat.slice(0, LONGEST_LINE).toWellFormed()}…` : flat.toWellFormed()}`;
}

/** The beginning of a text, up to the last whole word in scripts with blanks between words. */
function needleOf(text: string): string {
  if (text.length <= NEEDLE) return text;
  const start = text.slice(0, NEEDLE).toWellFormed();
  const blank = start.lastIndexOf(' ');
  return blank > NEEDLE / 2 ? start.slice(0, blank) : start;
}
