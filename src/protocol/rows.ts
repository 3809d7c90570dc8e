/**
 * Transcript rows: the events that a person reads in the panel, one row each. A row is plain data with the id of its
 * journal entry. Compaction changes how rows are marked and never removes one.
 */

import * as z from 'zod';

/** Longest text between host and panel, in characters. */
export const MAX_TEXT = 1_000_000;
export const text = z.string().max(MAX_TEXT);
/** Maximum lines of a row. */
export const MOST_LINES = 200;
/** Maximum groups of messages by what became of them. */
export const MOST_GROUPS = 40;
/** Maximum kept lines with reasons. */
export const MOST_REASONS = 500;

/** English sentences with placeholders, as chosen by the core; the panel translates them. */
export interface Sentence {
  readonly text: string;
  readonly values: readonly (string | number | readonly Sentence[])[];
}
export const wordsSchema: z.ZodType<readonly Sentence[]> = z.array(
  z.object({ text, values: z.array(z.union([text, z.number(), z.lazy(() => wordsSchema)])) }),
);
/** Id of the streaming row. */
export const LIVE_ROW = 'live';

export const NOTICE_LEVELS = ['info', 'warning', 'error'] as const;

/** Actions offered by a notice as a remedy. */
export const NOTICE_ACTIONS = [
  'none',
  'setKey',
  'chooseModel',
  'openSettings',
  'openProxySettings',
  'openFolder',
  'trust',
  'retry',
  'compact',
  'newSession',
  'showBranches',
  'undoRestore',
  'redoRestore',
  'openSession',
] as const;

/** `currency` is three letters, such as `USD`. */
export const moneySchema = z.object({ amount: z.number().min(0), currency: z.string().regex(/^[A-Z]{3}$/) });

/** `unknown`: number of requests with an unknown cost. One sum for each currency. */
export const costsSchema = z.object({ known: z.array(moneySchema).max(100), unknown: z.number() });

/** Image types that a page may show. */
export const IMAGE_MIMES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

/** An image of a message, by the name of its blob; 0 × 0 when its size is unknown. */
const imagesSchema = z
  .array(z.object({ blob: z.string().max(64), name: text, width: z.number(), height: z.number() }))
  .max(MOST_LINES)
  .optional();

const rowBase = {
  /** `m17` for a message, `m17.0` for its first call, `e20` for any other entry, `live` for the streaming row. */
  id: z.string().max(64),
  /** Milliseconds since the epoch. */
  time: z.number(),
};

/** The fate of the row's message. */
const fateSchema = z.enum(['kept', 'inLines', 'shortened', 'hidden', 'read', 'unread', 'removed']);
export type Fate = z.infer<typeof fateSchema>;

/** `inPart`: of those that a summary read, how many only in part. */
export const fateCountSchema = z.object({ fate: fateSchema, messages: z.number(), inPart: z.number() });

const toolDetailSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('none') }),
  z.object({
    kind: z.literal('edit'),
    path: text,
    /** In lines; 0 while not made, or unknown. */
    added: z.number(),
    removed: z.number(),
    diff: text,
    /** `open`: not answered yet. `none`: nothing was changed, and `diff` is the requested change. */
    effect: z.enum(['open', 'none', 'changed', 'created', 'overwritten']),
    /** It was made, and a restore took it back. */
    takenBack: z.boolean().optional(),
  }),
  z.object({
    kind: z.literal('command'),
    command: text,
    exitCode: z.number().nullable(),
    /** The id of a command started in the background; empty otherwise. */
    background: text.optional(),
  }),
]);

export const approvalSchema = z.object({
  /** For single use; an answer must return it together with `hash`. */
  id: text,
  /** Hash of the shown text: an answer to anything else is refused. */
  hash: text,
  title: text,
  /** `cut`: too long to show here in full, so the editor shows all of it. */
  detail: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('edit'),
      path: text,
      diff: text,
      added: z.number(),
      removed: z.number(),
      /** The file does not exist yet. */
      creates: z.boolean(),
      /** The person has changed the text in the editor; `diff` shows their version. */
      amended: z.boolean(),
      cut: z.boolean(),
    }),
    /** `diff` is empty for a file that is not text. */
    z.object({ kind: z.literal('delete'), path: text, diff: text, bytes: z.number(), cut: z.boolean() }),
    z.object({ kind: z.literal('move'), from: text, to: text, cut: z.literal(false) }),
    /**
     * `parts`: the commands that the line runs, where they are certain; a remembered answer covers those not allowed, with
     * `always` in place of their words.
     */
    z.object({
      kind: z.literal('command'),
      command: text,
      cwd: text,
      cut: z.boolean(),
      parts: z.array(
        z.object({ argv: z.array(text), folder: text, allowed: z.boolean(), always: z.array(text).optional() }),
      ),
      /** The list of commands that only read would cover it. */
      reads: z.boolean(),
      /** That it deletes, or leaves its folder: sentences, or none. */
      danger: wordsSchema,
      background: z.boolean().optional(),
    }),
    /** `host` as in `url`; `local`: its address, if not public. */
    z.object({
      kind: z.literal('web'),
      url: text,
      host: text,
      local: z.object({ address: text, place: z.enum(['machine', 'network', 'link', 'other']) }).nullable(),
      cut: z.literal(false),
    }),
    /** `input`: the arguments as indented JSON. */
    z.object({
      kind: z.literal('mcp'),
      server: text,
      tool: text,
      input: text,
      cut: z.boolean(),
      /** `server` is an extension of the editor. */
      extension: z.literal(true).optional(),
    }),
  ]),
  /** Why it is asked: one sentence, or none. */
  why: wordsSchema,
  /** Name of the subagent that asks; empty for the session's own agent. */
  by: text,
  mayRemember: z.boolean(),
  /** Permanently, in every session. */
  mayAlways: z.boolean(),
});
export type ApprovalCard = z.infer<typeof approvalSchema>;

