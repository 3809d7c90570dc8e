/**
 * What a session's model is asked: its context, lowered, and its tools. A turn asks so, and a summary that goes on from
 * the last request; the checksum in the journal is that of these fields alone.
 */

import type { Journal } from '../journal/journal.ts';
import { sessionHash } from '../journal/sessionHash.ts';
import type { Crypto, ModelChoice, ModelRequest } from '../ports.ts';
import { lowerContext } from './lower.ts';
import type { Projection } from './projection.ts';

/** Tool blocks up to the entry `mended` are told in words. */
export function turnRequest(
  context: Projection,
  { model, maxOutputTokens }: Pick<ModelChoice, 'model' | 'maxOutputTokens'>,
  mended: number | undefined,
): ModelRequest {
  return {
    model,
    messages: lowerContext(context, mended),
    tools: context.header?.tools ?? [],
    ...(maxOutputTokens ? { maxOutputTokens } : {}),
  };
}

export function bodyHash(crypto: Pick<Crypto, 'sha256'>, request: ModelRequest): Promise<string> {
  return crypto.sha256(new TextEncoder().encode(JSON.stringify(request)));
}

/** The request as it goes out: with how much the model should think, and by what its provider finds the session's cache. */
export async function toSend(
  request: ModelRequest,
  { effort }: Pick<ModelChoice, 'effort'>,
  session: { readonly journal: Journal; readonly crypto: Crypto },
): Promise<ModelRequest> {
  return { ...request, ...(effort ? { effort } : {}), cacheKey: await sessionHash(session, 'prompt cache') };
}
