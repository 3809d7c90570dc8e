/**
 * The two forms of ids of strategies that are not built in: `publisher.extension/name` for an extension, and
 * `file/name` for a person's own file. An extension's id contains a full stop, so the two cannot be confused.
 */

const FILE = 'file/';

const NAME = /^[a-z0-9-]{1,64}$/i;

export const CONTRIBUTED_ID = /^([a-z0-9-]+\.[a-z0-9-]+|file)\/[a-z0-9-]{1,64}$/i;

/** The `publisher.extension` part of an id. */
export function extensionOf(id: string): string {
  return id.slice(0, Math.max(0, id.indexOf('/')));
}

export function isFileId(id: string): boolean {
  return id.startsWith(FILE);
}

/** The name of the file of such an id, without extension. */
export function fileNameOf(id: string): string {
  return id.slice(FILE.length);
}

/** `name` is the file name without extension. Null when it has characters other than letters, digits and hyphens. */
export function fileId(name: string): string | null {
  return NAME.test(name) ? `${FILE}${name}` : null;
}
