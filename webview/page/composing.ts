/** Keys that belong to an input method, which is still composing. */

/**
 * True while an input method takes the key. Some browsers end the composition before the key that ends it, which then has the
 * code 229 alone.
 */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}
