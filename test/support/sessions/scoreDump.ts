/**
 * An independent scorer: from a session's messages and the lines of a dump alone it works out input, cost, rewrites and
 * recall again, by plain string search and without an index. It shares only the definition of an anchor with the lab.
 */

import type { DumpedLiteral, DumpedRequest } from '../../../src/lab/dumpWriter.ts';
import { readAnchors } from '../../../src/lab/readAnchors.ts';
import { type RecordedMessage, tokensOf } from '../../../src/lab/session.ts';

export interface DumpScore {
  readonly input: number;
  readonly cost: number;
  readonly rewrites: number;
  readonly all: { readonly total: number; readonly kept: number };
  readonly longRange: { readonly total: number; readonly kept: number };
  readonly verbatim: number;
}

export function scoreDump(messages: readonly RecordedMessage[], lines: readonly string[]): DumpScore {
  const literals = new Map<string, DumpedLiteral>();
  const texts = messages.map(textOf);
  const all = { total: 0, kept: 0 };
  const longRange = { total: 0, kept: 0 };
  let [input, cost, rewrites, verbatim] = [0, 0, 0, 0];
  let before: string[] | null = null;
  for (const line of lines) {
    const dumped = JSON.parse(line) as DumpedRequest;
    for (const [name, literal] of Object.entries(dumped.literals ?? {})) literals.set(name, literal);
    const sent = dumped.request.map((part) =>
      typeof part === 'number' ? messages[part] : literals.get(part)?.message,
    );
    const now = sent.map((message) => JSON.stringify(message));
    let same = 0;
    while (before && same < before.length && before[same] === now[same]) same++;
    const sizes = sent.map((message) => (message ? tokensOf(message) : 0));
    const size = 8000 + sum(sizes);
    const cached = before ? 8000 + sum(sizes.slice(0, same)) : 0;
    input += size;
    cost += 0.1 * cached + 1.25 * (size - cached);
    if (dumped.charge) {
      const { input, output, cached: read = 0 } = dumped.charge;
      cost += 0.1 * read + 1.25 * input + 5 * output;
    }
    if (before && same < before.length) rewrites++;
    before = now;

    const raw = dumped.request.flatMap((part) => (typeof part === 'number' ? [texts[part] ?? ''] : []));
    const made = dumped.request.flatMap((part) => {
      const literal = typeof part === 'string' ? literals.get(part) : undefined;
      return literal ? [textOf(literal.message)] : [];
    });
    for (const { kind, text } of readAnchors(messages[dumped.step]?.tool_calls ?? [])) {
      const isIn = (body: string) => occursIn(body, kind, text);
      const last = texts.slice(0, dumped.step).findLastIndex(isIn);
      if (last < 0) continue;
      const inRaw = raw.some(isIn);
      const kept = inRaw || made.some(isIn) ? 1 : 0;
      all.total++;
      all.kept += kept;
      if (sum(messages.slice(last + 1, dumped.step).map(tokensOf)) < 8000) continue;
      longRange.total++;
      longRange.kept += kept;
      verbatim += inRaw ? 1 : 0;
    }
  }
  return { input, cost, rewrites, all, longRange, verbatim };
}

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);

/** Content, names of calls, and every string in their arguments. */
function textOf(message: RecordedMessage): string {
  const strings: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === 'string') strings.push(value);
    else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) collect(one);
  };
  for (const call of message.tool_calls ?? []) {
    strings.push(call.function.name);
    collect(parsed(call.function.arguments));
  }
  return [message.content, ...strings].join('\n');
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // Arguments that are no JSON are one string.
    return json;
  }
}

const LETTER = String.raw`\w\u00c0-\u024f\u0370-\u1fff\u3040-\u9fff\uac00-\ud7af`;

function occursIn(body: string, kind: 'path' | 'identifier' | 'line', text: string): boolean {
  if (!(kind === 'path' ? body.replaceAll(/[\\/]+/g, '/') : body).includes(text)) return false;
  if (kind === 'line') return true;
  const name = text.replaceAll(/[^\w/]/g, (character) => `\\${character}`);
  if (kind === 'identifier') return new RegExp(`(?<![\\w$])${name}(?![\\w$])`).test(body);
  // Whole segments; full stops after the last one belong to the sentence.
  const path = new RegExp(`(?<![${LETTER}.@+~-])${name}(?![${LETTER}@+~-]|\\.+[${LETTER}@+~-])`);
  return path.test(body.replaceAll(/[\\/]+/g, '/'));
}
