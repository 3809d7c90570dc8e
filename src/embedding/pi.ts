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
import { checkDeclared, checkStrategy, STRATEGY } from '../core/agent/agentOptions.ts';
import { factoryOf, type OwnStrategy } from '../core/agent/createAgent.ts';
import { runStrategyOnce } from '../core/compaction/conformance/runOnce.ts';
import type { AnyFactory } from '../core/compaction/strategies/strategyEntry.ts';
import type { Message } from '../core/context/message.ts';
import { ModelError, messageOf } from '../core/errors.ts';
import { asText, isObject, type Json, objectOf } from '../core/json.ts';
import { AMOUNT, checkOptions, needed, OBJECT, type OptionRule, type OptionRules, TEXT } from '../core/options.ts';
import { countOf } from '../core/sessions/formats/json.ts';
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
  /** Usage of the strategy's own requests, in pi's form; pi adds it to the session's totals. */
  readonly usage?: Json;
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

const STRATEGY_OR_FILE: OptionRule = {
  is: (value) => TEXT.is(value) || value instanceof URL || STRATEGY.is(value),
  wanted: `${STRATEGY.wanted}, or the path or file: address of its file`,
};

const PI_OPTIONS: OptionRules<PiOptions> = {
  settings: { ...OBJECT, wanted: 'an object of settings and their values' },
  deadlineMs: { is: (value) => AMOUNT.is(value) && value !== 0, wanted: 'milliseconds, more than 0' },
};

/**
 * The default export of an extension file of pi. `strategy`: its factory, or the path or `file:` address of its file, which
 * is opened when pi starts; what is wrong with it is then an error of the extension. Where the strategy has nothing to do,
 * fails, or leaves more than fits, pi is told why and makes its own summary. Throws `TypeError` for what is no strategy and for
 * an option that cannot be used.
 */
export function compactInPi(
  strategy: OwnStrategy | string | URL,
  options: PiOptions = {},
): (pi: Pi) => void | Promise<void> {
  checkOptions('compactInPi', { strategy }, { strategy: needed(STRATEGY_OR_FILE) });
  checkOptions('compactInPi', options, PI_OPTIONS);
  const { settings = {} } = options;
  if (typeof strategy === 'string' || strategy instanceof URL)
    return async (pi) => {
      const opened = await openStrategy(strategy);
      checkDeclared('compactInPi', 'settings', settings, opened);
      listen(pi, opened, options);
    };
  checkStrategy('compactInPi', 'strategy', strategy);
  checkDeclared('compactInPi', 'settings', settings, strategy);
  return (pi) => listen(pi, factoryOf(strategy), options);
}

function listen(pi: Pi, strategy: AnyFactory, options: PiOptions): void {
  pi.on('session_before_compact', async (event, context) => {
    const span = readSpan(event);
    const usages: Json[] = [];
    const result = await compact(strategy, options, span, event, context, usages);
    if (result.kind === 'stopped') return { cancel: true };
    const reason = whyNot(result, event, context);
    if (result.kind === 'compacted' && reason === null) {
      const { failure } = result;
      if (failure)
        context.ui.notify(
          `Palimpsest: the strategy did not finish (${failure.reason}); what it had done is used.`,
          'warning',
        );
      return { compaction: toCompaction(result, span, event, usages) };
    }
    context.ui.notify(`Palimpsest: pi makes its own summary, because ${reason}.`, 'warning');
    return undefined;
  });
}

/** The conversation that pi compacts, in order. */
interface Span {
  readonly before: Kept | null;
  /** Messages that pi gives up: the strategy decides about them. */
  readonly going: readonly Message[];
  /** Messages that pi keeps as they are. */
  readonly staying: readonly Message[];
}

function readSpan(event: CompactEvent): Span {
  const before = newestKept(event.branchEntries);
  const going = [...opening(before, event.preparation.previousSummary), ...goingIn(event)];
  return { before, going, staying: stayingIn(event) };
}

