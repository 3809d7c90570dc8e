/**
 * Extracts facts from messages that have left or are about to: the user's requests, files and their state, errors and
 * their solutions, commands and their results, the newest todo list, recallable ids, and the paths and error codes in
 * notes. Extraction is deterministic, newest first in each kind; each fact has the words by which it is recognised
 * elsewhere.
 */

import type { ContextMessage, PastMessage } from '../../../api/index.ts';
import type { ToolCall } from '../../context/message.ts';
import { describeTodos, parseTodos, WRITE_TODOS } from '../../tools/todos.ts';
import { parseObject } from '../../json.ts';
import { neutraliseNotes } from '../../tools/text/stripControls.ts';
import { verbatim, type Words, words } from '../../words.ts';
import { ownWordsOf } from './history.ts';

const LONGEST_LINE = 300;
const NEEDLE = 80;

/** Read-only commands: their exit status says little. */
const LOOKS =
  /^(?:cd [^&;]{0,300}(?:&&|;) *)?(?:sed -n|cat|head|tail|nl|less|bat|ls|pwd|find|grep|rg|wc|echo|which|git (?:status|diff|log|show))\b/;

export interface Facts {
  /** By kind, without duplicates, newest first. */
  readonly kinds: readonly Fact[][];
  /** The person's first request; null if it stays. It is also among the others. */
  readonly first: Fact | null;
}

/**
 * The facts in the messages of `session` that are `gone`. `carried` are lines of earlier ledgers that leave, newest
 * first: they may concern messages no longer in `session`, so they count as older than all of it, and newer statements
 * about the same thing win.
 */
export function extractFacts(
  session: readonly Said[],
  gone: (message: Said) => boolean,
  carried: readonly (readonly string[])[] = [],
): Facts {
  const found = new Map<FactKind, Map<string, Fact>>(KINDS.map((kind) => [kind, new Map()]));
  const add = (kind: FactKind, fact: Fact) => {
    const facts = found.get(kind);
    if (fact.needle !== '' && !facts?.has(fact.line)) facts?.set(fact.line, fact);
  };
  let first: Fact | null = null;
  /** Texts of the lines found in `session`, gone or not. */
  const known = new Map<FactKind, Set<string>>(KINDS.map((kind) => [kind, new Set()]));
  const solutions = new Solutions(session);
  const results = new Map<string, SaidResult>();
  /** Newest first: later messages give the present state. */
  const states = new Set<string>();
  const commands = known.get('command') ?? new Set();
  let todo = false;
  for (const message of session.toReversed()) {
    const leaves = gone(message);
    switch (message.role) {
      case 'user':
        if (message.kind === 'user') {
          const asked = quoteAsked(message);
          if (asked.needle === '') break;
          known.get('asked')?.add(textOf(asked.line));
          first = leaves ? asked : null;
          if (leaves) add('asked', asked);
        } else if (leaves && message.kind === 'summary') {
          for (const name of namesIn(withoutLedger(message.text)))
            add('noted', { line: `noted: ${name}`, needle: name });
        }
        break;
      case 'assistant':
        for (const call of message.toolCalls) {
          const result = results.get(call.id);
          const changes = WRITES.test(call.name);
          for (const path of pathsOf(call)) {
            if (changes) solutions.changed(path);
            const isNewest = changes && !states.has(path);
            if (isNewest) states.add(path);
            known.get(changes ? 'file changed' : 'file read')?.add(path);
            if (!leaves || (changes && !isNewest)) continue;
            const label = changes ? (DELETES.test(call.name) ? 'file deleted' : 'file changed') : 'file read';
            add(changes ? 'file changed' : 'file read', { line: `${label}: ${path}`, needle: path });
          }
          const command = result ? commandOf(call) : null;
          if (command !== null && result && !LOOKS.test(command)) {
            const line = quoted(outcomeOf(result), command);
            const run = textOf(line);
            // Of the same command the newest run counts, wherever it is. Mentioning the command elsewhere does not
            // reveal its result.
            if (!commands.has(run) && leaves) add('command', { line, needle: null });
            commands.add(run);
          }
          const list = todo ? null : todoList(call);
          if (list !== null) {
            todo = true;
            if (leaves) add('todo list', quote('todo list', list));
          }
        }
        break;
      case 'tool': {
        results.set(message.toolCallId, message);
        const solution = solutions.of(message);
        if (!leaves) break;
        const error = isHidden(message) || !hasFailed(message) ? null : errorLine(message);
        if (error !== null) add('error', quote(`error of ${message.toolName}${solution}`, error));
        // A stub or a cut result was the only way back to its body, so its id is a fact.
        if (isHidden(message) || message.truncated) {
          add('can be recalled', {
            line: `can be recalled: ${message.id} (${message.toolName})`,
            needle: `id ${message.id}`,
          });
        }
        break;
      }
    }
  }
  for (const [kind, facts] of found) for (const line of facts.keys()) known.get(kind)?.add(textOf(line));
  for (const line of carried.flat()) {
    const kind = kindOf(line);
    const isOld = kind === 'todo list' ? todo : saysAlready(known.get(kind) ?? new Set(), textOf(line));
    if (isOld) continue;
    todo ||= kind === 'todo list';
    const fact = { line, needle: kind === 'command' ? null : needleOf(uncut(textOf(line))) };
    // Of several ledgers the oldest records the first request.
    found.get(kind)?.delete(line);
    add(kind, fact);
    if (kind === 'asked') first = fact;
  }
  return { kinds: KINDS.map((kind) => [...(found.get(kind)?.values() ?? [])]), first };
}

