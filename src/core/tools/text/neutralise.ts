/**
 * Keeps tool output from posing as one of our own stubs. In tool output, the beginnings of a stub, `[palimpsest:` and
 * `[Output pruned at `, get one more backslash after the bracket: the change is visible and can be undone exactly. It is
 * applied once, when a tool returns; text that has been through it twice must be restored twice.
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
