/** What a provider does in one scenario, and what is said to it: everything else is the product's own. */

import type { Line } from '../../../support/compactionHarness.ts';
import { choiceChunk, type Reply } from '../../../support/modelServer/modelServerReply.ts';

export interface Scenario {
  readonly name: string;
  /** The server's replies in order: one more or one less request fails the scenario. */
  readonly script: readonly Reply[];
  readonly dialect?: 'chat' | 'responses';
  readonly model?: string;
  readonly key?: string;
  /** Tokens; 0, the default, when unknown. */
  readonly window?: number;
  readonly maxOutputTokens?: number;
  readonly history?: readonly Line[];
  /** The person stops it then. */
  readonly stopAt?: 'text' | 'wait';
  /** All time that is waited for passes once the server has a request, or once text was shown. */
  readonly silentAt?: 'request' | 'text';
  /** Servers leave connections open, and what a finished answer still waits for takes no time. */
  readonly heldOpen?: true;
}

export const raw = (...pieces: (string | Uint8Array)[]): Reply => ({ kind: 'raw', pieces });
export const cut = (...pieces: string[]): Reply => ({ kind: 'raw', pieces, end: 'cut' });
export const answer = (text = 'Done.'): Reply => ({ kind: 'answer', text, usage: USAGE });
export const look = (id = 'call_a', at: unknown = { at: 'here' }): Reply => ({
  kind: 'answer',
  usage: USAGE,
  calls: [{ id, name: 'look', arguments: at }],
});
export const refuse = (status: number, body: unknown = '', headers: Record<string, string> = {}): Reply => ({
  kind: 'error',
  status,
  body,
  headers,
});
export const says = (message: string, more: object = {}) => ({ error: { message, ...more } });
export const text = (content: string, finish: string | null = null) => choiceChunk({ content }, finish);
export const calls = (...tool_calls: object[]) => choiceChunk({ tool_calls });
export const END = choiceChunk({}, 'stop');
export const CALLS_END = choiceChunk({}, 'tool_calls');

/** As no server of these counts: what is estimated and what was reported can be told apart. */
const USAGE = {
  prompt_tokens: 77,
  completion_tokens: 7,
  input_tokens: 77,
  output_tokens: 7,
  prompt_tokens_details: { cached_tokens: 33 },
  input_tokens_details: { cached_tokens: 33 },
};

export const many = (count: number, reply: Reply): Reply[] => Array.from({ length: count }, () => reply);