export const rowSchema = z.discriminatedUnion('type', [
  z.object({
    ...rowBase,
    type: z.literal('user'),
    text,
    /** The checkpoint right before it; omitted without one. */
    checkpoint: z.number().optional(),
    images: imagesSchema,
    /** The content read for its mentions, and how the model sees that now; omitted without mentions. */
    mentions: z
      .array(z.object({ mention: text, tokens: z.number(), fate: fateSchema, pinned: z.boolean() }))
      .max(MOST_LINES)
      .optional(),
    fate: fateSchema,
    pinned: z.boolean(),
    tokens: z.number(),
  }),
  z.object({
    ...rowBase,
    type: z.literal('assistant'),
    text,
    reasoning: text,
    /** True for an answer of the scripted demo, even if another model is chosen now. */
    scripted: z.boolean(),
    /** True while streaming: `delta` messages append to `text`. */
    live: z.boolean(),
    interrupted: z.boolean(),
    fate: fateSchema,
    pinned: z.boolean(),
    tokens: z.number(),
  }),
  z.object({
    ...rowBase,
    type: z.literal('tool'),
    /** The context item to pin or expand: the result, or before there is one, the answer with the call. */
    itemId: z.string().max(64),
    toolName: text,
    /** The link target of its card, besides an editor with the call itself. */
    opens: z.enum(['file', 'session']).optional(),
    /** The task of the call, in one line. */
    title: text,
    status: z.enum(['waiting', 'approval', 'running', 'done', 'failed', 'denied', 'abandoned']),
    /** The call never began, because the turn was stopped for this cause. */
    notRun: z.enum(['person', 'message', 'window', 'session', 'timeLimit', 'program']).optional(),
    /** Pretty-printed JSON, or the raw text when it is not JSON. */
    arguments: text,
    /** At most 20,000 characters; `resultTruncated`: there are more. */
    result: text,
    resultTruncated: z.boolean(),
    /** Images in the result. */
    images: imagesSchema,
    detail: toolDetailSchema,
    approval: approvalSchema.nullable(),
    durationMs: z.number().nullable(),
    tokens: z.number(),
    fate: fateSchema,
    pinned: z.boolean(),
  }),
  z.object({
    ...rowBase,
    type: z.literal('compaction'),
    strategy: text,
    /** For a compaction without a listed strategy. */
    strategyName: wordsSchema,
    trigger: text,
    triggerName: wordsSchema,
    tokensBefore: z.number(),
    tokensAfter: z.number(),
    /** Rounds removed completely; omitted for none. */
    rounds: z.number().optional(),
    durationMs: z.number(),
    /** Id of the strategy that was to run, where something else did, or only a part of it (`inPart`); empty otherwise. */
    asked: text,
    inPart: z.boolean(),
    /** Numbers of messages. */
    fates: z.array(fateCountSchema).max(MOST_GROUPS),
    /**
     * The same by kind, empty where there are too many for a row. Tokens before it, and `left` of what stands in their
     * place, as the meter counts.
     */
    lost: z
      .array(
        z.object({
          ...fateCountSchema.shape,
          kind: z.enum(['user', 'assistant', 'toolResult', 'summary', 'other']),
          tokens: z.number(),
          left: z.number(),
        }),
      )
      .max(MOST_GROUPS),
    /** Inserted tokens. */
    added: z.number(),
    /** Tokens that the summary was written from, of those that it stands for; null without one. */
    read: z.object({ tokens: z.number(), of: z.number() }).nullable(),
    /** The text of inserted summaries. */
    summary: text,
    repairs: z.array(wordsSchema).max(MOST_LINES),
    /** A person's changes to the plan before it was applied; empty without any. */
    changed: wordsSchema,
    /** Lines that were kept, each with the reason. */
    reasons: z.array(wordsSchema).max(MOST_REASONS),
    ledger: z.array(wordsSchema).max(10_000),
    summaryModel: text.nullable(),
    summaryTokens: z.number().nullable(),
    /**
     * Milliseconds that its summary took in the background, while the agent continued; null when the agent waited for
     * it.
     */
    preparedMs: z.number().nullable(),
    /** The cost of the summary's requests; null without requests, or when unknown. */
    cost: moneySchema.nullable(),
    /** The next request's cache reads; null before it, or where the provider does not report them. */
    cache: z
      .object({
        read: z.number(),
        input: z.number(),
        /** Previously cached tokens that were read again, and the extra cost. */
        again: z.number(),
        cost: moneySchema.nullable(),
      })
      .nullable(),
    /** Reads and commands repeated in the calls after it, because it took their results; null for none. */
    repeated: z
      .object({
        reads: z.number(),
        runs: z.number(),
        /** Tokens of the repeated results. */
        tokens: z.number(),
        /** Other results that it took, offered once repeats pile up. */
        gone: z.array(z.object({ itemId: z.string().max(64), tokens: z.number() })).max(10),
      })
      .nullable(),
    state: z.enum(['active', 'undone']),
    canUndo: z.boolean(),
    canRedo: z.boolean(),
  }),
  z.object({
    ...rowBase,
    type: z.literal('notice'),
    level: z.enum(NOTICE_LEVELS),
    text: wordsSchema,
    /** One for each line. */
    detail: z.array(wordsSchema).max(MOST_LINES),
    /** Offered as buttons, in order. `retry` and `compact` only until the next message. */
    action: z.enum(NOTICE_ACTIONS),
    also: z.array(z.enum(NOTICE_ACTIONS)).max(10),
    /** Milliseconds since the epoch before which a retry is useless; null when unknown. */
    retryAt: z.number().nullable(),
    /** The session that `openSession` opens. */
    session: text.optional(),
  }),
  /** A message to the model's own past. Everything after the checkpoint has left the conversation. */
  z.object({
    ...rowBase,
    type: z.literal('dmail'),
    checkpoint: z.number(),
    /** The reporting subagent; empty for the model's own message. */
    from: text,
    text,
    /** The fate of the files, one for each line. */
    detail: z.array(wordsSchema).max(MOST_LINES),
  }),
  z.object({ ...rowBase, type: z.literal('checkpoint'), checkpoint: z.number(), label: text }),
  /** The changes of files by a turn, at its end. */
  z.object({
    ...rowBase,
    type: z.literal('changes'),
    /** Entry after which it counts. */
    since: z.number(),
    text: wordsSchema,
    /** Milliseconds and money that the turn took; null when unknown. */
    ms: z.number().nullable(),
    costs: costsSchema.nullable(),
  }),
]);
export type Row = z.infer<typeof rowSchema>;
export type RowOf<T extends Row['type']> = Extract<Row, { type: T }>;