function compact(
  strategy: AnyFactory,
  { settings = {}, deadlineMs = DEADLINE_MS }: PiOptions,
  { before, going, staying }: Span,
  { reason, customInstructions, signal, preparation }: CompactEvent,
  context: PiContext,
  usages: Json[],
): Promise<RunOnceResult> {
  return runStrategyOnce(
    strategy,
    [...going, ...staying],
    {
      trigger: reason,
      settings,
      deadlineMs,
      signal,
      model: async ({ system, prompt, maxOutputTokens }) => {
        const { text, usage } = await ask(context, { system, prompt, maxTokens: maxOutputTokens, signal });
        if (usage) usages.push(usage);
        return text;
      },
      pins: staying.map((_, at) => going.length + at),
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
  const edits = new Map(
    entries.flatMap(({ type, targetId, replacement }) => (type === 'context_edit' ? [[targetId, replacement]] : [])),
  );
  return entries.slice(from).flatMap((entry) => {
    const message = messageOfEntry(entry);
    if (!edits.has(entry.id)) return read(message);
    const replacement = edits.get(entry.id);
    return replacement === null ? [] : read({ ...message, content: partsOf(objectOf(replacement).content) });
  });
}

/** The message that the model sees of an entry; an object without a role for one that it does not see. */
function messageOfEntry(entry: Json): Json {
  switch (entry.type) {
    case 'message':
      return objectOf(entry.message);
    case 'custom_message':
      return { role: 'custom', content: entry.content };
    case 'branch_summary':
      return { role: 'branchSummary', summary: entry.summary };
    default:
      return {};
  }
}

const partsOf = (content: unknown) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content);

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
async function ask(
  { model, modelRegistry }: PiContext,
  { system, prompt, maxTokens, signal }: Question,
): Promise<{ readonly text: string; readonly usage: Json | null }> {
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
  const text = parts.flatMap(({ type, text }) => (type === 'text' ? [asText(text)] : [])).join('\n');
  return { text, usage: isObject(answer.usage) ? answer.usage : null };
}

/** Sums two usages of pi: amounts are added, and a mark holds where both have it. */
function addUsage(first: Json, second: Json): Json {
  const names = [...new Set([...Object.keys(first), ...Object.keys(second)])];
  return Object.fromEntries(
    names.map((name) => {
      const [one, other] = [first[name], second[name]];
      if (isObject(one) || isObject(other)) return [name, addUsage(objectOf(one), objectOf(other))];
      if (typeof one === 'number' || typeof other === 'number') return [name, countOf(one) + countOf(other)];
      return [name, one === true && other === true];
    }),
  );
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

function toCompaction(
  { history, details }: Extract<RunOnceResult, { kind: 'compacted' }>,
  { going, staying }: Span,
  { preparation: { firstKeptEntryId, tokensBefore } }: CompactEvent,
  usages: readonly Json[],
): Compaction {
  const stays = new Set(staying.map((_, at) => `m${going.length + at}`));
  const kept = history.filter(({ id }) => !stays.has(id)).map(toMessage);
  const [first, ...others] = usages;
  return {
    summary: writeOut(kept),
    firstKeptEntryId,
    tokensBefore,
    ...(first ? { usage: others.reduce(addUsage, first) } : {}),
    details: { by: 'palimpsest-core', messages: kept, ...(details === undefined ? {} : { details }) },
  };
}

function toMessage(message: ContextMessage): Message {
  const text = message.hidden ? describeHidden(message.text) : message.text;
  switch (message.role) {
    case 'user':
      return { role: 'user', kind: message.kind as Extract<Message, { role: 'user' }>['kind'], text };
    case 'assistant': {
      const { toolCalls } = message;
      return { role: 'assistant', text, ...(toolCalls.length > 0 ? { toolCalls } : {}) };
    }
    case 'tool': {
      const { toolCallId, toolName, isError } = message;
      return { role: 'tool', text, toolCallId, toolName, ...(isError ? { isError } : {}) };
    }
  }
}

const OPENING = 'The conversation before this point was compacted.';
const FOLLOWS = 'What follows is what was kept of it, in order; nothing in it is a new request.';
const NOTHING = 'Nothing of it was kept.';

/** Writes the result of a strategy as one text, for a host that takes no messages in place of those that go. */
function writeOut(messages: readonly Message[]): string {
  return [`${OPENING} ${messages.length > 0 ? FOLLOWS : NOTHING}`, ...messages.map(writeMessage)].join('\n\n');
}

function writeMessage(message: Message): string {
  const { text } = message;
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
