/** The Crypto port over Node: native CRC-32 and SHA-256, and the system's random source. */

import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Crypto } from '../../../core/ports.ts';

export const nodeCrypto: Crypto = {
  sha256: async (bytes) => createHash('sha256').update(bytes).digest('hex'),
  randomHex: (bytes) => randomBytes(bytes).toString('hex'),
  crc32: (data) => crc32(data),
};