const kindOf = (line: string): FactKind =>
  KINDS.find((name) => line.startsWith(name)) ?? (line.startsWith('file deleted') ? 'file changed' : 'file read');

const textOf = (line: string): string => line.slice(line.indexOf(': ') + 2);

const uncut = (text: string): string => text.replace(/…$/, '');

/** True when a line with this text is known, possibly a longer one where this one was cut. */
function saysAlready(known: ReadonlySet<string>, text: string): boolean {
  const begins = uncut(text);
  if (begins === text) return known.has(text);
  for (const each of known) if (neutraliseNotes(each).startsWith(begins)) return true;
  return false;
}

/** The todo list in a call, empty for an empty list; null when the call does not concern it. */
function todoList({ name, arguments: json }: ToolCall): string | null {
  if (!/todo/i.test(name)) return null;
  if (name !== WRITE_TODOS) return json;
  const todos = parseTodos(json);
  return todos && describeTodos(todos);
}

const NAME = /[^\s`'"()<>[\]{},;|]{3,200}/g;
const PATH = /^(?:[A-Za-z]:)?[\w.@+~-]*(?:[\\/][\w.@+~-]+)*[\\/][\w.@+~-]*\.[A-Za-z]\w{0,7}$/;

const CODE =
  /^(?:[A-Z]{1,6}-?\d{2,6}|0x[\dA-Fa-f]{4,16}|E(?:NO|CONN)[A-Z]{2,12}|EACCES|EPERM|EEXIST|ETIMEDOUT|EADDRINUSE)$/;

/** Paths and error codes only, so that no sentence of a model enters a ledger. */
function namesIn(notes: string): string[] {
  return (notes.match(NAME) ?? [])
    .map((name) => name.replace(/(?::\d{1,9}){0,2}[.:!?]{0,3}$/, ''))
    .filter((name) => PATH.test(name) || CODE.test(name));
}

/** Memoises a function by message or call: they never change, and a long session is compacted often. */
function once<K extends object, V>(find: (of: K) => V): (of: K) => V {
  const found = new WeakMap<K, { readonly value: V }>();
  return (of) => {
    const known = found.get(of) ?? { value: find(of) };
    found.set(of, known);
    return known.value;
  };
}

const quoteAsked = once((message: Said): Fact => quote('asked', ownWordsOf(message)));

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

/** Null where a command merely returned a non-zero exit code, such as a search without matches. */
function errorLine({ text, isError }: SaidResult): string | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const telling = lines.find((line) => /error|fail|exception|denied|not found/i.test(line));
  return telling ?? (isError ? (lines[0] ?? '') : null);
}

/** A message of the present history, or a past message as appended: the input for facts. */
export type Said = ContextMessage | PastMessage;

type SaidResult = Extract<Said, { role: 'tool' }>;

const isHidden = (message: Said): boolean => 'hidden' in message && message.hidden;

/**
 * The whole session in order: results as the history shows them, or as appended if they left with an earlier
 * compaction. Requests and calls are in their original form, because cutting them may remove their subject. Notes come
 * after all messages they were made from.
 */
export function wholeSession(history: readonly ContextMessage[], past: readonly PastMessage[]): readonly Said[] {
  const shown = new Map(history.map((message) => [message.id, message]));
  const added = new Set(past.map(({ id }) => id));
  const said: Said[] = past.map((message) => (message.role === 'tool' ? (shown.get(message.id) ?? message) : message));
  const others = history.filter(({ id }) => !added.has(id));
  // The past is ordered, and few messages are merged into it.
  for (const other of others) said.splice(placeOf(other, said), 0, other);
  return said;
}

/** The index after all messages from the same or an earlier entry. */
function placeOf(message: Said, said: readonly Said[]): number {
  const entry = entryOf(message);
  let [from, to] = [0, said.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (entryOf(said[middle] as Said) <= entry) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The entry that created it: ids begin with a letter and its number. */
const entryOf = ({ id }: Said): number => Number.parseInt(id.slice(1), 10) || 0;

/** The results of commands, from the calls of command tools and their results, including other programs' recordings. */
const RUNS = /command|shell|bash|terminal|exec/i;
const LINE_KEYS = ['command', 'cmd', 'script'];

/** As common tools write it, at the beginning of their results. */
const EXIT_CODE = /^(?:Process |Command )?(?:exited with (?:exit )?code|exit[_ ]?code|exit status):? (-?\d{1,5})\b/im;
const LOOKED_AT = 400;

/** The command that a call runs, on one line; null for other calls. */
export const commandOf = once(findCommand);

function findCommand({ name, arguments: json }: ToolCall): string | null {
  if (!RUNS.test(name)) return null;
  const given = parseObject(json) ?? {};
  for (const key of LINE_KEYS) {
    const value = given[key];
    const text = Array.isArray(value) ? value.at(-1) : value;
    if (typeof text === 'string' && text.trim() !== '') return text.replace(/\s+/g, ' ').trim();
  }
  return null;
}

/** The exit code in a result; null where it has none, or is hidden behind a stub. */
function exitCodeOf(message: SaidResult): number | null {
  const [, code] = isHidden(message) ? [] : (EXIT_CODE.exec(message.text.slice(0, LOOKED_AT)) ?? []);
  return code === undefined ? null : Number(code);
}

/** Either the tool or its command reported failure. */
const hasFailed = once((message: SaidResult): boolean => message.isError || (exitCodeOf(message) ?? 0) !== 0);

/** The outcome of a command, as the ledger words it. */
function outcomeOf(message: SaidResult): string {
  const code = exitCodeOf(message);
  if (code !== null && code !== 0) return `command failed with exit code ${code}`;
  if (message.isError) return 'command failed';
  return code === 0 || !isHidden(message) ? 'command passed' : 'command run';
}

// Finds the solution of an error while reading the session backwards: the files changed before the same call succeeded.

/** Maximum changed files named as the solution of an error. */
const MOST_SOLVING = 3;

class Solutions {
  /** By result: identifies the call it answers. */
  readonly #keys = new Map<Said, string>();
  readonly #changed: string[] = [];
  /** By call: length of `#changed` at its success; later elements of `#changed` were changed before that success. */
  readonly #passed = new Map<string, number>();

  constructor(session: readonly Said[]) {
    const open = new Map<string, string>();
    for (const message of session) {
      if (message.role === 'assistant') {
        for (const call of message.toolCalls) {
          // The same tool on the same file counts as the same call: a failed edit is retried with another text.
          const about = commandOf(call) ?? pathsOf(call)[0] ?? call.arguments;
          open.set(call.id, `${call.name} ${about}`);
        }
      } else if (message.role === 'tool') {
        const key = open.get(message.toolCallId);
        if (key !== undefined) this.#keys.set(message, key);
      }
    }
  }

  changed(path: string): void {
    this.#changed.push(path);
  }

  /** Text after the name of a tool whose call failed; empty for a success, and for an unsolved error. */
  of(message: SaidResult): string {
    const key = this.#keys.get(message);
    if (key === undefined) return '';
    if (!hasFailed(message)) {
      this.#passed.set(key, this.#changed.length);
      return '';
    }
    const from = this.#passed.get(key);
    if (from === undefined) return '';
    const files = [...new Set(this.#changed.slice(from).reverse())].filter((path) => !path.includes(':'));
    return files.length ? `, solved by changing ${files.slice(0, MOST_SOLVING).join(', ')}` : ', which later passed';
  }
}

/**
 * The lines of a ledger: their kinds, their labels for a person, and how a ledger is recognised. `extractFacts` finds
 * their content.
 */
interface Fact {
  readonly line: string;
  /** The fact has survived if these words occur in a kept message. Null where only the line itself can express it. */
  readonly needle: string | null;
}

/** The kinds of facts, most important first, with the opening of their lines in the ledger. */
const KINDS = [
  'asked',
  'file changed',
  'error',
  'command',
  'todo list',
  'can be recalled',
  'file read',
  'noted',
] as const;

type FactKind = (typeof KINDS)[number];

/** Translatable labels for a person; the model reads the English. */
const LABELS: readonly (readonly [start: string, label: Words])[] = [
  ['asked: ', words('asked')],
  ['file changed: ', words('file changed')],
  ['file deleted: ', words('file deleted')],
  ['command passed: ', words('command passed')],
  ['command failed: ', words('command failed')],
  ['command run: ', words('command run')],
  ['file read: ', words('file read')],
  ['todo list: ', words('todo list')],
  ['can be recalled: ', words('can be looked up')],
  ['noted: ', words('noted')],
];

export function factWords(line: string): Words {
  const [, tool, files, passed, message = ''] = ERROR.exec(line) ?? [];
  if (tool !== undefined) {
    if (files !== undefined)
      return words('{0}: {1}', words('error of {0}, solved by changing {1}', tool, files), message);
    const label = passed === undefined ? words('error of {0}', tool) : words('error of {0}, which later passed', tool);
    return words('{0}: {1}', label, message);
  }
  const [, code, failed = ''] = FAILED.exec(line) ?? [];
  if (code !== undefined) return words('{0}: {1}', words('command failed with exit code {0}', code), failed);
  const [start, label] = LABELS.find(([each]) => line.startsWith(each)) ?? [];
  return start && label ? words('{0}: {1}', label, line.slice(start.length)) : verbatim(line);
}

export const LEDGER_HEADING = 'Ledger (facts of what was compacted, collected by program):';
const ERROR = /^error of (\S+?)(?:, solved by changing ([^:]{1,900})|(, which later passed))?: (.*)$/s;
const FAILED = /^command failed with exit code (-?\d{1,5}): (.*)$/s;

/** Tools that read a file, including other programs' tools. */
export const READS = /^read_?file$|^read$/i;

/** Names of tools that change or remove files. */
export const WRITES = /write|edit|patch|create|delete|rename|move|replace|insert|update/i;
const DELETES = /delete|remove_file/i;
const PATH_KEYS: ReadonlySet<string> = new Set(['path', 'file_path', 'filePath', 'file', 'filename', 'target_file']);

export function isLedger(text: string): boolean {
  return text.startsWith(LEDGER_HEADING);
}

/** The text of a note without its ledger: earlier versions put that after the summary. */
export function withoutLedger(text: string): string {
  const start = text.lastIndexOf(LEDGER_HEADING);
  return start < 0 ? text : text.slice(0, start).trimEnd();
}

/** Values of the keys that name files, in JSON that may be malformed. */
export function pathsIn(json: string): string[] {
  return Object.entries(parseObject(json) ?? {}).flatMap(([key, path]) =>
    PATH_KEYS.has(key) && typeof path === 'string' && path.length > 0 && path.length < 300 ? [path.toWellFormed()] : [],
  );
}

const pathsOf = once((call: ToolCall): readonly string[] => pathsIn(call.arguments));

/** The canonical spelling of a file, however a call named it. */
export const plainPath = (path: string): string => path.replaceAll('\\', '/').replace(/^(\.\/)+/, '');
