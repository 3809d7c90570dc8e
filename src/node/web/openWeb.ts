/**
 * Reads one web page. The name is resolved here, every address is checked, and the connection goes only to an address
 * that passed. Time, redirects and bytes are bounded; only text is read.
 */

import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { Allowance } from '../../core/allowance.ts';
import { messageOf, ToolError } from '../../core/errors.ts';
import { untilAborted } from '../../core/sleep.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import { readUrl } from '../../core/urls.ts';
import { inEnglish, verbatim } from '../../core/words.ts';
import type { LocalPlace, Web, WebAnswer } from '../../core/workspace/web.ts';
import { readText } from './readText.ts';
import { type Address, request } from './request.ts';

const ANSWER_MS = 30_000;
const MOST_REDIRECTS = 5;

/** Resolves a name; default: like every program on this computer. */
type LookUp = (name: string) => Promise<readonly Address[]>;

export function openWeb(
  lookUp: LookUp = (name) => lookup(name, { all: true, verbatim: true }),
  milliseconds = ANSWER_MS,
): Web {
  return {
    isAddress,
    placeOf,
    async get(url, local, signal) {
      const late = AbortSignal.timeout(milliseconds);
      const stop = AbortSignal.any([signal, late]);
      const shown = showInOneLine(new URL(url).origin);
      try {
        return await untilAborted(follow(new URL(url), local, lookUp, stop), stop);
      } catch (thrown) {
        signal.throwIfAborted();
        if (late.aborted) throw new ToolError(`${shown} did not answer whole within ${milliseconds / 1000} s.`);
        if (thrown instanceof ToolError) throw thrown;
        throw new ToolError(`${shown} could not be read: ${showInOneLine(messageOf(thrown))}.`);
      }
    },
  };
}

/** A trailing dot only marks the name as complete. */
function placeOf(host: string): LocalPlace | null {
  if (isAddress(host)) return placeOfAddress(host);
  return /(?:^|\.)localhost\.?$/iu.test(host) ? 'machine' : null;
}

async function follow(url: URL, local: string | null, lookUp: LookUp, signal: AbortSignal): Promise<WebAnswer> {
  const usedUp = verbatim(`${showInOneLine(url.origin)} redirects more than ${MOST_REDIRECTS} times.`);
  const redirects = new Allowance({ most: MOST_REDIRECTS, usedUp });
  for (let at = url; ; ) {
    const found = await chooseAddresses(at, local, lookUp, signal);
    if (found.kind === 'local') return found;
    const response = await request(at, found.addresses, signal);
    const to = redirectOf(response.status, response.headers.location, at);
    if (!to) return { kind: 'page', url: at.href, status: response.status, ...(await readText(response, at, signal)) };
    response.body.destroy();
    if (to.origin !== at.origin) return { kind: 'elsewhere', to: to.href };
    const tooMany = redirects.take();
    if (tooMany) throw new ToolError(inEnglish(tooMany));
    at = to;
  }
}

type Chosen =
  | { readonly kind: 'addresses'; readonly addresses: readonly Address[] }
  | Extract<WebAnswer, { kind: 'local' }>;

/** Addresses that may be connected to: public ones, or the one that a person has agreed to. */
async function chooseAddresses(url: URL, local: string | null, lookUp: LookUp, signal: AbortSignal): Promise<Chosen> {
  const host = url.hostname.replace(/^\[|\]$/gu, '');
  const all = isAddress(host)
    ? [{ address: host, family: host.includes(':') ? 6 : 4 }]
    : await untilAborted(lookUp(host), signal);
  const judged = all.filter(({ address }) => isAddress(address));
  // Exactly the agreed name for this computer, wherever it may resolve.
  const own = placeOf(host) === 'machine' && local === host;
  const addresses = judged.filter(({ address }) => {
    const place = placeOfAddress(address);
    if (local === null) return place === null;
    return own ? place === 'machine' : address === local;
  });
  if (addresses.length > 0) return { kind: 'addresses', addresses };
  const [first] = judged;
  const place = first ? placeOfAddress(first.address) : null;
  if (first && place && local === null) return { kind: 'local', address: first.address, place };
  if (local !== null) throw new ToolError(`${showInOneLine(host)} does not lead to ${local} now. Nothing was sent.`);
  throw new ToolError(`${showInOneLine(host)} has no address.`);
}

/** Null when the answer is not a redirect. */
function redirectOf(status: number, location: string | undefined, from: URL): URL | null {
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return null;
  const to = readUrl(location, from.href);
  if (!to || (to.protocol !== 'http:' && to.protocol !== 'https:')) {
    throw new ToolError(`${showInOneLine(from.origin)} redirects to something that is no page of the web.`);
  }
  to.hash = '';
  return to;
}

/** Null for a public address. The text has to be an address. Servers of this computer also answer at `own` ones. */
export function placeOfAddress(text: string, own: readonly string[] = ownAddresses()): LocalPlace | null {
  const address = unwrap(ipaddr.parse(text));
  const named = address.toNormalizedString();
  if (own.some((one) => unwrap(ipaddr.parse(one)).toNormalizedString() === named)) return 'machine';
  const range = address.range();
  switch (range) {
    case 'unicast':
      // The rest of IPv6 is not allocated to the public.
      return address instanceof ipaddr.IPv6 && !address.match(PUBLIC_V6, 3) ? 'other' : null;
    case 'loopback':
    case 'unspecified':
      return 'machine';
    case 'private':
    case 'uniqueLocal':
    case 'carrierGradeNat':
      return 'network';
    case 'linkLocal':
      return 'link';
    default:
      return 'other';
  }
}

function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}

const PUBLIC_V6 = ipaddr.IPv6.parse('2000::');

/** The prefix for IPv4 addresses in IPv6-only networks. */
const NAT64 = ipaddr.IPv6.parse('64:ff9b::');

type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

function unwrap(address: IpAddress): IpAddress {
  if (address instanceof ipaddr.IPv4) return address;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  if (!address.match(NAT64, 96)) return address;
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}

function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
}
