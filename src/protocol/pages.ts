/**
 * A page in an editor tab: what the host describes and the page's script draws. A page is made of blocks, and every text
 * in it is data in the person's language, never markup. A new kind of block is a schema here, a view in
 * `webview/pages/viewBlock.ts` and its text in `src/host/pages/pages.ts`.
 */

import * as z from 'zod';

/** A body of a request may be long; the bound is against what is no page at all. */
const text = z.string().max(10_000_000);
const id = z.string().max(256);

/** Names an action of the page: what its host does when the person presses it. */
const actSchema = z.object({
  id,
  label: text,
  primary: z.boolean().optional(),
  /** It cannot be used now. */
  off: z.boolean().optional(),
});
export type PageAction = z.infer<typeof actSchema>;

/** A value that the person can set on the page. What it may be is checked by the host, which says in `problem` what is wrong. */
const fieldSchema = z.object({
  id,
  label: text,
  description: text,
  /** As it was typed; for `check`, `true` or `false`. */
  value: text,
  input: z.enum(['text', 'number', 'check', 'choice']),
  choices: z.array(z.object({ value: text, label: text })).max(100),
  problem: text.optional(),
});
export type PageField = z.infer<typeof fieldSchema>;

/** With `act` the text is a button. */
const cellSchema = z.union([text, z.object({ text, act: id })]);
export type PageCell = z.infer<typeof cellSchema>;

const tableSchema = z.object({
  kind: z.literal('table'),
  /** What the table is, for people who do not see it. */
  label: text,
  columns: z.array(z.object({ title: text, align: z.literal('right').optional() })).max(100),
  rows: z.array(z.array(cellSchema).max(100)).max(100_000),
});
export type PageTable = z.infer<typeof tableSchema>;

/**
 * Lines over a common axis, levels that they are compared with, and moments that can be chosen. A chart of dots alone
 * shows the part where they are; one with lines begins at 0.
 */
const chartSchema = z.object({
  kind: z.literal('chart'),
  label: text,
  /** Names of the axes. */
  x: text,
  y: text,
  series: z
    .array(
      z.object({
        label: text,
        /** `step` holds each value until the next one. */
        shape: z.enum(['line', 'step', 'dots']),
        points: z.array(z.tuple([z.number(), z.number()])).max(20_000),
        /** Of dots, one for each: how far they may be off, as `[left, right, lower, upper]`. */
        spans: z
          .array(z.tuple([z.number(), z.number(), z.number(), z.number()]))
          .max(1_000)
          .optional(),
      }),
    )
    .max(50),
  levels: z.array(z.object({ y: z.number(), label: text })).max(20),
  /** `act`: what pressing it does. `faded`: it no longer counts, such as a compaction that was undone. */
  marks: z
    .array(z.object({ x: z.number(), label: text, act: id.optional(), faded: z.boolean().optional() }))
    .max(2_000),
});
export type PageChart = z.infer<typeof chartSchema>;

/** A bar over everything there is room for: its parts from the beginning on, and what they are compared with. */
const meterSchema = z.object({
  kind: z.literal('meter'),
  /** What the bar shows, told again when it changes. */
  label: text,
  /** What the whole bar stands for. */
  of: z.number().positive(),
  parts: z
    .array(
      z.object({
        label: text,
        value: z.number().min(0),
        /** `same`: as it was. `new`: it stays, but stands elsewhere. `gone`: it leaves. */
        tone: z.enum(['same', 'new', 'gone']),
      }),
    )
    .max(10),
  marks: z.array(z.object({ at: z.number().min(0), label: text })).max(10),
});
export type PageMeter = z.infer<typeof meterSchema>;

/** Rows that each get one of the same few options. */
const choicesSchema = z.object({
  kind: z.literal('choices'),
  label: text,
  /** `key`: the letter that chooses it in the row with the focus. */
  options: z.array(z.object({ id, label: text, key: z.string().length(1) })).max(10),
  rows: z
    .array(
      z.object({
        id,
        title: text,
        note: text,
        text,
        /** Empty where the rows that it stands for differ. */
        chosen: id,
        /** A person chose it. */
        changed: z.boolean(),
        /** It stands for all rows below it. */
        head: z.boolean().optional(),
        /** It leaves and stays with the row above. */
        joined: z.boolean().optional(),
        /** Options that it cannot get, with the reason. */
        refused: z.array(z.tuple([id, text])).max(10),
        /** What was said to the newest choice. */
        said: text.optional(),
      }),
    )
    .max(10_000),
});
export type PageChoices = z.infer<typeof choicesSchema>;

