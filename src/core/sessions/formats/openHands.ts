/**
 * OpenHands' events, as a trajectory in one list or one event a line. Since version 1 each has a `kind`; before, an
 * `action` or an `observation`. Both say which messages a condensation forgot, and its summary.
 */

import type { CallOutcome, ToolCall } from '../../context/message.ts';
import { asText, isObject, type Json, listOf, objectOf } from '../../json.ts';
import type { Recorded, RecordedAnswer, RecordedMessage } from '../recorded.ts';
import { answerOf, callOf, contentOf, messagesIn, outcomeOfCode, resultOf } from './json.ts';

const KINDS: ReadonlySet<unknown> = new Set([
  'SystemPromptEvent',
  'MessageEvent',
  'ActionEvent',
  'ObservationEvent',
  'UserRejectObservation',
  'AgentErrorEvent',
  'Condensation',
]);

const SOURCES: ReadonlySet<unknown> = new Set(['user', 'agent', 'environment']);

export function isOpenHandsEvent({ kind, source, action, args, observation, extras }: Json): boolean {
  if (!SOURCES.has(source)) return false;
  return (
    KINDS.has(kind) ||
    (typeof action === 'string' && isObject(args)) ||
    (typeof observation === 'string' && isObject(extras))
  );
}

/** A line of an evaluation's `output.jsonl`: one instance with its events, in the oldest form as pairs. */
export const isOpenHandsOutput = (record: Json) => typeof record.instance_id === 'string' && 'test_result' in record;

/** The first instance: which one is meant is chosen before, by its line. */
export function readOpenHandsOutput([instance]: readonly Json[]): Recorded[] {
  const { history, instruction } = instance ?? {};
  const events = listOf(history)
    .flatMap((each) => (Array.isArray(each) ? each : [each]))
    .filter(isObject);
  const recorded = readOpenHands(events);
  const task = asText(instruction);
  const isSaid = task === '' || recorded.some(({ role }) => role === 'user');
  return isSaid ? recorded : [{ role: 'user', text: task }, ...recorded];
}

/** A message for the model, with the event that it came from. */
interface Spoken {
  readonly id: string;
  message: RecordedMessage;
}

export function readOpenHands(events: readonly Json[]): Recorded[] {
  const recorded: (Spoken | { readonly context: readonly Spoken[] })[] = [];
  /** Messages that the model sees at present. */
  let view: Spoken[] = [];
  /** By the id of a response: its answer, to which further calls are added. */
  const answers = new Map<string, Spoken>();
  const speak = (id: unknown, message: RecordedMessage): Spoken => {
    const spoken = { id: String(id ?? ''), message };
    recorded.push(spoken);
    view.push(spoken);
    return spoken;
  };
  for (const event of events) {
    const forgotten = condensationOf(event);
    if (forgotten) {
      view = condense(view, forgotten);
      recorded.push({ context: [...view] });
      continue;
    }
    for (const message of 'kind' in event ? readKind(event) : readOlder(event)) {
      const response = message.role === 'assistant' && message.toolCalls ? responseOf(event) : '';
      const earlier = answers.get(response);
      if (earlier && message.role === 'assistant') {
        earlier.message = merge(earlier.message as RecordedAnswer, message);
        continue;
      }
      const reported = speak(event.id, message);
      if (response !== '') answers.set(response, reported);
    }
  }
  return recorded.map((each) =>
    'context' in each ? { role: 'compaction', context: each.context.map(({ message }) => message) } : each.message,
  );
}

/** Parallel calls of one response come as events of their own; what it said beside them is in the first. */
function merge(answer: RecordedAnswer, { toolCalls = [], text }: RecordedAnswer): RecordedAnswer {
  const calls = [...(answer.toolCalls ?? []), ...toolCalls];
  return { ...answer, text: answer.text || text, toolCalls: calls };
}

function responseOf({ llm_response_id, tool_call_metadata }: Json): string {
  return asText(llm_response_id) || asText(objectOf(objectOf(tool_call_metadata).model_response).id);
}

function readKind(event: Json): RecordedMessage[] {
  const id = asText(event.tool_call_id);
  switch (event.kind) {
    case 'SystemPromptEvent':
      return [{ role: 'system', text: contentOf(event.system_prompt) }];
    case 'MessageEvent': {
      const { role, content, reasoning_content } = objectOf(event.llm_message);
      // Content that the program adds to a message is not part of it.
      const more = contentOf(listOf(event.extended_content));
      const added: RecordedMessage[] = more ? [{ role: 'user', kind: 'reminder', text: more }] : [];
      if (role === 'assistant') return [answerOf(contentOf(content), asText(reasoning_content), []), ...added];
      if (event.source === 'user') return [...messagesIn(content), ...added];
      return [{ role: 'user', kind: 'reminder', text: contentOf(content) }, ...added];
    }
    case 'ActionEvent': {
      const called = objectOf(event.tool_call);
      const args = called.arguments ?? objectOf(called.function).arguments ?? event.action;
      const call = callOf(id, event.tool_name, args);
      return [answerOf(contentOf(listOf(event.thought)), asText(event.reasoning_content), [call])];
    }
    case 'ObservationEvent': {
      const { content, output, is_error, error } = objectOf(event.observation);
      const text = contentOf(content ?? output ?? error ?? event.observation);
      const more = contentOf(listOf(event.extended_content));
      return [resultOf(id, [text, more].filter(Boolean).join('\n\n'), is_error === true || typeof error === 'string')];
    }
    case 'UserRejectObservation':
      return [resultOf(id, `Action rejected: ${asText(event.rejection_reason)}`, true, { kind: 'declined' })];
    case 'AgentErrorEvent':
      return [resultOf(id, asText(event.error), true)];
    case 'CondensationSummaryEvent':
      return [{ role: 'user', kind: 'summary', text: asText(event.summary) }];
    default:
      return readUnknown(event, asText(event.kind));
  }
}

