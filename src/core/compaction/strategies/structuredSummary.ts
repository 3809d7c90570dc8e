/**
 * The structured form of a summary: the model is asked for JSON of a fixed shape, which is validated and rendered as
 * text. An answer of another shape is not lost: its text is used unchanged.
 */

import * as z from 'zod';
import { parseJson } from '../../json.ts';
import { withoutOuterFence } from '../../model/codeRanges.ts';

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

/** Rendered from the last object of the shape that says something. Empty when all of them are empty. */
export function readStructured(answer: string): string {
  const rendered = objectsIn(answer).flatMap((json) => {
    const parsed = schema.safeParse(parseJson(json));
    return parsed.success ? [render(parsed.data)] : [];
  });
  return rendered.length === 0 ? withoutOuterFence(answer) : (rendered.findLast((text) => text !== '') ?? '');
}

function render(summary: StructuredSummary): string {
  const parts = HEADINGS.flatMap(([key, heading]) => {
    const content = summary[key];
    const given = (typeof content === 'string' ? [content] : content).filter((line) => line.trim() !== '');
    const lines = typeof content === 'string' ? given : given.map((line) => `- ${line}`);
    return lines.length > 0 ? [`${heading}:\n${lines.join('\n')}`] : [];
  });
  return parts.join('\n\n');
}

/** The outermost objects in a text, by their brackets: prose may stand between them. */
function objectsIn(text: string): readonly string[] {
  const found: string[] = [];
  let [depth, start, quoted] = [0, 0, false];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (quoted && character === '\\') at++;
    else if (character === '"') quoted = depth > 0 && !quoted;
    else if (quoted) continue;
    else if (character === '{' && depth++ === 0) start = at;
    else if (character === '}' && depth > 0 && --depth === 0) found.push(text.slice(start, at + 1));
  }
  return found;
}
