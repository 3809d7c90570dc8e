/**
 * Reads the style of a new file from `.editorconfig` files: line ends and encoding. Reads those of the file's folder
 * and above, up to the workspace folder or one with `root = true`. See https://spec.editorconfig.org.
 */

import { dirname, join, relative, sep } from 'node:path';
import type { TextStyle } from '../../core/workspace/files.ts';
import { readBounded } from './checkedFiles.ts';
import { hasCode } from './fileErrors.ts';
import { isInside } from './inside.ts';

/** In bytes; a larger file is ignored. */
const LARGEST = 64 * 1024;

const LINE_ENDS: ReadonlyMap<string, TextStyle['lineEnd']> = new Map([
  ['lf', '\n'],
  ['crlf', '\r\n'],
  ['cr', '\r'],
]);

const CHARSETS: ReadonlyMap<string, Pick<TextStyle, 'encoding' | 'bom'>> = new Map([
  ['utf-8', { encoding: 'utf8', bom: false }],
  ['utf-8-bom', { encoding: 'utf8', bom: true }],
  ['latin1', { encoding: 'iso88591', bom: false }],
  ['utf-16le', { encoding: 'utf16le', bom: true }],
  ['utf-16be', { encoding: 'utf16be', bom: true }],
]);

/** `real` is in the folder `root`. Nearer files win. */
export async function readEditorConfig(real: string, root: string): Promise<Partial<TextStyle>> {
  const properties = new Map<string, string>();
  for (let folder = dirname(real); isInside(folder, root); folder = dirname(folder)) {
    const text = await readText(join(folder, '.editorconfig'));
    const config = text === null ? null : parseEditorConfig(text);
    const path = relative(folder, real).split(sep).join('/');
    const own = new Map<string, string>();
    for (const { matches, pairs } of config?.sections ?? []) {
      if (matches(path)) for (const [key, value] of pairs) own.set(key, value);
    }
    for (const [key, value] of own) if (!properties.has(key)) properties.set(key, value);
    if (config?.isRoot || dirname(folder) === folder) break;
  }
  const lineEnd = LINE_ENDS.get(properties.get('end_of_line') ?? '');
  return { ...CHARSETS.get(properties.get('charset') ?? ''), ...(lineEnd === undefined ? {} : { lineEnd }) };
}

async function readText(path: string): Promise<string | null> {
  try {
    const bytes = await readBounded(path, LARGEST);
    return typeof bytes === 'string' ? null : bytes.toString('utf8').replace(/^\uFEFF/u, '');
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EISDIR', 'ELOOP')) return null;
    throw thrown;
  }
}

interface Section {
  /** `path` is relative to the folder of the file, with forward slashes. */
  matches(path: string): boolean;
  /** In lower case. */
  readonly pairs: [key: string, value: string][];
}

export function parseEditorConfig(text: string): { readonly isRoot: boolean; readonly sections: readonly Section[] } {
  const sections: Section[] = [];
  let isRoot = false;
  for (const line of text.split(/\r\n|\r|\n/u)) {
    const [, glob] = /^\s*\[(.+)\]\s*(?:[#;].*)?$/u.exec(line) ?? [];
    const [, key = '', value = ''] = /^\s*([^#;=:\s][^=:]*?)\s*[=:]\s*(.*?)\s*$/u.exec(line) ?? [];
    const pair: [string, string] = [key.toLowerCase(), value.replace(/\s[#;].*$/u, '').toLowerCase()];
    if (glob !== undefined) sections.push({ matches: matcherOf(glob), pairs: [] });
    else if (key !== '' && sections.length > 0) sections.at(-1)?.pairs.push(pair);
    else if (pair[0] === 'root') isRoot = pair[1] === 'true';
  }
  return { isRoot, sections };
}

/** Characters of a pattern; a longer one matches nothing. */
const LONGEST_GLOB = 1024;

/** A pattern with a slash applies to paths from the file's folder, one without to names in any folder. */
function matcherOf(glob: string): (path: string) => boolean {
  if (glob.length > LONGEST_GLOB) return () => false;
  const anywhere = glob.includes('/') ? '' : '(?:.*/)?';
  try {
    const pattern = new RegExp(`^${anywhere}${patternOf(glob.replace(/^\//u, ''))}$`, 'su');
    return (path) => pattern.test(path);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    return () => false;
  }
}

const RANGE = /^\{([+-]?\d{1,6})\.\.([+-]?\d{1,6})\}/u;
const MOST_NUMBERS = 1000;

function patternOf(glob: string): string {
  let pattern = '';
  let open = 0;
  for (let at = 0; at < glob.length; at++) {
    const rest = glob.slice(at);
    const [range, from = '', to = ''] = RANGE.exec(rest) ?? [];
    const [set, not = '', inSet = ''] = /^\[(!?)([^\]/]+)\]/u.exec(rest) ?? [];
    if (rest.startsWith('\\') && rest.length > 1) pattern += escapeOf(glob[++at] ?? '');
    else if (range !== undefined) {
      pattern += numbersBetween(Number(from), Number(to));
      at += range.length - 1;
    } else if (set !== undefined) {
      pattern += `[${not === '!' ? '^/' : ''}${inSet.replace(/[\\^[\]]/gu, '\\$&')}]`;
      at += set.length - 1;
    } else if (rest.startsWith('**')) {
      pattern += '.*';
      at += 1;
    } else if (rest.startsWith('*')) pattern += '[^/]*';
    else if (rest.startsWith('?')) pattern += '[^/]';
    else if (rest.startsWith('{') && /^\{[^{}]*,/u.test(rest) && rest.includes('}')) {
      pattern += '(?:';
      open += 1;
    } else if (open > 0 && rest.startsWith(',')) pattern += '|';
    else if (open > 0 && rest.startsWith('}')) {
      pattern += ')';
      open -= 1;
    } else pattern += escapeOf(rest[0] ?? '');
  }
  return pattern;
}

const escapeOf = (character: string) => character.replace(/[\\^$.*+?()[\]{}|/-]/gu, '\\$&').replace('\\-', '-');

function numbersBetween(one: number, other: number): string {
  const [from, to] = [Math.min(one, other), Math.max(one, other)];
  if (to - from > MOST_NUMBERS) return '[+-]?\\d+';
  return `(?:${Array.from({ length: to - from + 1 }, (_, at) => from + at).join('|')})`;
}
