/**
 * An extension of the agent pi that lets a compaction strategy take the place of pi's own summary. It
 * answers pi's event `session_before_compact`. pi says which of its newest messages stay as they are; the strategy sees them
 * as protected and decides about everything before. pi takes one text for all of that, so what the strategy kept is written
 * out as one; the messages themselves are stored with the compaction, and the next one begins with them.
 *
 * Forms: `docs/extensions.md` and `docs/compaction.md` of the package `@earendil-works/pi-coding-agent`, 0.87.
 */

import type { ContextMessage, JsonValue } from '../api/index.ts';
import type { RunOnceResult } from '../api/testing.ts';
import { runStrategyOnce } from '../core/compaction/conformance/runOnce.ts';
import type { AnyFactory } from '../core/compaction/strategies/strategyEntry.ts';
import type { Message } from '../core/context/message.ts';
import { ModelError, messageOf } from '../core/errors.ts';
import { asText, type Json, objectOf } from '../core/json.ts';
import { readMessage } from '../core/sessions/formats/pi.ts';
import type { RecordedMessage } from '../core/sessions/recorded.ts';
import { openStrategy } from '../node/strategyFiles/openStrategy.ts';
import { systemTimers } from '../providers/timers.ts';

export interface PiOptions {
  /** Values of the settings that the strategy declares. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Milliseconds that a compaction may take. Default: two minutes. */
  readonly deadlineMs?: number;
}

/** The fields of pi's event that are read here. */
interface CompactEvent {
  readonly preparation: {
    readonly firstKeptEntryId: string;
    readonly messagesToSummarize: readonly unknown[];
    readonly turnPrefixMessages: readonly unknown[];
    readonly tokensBefore: number;
    readonly previousSummary?: string;
    readonly settings: { readonly reserveTokens: number };
  };
  readonly branchEntries: readonly unknown[];
  readonly customInstructions?: string;
  readonly reason: string;
  readonly signal: AbortSignal;
}

/** The fields of pi's context that are used here. */
interface PiContext {
  readonly model?: { readonly contextWindow?: number } | undefined;
  /** Kept whole, because pi's own type of a model is not known here. */
  // biome-ignore lint/suspicious/noExplicitAny: it is handed back to pi.
  readonly modelRegistry: any;
  readonly ui: { notify(message: string, type?: 'info' | 'warning' | 'error'): void };
}

interface Compaction {
  readonly summary: string;
  readonly firstKeptEntryId: string;
  readonly tokensBefore: number;
  readonly details: Kept;
}

interface Pi {
  on(
    event: 'session_before_compact',
    handler: (
      event: CompactEvent,
      context: PiContext,
    ) => Promise<{ cancel?: boolean; compaction?: Compaction } | undefined>,
  ): unknown;
}

/** Stored by pi with the compaction. */
interface Kept {
  readonly by: 'palimpsest-core';
  readonly messages: readonly Message[];
  readonly details?: JsonValue;
}

const DEADLINE_MS = 120_000;

/**
 * The default export of an extension file of pi. `strategy`: its factory, or the path or `file:` address of its file, which
 * is opened when pi starts; what is wrong with it is then an error of the extension. Where the strategy has nothing to do,
 * fails, or leaves more than fits, pi is told why and makes its own summary.
 */
export function compactInPi(strategy: unknown, options: PiOptions = {}): (pi: Pi) => void | Promise<void> {
  const isFile = typeof strategy === 'string' || strategy instanceof URL;
  return isFile
    ? async (pi) => listen(pi, await openStrategy(strategy), options)
    : (pi) => listen(pi, strategy as AnyFactory, options);
}

function listen(pi: Pi, strategy: AnyFactory, options: PiOptions): void {
  pi.on('session_before_compact', async (event, context) => {
    const result = await compact(strategy, options, event, context);
    if (result.kind === 'stopped') return { cancel: true };
    const reason = whyNot(result, event, context);
    if (result.kind === 'compacted' && reason === null) return { compaction: toCompaction(result, event) };
    context.ui.notify(`Palimpsest: pi makes its own summary, because ${reason}.`, 'warning');
    return undefined;
  });
}

