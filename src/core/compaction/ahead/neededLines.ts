/** Completes a prepared summary with the lines that later steps turned out to need, word for word. */

import type { ContextMessage } from '../../../api/index.ts';
import { countTokens } from '../../tokens/estimate.ts';
import type { Draft } from '../draft/draft.ts';
import { findNames } from '../strategies/layered/names.ts';

const NEEDED_HEADING = 'Lines of what was summarised that the steps since then used, word for word:';

/** Maximum names looked for, newest first. */
const MOST_NAMES = 200;

/** Longer lines are data or generated code. */
const LONGEST_LINE = 300;

/**
 * Completes a prepared summary, which does not know what later steps needed: each name that those steps used, and that
 * is otherwise gone, returns with the newest line that contained it, verbatim and under the id of its message. Names
 * that appear in the results of those steps are skipped. `since`: index of the first message after the summary was
 * requested. `room` in tokens; 0 adds nothing.
 */
export function addNeeded(draft: Draft, since: number, room: number): Draft {
  const { messages } = draft.history;
  const gone = messages.slice(0, since).filter((_, index) => draft.at(index).kind !== 'undecided');
  if (gone.length === 0 || room <= 0) return draft;
  const names = namesUsed(messages.slice(since));
  if (names.length === 0) return draft;
  const stays = textOfOthers(draft, since);
  const found = findLines(
    gone,
    names.filter((name) => !stays.includes(name)),
  );
  const lines: string[] = [];
  let left = room - countTokens(NEEDED_HEADING);
  for (const line of found) {
    left -= countTokens(line) + 1;
    if (left < 0) break;
    lines.push(line);
  }
  if (lines.length === 0) return draft;
  return draft.insert(draft.inserts.at(-1)?.before ?? 0, [NEEDED_HEADING, ...lines].join('\n'));
}

/** Names in messages of the person and the model, including calls; newest first. */
function namesUsed(messages: readonly ContextMessage[]): readonly string[] {
  const names = new Set<string>();
  for (const message of messages.toReversed()) {
    if (message.role === 'tool' || names.size >= MOST_NAMES) continue;
    for (const text of textsOf(message)) findNames(text, (name) => names.add(name));
  }
  return [...names].slice(0, MOST_NAMES);
}

function textsOf(message: ContextMessage): readonly string[] {
  return message.role === 'assistant'
    ? [message.text, ...message.toolCalls.map((call) => call.arguments)]
    : [message.text];
}

/** All remaining text except what the steps themselves say. */
function textOfOthers(draft: Draft, since: number): string {
  const texts = draft.inserts.map(({ text }) => text);
  draft.visit((message, index) => {
    if (index >= since && message.role !== 'tool') return;
    texts.push(draft.textAt(index), ...draft.argumentsAt(index));
  });
  return texts.join('\n');
}

/** The newest line with each name, in the order of the names, without duplicates. */
function findLines(gone: readonly ContextMessage[], names: readonly string[]): readonly string[] {
  const found = new Map<string, string>();
  const left = new Set(names);
  for (const { id, text } of gone.toReversed()) {
    for (const name of left) {
      const at = text.indexOf(name);
      if (at < 0) continue;
      left.delete(name);
      const line = text.slice(text.lastIndexOf('\n', at) + 1, endOfLine(text, at)).trim();
      if (line.length <= LONGEST_LINE) found.set(name, `- [id ${id}] ${line.toWellFormed()}`);
    }
    if (left.size === 0) break;
  }
  return [...new Set(names.flatMap((name) => found.get(name) ?? []))];
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}
