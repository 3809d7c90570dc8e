/**
 * Palimpsest API, version 1. Imports nothing. All input is deep-frozen. Kinds, triggers, phases and reasons may grow, so
 * handle unknown ones.
 *
 * Tokens are estimates. *Uncalibrated* ones are counted by `countTokens` and add up: those of messages, of `tokensOf`, of
 * targets. *Calibrated* ones are of a whole request (system prompt, tools, history) and fitted to what the provider
 * reports for the model in use.
 */
export interface Disposable {
  /** Calling it again does nothing. */
  dispose(): void;
}
/** The exports of the extension `palimpsest.palimpsest`, returned by `activate()`. */
export interface PalimpsestExports {
  /** Throws `UnsupportedApiVersion` for anything but 1. */
  getAPI(version: 1): PalimpsestApi;
}
/** `publisher.extension/name`, exactly as declared in that extension's `contributes.palimpsest.compactionStrategies`. */
export type StrategyId = `${string}.${string}/${string}`;
export interface PalimpsestApi {
  readonly version: 1;
  /**
   * Throws when no installed extension declares the id, or it is already registered, and `TypeError` when the factory has
   * no `needs` and `create`. Disposing takes the strategy out and ends a run that is under way.
   */
  registerCompactionStrategy<N extends keyof StrategyPorts>(id: StrategyId, factory: StrategyFactory<N>): Disposable;
  /** Before a strategy runs. An event of `onDidCompact` follows each. Numbers and names only. */
  onWillCompact(listener: (event: CompactionStart) => void): Disposable;
  /** Numbers and names only: no text of any session ever leaves through the API. */
  onDidCompact(listener: (event: CompactionEvent) => void): Disposable;
  /** The phases of each compaction while it runs, in order. Numbers and names only. */
  onDidProgress(listener: (event: CompactionPhase) => void): Disposable;
}
/**
 * Creates a strategy. If it throws, or `needs` contains an unknown name, the strategy fails with that reason when it is
 * run.
 */
export interface StrategyFactory<N extends keyof StrategyPorts = never> {
  /** Names of the ports that `create` gets. */
  readonly needs: readonly N[];
  /**
   * Settings of a strategy in a file, by name: letters, digits, hyphens and underscores, at most 50. A person gives them
   * values in `palimpsest.compaction.fileSettings` as `"mine.longest": 4000`, and on the pages that try or compare it.
   * Palimpsest refuses a file whose declarations are not usable. An extension declares its own in its manifest.
   */
  readonly settings?: Readonly<Record<string, StrategySetting>>;
  /**
   * Called when a session first uses the strategy, and again after another was used in between. State kept between calls
   * of `compact` must be a cache: undo, revert and reload may call with an older history.
   */
  create(ports: Pick<StrategyPorts, N>): CompactionStrategy;
}
/**
 * The factory as it is given, with the ports of `create` taken from `needs` in its types. A `StrategyFactory` written by
 * hand does as well.
 */
export declare function defineStrategy<N extends keyof StrategyPorts = never>(
  factory: StrategyFactory<N>,
): StrategyFactory<N>;
/** One setting, as in a JSON schema. Its default must fit. */
export type StrategySetting =
  | {
      readonly type: 'boolean';
      readonly default: boolean;
      readonly description?: string;
    }
  | {
      readonly type: 'integer' | 'number';
      readonly default: number;
      readonly minimum?: number;
      readonly maximum?: number;
      readonly description?: string;
    }
  | {
      readonly type: 'string';
      readonly default: string;
      /** The possible values. */
      readonly enum?: readonly string[];
      readonly enumDescriptions?: readonly string[];
      readonly description?: string;
    };
