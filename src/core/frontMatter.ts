/**
 * The block of settings at the beginning of a Markdown file, between two lines of `---`. It is YAML, but many files
 * hold text that only resembles it: a field that is not valid YAML, such as a description with a colon, is read as
 * plain text. Nothing here throws. Long, deeply nested or self-referencing blocks are not parsed as YAML.
 */

export type FrontMatterValue =
  | string
  /** A field without a value. */
  | null
  | readonly FrontMatterValue[]
  | ReadonlyMap<string, FrontMatterValue>;

interface FrontMatter {
  /** Names are in lower case. Every value other than a list or table is text, as it was written. */
  readonly fields: ReadonlyMap<string, FrontMatterValue>;
  readonly body: string;
}

/** Most characters that are parsed as YAML. */
const MOST_YAML = 16_000;
/** Most fields of a block that is not valid YAML as a whole. */
const MOST_FIELDS = 100;
const DEEPEST = 20;

const FIELD = /^(["']?)([A-Za-z][\w-]*)\1[ \t]*:(?:[ \t]+(.*))?$/;
/** Blank lines and comments that may precede the block. */
const ABOVE = /^(?:[ \t]*(?:#[^\n]*)?\n|[ \t]*<!--(?:(?!-->)[\s\S])*-->[ \t]*\n)*/;

/** Null when the file does not begin with such a block, or the block does not end. */
export async function readFrontMatter(text: string): Promise<FrontMatter | null> {
  const unified = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const lines = unified.slice(ABOVE.exec(unified)?.[0].length ?? 0).split('\n');
  if (lines[0]?.trimEnd() !== '---') return null;
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---');
  if (end < 0) return null;
  const body = lines
    .slice(end + 1)
    .join('\n')
    .trim();
  return { fields: await readFields(lines.slice(1, end)), body };
}

/** Null for any other value. YAML 1.1 knew all of these words; 1.2 kept only two. */
export function readSwitch(value: FrontMatterValue | undefined): boolean | null {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (['true', 'yes', 'on', 'y'].includes(word)) return true;
  return ['false', 'no', 'off', 'n'].includes(word) ? false : null;
}

type Fields = ReadonlyMap<string, FrontMatterValue>;

async function readFields(block: readonly string[]): Promise<Fields> {
  const whole = await readYaml(block.join('\n'));
  if (whole) return whole;
  const fields = new Map<string, FrontMatterValue>();
  let left = MOST_YAML;
  for (let at = 0; at < block.length; ) {
    const [, , name, value = ''] = FIELD.exec(block[at] ?? '') ?? [];
    const from = at++;
    if (name === undefined) continue;
    while (at < block.length && !FIELD.test(block[at] ?? '')) at++;
    const source = block.slice(from, at).join('\n');
    left -= source.length;
    const alone = left >= 0 && fields.size < MOST_FIELDS ? await readYaml(source) : null;
    const key = name.toLowerCase();
    fields.set(key, alone?.get(key) ?? asText(value, block.slice(from + 1, at)));
  }
  return fields;
}

/** Null when it is not a YAML table, or exceeds the limits. */
async function readYaml(source: string): Promise<Fields | null> {
  if (source.length > MOST_YAML) return null;
  const { Composer, isAlias, isMap, isScalar, isSeq, Parser } = await import('yaml');
  // The YAML composer is recursive, the parser is not.
  const tokens = [...new Parser().parse(source)];
  if (depthOf(tokens) > DEEPEST) return null;
  // A schema without types: every value is text.
  const options = { schema: 'failsafe', uniqueKeys: false, prettyErrors: false, logLevel: 'silent' } as const;
  const [document, more] = [...new Composer(options).compose(tokens)];
  if (!document || more || document.errors.length > 0 || !isMap(document.contents)) return null;

  let refers = false;
  const readNode = (node: unknown): FrontMatterValue => {
    if (isAlias(node)) refers = true;
    if (isSeq(node)) return node.items.map(readNode);
    if (isMap(node)) return new Map(node.items.map(({ key, value }) => [keyOf(key), readNode(value)]));
    if (!isScalar(node)) return null;
    const text = String(node.value ?? '').trim();
    return node.type === 'PLAIN' && /^(?:|~|null)$/i.test(text) ? null : text;
  };
  const keyOf = (node: unknown) => (isScalar(node) ? String(node.value) : '');
  const fields = new Map(document.contents.items.map(({ key, value }) => [keyOf(key).toLowerCase(), readNode(value)]));
  return refers ? null : fields;
}

interface Token {
  readonly type: string;
  readonly value?: unknown;
  readonly items?: readonly { readonly key?: unknown; readonly value?: unknown }[];
}

function depthOf(tokens: readonly Token[]): number {
  let deepest = 0;
  const waiting: { token: Token; depth: number }[] = tokens.map((token) => ({ token, depth: 0 }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { token, depth } = next;
    deepest = Math.max(deepest, depth);
    const below = [token.value, ...(token.items ?? []).flatMap(({ key, value }) => [key, value])];
    waiting.push(...below.filter(isToken).map((each) => ({ token: each, depth: depth + 1 })));
  }
  return deepest;
}

const isToken = (value: unknown): value is Token => typeof value === 'object' && value !== null && 'type' in value;

/** A field that is not valid YAML: `below` are the lines that follow the field's own. */
function asText(value: string, below: readonly string[]): string {
  const lines = [value, ...below].map((line) => line.trim());
  const text = lines.filter((line) => line !== '' && !line.startsWith('#')).join(' ');
  const [, , inner] = /^(["'])(.*)\1$/s.exec(text) ?? [];
  return inner ?? text;
}
