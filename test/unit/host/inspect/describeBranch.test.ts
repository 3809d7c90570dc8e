/** A branch as a page, as the person who left it reads it. */

import { expect, test } from 'vitest';
import { listBranches, listOwn } from '../../../../src/core/journal/branches.ts';
import { clearConversation } from '../../../../src/core/journal/timeTravel.ts';
import { describeBranchPage } from '../../../../src/host/commands/branchTree.ts';
import { pageText } from '../../../../src/node/pages/pageText.ts';
import { calls, compactionHarness, says, user } from '../../../support/compactionHarness.ts';
import { t } from '../../../support/inEnglish.ts';

test('has a section for each turn of its own, what was said in full, and a way back', async () => {
  const h = await compactionHarness({
    history: [
      user('one <b>'),
      calls(['read_file', 'the body', { path: 'a.ts' }]),
      says('seen'),
      user('two'),
      says('ok'),
    ],
  });
  await clearConversation(h.journal);
  await h.add(user('anew'));
  const [branch] = listBranches(h.journal);
  const own = listOwn(h.journal, branch ?? expect.fail());
  const page = describeBranchPage({ title: 'one', subtitle: 'left', loss: 'Costs.', language: 'en' }, own, t);
  const sections = page.blocks.filter((block) => block.kind === 'section');
  expect(sections.map(({ title }) => title)).toEqual(['one <b>', 'two']);
  expect(page.blocks[0]).toMatchObject({
    kind: 'actions',
    actions: [{ id: 'return', primary: true }, { id: 'others' }],
  });
  const text = pageText(page);
  for (const said of ['Costs.', 'You: one <b>', 'Read file', '{"path":"a.ts"}', 'the body', 'seen', 'ok'])
    expect(text).toContain(said);
  expect(text).not.toContain('anew');
});