/** A person's message without the mention at its end that stands below it as a chip. */
export function messageText({ text, mentions = [] }: Pick<RowOf<'user'>, 'text' | 'mentions'>): string {
  const at = text.lastIndexOf('\n\n');
  const end = text.slice(at + 2);
  return at > 0 && mentions.some(({ mention }) => mention === end) ? text.slice(0, at) : text;
}

type ToText = (sentences: readonly Sentence[]) => string;

/** The text of a fully opened row. `shown` returns the Markdown of an answer as displayed. */
const TEXTS: {
  readonly [T in Row['type']]: (
    row: RowOf<T>,
    translate: ToText,
    shown: (markdown: string) => string,
  ) => readonly string[];
} = {
  user: (row) => [messageText(row)],
  assistant: ({ reasoning, text }, _, shown) => [reasoning, shown(text)],
  tool: ({ toolName, title, detail, arguments: given, result }) => {
    const asked = detail.kind === 'edit' ? detail.diff : detail.kind === 'command' ? detail.command : given;
    return [toolName, title, asked === '{}' ? '' : asked, result];
  },
  compaction: ({ summary, ledger }, translate) => [summary, ...ledger.map(translate)],
  notice: ({ text, detail }, translate) => [translate(text), ...detail.map(translate)],
  dmail: ({ text, detail }, translate) => [text, ...detail.map(translate)],
  checkpoint: ({ label }) => [label],
  changes: ({ text }, translate) => [translate(text)],
};

/** For code that needs a row as plain text, such as a search. */
export function rowText<T extends Row['type']>(
  row: RowOf<T>,
  translate: ToText,
  shown = (markdown: string) => markdown,
): string {
  return TEXTS[row.type as T](row, translate, shown).join('\n');
}
