import { asRecord, asText, type Json, objectOf } from '../core/json.ts';

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
