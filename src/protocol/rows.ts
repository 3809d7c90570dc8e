/**
 * Transcript rows: what a person reads in the panel, one row for each thing that happened. A row is plain data and
 * carries the id of its journal entry. Compaction changes how rows are marked and never removes one.
 */

import * as z from 'zod';

/** Longest text that crosses between host and panel, in characters. */
export const MAX_TEXT = 1_000_000;
const text = z.string().max(MAX_TEXT);
/** Lines that a row carries. */
export const MOST_LINES = 200;
/** Of kept lines with their reasons. */
export const MOST_REASONS = 500;

/** English sentences with places for values, as the core chooses them; the panel tells them in its language. */
export interface Sentence {
  readonly text: string;
  readonly values: readonly (string | number | readonly Sentence[])[];
}
export const wordsSchema: z.ZodType<readonly Sentence[]> = z.array(
  z.object({ text, values: z.array(z.union([text, z.number(), z.lazy(() => wordsSchema)])) }),
);
/** Id of the row that is streaming. */
export const LIVE_ROW = 'live';

export const NOTICE_LEVELS = ['info', 'warning', 'error'] as const;

/** What the reader of a notice is offered as a way out. */
export const NOTICE_ACTIONS = [
  'none',
  'setKey',
  'chooseModel',
  'openSettings',
  'openFolder',
  'trust',
  'retry',
  'compact',
  'newSession',
  'showBranches',
  'undoRestore',
  'openSession',
] as const;

/** `currency` is three letters, such as `USD`. */
export const moneySchema = z.object({ amount: z.number().min(0), currency: z.string().regex(/^[A-Z]{3}$/) });

/** What a page may show as an image. */
export const IMAGE_MIMES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

/** An image of a message, by the name of its blob; 0 × 0 where its size is not known. */
const imagesSchema = z
  .array(z.object({ blob: z.string().max(64), name: text, width: z.number(), height: z.number() }))
  .max(MOST_LINES)
  .optional();

const rowBase = {
  /** `m17` for a message, `m17.0` for its first call, `e20` for any other entry, `live` for what is streaming. */
  id: z.string().max(64),
  /** Milliseconds since the epoch. */
  time: z.number(),
};

/** How the model sees the row's message now. */
const fateSchema = z.enum(['seen', 'hidden', 'shortened', 'dropped']);
export type Fate = z.infer<typeof fateSchema>;

const toolDetailSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('none') }),
  z.object({
    kind: z.literal('edit'),
    path: text,
    /** Lines; 0 while it is not made, or where nobody knows. */
    added: z.number(),
    removed: z.number(),
    diff: text,
    /** `open`: not answered yet. `none`: nothing was changed, and `diff` is what was asked for. */
    effect: z.enum(['open', 'none', 'changed', 'created', 'overwritten']),
  }),
  z.object({
    kind: z.literal('command'),
    command: text,
    exitCode: z.number().nullable(),
    /** The id of a command that was to run on after its call; empty when it did not. */
    background: text.optional(),
  }),
]);

export const approvalSchema = z.object({
  /** Can be used once; an answer must return it together with `hash`. */
  id: text,
  /** Hash of what is shown: an answer to anything else is refused. */
  hash: text,
  title: text,
  /** `cut` says that it is too long to show here in full: the editor then shows all of it. */
  detail: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('edit'),
      path: text,
      diff: text,
      added: z.number(),
      removed: z.number(),
      /** The file does not exist yet. */
      creates: z.boolean(),
      /** The person has changed the text in the editor; `diff` is about theirs. */
      amended: z.boolean(),
      cut: z.boolean(),
    }),
    /** `diff` is empty for what is no text. */
    z.object({ kind: z.literal('delete'), path: text, diff: text, bytes: z.number(), cut: z.boolean() }),
    z.object({ kind: z.literal('move'), from: text, to: text, cut: z.literal(false) }),
    /** `argv`: the words that an answer for longer covers. */
    z.object({
      kind: z.literal('command'),
      command: text,
      cwd: text,
      cut: z.boolean(),
      argv: z.array(text).optional(),
      background: z.boolean().optional(),
    }),
    /** `host` as in `url`; `local`: the address of no public machine that it leads to. */
    z.object({
      kind: z.literal('web'),
      url: text,
      host: text,
      local: z.object({ address: text, place: z.enum(['machine', 'network', 'link', 'other']) }).nullable(),
      cut: z.literal(false),
    }),
    /** `input`: the arguments as indented JSON. */
    z.object({ kind: z.literal('mcp'), server: text, tool: text, input: text, cut: z.boolean() }),
  ]),
  /** Name of the subagent that asks; empty where the session's own agent does. */
  by: text,
  mayRemember: z.boolean(),
  /** For good, in every session. */
  mayAlways: z.boolean(),
});
export type ApprovalCard = z.infer<typeof approvalSchema>;

