/** What a page keeps of a draft of an answer: nothing of one that may be a password. */

import { expect, test } from 'vitest';
import { Saving } from '../../../webview/page/saving.ts';

function savedOf(secret: boolean): unknown[] {
  const saved: unknown[] = [];
  const host = {
    load: () => null,
    save: (kept: unknown) => saved.push(kept),
    post: (kept: unknown) => saved.push(kept),
  };
  const panel = {
    state: { sessionId: 's' },
    composer: { draft: '', images: [] },
    editor: null,
    rows: { all: [] },
    reader: { anchor: () => null },
    open: [],
    reason: { approvalId: 'q', text: 'hunter2', secret },
  };
  new Saving(panel as never, host as never).save();
  return saved;
}

test.each([false, true])('the draft of an answer, secret: %s', (secret) => {
  const saved = savedOf(secret);
  expect(saved).toHaveLength(2);
  expect(JSON.stringify(saved).includes('hunter2')).toBe(!secret);
});
