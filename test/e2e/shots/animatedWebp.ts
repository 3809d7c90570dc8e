/** An animated WebP of pictures that another program has encoded: the container alone. */

export interface Frame {
  /** A WebP of one picture. */
  readonly webp: Buffer;
  /** Where it lies on the canvas, in pixels; even. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly ms: number;
}

const ANIMATED = 0x02;
/** What was there before does not show through. */
const NO_BLEND = 0x02;

/** Repeats for ever. Each frame replaces its part of the canvas; the rest stays. */
export function animatedWebp(width: number, height: number, frames: readonly Frame[]): Buffer {
  const head = chunk('VP8X', Buffer.concat([Buffer.from([ANIMATED, 0, 0, 0]), three(width - 1), three(height - 1)]));
  const chunks = [head, chunk('ANIM', Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0])), ...frames.map(frameChunk)];
  return chunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]));
}

function frameChunk({ webp, x, y, width, height, ms }: Frame): Buffer {
  const place = [x / 2, y / 2, width - 1, height - 1, ms].map(three);
  return chunk('ANMF', Buffer.concat([...place, Buffer.from([NO_BLEND]), ...pictureOf(webp)]));
}

/** The chunks of the picture itself, without what is said of it. */
function pictureOf(webp: Buffer): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 12; at < webp.length; ) {
    const end = at + 8 + webp.readUInt32LE(at + 4);
    if (/^(?:ALPH|VP8 |VP8L)$/.test(webp.toString('latin1', at, at + 4))) {
      chunks.push(chunk(webp.toString('latin1', at, at + 4), webp.subarray(at + 8, end)));
    }
    at = end + (end % 2);
  }
  return chunks;
}

/** Padded to an even length. */
function chunk(name: string, data: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(data.length);
  return Buffer.concat([Buffer.from(name, 'latin1'), size, data, Buffer.alloc(data.length % 2)]);
}

function three(value: number): Buffer {
  const bytes = Buffer.alloc(3);
  bytes.writeUIntLE(value, 0, 3);
  return bytes;
}