export interface StrategyPorts {
  /** The model that writes summaries. It answers while `compact` runs. The person may pay for it: ask only when needed. */
  readonly llm: SummaryModel;
  /** Uncalibrated tokens of a text, 0 or more. Fast, synchronous, always at hand. */
  readonly countTokens: (text: string) => number;
  /** A line under the strategy's id in Palimpsest's output channel, cut at 2,000 characters. Another level counts as `info`. */
  readonly log: (level: 'debug' | 'info' | 'warn', text: string) => void;
  /**
   * Values of the configuration section named in the manifest, by their names below it, or of the settings that the
   * factory declares; read when the run began. A declared one that is missing or does not fit has its default.
   */
  readonly settings: () => Readonly<Record<string, unknown>>;
}
export interface CompactionStrategy {
  /**
   * The new history in order, or null for "nothing to do" (so is an unchanged list).
   * Same id, same content: kept. Same id, other `text` or call arguments: replaced. A `NewSummary`: inserted. Id absent: dropped.
   * Any other difference, a split `block`, a changed order, or a lost pinned or protected message rejects the result; so
   * do a text that became blank, arguments that are no JSON object, and a stub whose text was changed. Of a changed
   * message `tokens` may stay, or be what `tokensOf` says. The result must have fewer tokens than `history`.
   *
   * It has as many seconds as the setting `palimpsest.compaction.deadline` says (180 by default), for each attempt; what
   * comes later is ignored. A latest user message that the result drops is put back where it stood. What leaves is
   * searched for facts (paths, errors, the person's requests); those that nothing left mentions stand in a ledger, a
   * summary of its own after the last new summary, at the beginning where there is none.
   */
  compact(context: CompactionContext): Promise<CompactionResult | readonly (ContextMessage | NewSummary)[] | null>;
  /**
   * Whether it is time: true to compact now, false for "not yet", undefined to leave it to the person's settings. Asked
   * wherever these are looked at, while automatic compaction is on and this strategy is chosen and registered. It must be
   * synchronous and cheap: one that throws, takes more than 200 ms or answers anything else is named to the person and
   * not asked again in that session. False holds back only what can wait: a request that would not fit is compacted
   * anyway. True does not pass over a person who undid or declined a compaction. `triggers` are the rules of the
   * built-in strategies, to combine with its own.
   */
  shouldCompact?(reading: ContextReading, triggers: BuiltInTriggers): boolean | undefined;
  /** Called once, when this object is used no more: another strategy was chosen, yours was taken away, or the session closed. */
  dispose?(): void;
}
/** Each looks at the reading of this call. */
export interface BuiltInTriggers {
  /**
   * Whether one of these is reached: `ratio` of the window (or of `maxContextTokens`, where that is less), all but
   * `reserve` tokens of it, a number of `messages`. With nothing given: what the person's settings say.
   */
  limit(when?: {
    readonly ratio?: number;
    readonly reserve?: number;
    readonly messages?: number;
    readonly maxContextTokens?: number;
  }): boolean;
  /**
   * Whether compacting now costs less than going on: at least `share` of the window (0.47) is used, and carrying what
   * may go has cost `factor` times (3) as much as a compaction, or the cache is cold (`idleMinutes`, 5, where nobody says
   * when). False at other moments than `beforeCall`.
   */
  pays(rule?: { readonly share?: number; readonly factor?: number; readonly idleMinutes?: number }): boolean;
  /** Whether the cache goes cold soon, and still answers a summary's request. */
  cooling(): boolean;
}
/** How full the context is where a compaction may start: no call of a tool is unanswered. */
export interface ContextReading {
  /** Before a message is added, before each request to the model, or after each answer. */
  readonly moment: 'beforeMessage' | 'beforeCall' | 'afterResponse' | (string & {});
  /** Calibrated tokens of the whole request: the last reported usage, and an estimate of what came after it. */
  readonly tokenCount: number;
  /** Uncalibrated tokens of the message that is about to be added; 0 at other moments. */
  readonly comingTokens: number;
  /** Tokens of the window; 0 when unknown. */
  readonly maxContextSize: number;
  /** `tokenCount` at which the person's settings compact; null when no number of tokens is enough. */
  readonly triggerTokens: number | null;
  /** Whether those settings compact now. */
  readonly due: boolean;
  /** Messages in the context, results of tools included. */
  readonly messages: number;
  /**
   * Milliseconds since the model in use answered a request that began as the next one will: its provider may have that in
   * its cache. Null when there was none, as after a change of the context or of the model.
   */
  readonly idleMs: number | null;
  /** Milliseconds that its provider keeps a prompt in its cache after the last use; null where nobody documents it. */
  readonly cacheLivesMs: number | null;
  /** Tokens that the provider counted last; null after a change of the context that no answer followed. */
  readonly reported: {
    readonly input: number;
    readonly cached: number;
    readonly output: number;
  } | null;
}
/** A new history with something to remember beside it. */
export interface CompactionResult {
  /** The new history, as `compact` may return it without more. */
  readonly messages: readonly (ContextMessage | NewSummary)[];
  /**
   * Kept in the session's journal with this compaction and handed back at the next one as `context.details`. At most 64 KB
   * as JSON in UTF-8, 32 levels deep; anything else rejects the result. An unchanged list makes no compaction, so nothing
   * is kept with it. The person's *Redact* and export reach it: keep no secrets in it.
   */
  readonly details?: JsonValue;
}
/** A value that JSON can represent. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | {
      readonly [key: string]: JsonValue;
    };
export type CompactionTrigger =
  | 'threshold'
  | 'precheck'
  | 'overflow'
  | 'manual'
  | 'agent'
  | 'ahead'
  | 'cooling'
  | (string & {});
/** One attempt of a compaction. The same values for as long as it lasts. */
export interface CompactionContext {
  /** The conversation in order: no system prompt, no tool definitions, no memory files. Never empty. */
  readonly history: readonly ContextMessage[];
  /** Calibrated tokens of the whole request: the last reported usage, and an estimate of what came after it. */
  readonly tokenCount: number;
  /** Tokens of the model's window; 0 when unknown. */
  readonly maxContextSize: number;
  /** Tokens of the window that the person's settings keep free; 0 where they are as many as the window. */
  readonly reservedContextSize: number;
  /** Uncalibrated tokens, 1 or more, that `history` alone should fit into after this call. Half as many in attempt 2. */
  readonly targetTokens: number;
  /**
   * Uncalibrated tokens, 1 or more, that `history` alone may hold without the trigger firing again; `targetTokens` where
   * no threshold was passed.
   */
  readonly thresholdTokens: number;
  /** 1, or 2 when the first result was valid but still too large: keep half as much. */
  readonly attempt: number;
  /**
   * Why it runs: `threshold` after an answer, `precheck` before a message or a request, `overflow` when the provider
   * refused a request as too long, `manual` when the person asked, `agent` when the model did, `ahead` while the
   * agent goes on, so that nobody waits for a summary when the limit is reached, `cooling` before the cache goes cold
   * while nobody works.
   */
  readonly trigger: CompactionTrigger;
  /**
   * Instructions from the person (`/compact …`), or from the agent if it requested the compaction. Omitted without any.
   */
  readonly instructions?: string;
  /**
   * The details that this strategy returned with its newest compaction in force. Undo, revert and branches undo them
   * with that compaction. Undefined before the first compaction, when that one returned none, and for imported ones.
   */
  readonly details: JsonValue | undefined;
  /** Text of the newest summary in `history`, whole also where it is hidden. Undefined when there is none. */
  readonly previousSummary: string | undefined;
  /**
   * Files that calls in the session have read and changed so far on this path, the newest last, also where the calls are
   * no longer in `history`. As the calls named them; calls that failed are left out. At most the newest 1,000 of each, from
   * the newest 20,000 journal entries. Looked for when first asked for.
   */
  readonly files: {
    readonly read: readonly string[];
    readonly changed: readonly string[];
  };
  /**
   * Every message that was added on this path, in order and as it was added: also what compactions have taken away or
   * shortened since, and none of the notes that they put in. Those of the newest 20,000 journal entries. Looked for when
   * first asked for.
   */
  readonly past: readonly PastMessage[];
  /** The provider's prompt cache for this session, as far as it was reported. */
  readonly cache: {
    /** `reported`: it said that it read or wrote something. `none`: it counted requests and never did. */
    readonly says: 'reported' | 'none' | 'unknown' | (string & {});
    /** Calibrated tokens at the beginning of the next request that it holds while it lives. */
    readonly heldTokens: number;
    /** Milliseconds since the epoch of its last use; null for never. */
    readonly usedAt: number | null;
    /** Milliseconds that it lives after that; null where nobody documents it. */
    readonly livesMs: number | null;
    /** Tokens of the last request, and how many of them were read from the cache: 0 is a miss. Null as in `reported`. */
    readonly last: {
      readonly input: number;
      readonly cached: number;
    } | null;
  };
  /** Prices of a million tokens of the session's model now, for a request of this size; null where they are not known. */
  readonly prices: {
    readonly currency: string;
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  } | null;
  /** Random, and the same for a session in every call and after every restart. It says nothing about the session. */
  readonly sessionId: string;
  readonly builtins: BuiltIns;
  /** The port of that name; rejects with `ModelError` when not in `needs`, when no model is reachable, or after `compact` settled. */
  readonly llm: SummaryModel;
  /**
   * A copy of the message with its text behind a short stub that carries a handle and the session's nonce: `hidden` is
   * true and `tokens` those of the stub. The only right way to hide: the stub's text must come back as it is. Hiding
   * twice is the same as hiding once. The same message comes back when it is protected, hidden already, shorter than its
   * stub, or of a tool whose results the person keeps. `reason` 'pruned' gives a stub that says when; other reasons change
   * nothing in its wording. `always` hides what is shorter than its stub too, so that a group goes whole.
   */
  hide<M extends ContextMessage>(message: M, reason?: string | HideOptions, always?: boolean): M;
  /**
   * Uncalibrated tokens that it would cost in the history: of a message as it is or as you changed it, or of a new
   * summary, its frame included. Throws `TypeError` for a message of another history.
   */
  tokensOf(message: ContextMessage | NewSummary): number;
  /**
   * Reports the current activity for a line in the panel, cut at 500 characters; `fraction` is the completed share, 0
   * to 1. Does nothing once `compact` has settled.
   */
  report(text: string, fraction?: number): void;
  /**
   * Resolves once others had their turn. All extensions share one thread: await it every few milliseconds in work that takes
   * longer than that.
   */
  pause(): Promise<void>;
  /**
   * Saves the progress so far, in the form that `compact` would return: it is used when the rest fails or comes too
   * late, and the phases of the run report its size. Valid until the next call, or until `compact` settles with a
   * result. Throws for progress that could not be committed.
   */
  soFar(done: CompactionResult | readonly (ContextMessage | NewSummary)[]): void;
  /** Aborted on stop, deadline and dispose; later results are ignored. */
  readonly signal: AbortSignal;
}
/** How `hide` hides, in place of its second and third argument. */
export interface HideOptions {
  /** A line of the strategy's own after the stub, for the model: cut at 300 characters, line breaks become spaces. */
  readonly note?: string;
  readonly reason?: string;
  readonly always?: boolean;
}
/** The strategies that come with Palimpsest. */
export type BuiltInId =
  | 'llm-summary'
  | 'tool-result-hiding'
  | 'hiding-then-summary'
  | 'selective'
  | 'prune-then-summary'
  | 'round-summary'
  | 'layered'
  | (string & {});
