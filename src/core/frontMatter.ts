/**
 * The block of settings at the beginning of a Markdown file, between two lines of `---`. It reads the part of YAML that
 * such files use: texts, quoted texts, lists, and blocks of lines. A text may hold anything, a colon too, because many
 * files have one there without quotes. What it cannot read is left out; it never throws and costs time linear in length.
 */

export interface FrontMatter {
  /** Names are in lower case. */
  readonly fields: ReadonlyMap<string, string | readonly string[]>;
  readonly body: string;
}

const FIELD = /^([A-Za-z][\w-]*):(?:[ \t]+(.*))?$/;

/** Null when the file does not begin with such a block, or the block does not end. */
export function readFrontMatter(text: string): FrontMatter | null {
  const lines = text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .split('\n');
  if (lines[0]?.trimEnd() !== '---') return null;
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---');
  if (end < 0) return null;
  const fields = new Map<string, string | readonly string[]>();
  for (let at = 1; at < end; ) {
    const [, name, value = ''] = FIELD.exec(lines[at] ?? '') ?? [];
    at++;
    if (name === undefined) continue;
    const from = at;
    while (at < end && !FIELD.test(lines[at] ?? '')) at++;
    fields.set(name.toLowerCase(), readValue(value.trim(), lines.slice(from, at)));
  }
  return {
    fields,
    body: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  };
}

/** `below` are the lines that follow the field's own. */
function readValue(value: string, below: readonly string[]): string | readonly string[] {
  if (/^[|>][+-]?$/.test(value)) return joinLines(below, value.startsWith('|') ? '\n' : ' ');
  if (value.startsWith('[') && value.endsWith(']')) return splitList(value.slice(1, -1));
  const items = below.flatMap((line) => /^\s*-\s+(.+)$/.exec(line)?.[1] ?? []);
  if (value === '' && items.length > 0) return items.map(unquote);
  return unquote([value, joinLines(below, ' ')].filter((each) => each !== '').join(' '));
}

function joinLines(lines: readonly string[], between: string): string {
  return lines
    .map((line) => line.trim())
    .join(between)
    .trim();
}

/** Of texts separated by commas. */
export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((each) => unquote(each.trim()))
    .filter((each) => each !== '');
}

function unquote(text: string): string {
  const trimmed = text.trim();
  const quote = trimmed[0];
  if (trimmed.length < 2 || (quote !== '"' && quote !== "'") || !trimmed.endsWith(quote)) return trimmed;
  const inner = trimmed.slice(1, -1);
  return quote === "'"
    ? inner.replaceAll("''", "'")
    : inner.replace(/\\(["\\nt])/g, (_, char) => ESCAPES[char] ?? char);
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t' };
