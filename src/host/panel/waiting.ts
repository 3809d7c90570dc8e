/**
 * What a person is told while they look elsewhere: that something asks them, or that a turn has ended. Told once for each,
 * and only where the panel is out of sight or the window has no focus.
 */

import { type Words, words } from '../../core/words.ts';
import type { Status } from '../session/conversation.ts';

export interface Moment {
  readonly session: string;
  readonly status: Status;
  /** Ids of the questions that wait. */
  readonly questions: readonly string[];
  /** What stands at the end of the conversation. */
  readonly end: 'answer' | 'problem' | 'other';
}

/** What is new between two moments and worth a notification; null for nothing. */
export function describeNews(before: Moment | null, now: Moment): Words | null {
  if (before === null || before.session !== now.session) return null;
  if (now.questions.some((id) => !before.questions.includes(id))) return words('The agent has a question for you.');
  const ended = before.status !== 'idle' && before.status !== 'compacting' && now.status === 'idle';
  if (!ended) return null;
  if (now.end === 'answer') return words('The agent has answered.');
  return now.end === 'problem' ? words('The agent has stopped. The panel says why.') : null;
}
