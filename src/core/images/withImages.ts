/**
 * The same client, which puts the bytes of images in where a request names them. So the journal, its checksums and
 * everything that looks at a request handle the names alone.
 */

import type { BlobStore, ChatMessage, ContentPart, ModelClient, ModelRequest } from '../ports.ts';
import { toBase64 } from './base64.ts';
import { readImage } from './readImage.ts';

const GONE = '[The image that stood here can no longer be read.]';

export function withImages(client: ModelClient, blobs: Pick<BlobStore, 'get'>): ModelClient {
  return {
    endpoint: client.endpoint,
    async *stream(request, signal) {
      yield* client.stream(await fillIn(request, blobs), signal);
    },
  };
}

async function fillIn(request: ModelRequest, blobs: Pick<BlobStore, 'get'>): Promise<ModelRequest> {
  if (!request.messages.some(hasParts)) return request;
  const messages: ChatMessage[] = [];
  for (const message of request.messages) {
    if (!hasParts(message)) messages.push(message);
    else
      messages.push({ ...message, parts: await Promise.all((message.parts ?? []).map((part) => load(part, blobs))) });
  }
  return { ...request, messages };
}

function hasParts(message: ChatMessage): message is Extract<ChatMessage, { parts?: unknown }> {
  return (message.role === 'user' || message.role === 'tool') && message.parts !== undefined;
}

async function load(part: ContentPart, blobs: Pick<BlobStore, 'get'>): Promise<ContentPart> {
  if (part.type !== 'imageBlob') return part;
  const bytes = await blobs.get(part.blob);
  const facts = bytes && readImage(bytes);
  if (!bytes || !facts) return { type: 'text', text: GONE };
  return { type: 'image', mime: facts.mime, base64: toBase64(bytes) };
}