export interface BuiltIns {
  /**
   * Runs a built-in strategy and resolves with the history that it makes: the list it was given where it finds nothing to
   * do, else a new one to return, to change, or to run another on. Nothing is committed by it. It asks your `llm`, so a
   * strategy that summarises rejects with `ModelError` when `llm` is not in your `needs`; it rejects when `compact` is over.
   */
  run(
    id: BuiltInId,
    options?: {
      /** `history` of the context when left out. Else any list that `compact` may return, such as that of another run. */
      readonly history?: readonly (ContextMessage | NewSummary)[];
      /** By their names in its section, in place of the person's own. What cannot be used is the default. */
      readonly settings?: Readonly<Record<string, unknown>>;
      /** That of the context when left out. */
      readonly targetTokens?: number;
      /** That of the context when left out. 2: keep half. */
      readonly attempt?: number;
    },
  ): Promise<readonly (ContextMessage | NewSummary)[]>;
}
export type ContextMessage = UserMessage | AssistantMessage | ToolMessage;
export interface MessageFacts {
  /** Stable for the life of the session, and unique in it. */
  readonly id: string;
  /** May be empty. Of a hidden message the stub. Reasoning is not in it. */
  readonly text: string;
  /** Uncalibrated, 1 or more: the whole message with attachments, arguments and the reasoning that goes with calls. */
  readonly tokens: number;
  /** Messages sharing a block (a tool call group, or one lone message) stay or go together. */
  readonly block: number;
  /** Rises by one with every message that a person wrote; 0 before the first. */
  readonly round: number;
  /** Must come back unchanged: pinned by the user, latest user message, or reasoning in an open tool loop. */
  readonly protected: boolean;
  /** Already a stub. Hiding it again changes nothing. */
  readonly hidden: boolean;
  /** Milliseconds since the epoch when it was added. */
  readonly time: number;
}
export interface UserMessage extends MessageFacts {
  readonly role: 'user';
  /**
   * `user` is the only one a person wrote. `summary`: notes of an earlier compaction, a ledger among them. `reminder`:
   * what Palimpsest tells the model. `skillMetadata` and `skillPrompt`: skills that are offered, and one that is in use.
   * `mention`: what the user's message names, such as a file.
   */
  readonly kind: 'user' | 'summary' | 'reminder' | 'skillMetadata' | 'skillPrompt' | 'mention' | (string & {});
  /** Images sent with it. Hiding the message takes them out; before the latest round every compaction does. */
  readonly attachments: readonly {
    readonly mime: string;
    readonly tokens: number;
  }[];
}
export interface AssistantMessage extends MessageFacts {
  readonly role: 'assistant';
  /**
   * Empty for an answer without calls. `arguments` is JSON text as the model wrote it, which may be malformed; changed
   * arguments must be a JSON object. Ids, names and count are fixed. Results follow in the same `block`.
   */
  readonly toolCalls: readonly {
    readonly id: string;
    readonly name: string;
    readonly arguments: string;
  }[];
}
export interface ToolMessage extends MessageFacts {
  readonly role: 'tool';
  /** The `id` of its call in the same `block`. */
  readonly toolCallId: string;
  readonly toolName: string;
  /** The tool failed, or was not allowed to run; `text` says why. */
  readonly isError: boolean;
  /** The tool wants only its newest results kept: older ones go behind stubs by themselves. */
  readonly ephemeral: boolean;
  /** Cut when the tool returned, or its full body offloaded: do not cut it again. */
  readonly truncated: boolean;
  /** Images that the tool returned; hiding the result takes them out. Left out where there are none. */
  readonly attachments?: readonly {
    readonly mime: string;
    readonly tokens: number;
  }[];
}
/** Why a line was kept. */
export interface LineReason {
  /**
   * The reason for keeping it: a call used `name`, the person or the agent named it, it came up often, the agent wrote
   * it, the file of that name was changed or read, it was recent. Any other text, of at most 200 characters, is shown
   * unchanged.
   */
  readonly why: 'called' | 'asked' | 'said' | 'often' | 'written' | 'changed' | 'touched' | 'recent' | (string & {});
  readonly name?: string;
}
/** A message as it was added. */
export type PastMessage =
  | Omit<UserMessage, PresentFact>
  | Omit<AssistantMessage, PresentFact>
  | Omit<ToolMessage, PresentFact>;
