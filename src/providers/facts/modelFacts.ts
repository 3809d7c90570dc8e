/** Facts that an endpoint reports about one of its models. Unreported facts are omitted. */

import type { Price } from '../../core/cost/money.ts';
import { asRecord, asText, type Json, objectOf } from '../../core/json.ts';

export const SERVERS = ['ollama', 'lmStudio', 'llamaCpp', 'vllm', 'openRouter'] as const;

/** A kind of server with its own form of model facts, recognised by its answers. */
export type ServerKind = (typeof SERVERS)[number];

export interface ModelFacts {
  readonly model: string;
  readonly server?: ServerKind;
  /**
   * The server's present context window in tokens: for a local server, the size with which it was started or loaded.
   */
  readonly window?: number;
  /** Tokens that the model could accept if its server were started with more. */
  readonly largestWindow?: number;
  readonly maxOutputTokens?: number;
  readonly price?: Price;
  readonly images?: boolean;
  readonly tools?: boolean;
  readonly reasoning?: boolean;
}

/** Parses an endpoint's list of models: OpenAI's form, and those of local servers. */
export interface ListedModel {
  readonly id: string;
  /** Its list entry, unparsed. */
  readonly entry: Json;
}

/** Models that embed, rank, speak or listen, by their names: no conversation can be had with them. */
const NO_CHAT = /embed|rerank|whisper|(^|[-_/])tts([-_]|$)|transcribe|moderation|dall-e/i;

/** In the server's order, without models that cannot chat; null for anything but a list. */
export function readModelList(body: unknown): readonly ListedModel[] | null {
  const list = Array.isArray(body) ? body : (asRecord(body)?.data ?? asRecord(body)?.models);
  if (!Array.isArray(list)) return null;
  return list.flatMap((raw) => {
    const entry = objectOf(raw);
    const id = asText(entry.id) || asText(entry.name) || asText(raw);
    return id && !NO_CHAT.test(id) ? [{ id, entry }] : [];
  });
}

/** A smaller number is not a model's context or answer, but a flag or a mistake. */
const SMALLEST = 256;
const LARGEST = 1_000_000_000;

/** Undefined for anything but a plausible number. Some servers write it as text. */
export function readTokens(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) && (number as number) >= SMALLEST && (number as number) <= LARGEST
    ? (number as number)
    : undefined;
}

/** Whether the list contains it; undefined without a list. */
export function names(list: unknown, ...wanted: readonly string[]): boolean | undefined {
  return Array.isArray(list) ? list.some((each) => wanted.includes(asText(each))) : undefined;
}

type Known<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the fields that are undefined. */
export function known<T extends object>(fields: T): Known<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Known<T>;
}
