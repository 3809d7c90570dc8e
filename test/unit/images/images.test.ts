import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { fromBase64, toBase64 } from '../../../src/core/context/base64.ts';
import { readImage } from '../../../src/core/context/imageFacts.ts';
import { attachImages, checkImage, IMAGE_LIMITS, withImages } from '../../../src/core/context/images.ts';
import { imageTokens } from '../../../src/core/context/imageTokens.ts';
import { readMcpResult } from '../../../src/core/mcp/mcpResult.ts';
import type { ModelRequest } from '../../../src/core/model/modelClient.ts';
import { inEnglish } from '../../../src/core/words.ts';
import { isKnownToSee } from '../../../src/providers/knownModels.ts';
import { BEGINNINGS, pngOf } from '../../support/images.ts';
import { memoryBlobs } from '../../support/ports/memoryStore.ts';
import { ScriptedModel } from '../../support/ports/scriptedModel.ts';

describe('what an image says of itself', () => {
  test.each([
    ['image/png', pngOf(30, 20)],
    ['image/gif', BEGINNINGS.gif(30, 20)],
    ['image/jpeg', BEGINNINGS.jpeg(30, 20)],
    ['image/webp', BEGINNINGS.webpLossy(30, 20)],
    ['image/webp', BEGINNINGS.webpLossless(30, 20)],
    ['image/webp', BEGINNINGS.webpExtended(30, 20)],
  ])('%s', (mime, bytes) => {
    expect(readImage(bytes)).toEqual({ mime, width: 30, height: 20 });
  });

  test('large sizes are whole numbers', () => {
    expect(readImage(BEGINNINGS.webpExtended(70_000, 16_777_216))).toMatchObject({ width: 70_000, height: 16_777_216 });
    expect(readImage(BEGINNINGS.webpLossless(16_384, 16_384))).toMatchObject({ width: 16_384, height: 16_384 });
  });

  test.each([
    ['text', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
    ['HTML', '<!doctype html><img src=x>'],
    ['nothing', ''],
    ['a PDF', '%PDF-1.7'],
  ])('%s is none', (_, text) => {
    expect(readImage(new TextEncoder().encode(text))).toBeNull();
  });

  it('never fails, whatever the bytes are', () => {
    const begun = fc.constantFrom(...Object.values(BEGINNINGS).map((make) => make(9, 9)), Buffer.from(pngOf(9, 9)));
    fc.assert(
      fc.property(begun, fc.nat(40), fc.uint8Array({ maxLength: 60 }), (start, cut, rest) => {
        const found = readImage(Uint8Array.from([...start.subarray(0, cut), ...rest]));
        expect(found === null || (found.width > 0 && found.height > 0)).toBe(true);
      }),
    );
  });
});

describe('what an image costs', () => {
  // From the documentation of each maker; 4 go around it.
  test.each([
    ['gpt-4o', 1024, 1024, 765],
    ['gpt-4o', 2048, 4096, 1105],
    ['openai/gpt-4.1', 1024, 1024, 765],
    ['gpt-4.1-mini', 1024, 1024, Math.ceil(1024 * 1.62)],
    ['gpt-4.1-nano', 1800, 2400, Math.ceil(1536 * 2.46)],
    ['gpt-5.1', 1024, 1024, 70 + 4 * 140],
    ['claude-sonnet-4-5', 1000, 1000, 1334],
    ['anthropic/claude-opus-4', 200, 200, 54],
    ['claude-sonnet-4-5', 4000, 3000, 1600],
    ['gemini-2.5-pro', 384, 384, 258],
    ['gemini-2.5-pro', 1536, 768, 516],
    ['qwen3-vl-8b', 560, 560, 400],
    ['unheard-of', 750, 100, 100],
  ])('%s, %i × %i: %i', (model, width, height, tokens) => {
    expect(imageTokens({ width, height }, model)).toBe(tokens + 4);
  });

  it('is never nothing, and bounded for any size', () => {
    for (const model of ['gpt-4o', 'claude', 'gemini', 'gpt-5-mini', 'x']) {
      expect(imageTokens({ width: 1, height: 1 }, model)).toBeGreaterThan(1);
      expect(imageTokens({ width: 8_000, height: 8_000 }, model)).toBeLessThan(50_000);
    }
  });
});

test.each([
  ...['gpt-4o', 'gpt-5.1-mini', 'openai/gpt-4.1', 'o3', 'claude-3-5-haiku', 'anthropic/claude-sonnet-4.5'].map(
    (name) => [name, true],
  ),
  ...['gemini-2.5-flash', 'google/gemma-3-27b-it', 'qwen2.5-vl-72b', 'Qwen3-VL-8B', 'llava:13b', 'pixtral-12b'].map(
    (name) => [name, true],
  ),
  ...['meta-llama/llama-4-scout', 'grok-4', 'llama3.2-vision:11b', 'mistral-medium-2505'].map((name) => [name, true]),
  ...['gpt-3.5-turbo', 'gpt-oss-120b', 'o1-mini', 'o3-mini', 'deepseek-chat', 'qwen3-coder', 'llama-3.3-70b'].map(
    (name) => [name, false],
  ),
  ...['mistral-large-2411', 'codestral-latest', 'gemma-3-1b', 'text-embedding-3', 'gpt-4o-transcribe', 'kimi-k2'].map(
    (name) => [name, false],
  ),
] as [string, boolean][])('%s is known to see: %s', (name, sees) => {
  expect(isKnownToSee(name) ?? false).toBe(sees);
});

describe('attaching', () => {
  const viewer = { model: 'gpt-4o', takesImages: true };

  it('believes the bytes, keeps them as blobs, and counts for the model that sees them', async () => {
    const blobs = memoryBlobs();
    const bytes = pngOf(30, 20);
    const [image] = await attachImages([{ name: ' a\nb.jpg ', bytes }], viewer, blobs);
    expect(image).toEqual({
      kind: 'attached',
      attachment: { mime: 'image/png', name: 'a b.jpg', width: 30, height: 20, blob: expect.any(String), tokens: 259 },
    });
    const blob = image?.kind === 'attached' ? image.attachment.blob : '';
    expect(await blobs.get(blob)).toEqual(bytes);
    const [named] = await attachImages([{ name: 'a', bytes }], { ...viewer, takesImages: false }, blobs);
    expect(named?.kind === 'attached' && named.attachment.tokens).toBeLessThan(40);
  });

  it('says why it refuses', async () => {
    const huge = new Uint8Array(IMAGE_LIMITS.bytes + 1);
    huge.set(pngOf(2, 2));
    const said = (bytes: Uint8Array) => inEnglish(checkImage('x.png', bytes) as never);
    expect(said(new TextEncoder().encode('<svg/>'))).toBe(
      'x.png is not a PNG, JPEG, GIF or WebP image, or it is damaged.',
    );
    expect(said(huge)).toMatch(/^x\.png has 3,750,001 bytes, more than/);
    expect(said(pngOf(8_001, 1))).toMatch(/^x\.png has 8,001 × 1 pixels/);
    const many = Array.from({ length: IMAGE_LIMITS.count + 1 }, () => ({ name: 'a', bytes: pngOf(1, 1) }));
    const all = await attachImages(many, viewer, memoryBlobs());
    expect(all.map(({ kind }) => kind === 'refused')).toEqual([...many.slice(1).map(() => false), true]);
  });
});

describe('a request on its way out', () => {
  const send = async (request: Partial<ModelRequest>, blobs = memoryBlobs()) => {
    const model = new ScriptedModel(['ok']);
    const client = withImages(model, blobs);
    const whole = { model: 'm', messages: [], tools: [], ...request } as ModelRequest;
    for await (const _ of client.stream(whole, new AbortController().signal));
    return { sent: model.requests[0], whole };
  };

  it('gets the bytes of its images, as base64', async () => {
    const blobs = memoryBlobs();
    for (const bytes of [
      pngOf(3, 3),
      pngOf(40, 40),
      Uint8Array.from([...pngOf(3, 3), 255]),
      Uint8Array.from([...pngOf(3, 3), 255, 1]),
    ]) {
      const part = { type: 'imageBlob', mime: 'text/html', blob: await blobs.put(bytes), tokens: 9 } as const;
      const text = { type: 'text', text: 'a' } as const;
      const { sent } = await send(
        {
          messages: [
            { role: 'user', text: 'see', parts: [text, part] },
            { role: 'tool', toolCallId: 'a', text: '', parts: [part] },
          ],
        },
        blobs,
      );
      const image = { type: 'image', mime: 'image/png', base64: Buffer.from(bytes).toString('base64') };
      expect(sent?.messages).toEqual([
        { role: 'user', text: 'see', parts: [text, image] },
        { role: 'tool', toolCallId: 'a', text: '', parts: [image] },
      ]);
    }
  });

  it('says so where an image is gone, or is none', async () => {
    const blobs = memoryBlobs();
    const html = await blobs.put(new TextEncoder().encode('<html>'));
    for (const blob of ['f'.repeat(64), html]) {
      const parts = [{ type: 'imageBlob', mime: 'image/png', blob, tokens: 9 } as const];
      const { sent } = await send({ messages: [{ role: 'user', text: 'see', parts }] }, blobs);
      expect(sent?.messages[0]).toMatchObject({
        parts: [{ type: 'text', text: '[The image that stood here can no longer be read.]' }],
      });
    }
  });

  it('without images is the same request', async () => {
    const { sent, whole } = await send({ messages: [{ role: 'user', text: 'hi' }] });
    expect(sent).toBe(whole);
  });
});

describe('base64', () => {
  it('is what Node makes of the same bytes, and back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64');
        expect(toBase64(bytes)).toBe(text);
        expect(fromBase64(text)).toEqual(bytes);
        expect(fromBase64(text.replace(/(.{8})/g, '$1\r\n'))).toEqual(bytes);
      }),
    );
  });

  it.each(['a', 'ab!c', 'é===', 'a=bc'])('%s is none', (text) => {
    expect(fromBase64(text)).toBeNull();
  });
});

test('what a server returns as an image is one by its own bytes, within limits', () => {
  const image = (data: string) => ({ type: 'image', mimeType: 'image/png', data });
  const good = Buffer.from(pngOf(3, 2)).toString('base64');
  const read = (...content: object[]) => readMcpResult({ content }, { images: true });
  expect(read({ type: 'text', text: 'see' }, image(good))).toEqual({
    text: 'see\n[image 1]',
    images: [{ name: 'image 1', bytes: pngOf(3, 2) }],
  });
  expect(read(image(Buffer.from('<svg/>').toString('base64')), image('!'), image('A'.repeat(6_000_000)))).toEqual({
    text: expect.stringMatching(/^(\[image image\/png, \d+ KB, which cannot be shown to you\]\n?){3}$/),
  });
  expect(read(...Array.from({ length: 12 }, () => image(good))).images).toHaveLength(IMAGE_LIMITS.count);
});
