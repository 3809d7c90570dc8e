/**
 * Explains faults below HTTP: address, refusal, certificate, proxy, redirect. Pure. Certificate checks are never
 * disabled; the text says what to install instead.
 */

import { ModelError, messageOf } from '../../core/errors.ts';
import { asRecord, asText } from '../../core/json.ts';
import { type Words, words } from '../../core/words.ts';
import { isLoopback } from '../endpoint.ts';

type ConnectionFault = 'redirect' | 'certificate' | 'refused' | 'noSuchHost' | 'unreachable' | 'broken';

/** For an error that `fetch` threw before the response, or while reading its body. `url` is displayed. */
export function classifyConnectionError(thrown: unknown, url: string): ModelError {
  const { fault, detail } = readConnectionFault(thrown);
  const retryable = fault === 'refused' || fault === 'unreachable' || fault === 'broken';
  return new ModelError('network', sentenceFor(fault, detail, url), { retryable, cause: thrown });
}

/** `detail` is the system's code, or its message if there is none. */
export function readConnectionFault(thrown: unknown): { readonly fault: ConnectionFault; readonly detail: string } {
  const chain = causes(thrown);
  const code = chain.map((level) => asText(asRecord(level)?.code)).find(Boolean) ?? '';
  const text = messageOf(chain.at(-1) ?? thrown);
  const detail = code || text;
  if (/redirect/i.test(text)) return { fault: 'redirect', detail };
  if (/CERT|SELF_SIGNED|UNABLE_TO_|TLS|SSL/.test(code) || /certificate|ssl routines|wrong version number/i.test(text)) {
    return { fault: 'certificate', detail };
  }
  switch (code) {
    case 'ECONNREFUSED':
      return { fault: 'refused', detail };
    case 'ENOTFOUND':
      return { fault: 'noSuchHost', detail };
    case 'EAI_AGAIN':
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return { fault: 'unreachable', detail };
    default:
      return { fault: 'broken', detail };
  }
}

function sentenceFor(fault: ConnectionFault, detail: string, url: string): Words {
  const { host, hostname } = new URL(url);
  switch (fault) {
    case 'redirect':
      return words(
        '{0} redirects to another address. Redirects are not followed, because the key would travel along; enter the final address.',
        url,
      );
    case 'certificate':
      return words(
        'The certificate of {0} is not trusted ({1}). If a proxy is in between, add its certificate to the system’s store; check that the address really speaks https.',
        host,
        detail,
      );
    case 'refused':
      // In a remote window it is not the machine in front of the person.
      if (isLoopback(hostname)) {
        return words(
          'Nothing answers at {0} on the machine that this window works on (connection refused). Start the server there, or correct the address and port.',
          host,
        );
      }
      return words(
        'Nothing answers at {0} (connection refused). Start the server, or correct the address and port.',
        host,
      );
    case 'noSuchHost':
      return words('The host {0} does not exist (name not found). Check the spelling and your connection.', host);
    case 'unreachable':
      return words('{0} cannot be reached ({1}). Check your connection, VPN and proxy.', host, detail);
    case 'broken':
      // A system's code means nothing to a person; it is in the log.
      return words('The connection to {0} broke. Try again.', host);
  }
}

/** Undici hides the system's error one or two causes down, in a list when several addresses were tried. */
function causes(thrown: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let level = thrown; level !== undefined && level !== null && chain.length < 8; ) {
    chain.push(level);
    level = level instanceof AggregateError && level.errors.length > 0 ? level.errors[0] : asRecord(level)?.cause;
  }
  return chain;
}
