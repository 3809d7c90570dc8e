/**
 * Removes folders and a person's name from a text, in every spelling that logs and addresses use: any separators,
 * escaped or percent-encoded, JSON escapes of non-ASCII characters, any case and Unicode form, and Windows short names.
 * Pure.
 */

/** An absolute folder and its replacement. */
export type HiddenPlace = readonly [folder: string, shown: string];

/** The deepest folders first, because one may contain another. */
export function hidePlaces(text: string, places: readonly HiddenPlace[]): string {
  return places
    .map(([folder, shown]) => [patternOf(folder), shown, folder.length] as const)
    .toSorted(([, , a], [, , b]) => b - a)
    .reduce((hidden, [pattern, shown]) => (pattern ? hidden.replace(pattern, () => shown) : hidden), text);
}

/** Account names that do not identify a person. */
const NOBODY = new Set(
  'root admin administrator user users home node vscode runner codespace ubuntu debian'.split(' '),
);
const SHORTEST_NAME = 3;

/** As a whole word, anywhere. */
export function hideName(text: string, name: string): string {
  if (name.length < SHORTEST_NAME || NOBODY.has(name.toLowerCase())) return text;
  return text.replace(new RegExp(`${NOT_IN_WORD}${nameOf(name)}${WORD_ENDS}`, 'giu'), '[user]');
}

const NOT_IN_WORD = '(?<![\\p{L}\\p{N}])';
const WORD_ENDS = '(?![\\p{L}\\p{N}])';

/** Escaped or encoded, often more than once. */
const percent = (hex: string) => `%(?:25){0,8}${hex}`;
/** A run of them is bounded, so that a text of separators only is read once. */
const SEPARATOR = `(?:[\\\\/]|${percent('(?:5C|2F)')}){1,16}`;

/** Null for the root of a disk, which does not identify a person. */
function patternOf(folder: string): RegExp | null {
  const [, drive, rest = ''] = /^(?:[\\/]{2}[?.][\\/])?(?:([A-Za-z]):)?(.*)$/s.exec(folder) ?? [];
  const names = rest.split(/[\\/]+/).filter((name) => name !== '');
  if (names.length === 0) return null;
  // Git Bash writes `C:` as `/c`.
  const start = drive === undefined ? '' : `(?:${NOT_IN_WORD}${drive}(?::|${percent('3A')})|[\\\\/]${drive})`;
  return new RegExp(`${start}${names.map((name) => SEPARATOR + nameOf(name)).join('')}${WORD_ENDS}`, 'giu');
}

function nameOf(name: string): string {
  const forms = [...new Set([name, name.normalize('NFC'), name.normalize('NFD')])];
  return `(?:${[...forms.map(spell), ...shortNames(name)].join('|')})`;
}

const spell = (name: string) => Array.from(name, spellCharacter).join('');

function spellCharacter(character: string): string {
  const bytes = [...new TextEncoder().encode(character.toWellFormed())];
  const encoded = bytes.map((byte) => percent(byte.toString(16).padStart(2, '0'))).join('');
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  const inJson = units.map((unit) => `\\\\{1,16}u${unit.toString(16).padStart(4, '0')}`).join('');
  return `(?:${literal(character)}|${encoded}|${inJson})`;
}

/** Every character may be written this way without a special meaning. */
const literal = (character: string) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** `ADALOV~1`, and `AD3F2C~1` where many names are alike. */
function shortNames(name: string): readonly string[] {
  if (/^[^\s.+,;=[\]]{1,8}(?:\.[^\s.+,;=[\]]{1,3})?$/.test(name) && /^[!-~]*$/.test(name)) return [];
  const base = name
    .replace(/\.[^.]*$/, '')
    .replace(/[\s.]/g, '')
    .replace(/[+,;=[\]]/g, '_');
  const ending = '~\\d{1,3}(?:\\.[^\\s.\\\\/]{1,3})?';
  return [spell(base.slice(0, 6)) + ending, `${spell(base.slice(0, 2))}[0-9a-f]{4}${ending}`];
}
