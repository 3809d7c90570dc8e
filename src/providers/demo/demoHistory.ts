/**
 * What the scripted demo can see of its own past: only the messages of the request. It reads them again each time, so it
 * can go on after a compaction, an undo or a reload.
 */

import { asText, type Json, parseObject } from '../../core/json.ts';
import type { ChatMessage } from '../../core/ports.ts';

export interface DemoCall {
  readonly name: string;
  readonly input: Json;
  /** Null when the result is hidden or was never there. */
  readonly result: string | null;
}

export interface DemoHistory {
  /** The newest message that a person wrote. */
  readonly asked: string;
  /** The newest step since then; null when nothing was done for it yet. */
  readonly place: DemoPlace | null;
  /** How many messages were answered before this one, as far as can be seen. */
  readonly answeredBefore: number;
  /** A compaction has taken something. */
  readonly compacted: boolean;
  /** All visible calls, oldest first. */
  readonly calls: readonly DemoCall[];
  /** Text files worth reading, README first: listed, read before, or named in the notes of a compaction. */
  readonly files: readonly string[];
}

/** Where in which script. It stands at the start of every text of the demo, and is its only memory. */
export interface DemoPlace {
  readonly script: 'tour' | 'again';
  readonly phase: string;
}

export function writePlace({ script, phase }: DemoPlace): string {
  return `Scripted demo, ${script}, ${phase}: `;
}

const PLACE = /Scripted demo, (tour|again), ([a-z]+(?: \d+)?): /g;

export function placesIn(text: string): DemoPlace[] {
  return [...text.matchAll(PLACE)].map(([, script, phase = '']) => ({
    script: script === 'tour' ? 'tour' : 'again',
    phase,
  }));
}

const NOT_A_PERSON = /^<(context-notes|system-reminder|skill)>/;
const HIDDEN = /^\[(palimpsest:|Output pruned at )/;

export function readDemoHistory(messages: readonly ChatMessage[]): DemoHistory {
  const lastAsked = messages.findLastIndex((message) => message.role === 'user' && !NOT_A_PERSON.test(message.text));
  const asked = messages[lastAsked];
  const since = messages.slice(lastAsked + 1);
  const before = messages.slice(0, Math.max(0, lastAsked));
  const calls = collectCalls(messages);
  return {
    asked: asked?.text ?? '',
    place: newestPlace(since) ?? unfinishedPlace(before),
    answeredBefore: countAnswered(before),
    compacted: messages.some(({ text }) => text.startsWith('<context-notes>') || HIDDEN.test(text)),
    calls,
    files: knownFiles(calls, messages),
  };
}

/** From the newest assistant message, or from notes that come after the question. */
function newestPlace(messages: readonly ChatMessage[]): DemoPlace | null {
  for (const message of messages.toReversed()) {
    if (message.role === 'system' || message.role === 'tool') continue;
    const place = placesIn(message.text).at(-1);
    if (place) return place;
  }
  return null;
}

/** A compaction may have taken every step of this turn into notes in front of the question; they name the newest. */
function unfinishedPlace(messages: readonly ChatMessage[]): DemoPlace | null {
  for (const message of messages.toReversed()) {
    if (message.role === 'system' || message.role === 'tool') continue;
    const place = placesIn(message.text).at(-1);
    if (place) return message.role === 'user' && place.phase !== 'done' ? place : null;
  }
  return null;
}

function countAnswered(messages: readonly ChatMessage[]): number {
  const places = messages.flatMap((message) =>
    message.role === 'system' || message.role === 'tool' ? [] : placesIn(message.text),
  );
  const finished = places.filter(({ phase }) => phase === 'done').length;
  return Math.max(finished, places.length > 0 ? 1 : 0);
}

function collectCalls(messages: readonly ChatMessage[]): DemoCall[] {
  const calls: DemoCall[] = [];
  for (const [position, message] of messages.entries()) {
    if (message.role !== 'assistant') continue;
    for (const call of message.toolCalls ?? []) {
      const input = parseObject(call.arguments) ?? {};
      calls.push({ name: call.name, input, result: resultOf(messages, position, call.id) });
    }
  }
  return calls;
}

function resultOf(messages: readonly ChatMessage[], position: number, id: string): string | null {
  for (const message of messages.slice(position + 1)) {
    if (message.role !== 'tool') return null;
    if (message.toolCallId === id) return HIDDEN.test(message.text) ? null : message.text;
  }
  return null;
}

function knownFiles(calls: readonly DemoCall[], messages: readonly ChatMessage[]): string[] {
  const listed = calls.flatMap(({ name, input, result }) =>
    name === 'list_files' && result !== null ? entriesOf(input, result) : [],
  );
  const read = calls.flatMap(({ name, input }) => (name === 'read_file' ? [asText(input.path)] : []));
  const noted = messages.flatMap((message) =>
    message.role === 'user' && NOT_A_PERSON.test(message.text)
      ? [...message.text.matchAll(/^- (\S+)$/gm)].map(([, path = '']) => path)
      : [],
  );
  const files = new Set([...listed, ...read, ...noted].filter(isReadable));
  return [...files].sort((a, b) => rank(a) - rank(b));
}

/** Folders of the top listing that probably hold source, at most two, without the slash. */
export function listedFolders(calls: readonly DemoCall[]): string[] {
  const top = calls.findLast(({ name, input, result }) => name === 'list_files' && isTop(input) && result !== null);
  if (!top?.result) return [];
  const folders = entriesOf(top.input, top.result)
    .filter((entry) => entry.endsWith('/'))
    .map((entry) => entry.slice(0, -1));
  const open = folders.filter((name) => !/^(\.|node_modules$|dist$|out$|build$|coverage$|vendor$|target$)/.test(name));
  const likely = open.filter((name) => /^(src|lib|app|source|packages|test|tests|docs)$/.test(name));
  return [...likely, ...open.filter((name) => !likely.includes(name))].slice(0, 2);
}

function entriesOf(input: Json, result: string): string[] {
  if (/ is empty\.$|^list_files: /.test(result)) return [];
  const prefix = isTop(input) ? '' : `${asText(input.path).replace(/\/$/, '')}/`;
  return result
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('There are more than'))
    .map((line) => `${prefix}${line.trim()}`);
}

function isTop(input: Json): boolean {
  return input.path === undefined || input.path === '.' || input.path === '';
}

const READABLE =
  /\.(md|txt|[cm]?[jt]sx?|py|rb|go|rs|java|kt|c|h|cc|cpp|cs|swift|php|css|html|ya?ml|toml|sh|sql)$|(^|\/)(package|tsconfig)\.json$/i;
const UNWANTED = /(^|\/)(\.[^/]*|package-lock\.json|[^/]*\.lock|[^/]*\.min\.[^/]*)$/i;

function isReadable(path: string): boolean {
  return READABLE.test(path) && !UNWANTED.test(path) && !path.includes('..');
}

function rank(path: string): number {
  if (/^readme\.md$/i.test(path)) return 0;
  if (path.includes('/')) return 1;
  return /\.(md|txt)$/i.test(path) ? 2 : 3;
}

/** The visible text of a file, without the line that `read_file` puts above it; null when it is not visible. */
export function visibleFile(calls: readonly DemoCall[], path: string): string | null {
  const read = calls.findLast(
    ({ name, input, result }) => name === 'read_file' && input.path === path && result !== null,
  );
  if (!read?.result || !/^[^\n]{1,5000}: lines \d{1,9}-\d{1,9} of \d{1,9}[^\n]{0,300}\n/.test(read.result)) return null;
  return read.result.slice(read.result.indexOf('\n') + 1);
}
