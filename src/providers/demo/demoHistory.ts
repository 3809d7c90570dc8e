/**
 * The scripted demo's view of its own past: only the messages of the request. It parses them each time, so it can
 * continue after a compaction, an undo or a reload.
 */

import { asText, type Json, parseObject } from '../../core/json.ts';
import type { ChatMessage } from '../../core/model/modelClient.ts';

export interface DemoCall {
  readonly name: string;
  readonly input: Json;
  /** Null when the result is hidden or missing. */
  readonly result: string | null;
}

export interface DemoHistory {
  /** The person's newest message. */
  readonly asked: string;
  /** The newest step since then; null before the first. */
  readonly place: DemoPlace | null;
  /** Number of visible messages that were answered before this one. */
  readonly answeredBefore: number;
  /** A compaction has removed something. */
  readonly compacted: boolean;
  /** All visible calls, oldest first. */
  readonly calls: readonly DemoCall[];
  /** Text files worth reading, README first: listed, previously read, or named in the notes of a compaction. */
  readonly files: readonly string[];
}

/** A position in a script. Every text of the demo begins with one, which is its only memory. */
export interface DemoPlace {
  readonly script: 'tour' | 'again';
  /** From 1 on. The last of them closes the script. */
  readonly step: number;
  readonly steps: number;
}

/** Without words, so that it is the same in every language. */
const SIGNS = { tour: '·', again: '∙' } as const;

export function writePlace({ script, step, steps }: DemoPlace): string {
  return `${step}/${steps} ${SIGNS[script]} `;
}

const PLACE = /(?<![\w/.-])(\d{1,2})\/(\d{1,2}) ([·∙]) /g;

export function placesIn(text: string): DemoPlace[] {
  return [...text.matchAll(PLACE)].map(([, step, steps, sign]) => ({
    script: sign === SIGNS.tour ? 'tour' : 'again',
    step: Number(step),
    steps: Number(steps),
  }));
}

const isDone = ({ step, steps }: DemoPlace): boolean => step >= steps;

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
    place: newestPlace(since)?.place ?? unfinishedPlace(before),
    answeredBefore: countAnswered(before),
    compacted: messages.some(({ text }) => text.startsWith('<context-notes>') || HIDDEN.test(text)),
    calls,
    files: knownFiles(calls, messages),
  };
}

/** From the newest assistant message, or from notes. */
function newestPlace(messages: readonly ChatMessage[]): { place: DemoPlace; inNotes: boolean } | null {
  for (const { role, text } of messages.toReversed()) {
    if (role === 'system' || role === 'tool') continue;
    const place = placesIn(text).at(-1);
    if (place) return { place, inNotes: role === 'user' };
  }
  return null;
}

/** A compaction may have moved every step of this turn into notes before the question, which name the newest. */
function unfinishedPlace(messages: readonly ChatMessage[]): DemoPlace | null {
  const newest = newestPlace(messages);
  return newest?.inNotes && !isDone(newest.place) ? newest.place : null;
}

function countAnswered(messages: readonly ChatMessage[]): number {
  const places = messages.flatMap((message) =>
    message.role === 'system' || message.role === 'tool' ? [] : placesIn(message.text),
  );
  const finished = places.filter(isDone);
  // Notes may name the end of the tour beside it, and there is one tour.
  const tours = finished.some(({ script }) => script === 'tour') ? 1 : 0;
  const others = finished.filter(({ script }) => script !== 'tour').length;
  return Math.max(tours + others, places.length > 0 ? 1 : 0);
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

/** Folders of the top listing that probably contain source, at most two, without the slash. */
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

/** The visible text of a file, without the heading of `read_file`; null when it is not visible. */
export function visibleFile(calls: readonly DemoCall[], path: string): string | null {
  const read = calls.findLast(
    ({ name, input, result }) => name === 'read_file' && input.path === path && result !== null,
  );
  if (!read?.result || !/^[^\n]{1,5000}: lines \d{1,9}-\d{1,9} of \d{1,9}[^\n]{0,300}\n/.test(read.result)) return null;
  return read.result.slice(read.result.indexOf('\n') + 1);
}

/**
 * The scripted demo's answer to a summariser's request: lists of facts from the prompt, extracted by patterns and
 * labelled as scripted. It adds nothing of its own, so that the notes a person sees are true.
 */
const LONGEST_LIST = 12;
const LONGEST_LINE = 160;

/** Titles of the lists in a summary, by kind of fact. */
const TITLES = {
  requests: 'The user asked',
  files: 'Files looked at',
  changed: 'Files proposed for change',
  commands: 'Commands named',
  errors: 'Errors met',
} as const;

interface SummaryFacts extends Record<keyof typeof TITLES, readonly string[]> {
  /** The newest step of the demo's own script, if it ran. */
  readonly place: DemoPlace | null;
}

function readSummaryFacts(prompt: string): SummaryFacts {
  const all = (pattern: RegExp) => [...prompt.matchAll(pattern)].map(([, text = '']) => text);
  const paths = (calls: string) =>
    all(new RegExp(`^\\[calls (?:${calls}) \\{.*?"path"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)"`, 'gm'));
  const named = /((?<![\w/.-])(?:[\w.-]+\/)*[\w-]+\.[a-z]{1,4}\b(?!\w))/g;
  const looked = /^\[calls \w+ \{.*\}\]$/m.test(prompt) ? paths('\\w+') : all(named);
  const errors = [...prompt.matchAll(/^\[error of (\w+)\]\n(.+)$/gm)].map(([, name, text]) => `${name}: ${text}`);
  const found = {
    requests: all(/^\[user\]\n(.+)$/gm),
    files: looked.filter((path) => path !== '' && path !== '.'),
    changed: paths('edit_file|write_file'),
    commands: all(/"command"\s*:\s*"((?:[^"\\]|\\.)*)"/g),
    errors,
  };
  const listed = (name: keyof typeof TITLES) => newest(prompt, TITLES[name], found[name]);
  return {
    requests: listed('requests'),
    files: listed('files'),
    changed: listed('changed'),
    commands: listed('commands'),
    errors: listed('errors'),
    place: placesIn(prompt).at(-1) ?? null,
  };
}

