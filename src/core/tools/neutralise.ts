/**
 * Keeps tool output from posing as one of our own stubs (K10). A stub begins with `[palimpsest:`; in tool output that
 * text gets one more backslash after the bracket, so that the change is visible and can be taken back exactly.
 */

const LOOK_ALIKE = /\[(\\*)(?=\s*palimpsest\s*:)/giu;
const NEUTRALISED = /\[\\(\\*)(?=\s*palimpsest\s*:)/giu;

export function neutralise(text: string): string {
  return text.replace(LOOK_ALIKE, '[\\$1');
}

/** The inverse of `neutralise`: what a file really holds where the model copied from what it was shown. */
export function restoreNeutralised(text: string): string {
  return text.replace(NEUTRALISED, '[$1');
}
