/**
 * The forms in which servers answer, one entry a vendor and form, read by the real client from a real server. `source` names
 * where the form is reported or documented; the bodies are short ones of our own. Each entry counts its requests.
 */

import { afterEach, describe, expect, test } from 'vitest';
import { asText, objectOf } from '../../../../src/core/json.ts';
import type { EndpointDialect } from '../../../../src/providers/presets.ts';
import { sse } from '../../../support/modelServer/modelServerReply.ts';
import { ask, closeServers, raw, serveWith } from '../answers/askServer.ts';
import forms from './vendorForms.json' with { type: 'json' };

interface Form {
  readonly vendor: string;
  readonly source: string;
  readonly dialect: EndpointDialect;
  readonly form: string;
  readonly events?: readonly (object | string)[];
  /** Instead of events: the bytes. */
  readonly body?: string;
  readonly want: {
    readonly text?: string;
    readonly thinking?: string;
    readonly calls?: readonly (readonly [name: string, args: string])[];
    readonly finish?: string;
    readonly input?: number;
    readonly error?: string;
    /** What the error quotes. */
    readonly says?: string;
    readonly shown?: string;
  };
  /** Default: 1. */
  readonly requests?: number;
}

afterEach(closeServers);

/** As Anthropic writes them: with the type as the name, too. */
const named = (events: Form['events'] & object) =>
  events
    .map((event) => (typeof event === 'string' ? '' : `event: ${asText(objectOf(event).type)}\n`) + sse(event))
    .join('');

describe.each(['chat', 'messages', 'responses'] as const)('%s', (dialect) => {
  const all = (forms as unknown as readonly Form[]).filter((form) => form.dialect === dialect);

  test.each(all.map((form) => [`${form.vendor}: ${form.form}`, form] as const))('%s', async (_, form) => {
    const events = form.events ?? [];
    const reply = raw(form.body ?? (dialect === 'messages' ? named(events) : sse(...events)));
    const server = await serveWith({ script: () => reply });
    const { shown, end } = await ask(server, { dialect });
    const { want } = form;
    if ('error' in end) {
      expect({ error: end.error, shown, says: end.message }).toEqual({
        error: want.error,
        shown: want.shown ?? '',
        says: expect.stringContaining(want.says ?? ''),
      });
    } else {
      const calls = end.toolCalls.map(({ name, arguments: args }) => [name, args]);
      expect({ text: end.text, thinking: end.reasoning?.text, calls, error: undefined }).toEqual({
        text: want.text ?? '',
        thinking: want.thinking,
        calls: want.calls ?? [],
        error: want.error,
      });
      expect(new Set(end.toolCalls.map(({ id }) => id)).size).toBe(calls.length);
      if (want.finish) expect(end.finish).toBe(want.finish);
      if (want.input) expect(end.usage?.input).toBe(want.input);
    }
    expect(server.requests).toHaveLength(form.requests ?? 1);
  });
});
