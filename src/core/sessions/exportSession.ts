/**
 * Exports a session for other programs and for reading: the current branch in full, compacted or not. Output comes in
 * pieces, so the length of a session does not matter.
 */

import { injectedKind } from '../context/attribute.ts';
import { wrapUserText } from '../context/frames.ts';
import { type Message, type UserMessage, withoutOpaque } from '../context/message.ts';
import {
  BRANCH,
  type CompactionEntry,
  HANDOFF,
  isCarriedOver,
  type MessageEntry,
  type TreeEntry,
} from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { ownOf } from '../json.ts';

/** In characters. */
const TITLE_LENGTH = 80;

/** Changes the texts of a value before it leaves, such as hiding secrets; its shape stays. */
export type CleanValue = <Value>(value: Value) => Value;

const asItIs: CleanValue = (value) => value;

/** One chat-completions message a line, the format that `readNormalForm` reads. */
export function* exportNormalForm(journal: Journal, clean: CleanValue = asItIs): Generator<string> {
  for (const item of journal.context.header?.items ?? []) yield line({ role: 'system', content: clean(item.text) });
  for (const entry of journal.path().map((each) => clean(each))) {
    if (entry.type === 'message') yield line({ ...toChat(entry.message), ...timeOf(entry, journal) });
    // Its content appears nowhere else on this path.
    else if (entry.type === 'compaction' && isCarriedOver(entry.trigger) && isActive(entry, journal)) {
      for (const op of entry.plan) if (op.op === 'insert') yield line(toChat(op.message));
    }
  }
}

/** When a message was said. The import of another program's session says nothing of that by its own time. */
function timeOf({ seq, time, saidAt }: MessageEntry, { session, importedTo }: Journal): { readonly time?: string } {
  const foreign = session.importedFrom !== undefined && seq <= importedTo;
  const said = saidAt ?? (foreign ? undefined : time);
  return said === undefined ? {} : { time: said };
}

const isActive = ({ seq }: CompactionEntry, { context }: Journal) =>
  context.activeCompactions.some((active) => active.seq === seq);

/**
 * A document with the session's facts and its branch: every entry as in the journal, without its checksum and without
 * data that only a provider can read.
 */
export function* exportJson(journal: Journal, clean: CleanValue = asItIs): Generator<string> {
  const { session, title } = clean({ session: journal.session, title: journal.title });
  yield `{\n"format": "palimpsest-session",\n"version": 1,\n"title": ${JSON.stringify(title)},\n`;
  yield `"session": ${JSON.stringify(session)},\n"entries": [`;
  let separator = '\n';
  for (const entry of journal.path()) {
    yield `${separator}${JSON.stringify(clean(shareable(entry)))}`;
    separator = ',\n';
  }
  yield '\n]\n}\n';
}

/** Data that only a provider can read stays in the session. A later version's message may have another form. */
function shareable(entry: TreeEntry): TreeEntry {
  switch (entry.type) {
    case 'message':
      return { ...entry, message: withoutOpaque(entry.message) };
    case 'compaction':
      return {
        ...entry,
        plan: entry.plan.map((op) => (op.op === 'insert' ? { ...op, message: withoutOpaque(op.message) } : op)),
      };
    default:
      return entry;
  }
}

export function* exportMarkdown(journal: Journal, clean: CleanValue = asItIs): Generator<string> {
  yield `# ${oneLine(clean(journal.title || firstWords(journal) || 'Session'))}\n\n`;
  for (const entry of journal.path()) {
    const text = sectionOrFacts(clean(entry));
    if (text) yield `${text}\n\n`;
  }
}

/** Matches the name of an untitled session in the list of sessions. */
function firstWords(journal: Journal): string {
  for (const entry of journal.path()) {
    if (entry.type !== 'message' || entry.message.role !== 'user' || entry.message.kind !== 'user') continue;
    return entry.message.text.trim().split('\n', 1)[0]?.slice(0, TITLE_LENGTH).toWellFormed() ?? '';
  }
  return '';
}

