/**
 * Writes any text as one word of a command line for an interactive bash or zsh. The line is one line of printable
 * ASCII, so that no line editor, completion, history or locale can alter it. Pure.
 */

/** Characters that are literal between single quotes, even with history expansion; a quote; and all others. */
const PARTS = /[ -&(-~]+|'|[^ -~]+/gu;

const PLAIN = /^[ -~]/;

export function quoteWord(text: string): string {
  const parts = text.toWellFormed().match(PARTS) ?? [];
  return parts.length === 0 ? "''" : parts.map(quotePart).join('');
}

function quotePart(part: string): string {
  if (part === "'") return "\\'";
  if (PLAIN.test(part)) return `'${part}'`;
  const bytes = [...new TextEncoder().encode(part)];
  return `$'${bytes.map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')}'`;
}
