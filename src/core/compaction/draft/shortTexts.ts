/**
 * Previews of long texts and arguments, counted with the `countTokens` of a strategy. A preview says how much is missing and where
 * to find it; shortened arguments stay JSON.
 */

type Count = (text: string) => number;

/** The start of `text` worth at most `tokens`, at a character border. */
export function startOf(text: string, tokens: number, count: Count): string {
  let low = 0;
  let high = Math.min(text.length, tokens * 16);
  if (high === text.length && count(text) <= tokens) return text;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (count(text.slice(0, middle)) <= tokens) low = middle;
    else high = middle;
  }
  return text.slice(0, low).toWellFormed().replace(/�$/u, '');
}

/** The first `tokens` of a result, and a note of what is missing. */
export function previewText(text: string, id: string, tokens: number, count: Count): string {
  const start = startOf(text, tokens, count);
  return `${start}\n[… ${text.length - start.length} more characters were cut here by compaction; recall with id ${id}]`;
}

/** Arguments as JSON that holds their first `tokens`. */
export function previewArguments(json: string, tokens: number, count: Count): string {
  const preview = startOf(json, tokens, count);
  return JSON.stringify({ preview, cutCharacters: json.length - preview.length });
}

/** Head and tail of a text around a note of how much is missing; at most `maxTokens`. */
export function shortenMiddle(text: string, maxTokens: number, count: Count): string {
  if (count(text) <= maxTokens) return text;
  for (let characters = Math.max(16, maxTokens * 3); characters > 16; characters = Math.floor(characters * 0.7)) {
    if (characters >= text.length) continue;
    const head = text.slice(0, Math.ceil(characters * 0.6)).toWellFormed();
    const tail = text.slice(-Math.floor(characters * 0.4)).toWellFormed();
    const short = `${head}\n[… ${text.length - characters} characters left out …]\n${tail}`;
    if (count(short) <= maxTokens) return short;
  }
  return text.slice(0, 16).toWellFormed();
}