/** Entries of a later version or another program may have no section: they are shown as stored. */
function sectionOrFacts(entry: TreeEntry): string {
  try {
    return sectionOf(entry);
  } catch {
    return details(`Entry ${entry.seq}`, fence(JSON.stringify(shareable(entry)), 'json'));
  }
}

function sectionOf(entry: TreeEntry): string {
  switch (entry.type) {
    case 'message':
      return messageSection(entry.message, entry.time);
    case 'compaction':
      return compactionSection(entry);
    case 'compactionUndone':
      return '> The compaction was undone.';
    case 'compactionRedone':
      return '> The compaction was done again.';
    case 'note':
      return `> ${oneLine(entry.text)}`;
    default:
      return '';
  }
}

function messageSection(message: Message, time: string): string {
  switch (message.role) {
    case 'user':
      return message.kind === 'user'
        ? `## You, ${time}\n\n${message.text}`
        : details(message.kind === 'summary' ? 'Notes' : `Told to the model (${message.kind})`, fence(message.text));
    case 'assistant': {
      const parts = [`## Agent, ${time}`];
      if (message.reasoning) parts.push(details('Reasoning', message.reasoning.text));
      if (message.text) parts.push(message.text);
      for (const call of message.toolCalls ?? [])
        parts.push(`**${oneLine(call.name)}**\n\n${fence(call.arguments, 'json')}`);
      if (message.interrupted) parts.push('*(interrupted)*');
      return parts.join('\n\n');
    }
    case 'tool': {
      const failed = message.isError ? ' (failed)' : '';
      return details(`Result of ${oneLine(message.toolName)}${failed}`, fence(message.text));
    }
  }
}

const CARRIED: Readonly<Record<string, string>> = {
  [BRANCH]: 'A summary of the branch that was left was carried over.',
  [HANDOFF]: 'A summary of the session that this one goes on from was carried over.',
};

function compactionSection({ strategy, trigger, tokensBefore, tokensAfter, plan }: CompactionEntry): string {
  const notes = plan.flatMap((op) =>
    op.op === 'insert'
      ? [details(isCarriedOver(trigger) ? 'The summary' : 'Notes that took its place', fence(op.message.text))]
      : [],
  );
  const carried = ownOf(CARRIED, trigger);
  if (carried) return [`> ${carried}`, ...notes].join('\n\n');
  return [`> Context compacted (${strategy}, ${trigger}): ${tokensBefore} → ${tokensAfter} tokens.`, ...notes].join(
    '\n\n',
  );
}

function details(summary: string, body: string): string {
  return `<details><summary>${summary.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)}</summary>\n\n${body}\n\n</details>`;
}

/** Longer than any run of backticks inside, so that the text cannot close it. */
function fence(text: string, language = ''): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const marks = '`'.repeat(longest + 1);
  return `${marks}${language}\n${text}\n${marks}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/**
 * Text that no person wrote is labelled, as it is for a model: otherwise the next reader would take it for a person's
 * words.
 */
function marked({ kind, text }: UserMessage): string {
  return kind === 'user' || injectedKind(text) !== 'user' ? text : wrapUserText(kind, text);
}

function toChat(message: Message): object {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: marked(message) };
    case 'assistant':
      return {
        role: 'assistant',
        content: message.text,
        ...(message.reasoning ? { reasoning: message.reasoning.text } : {}),
        ...(message.toolCalls?.length && !message.interrupted
          ? {
              tool_calls: message.toolCalls.map(({ id, name, arguments: args }) => ({
                id,
                type: 'function',
                function: { name, arguments: args },
              })),
            }
          : {}),
      };
    case 'tool':
      return {
        role: 'tool',
        tool_call_id: message.toolCallId,
        content: message.text,
        ...(message.isError ? { is_error: true } : {}),
        ...(message.outcome ? { outcome: message.outcome } : {}),
      };
  }
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
