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

const USER_INFO = /(^|[\s'"“(<]|\/\/)[^\s/?#@'"“(<:]{1,500}:[^\s/?#@]{0,500}@|\/\/[^\s/?#@]{1,500}@/gu;
const PARAMETER =
  /([?&;](?:[\w.-]{0,40}?(?:key|token|sig|signature|secret|pass|password|passwd|passphrase|pwd|credentials?|auth|authorization|jwt|bearer|cookie|access_?key_?id)|code|sas|hmac|session(?:_?id)?)=)[^\s&;#"'<>”]+/giu;

/** Removes credentials from the addresses in a text: user name and password, keys and signatures. */
export function hideInAddresses(text: string): string {
  return text
    .replace(USER_INFO, (whole, before?: string) => before ?? (whole.startsWith('//') ? '//' : ''))
    .replace(PARAMETER, '$1…');
}
