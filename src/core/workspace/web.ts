/** Web pages, as a tool reads them. Everything in an answer is foreign text. */

import type { LocalPlace } from '../hostPlace.ts';

export interface WebPage {
  /** The final address after redirects. */
  readonly url: string;
  readonly status: number;
  /** Media type, without parameters. */
  readonly type: string;
  /** Empty for a page without a title. */
  readonly title: string;
  /** HTML has been converted to Markdown. */
  readonly text: string;
  /** The page is longer than the limit. */
  readonly cut: boolean;
}

export type WebAnswer =
  | ({ readonly kind: 'page' } & WebPage)
  /** A redirect to another origin, which was not followed. */
  | { readonly kind: 'elsewhere'; readonly to: string }
  /** The name resolves to this local address, or is local by its form, which nobody has approved. Nothing was sent. */
  | { readonly kind: 'local'; readonly address: string; readonly place: LocalPlace };

/** Reads web pages. Everything in an answer is foreign text. */
export interface Web {
  isAddress(text: string): boolean;
  /**
   * Kind of a local IP address, or of a name that is local by its form: `localhost`, `nas.local`, `wiki`. Null for a public
   * address, or one that is unknown before the name is resolved.
   */
  placeOf(host: string): LocalPlace | null;
  /**
   * Connects to a public address, or with `local` to exactly that address, or with a local name to its kind of place.
   * Behind the editor's proxy, which resolves names itself, the form of the name decides. Throws `ToolError` with the reason when
   * there is no answer, or none that can be read as text.
   */
  get(url: string, local: string | null, signal: AbortSignal): Promise<WebAnswer>;
}
