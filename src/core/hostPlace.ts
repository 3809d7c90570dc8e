/** Where a host is, by its address or by the form of its name, before anybody resolves it. Pure. */

import ipaddr from 'ipaddr.js';

/** Kind of a non-public place: this computer, a private network, the link only or where clouds hand out credentials, another. */
export type LocalPlace = 'machine' | 'network' | 'link' | 'other';

/** True for a whole IP address, without brackets. */
export function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}

/**
 * Null for a public address, and for a name that only a resolver knows. `host` as in a `URL`, with or without brackets.
 * Servers of this computer also answer at its `own` addresses.
 */
export function placeOfHost(host: string, own: readonly string[] = []): LocalPlace | null {
  const bare = withoutBrackets(host);
  return isAddress(bare) ? placeOfAddress(bare, own) : placeOfName(bare);
}

/** True where only this computer answers, whatever is sent. */
export function isLoopback(host: string): boolean {
  const bare = withoutBrackets(host);
  return isAddress(bare) ? asSent(bare).range() === 'loopback' : placeOfName(bare) === 'machine';
}

/** The short form of an address that is IPv4 within IPv6, such as `::ffff:10.0.0.1`; null for every other host. */
export function readMapped(host: string): string | null {
  const bare = withoutBrackets(host);
  return ipaddr.IPv6.isValid(bare) && ipaddr.IPv6.parse(bare).isIPv4MappedAddress() ? asSent(bare).toString() : null;
}

export const withoutBrackets = (host: string): string => host.replace(/^\[|\]$/gu, '');

function placeOfAddress(text: string, own: readonly string[]): LocalPlace | null {
  const address = unwrap(text);
  const named = address.toNormalizedString();
  if (OF_CLOUDS.has(named)) return 'link';
  if (own.some((one) => unwrap(one).toNormalizedString() === named)) return 'machine';
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

/**
 * Where clouds hand out credentials, although the range says something else: Azure, Alibaba, Oracle, and in IPv6 AWS (also to
 * its containers), Google, Oracle and Scaleway.
 */
const OF_CLOUDS: ReadonlySet<string> = new Set([
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2:0:0:0:0:0:254',
  'fd00:ec2:0:0:0:0:0:23',
  'fd20:ce:0:0:0:0:0:254',
  'fd00:c1:0:0:0:0:a9fe:a9fe',
  'fd00:42:0:0:0:0:0:42',
]);

const PUBLIC_V6 = ipaddr.IPv6.parse('2000::');

/** The prefix for IPv4 addresses in IPv6-only networks. */
const NAT64 = ipaddr.IPv6.parse('64:ff9b::');

type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** The address that a system connects to. */
const asSent = (text: string): IpAddress => ipaddr.process(text);

/** The address that is reached in the end. */
function unwrap(text: string): IpAddress {
  const address = asSent(text);
  if (address instanceof ipaddr.IPv4 || !address.match(NAT64, 96)) return address;
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}

/** Names that clouds answer with credentials. */
const METADATA =
  /^(?:metadata|instance-data|(?:metadata|instance-data)\..*(?:internal|goog)|metadata\.tencentyun\.com)$/u;
/** Kept for this computer, or for local networks: RFC 6761, 6762 and 8375, and `internal`. A bare name is of the network, too. */
const OF_THE_MACHINE = /(?:^|\.)localhost$/u;
const OF_THE_NETWORK = /(?:^|\.)(?:local|internal|lan|home\.arpa)$|^[^.:[]+$/u;

/** `localhost`, `nas.local`, `wiki`. */
function placeOfName(host: string): 'machine' | 'network' | 'link' | null {
  // A trailing dot only marks the name as complete.
  const name = host.toLowerCase().replace(/\.$/u, '');
  if (OF_THE_MACHINE.test(name)) return 'machine';
  if (METADATA.test(name)) return 'link';
  return OF_THE_NETWORK.test(name) ? 'network' : null;
}