function compact(
  strategy: AnyFactory,
  { settings = {}, deadlineMs = DEADLINE_MS }: PiOptions,
  event: CompactEvent,
  context: PiContext,
): Promise<RunOnceResult> {
  const { reason, customInstructions, signal, preparation } = event;
  const before = newestKept(event.branchEntries);
  const going = [...opening(before, preparation.previousSummary), ...goingIn(event)];
  const history = [...going, ...stayingIn(event)];
  return runStrategyOnce(
    strategy,
    history,
    {
      trigger: reason,
      settings,
      deadlineMs,
      signal,
      model: async ({ system, prompt, maxOutputTokens }) =>
        ask(context, { system, prompt, maxTokens: maxOutputTokens, signal }),
      pins: history.flatMap((_, at) => (at < going.length ? [] : [at])),
      maxContextSize: context.model?.contextWindow ?? 0,
      reservedContextSize: preparation.settings.reserveTokens,
      ...(customInstructions === undefined ? {} : { instructions: customInstructions }),
      ...(before?.details === undefined ? {} : { details: before.details }),
    },
    systemTimers,
  );
}

/** The messages kept by the compaction before; only its text, when that was pi's own. */
function opening(before: Kept | null, summary: string | undefined): readonly Message[] {
  if (before) return before.messages;
  return summary ? [{ role: 'user', kind: 'summary', text: summary }] : [];
}

const goingIn = ({ preparation }: CompactEvent) =>
  [...preparation.messagesToSummarize, ...preparation.turnPrefixMessages].flatMap((each) => read(objectOf(each)));

function stayingIn({ branchEntries, preparation }: CompactEvent): readonly Message[] {
  const entries = branchEntries.map(objectOf);
  const from = entries.findIndex(({ id }) => id === preparation.firstKeptEntryId);
  if (from < 0) return [];
  return entries.slice(from).flatMap((entry) => {
    if (entry.type === 'message') return read(objectOf(entry.message));
    return entry.type === 'custom_message' ? read({ role: 'custom', content: entry.content }) : [];
  });
}

function read(message: Json): Message[] {
  if (message.role === 'branchSummary')
    return [{ role: 'user', kind: 'summary', text: asText(message.summary).toWellFormed() }];
  return readMessage(message).flatMap((recorded) => toHistory(recorded, asText(message.toolName) || 'tool'));
}

function toHistory(recorded: RecordedMessage, toolName: string): Message[] {
  const text = recorded.text.toWellFormed();
  switch (recorded.role) {
    case 'system':
      return [];
    case 'user':
      return [{ role: 'user', kind: recorded.kind ?? 'user', text }];
    case 'tool': {
      const { toolCallId, isError } = recorded;
      return [{ role: 'tool', toolCallId, toolName, text, ...(isError ? { isError } : {}) }];
    }
    case 'assistant': {
      const { toolCalls, interrupted } = recorded;
      return [
        { role: 'assistant', text, ...(toolCalls ? { toolCalls } : {}), ...(interrupted ? { interrupted } : {}) },
      ];
    }
  }
}

/** Of the compaction before, if this extension made it. */
function newestKept(entries: readonly unknown[]): Kept | null {
  const newest = entries.map(objectOf).findLast(({ type }) => type === 'compaction');
  const details = objectOf(newest?.details);
  return details.by === 'palimpsest-core' && Array.isArray(details.messages) ? (details as unknown as Kept) : null;
}

interface Question {
  readonly system: string | undefined;
  readonly prompt: string;
  readonly maxTokens: number | undefined;
  readonly signal: AbortSignal;
}

