/**
 * The facts of messages that are about to leave: what the user asked for, files touched, errors met, the
 * newest todo list, references to what can be recalled. Extracted by program, newest first, each with the words that must
 * be found if it survived elsewhere.
 */

import type { ContextMessage } from '../../../api/index.ts';
import { parseObject } from '../../json.ts';
import { verbatim, type Words, words } from '../../words.ts';

interface Fact {
  /** Smaller goes into the ledger first. */
  readonly rank: number;
  readonly line: string;
  /** The fact survived when this is found in what stays. */
  readonly needle: string;
}

/** How a person is told the label of a line; the model reads the English. */
const LABELS: readonly (readonly [start: string, label: Words])[] = [
  ['asked: ', words('asked')],
  ['file changed: ', words('file changed')],
  ['file read: ', words('file read')],
  ['todo list: ', words('todo list')],
  ['can be recalled: ', words('can be recalled')],
];

/** A line of the ledger for a person. */
export function factWords(line: string): Words {
  const [, tool, message] = /^error of (\S+): (.*)$/s.exec(line) ?? [];
  if (tool !== undefined) return words('{0}: {1}', words('error of {0}', tool), message ?? '');
  const [start, label] = LABELS.find(([each]) => line.startsWith(each)) ?? [];
  return start && label ? words('{0}: {1}', label, line.slice(start.length)) : verbatim(line);
}

export const LEDGER_HEADING = 'Ledger (facts of what was compacted, collected by program):';

const LONGEST_LINE = 300;
const NEEDLE = 80;
const MOST_ERRORS = 3;
const WRITES = /write|edit|patch|create|delete|rename|move|replace|insert|update/i;
const PATH_KEYS: ReadonlySet<string> = new Set(['path', 'file_path', 'filePath', 'file', 'filename', 'target_file']);

/** A model writes summaries: what it puts under this heading must not pass as found by program. */
export function neutraliseLedger(text: string): string {
  return text.replaceAll(LEDGER_HEADING, 'Facts that earlier notes named:');
}

/** Facts of the messages that are `gone`, most important first, each once. */
export function extractFacts(gone: readonly ContextMessage[]): Fact[] {
  const facts = new Map<string, Fact>();
  const add = (fact: Fact) => {
    if (fact.needle && !facts.has(fact.line)) facts.set(fact.line, fact);
  };
  let errors = 0;
  let todo = false;
  for (const message of gone.toReversed()) {
    switch (message.role) {
      case 'user':
        if (message.kind === 'user') add(quote(0, 'asked', message.text));
        else if (message.kind === 'summary') for (const fact of carriedFacts(message.text)) add(fact);
        break;
      case 'assistant':
        for (const call of message.toolCalls) {
          const changes = WRITES.test(call.name);
          for (const path of pathsIn(call.arguments)) {
            add({ rank: changes ? 1 : 5, line: `${changes ? 'file changed' : 'file read'}: ${path}`, needle: path });
          }
          if (!todo && /todo/i.test(call.name)) {
            todo = true;
            add(quote(3, 'todo list', call.arguments));
          }
        }
        break;
      case 'tool':
        if (message.isError && errors < MOST_ERRORS && !message.hidden) {
          errors++;
          add(quote(2, `error of ${message.toolName}`, errorLine(message.text)));
        }
        // A stub or a cut result was the only way back to its body, so its id is a fact.
        if (message.hidden || message.truncated) {
          add({ rank: 4, line: `can be recalled: ${message.id} (${message.toolName})`, needle: `id ${message.id}` });
        }
        break;
    }
  }
  return [...facts.values()].toSorted((a, b) => a.rank - b.rank);
}

/** The lines of an earlier ledger: it leaves with its summary, its facts must not. */
function carriedFacts(summary: string): Fact[] {
  const start = summary.lastIndexOf(LEDGER_HEADING);
  if (start < 0) return [];
  const lines = summary.slice(start + LEDGER_HEADING.length).split('\n');
  return lines.flatMap((text) => {
    if (!text.startsWith('- ')) return [];
    const line = text.slice(2);
    const label = line.slice(0, line.indexOf(':'));
    const rank = ['asked', 'file changed', 'error', 'todo list', 'can be recalled', 'file read'].findIndex((name) =>
      label.startsWith(name),
    );
    return [{ rank: rank < 0 ? 5 : rank, line, needle: line.slice(line.indexOf(': ') + 2).slice(0, NEEDLE) }];
  });
}

function quote(rank: number, label: string, text: string): Fact {
  const flat = text.replace(/\s+/g, ' ').trim().toWellFormed();
  const short = flat.length > LONGEST_LINE ? `${flat.slice(0, LONGEST_LINE).toWellFormed()}…` : flat;
  return { rank, line: `${label}: ${short}`, needle: flat.slice(0, NEEDLE) };
}

function errorLine(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.find((line) => /error|fail|exception|denied|not found/i.test(line)) ?? lines[0] ?? '';
}

/** Values of the keys that name files, in JSON that may be malformed. */
function pathsIn(json: string): string[] {
  return Object.entries(parseObject(json) ?? {}).flatMap(([key, path]) =>
    PATH_KEYS.has(key) && typeof path === 'string' && path.length > 0 && path.length < 300 ? [path.toWellFormed()] : [],
  );
}
