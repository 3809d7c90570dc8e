/**
 * The ports through which the core reaches the world. Each has an implementation in `src/host` or `src/providers` and an
 * in-memory twin in `test/support`; the core never imports either.
 */

import type { Reasoning, ToolCall, Usage } from './context/message.ts';
import type { Price } from './cost/money.ts';
import type { JournalError } from './errors.ts';
import type { ToolDeclaration } from './journal/entry.ts';
import type { Words } from './words.ts';

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export interface Timers {
  /** Calls `callback` once after `ms`; the returned function cancels it. */
  after(ms: number, callback: () => void): () => void;
}

type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type Log = (level: LogLevel, text: string) => void;

/** Append-only storage of one session's lines. Order of calls is order on disk. */
export interface JournalStore {
  /** Path or name for messages to a person. */
  readonly name: string;
  /** Why nothing may be appended (a newer format, another window's lock, closed); null when appending is possible. */
  readonly readOnly: JournalError | null;
  /** Lines accepted but not on disk: each is written, in order, before any later one. */
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
  /** An image by the name of its blob, until the request goes out. */
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

/** What a provider may count of a request that it reads whole, in tokens. */
export interface ExpectedPrompt {
  readonly tokens: number;
  readonly least: number;
  readonly most: number;
  /** The least of a server that counts as it did for the request before; 0 when that is not known. */
  readonly grown: number;
}

export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDeclaration[];
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  /** The tools are named, so that the prompt cache holds, and may not be called. */
  readonly toolChoice?: 'none';
  /** How much the model should think; left out: as the provider does it by default. */
  readonly effort?: Effort;
  /** The same for all requests of a session, random, with nothing private in it: helps a provider find its cache. */
  readonly cacheKey?: string;
  /** By the meter. It is not sent: it shows when a server has cut the prompt. */
  readonly expected?: ExpectedPrompt;
}

export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;
export type Effort = (typeof EFFORTS)[number];

export type FinishReason = 'stop' | 'toolCalls' | 'length' | 'contentFilter' | 'overflow' | 'other';

export type ModelEvent =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'reasoning'; readonly delta: string; readonly field: string }
  /** Progress of a call being written, for display only; the whole call comes with `done`. */
  | { readonly type: 'toolCall'; readonly index: number; readonly name: string; readonly argumentsLength: number }
  | {
      readonly type: 'done';
      readonly text: string;
      readonly reasoning?: Reasoning;
      /** Ids are unique within the answer; minted when the provider sent none. */
      readonly toolCalls: readonly ToolCall[];
      /** Names of calls that the end of the answer cut off (`length`): not in `toolCalls`, never run, to be mentioned. */
      readonly discarded?: readonly string[];
      readonly finish: FinishReason;
      /** Something a person should know about this answer, e.g. how the server has cut the request. */
      readonly notice?: Words;
      /** The server read only a part of the request, and said nothing. The tokens that it really holds. */
      readonly cutTo?: number;
      /** Null when the provider reported none: the caller estimates. */
      readonly usage: Usage | null;
      /** Where nothing is reported: tokens of the request by the model's own tokenizer. Still an estimate, and a near one. */
      readonly counted?: number;
    };

/** Id of the scripted demo in settings, journal and picker. */
export const DEMO = 'demo';

