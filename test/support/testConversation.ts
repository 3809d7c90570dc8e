/** A conversation as the host runs it, over the agent of the tests: its questions and events go where the host's go. */

import type { Timers } from '../../src/core/clock.ts';
import type { ModelChoice } from '../../src/core/model/modelChoice.ts';
import {
  Conversation,
  type ConversationChange,
  type ConversationHooks,
  type ConversationPorts,
} from '../../src/node/session/conversation.ts';
import { systemTimers } from '../../src/providers/timers.ts';
import { testCrypto } from './ports/nodeCrypto.ts';
import { testClock } from './ports/testClock.ts';
import { type TestAgent, type TestAgentOptions, testAgent } from './testAgent.ts';

/** `pending`: the questions that wait for the person, once the conversation is open. */
type OnChange = (change: ConversationChange, pending: Conversation['approvals']['pending']) => void;

export async function testConversation(
  model: ModelChoice,
  {
    waiting,
    id = 'test',
    release = async () => undefined,
    timers = systemTimers,
    pauses,
    ...options
  }: Omit<TestAgentOptions, 'person' | 'events'> &
    Pick<ConversationPorts, 'waiting' | 'pauses'> & {
      readonly timers?: Timers;
      readonly id?: string;
      /** Releases the lock. */
      readonly release?: () => Promise<void>;
    },
  onChange: OnChange,
): Promise<TestAgent & { readonly conversation: Conversation; readonly hooks: () => ConversationHooks }> {
  let hooks = {} as ConversationHooks;
  const made = await testAgent(model, {
    ...options,
    person: {
      approver: { ask: (...asked) => hooks.approver.ask(...asked) },
      consent: (...asked) => hooks.consent(...asked),
      questions: { ask: (...asked) => hooks.questions.ask(...asked) },
      steering: () => hooks.steering(),
    },
    events: {
      onTurn: (event) => hooks.onTurn(event),
      onProgress: (progress) => hooks.onProgress(progress),
      onCompaction: () => undefined,
    },
  });
  const conversation: Conversation = new Conversation({
    session: { id, writer: null, release },
    createAgent: (given) => {
      hooks = given;
      return made.agent;
    },
    ...(waiting ? { waiting } : {}),
    clock: testClock(),
    crypto: testCrypto(),
    log: () => undefined,
    timers,
    ...(pauses ? { pauses } : {}),
    onChange: (change) => onChange(change, conversation?.approvals.pending ?? []),
  });
  return { ...made, conversation, hooks: () => hooks };
}
