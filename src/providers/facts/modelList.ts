/** The list of models that an endpoint gives: OpenAI's form, and those of servers on one's own machine. */

import { asRecord, asText, type Json, objectOf } from '../../core/json.ts';

export interface ListedModel {
  readonly id: string;
  /** What the list says of it, unread. */
  readonly entry: Json;
}

/** In the server's order; null for anything but a list. */
export function readModelList(body: unknown): readonly ListedModel[] | null {
  const list = Array.isArray(body) ? body : (asRecord(body)?.data ?? asRecord(body)?.models);
  if (!Array.isArray(list)) return null;
  return list.flatMap((raw) => {
    const entry = objectOf(raw);
    const id = asText(entry.id) || asText(entry.name) || asText(raw);
    return id ? [{ id, entry }] : [];
  });
}
