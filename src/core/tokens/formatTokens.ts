/** A number of tokens as the meter, rows and questions show it, so that one figure looks the same everywhere. */

/** `980`, `1.2k`, `61k`, `1.2M`. */
export function formatTokens(tokens: number): string {
  if (tokens < 1_000) return String(Math.round(tokens));
  if (tokens < 10_000) return `${trimZero((tokens / 1_000).toFixed(1))}k`;
  if (tokens < 999_500) return `${Math.round(tokens / 1_000)}k`;
  return `${trimZero((tokens / 1_000_000).toFixed(1))}M`;
}

/** Two numbers side by side: where rounding would make them equal, with all their digits. */
export function formatBoth(before: number, after: number): [before: string, after: string] {
  const short: [string, string] = [formatTokens(before), formatTokens(after)];
  return short[0] !== short[1] || before === after ? short : [allDigits(before), allDigits(after)];
}

const allDigits = (tokens: number) => Math.round(tokens).toLocaleString('en-US');

const trimZero = (text: string) => text.replace(/\.0$/, '');
