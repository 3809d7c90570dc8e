/**
 * The facts of messages that are about to leave: what the user asked for, files touched, errors and what solved them, the
 * newest todo list, references to what can be recalled, the paths and error codes that notes name. Extracted by program,
 * newest first in each kind, each with the words that must be found if it survived elsewhere.
 */

import type { ContextMessage } from '../../../api/index.ts';
import type { ToolCall } from '../../context/message.ts';
import { parseObject } from '../../json.ts';
import { describeTodos, parseTodos, WRITE_TODOS } from '../../todo/todos.ts';
import { verbatim, type Words, words } from '../../words.ts';

export interface Fact {
  readonly line: string;
  /** The fact survived when this is found in what stays. */
  readonly needle: string;
}

/** The kinds of facts, most important first: how the lines of each begin in the ledger. */
const KINDS = ['asked', 'file changed', 'error', 'todo list', 'can be recalled', 'file read', 'noted'] as const;

type FactKind = (typeof KINDS)[number];

/** How a person is told the label of a line; the model reads the English. */
const LABELS: readonly (readonly [start: string, label: Words])[] = [
  ['asked: ', words('asked')],
  ['file changed: ', words('file changed')],
  ['file read: ', words('file read')],
  ['todo list: ', words('todo list')],
  ['can be recalled: ', words('can be looked up')],
  ['noted: ', words('noted')],
];

/** A line of the ledger for a person. */
export function factWords(line: string): Words {
  const [, tool, files, passed, message = ''] = ERROR.exec(line) ?? [];
  if (tool !== undefined) {
    if (files !== undefined)
      return words('{0}: {1}', words('error of {0}, solved by changing {1}', tool, files), message);
    const label = passed === undefined ? words('error of {0}', tool) : words('error of {0}, which later passed', tool);
    return words('{0}: {1}', label, message);
  }
  const [start, label] = LABELS.find(([each]) => line.startsWith(each)) ?? [];
  return start && label ? words('{0}: {1}', label, line.slice(start.length)) : verbatim(line);
}

export const LEDGER_HEADING = 'Ledger (facts of what was compacted, collected by program):';

const LONGEST_LINE = 300;
const NEEDLE = 80;
/** Changed files that are named as the solution of an error. */
const MOST_SOLVING = 3;
const ERROR = /^error of (\S+?)(?:, solved by changing ([^:]{1,900})|(, which later passed))?: (.*)$/s;
/** Tools that read a file, in recordings of other programs too. */
export const READS = /^read_?file$|^read$/i;
/** Names of tools that change files. */
export const WRITES = /write|edit|patch|create|delete|rename|move|replace|insert|update/i;
const PATH_KEYS: ReadonlySet<string> = new Set(['path', 'file_path', 'filePath', 'file', 'filename', 'target_file']);

/** Whether a note is a ledger and nothing else. */
export function isLedger(text: string): boolean {
  return text.startsWith(LEDGER_HEADING);
}

/** What a note says beside its ledger: earlier versions put that after the summary. */
export function withoutLedger(text: string): string {
  const start = text.lastIndexOf(LEDGER_HEADING);
  return start < 0 ? text : text.slice(0, start).trimEnd();
}

/** A model writes summaries: what it puts under this heading must not pass as found by program. */
export function neutraliseLedger(text: string): string {
  return text.replaceAll(LEDGER_HEADING, 'Facts that earlier notes named:');
}

/** The facts of what is `gone` from `history`, by kind, each once. */
export function extractFacts(history: readonly ContextMessage[], gone: ReadonlySet<ContextMessage>): readonly Fact[][] {
  const found = new Map<FactKind, Map<string, Fact>>(KINDS.map((kind) => [kind, new Map()]));
  const add = (kind: FactKind, fact: Fact) => {
    const facts = found.get(kind);
    if (fact.needle && !facts?.has(fact.line)) facts?.set(fact.line, fact);
  };
  const solutions = new Solutions(history);
  let todo = false;
  for (const message of history.toReversed()) {
    const leaves = gone.has(message);
    switch (message.role) {
      case 'user':
        if (!leaves) break;
        if (message.kind === 'user') add('asked', quote('asked', message.text));
        else if (message.kind === 'summary') {
          for (const [kind, fact] of carriedFacts(message.text)) if (kind !== 'todo list' || !todo) add(kind, fact);
          for (const name of namesIn(withoutLedger(message.text)))
            add('noted', { line: `noted: ${name}`, needle: name });
        }
        break;
      case 'assistant':
        for (const call of message.toolCalls) {
          const changes = WRITES.test(call.name);
          for (const path of pathsIn(call.arguments)) {
            if (changes) solutions.changed(path);
            const kind = changes ? 'file changed' : 'file read';
            if (leaves) add(kind, { line: `${kind}: ${path}`, needle: path });
          }
          const list = todo ? null : todoList(call);
          if (list !== null) {
            todo = true;
            if (leaves) add('todo list', quote('todo list', list));
          }
        }
        break;
      case 'tool': {
        const solution = solutions.of(message);
        if (!leaves) break;
        if (message.isError && !message.hidden) {
          add('error', quote(`error of ${message.toolName}${solution}`, errorLine(message.text)));
        }
        // A stub or a cut result was the only way back to its body, so its id is a fact.
        if (message.hidden || message.truncated) {
          add('can be recalled', {
            line: `can be recalled: ${message.id} (${message.toolName})`,
            needle: `id ${message.id}`,
          });
        }
        break;
      }
    }
  }
  return KINDS.map((kind) => [...(found.get(kind)?.values() ?? [])]);
}

