/** Streamable HTTP through the SDK's own transport. Redirects stay within the origin, and answers are bounded. */

import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Allowance } from '../../../core/allowance.ts';
import { isAbort, type ModelError } from '../../../core/errors.ts';
import { type Words, words } from '../../../core/words.ts';
import { EventLength } from '../../../providers/endpointFetch.ts';
import { classifyProxyError } from '../../../providers/errors/connectionError.ts';
import { refuseAddress } from '../serverConfig.ts';
import { FloodGuard, LONGEST_MESSAGE, ServerFault, tooLong, unreachable } from './serverFault.ts';

interface HttpOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
  /** `host:port` of the proxy that `fetch` uses for an address, to be named when it fails; null without one. */
  readonly proxy: (url: string) => string | null;
  readonly now: () => number;
  /** Reading stops. */
  readonly onFault: (fault: Words) => void;
}

/** Throws `ServerFault` for an address that nothing may be sent to. */
export function openHttpTransport(options: HttpOptions): StreamableHTTPClientTransport {
  const { url, headers } = options;
  const refusal = refuseAddress(url);
  if (refusal) throw new ServerFault(refusal, 'byHand');
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { 'user-agent': 'palimpsest', ...headers } },
    fetch: boundedFetch(options),
  });
}

const byProxy = (fault: ModelError) => new ServerFault(fault.words, fault.facts.retryable ? 'soon' : 'byHand', fault);

/** Characters of a refusal that are examined. */
const MOST_SAID = 2_000;

/** The SDK opens the stream again as soon as the server asks for it. */
const MOST_CONNECTS = 60;
const CONNECTS_MS = 60_000;

function boundedFetch({ url, fetch, proxy, now, onFault }: HttpOptions): typeof globalThis.fetch {
  const guard = new FloodGuard(now);
  const connects = new Allowance({
    most: MOST_CONNECTS,
    usedUp: words('It ended its stream of messages more than {0} times in a minute.', MOST_CONNECTS),
    period: { ms: CONNECTS_MS, now },
  });
  return async (input, init) => {
    const tooOften = init?.method === 'GET' ? connects.take() : null;
    if (tooOften) {
      onFault(tooOften);
      throw new ServerFault(tooOften, 'byHand');
    }
    const response = await fetch(input, init).catch((thrown: unknown) => {
      if (isAbort(thrown)) throw thrown;
      const fault = classifyProxyError(thrown, url, proxy(url));
      throw fault ? byProxy(fault) : unreachable(thrown, proxy(url));
    });
    if (!response.body) return response;
    const length = new EventLength();
    const watcher = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        const fault = guard.read(bytes) ?? (length.read(bytes) > LONGEST_MESSAGE ? tooLong() : null);
        if (fault) {
          onFault(fault);
          controller.error(new ServerFault(fault, 'soon'));
        } else controller.enqueue(bytes);
      },
    });
    const { status, statusText } = response;
    const bounded = new Response(response.body.pipeThrough(watcher), { status, statusText, headers: response.headers });
    // The SDK recognises a redirect by it.
    Object.defineProperty(bounded, 'type', { value: response.type });
    return bounded;
  };
}

/**
 * The meaning of a refused request for the server; null when it concerns something else. `inSession`: a session id was
 * sent.
 */
export function describeRefusal(thrown: unknown, inSession: boolean): ServerFault | null {
  if (!(thrown instanceof StreamableHTTPError)) return null;
  const { code = 0 } = thrown;
  if (code === 401 || code === 403) {
    return new ServerFault(
      words(
        'It refuses access ({0}). Give it a header with a token, such as "Authorization": "Bearer ${secret:TOKEN}".',
        code,
      ),
      'byHand',
    );
  }
  if (code === 404)
    return new ServerFault(
      words('There is no MCP server at its address, or it has forgotten the session (404).'),
      'now',
    );
  // Many servers return this instead of 404 for an unknown id.
  if (code === 400 && inSession && /session/i.test(thrown.message.slice(0, MOST_SAID))) {
    return new ServerFault(words('It has forgotten the session (400).'), 'now');
  }
  return code >= 400 ? new ServerFault(words('It refused a request with the status {0}.', code), 'soon') : null;
}
