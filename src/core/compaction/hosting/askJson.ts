/**
 * Asks for an answer that fits a JSON schema: the schema goes along with the prompt, the answer is checked, and a model
 * that missed it is told what was wrong, once. Strategies get a value that fits, or a `ModelError` in words.
 */

import * as z from 'zod';
import type { JsonValue, SummaryModel } from '../../../api/index.ts';
import { ModelError, messageOf } from '../../errors.ts';
import { isObject } from '../../json.ts';
import { words } from '../../words.ts';

type Question = Parameters<SummaryModel['complete']>[0];
type Answer = Awaited<ReturnType<SummaryModel['complete']>>;

/** In characters. */
const LONGEST_SCHEMA = 20_000;

/** `TypeError` for a schema that cannot be used; `ModelError` when the model gives no fitting answer twice. */
export async function askJson(llm: SummaryModel, { schema, ...question }: Question): Promise<Answer> {
  const { json, type } = readSchema(schema);
  const prompt = `${question.prompt}\n\nAnswer with one JSON value that fits this JSON schema, and with nothing else:\n${json}`;
  const first = read(await llm.complete({ ...question, prompt }), type);
  if ('value' in first) return first;
  const again = `${prompt}\n\nYou were asked this once, and your answer did not fit: ${first.fault}. Answer again, with the JSON value alone.`;
  const second = read(await llm.complete({ ...question, prompt: again }), type);
  if ('value' in second) return second;
  const reason = words(
    'The summary model gave no JSON that fits the schema of the strategy, twice: {0}.',
    second.fault,
  );
  throw new ModelError('interrupted', reason);
}

function readSchema(schema: unknown): { readonly json: string; readonly type: z.ZodType } {
  const reject = (why: string) => new TypeError(`llm.complete: schema ${why}.`);
  if (!isObject(schema)) throw reject('is no JSON schema');
  let json: string;
  try {
    json = JSON.stringify(schema);
  } catch (cause) {
    throw reject(`is no JSON: ${messageOf(cause)}`);
  }
  if (json.length > LONGEST_SCHEMA) throw reject(`has more than ${LONGEST_SCHEMA} characters`);
  try {
    return { json, type: z.fromJSONSchema(JSON.parse(json)) };
  } catch (cause) {
    throw reject(`cannot be used: ${messageOf(cause).slice(0, 200)}`);
  }
}

function read(answer: Answer, type: z.ZodType): (Answer & { readonly value: JsonValue }) | { readonly fault: string } {
  let value: unknown;
  try {
    value = JSON.parse(withoutFence(answer.text));
  } catch (thrown) {
    return {
      fault: answer.truncated ? 'it was cut at the output limit' : `it is no JSON (${messageOf(thrown).slice(0, 200)})`,
    };
  }
  const parsed = type.safeParse(value);
  if (parsed.success) return { ...answer, value: value as JsonValue };
  const [issue] = parsed.error.issues;
  const place = issue?.path.join('.') ?? '';
  return { fault: `${place === '' ? '' : `at ${place}: `}${issue?.message ?? 'it does not fit'}`.slice(0, 300) };
}

const withoutFence = (text: string) => /^\s*```\w*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
