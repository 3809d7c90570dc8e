/** An error as the client makes it of what a provider sent. */

import { classifyError } from '../../../../src/providers/errors/classifyError.ts';

export const NOW = Date.parse('2026-01-01T00:00:00Z');
export const PLACE = { url: 'https://host.example/v1/chat/completions', model: 'some-model', now: NOW };

export function classify(status: number | undefined, body: unknown, headers: Record<string, string> = {}) {
  const refusal = { headers: new Headers(headers), body: typeof body === 'string' ? body : JSON.stringify(body) };
  return classifyError(status === undefined ? refusal : { ...refusal, status }, PLACE);
}

export const says = (message: string, more: object = {}) => ({ error: { message, ...more } });