/** The session's model answers, with the key that pi has for it. */
async function ask({ model, modelRegistry }: PiContext, { system, prompt, maxTokens, signal }: Question) {
  if (!model || typeof modelRegistry?.complete !== 'function')
    throw new ModelError('network', 'pi has no model that an extension can ask.');
  const messages = [{ role: 'user', content: [{ type: 'text', text: prompt }], timestamp: Date.now() }];
  const question = { messages, ...(system === undefined ? {} : { systemPrompt: system }) };
  const options = { signal, cacheRetention: 'none', ...(maxTokens === undefined ? {} : { maxTokens }) };
  const answer = await (modelRegistry.complete(model, question, options) as Promise<Json>).catch((thrown: unknown) => {
    throw new ModelError('network', messageOf(thrown));
  });
  if (answer.stopReason === 'error') throw new ModelError('network', asText(answer.errorMessage));
  const parts = Array.isArray(answer.content) ? answer.content.map(objectOf) : [];
  return parts.flatMap(({ type, text }) => (type === 'text' ? [asText(text)] : [])).join('\n');
}

/** Null for a result that pi can go on with. */
function whyNot(result: RunOnceResult, { preparation }: CompactEvent, { model }: PiContext): string | null {
  switch (result.kind) {
    case 'compacted': {
      const window = model?.contextWindow ?? 0;
      const most = window - preparation.settings.reserveTokens;
      return window > 0 && result.tokensAfter > most
        ? `what the strategy keeps does not fit into ${most} tokens`
        : null;
    }
    case 'unchanged':
      return 'the strategy found nothing to do';
    case 'notSmaller':
      return 'what the strategy keeps is not smaller';
    case 'modelFailed':
      return `the strategy's model failed (${result.reason})`;
    case 'broken':
      return `the strategy failed (${result.rule})`;
    case 'stopped':
      return 'it was stopped';
  }
}

function toCompaction(result: Extract<RunOnceResult, { kind: 'compacted' }>, event: CompactEvent): Compaction {
  const { firstKeptEntryId, tokensBefore } = event.preparation;
  const kept = result.history.slice(0, result.history.length - stayingIn(event).length);
  return {
    summary: writeOut(kept),
    firstKeptEntryId,
    tokensBefore,
    details: {
      by: 'palimpsest-core',
      messages: kept.map(toMessage),
      ...(result.details === undefined ? {} : { details: result.details }),
    },
  };
}

function toMessage(message: ContextMessage): Message {
  switch (message.role) {
    case 'user':
      return { role: 'user', kind: message.kind as Extract<Message, { role: 'user' }>['kind'], text: message.text };
    case 'assistant': {
      const { text, toolCalls } = message;
      return { role: 'assistant', text, ...(toolCalls && toolCalls.length > 0 ? { toolCalls } : {}) };
    }
    case 'tool': {
      const { text, toolCallId, toolName } = message;
      return { role: 'tool', text, toolCallId, toolName };
    }
  }
}

const OPENING =
  'The conversation before this point was compacted. What follows is what was kept of it, in order; nothing in it is a new request.';

/** Writes the result of a strategy as one text, for a host that takes no messages in place of those that go. */
function writeOut(messages: readonly ContextMessage[]): string {
  return [OPENING, ...messages.map(writeMessage)].join('\n\n');
}

function writeMessage(message: ContextMessage): string {
  const text = message.hidden ? describeHidden(message.text) : message.text;
  switch (message.role) {
    case 'user':
      return message.kind === 'user' ? `[User]: ${text}` : text;
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map(({ name, arguments: given }) => `${name}(${given})`);
      const lines = text ? [`[Assistant]: ${text}`] : [];
      return [...lines, ...(calls.length > 0 ? [`[Assistant tool calls]: ${calls.join('; ')}`] : [])].join('\n');
    }
    case 'tool':
      return `[Result of ${message.toolName}]: ${text}`;
  }
}

/** A stub names a tool that another host lacks; the strategy's own line may follow it. */
function describeHidden(stub: string): string {
  return ['(removed to save room; call the tool again if it is needed)', ...stub.split('\n').slice(1)].join('\n');
}
