/**
 * Keeps tool output from posing as one of our own stubs (K10). What a stub may begin with, `[palimpsest:` and N2's
 * `[Output pruned at `, gets one more backslash after its bracket in tool output, so that the change is visible and can
 * be taken back exactly. Applied once, when a tool returns: text that has been through it twice must be restored twice.
 */

const BEGINNING = '\\s*palimpsest\\s*:|Output pruned at ';
const LOOK_ALIKE = new RegExp(`\\[(\\\\*)(?=${BEGINNING})`, 'giu');
const NEUTRALISED = new RegExp(`\\[\\\\(\\\\*)(?=${BEGINNING})`, 'giu');

export function neutralise(text: string): string {
  return text.replace(LOOK_ALIKE, '[\\$1');
}

/** The inverse of `neutralise`: what a file really holds where the model copied from what it was shown. */
export function restoreNeutralised(text: string): string {
  return text.replace(NEUTRALISED, '[$1');
}
