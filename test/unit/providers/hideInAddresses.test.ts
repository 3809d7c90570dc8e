/** Addresses in what is said: names, passwords, keys and signatures are never drawn. */

import { describe, expect, test } from 'vitest';
import { hideInAddresses } from '../../../src/core/urls.ts';
import { inEnglish } from '../../../src/core/words.ts';
import { readAgentSettings } from '../../../src/node/agentSettings.ts';
import { parseEndpoint } from '../../../src/providers/endpoint.ts';
import { classifyError } from '../../../src/providers/errors/classifyError.ts';

describe('addresses', () => {
  test.each([
    ['https://user:pw@h.example/v1?x=1', 'https://h.example/v1?x=1'],
    ['see (https://u:p@h/d) and https://token@h/v1.', 'see (https://h/d) and https://h/v1.'],
    ['user:pw@host/v1', 'host/v1'],
    [
      'https://b.example/o?X-Amz-Credential=AK%2F&X-Amz-Signature=abc&y=2',
      'https://b.example/o?X-Amz-Credential=…&X-Amz-Signature=…&y=2',
    ],
    ['https://b.example/o?sv=2&sig=a%2Fb#x', 'https://b.example/o?sv=2&sig=…#x'],
    ['https://h/?api_key=zz', 'https://h/?api_key=…'],
    ['https://h/?subscription-key=zz&api-version=1', 'https://h/?subscription-key=…&api-version=1'],
  ])('%s', (text, shown) => {
    expect(hideInAddresses(text)).toBe(shown);
  });

  test.each([
    'mail me@x.org',
    'http://127.0.0.1:11434/v1',
    'https://h:8080/a@b',
    'npm i @a/b@1',
    'git@h.example:a/b',
    'a?b=c',
  ])('%s stays', (text) => {
    expect(hideInAddresses(text)).toBe(text);
  });
});

test('a provider that repeats an address does not show what gives access', () => {
  const body = JSON.stringify({ error: { message: 'cannot fetch https://me:canary@h/i.png?X-Goog-Signature=canary' } });
  const place = { url: 'https://h/v1', model: 'm', now: 0 };
  expect(inEnglish(classifyError({ status: 400, headers: new Headers(), body }, place).words)).not.toContain('canary');
});

test.each(['me:canary@h.example/v1', 'https//me:canary@h/v1'])(
  'an endpoint %s that is no address says so without its password',
  (text) => {
    expect(() => parseEndpoint(text)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('canary') }),
    );
  },
);

test('a setting that cannot be used is told without the password in it', () => {
  const value = 'ftp://me:canary@h/v1?sig=canary';
  const { problems } = readAgentSettings((key) => ({
    value: key === 'endpoints' ? [{ id: 'h', baseUrl: value, models: [] }] : undefined,
    explicit: true,
  }));
  const said = problems.map((problem) => inEnglish(problem.said)).join();
  expect([said.includes('ftp://h/v1'), said.includes('canary')]).toEqual([true, false]);
});
