/**
 * The form of the examples in `test/examples`: a history, the settings where they are not the shipped ones, what is done,
 * and what the source document says must come of it. Strict, so that a misspelt expectation is an error.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as z from 'zod';

export const EXAMPLES = 'test/examples';

const usage = z.strictObject({
  input: z.number(),
  cached: z.number().default(0),
  output: z.number().default(0),
  reasoning: z.number().default(0),
});

const call = z.strictObject({
  tool: z.string(),
  result: z.string(),
  input: z.unknown().optional(),
  /** The tool wants only this many of its newest results. */
  keepNewest: z.number().optional(),
  /** The tool's formatter cut the result already. */
  cut: z.literal(true).optional(),
});
export type ExampleCall = z.infer<typeof call>;

/** `#` in a text is the number of the repetition. `{word*200}` is the word 200 times, `{字*200}` the character. */
const line = z.union([
  z.strictObject({ user: z.string() }),
  z.strictObject({ reminder: z.string() }),
  z.strictObject({ skillPrompt: z.string() }),
  z.strictObject({ skillMetadata: z.string() }),
  z.strictObject({ summary: z.string() }),
  z.strictObject({ assistant: z.string() }),
  z.strictObject({ calls: z.array(call), says: z.string().default(''), reasoning: z.string().optional() }),
  z.strictObject({ usage }),
  z.strictObject({ checkpoint: z.number() }),
]);
const lines = z.array(z.union([line, z.strictObject({ times: z.number(), lines: z.array(line) })]));
export type ExampleLine = z.infer<typeof line>;
export type ExampleLines = z.infer<typeof lines>;

const answer = z.union([
  z.string(),
  z.strictObject({
    text: z.string().default(''),
    reasoning: z.string().optional(),
    calls: z.array(z.tuple([z.string(), z.unknown()])).default([]),
    usage: usage.optional(),
    fails: z.enum(['overflow', 'auth', 'network']).optional(),
  }),
]);
export type ExampleAnswer = z.infer<typeof answer>;

/** A text that is `/between slashes/` is a pattern. Figures in `[least, most]` are a range. */
const figure = z.union([z.number(), z.tuple([z.number(), z.number()])]);
export type Figure = z.infer<typeof figure>;

const compaction = z.strictObject({
  strategy: z.string().optional(),
  trigger: z.string().optional(),
  attempt: z.number().optional(),
  before: figure.optional(),
  after: figure.optional(),
});

const expectation = z.strictObject({
  /** Those that this step committed, in order. */
  compactions: z.array(compaction).optional(),
  /** How many they are. */
  compacted: figure.optional(),
  /** The whole conversation, as `role: text`. */
  shows: z.array(z.string()).optional(),
  /** Beginning and end of the conversation. */
  begins: z.array(z.string()).optional(),
  ends: z.array(z.string()).optional(),
  /** Tool results in order: `1` shown, `.` behind a stub. */
  results: z.string().optional(),
  /** The conversation in the model's newest request. */
  sent: z.array(z.string()).optional(),
  /** The system prompt and the tools are sent as before this step. */
  sameHeader: z.literal(true).optional(),
  /** The questions to the person. */
  asked: z.array(z.strictObject({ tokens: figure, of: figure })).optional(),
  /** Questions to the summary model in this step; the rest is about the first of them. */
  summaries: z.number().optional(),
  summarySystem: z.string().optional(),
  summaryAsks: z.array(z.string()).optional(),
  summaryLacks: z.array(z.string()).optional(),
  summaryTools: z.number().optional(),
  summaryOutput: z.number().optional(),
  phases: z.array(z.tuple([z.string(), figure, figure])).optional(),
  told: z
    .strictObject({ before: figure, after: figure, rounds: z.number(), saved: figure, summary: z.string() })
    .optional(),
  /** Lines of the log, in this order, others between them. */
  logs: z.array(z.string()).optional(),
  /** Entries that this step appended, in order; requests, usage and what is in force left out. */
  entries: z.array(z.string()).optional(),
  notes: z.array(z.string()).optional(),
  /** The meter. */
  tokens: figure.optional(),
  branches: z.number().optional(),
  outcome: z.string().optional(),
});
export type Expectation = z.infer<typeof expectation>;

const more = {
  /** Settings from here on, below `palimpsest.compaction.`. */
  set: z.record(z.string(), z.unknown()).optional(),
  /** Appended before. */
  add: lines.optional(),
  answers: z.array(answer).default([]),
  summaries: z.array(answer).default([]),
  consent: z.array(z.enum(['compact', 'dropOldest', 'newSession', 'notNow'])).default([]),
  comes: expectation,
};
const step = z.union([
  z.strictObject({ send: z.string(), times: z.number().default(1), ...more }),
  z.strictObject({ compact: z.string(), ...more }),
  z.strictObject({ clear: z.literal(true), ...more }),
  z.strictObject({ resume: z.literal(true), ...more }),
  z.strictObject({ revertTo: z.number(), ...more }),
  z.strictObject({ undo: z.literal(true), ...more }),
]);
export type ExampleStep = z.infer<typeof step>;

const example = z.strictObject({
  row: z.string().regex(/^[KMCNP]\d{1,2}( [KMCNP]\d{1,2})*$/),
  /** Where in the document. */
  from: z.string(),
  says: z.string(),
  /** Deliberate deviations, and the reasons. */
  otherwise: z.string().optional(),
  settings: z.record(z.string(), z.unknown()).default({}),
  agent: z.record(z.string(), z.unknown()).default({}),
  window: z.number().default(100_000),
  files: z.record(z.string(), z.string()).default({}),
  history: lines.default([]),
  do: z.array(step).min(1),
});
export type Example = z.infer<typeof example>;

const file = z.strictObject({
  document: z.string(),
  /** Where the document says two things, and which is followed. */
  contradicts: z.array(z.string()),
  examples: z.array(example),
});

export interface ExampleFile extends z.infer<typeof file> {
  readonly name: string;
}

export function readExamples(): readonly ExampleFile[] {
  const names = readdirSync(EXAMPLES).filter((name) => name.endsWith('.json'));
  return names.sort().map((name) => {
    const parsed = file.safeParse(JSON.parse(readFileSync(join(EXAMPLES, name), 'utf8')));
    if (!parsed.success) throw new Error(`${name}: ${z.prettifyError(parsed.error)}`);
    return { name: basename(name, '.json'), ...parsed.data };
  });
}
