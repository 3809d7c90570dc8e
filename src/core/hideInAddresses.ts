/** Removes credentials from the addresses in a text: user name and password, keys and signatures. */

const USER_INFO = /(^|[\s'"“(<]|\/\/)[^\s/?#@'"“(<]{1,500}:[^\s/?#@]{0,500}@|\/\/[^\s/?#@]{1,500}@/gu;
const PARAMETER =
  /([?&;](?:[\w.-]{0,40}?(?:key|token|sig|signature|secret|pass|password|passwd|passphrase|pwd|credentials?|auth|authorization|jwt|bearer|cookie|access_?key_?id)|code|sas|hmac|session(?:_?id)?)=)[^\s&;#"'<>”]+/giu;

export function hideInAddresses(text: string): string {
  return text
    .replace(USER_INFO, (whole, before?: string) => before ?? (whole.startsWith('//') ? '//' : ''))
    .replace(PARAMETER, '$1…');
}
