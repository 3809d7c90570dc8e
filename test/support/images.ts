/** Images of any size, small on disk: what a test needs of one. */

import { crc32, deflateSync } from 'node:zlib';

/** A whole PNG in one colour. */
export function pngOf(width: number, height: number, shade = 128): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits of grey.
  header.set([8, 0, 0, 0, 0], 8);
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width, shade)]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  const parts = [chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))];
  return Uint8Array.from(Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts]));
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** The beginnings of other kinds, as far as their size is told. */
export const BEGINNINGS = {
  gif: (width: number, height: number) => Buffer.concat([Buffer.from('GIF89a'), le16(width), le16(height)]),
  jpeg: (width: number, height: number) =>
    Buffer.concat([
      // A comment and a table stand before the frame.
      Buffer.from('ffd8ffe000104a46494600010100000100010000fffe00046869ffc40003ff', 'hex'),
      Buffer.from('ffffc2001108', 'hex'),
      be16(height),
      be16(width),
      Buffer.from('03', 'hex'),
    ]),
  webpLossy: (width: number, height: number) =>
    webp('VP8 ', Buffer.concat([Buffer.from('0000009d012a', 'hex'), le16(width), le16(height)])),
  webpLossless: (width: number, height: number) => {
    const bits = Buffer.alloc(4);
    bits.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0);
    return webp('VP8L', Buffer.concat([Buffer.from([0x2f]), bits]));
  },
  webpExtended: (width: number, height: number) =>
    webp('VP8X', Buffer.concat([Buffer.alloc(4), le24(width - 1), le24(height - 1)])),
} as const;

function webp(kind: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP'), Buffer.from(kind), Buffer.alloc(4), body, Buffer.alloc(10)]);
}

const be16 = (value: number) => Buffer.from([value >> 8, value & 255]);
const le16 = (value: number) => Buffer.from([value & 255, value >> 8]);
const le24 = (value: number) => Buffer.from([value & 255, (value >> 8) & 255, value >> 16]);
