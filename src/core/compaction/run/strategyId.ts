/** The one form of a contributed strategy's id, `publisher.extension/name`. */

export const CONTRIBUTED_ID = /^[a-z0-9-]+\.[a-z0-9-]+\/[a-z0-9-]{1,64}$/i;

/** `publisher.extension` of an id. */
export function extensionOf(id: string): string {
  return id.slice(0, Math.max(0, id.indexOf('/')));
}
