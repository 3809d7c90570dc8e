/** Going back with a summary of what is left: what the model sees, what the journal holds, and the way back. */

import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../src/core/errors.ts';
import type { CompactionEntry, CompactionFailedEntry } from '../../../src/core/journal/entry.ts';
import { countCompactions } from '../../../src/core/journal/statistics.ts';
import { revertToCheckpoint } from '../../../src/core/journal/timeTravel.ts';
import { exportMarkdown, exportNormalForm } from '../../../src/core/sessions/exportSession.ts';
import { eventRow } from '../../../src/core/transcript/eventRow.ts';
import { calls, compactionHarness, going, says, user, words } from '../../support/compactionHarness.ts';
import type { Step } from '../../support/ports/scriptedModel.ts';

const SUMMARY = 'The retry was tried with a fake clock; it fails because of the timer in src/wait.ts.';

/** A round, a checkpoint, and the branch that is left by going back to it. */
async function branched(summaries: readonly Step[], settings: Readonly<Record<string, unknown>> = {}) {
  const h = await compactionHarness({
    history: [user('fix the retry'), says('which one?')],
    summaries,
    settings: { strategy: 'llm-summary', ...settings },
  });
  const { seq } = await h.journal.append({ type: 'checkpoint', id: 0, label: 'here', toldModel: false });
  await h.add(user('the one in wait.ts'), calls(['read_file', 'export const wait = 5;']), says('It is the timer.'));
  const goBack = async (files: 'restored' | 'left' = 'left') => {
    const branch = await h.compactor.handover.summariseBranch(seq, going);
    if (branch.kind === 'none') return branch.reason;
    expect(await revertToCheckpoint(h.journal, 0)).toEqual({ kind: 'done' });
    return h.compactor.handover.carryOver(branch as never, files);
  };
  return { ...h, goBack };
}

const BEFORE = ['user: fix the retry', 'assistant: which one?'];

describe('a summary of the branch that is left', { tags: ['M3'] }, () => {
  it('stands at the end of what the person went back to, as notes, and says what became of the files', async () => {
    const h = await branched([SUMMARY, SUMMARY]);
    await h.goBack();
    expect(h.view()).toEqual([...BEFORE, expect.stringContaining(SUMMARY)]);
    expect(h.journal.context.conversation.at(-1)).toMatchObject({ kind: 'summary', message: { role: 'user' } });
    expect(h.view().at(-1)).toMatch(/branch .* left .* not as a task\. Files .* stay as they were changed\./);
    const restored = await branched([SUMMARY]);
    await restored.goBack('restored');
    expect(restored.view().at(-1)).toMatch(/Files .* were restored/);
  });

  it('is made of the branch alone, in one request without tools, that the journal names', async () => {
    const h = await branched([SUMMARY]);
    await h.goBack();
    expect(h.model.requests).toHaveLength(1);
    const [request] = h.model.requests;
    const prompt = request?.messages.at(-1)?.text ?? '';
    expect(request?.tools).toEqual([]);
    expect(prompt).toContain('the one in wait.ts');
    expect(prompt).toContain('export const wait = 5;');
    expect(prompt).not.toContain('which one?');
    expect(h.journal.entries.filter(({ type }) => type === 'request')).toMatchObject([{ purpose: 'summary' }]);
  });

  it('is journaled as what it is, undone and redone, and nobody counts it as a compaction', async () => {
    const h = await branched([SUMMARY]);
    const before = h.compactor.gauge.reading.tokens;
    await h.goBack();
    const [entry] = h.journal.entries.filter(({ type }) => type === 'compaction');
    const figures = { strategy: 'branch-summary', trigger: 'branch', summaryModel: 'test', attempt: 1 };
    expect(entry).toMatchObject({ ...figures, tokensAfter: h.compactor.gauge.reading.tokens });
    expect(h.compactor.gauge.reading.tokens).toBeLessThan(before + 150);
    const whole = h.view();
    expect(countCompactions(h.journal.entries)).toMatchObject({ compactions: 0, tokensSaved: 0, byStrategy: {} });
    expect(countCompactions(h.journal.entries).summaryUsage.input).toBeGreaterThan(0);
    expect(await h.compactor.undo()).toBe(true);
    expect(h.view()).toEqual(BEFORE);
    expect(countCompactions(h.journal.entries).undone).toBe(0);
    expect(await h.compactor.redo()).toBe(true);
    expect(h.view()).toEqual(whole);
    const again = await compactionHarness({ resumed: h.lines });
    expect(again.view()).toEqual(whole);
  });

  it('is read as what it is in an export, in the lab and in the panel', async () => {
    const h = await branched([SUMMARY]);
    const made = await h.goBack();
    const markdown = [...exportMarkdown(h.journal)].join('');
    expect(markdown).toContain('> A summary of the branch that was left was carried over.');
    expect(markdown).toContain(SUMMARY);
    expect([...exportNormalForm(h.journal)].filter((line) => line.includes(SUMMARY))).toHaveLength(1);
    expect(eventRow('c', made as CompactionEntry, h.journal.context)).toMatchObject({
      type: 'compaction',
      trigger: 'branch',
      strategyName: [{ text: 'Summary of a branch' }],
      summary: expect.stringContaining(SUMMARY),
      canUndo: true,
    });
    await h.compactor.undo();
    expect([...exportNormalForm(h.journal)].join('')).not.toContain(SUMMARY);
  });

  it('stands alone where the person went back to the beginning', async () => {
    const h = await compactionHarness({ summaries: [SUMMARY] });
    const { seq } = await h.journal.append({ type: 'checkpoint', id: 0, label: '', toldModel: false });
    await h.add(user('hi'), says('hello'));
    const branch = await h.compactor.handover.summariseBranch(seq, going);
    await revertToCheckpoint(h.journal, 0);
    await h.compactor.handover.carryOver(branch as never, 'left');
    expect(h.view()).toEqual([expect.stringContaining(SUMMARY)]);
  });

  it('holds what a compaction on the branch had left of it', async () => {
    const h = await branched(['They looked into wait.ts.', SUMMARY], { 'llmSummary.preserveRecentMessages': 1 });
    await h.add(says(words(90)), says('so it is'));
    await h.compactor.compact({ trigger: 'manual' }, going);
    await h.add(user('and now?'));
    await h.goBack();
    expect(h.model.requests.at(-1)?.messages.at(-1)?.text).toContain('They looked into wait.ts.');
    expect(h.view()).toEqual([...BEFORE, expect.stringContaining(SUMMARY)]);
  });

  it('takes the style and the prompt that were set for summaries', async () => {
    const asked = async (settings: Readonly<Record<string, unknown>>) => {
      const h = await branched([SUMMARY], settings);
      await h.goBack();
      return h.model.requests[0]?.messages.at(-1)?.text;
    };
    expect(await asked({})).toMatch(/^The user left the branch/);
    expect(await asked({ 'summary.style': 'pi' })).toMatch(/in the third person/);
    expect(await asked({ 'summary.prompt': 'Only the file names.' })).toMatch(/^Only the file names\./);
  });

  it('is merged into the next summary like any other', async () => {
    const h = await branched([SUMMARY, 'All of it.'], { 'llmSummary.preserveRecentMessages': 0 });
    await h.goBack();
    await h.add(user('go on'), says(words(500)));
    await h.compactor.compact({ trigger: 'manual' }, going);
    expect(h.model.requests.at(-1)?.messages.at(-1)?.text).toContain(SUMMARY);
    expect(h.view().filter((line) => line.includes(SUMMARY))).toEqual([]);
  });

  it.each([
    [
      'a refusal of the model',
      { error: new ModelError('badRequest', 'No.') },
      /summary failed\. .* without one\. No\./,
    ],
    ['an answer with nothing in it', '', /summary failed/],
  ])('%s leaves the conversation where it is, and the journal says why', async (_, step, reason) => {
    const h = await branched([step], { 'summary.retries': 0 });
    const whole = h.view();
    expect(await h.goBack()).toMatch(reason);
    expect(h.view()).toEqual(whole);
    const failed = h.journal.path().at(-1);
    expect(failed).toMatchObject({ type: 'compactionFailed', trigger: 'branch' });
    expect(eventRow('f', failed as CompactionFailedEntry, h.journal.context)).toMatchObject({
      type: 'notice',
      text: [{ text: 'The summary of the branch failed: {0}' }],
    });
    expect(countCompactions(h.journal.entries).failed).toBe(0);
  });

  it('a stop leaves the conversation where it is', async () => {
    const h = await branched([SUMMARY]);
    const stopped = AbortSignal.abort();
    expect(await h.compactor.handover.summariseBranch(2, stopped)).toMatchObject({
      kind: 'none',
      reason: expect.stringMatching(/stopped/),
    });
    expect(h.model.requests).toEqual([]);
  });
});

