/** One step of a session as a page: the agent's action, the facts it needed, and where they last appeared. Pure. */

import { formatCount } from '../../core/figures.ts';
import type { Translate } from '../../core/words.ts';
import { AnchorTable } from '../../lab/anchors.ts';
import { searchedText } from '../../lab/prepareSession.ts';
import { type RecordedMessage, type RecordedSession, tokensOf } from '../../lab/session.ts';
import type { Page, PageBlock } from '../../protocol/pages.ts';
import { facts, section, text } from '../pages/blocks.ts';
import type { Miss } from './replayStored.ts';

/** Characters of one text on the page. */
const MOST = 20_000;
/** Lines shown before and after the needed one. */
const AROUND = 6;

export function describeStep(session: RecordedSession, miss: Miss, strategy: string, t: Translate): Page {
  const { messages } = session;
  const done = messages[miss.message];
  const said = miss.said ?? findLast(messages, miss);
  const from = said === null ? undefined : messages[said];
  return {
    title: t('Step {0}', formatCount(miss.step)),
    subtitle: session.name,
    blocks: [
      facts(
        [t('Needed'), t('{0}: {1}', kindOf(miss.kind, t), miss.text)],
        [t('No longer there under'), strategy],
        ...(said === null ? [] : [[t('Last mentioned'), howLongAgo(messages, said, miss.message, t)] as const]),
      ),
      section(
        t('What the agent did'),
        done ? describeDone(done, t) : [text(t('This step is no longer in the session.'))],
      ),
      ...(from
        ? [
            section(t('Where it was last mentioned'), [
              text(whoSaid(messages, from, t), 'quiet'),
              code(around(from, miss.text)),
            ]),
          ]
        : []),
    ],
  };
}

export function kindOf(kind: Miss['kind'], t: Translate): string {
  switch (kind) {
    case 'path':
      return t('path');
    case 'line':
      return t('line');
    case 'identifier':
      return t('name');
  }
}

function describeDone({ content, tool_calls = [] }: RecordedMessage, t: Translate): PageBlock[] {
  return [
    ...(content.trim() ? [code(content)] : []),
    ...tool_calls.flatMap(({ function: { name, arguments: given } }) => [
      text(t('It called {0}:', name), 'quiet'),
      code(readable(given)),
    ]),
  ];
}

/** Arguments line by line, with the line breaks of long texts. */
function readable(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2).replaceAll('\\n', '\n').replaceAll('\\"', '"');
  } catch {
    // Some programs record a bare patch.
    return json;
  }
}

/** The newest message before the step that contains it, found as the lab does. */
function findLast(messages: readonly RecordedMessage[], { message, kind, text: needed }: Miss): number | null {
  const table = new AnchorTable();
  table.add({ kind, text: needed });
  for (let at = message - 1; at >= 0; at--) {
    const before = messages[at];
    if (before && table.find(searchedText(before)).length > 0) return at;
  }
  return null;
}

function howLongAgo(messages: readonly RecordedMessage[], said: number, step: number, t: Translate): string {
  const between = messages.slice(said + 1, step);
  const tokens = formatCount(between.reduce((sum, message) => sum + tokensOf(message), 0));
  return between.length === 1
    ? t('1 message or result, {0} tokens before', tokens)
    : t('{0} messages and results, {1} tokens before', formatCount(between.length), tokens);
}

function whoSaid(messages: readonly RecordedMessage[], { role, tool_call_id }: RecordedMessage, t: Translate): string {
  switch (role) {
    case 'user':
      return t('In a message of yours or of Palimpsest');
    case 'system':
      return t('In the instructions');
    case 'assistant':
      return t('In an answer or call of the agent');
    case 'tool': {
      const calls = messages.flatMap((message) => message.tool_calls ?? []);
      const name = calls.find(({ id }) => id === tool_call_id)?.function.name;
      return name ? t('In a result of {0}', name) : t('In a result of a tool');
    }
  }
}

/** The lines around its first occurrence; the last part of a path is enough. */
function around(message: RecordedMessage, needed: string): string {
  const whole = searchedText(message);
  const lines = whole.split('\n');
  const last = needed.slice(needed.lastIndexOf('/') + 1);
  const at = Math.max(
    0,
    lines.findIndex((line) => line.includes(needed) || line.includes(last)),
  );
  const from = Math.max(0, at - AROUND);
  const to = at + AROUND + 1;
  return [...(from > 0 ? ['…'] : []), ...lines.slice(from, to), ...(to < lines.length ? ['…'] : [])].join('\n');
}

const code = (said: string): PageBlock => ({
  kind: 'code',
  text: said.length > MOST ? `${said.slice(0, MOST).toWellFormed()}…` : said,
});