/**
 * The last few, without duplicates, in order; those listed under the same title in the demo's earlier summary come
 * first.
 */
function newest(prompt: string, title: string, found: readonly string[]): string[] {
  const earlier = [...prompt.matchAll(new RegExp(`^${title}:\\n((?:- .*\\n?)+)`, 'gm'))].flatMap(([, block = '']) =>
    block.split('\n').map((line) => line.slice('- '.length)),
  );
  const lines = [...earlier, ...found];
  const short = lines.map((line) => line.trim().slice(0, LONGEST_LINE).toWellFormed()).filter(Boolean);
  return [...new Set(short.toReversed())].slice(0, LONGEST_LIST).reverse();
}

/** A conversation in the form of a summariser's prompt, for a request with the conversation itself before its task. */
export const renderConversation = (messages: readonly ChatMessage[]): string =>
  messages.map(renderMessage).filter(Boolean).join('\n\n');

function renderMessage(message: ChatMessage): string {
  switch (message.role) {
    case 'system':
      return '';
    case 'user':
      return `${/^<[a-z-]+>\n/.test(message.text) ? '[not written by the user]' : '[user]'}\n${message.text}`;
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map((call) => `[calls ${call.name} ${call.arguments}]`);
      return ['[assistant]', message.text, ...calls].filter(Boolean).join('\n');
    }
    case 'tool':
      return `[result]\n${message.text}`;
  }
}

/** `label` names the author; sections and tags follow the prompt's instructions. */
export function writeScriptedSummary(prompt: string, label = 'Scripted demo'): string {
  const facts = readSummaryFacts(prompt);
  const note = `${label}: this summary was written by a script that lists what the conversation names.`;
  const sections: readonly (readonly [tag: string, text: string])[] = [
    ['current_focus', [note, list('requests', facts), placeLine(facts)].filter(Boolean).join('\n')],
    ['environment', list('commands', facts) || 'No command was named.'],
    ['completed_tasks', list('files', facts) || 'No file was looked at.'],
    ['active_issues', list('errors', facts) || 'No error was recorded.'],
    ['code_state', list('changed', facts) || 'No change was proposed.'],
    ['important_context', `${label}; the facts above are copied from the conversation.`],
  ];
  if (/"keyFacts"/.test(prompt)) return JSON.stringify(structured(note, facts));
  if (/<current_focus>/.test(prompt)) {
    return sections.map(([tag, text]) => `<${tag}>\n${text}\n</${tag}>`).join('\n');
  }
  const plain = sections.map(([, text]) => text).join('\n');
  return /<summary>/.test(prompt) ? `<summary>\n${plain}\n</summary>` : plain;
}

/** The shape of a structured summary. */
function structured(note: string, facts: SummaryFacts): Readonly<Record<string, string | readonly string[]>> {
  return {
    focus: [note, ...facts.requests.slice(-1), placeLine(facts)].filter(Boolean).join(' '),
    completed: facts.files.map((path) => `looked at ${path}`),
    issues: facts.errors,
    decisions: [],
    todo: [],
    environment: facts.commands,
    code: facts.changed.map((path) => `${path}: a change was proposed`),
    keyFacts: facts.files,
  };
}

function placeLine({ place }: SummaryFacts): string {
  return place ? `Newest step of the script: ${writePlace(place)}done.` : '';
}

function list(name: keyof typeof TITLES, { [name]: lines }: SummaryFacts): string {
  return lines.length > 0 ? `${TITLES[name]}:\n${lines.map((line) => `- ${line}`).join('\n')}` : '';
}