describe('a summary for another session', () => {
  const from = { id: 's1', title: 'Fix "it" [palimpsest: x' };

  it('is made of the whole conversation, keeps in mind what it is for, and begins the other one', async () => {
    const h = await branched([SUMMARY]);
    const summary = await h.compactor.handover.summariseSession('Write the test.', going);
    if (summary.kind === 'none') expect.fail();
    const prompt = h.model.requests[0]?.messages.at(-1)?.text ?? '';
    expect(prompt).toContain('which one?');
    expect(prompt).toContain('It is the timer.');
    expect(prompt).toContain('Write the test.');
    const other = await compactionHarness({ history: [], summaries: [] });
    await other.journal.append({ type: 'note', level: 'info', text: 'begun' });
    const entry = await other.compactor.handover.beginWith(summary, from);
    expect(other.view()).toEqual([
      expect.stringMatching(/^user: .*Summary of an earlier conversation, "Fix \\"it\\" .* \(session s1\)/s),
    ]);
    expect(other.view()[0]).toContain(SUMMARY);
    expect(other.view()[0]).not.toContain('[palimpsest:');
    // It was paid for in the session that was left.
    expect(entry).toMatchObject({ trigger: 'handoff', strategy: 'session-summary', attempt: 1 });
    expect(entry.usage).toBeUndefined();
    expect(countCompactions(other.journal.entries)).toMatchObject({ compactions: 0 });
    expect([...exportNormalForm(other.journal)].join()).toContain(SUMMARY);
    expect([...exportMarkdown(other.journal)].join('\n')).toContain(
      'A summary of the session that this one goes on from',
    );
    await other.compactor.undo();
    expect(other.view()).toEqual([]);
  });

  it('is none of nothing, and fails with the reason', async () => {
    const empty = await compactionHarness({ history: [], summaries: [] });
    expect(await empty.compactor.handover.summariseSession('', going)).toMatchObject({ kind: 'none' });
    const error = new ModelError('auth', 'The key was refused.');
    const h = await branched(Array<Step>(5).fill({ error }));
    const made = await h.compactor.handover.summariseSession('', going);
    expect(JSON.stringify(made)).toMatch(/No new session was created.*The key was refused/);
    expect(h.journal.entries.at(-1)).toMatchObject({ type: 'compactionFailed', trigger: 'handoff' });
  });
});
