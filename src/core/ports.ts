/**
 * The ports through which the core reaches the world. Each has an implementation in `src/host` or `src/providers` and an
 * in-memory twin in `test/support`; the core never imports either.
 */

import type { Reasoning, ToolCall, Usage } from './context/message.ts';
import type { Money, Price } from './cost/money.ts';
import type { JournalError } from './errors.ts';
import type { ToolDeclaration } from './journal/entry.ts';
import type { Words } from './words.ts';

export interface Clock {
  /** In milliseconds since the epoch. */
  now(): number;
}

export interface Timers {
  /** Calls `callback` once after `ms`; the returned function cancels it. */
  after(ms: number, callback: () => void): () => void;
}

type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type Log = (level: LogLevel, text: string) => void;

/** Append-only storage of one session's lines. The order of calls is the order on disk. */
export interface JournalStore {
  /** Path or name, for messages to a person. */
  readonly name: string;
  /** Why nothing may be appended (a newer format, another window's lock, closed); null when appending is possible. */
  readonly readOnly: JournalError | null;
  /** Number of lines accepted but not on disk: each is written, in order, before any later one. */
  readonly unwritten: number;
  /**
   * Queues one line (without line break). Resolves when it would survive a killed process. Rejects with `JournalError`
   * when it could not be written; it then stays queued and goes first with the next append or `sync`.
   */
  append(line: string): Promise<void>;
  /** Resolves when everything appended so far would survive a power loss. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Content-addressed bodies of a session. Names are lower-case SHA-256. */
export interface BlobStore {
  put(bytes: Uint8Array): Promise<string>;
  /** Null when it has expired or was never there. */
  get(name: string): Promise<Uint8Array | null>;
}

export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mime: string; readonly base64: string }
  /** An image, by the name of its blob, until the request goes out. */
  | { readonly type: 'imageBlob'; readonly mime: string; readonly blob: string; readonly tokens: number };

/** A lowered message: what a model client encodes for its provider. */
export type ChatMessage =
  | { readonly role: 'system'; readonly text: string; readonly cache?: boolean }
  | { readonly role: 'user'; readonly text: string; readonly parts?: readonly ContentPart[]; readonly cache?: boolean }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly toolCalls?: readonly ToolCall[];
      readonly reasoning?: Reasoning;
      readonly cache?: boolean;
    }
  | {
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly text: string;
      /** Sent only where the form has a field for it; the text says it anyway. */
      readonly isError?: true;
      readonly parts?: readonly ContentPart[];
      readonly cache?: boolean;
    };

/** The prompt tokens that a provider may report for a request that it reads whole. */
export interface ExpectedPrompt {
  readonly tokens: number;
  readonly least: number;
  readonly most: number;
  /** The least for a server that counts as it did for the previous request; 0 when unknown. */
  readonly grown: number;
}

export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDeclaration[];
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  /** The tools are declared, so that the prompt cache stays valid, but may not be called. */
  readonly toolChoice?: 'none';
  /** How much the model should think; omitted: the provider's default. */
  readonly effort?: Effort;
  /** Random, the same for all requests of a session, and free of private data: helps a provider find its cache. */
  readonly cacheKey?: string;
  /** The meter's count. It is not sent; it reveals when a server has cut the prompt. */
  readonly expected?: ExpectedPrompt;
}

export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;
export type Effort = (typeof EFFORTS)[number];

export type FinishReason = 'stop' | 'toolCalls' | 'length' | 'contentFilter' | 'overflow' | 'other';

