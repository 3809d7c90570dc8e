/**
 * Extracts facts from messages that have left or are about to: the user's requests, files and their state, errors and
 * their solutions, commands and their results, the newest todo list, recallable ids, and the paths and error codes in
 * notes. Extraction is deterministic, newest first in each kind; each fact has the words by which it is recognised
 * elsewhere.
 */

import type { ToolCall } from '../../context/message.ts';
import { neutraliseNotes } from '../../tools/text/neutralise.ts';
import { describeTodos, parseTodos, WRITE_TODOS } from '../../tools/todos.ts';
import { commandOf, hasFailed, outcomeOf } from './commandResults.ts';
import { DELETES, pathsOf, WRITES } from './filesInCalls.ts';
import { type Fact, type FactKind, KINDS, withoutLedger } from './ledgerLines.ts';
import { once } from './once.ts';
import { ownWordsOf } from './ownWords.ts';
import { isHidden, type SessionMessage, type SessionResult } from './sessionMessages.ts';
import { Solutions } from './solutions.ts';

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
  session: readonly SessionMessage[],
  gone: (message: SessionMessage) => boolean,
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
  const results = new Map<string, SessionResult>();
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

const quoteAsked = once((message: SessionMessage): Fact => quote('asked', ownWordsOf(message)));

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
function errorLine({ text, isError }: SessionResult): string | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const telling = lines.find((line) => /error|fail|exception|denied|not found/i.test(line));
  return telling ?? (isError ? (lines[0] ?? '') : null);
}
