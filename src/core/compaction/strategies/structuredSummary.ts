/**
 * The structured form of a summary: the model is asked for JSON of a fixed shape, which is validated and rendered as
 * text. An answer of another shape is not lost: its text is used unchanged.
 */

import * as z from 'zod';
import { parseJson } from '../../json.ts';

const list = z.array(z.string()).default([]);

const schema = z.object({
  focus: z.string().default(''),
  completed: list,
  issues: list,
  decisions: list,
  todo: list,
  environment: list,
  code: list,
  /** Paths, identifiers, error texts and codes, verbatim. */
  keyFacts: list,
});

type StructuredSummary = z.infer<typeof schema>;

export const STRUCTURED_TASK = `Answer with one JSON object and nothing else:
{"focus": "what is being worked on now", "completed": ["…"], "issues": ["open problems, and errors with their solutions"], "decisions": ["…"], "todo": ["what is not finished, as it was asked for"], "environment": ["…"], "code": ["file: its state"], "keyFacts": ["paths, identifiers, error codes, exactly as written"]}`;

const HEADINGS: readonly (readonly [keyof StructuredSummary, string])[] = [
  ['focus', 'Current focus'],
  ['completed', 'Completed'],
  ['issues', 'Issues'],
  ['decisions', 'Decisions'],
  ['todo', 'Not finished'],
  ['environment', 'Environment'],
  ['code', 'Code'],
  ['keyFacts', 'Key facts'],
];

/** Null when the answer contains no JSON object of the shape, or an empty one. */
export function renderStructured(answer: string): string | null {
  const start = answer.indexOf('{');
  const end = answer.lastIndexOf('}');
  if (start < 0 || end <= start) return null;
  const parsed = schema.safeParse(parseJson(answer.slice(start, end + 1)));
  if (!parsed.success) return null;
  const parts = HEADINGS.flatMap(([key, heading]) => {
    const content = parsed.data[key];
    const lines = typeof content === 'string' ? [content] : content.map((line) => `- ${line}`);
    return lines.some((line) => line.trim() !== '') ? [`${heading}:\n${lines.join('\n')}`] : [];
  });
  return parts.length ? parts.join('\n\n') : null;
}