export type ModelEvent =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'reasoning'; readonly delta: string; readonly field: string }
  /** Progress of a call being written, for display only; `done` has the whole call. */
  | { readonly type: 'toolCall'; readonly index: number; readonly name: string; readonly argumentsLength: number }
  | {
      readonly type: 'done';
      readonly text: string;
      readonly reasoning?: Reasoning;
      /** Ids are unique within the answer; minted when the provider sent none. */
      readonly toolCalls: readonly ToolCall[];
      /**
       * Names of calls that the end of the answer cut off (`length`): not in `toolCalls`, never run, reported to the
       * model.
       */
      readonly discarded?: readonly string[];
      readonly finish: FinishReason;
      /** A remark about this answer for a person, e.g. that the server cut the request. */
      readonly notice?: Words;
      /** The server silently read only a part of the request. The window that it really has, in tokens. */
      readonly cutTo?: number;
      /** Null when the provider reported none: the caller estimates. */
      readonly usage: Usage | null;
      /** The cost of the request, as reported by the provider. */
      readonly cost?: Money;
      /** Where nothing is reported: tokens of the request by the model's own tokenizer. A close estimate. */
      readonly counted?: number;
    };

/** Id of the scripted demo in settings, journal and picker. */
export const DEMO = 'demo';

/** Client for one kind of endpoint. `stream` ends with exactly one `done` or throws `ModelError`. */
export interface ModelClient {
  /** Origin of the endpoint, or `demo:`. */
  readonly endpoint: string;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** Exact prompt tokens of `request`, without an answer; null where the endpoint does not tell. Never throws. */
  readonly count?: (request: ModelRequest, signal: AbortSignal) => Promise<number | null>;
}

/** A model chosen for a session. */
export interface ModelChoice {
  readonly client: ModelClient;
  readonly model: string;
  /** Context window in tokens; 0 when unknown. */
  readonly window: number;
  /** The source of the window: the person, the server, a table of models, or the default. */
  readonly windowFrom?: 'settings' | 'server' | 'table' | 'default';
  readonly maxOutputTokens?: number;
  readonly effort?: Effort;
  /** It accepts images; omitted where nobody knows. */
  readonly images?: boolean;
  /** It runs on this machine. */
  readonly local?: true;
  /** How long its provider keeps a prompt in its cache after the last use; omitted where undocumented. */
  readonly cacheLivesMs?: number;
  /** Price of its tokens; omitted where unknown. */
  readonly price?: Price;
}

/** Why a model has no client, and what a person can do about it. */
export interface ModelProblem {
  readonly problem: Words;
  readonly action: 'openSettings' | 'setKey' | 'chooseModel';
}

export interface FileFacts {
  /** Workspace-relative, with forward slashes, as shown to a person. */
  readonly shown: string;
  /** The real path on disk, with links resolved. */
  readonly real: string;
  /** The shown path passes through a link. */
  readonly linked: boolean;
  readonly exists: boolean;
  readonly type: 'file' | 'folder' | 'other';
  readonly size: number;
  /** An open editor holds unsaved text. */
  readonly unsaved: boolean;
  /** A file that configures the agent, the editor or a tool chain: writing it always asks. */
  readonly guarded: boolean;
  /** Number of hard links, if several: writing changes the file under all of its names, so it always asks. */
  readonly names?: number;
  /** The requested file name, where the disk spells the same file differently. */
  readonly written?: string;
}

