/**
 * Names what went wrong below HTTP: address, refusal, certificate, proxy, redirect. Pure. Certificate checks are never
 * switched off; the sentence says what to install instead.
 */

import { ModelError, messageOf } from '../core/errors.ts';
import { asRecord, asText } from './json.ts';

/** What `fetch` threw before there was a response. `url` is shown. */
export function classifyConnectionError(thrown: unknown, url: string): ModelError {
  const code = codeIn(thrown);
  const text = deepestMessage(thrown);
  const fault = explain(code, text, url);
  return new ModelError('network', fault.sentence, { retryable: fault.retryable, cause: thrown });
}

function explain(code: string, text: string, url: string): { readonly sentence: string; readonly retryable: boolean } {
  const host = URL.canParse(url) ? new URL(url).host : url;
  if (/redirect/i.test(text)) {
    return {
      sentence: `${url} redirects to another address. Redirects are not followed, because the key would travel along; enter the final address.`,
      retryable: false,
    };
  }
  if (
    /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|SSL/i.test(code) ||
    /certificate|ssl routines|wrong version number/i.test(text)
  ) {
    return {
      sentence: `The certificate of ${host} is not trusted (${code || text}). If a proxy of your company is in between, add its certificate to the system's store; check that the address really speaks https.`,
      retryable: false,
    };
  }
  switch (code) {
    case 'ECONNREFUSED':
      return {
        sentence: `Nothing answers at ${host} (connection refused). Start the server, or correct the address and port.`,
        retryable: true,
      };
    case 'ENOTFOUND':
      return {
        sentence: `The host ${host} does not exist (name not found). Check the spelling and your connection.`,
        retryable: false,
      };
    case 'EAI_AGAIN':
      return { sentence: `The name ${host} could not be looked up. Check your network connection.`, retryable: true };
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return {
        sentence: `${host} cannot be reached (${code}). Check your connection, VPN and proxy.`,
        retryable: true,
      };
    default:
      return { sentence: `The connection to ${host} failed (${code || text}). Try again.`, retryable: true };
  }
}

/** Undici hides the system's code one or two causes down. */
function codeIn(thrown: unknown): string {
  for (const level of causes(thrown)) {
    const code = asText(asRecord(level)?.code);
    if (code && code !== 'ERR_INVALID_STATE') return code;
  }
  return '';
}

function deepestMessage(thrown: unknown): string {
  return messageOf(causes(thrown).at(-1) ?? thrown);
}

function causes(thrown: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let level = thrown; level !== undefined && level !== null && chain.length < 8; ) {
    chain.push(level);
    if (level instanceof AggregateError && level.errors.length > 0) chain.push(level.errors[0]);
    level = asRecord(level)?.cause;
  }
  return chain;
}

/** The `ModelError` that was thrown inside `fetch` and wrapped on its way; null when there is none. */
export function findModelError(thrown: unknown): ModelError | null {
  for (const level of causes(thrown)) if (level instanceof ModelError) return level;
  return null;
}