/** Fields of a message that only exist in the present history. */
export type PresentFact = 'block' | 'round' | 'protected' | 'hidden';
/**
 * Notes that stand for what was dropped, at their place in the list. The model gets them as a user message in a frame that
 * says that they are notes and no orders. `tokensOf` says what one costs. At most 100 in a result, and 4,000,000
 * characters in all that a result adds.
 */
export interface NewSummary {
  readonly role: 'user';
  readonly kind: 'summary';
  /** Not blank, well-formed Unicode. What looks like a stub or a ledger in it is made harmless. */
  readonly text: string;
  /** Number of characters that a limit of the strategy cut at its end: the person is told. */
  readonly cut?: number;
  /**
   * Why each line of the text is there, in the order of the lines, for the details of the compaction that a person opens;
   * null where there is nothing to say. What is longer than the text has lines is left out.
   */
  readonly reasons?: readonly (LineReason | null)[];
  readonly id?: never;
}
export interface SummaryModel {
  /** Uncalibrated tokens of `system` and `prompt` together; 0 while no model answers. Less once the model refused that many. */
  readonly maxInputTokens: number;
  /**
   * One question, never with tools. Usage is charged to the compaction. Faults that may pass are tried again; then it
   * rejects with `ModelError`, as it does for an empty answer and after the run. Each call is a request of its own. At
   * most 16 wait for an answer at the same time, and there are 500 in a compaction, those of `continue` included: one
   * more rejects with an `Error` that says so.
   */
  complete(request: {
    readonly system?: string;
    /** A prompt too long for the model is cut in its middle, and the person is told so. */
    readonly prompt: string;
    /** True: what is too long, or refused as too long, rejects as `overflow`, to be sent again in parts of `maxInputTokens`. */
    readonly whole?: boolean;
    /** 1 or more; never more than the person's settings allow, which is also the default. */
    readonly maxOutputTokens?: number;
    /**
     * A JSON schema of at most 20,000 characters. It goes along with the prompt, the answer is checked, and a model that
     * missed it is asked once more; then it rejects as `interrupted`. What fits comes back as `value`.
     */
    readonly schema?: Readonly<Record<string, unknown>>;
    /**
     * The name of another model that the person has, as their list of models says it. Rejects as `notFound` for any
     * other, and where it cannot be used, with the reason. `maxInputTokens` is of the default model.
     */
    readonly model?: string;
    /** Only what stands between `<tag>` and `</tag>` is given back, all of it without them. Empty tags are an empty answer. */
    readonly tag?: string;
    /** Ends this question. `context.signal` ends it in any case. */
    readonly signal?: AbortSignal;
  }): Promise<{
    readonly text: string;
    readonly truncated: boolean;
    readonly value?: JsonValue;
  }>;
  /**
   * One question as a continuation of the session's last request, so that nearly all of it is read from the provider's
   * cache. The model sees the system prompt, the memory files and the tools, and calls none. Only `context.llm` has it,
   * and only where a request can be continued. Resolves with null where this one cannot: use `complete` then. Rejects
   * with `ModelError` as `complete` does.
   */
  readonly continue?: (question: {
    /** Messages of `history` as they are, in one piece: those that the answer will stand for. */
    readonly covers: readonly ContextMessage[];
    /** Instructions about the conversation above them. */
    readonly task: string;
    /** As in `complete`. */
    readonly maxOutputTokens?: number | undefined;
    readonly tag?: string | undefined;
    readonly signal?: AbortSignal | undefined;
  }) => Promise<{
    readonly text: string;
    readonly truncated: boolean;
  } | null>;
}
/** `selective`: what goes without a summary. `summary`: from the first question to a model on. */
export interface CompactionPhase {
  /** Its id. */
  readonly strategy: string;
  /** As `CompactionContext.trigger`. */
  readonly trigger: string;
  readonly phase: 'selective_start' | 'selective_done' | 'summary_start' | 'summary_done' | (string & {});
  /** Calibrated tokens of the whole request, when the part began and at this moment. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}
export interface CompactionStart {
  /** Its id. */
  readonly strategy: string;
  /** As `CompactionContext.trigger`. */
  readonly trigger: string;
  /** Calibrated tokens of the whole request. */
  readonly tokensBefore: number;
  /** Tokens of the window; 0 when unknown. */
  readonly maxContextSize: number;
}
export interface CompactionEvent {
  /** Its id; in `compacted` also the name of a step that Palimpsest took itself, such as `fallback` or `ephemeral`. */
  readonly strategy: string;
  /** As `CompactionContext.trigger`, and `ephemeral` or `branch` for such steps. */
  readonly trigger: string;
  /** `failed` leaves the context as it was, unless a `compacted` follows at once: then another step was taken instead. */
  readonly kind: 'compacted' | 'failed' | 'unchanged' | 'undone' | (string & {});
  /** Why it failed or changed nothing. */
  readonly reason?: CompactionReason | (string & {});
  /** Calibrated tokens of the whole request. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Rounds (a person's message and all that followed it) of which nothing is left; left out for none. */
  readonly roundsCompacted?: number;
  /** Milliseconds from its start, questions to the person included; 0 for an undo. */
  readonly durationMs: number;
  /** Requests to the summary model that were sent, repeated ones included. 0 in a `failed` that a `compacted` follows. */
  readonly modelCalls: number;
  /** Tokens of these requests and of their answers, as the provider reported them, else estimated. */
  readonly promptTokens: number;
  readonly completionTokens: number;
}
export type CompactionReason =
  /** `compact` threw or rejected, or the factory did. */
  | 'threw'
  /** It did not settle before its deadline. */
  | 'late'
  /** It was taken away or replaced while it ran. */
  | 'gone'
  /** Its result breaks a rule. */
  | 'rejected'
  /** Its result has no fewer tokens. */
  | 'notSmaller'
  /** The summary model could not be reached, or answered badly. */
  | 'model'
  /** Whatever may go, the request would not fit. */
  | 'tooLarge'
  /** There was nothing to compact. */
  | 'nothing'
  /** It was stopped: by a person, or because its turn or its window ended. */
  | 'stopped'
  /** The conversation changed meanwhile. */
  | 'reshaped';
