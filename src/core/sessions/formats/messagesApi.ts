/**
 * Messages in the form of Anthropic's Messages API, in one list or one a line. Cline and Roo write the same form, with marks
 * that a short session may lack, so their rules hold here too.
 */

import type { Json } from '../../json.ts';
import type { Recorded } from '../recorded.ts';
import { readCline } from './cline.ts';
import { contentOf } from './json.ts';

export function readMessagesApi(messages: readonly Json[]): Recorded[] {
  const system = messages.filter(({ role }) => role === 'system');
  const chat = messages.filter(({ role }) => role !== 'system');
  return [...system.map(({ content }): Recorded => ({ role: 'system', text: contentOf(content) })), ...readCline(chat)];
}