/** Events that say nothing to the model. */
const SILENT: ReadonlySet<string> = new Set([
  'agent_state_changed',
  'change_agent_state',
  'null',
  'recall',
  'condensation_request',
  'start',
  'stop',
  'pause',
  'resume',
  'ConversationStateUpdateEvent',
  'CondensationRequest',
  'PauseEvent',
  'TokenEvent',
  'StreamingDeltaEvent',
]);

function readOlder(event: Json): RecordedMessage[] {
  const { action, observation, source, id, cause } = event;
  const args = objectOf(event.args);
  const { function_name, tool_call_id } = objectOf(event.tool_call_metadata);
  if (typeof observation === 'string') {
    const text = asText(event.content) || asText(event.message);
    if (observation === 'recall') return text ? [{ role: 'user', kind: 'reminder', text }] : [];
    if (SILENT.has(observation)) return [];
    const { exit_code: code } = objectOf(objectOf(event.extras).metadata);
    const isError = observation === 'error' || Number(code ?? 0) > 0;
    const rejected: CallOutcome | undefined = observation === 'user_rejected' ? { kind: 'declined' } : undefined;
    if (tool_call_id === undefined && !isCause(cause)) return text ? [{ role: 'user', kind: 'reminder', text }] : [];
    const outcome = rejected ?? (observation === 'run' ? outcomeOfCode(code) : undefined);
    return [
      resultOf(asText(tool_call_id) || `event-${String(cause)}`, text, isError || rejected !== undefined, outcome),
    ];
  }
  if (typeof action !== 'string' || SILENT.has(action)) return [];
  if (action === 'system') return [{ role: 'system', text: asText(args.content) }];
  const answer = asText(args.content) || asText(args.thought);
  if (action === 'message') return source === 'user' ? [{ role: 'user', text: answer }] : [answerOf(answer, '', [])];
  if (source !== 'agent') return readUnknown(event, action);
  // The agent's last word has no observation, and the model reads it again as an answer.
  if (ENDINGS.has(action)) return [answerOf(asText(args.final_thought) || answer || asText(event.message), '', [])];
  const { thought, ...given } = args;
  const call: ToolCall = callOf(asText(tool_call_id) || `event-${String(id)}`, asText(function_name) || action, given);
  return [answerOf(asText(thought), '', [call])];
}

/** Actions by which the agent ends its work. */
const ENDINGS: ReadonlySet<string> = new Set(['finish', 'reject']);

const isCause = (cause: unknown) => typeof cause === 'number' || (typeof cause === 'string' && cause !== '');

/** An event of a later version is not lost when it has a text. */
function readUnknown(event: Json, name: string): RecordedMessage[] {
  if (SILENT.has(name)) return [];
  const text = [event.content, event.message, event.summary, event.detail].map(asText).find((each) => each !== '');
  return text ? [{ role: 'user', kind: 'reminder', text: `[${name}] ${text}` }] : [];
}

interface Forgotten {
  readonly isGone: (id: string) => boolean;
  readonly summary: string;
  readonly at: number;
}

function condensationOf(event: Json): Forgotten | null {
  const given = event.kind === 'Condensation' ? event : event.action === 'condensation' ? objectOf(event.args) : null;
  if (!given) return null;
  const ids = new Set(listOf(given.forgotten_event_ids).map(String));
  const [from, to] = [given.forgotten_events_start_id, given.forgotten_events_end_id];
  const inRange = (id: string) =>
    typeof from === 'number' && typeof to === 'number' && Number(id) >= from && Number(id) <= to;
  const at = typeof given.summary_offset === 'number' ? given.summary_offset : 0;
  return { isGone: (id) => ids.has(id) || inRange(id), summary: asText(given.summary), at };
}

/** Results go with the call that they answer: a provider would accept neither alone. */
function condense(view: readonly Spoken[], { isGone, summary, at }: Forgotten): Spoken[] {
  const left = view.filter(({ id }) => !isGone(id));
  const calls = new Set(
    left.flatMap(({ message }) => (message.role === 'assistant' ? (message.toolCalls ?? []) : [])).map(({ id }) => id),
  );
  const whole = left.filter(({ message }) => message.role !== 'tool' || calls.has(message.toolCallId));
  if (summary === '') return whole;
  const reported: Spoken = { id: '', message: { role: 'user', kind: 'summary', text: summary } };
  return whole.toSpliced(Math.max(0, Math.min(at, whole.length)), 0, reported);
}
