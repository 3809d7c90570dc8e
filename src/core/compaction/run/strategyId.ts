/**
 * The two forms of an id that no built-in strategy has: `publisher.extension/name` of an extension, and `file/name` of
 * a person's own file. An extension's id has a full stop, so neither can pass for the other.
 */

const FILE = 'file/';
const NAME = /^[a-z0-9-]{1,64}$/i;

export const CONTRIBUTED_ID = /^([a-z0-9-]+\.[a-z0-9-]+|file)\/[a-z0-9-]{1,64}$/i;

/** `publisher.extension` of an id. */
export function extensionOf(id: string): string {
  return id.slice(0, Math.max(0, id.indexOf('/')));
}

export function isFileId(id: string): boolean {
  return id.startsWith(FILE);
}

/** `name` is the file's without its ending. Null when it has other characters than letters, digits and hyphens. */
export function fileId(name: string): string | null {
  return NAME.test(name) ? `${FILE}${name}` : null;
}