export interface SearchMatch {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

export interface SearchResult {
  readonly matches: readonly SearchMatch[];
  /** There are more matches than requested. */
  readonly more: boolean;
  /** Why the search was incomplete, in sentences for the model. */
  readonly notes?: readonly string[];
}

export interface FoundFiles {
  /** Like `FileFacts.shown`, sorted. */
  readonly paths: readonly string[];
  /** Total number, including paths not in `paths`. */
  readonly total: number;
  /** Why the search was incomplete, in sentences for the model. */
  readonly notes?: readonly string[];
}

/** A path, and its target at the time of a person's consent. */
interface ConsentedPath {
  readonly path: string;
  readonly real: string;
}

/** How a file's text is encoded. */
export interface TextStyle {
  /** The editor's name for it, such as `utf8` or `shiftjis`. */
  readonly encoding: string;
  /** It begins with a byte order mark. */
  readonly bom: boolean;
  readonly lineEnd: '\n' | '\r\n' | '\r';
}

/**
 * The editor's knowledge of encodings other than Unicode. It substitutes characters that it cannot decode or encode.
 */
export interface EditorText {
  /** Encodings that the file may have, likeliest first; includes `utf8` unless settings name another. */
  likely(real: string, bytes: Uint8Array): Promise<readonly string[]>;
  decode(bytes: Uint8Array, encoding: string): Promise<string>;
  encode(text: string, encoding: string): Promise<Uint8Array>;
  /** The style for a new file. */
  styleOfNew(real: string): Promise<TextStyle>;
}

export interface OpenFolder {
  /** As in the editor, unique among open folders. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
}

/** The workspace's files. Every call throws `ToolError` for paths outside the workspace folders. */
export interface Files {
  /** The first folder; null when no folder is open. */
  readonly root: string | null;
  /** Where several folders are open: all of them, in order. A shown path begins with a folder's name. */
  readonly folders?: readonly OpenFolder[];
  /** Omitted without an editor: all files are then Unicode. */
  readonly text?: EditorText | undefined;
  /** The shown path for the editor's absolute path; null outside the workspace folders. */
  shownOf(native: string): Promise<string | null>;
  resolve(path: string): Promise<FileFacts>;
  read(path: string): Promise<Uint8Array>;
  /**
   * Creates parent folders. Writes through a temporary file and a rename, so that a file is never half written. With
   * `real`, refuses when the path now leads elsewhere than at the time of consent.
   */
  write(path: string, bytes: Uint8Array, real?: string): Promise<void>;
  /** Deletes a file, unless the path now leads elsewhere than `real`. */
  remove(path: string, real: string): Promise<void>;
  /**
   * Moves a file to an unused path, unless one of the paths now leads elsewhere. On a disk that ignores case, both may
   * name the same file: it is then renamed.
   */
  move(from: ConsentedPath, to: ConsentedPath): Promise<void>;
  list(path: string): Promise<readonly { readonly name: string; readonly type: 'file' | 'folder' | 'other' }[]>;
  search(
    query: { readonly pattern: string; readonly regex: boolean; readonly path?: string; readonly glob?: string },
    limit: number,
    signal: AbortSignal,
  ): Promise<SearchResult>;
  /** Finds files by path, except those excluded by ignore files. */
  find(
    query: { readonly glob: string; readonly path?: string },
    limit: number,
    signal: AbortSignal,
  ): Promise<FoundFiles>;
}

export interface ShellResult {
  /** Null when a signal ended it or it never started. */
  readonly exitCode: number | null;
  readonly output: string;
  readonly ended: 'exit' | 'timeout' | 'aborted';
  /** The fate of its background processes, in lines; the end of `output`. */
  readonly left?: string;
  /** The sandbox could not be made, so nothing of the command has run. */
  readonly notRun?: true;
  /** For a confined command: what the sandbox seems to have refused. */
  readonly refused?: Words;
  /** For a confined command: guarded names that are new since it began. */
  readonly newNames?: NewNames;
}

/** Guarded names that a command made, or somebody else meanwhile. They stay where they are until a person decides. */
export interface NewNames {
  /** Absolute; never empty. */
  readonly paths: readonly string[];
  /** Where `setAside` puts them; absolute. */
  readonly place: string;
  /** Moves those that are still the same out of the folder. Returns the paths of those that stay. */
  setAside(): Promise<readonly string[]>;
}

/** Whether commands may run in a sandbox: it is switched off, it is there, or why it is not. */
export type Confinement = 'off' | 'ready' | { readonly absent: Words };

/** Runs one command line in the workspace folder; its whole process group ends on abort and timeout. */
export interface Shell {
  /** Describes its name and system in one line for the model; constant. Omitted: unknown. */
  readonly told?: () => string;
  /**
   * Why it would not run this line as a whole in that folder, in words for the model; null when it would. `folder` is
   * absolute. Omitted: it runs any line.
   */
  readonly refuse?: (command: string, folder: string) => string | null;
  /** It reads lines as POSIX says. Omitted: unknown. */
  readonly posix?: () => boolean;
  /** Whether it can run commands in a sandbox now. Omitted: it cannot. */
  readonly confinement?: () => Promise<Confinement>;
  run(
    command: string,
    /** `timeoutMs` is null without a time limit. `folder` is absolute; default: the first open folder. */
    options: {
      readonly timeoutMs: number | null;
      readonly onOutput: (text: string) => void;
      readonly folder?: string;
      /** In the sandbox or not at all: it throws `ToolError` where that is no longer ready. */
      readonly confined?: boolean;
    },
    signal: AbortSignal,
  ): Promise<ShellResult>;
}

export interface CodePlace {
  /** Like `FileFacts.shown`. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 code units. */
  readonly column: number;
}

export type Severity = 'error' | 'warning' | 'information';

export interface CodeProblem extends CodePlace {
  readonly severity: Severity;
  readonly message: string;
  /** The program that found it and its code, such as `ts 2304`; may be empty. */
  readonly source: string;
}

export interface CodeSymbol extends CodePlace {
  readonly name: string;
  /** Kind of symbol, in lower case, such as `method`. */
  readonly kind: string;
  /** The enclosing symbol; empty at the top. */
  readonly container: string;
  /** Last line of the declaration, from 1; omitted where unknown. */
  readonly lastLine?: number;
}

/** The findings in the workspace, and the number of findings outside of it. */
export interface CodeFindings<T> {
  readonly found: readonly T[];
  readonly outside: number;
}

/** The editor's language extensions. Paths are like `FileFacts.shown`. Throws `ToolError` on a timeout. */
export interface Language {
  /**
   * Problems in one file, or with null in all files that the extensions have analysed. `reported` is false if no
   * extension has reported on the file in time, not even that it has no problems.
   */
  problems(
    path: string | null,
    signal: AbortSignal,
  ): Promise<{ readonly problems: readonly CodeProblem[]; readonly reported: boolean }>;
  /**
   * Applies a change to a file, waits briefly until the extensions have analysed it again, and returns the problems
   * before and after. Null where no extension knows such files. Rethrows errors of the change.
   */
  problemsAround(
    path: string,
    change: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<{ readonly before: readonly CodeProblem[]; readonly after: readonly CodeProblem[] } | null>;
  /** The symbols that a file declares, in file order. */
  symbolsIn(path: string, signal: AbortSignal): Promise<readonly CodeSymbol[]>;
  /** Symbols of the workspace by name, or part of a name. */
  symbolsNamed(query: string, signal: AbortSignal): Promise<CodeFindings<CodeSymbol>>;
  /** The uses of the symbol at this place, including its declaration. */
  references(place: CodePlace, signal: AbortSignal): Promise<CodeFindings<CodePlace>>;
}

export interface ChangedFile {
  /** Relative to the workspace folder. */
  readonly path: string;
  /** The two letters of `git status`: staged and unstaged. */
  readonly state: string;
  /** A filter applies to it, such as that of LFS: filters are not run, so the diff omits this file. */
  readonly filtered?: true;
}

export interface WorkingChanges {
  /** The branch line of `git status`. */
  readonly branch: string;
  readonly files: readonly ChangedFile[];
  /** Against the last commit, staged or not. */
  readonly diff: string;
  /** The diff is incomplete. */
  readonly cut: boolean;
}

/** Read-only version control. Never runs anything that the repository configures. */
export interface Git {
  /** Changes in a file or folder, by its real path. Throws `ToolError` with the reason. */
  changes(real: string, signal: AbortSignal): Promise<WorkingChanges>;
}

/** Kind of a non-public address: this computer, a private network, the link only, or another kind. */
export type LocalPlace = 'machine' | 'network' | 'link' | 'other';

export interface WebPage {
  /** The final address after redirects. */
  readonly url: string;
  readonly status: number;
  /** Media type, without parameters. */
  readonly type: string;
  /** Empty for a page without a title. */
  readonly title: string;
  /** HTML has been converted to Markdown. */
  readonly text: string;
  /** The page is longer than the limit. */
  readonly cut: boolean;
}

export type WebAnswer =
  | ({ readonly kind: 'page' } & WebPage)
  /** A redirect to another origin, which was not followed. */
  | { readonly kind: 'elsewhere'; readonly to: string }
  /** The name resolves to this local address, which nobody has approved. Nothing was sent. */
  | { readonly kind: 'local'; readonly address: string; readonly place: LocalPlace };

/** Reads web pages. Everything in an answer is foreign text. */
export interface Web {
  isAddress(text: string): boolean;
  /**
   * Kind of a local IP address, or of a name that always means this computer. Null for a public address, or one that is
   * unknown before the name is resolved.
   */
  placeOf(host: string): LocalPlace | null;
  /**
   * Connects to a public address, or with `local` to exactly that address. Throws `ToolError` with the reason when
   * there is no answer, or none that can be read as text.
   */
  get(url: string, local: string | null, signal: AbortSignal): Promise<WebAnswer>;
}

/** Asked by a call that only the person can answer, or by the agent itself. */
export type Question =
  /** Whether something may go on. `yes` names the answer that approves. */
  | {
      readonly kind: 'permit';
      readonly text: Words;
      readonly yes: Words;
      /** The answer that approves from now on. */
      readonly always?: Words;
      /** The text that would be sent: foreign, of several lines. */
      readonly detail?: string;
    }
  /** Markdown that the person may change before approval. */
  | { readonly kind: 'plan'; readonly text: string }
  | {
      readonly kind: 'choice';
      /** A sentence of the product, or foreign text. */
      readonly text: Words | string;
      /** Empty: the person answers in their own words. */
      readonly choices: readonly { readonly label: string; readonly description: string }[];
      /** The answer may be a password or the like: it is not shown while it is written, nor kept. */
      readonly secret?: boolean;
    };

export type QuestionAnswer =
  /** `changed` is the plan as the person changed it; null when unchanged. `always`: from now on. */
  | { readonly kind: 'approve'; readonly changed: string | null; readonly always?: true | undefined }
  /** The label of a choice, or the person's own words. */
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'refuse'; readonly reason: string };

export interface Questioner {
  /** Stopping the turn counts as a refusal. */
  ask(question: Question, signal: AbortSignal): Promise<QuestionAnswer>;
}

export type ConsentAnswer = 'compact' | 'dropOldest' | 'newSession' | 'notNow';

/** Asked before an automatic compaction. */
export interface ConsentQuestion extends ConsentFigures {
  /** Id of the strategy that would run. */
  readonly strategy: string;
  readonly outlook: ConsentOutlook;
}

/** The expected result of each answer. Null where there is nothing to do, or where only a model could tell. */
export interface ConsentOutlook {
  readonly compact: ExpectedResult | null;
  readonly dropOldest: ExpectedResult | null;
}

export interface ExpectedResult {
  /** Tokens left, counted like the figures of the question. */
  readonly tokens: number;
  /** Numbers of messages. */
  readonly hidden: number;
  readonly dropped: number;
  readonly shortened: number;
}

/** The figures that were compared. */
export interface ConsentFigures {
  readonly tokens: number;
  /** The window, or the trigger's lower maximum; 0 when unknown. */
  readonly window: number;
  /** Counted by the strategy's own estimator, so the meter shows another figure. */
  readonly ownCount: boolean;
  /** Number of messages, where it is a reason. */
  readonly messages?: number;
  /** Id of the chosen strategy, which the person did not allow to run. */
  readonly insteadOf?: string;
}

/** Hashes and random words, so that the core needs no Node import. */
export interface Crypto {
  sha256(bytes: Uint8Array): Promise<string>;
  /** Lower-case hexadecimal, `bytes` × 2 characters. */
  randomHex(bytes: number): string;
  /** CRC-32 (IEEE) of bytes, or of the UTF-8 bytes of a text. */
  crc32(data: string | Uint8Array): number;
}
