/** `Web` with pages in memory. It counts what is asked for; addresses are judged as the product judges them. */

import type { Web, WebAnswer } from '../../../src/core/workspace/web.ts';
import { openWeb } from '../../../src/node/web/openWeb.ts';

export interface MemoryWeb extends Web {
  /** The addresses that were asked for, in order, with the local address that was agreed to. */
  readonly asked: readonly string[];
}

/** By address: a page of Markdown, or the whole answer. */
export function createMemoryWeb(pages: Readonly<Record<string, string | WebAnswer>> = {}): MemoryWeb {
  const { isAddress, placeOf } = openWeb();
  const asked: string[] = [];
  return {
    asked,
    isAddress,
    placeOf,
    async get(url, local, signal) {
      signal.throwIfAborted();
      asked.push(local === null ? url : `${url} at ${local}`);
      const page = pages[url] ?? '';
      if (typeof page !== 'string') return page;
      return { kind: 'page', url, status: 200, type: 'text/markdown', title: '', text: page, cut: false };
    },
  };
}
