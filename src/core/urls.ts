/** Addresses of the web. */

/**
 * Null for text that is no whole address. It stands in for `URL.canParse`, which in Node 22 begins to refuse letters such
 * as `ü` once it has been called often.
 */
export function readUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

/** Names that clouds answer with credentials. */
const METADATA = /^(?:metadata|instance-data|(?:metadata|instance-data)\..*(?:internal|goog))$/u;
/** Kept for this computer, or for local networks: RFC 6761, 6762 and 8375, and `internal`. A bare name is of the network, too. */
const OF_THE_MACHINE = /(?:^|\.)localhost$/u;
const OF_THE_NETWORK = /(?:^|\.)(?:local|internal|lan|home\.arpa)$|^[^.:[]+$/u;

/** Kind of place of a name that is local by its form, before anybody resolves it: `localhost`, `nas.local`, `wiki`. */
export function placeOfName(host: string): 'machine' | 'network' | 'link' | null {
  // A trailing dot only marks the name as complete.
  const name = host.toLowerCase().replace(/\.$/u, '');
  if (OF_THE_MACHINE.test(name)) return 'machine';
  if (METADATA.test(name)) return 'link';
  return OF_THE_NETWORK.test(name) ? 'network' : null;
}

const USER_INFO = /(^|[\s'"“(<]|\/\/)[^\s/?#@'"“(<:]{1,500}:[^\s/?#@]{0,500}@|\/\/[^\s/?#@]{1,500}@/gu;
const PARAMETER =
  /([?&;](?:[\w.-]{0,40}?(?:key|token|sig|signature|secret|pass|password|passwd|passphrase|pwd|credentials?|auth|authorization|jwt|bearer|cookie|access_?key_?id)|code|sas|hmac|session(?:_?id)?)=)[^\s&;#"'<>”]+/giu;

/** Removes credentials from the addresses in a text: user name and password, keys and signatures. */
export function hideInAddresses(text: string): string {
  return text
    .replace(USER_INFO, (whole, before?: string) => before ?? (whole.startsWith('//') ? '//' : ''))
    .replace(PARAMETER, '$1…');
}