/**
 * Errors that Palimpsest throws at an extension, and the guards that tell them apart. An extension and Palimpsest each
 * have their own copy of this file, so `instanceof` cannot: the guards look at the error itself.
 */
export type ModelErrorKind =
  /** The request does not fit into the model's window. */
  | 'overflow'
  | 'rateLimit'
  /** The key is missing or refused. */
  | 'auth'
  | 'billing'
  /** There is no such model, or none can be reached. */
  | 'notFound'
  | 'badRequest'
  | 'network'
  /** The answer broke off, or was empty. */
  | 'interrupted'
  /** The compaction was stopped or is over. */
  | 'aborted';
/** Rejection of `llm.complete` when a model cannot be asked, or answers badly. Its message contains no key. */
export interface ModelError extends Error {
  readonly name: 'ModelError';
  readonly kind: ModelErrorKind | (string & {});
}
/** Thrown by `getAPI` for a version that the installed release does not offer. */
export interface UnsupportedApiVersion extends Error {
  readonly name: 'UnsupportedApiVersion';
}
export declare function isModelError(thrown: unknown): thrown is ModelError;
export declare function isUnsupportedApiVersion(thrown: unknown): thrown is UnsupportedApiVersion;
/**
 * The tools that Palimpsest offers to a model, by name, with the arguments that their calls carry. What a call in a
 * history holds is a model's text: check it before use. Imported sessions hold calls of other programs' tools as well.
 */
