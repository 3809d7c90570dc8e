import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBytes, encodeEntry } from '../../../src/core/journal/codec.ts';
import type { Entry } from '../../../src/core/journal/entry.ts';
import { decodeLine } from '../../support/decodeLine.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';

const crypto = testCrypto();

const note = (text: string, seq = 3): Entry => ({
  seq,
  parent: 1,
  time: '2026-01-01T12:00:00.000Z',
  type: 'note',
  level: 'info',
  text,
});

const thought = (reasoning: string) =>
  `{"seq":1,"parent":0,"time":"t","type":"message","message":{"role":"assistant","text":"","reasoning":${reasoning}},"tokens":1`;

describe('codec', () => {
  it('writes one line of JSON whose last field is the checksum', () => {
    const line = encodeEntry(note('a\nb'), crypto);
    expect(line).not.toContain('\n');
    expect(Object.keys(JSON.parse(line) as object)).toEqual(['seq', 'parent', 'time', 'type', 'level', 'text', 'crc']);
    expect(line).toMatch(/,"crc":"[0-9a-f]{8}"\}$/);
  });

  it('reads back what it wrote, whatever the text', { tags: ['long'] }, () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(decodeLine(encodeEntry(note(text), crypto), crypto)).toEqual({ kind: 'entry', entry: note(text) });
      }),
    );
    const lone = 'half \ud83d of a pair';
    expect(decodeLine(encodeEntry(note(lone), crypto), crypto)).toEqual({ kind: 'entry', entry: note(lone) });
  });

  it('keeps entries of types it does not know', () => {
    const unknown = { seq: 9, parent: 8, time: 'now', type: 'fromTheFuture', more: [1] } as unknown as Entry;
    expect(decodeLine(encodeEntry(unknown, crypto), crypto)).toEqual({ kind: 'entry', entry: unknown });
  });

  it('reads the thinking that earlier versions left in an answer as thinking', () => {
    const saved = (message: object) =>
      ({
        seq: 1,
        parent: 0,
        time: 't',
        type: 'message',
        tokens: 1,
        message: { role: 'assistant', ...message },
      }) as Entry;
    const read = (message: object) => decodeLine(encodeEntry(saved(message), crypto), crypto);
    const plan = { field: 'content', text: 'A plan.' };
    expect(read({ text: '<think>\nA plan.\n</think>\n\nDone.' })).toEqual({
      kind: 'entry',
      entry: saved({ text: 'Done.', reasoning: plan }),
    });
    expect(read({ text: 'A `<think>` tag.' })).toEqual({ kind: 'entry', entry: saved({ text: 'A `<think>` tag.' }) });
  });

  it('accepts a carriage return that a tool added behind the record', () => {
    expect(decodeLine(`${encodeEntry(note('x'), crypto)}\r`, crypto).kind).toBe('entry');
  });

  it('notices every single flipped bit', () => {
    const bytes = Buffer.from(encodeEntry(note('Grüße, 世界 🙂'), crypto));
    const accepted: number[] = [];
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      if (decodeBytes(flipped, crypto).kind === 'entry') accepted.push(bit);
    }
    expect(accepted).toEqual([]);
  });

  it.each<readonly [string, string]>([
    ['', 'noCrc'],
    ['{"seq":1}', 'noCrc'],
    ['{"role":"user","content":"hi"}', 'noCrc'],
    [`\ufeff${encodeEntry(note('x'), crypto)}`, 'badCrc'],
    [`\0\0\0\0${encodeEntry(note('x'), crypto)}`, 'badCrc'],
    [forged('{"seq":1,"time":"t","type":"note"'), 'entry'],
    [forged('{"seq":-1,"time":"t","type":"note"'), 'notAnEntry'],
    [forged('{"seq":1,"parent":2,"time":"t","type":"note"'), 'notAnEntry'],
    [forged('{"seq":1,"parent":0,"time":"t","type":"message","tokens":1,"message":{"role":"user"}'), 'notAnEntry'],
    [forged('{"seq":1,"parent":0,"time":"t","type":"compaction","plan":[{"op":"insert"}]'), 'notAnEntry'],
    [forged('{"seq":1,"parent":0,"time":"t","type":"pinned","ids":[1]'), 'notAnEntry'],
    [forged('{"seq":1,"parent":0,"time":"t","type":"files","files":[null]'), 'notAnEntry'],
    [forged('{"seq":1,"parent":0,"time":"t","type":"header","items":[{"text":1}],"tools":[]'), 'notAnEntry'],
    [
      forged(
        '{"seq":1,"parent":0,"time":"t","type":"compaction","plan":[{"op":"replace","id":"m1","by":{"text":1,"tokens":1}}]',
      ),
      'notAnEntry',
    ],
    [
      forged(
        '{"seq":1,"parent":0,"time":"t","type":"message","message":{"role":"assistant","text":"","toolCalls":[null]},"tokens":1',
      ),
      'notAnEntry',
    ],
    ...['"x"', '{"field":"f"}', '{"field":"f","text":"","items":{}}', '{"field":"f","text":"","items":[1]}'].map(
      (reasoning): readonly [string, string] => [forged(thought(reasoning)), 'notAnEntry'],
    ),
    [forged(thought('{"field":"f","text":"","origin":"x"}')), 'notAnEntry'],
    [forged(thought('{"field":"f","text":"","items":[{}],"origin":{"endpoint":"e","model":"m"}}')), 'entry'],
    [forged(thought('{"field":"f","text":"t"}')), 'entry'],
    [forged('not json'), 'notJson'],
    [forged('[1'), 'notJson'],
  ])('says of %j: %s', (line, expected) => {
    const decoded = decodeLine(line, crypto);
    expect(decoded.kind === 'damaged' ? decoded.reason : decoded.kind).toBe(expected);
  });
});

/** A line with a right checksum over whatever `body` says. */
function forged(body: string): string {
  return `${body},"crc":"${crypto.crc32(body).toString(16).padStart(8, '0')}"}`;
}
