/**
 * Removes secrets that the product knows, such as the endpoint's key, from the output of models and tools before it is
 * stored, displayed or sent. No part of a secret that arrives in pieces is shown.
 */

import { REDACTED, redactValue, writtenForms } from '../journal/redactText.ts';
import type { ModelClient, ModelEvent } from '../model/modelClient.ts';

/** Returns the secrets known at this moment. */
export type Secrets = () => readonly string[];

/** A shorter key is a word that local servers expect, such as `ollama`, and not a secret. */
const SHORTEST_SECRET = 12;
/** Characters of a secret that are withheld even when the rest of it never arrives. */
const TELLING_PART = 8;

/** The value with each secret replaced by `[redacted]`, however it is quoted. */
export function hideSecrets<Value>(value: Value, secrets: readonly string[]): Value {
  const hidden = secrets.filter(isSecret);
  // Redacting preserves the shape of a value: texts stay texts.
  return hidden.length === 0 ? value : (redactValue(value, hidden) as Value);
}

const isSecret = (secret: string) => secret.length >= SHORTEST_SECRET;

/** Hides secrets in a text that arrives in pieces. A possible beginning of a secret waits for the next piece. */
export class StreamedText {
  readonly #secrets: readonly string[];
  readonly #forms: readonly string[];
  #pending = '';

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
    this.#forms = writtenForms(secrets.filter(isSecret));
  }

  /** The part of the text that has become safe to show. */
  push(piece: string): string {
    const text = hideSecrets(this.#pending + piece, this.#secrets);
    const open = Math.max(0, ...this.#forms.map((form) => openEnd(text, form)));
    this.#pending = text.slice(text.length - open);
    return text.slice(0, text.length - open);
  }

  /** The rest, when no more follows. */
  end(): string {
    const rest = this.#pending.length < TELLING_PART ? this.#pending : REDACTED;
    this.#pending = '';
    return rest;
  }
}

/** Length of the longest suffix of the text that is a prefix of the secret. */
function openEnd(text: string, secret: string): number {
  const [first = ''] = secret;
  let at = text.indexOf(first, Math.max(0, text.length - secret.length + 1));
  while (at >= 0 && !secret.startsWith(text.slice(at))) at = text.indexOf(first, at + 1);
  return at < 0 ? 0 : text.length - at;
}

/** Wraps a client so that its answers contain no secrets. */
export function withoutSecrets(client: ModelClient, secrets: Secrets): ModelClient {
  const { endpoint, count } = client;
  return {
    endpoint,
    ...(count && { count }),
    async *stream(request, signal) {
      const known = secrets();
      const shown = { text: new StreamedText(known), reasoning: new StreamedText(known) };
      let field = '';
      const rest = function* (): Generator<ModelEvent> {
        const last = { text: shown.text.end(), reasoning: shown.reasoning.end() };
        if (last.reasoning) yield { type: 'reasoning', delta: last.reasoning, field };
        if (last.text) yield { type: 'text', delta: last.text };
      };
      try {
        for await (const event of client.stream(request, signal)) {
          if (event.type === 'text' || event.type === 'reasoning') {
            if (event.type === 'reasoning') field = event.field;
            const delta = shown[event.type].push(event.delta);
            if (delta) yield { ...event, delta };
          } else {
            if (event.type !== 'toolCall') yield* rest();
            yield hideSecrets(event, known);
          }
        }
      } catch (thrown) {
        // The pieces of an interrupted answer are kept.
        yield* rest();
        throw thrown;
      }
    },
  };
}