/** The arguments of each tool, as a model is told to write them. */
export interface BuiltInToolArguments {
  readonly read_file: {
    /** Relative to the workspace, with forward slashes. */
    readonly path: string;
    /** First line, from 1. */
    readonly offset?: number;
    /** First character of that line, from 1. */
    readonly column?: number;
    /** Lines. */
    readonly limit?: number;
  };
  readonly list_files: {
    readonly path?: string;
    /** Levels, 1 to 10. */
    readonly depth?: number;
  };
  readonly search_text: {
    readonly pattern: string;
    /** The pattern is a regular expression. */
    readonly regex?: boolean;
    readonly path?: string;
    readonly glob?: string;
    /** Matching lines to show. */
    readonly limit?: number;
  };
  /** A single edit may also stand beside `path`, without `edits` around it, as in older sessions. */
  readonly edit_file: {
    readonly path: string;
    readonly edits: readonly {
      readonly old_string: string;
      readonly new_string: string;
      readonly replace_all?: boolean;
    }[];
  };
  readonly write_file: {
    readonly path: string;
    readonly content: string;
  };
  readonly run_command: {
    readonly command: string;
    /** It runs on after the call. */
    readonly background?: boolean;
    /** The name of an open folder, where several are open. */
    readonly cwd?: string;
    readonly timeout_seconds?: number;
  };
  readonly move_file: {
    readonly path: string;
    readonly new_path: string;
  };
  readonly delete_file: {
    readonly path: string;
  };
  readonly read_problems: {
    /** A file or folder; all of the workspace without it. */
    readonly path?: string | undefined;
  };
  readonly find_symbols: {
    /** A name or a part of it, in the whole workspace. */
    readonly query?: string | undefined;
    /** The file whose symbols are listed. */
    readonly path?: string | undefined;
  };
  readonly find_references: {
    readonly path: string;
    readonly symbol: string;
    /** A line of `path` that holds the symbol, from 1. */
    readonly line?: number | undefined;
  };
  readonly git_changes: {
    /** A file or folder; the workspace folder without it. */
    readonly path?: string | undefined;
  };
  readonly read_output: {
    /** As the result of `run_command` names it. */
    readonly id: string;
    readonly wait_seconds?: number;
  };
  readonly stop_command: {
    readonly id: string;
  };
  readonly write_todos: {
    /** The whole list each time, in order. */
    readonly todos: {
      text: string;
      state: 'open' | 'doing' | 'done';
    }[];
  };
  readonly present_plan: {
    readonly plan: string;
  };
  readonly ask_user: {
    readonly question: string;
    readonly choices?: {
      label: string;
      description: string;
    }[];
  };
  readonly find_files: {
    readonly glob: string;
    readonly path?: string | undefined;
    /** Paths to show. */
    readonly limit?: number;
  };
  readonly recall: {
    /** The id of the message to read, such as `m17`. */
    readonly id?: string;
    readonly query?: string;
    /** First character to read. */
    readonly offset?: number;
  };
  readonly compact_context: {
    readonly keep?: string | undefined;
  };
  readonly send_message_to_past: {
    readonly checkpoint: number;
    readonly message: string;
  };
  readonly fetch_url: {
    readonly url: string;
    /** The address of no public machine that the name leads to, as a refusal told it. */
    readonly local_address?: string | undefined;
  };
  readonly task: {
    readonly title: string;
    readonly prompt: string;
    readonly agent?: string | undefined;
  };
  readonly use_skill: {
    readonly name?: string | undefined;
  };
  readonly report_to_past: {
    readonly report: string;
    readonly checkpoint?: number | undefined;
  };
}
export type BuiltInToolName = keyof BuiltInToolArguments;
/** In the order in which they are declared to the model. */
export declare const BUILT_IN_TOOLS: readonly BuiltInToolName[];