/** One kind of endpoint. `stream` ends with exactly one `done` or throws `ModelError`. */
export interface ModelClient {
  /** Origin of the endpoint, or `demo:`. */
  readonly endpoint: string;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** A model as chosen for a session. */
export interface ModelChoice {
  readonly client: ModelClient;
  readonly model: string;
  /** Context window in tokens; 0 when unknown. */
  readonly window: number;
  /** Who says so: the person, the server itself, or nobody, so that it is the default. */
  readonly windowFrom?: 'settings' | 'server' | 'default';
  readonly maxOutputTokens?: number;
  readonly effort?: Effort;
  /** It takes images. */
  readonly images?: boolean;
  /** It runs on this machine. */
  readonly local?: true;
  /** How long its provider keeps a prompt in its cache after the last use; left out where nobody documents it. */
  readonly cacheLivesMs?: number;
  /** What its tokens cost; left out where nobody knows. */
  readonly price?: Price;
}

/** Why there is no client for a model, and what a person can do about it. */
export interface ModelProblem {
  readonly problem: Words;
  readonly action: 'openSettings' | 'setKey' | 'chooseModel';
}

export interface FileFacts {
  /** Workspace-relative, with forward slashes, as shown to a person. */
  readonly shown: string;
  /** The real path on disk after links are followed. */
  readonly real: string;
  /** A link leads from the path as shown to another place. */
  readonly linked: boolean;
  readonly exists: boolean;
  readonly type: 'file' | 'folder' | 'other';
  readonly size: number;
  /** An editor holds another text than the disk. */
  readonly unsaved: boolean;
  /** A name that configures the agent, the editor or a tool chain: writing it always asks. */
  readonly guarded: boolean;
  /** How many names the file has, where it has several: writing it changes all of them, so it always asks. */
  readonly names?: number;
  /** The last name as it was asked for, where the disk takes it for the same and spells it in another way. */
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
  /** There are more matches than were asked for. */
  readonly more: boolean;
  /** What kept the search from being whole, in sentences for the model. */
  readonly notes?: readonly string[];
}

export interface FoundFiles {
  /** As `FileFacts.shown`, in the order of their letters. */
  readonly paths: readonly string[];
  /** How many there are, those not in `paths` included. */
  readonly total: number;
  /** What kept the search from being whole, in sentences for the model. */
  readonly notes?: readonly string[];
}

/** A path, and where it led when a person consented. */
export interface ConsentedPath {
  readonly path: string;
  readonly real: string;
}

/** How a file's text is written. */
export interface TextStyle {
  /** By the editor's name of it, such as `utf8` or `shiftjis`. */
  readonly encoding: string;
  /** It begins with a byte order mark. */
  readonly bom: boolean;
  readonly lineEnd: '\n' | '\r\n' | '\r';
}

/** What the editor knows of texts beyond Unicode. It puts substitutes in place of what it cannot decode or encode. */
export interface EditorText {
  /** Encodings in which the file may be written, the likeliest first; `utf8` is one of them where nothing else is set. */
  likely(real: string, bytes: Uint8Array): Promise<readonly string[]>;
  decode(bytes: Uint8Array, encoding: string): Promise<string>;
  encode(text: string, encoding: string): Promise<Uint8Array>;
  /** How a file that is not there yet is to be written. */
  styleOfNew(real: string): Promise<TextStyle>;
}

export interface OpenFolder {
  /** As in the editor, unique among those that are open. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
}

/** The workspace's files. Every call refuses, with `ToolError`, a path outside of the workspace folders. */
export interface Files {
  /** The first folder; null when no folder is open. */
  readonly root: string | null;
  /** Where several folders are open: all of them, in order. A shown path begins with the name of one. */
  readonly folders?: readonly OpenFolder[];
  /** Left out where no editor is: then files are Unicode. */
  readonly text?: EditorText | undefined;
  /** The path of what the editor names by its own absolute path; null outside of the workspace folders. */
  shownOf(native: string): Promise<string | null>;
  resolve(path: string): Promise<FileFacts>;
  read(path: string): Promise<Uint8Array>;
  /**
   * Creates parent folders. Writes through a temporary file and a rename, so that a file is never half written. With
   * `real`, refuses when the path leads to another place by now: a person consented to where it led then.
   */
  write(path: string, bytes: Uint8Array, real?: string): Promise<void>;
  /** Deletes a file, unless the path leads to another place than `real` by now. */
  remove(path: string, real: string): Promise<void>;
  /**
   * Moves a file to where nothing is yet, unless one of the paths leads to another place by now. Both may lead to the one
   * file on a disk that takes their names for the same: then it is spelled anew.
   */
  move(from: ConsentedPath, to: ConsentedPath): Promise<void>;
  list(path: string): Promise<readonly { readonly name: string; readonly type: 'file' | 'folder' | 'other' }[]>;
  search(
    query: { readonly pattern: string; readonly regex: boolean; readonly path?: string; readonly glob?: string },
    limit: number,
    signal: AbortSignal,
  ): Promise<SearchResult>;
  /** Files by their path, without those that ignore files leave out. */
  find(
    query: { readonly glob: string; readonly path?: string },
    limit: number,
    signal: AbortSignal,
  ): Promise<FoundFiles>;
}

export interface ShellResult {
  /** Null when it was ended by a signal or never started. */
  readonly exitCode: number | null;
  readonly output: string;
  readonly ended: 'exit' | 'timeout' | 'aborted';
  /** What became of its processes in the background, in lines; the end of `output`. */
  readonly left?: string;
}

/** Runs one command line in the workspace folder; its whole process group ends on abort and timeout. */
export interface Shell {
  /** Its name and its system in one line for the model, the same for as long as they are. Left out: nobody knows. */
  readonly told?: () => string;
  /** Why it would not run this line as a whole, in words for the model; null when it would. Left out: it runs any. */
  readonly refuse?: (command: string) => string | null;
  run(
    command: string,
    /** Without a limit of time, `timeoutMs` is null. `folder` is absolute, and the first open one if left out. */
    options: {
      readonly timeoutMs: number | null;
      readonly onOutput: (text: string) => void;
      readonly folder?: string;
    },
    signal: AbortSignal,
  ): Promise<ShellResult>;
}

export interface CodePlace {
  /** As `FileFacts.shown`. */
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
  /** Which program found it and under which code, such as `ts 2304`; may be empty. */
  readonly source: string;
}

export interface CodeSymbol extends CodePlace {
  readonly name: string;
  /** What it is, in lower case, such as `method`. */
  readonly kind: string;
  /** The symbol that holds it; empty at the top. */
  readonly container: string;
  /** The last line of what it declares, from 1; left out where nobody knows. */
  readonly lastLine?: number;
}

/** What is found in the workspace, and how much was found outside of it, which is only counted. */
export interface CodeFindings<T> {
  readonly found: readonly T[];
  readonly outside: number;
}

/**
 * What the editor's language extensions know of the workspace's files. Paths are as `FileFacts.shown`. What takes too long
 * is refused with `ToolError`.
 */
export interface Language {
  /**
   * Those of one file, or with null of all files that the extensions have looked at. `reported` is false where no
   * extension has said of the file, in the time it had, what is wrong or that nothing is.
   */
  problems(
    path: string | null,
    signal: AbortSignal,
  ): Promise<{ readonly problems: readonly CodeProblem[]; readonly reported: boolean }>;
  /**
   * Makes a change of a file, waits a short time until the extensions have looked at it again, and tells the problems
   * that they knew before and after. Null where no extension knows such files. Throws what the change throws.
   */
  problemsAround(
    path: string,
    change: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<{ readonly before: readonly CodeProblem[]; readonly after: readonly CodeProblem[] } | null>;
  /** The symbols that a file declares, in its order. */
  symbolsIn(path: string, signal: AbortSignal): Promise<readonly CodeSymbol[]>;
  /** Symbols of the workspace by name, or a part of it. */
  symbolsNamed(query: string, signal: AbortSignal): Promise<CodeFindings<CodeSymbol>>;
  /** Where the symbol at this place is used, its declaration included. */
  references(place: CodePlace, signal: AbortSignal): Promise<CodeFindings<CodePlace>>;
}

export interface ChangedFile {
  /** From the workspace folder. */
  readonly path: string;
  /** The two letters of `git status`: what is staged, and what is not. */
  readonly state: string;
  /** A filter stands before it, such as that of LFS: it was not run, so the diff does not hold this file. */
  readonly filtered?: true;
}

export interface WorkingChanges {
  /** Of the branch, as `git status` names it. */
  readonly branch: string;
  readonly files: readonly ChangedFile[];
  /** Against the last commit, staged or not. */
  readonly diff: string;
  /** The diff is not whole. */
  readonly cut: boolean;
}

/** Version control, read only. Nothing that the repository configures is run. */
export interface Git {
  /** Of a file or folder, by its real path. Throws `ToolError` with the reason. */
  changes(real: string, signal: AbortSignal): Promise<WorkingChanges>;
}

/** What an address that is not public belongs to: this computer, a private network, the link alone, something else. */
export type LocalPlace = 'machine' | 'network' | 'link' | 'other';

export interface WebPage {
  /** Where it was in the end. */
  readonly url: string;
  readonly status: number;
  /** Media type, without parameters. */
  readonly type: string;
  /** Empty where it has none. */
  readonly title: string;
  /** HTML is Markdown by then. */
  readonly text: string;
  /** More was sent than is read. */
  readonly cut: boolean;
}

export type WebAnswer =
  | ({ readonly kind: 'page' } & WebPage)
  /** A redirect to another origin, which was not followed. */
  | { readonly kind: 'elsewhere'; readonly to: string }
  /** The name leads to this address alone, and nobody has agreed to that. Nothing was sent. */
  | { readonly kind: 'local'; readonly address: string; readonly place: LocalPlace };

/** Reads pages of the web. Everything in an answer was written by others. */
export interface Web {
  isAddress(text: string): boolean;
  /** Of an IP address, or a name that always means this computer. Null for what is public, or not known before it is asked for. */
  placeOf(host: string): LocalPlace | null;
  /**
   * Connects to a public address, or with `local` to that very address and no other. Throws `ToolError` with the reason
   * when there is no answer, or none that can be read as text.
   */
  get(url: string, local: string | null, signal: AbortSignal): Promise<WebAnswer>;
}

/** `network` reaches other machines, `mcp` asks a server that the person set up. */
export type ToolClass = 'read' | 'write' | 'run' | 'network' | 'mcp';

/** What a person is asked. They approve what is shown, and nothing else. */
export interface ApprovalRequest {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly toolClass: ToolClass;
  /** One line: the resolved path or the command, control characters made visible. */
  readonly title: string;
  readonly detail:
    | { readonly kind: 'edit'; readonly path: string; readonly before: string | null; readonly after: string }
    /** `before` is null for what is no text. */
    | { readonly kind: 'delete'; readonly path: string; readonly before: string | null; readonly size: number }
    | { readonly kind: 'move'; readonly from: string; readonly to: string }
    | {
        readonly kind: 'command';
        readonly command: string;
        readonly cwd: string;
        /** The words that an answer for longer covers, and nothing else. */
        readonly argv?: readonly string[];
        /** It runs on after the call. */
        readonly background?: true;
      }
    /** `local`: the address that it leads to, and nothing else does. */
    | {
        readonly kind: 'web';
        readonly url: string;
        readonly host: string;
        readonly local: { readonly address: string; readonly place: LocalPlace } | null;
      }
    /** `input` is the arguments as indented JSON. */
    | { readonly kind: 'mcp'; readonly server: string; readonly tool: string; readonly input: string };
  /** The subagent that asks; left out where the session's own agent does. */
  readonly by?: string;
  /** False for guarded names and commands that are more than a program and plain words: only this one call is allowed. */
  readonly mayRemember: boolean;
  /** It can also be allowed for good, in every session. */
  readonly mayAlways?: true;
  /** For an edit: the person may write another text than the one asked for. */
  readonly mayAmend?: true;
}

export type ApprovalAnswer =
  | {
      readonly kind: 'allow';
      readonly remember: 'no' | 'session' | 'always';
      /** The whole text that the person wants in place of the one asked for. */
      readonly amended?: string;
    }
  | { readonly kind: 'deny'; readonly reason?: string };

export interface Approver {
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
}

/** Asked by a call that only the person can answer. */
export type Question =
  /** Markdown that they may change before they approve it. */
  | { readonly kind: 'plan'; readonly text: string }
  | {
      readonly kind: 'choice';
      readonly text: string;
      /** None: only their own words can answer it. */
      readonly choices: readonly { readonly label: string; readonly description: string }[];
    };

export type QuestionAnswer =
  /** `changed` is the plan as they changed it; null as it was. */
  | { readonly kind: 'approve'; readonly changed: string | null }
  /** The label of a choice, or their own words. */
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'refuse'; readonly reason: string };

export interface Questioner {
  /** Stopping the turn refuses. */
  ask(question: Question, signal: AbortSignal): Promise<QuestionAnswer>;
}

export type ConsentAnswer = 'compact' | 'dropOldest' | 'newSession' | 'notNow';

/** Asked before an automatic compaction. */
export interface ConsentQuestion extends ConsentFigures {
  /** Id of the strategy that would run. */
  readonly strategy: string;
  readonly outlook: ConsentOutlook;
}

/** What would come of an answer. Null where there is nothing to do, or where only a model could say. */
export interface ConsentOutlook {
  readonly compact: ExpectedResult | null;
  readonly dropOldest: ExpectedResult | null;
}

export interface ExpectedResult {
  /** What is left, counted as the figures of the question are. */
  readonly tokens: number;
  /** Numbers of messages. */
  readonly hidden: number;
  readonly dropped: number;
  readonly shortened: number;
}

/** The figures that were compared. */
export interface ConsentFigures {
  readonly tokens: number;
  /** The window, or the lower maximum of the trigger; 0 when unknown. */
  readonly window: number;
  /** The strategy's own estimator counted, so the meter shows another figure. */
  readonly ownCount: boolean;
  /** How many there are, where their number is a reason. */
  readonly messages?: number;
}

/** Hashes and random words, so that the core needs no Node import. */
export interface Crypto {
  sha256(bytes: Uint8Array): Promise<string>;
  /** Lower-case hexadecimal, `bytes` × 2 characters. */
  randomHex(bytes: number): string;
  /** CRC-32 (IEEE) of bytes, or of the UTF-8 bytes of a text. */
  crc32(data: string | Uint8Array): number;
}
