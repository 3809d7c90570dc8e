/**
 * A page in an editor tab, described by the host and drawn by the page's script. A page is made of blocks, and every
 * text in it is data in the person's language, never markup. A new kind of block is a schema here, a view in
 * `webview/pages/viewBlock.ts` and its text and HTML in `src/node/pages`.
 */

import * as z from 'zod';
import { type Decoded, decodeAs } from './decode.ts';
import { PART_IDS } from './parts.ts';

/** A body of a request may be long; the bound only excludes nonsense. */
const text = z.string().max(10_000_000);
const id = z.string().max(256);

/** An action of the page, run by the host when the person presses it. */
const actSchema = z.object({
  id,
  label: text,
  primary: z.boolean().optional(),
  /** It is disabled at present. */
  off: z.boolean().optional(),
});
export type PageAction = z.infer<typeof actSchema>;

/** A value that the person can set on the page. The host validates it, and describes a fault in `problem`. */
const fieldSchema = z.object({
  id,
  label: text,
  description: text,
  /** As typed; for `check`, `true` or `false`. */
  value: text,
  input: z.enum(['text', 'number', 'check', 'choice']),
  choices: z.array(z.object({ value: text, label: text })).max(100),
  problem: text.optional(),
});
export type PageField = z.infer<typeof fieldSchema>;

/** Colour of a part of a bar, or of a row of a table: the kind of content that it stands for. `same`: kept, `gone`: removed. */
const toneSchema = z.enum([...PART_IDS, 'free', 'reserve', 'same', 'gone']);
export type PageTone = z.infer<typeof toneSchema>;

/** With `act` the text is a button. `tone` puts a swatch before it, `share` (0 to 1) a bar. `rest`: it takes the rest of its row. */
const cellSchema = z.union([
  text,
  z.object({
    text,
    act: id.optional(),
    tone: toneSchema.optional(),
    share: z.number().min(0).max(1).optional(),
    rest: z.literal(true).optional(),
  }),
]);
export type PageCell = z.infer<typeof cellSchema>;

const tableSchema = z.object({
  kind: z.literal('table'),
  /** A description of the table for people who cannot see it. */
  label: text,
  columns: z
    .array(
      z.object({
        title: text,
        align: z.literal('right').optional(),
        /** Left out where the page is too narrow for all columns. */
        minor: z.boolean().optional(),
      }),
    )
    .max(100),
  rows: z.array(z.array(cellSchema).max(100)).max(100_000),
});
export type PageTable = z.infer<typeof tableSchema>;

/**
 * Lines over a common axis, reference levels, and marks that can be selected. A chart of dots alone zooms to them; one
 * with lines begins at 0.
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
        /** `step` holds each value until the next one. Bars at one place stand on each other. */
        shape: z.enum(['line', 'step', 'dots', 'bars']),
        points: z.array(z.tuple([z.number(), z.number()])).max(20_000),
        /** For dots, one for each: error margins, as `[left, right, lower, upper]`. */
        spans: z
          .array(z.tuple([z.number(), z.number(), z.number(), z.number()]))
          .max(1_000)
          .optional(),
      }),
    )
    .max(50),
  /** `limit`: nothing can be above it. */
  levels: z.array(z.object({ y: z.number(), label: text, limit: z.boolean().optional() })).max(20),
  /**
   * `act`: the action of pressing it. `faded`: no longer active, such as an undone compaction. `warning`: a sign that says
   * its label.
   */
  marks: z
    .array(
      z.object({
        x: z.number(),
        label: text,
        act: id.optional(),
        faded: z.boolean().optional(),
        warning: z.boolean().optional(),
      }),
    )
    .max(2_000),
});
export type PageChart = z.infer<typeof chartSchema>;

