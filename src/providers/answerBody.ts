/**
 * Reads the body of an answer as it arrives, in whatever form: server-sent events, one JSON value in each line, one JSON
 * value in all, or a text. What it means is the dialects' matter.
 */

import { createParser } from 'eventsource-parser';
import { parseJson } from '../core/json.ts';

export type Received =
  /** `name` is the event's, where it has one. */
  | { readonly kind: 'value'; readonly value: unknown; readonly name: string }
  /** No JSON: an error in words, a web page, or JSON that is cut. */
  | { readonly kind: 'text'; readonly text: string; readonly name: string }
  /** The server's own mark that nothing follows. One whole JSON value has it, too. */
  | { readonly kind: 'over' };

/**
 * Ends with the body, with the first `over`, or when `signal` is aborted; throws what breaks the connection. Its memory is
 * bounded by who hands in the body: see `LONGEST_EVENT`.
 */
export async function* readAnswerBody(
  body: ReadableStream<Uint8Array> | null,
  signal: AbortSignal,
): AsyncGenerator<Received> {
  if (!body) return;
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  const lines = new AnswerLines();
  const decoder = new TextDecoder();
  try {
    while (!signal.aborted) {
      const { value, done } = await reader.read();
      if (signal.aborted) return;
      for (const received of done ? lines.end(decoder.decode()) : lines.take(decoder.decode(value, { stream: true }))) {
        yield received;
        if (received.kind === 'over') return;
      }
      if (done) return;
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    // Not awaited: a connection may take its time to close.
    cancel();
  }
}

/** Lines of events, and lines that belong to none. */
class AnswerLines {
  #found: Received[] = [];
  /** Lines outside of any event that are no whole value. */
  #loose: string[] = [];
  #events = 0;
  #values = 0;
  #endsInCr = false;
  readonly #parser = createParser({
    onEvent: ({ event = '', data }) => {
      this.#events++;
      this.#found.push(...readData(data, event));
    },
    onError: ({ line }) => {
      if (line !== undefined) this.#takeLoose(line);
    },
  });

  take(text: string): readonly Received[] {
    this.#parser.feed(this.#withLineFeeds(text));
    const found = this.#found;
    this.#found = [];
    return found;
  }

  end(text: string): readonly Received[] {
    const found = [...this.take(text), ...this.take('\n\n')];
    const loose = this.#loose.join('\n').trim();
    const value = /^[[{"]/.test(loose) ? parse(loose) : undefined;
    if (value !== undefined) {
      this.#values++;
      found.push(...valuesIn(value, ''));
    } else if (loose !== '') {
      found.push({ kind: 'text', text: loose, name: '' });
    }
    // One value and nothing else is a whole answer. Of several, the last may be missing.
    if (this.#values === 1 && this.#events === 0) found.push({ kind: 'over' });
    return found;
  }

  /** The parser looks for the next line feed from every carriage return on, so it gets none. */
  #withLineFeeds(text: string): string {
    if (text === '') return '';
    const rest = this.#endsInCr && text.startsWith('\n') ? text.slice(1) : text;
    this.#endsInCr = text.endsWith('\r');
    return rest.replace(/\r\n?/g, '\n');
  }

  #takeLoose(line: string): void {
    const text = line.trim();
    const value = this.#loose.length === 0 && text.startsWith('{') && text.endsWith('}') ? parse(text) : undefined;
    if (value === undefined) {
      this.#loose.push(line);
    } else {
      this.#values++;
      this.#found.push(...valuesIn(value, ''));
    }
  }
}

/** Too deep values are refused where they are used. */
const parse = (text: string) => parseJson(text, Number.POSITIVE_INFINITY);

function readData(data: string, name: string): readonly Received[] {
  // Some gateways put the events of another server into their own, mark included.
  const text = withoutField(data);
  if (text === '') return [];
  if (/^"?\[DONE\]"?$/i.test(text)) return [{ kind: 'over' }];
  const value = parse(text);
  if (value !== undefined) return valuesIn(value, name);
  const lines = text.split('\n');
  // Without empty lines in between, several events look like one.
  if (lines.length > 1 && lines.every((line) => readsAlone(line))) return lines.flatMap((line) => readData(line, name));
  return [{ kind: 'text', text, name }];
}

function withoutField(data: string): string {
  let text = data.trim();
  while (text.startsWith('data:')) text = text.slice('data:'.length).trimStart();
  return text;
}

function readsAlone(line: string): boolean {
  const [received] = readData(line, '');
  return received?.kind !== 'text';
}

/** Gemini puts errors, and whole streams, into a list. */
function valuesIn(value: unknown, name: string): readonly Received[] {
  if (typeof value === 'string') return [{ kind: 'text', text: value, name }];
  return (Array.isArray(value) ? value : [value]).map((each) => ({ kind: 'value', value: each as unknown, name }));
}
