/** One turn of an embedded agent, with the text of its answer. */

import type { Agent } from '../core/agent/agent.ts';
import type { UserMessage } from '../core/context/message.ts';
import { isObject } from '../core/json.ts';
import { checkOptions, needed, type OptionRule, objectWith } from '../core/options.ts';
import { describeStop } from '../core/stop.ts';
import { inEnglish } from '../core/words.ts';

export interface Answer {
  /** The text of the last answer of the turn; empty when there was none. */
  readonly text: string;
  /** `done`, or why the turn ended before that. */
  readonly outcome: Awaited<ReturnType<Agent['send']>>;
  /** A sentence about an outcome other than `done`; empty for that. */
  readonly reason: string;
}

const AGENT = { ...objectWith('send', 'dispose'), wanted: 'an agent, such as createAgent resolves to (await it)' };
const MESSAGE: OptionRule = {
  is: (value) =>
    typeof value === 'string' ||
    (isObject(value) && value.role === 'user' && value.kind === 'user' && typeof value.text === 'string'),
  wanted: "a text, or a message { role: 'user', kind: 'user', text }",
};
const SIGNAL: OptionRule = { is: (value) => value instanceof AbortSignal, wanted: 'an AbortSignal' };

/**
 * Resolves at the end of the turn, also when it failed or was stopped. Rejects with `JournalError` when the session cannot
 * be written, as when somebody took it over, and with `TypeError` for what is no agent, message or signal.
 */
export async function ask(
  agent: Agent,
  asked: string | UserMessage,
  signal: AbortSignal = new AbortController().signal,
): Promise<Answer> {
  const rules = { agent: needed(AGENT), message: needed(MESSAGE), signal: SIGNAL };
  checkOptions('ask', { agent, message: asked, signal }, rules);
  const before = agent.journal.entries.length;
  const outcome = await agent.send(asked, signal);
  const answers = agent.journal.entries
    .slice(before)
    .flatMap((entry) => (entry.type === 'message' && entry.message.role === 'assistant' ? [entry.message.text] : []));
  return { text: answers.at(-1) ?? '', outcome, reason: reasonOf(outcome) };
}

function reasonOf(outcome: Answer['outcome']): string {
  switch (outcome.kind) {
    case 'done':
      return '';
    case 'paused':
      return inEnglish(outcome.reason);
    case 'failed':
      return outcome.error.message;
    case 'noModel':
      return inEnglish(outcome.problem);
    case 'stopped':
      return describeStop(outcome.by, 'before it had finished.');
    case 'newSession':
      return 'A new session was asked for.';
  }
}
