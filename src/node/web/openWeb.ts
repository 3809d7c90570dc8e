/**
 * Reads one web page. A direct connection goes only to an address that was checked as it was made. A proxy resolves names
 * itself, so names that are local by their form are checked before. Time, redirects and bytes are bounded; only text is
 * read.
 */

import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { Allowance } from '../../core/allowance.ts';
import { messageOf, ToolError } from '../../core/errors.ts';
import { isAddress, type LocalPlace, placeOfHost, withoutBrackets } from '../../core/hostPlace.ts';
import { untilAborted } from '../../core/sleep.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import { hideInAddresses, readUrl } from '../../core/urls.ts';
import { inEnglish, verbatim } from '../../core/words.ts';
import type { Web, WebAnswer } from '../../core/workspace/web.ts';
import { orProxy } from '../../providers/errors/proxyFault.ts';
import { readText } from './readText.ts';
import { type Address, request } from './request.ts';

const ANSWER_MS = 30_000;
const MOST_REDIRECTS = 5;

/** Resolves a name; default: like every program on this computer. */
type LookUp = (name: string) => Promise<readonly Address[]>;

interface WebOptions {
  readonly lookUp: LookUp;
  readonly milliseconds: number;
  /** `host:port` of the proxy that the settings name for an address, to be named when it is silent; null without one. */
  readonly proxy: (url: string) => string | null;
}

export function openWeb({
  lookUp = (name) => lookup(name, { all: true, verbatim: true }),
  milliseconds = ANSWER_MS,
  proxy: nameProxy = () => null,
}: Partial<WebOptions> = {}): Web {
  return {
    isAddress,
    placeOf,
    async get(url, local, signal) {
      const late = AbortSignal.timeout(milliseconds);
      const stop = AbortSignal.any([signal, late]);
      const shown = showInOneLine(new URL(url).origin);
      let proxy = nameProxy(url);
      const onProxy = (used: string | null) => {
        proxy = used;
      };
      try {
        return await untilAborted(follow(new URL(url), local, { lookUp, onProxy, signal: stop }), stop);
      } catch (thrown) {
        signal.throwIfAborted();
        if (thrown instanceof ToolError) throw thrown;
        const said = late.aborted
          ? `did not answer whole within ${milliseconds / 1000} s`
          : `could not be read: ${showInOneLine(hideInAddresses(messageOf(thrown)))}`;
        throw new ToolError([`${shown} ${said}.`, inEnglish(orProxy(proxy))].join(' ').trimEnd());
      }
    },
  };
}

interface Way {
  readonly lookUp: LookUp;
  readonly onProxy: (proxy: string | null) => void;
  readonly signal: AbortSignal;
}

async function follow(url: URL, local: string | null, { lookUp, onProxy, signal }: Way): Promise<WebAnswer> {
  const usedUp = verbatim(`${showInOneLine(url.origin)} redirects more than ${MOST_REDIRECTS} times.`);
  const redirects = new Allowance({ most: MOST_REDIRECTS, usedUp });
  for (let at = url; ; ) {
    const host = withoutBrackets(at.hostname);
    const place = placeOf(host);
    if (place && local === null) return { kind: 'local', address: host, place };
    if (isAddress(host) && local !== null && local !== host) throw leadsElsewhere(host, local);
    const response = await request(at, {
      lookUp: (name) => chooseAddresses(name, local, lookUp),
      onlyDirect: whyDirect(host, place, local),
      onProxy,
      signal,
    }).catch((thrown: unknown) => {
      if (thrown instanceof LocalAddress) return thrown;
      throw thrown;
    });
    if (response instanceof LocalAddress) return { kind: 'local', address: response.address, place: response.place };
    const to = redirectOf(response.status, response.headers.location, at);
    if (!to) return { kind: 'page', url: at.href, status: response.status, ...(await readText(response, at, signal)) };
    response.body.destroy();
    if (to.origin !== at.origin) return { kind: 'elsewhere', to: to.href };
    const tooMany = redirects.take();
    if (tooMany) throw new ToolError(inEnglish(tooMany));
    at = to;
  }
}

/** A proxy looks names up itself, and has another machine and link. Null where it reaches what was agreed to. */
function whyDirect(host: string, place: LocalPlace | null, local: string | null): string | null {
  if (local !== null && local !== host) {
    return `${showInOneLine(host)} leads wherever the proxy looks it up, which need not be ${showInOneLine(local)}`;
  }
  if (place !== 'machine' && place !== 'link') return null;
  return `${showInOneLine(host)} means ${place === 'machine' ? 'this computer' : 'the link of this computer'}, not that of the proxy`;
}

/** A name leads to a local address that nobody has agreed to. */
class LocalAddress extends Error {
  readonly address: string;
  readonly place: LocalPlace;

  constructor(address: string, place: LocalPlace) {
    super(`it leads to ${address}`);
    this.address = address;
    this.place = place;
  }
}

/** Addresses that may be connected to: public ones, or what a person has agreed to. */
async function chooseAddresses(host: string, local: string | null, lookUp: LookUp): Promise<readonly Address[]> {
  const judged = (await lookUp(host)).filter(({ address }) => isAddress(address));
  const addresses = judged.filter(({ address }) => isAgreed(address, host, local));
  if (addresses.length > 0) return addresses;
  const [first] = judged;
  if (!first) throw new ToolError(`${showInOneLine(host)} has no address.`);
  const place = placeOf(first.address);
  if (place && (local === null || local === host)) throw new LocalAddress(first.address, place);
  throw leadsElsewhere(host, local ?? host);
}

/** `local` is an address, or a name that is local by its form, which may lead to nothing but that kind of place. */
function isAgreed(address: string, host: string, local: string | null): boolean {
  const place = placeOf(address);
  if (local === null) return place === null;
  if (local !== host) return address === local;
  return place === placeOf(host) || (place === null && placeOf(host) === 'network');
}

function leadsElsewhere(host: string, local: string): ToolError {
  return new ToolError(`${showInOneLine(host)} does not lead to ${showInOneLine(local)} now. Nothing was sent.`);
}

/** Null when the answer is not a redirect. */
function redirectOf(status: number, location: string | undefined, from: URL): URL | null {
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return null;
  const to = readUrl(decodeHeader(location), from.href);
  if (!to || (to.protocol !== 'http:' && to.protocol !== 'https:')) {
    throw new ToolError(`${showInOneLine(from.origin)} redirects to something that is no page of the web.`);
  }
  to.hash = '';
  // They would be sent along, or told to the model.
  to.username = '';
  to.password = '';
  return to;
}

/** Headers arrive as Latin-1; servers that send letters as they are send UTF-8. */
function decodeHeader(text: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'latin1'));
  } catch {
    return text;
  }
}

const placeOf = (host: string): LocalPlace | null => placeOfHost(host, ownAddresses());

function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
}