/** What solved an error, for a history that is read backwards: the files changed before the same call passed. */
class Solutions {
  readonly #keys = new Map<string, string>();
  readonly #changed: string[] = [];
  /** By call: length of `#changed` at its success; what comes in later in `#changed` was changed before that success. */
  readonly #passed = new Map<string, number>();

  constructor(history: readonly ContextMessage[]) {
    for (const message of history) {
      if (message.role !== 'assistant') continue;
      for (const call of message.toolCalls) {
        // The same tool on the same file is the same call: an edit that failed is tried again with another text.
        const [path] = pathsIn(call.arguments);
        this.#keys.set(`${message.block} ${call.id}`, `${call.name} ${path ?? call.arguments}`);
      }
    }
  }

  changed(path: string): void {
    this.#changed.push(path);
  }

  /** What follows the name of a tool whose call failed; empty for a success, and for what was not solved. */
  of(message: Extract<ContextMessage, { role: 'tool' }>): string {
    const key = this.#keys.get(`${message.block} ${message.toolCallId}`);
    if (key === undefined) return '';
    if (!message.isError) {
      this.#passed.set(key, this.#changed.length);
      return '';
    }
    const from = this.#passed.get(key);
    if (from === undefined) return '';
    const files = [...new Set(this.#changed.slice(from).reverse())].filter((path) => !path.includes(':'));
    return files.length ? `, solved by changing ${files.slice(0, MOST_SOLVING).join(', ')}` : ', which later passed';
  }
}

/** The lines of an earlier ledger: it leaves with its summary, its facts must not. */
function carriedFacts(summary: string): (readonly [FactKind, Fact])[] {
  const start = summary.lastIndexOf(LEDGER_HEADING);
  if (start < 0) return [];
  const lines = summary.slice(start + LEDGER_HEADING.length).split('\n');
  return lines.flatMap((text) => {
    if (!text.startsWith('- ')) return [];
    const line = text.slice(2);
    const kind = KINDS.find((name) => line.startsWith(name)) ?? 'file read';
    return [[kind, { line, needle: line.slice(line.indexOf(': ') + 2).slice(0, NEEDLE) }] as const];
  });
}

/** What a call says of the todo list, empty for an empty one; null when it says nothing of it. */
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

/** Paths and error codes: only names, so that no sentence of a model gets into a ledger. */
function namesIn(notes: string): string[] {
  return (notes.match(NAME) ?? [])
    .map((name) => name.replace(/(?::\d{1,9}){0,2}[.:!?]{0,3}$/, ''))
    .filter((name) => PATH.test(name) || CODE.test(name));
}

function quote(label: string, text: string): Fact {
  const flat = text.replace(/\s+/g, ' ').trim().toWellFormed();
  const short = flat.length > LONGEST_LINE ? `${flat.slice(0, LONGEST_LINE).toWellFormed()}…` : flat;
  return { line: `${label}: ${short}`, needle: flat.slice(0, NEEDLE) };
}

function errorLine(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.find((line) => /error|fail|exception|denied|not found/i.test(line)) ?? lines[0] ?? '';
}

/** Values of the keys that name files, in JSON that may be malformed. */
export function pathsIn(json: string): string[] {
  return Object.entries(parseObject(json) ?? {}).flatMap(([key, path]) =>
    PATH_KEYS.has(key) && typeof path === 'string' && path.length > 0 && path.length < 300 ? [path.toWellFormed()] : [],
  );
}

/** One spelling for a file, however a call named it. */
export const plainPath = (path: string): string => path.replaceAll('\\', '/').replace(/^(\.\/)+/, '');
