/** What an IP address belongs to, if not to the public Internet. An address within another one counts as that one. */

import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import type { LocalPlace } from '../../core/ports.ts';

/** Null for a public address. The text has to be an address. Servers of this computer answer at `own` ones too. */
export function placeOfAddress(text: string, own: readonly string[] = ownAddresses()): LocalPlace | null {
  const address = unwrap(ipaddr.parse(text));
  const named = address.toNormalizedString();
  if (own.some((one) => unwrap(ipaddr.parse(one)).toNormalizedString() === named)) return 'machine';
  const range = address.range();
  switch (range) {
    case 'unicast':
      // Of the rest of IPv6 nothing is given out to the public.
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

export function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}

const PUBLIC_V6 = ipaddr.IPv6.parse('2000::');
/** Where networks without IPv4 put its addresses. */
const NAT64 = ipaddr.IPv6.parse('64:ff9b::');

type Address = ipaddr.IPv4 | ipaddr.IPv6;

function unwrap(address: Address): Address {
  if (address instanceof ipaddr.IPv4) return address;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  if (!address.match(NAT64, 96)) return address;
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}

function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
}
