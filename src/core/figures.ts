/** Numbers as a person reads them, in one form everywhere. English and Chinese write all of these alike. */

/** `14,686`; a fraction keeps up to three digits. */
export function groupDigits(value: number): string {
  return value.toLocaleString('en-US');
}

/** A whole number of things: `14,686`. */
export function formatCount(count: number): string {
  return groupDigits(Math.round(count));
}

/** A number of tokens where there is little room: `980`, `1.2k`, `61k`, `1.2M`. */
export function formatTokens(tokens: number): string {
  if (tokens < 1_000) return String(Math.round(tokens));
  if (tokens < 10_000) return `${trimZero((tokens / 1_000).toFixed(1))}k`;
  if (tokens < 999_500) return `${Math.round(tokens / 1_000)}k`;
  return `${trimZero((tokens / 1_000_000).toFixed(1))}M`;
}

/** Two numbers of tokens side by side: where rounding would make them equal, with all their digits. */
export function formatBoth(before: number, after: number): [before: string, after: string] {
  const short: [string, string] = [formatTokens(before), formatTokens(after)];
  return short[0] !== short[1] || before === after ? short : [formatCount(before), formatCount(after)];
}

/** Of a hundred: `83%`, with `digits` behind the point `83.0%`. */
export function formatPercent(percent: number, digits = 0): string {
  return `${percent.toFixed(digits)}%`;
}

/** `83%`; what would be rounded to nothing `<1%`; of nothing `0%`. */
export function formatShare(part: number, whole: number): string {
  const percent = (100 * part) / Math.max(whole, 1);
  return percent > 0 && percent < 0.5 ? `<${formatPercent(1)}` : formatPercent(Math.round(percent));
}

/** In decimal units, as disks and the settings count: `12 KB`, `1.2 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000_000) return `${formatCount(Math.ceil(bytes / 1_000))} KB`;
  return `${groupDigits(Number((bytes / 1_000_000).toFixed(1)))} MB`;
}

const trimZero = (text: string) => text.replace(/\.0$/, '');
