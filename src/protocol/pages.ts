/**
 * A page in an editor tab: what the host describes and the page's script draws. A page is made of blocks, and every text
 * in it is data in the person's language, never markup. A new kind of block is a schema here, a view in
 * `webview/pages/viewBlock.ts` and its text in `src/host/pages/pageText.ts`.
 */

import * as z from 'zod';

/** A body of a request may be long; the bound is against what is no page at all. */
const text = z.string().max(10_000_000);
const id = z.string().max(256);

/** Names an action of the page: what its host does when the person presses it. */
const actSchema = z.object({ id, label: text, primary: z.boolean().optional() });
export type PageAction = z.infer<typeof actSchema>;

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

/** Lines over a common axis, levels that they are compared with, and moments that can be chosen. */
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

export type PageBlock =
  | { kind: 'text'; text: string; tone?: 'quiet' | 'warning' | undefined }
  | { kind: 'facts'; facts: { name: string; value: string }[] }
  | { kind: 'list'; items: string[] }
  /** A text word for word. */
  | { kind: 'code'; text: string }
  | { kind: 'actions'; actions: PageAction[] }
  | PageTable
  | PageChart
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
    tableSchema,
    chartSchema,
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
});
export type Page = z.infer<typeof pageSchema>;

/** The whole page; the parts that the person opened stay open, and the reader stays where they are. */
export const toPageSchema = z.object({ type: z.literal('page'), page: pageSchema });
export type ToPage = z.infer<typeof toPageSchema>;

export const fromPageSchema = z.discriminatedUnion('type', [
  /** The script has started and wants to be told what to draw. */
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('act'), id }),
  /** The whole page as text in an editor, to copy or to keep. */
  z.object({ type: z.literal('text') }),
]);
export type FromPage = z.infer<typeof fromPageSchema>;