export type PageBlock =
  | { kind: 'text'; text: string; tone?: 'quiet' | 'warning' | undefined }
  | { kind: 'facts'; facts: { name: string; value: string }[] }
  | { kind: 'list'; items: string[] }
  /** A text word for word. */
  | { kind: 'code'; text: string }
  | { kind: 'actions'; actions: PageAction[] }
  /** `label` says what is set, for people who do not see it. */
  | { kind: 'fields'; label: string; fields: PageField[] }
  | PageTable
  | PageChart
  | PageMeter
  | PageChoices
  /** A text that the person may change. With another `version` what was typed gives way to `text`. */
  | { kind: 'input'; id: string; label: string; text: string; version: number }
  /** Stays in sight while the page is read. */
  | { kind: 'pinned'; blocks: PageBlock[] }
  /** Blocks under a heading. `fold`: whether it can be closed, and how it begins. `id` finds it again when it is drawn anew. */
  | {
      kind: 'section';
      id: string;
      title: string;
      note?: string | undefined;
      fold: 'none' | 'open' | 'closed';
      blocks: PageBlock[];
    }
  /** Side by side, and one under the other where there is no room. */
  | { kind: 'beside'; blocks: PageBlock[] };

const blockSchema: z.ZodType<PageBlock> = z.lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('text'), text, tone: z.enum(['quiet', 'warning']).optional() }),
    z.object({ kind: z.literal('facts'), facts: z.array(z.object({ name: text, value: text })).max(1_000) }),
    z.object({ kind: z.literal('list'), items: z.array(text).max(100_000) }),
    z.object({ kind: z.literal('code'), text }),
    z.object({ kind: z.literal('actions'), actions: z.array(actSchema).max(20) }),
    z.object({ kind: z.literal('fields'), label: text, fields: z.array(fieldSchema).max(200) }),
    tableSchema,
    chartSchema,
    meterSchema,
    choicesSchema,
    z.object({ kind: z.literal('input'), id, label: text, text, version: z.number() }),
    z.object({ kind: z.literal('pinned'), blocks: z.array(blockSchema).max(20) }),
    z.object({
      kind: z.literal('section'),
      id,
      title: text,
      note: text.optional(),
      fold: z.enum(['none', 'open', 'closed']),
      blocks: z.array(blockSchema).max(10_000),
    }),
    z.object({ kind: z.literal('beside'), blocks: z.array(blockSchema).max(10) }),
  ]),
);

const pageSchema = z.object({
  title: text,
  /** Beside the title: whose page it is. */
  subtitle: text,
  blocks: z.array(blockSchema).max(10_000),
  /** This page and others that share an editor tab, which is named by `label`. The person goes from one to another. */
  tabs: z.object({ label: text, chosen: id, list: z.array(z.object({ id, label: text })).max(20) }).optional(),
});
export type Page = z.infer<typeof pageSchema>;

export const toPageSchema = z.discriminatedUnion('type', [
  /** The whole page; the parts that the person opened stay open, and the reader stays where they are. */
  z.object({ type: z.literal('page'), page: pageSchema }),
  /** The blocks that changed, by their place, in a page that is as long as before. */
  z.object({
    type: z.literal('blocks'),
    title: text,
    subtitle: text,
    blocks: z.array(z.object({ at: z.number().int().min(0), block: blockSchema })).max(10_000),
  }),
]);
export type ToPage = z.infer<typeof toPageSchema>;

export const fromPageSchema = z.discriminatedUnion('type', [
  /** The script has started and wants to be told what to draw. */
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('act'), id }),
  /** The person chose an option for a row of `choices`. */
  z.object({ type: z.literal('choose'), row: id, option: id }),
  /** The person changed the text of an `input`, or the value of a field. */
  z.object({ type: z.literal('write'), id, text }),
  /** The person went to another of the `tabs`. */
  z.object({ type: z.literal('tab'), id }),
  /** The whole page as text in an editor, to copy or to keep. */
  z.object({ type: z.literal('text') }),
]);
export type FromPage = z.infer<typeof fromPageSchema>;
