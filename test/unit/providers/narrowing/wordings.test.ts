/**
 * Refusals of one field as vendors word them (`wordings.json`, with their source), through the real client: the second request
 * goes without the field, or with the value that the refusal allows, and is answered.
 */

import { afterEach, expect, test } from 'vitest';
import { asRecord, type Json } from '../../../../src/core/json.ts';
import type { ModelRequest } from '../../../../src/core/model/modelClient.ts';
import type { EndpointDialect } from '../../../../src/providers/presets.ts';
import { ask, closeServers, serveWith } from '../answers/askServer.ts';
import wordings from './wordings.json' with { type: 'json' };

afterEach(closeServers);

interface Wording {
  readonly source: string;
  readonly dialect: EndpointDialect;
  readonly status: number;
  readonly body: unknown;
  /** That is left out, or null where only its value changes. */
  readonly field: string | null;
  /** Values of the second request. */
  readonly becomes?: Readonly<Record<string, unknown>>;
  readonly request?: Partial<ModelRequest> & { readonly at?: 'openai' };
}

const REQUEST: Partial<ModelRequest> = {
  messages: [
    { role: 'system', text: 'You are a test.', cache: true },
    { role: 'user', text: 'Look' },
    {
      role: 'assistant',
      text: '',
      toolCalls: [{ id: 'call_a', name: 'read_file', arguments: '{}' }],
      reasoning: { field: 'reasoning_content', text: 'Hm.' },
    },
    { role: 'tool', toolCallId: 'call_a', text: 'Nothing there.' },
  ],
  maxOutputTokens: 2_048,
  temperature: 0,
  toolChoice: 'none',
  effort: 'high',
  cacheKey: 'k',
};

const at = (body: Json | undefined, path: string) =>
  path
    .split('.')
    .reduce<unknown>((value, key) => (Array.isArray(value) ? value[Number(key)] : asRecord(value)?.[key]), body);

const cases = (wordings as readonly unknown[] as readonly Wording[]).map((wording) => ({
  wording,
  name: wording.source,
}));

test.each(cases)('$name', async ({ wording }) => {
  const { dialect, status, body, field, becomes = {}, request: { at: place, ...more } = {} } = wording;
  const server = await serveWith({
    checkRules: false,
    script: ({ number }) => (number === 1 ? { kind: 'error', status, body } : { kind: 'answer', text: 'Fine.' }),
  });
  const toServer: typeof fetch = (input, init) =>
    fetch(`${server.baseUrl}${new URL(String(input)).pathname.slice(3)}`, init);
  const { end } = await ask(place ? { baseUrl: 'https://api.openai.com/v1' } : server, {
    dialect,
    request: { ...REQUEST, ...(dialect === 'messages' ? { model: 'claude-sonnet-5' } : {}), ...more },
    ...(place ? { fetch: toServer } : {}),
    ...(dialect === 'messages' ? { cacheLifetimes: { start: '1h', rest: '1h' } } : {}),
  });
  expect(end).toMatchObject({ text: 'Fine.' });
  const [first, second] = server.requests.map((seen) => seen.body);
  expect(server.requests).toHaveLength(2);
  if (field) expect([at(first, field) !== undefined, at(second, field)]).toEqual([true, undefined]);
  for (const [path, value] of Object.entries(becomes)) expect([path, at(second, path)]).toEqual([path, value]);
  // Nothing else was given up.
  const changed = Object.keys(first ?? {}).filter(
    (key) => JSON.stringify(first?.[key]) !== JSON.stringify(second?.[key]),
  );
  expect(changed.length).toBeLessThanOrEqual(2);
});
