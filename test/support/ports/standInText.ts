/**
 * An editor's decoding and encoding in memory: by the standard's tables, with substitutes for what has no place in them,
 * as the real one does.
 */

import type { TextStyle } from '../../../src/core/workspace/files.ts';
import { labelOf } from '../../../src/host/files/editorText.ts';
import type { HostText } from '../../../src/node/files/workspaceFiles.ts';

const tables = new Map<string, ReadonlyMap<string, readonly number[]>>();

/** Which bytes stand for each character: the first ones that do. */
function tableOf(encoding: string): ReadonlyMap<string, readonly number[]> {
  const known = tables.get(encoding);
  if (known) return known;
  const decoder = new TextDecoder(labelOf(encoding) ?? encoding);
  const table = new Map<string, readonly number[]>();
  const learn = (...bytes: readonly number[]) => {
    const text = decoder.decode(Uint8Array.from(bytes));
    if ([...text].length === 1 && text !== '\uFFFD' && !table.has(text)) table.set(text, bytes);
  };
  for (let byte = 0; byte < 256; byte++) learn(byte);
  for (let first = 0x81; first < 0xff; first++) for (let second = 0x40; second < 0xff; second++) learn(first, second);
  tables.set(encoding, table);
  return table;
}

const SUBSTITUTE = [0x3f];

export function standInEncode(text: string, encoding: string): Uint8Array {
  if (encoding === 'utf8') return new TextEncoder().encode(text);
  const table = tableOf(encoding);
  return Uint8Array.from([...text].flatMap((character) => table.get(character) ?? SUBSTITUTE));
}

/** `set` is the encoding of all files that have no mark. */
export function createStandInText(set = 'utf8', style: Partial<TextStyle> = {}): HostText {
  return {
    likely: async () => [set, 'utf8'],
    decode: async (bytes, encoding) => new TextDecoder(labelOf(encoding) ?? encoding).decode(bytes),
    encode: async (text, encoding) => standInEncode(text, encoding),
    styleOfNew: async () => ({ encoding: set, bom: false, lineEnd: '\n', ...style }),
    searchEncoding: () => (set === 'utf8' ? null : labelOf(set)),
  };
}
