/** Decodes one line of a journal that a test holds as text. */

import type { Crypto } from '../../src/core/crypto.ts';
import { type DecodedLine, decodeBytes } from '../../src/core/journal/codec.ts';

export function decodeLine(line: string, crypto: Pick<Crypto, 'crc32'>): DecodedLine {
  return decodeBytes(new TextEncoder().encode(line), crypto);
}