/** Bars of one scale, below each other: their parts from the beginning on, and reference levels. */
const meterSchema = z.object({
  kind: z.literal('meter'),
  /** A description of the bar, announced again when it changes. */
  label: text,
  /** The amount that a whole bar represents. */
  of: z.number().positive(),
  bars: z
    .array(
      z.object({
        /** In front of the bar; empty where there is only one. */
        name: text,
        /** A part with a `label` is named below the bars; a table beside them names the others. */
        parts: z.array(z.object({ label: text, value: z.number().min(0), tone: toneSchema })).max(20),
      }),
    )
    .max(4),
  marks: z.array(z.object({ at: z.number().min(0), label: text, limit: z.boolean().optional() })).max(10),
});
export type PageMeter = z.infer<typeof meterSchema>;

/** Rows with the same few options each. */
const choicesSchema = z.object({
  kind: z.literal('choices'),
  label: text,
  /** `key`: the letter that selects it in the focused row. */
  options: z.array(z.object({ id, label: text, key: z.string().length(1) })).max(10),
  rows: z
    .array(
      z.object({
        id,
        title: text,
        note: text,
        text,
        /** Empty where the rows of a group differ. */
        chosen: id,
        /** A person chose it. */
        changed: z.boolean(),
        /** It represents all rows below it. */
        head: z.boolean().optional(),
        /** It leaves and stays with the row above. */
        joined: z.boolean().optional(),
        /** Options that are unavailable, with the reason. */
        refused: z.array(z.tuple([id, text])).max(10),
        /** A message about the newest choice. */
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
  /** Verbatim text. */
  | { kind: 'code'; text: string }
  | { kind: 'actions'; actions: PageAction[] }
  /** `label` describes the fields for people who cannot see them. */
  | { kind: 'fields'; label: string; fields: PageField[] }
  | PageTable
  | PageChart
  | PageMeter
  | PageChoices
  /** A text that the person may change. With another `version`, `text` replaces the typed text. */
  | { kind: 'input'; id: string; label: string; text: string; version: number }
  /** Stays visible while the page is scrolled. */
  | { kind: 'pinned'; blocks: PageBlock[] }
  /**
   * Blocks under a heading. `fold`: whether it can be collapsed, and its initial state. `id` identifies it after a
   * redraw.
   */
  | {
      kind: 'section';
      id: string;
      title: string;
      note?: string | undefined;
      fold: 'none' | 'open' | 'closed';
      blocks: PageBlock[];
    }
  /** Side by side, or below each other in a narrow page. */
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
  /** Next to the title: the session of the page. */
  subtitle: text,
  blocks: z.array(blockSchema).max(10_000),
  /** This page and others in the same editor tab, named by `label`. The person switches between them. */
  tabs: z.object({ label: text, chosen: id, list: z.array(z.object({ id, label: text })).max(20) }).optional(),
});
export type Page = z.infer<typeof pageSchema>;

const toPageSchema = z.discriminatedUnion('type', [
  /** The whole page; parts that the person opened stay open, and the scroll position is kept. */
  z.object({ type: z.literal('page'), page: pageSchema }),
  /** The changed blocks, by index, in a page of the same length. */
  z.object({
    type: z.literal('blocks'),
    title: text,
    subtitle: text,
    blocks: z.array(z.object({ at: z.number().int().min(0), block: blockSchema })).max(10_000),
  }),
]);
export type ToPage = z.infer<typeof toPageSchema>;

export const decodeToPage = (value: unknown): Decoded<ToPage> => decodeAs(toPageSchema, value);

const fromPageSchema = z.discriminatedUnion('type', [
  /** The script has started and requests the content. */
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('act'), id }),
  /** The person chose an option for a row of `choices`. */
  z.object({ type: z.literal('choose'), row: id, option: id }),
  /** The person changed the text of an `input`, or the value of a field. */
  z.object({ type: z.literal('write'), id, text }),
  /** The person switched to another of the `tabs`. */
  z.object({ type: z.literal('tab'), id }),
  /** The whole page as text in an editor, to copy or save. */
  z.object({ type: z.literal('text') }),
]);
export type FromPage = z.infer<typeof fromPageSchema>;

export const decodeFromPage = (value: unknown): Decoded<FromPage> => decodeAs(fromPageSchema, value);