export const rowSchema = z.discriminatedUnion('type', [
  z.object({
    ...rowBase,
    type: z.literal('user'),
    text,
    images: imagesSchema,
    /** What was read for it, and how the model sees that now; left out where it mentions nothing. */
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
    /** True while it is streaming: `delta` messages append to `text`. */
    live: z.boolean(),
    interrupted: z.boolean(),
    fate: fateSchema,
    pinned: z.boolean(),
    tokens: z.number(),
  }),
  z.object({
    ...rowBase,
    type: z.literal('tool'),
    /** The context item to pin or expand: the result, or until there is one, the answer that made the call. */
    itemId: z.string().max(64),
    toolName: text,
    /** What its card leads to besides an editor with the call itself. */
    opens: z.enum(['file', 'session']).optional(),
    /** What the call was asked to do, in one line. */
    title: text,
    status: z.enum(['waiting', 'approval', 'running', 'done', 'failed', 'denied', 'abandoned']),
    /** Pretty-printed JSON, or the raw text when it is not JSON. */
    arguments: text,
    /** At most 20,000 characters; `resultTruncated` says that there are more. */
    result: text,
    resultTruncated: z.boolean(),
    /** Those that the result holds. */
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
    /** For what is not in the list of strategies. */
    strategyName: wordsSchema,
    trigger: text,
    triggerName: wordsSchema,
    tokensBefore: z.number(),
    tokensAfter: z.number(),
    /** Rounds of which nothing is left; left out for none. */
    rounds: z.number().optional(),
    durationMs: z.number(),
    hidden: z.number(),
    dropped: z.number(),
    shortened: z.number(),
    inserted: z.number(),
    /** What went, by kind of message; empty where it is too much to be told in a row. `left`: tokens of what stands for it. */
    lost: z
      .array(
        z.object({
          how: z.enum(['dropped', 'hidden', 'shortened']),
          kind: z.enum(['user', 'assistant', 'toolResult', 'summary', 'other']),
          messages: z.number(),
          tokens: z.number(),
          left: z.number(),
        }),
      )
      .max(20),
    /** Tokens of what was inserted. */
    added: z.number(),
    /** The text of inserted summaries. */
    summary: text,
    repairs: z.array(wordsSchema).max(MOST_LINES),
    /** What a person changed in the plan before it was applied; empty where nobody did. */
    changed: wordsSchema,
    /** Lines that were kept, each with the reason. */
    reasons: z.array(wordsSchema).max(MOST_REASONS),
    ledger: z.array(wordsSchema).max(10_000),
    summaryModel: text.nullable(),
    summaryTokens: z.number().nullable(),
    /** Milliseconds that its summary took in the background, while the agent went on; null where it was waited for. */
    preparedMs: z.number().nullable(),
    /** What the summary's requests cost; null when none was asked for, or nobody knows. */
    cost: moneySchema.nullable(),
    /** What the next request found in the provider's cache; null before it, or where the provider does not say. */
    cache: z
      .object({
        read: z.number(),
        input: z.number(),
        /** Tokens that had been in the cache and were read again, and how much more that cost. */
        again: z.number(),
        cost: moneySchema.nullable(),
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
    /** Offered as buttons, in order. `retry` and `compact` are, as long as nothing was said after it. */
    action: z.enum(NOTICE_ACTIONS),
    also: z.array(z.enum(NOTICE_ACTIONS)).max(10),
    /** Milliseconds since the epoch before which trying again is of no use; null when nobody knows. */
    retryAt: z.number().nullable(),
    /** The session that `openSession` opens. */
    session: text.optional(),
  }),
  /** A message to the model's own past. What came after the checkpoint has left the conversation. */
  z.object({
    ...rowBase,
    type: z.literal('dmail'),
    checkpoint: z.number(),
    /** The subagent whose report it is; empty for the model's own message. */
    from: text,
    text,
    /** What became of the files, one for each line. */
    detail: z.array(wordsSchema).max(MOST_LINES),
  }),
  z.object({ ...rowBase, type: z.literal('checkpoint'), checkpoint: z.number(), label: text }),
]);
export type Row = z.infer<typeof rowSchema>;
export type RowOf<T extends Row['type']> = Extract<Row, { type: T }>;

type Tell = (said: readonly Sentence[]) => string;

/** What a row says when all of it is open. `shown` gives the Markdown of an answer as it is shown. */
const TEXTS: {
  readonly [T in Row['type']]: (row: RowOf<T>, tell: Tell, shown: (markdown: string) => string) => readonly string[];
} = {
  user: ({ text }) => [text],
  assistant: ({ reasoning, text }, _, shown) => [reasoning, shown(text)],
  tool: ({ toolName, title, detail, arguments: given, result }) => {
    const asked = detail.kind === 'edit' ? detail.diff : detail.kind === 'command' ? detail.command : given;
    return [toolName, title, asked === '{}' ? '' : asked, result];
  },
  compaction: ({ summary, ledger }, tell) => [summary, ...ledger.map(tell)],
  notice: ({ text, detail }, tell) => [tell(text), ...detail.map(tell)],
  dmail: ({ text, detail }, tell) => [text, ...detail.map(tell)],
  checkpoint: ({ label }) => [label],
};

/** For whatever takes a row as plain text, such as a search. */
export function rowText<T extends Row['type']>(
  row: RowOf<T>,
  tell: Tell,
  shown = (markdown: string) => markdown,
): string {
  return TEXTS[row.type as T](row, tell, shown).join('\n');
}
