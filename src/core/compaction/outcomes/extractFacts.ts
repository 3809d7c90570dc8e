/**
 * The facts of messages that have left or are about to: what the user asked for, files and their state, errors and what
 * solved them, commands and how they ended, the newest todo list, what can be recalled, the paths and error codes that
 * notes name. Found by program, newest first in each kind, each with the words that must be found if it survived elsewhere.
 */

import type { ToolCall } from '../../context/message.ts';
import { describeTodos, parseTodos, WRITE_TODOS } from '../../todo/todos.ts';
import {
  DELETES,
  type Fact,
  type FactKind,
  KINDS,
  LEDGER_HEADING,
  pathsIn,
  WRITES,
  withoutLedger,
} from '../draft/facts.ts';
import { commandOf, hasFailed, outcomeOf } from './commandRuns.ts';
import { isHidden, type Said, type SaidResult } from './said.ts';
import { Solutions } from './solutions.ts';

const LONGEST_LINE = 300;
const NEEDLE = 80;
/** Commands that only look: how they ended says little. */
const LOOKS =
  /^(?:cd [^&;]{0,300}(?:&&|;) *)?(?:sed -n|cat|head|tail|nl|less|bat|ls|pwd|find|grep|rg|wc|echo|which|git (?:status|diff|log|show))\b/;

/** The facts of what is `gone` of `session`, by kind, each once, newest first. */
export function extractFacts(session: readonly Said[], gone: (message: Said) => boolean): readonly Fact[][] {
  const found = new Map<FactKind, Map<string, Fact>>(KINDS.map((kind) => [kind, new Map()]));
  const add = (kind: FactKind, fact: Fact) => {
    const facts = found.get(kind);
    if (fact.needle && !facts?.has(fact.line)) facts?.set(fact.line, fact);
  };
  const solutions = new Solutions(session);
  const results = new Map<string, SaidResult>();
  /** Newest first: what came later says how it stands. */
  const states = new Set<string>();
  const commands = new Set<string>();
  let todo = false;
  for (const message of session.toReversed()) {
    const leaves = gone(message);
    switch (message.role) {
      case 'user':
        if (!leaves) break;
        if (message.kind === 'user') add('asked', quote('asked', message.text));
        else if (message.kind === 'summary') {
          for (const [kind, fact] of carriedFacts(message.text)) {
            const isOld = kind === 'todo list' ? todo : kind === 'command' && commands.has(needleOf(fact.line));
            if (!isOld) add(kind, fact);
            todo ||= kind === 'todo list';
          }
          for (const name of namesIn(withoutLedger(message.text)))
            add('noted', { line: `noted: ${name}`, needle: name });
        }
        break;
      case 'assistant':
        for (const call of message.toolCalls) {
          const result = results.get(call.id);
          const changes = WRITES.test(call.name);
          for (const path of pathsIn(call.arguments)) {
            if (changes) solutions.changed(path);
            const isNewest = changes && !states.has(path);
            if (isNewest) states.add(path);
            if (!leaves || (changes && !isNewest)) continue;
            const label = changes ? (DELETES.test(call.name) ? 'file deleted' : 'file changed') : 'file read';
            add(changes ? 'file changed' : 'file read', { line: `${label}: ${path}`, needle: path });
          }
          const command = result ? commandOf(call) : null;
          if (command !== null && result && !LOOKS.test(command)) {
            const line = quoted(outcomeOf(result), command);
            const run = needleOf(line);
            // Of the same command the newest run counts, wherever it stands.
            // That it stands somewhere says nothing of how it ended.
            if (!commands.has(run) && leaves) add('command', { line, needle: line });
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
  return KINDS.map((kind) => [...(found.get(kind)?.values() ?? [])]);
}

/** The lines of an earlier ledger: it leaves with its summary, its facts must not. */
function carriedFacts(summary: string): (readonly [FactKind, Fact])[] {
  const start = summary.lastIndexOf(LEDGER_HEADING);
  if (start < 0) return [];
  const lines = summary.slice(start + LEDGER_HEADING.length).split('\n');
  return lines.flatMap((text) => {
    if (!text.startsWith('- ')) return [];
    const line = text.slice(2);
    const kind =
      KINDS.find((name) => line.startsWith(name)) ?? (line.startsWith('file deleted') ? 'file changed' : 'file read');
    return [[kind, { line, needle: kind === 'command' ? line : needleOf(line) }] as const];
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
  return { line: quoted(label, flat), needle: flat.slice(0, NEEDLE) };
}

function quoted(label: string, flat: string): string {
  return `${label}: ${flat.length > LONGEST_LINE ? `${flat.slice(0, LONGEST_LINE).toWellFormed()}…` : flat.toWellFormed()}`;
}

/** The beginning of what a line of the ledger says. */
const needleOf = (line: string): string => line.slice(line.indexOf(': ') + 2).slice(0, NEEDLE);

/** Null where a command only ended with another code than 0, as one does that finds nothing. */
function errorLine({ text, isError }: SaidResult): string | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const telling = lines.find((line) => /error|fail|exception|denied|not found/i.test(line));
  return telling ?? (isError ? (lines[0] ?? '') : null);
}
