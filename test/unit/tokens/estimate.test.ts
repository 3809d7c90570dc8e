import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countHalfCharacters,
  countTokens,
  estimateMessage,
  takeTokens,
  wellFormedEnd,
  wellFormedStart,
} from '../../../src/core/tokens/estimate.ts';

describe('countTokens', () => {
  it.each([
    ['plain words', 'the quick brown fox jumps over the lazy dog', 9, 12],
    ['Chinese', '修复了重试测试，时钟只读取一次。', 12, 20],
    ['code', 'const delay = (ms: number) => new Promise((r) => setTimeout(r, ms));', 18, 34],
  ])('is near what tokenizers say for %s', (_name, text, low, high) => {
    expect(countTokens(text)).toBeGreaterThanOrEqual(low);
    expect(countTokens(text)).toBeLessThanOrEqual(high);
  });

  it('takes any input, a megabyte of one letter included', () => {
    expect(countTokens('x'.repeat(1_000_000))).toBeGreaterThan(100_000);
    expect(countTokens('\ud800')).toBeGreaterThan(0);
    expect(countTokens('')).toBe(0);
  });
});

describe('estimateMessage', () => {
  it('counts arguments, attachments and reasoning that goes back to the model', () => {
    const text = 'one two three';
    const call = { id: 'a', name: 'read_file', arguments: '{"path":"a.ts"}' };
    const plain = estimateMessage({ role: 'assistant', text });
    const calling = estimateMessage({ role: 'assistant', text, toolCalls: [call] });
    expect(plain).toBe(4 + countTokens(text));
    expect(calling).toBe(plain + 8 + countTokens('read_file') + countTokens('{"path":"a.ts"}'));
    const reasoning = { field: 'reasoning', text: 'because of this' };
    expect(estimateMessage({ role: 'assistant', text, reasoning })).toBe(plain);
    expect(estimateMessage({ role: 'assistant', text, toolCalls: [call], reasoning })).toBeGreaterThan(calling);
    expect(estimateMessage({ role: 'assistant', text, toolCalls: [call], interrupted: true })).toBe(plain);
    const attachments = [{ mime: 'image/png', blob: 'b', tokens: 700 }];
    expect(estimateMessage({ role: 'user', kind: 'user', text, attachments })).toBe(plain + 700);
    const result = { role: 'tool', toolCallId: 'a', toolName: 'read_file', text } as const;
    expect(estimateMessage({ ...result, attachments })).toBe(plain + 700);
  });

  it('the Pi-style estimate is characters / 2, rounded down, and 4 for each message', { tags: ['P8'] }, () => {
    expect(countHalfCharacters({ role: 'user', kind: 'user', text: 'abcdefg' })).toBe(7);
    expect(countHalfCharacters({ role: 'user', kind: 'user', text: '' })).toBe(4);
    const toolCalls = [{ id: 't1', name: 'read_file', arguments: '{"a":1}' }];
    expect(countHalfCharacters({ role: 'assistant', text: 'abc', toolCalls })).toBe(9);
  });
});

describe('cutting', () => {
  it('takes at most the tokens asked for, and never half a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.nat(60), (text, tokens) => {
        const taken = takeTokens(text, tokens);
        expect(text.startsWith(taken)).toBe(true);
        expect(countTokens(taken)).toBeLessThanOrEqual(tokens);
        expect(taken.isWellFormed()).toBe(text.isWellFormed());
      }),
    );
  });

  it('never splits a surrogate pair at either end', () => {
    expect(wellFormedStart('a😀b', 2)).toBe('a');
    expect(wellFormedEnd('a😀b', 2)).toBe('b');
    expect(wellFormedEnd('a😀b', 3)).toBe('😀b');
  });
});
