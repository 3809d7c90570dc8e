/** One test of the panel in a page of its own, in a browser that all tests of a file share. */

import { deepEqual } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ToHost } from '../../../src/protocol/messages.ts';
import { type OpenPanel, type PanelBrowser, type PanelOptions, startPanelBrowser } from './openPanel.ts';

export type PanelTest = (name: string, steps: (panel: OpenPanel) => Promise<void>, options?: PanelOptions) => void;

export interface SharedBrowser {
  /** Also fails on any script error and any violation of the content policy. */
  readonly panelTest: PanelTest;
  readonly open: (options?: PanelOptions) => Promise<OpenPanel>;
}

/** Call it once in a file, at its top level. */
export function sharePanelBrowser(): SharedBrowser {
  let browser: PanelBrowser | null = null;
  before(async () => {
    browser = await startPanelBrowser();
  });
  after(() => browser?.close());
  const open = (options?: PanelOptions) => {
    if (!browser) throw new Error('A panel is opened inside of a test only');
    return browser.open(options);
  };
  return {
    open,
    panelTest: (name, steps, options) => {
      test(name, async () => {
        const panel = await open(options);
        await steps(panel);
        deepEqual([panel.errors, await panel.violations()], [[], []]);
        await panel.page.close();
      });
    },
  };
}

export function ofType(messages: readonly ToHost[], type: ToHost['type']): ToHost[] {
  return messages.filter((message) => message.type === type);
}
