import { describe, expect, it } from 'vitest';
import { type Choice, PlanEdit } from '../../../src/core/compaction/consent/planEdit.ts';
import type { Preview } from '../../../src/core/compaction/consent/preview.ts';
import { withProposal } from '../../../src/core/compaction/consent/preview.ts';
import { lowerContext } from '../../../src/core/context/lower.ts';
import { eventRow } from '../../../src/core/transcript/eventRow.ts';
import { inEnglish } from '../../../src/core/words.ts';
import {
  calls,
  compactionHarness,
  going,
  type Harness,
  type HarnessOptions,
  SEVEN_READS,
  says,
  user,
  words,
} from '../../support/compactionHarness.ts';

async function opened(options: HarnessOptions = {}): Promise<{ h: Harness; preview: Preview; edit: PlanEdit }> {
  const h = await compactionHarness({ history: SEVEN_READS, ...options });
  const preview = await h.compactor.consent.preview({}, going);
  if (preview.kind !== 'preview') throw new Error(preview.reason);
  return { h, preview, edit: new PlanEdit(preview.start, preview.proposal) };
}

/** By the id of the message. */
const at = ({ start }: PlanEdit, id: string) => start.history.messages.findIndex((message) => message.id === id);

function chosen(edit: PlanEdit, id: string, choice: Choice): PlanEdit {
  const outcome = edit.choose(at(edit, id), choice);
  if (outcome.kind === 'refused') throw new Error(inEnglish(outcome.reason));
  return outcome.edit;
}

function refusal(edit: PlanEdit, id: string, choice: Choice): string {
  const outcome = edit.choose(at(edit, id), choice);
  return outcome.kind === 'refused' ? inEnglish(outcome.reason) : '';
}

const HIDING = { settings: { strategy: 'tool-result-hiding' } };

describe('a preview that a person changes', () => {
  it('is applied as they left it, says so in its row, and an undo gives back every byte', {
    tags: ['B16'],
  }, async () => {
    const { h, preview, edit } = await opened(HIDING);
    const before = JSON.stringify(lowerContext(h.journal.context));
    // m4 and m6 were to be hidden.
    let mine = chosen(edit, 'm4', 'keep');
    mine = chosen(mine, 'm8', 'hide');
    mine = chosen(mine, 'm10', 'shorten');
    mine = chosen(mine, 'm12', 'drop');
    const { proposal, refused } = mine.apply();
    expect(refused).toBeNull();
    const outcome = await h.compactor.apply(withProposal(preview, proposal));
    if (outcome.kind !== 'compacted') throw new Error(outcome.kind);
    expect(outcome.entry.changed).toEqual({ kept: 1, hidden: 1, shortened: 1, dropped: 2, rewritten: 0 });
    const shown = new Map(h.journal.context.conversation.map((item) => [item.id, item]));
    expect(shown.get('m4')?.message.text).toBe(words(200, 'r0'));
    expect([shown.get('m6')?.hidden, shown.get('m8')?.hidden]).toEqual([true, true]);
    expect(shown.get('m10')?.message.text).toMatch(/characters left out/);
    expect([shown.has('m11'), shown.has('m12')]).toEqual([false, false]);
    const row = eventRow('e1', outcome.entry, h.journal.context);
    expect(row.type === 'compaction' && inEnglish(row.changed)).toBe(
      'The plan was changed by hand before it was applied. Kept: 1. Hidden: 1. Shortened: 1. Dropped: 2.',
    );
    expect(await h.compactor.undo()).toBe(true);
    expect(JSON.stringify(lowerContext(h.journal.context))).toBe(before);
  });

  it('its figures are those of what is then applied', { tags: ['B16'] }, async () => {
    const { h, preview, edit } = await opened(HIDING);
    const { proposal } = chosen(edit, 'm8', 'drop').apply();
    expect(proposal.tokensAfter).toBeLessThan(preview.tokensAfter);
    await h.compactor.apply(withProposal(preview, proposal));
    // What a provider would be told, counted again from the messages.
    expect(h.compactor.gauge.reading.tokens).toBe(proposal.tokensAfter);
  });

  it('a tool block leaves and comes back as one', { tags: ['B16'] }, async () => {
    const { edit } = await opened(HIDING);
    const dropped = chosen(edit, 'm8', 'drop');
    const fate = (from: PlanEdit, id: string) => from.choiceAt(at(from, id));
    expect([fate(dropped, 'm7'), fate(dropped, 'm8')]).toEqual(['drop', 'drop']);
    const back = chosen(dropped, 'm7', 'keep');
    expect([fate(back, 'm7'), fate(back, 'm8')]).toEqual(['keep', 'keep']);
    expect(back.apply().proposal.draft.tokens).toBe(edit.proposal.draft.tokens);
  });

  it('what must stay refuses with the reason, and so does what would free nothing', { tags: ['B16'] }, async () => {
    const h = await compactionHarness({ history: SEVEN_READS, ...HIDING });
    await h.journal.append({ type: 'pinned', ids: ['m7', 'm8'] });
    const preview = await h.compactor.consent.preview({}, going);
    if (preview.kind !== 'preview') throw new Error(preview.reason);
    const edit = new PlanEdit(preview.start, preview.proposal);
    const latest = edit.start.history.messages.findLast((message) => message.role === 'user')?.id ?? '';
    expect(refusal(edit, latest, 'drop')).toBe('Your latest message always stays.');
    expect(refusal(edit, 'm8', 'hide')).toBe('It is pinned. Unpin it first.');
    expect(refusal(edit, 'm7', 'drop')).toBe('It is pinned. Unpin it first.');
    expect(refusal(edit, 'm9', 'hide')).toBe(
      'There is only the call, and no text to hide. Hide its result, or drop both.',
    );
    expect(refusal(edit, 'm2', 'hide')).toBe('It is shorter than the line that would replace it.');
    expect(refusal(edit, 'm2', 'shorten')).toMatch(/^It is already short/);
    let kept = edit;
    for (const { id } of edit.start.history.messages) kept = chosen(kept, id, 'keep');
    expect(inEnglish(kept.apply().refused ?? [])).toBe('It would free nothing. Hide, shorten or drop something.');
  });

  it('the text of a summary can be written anew, but it cannot pose as a stub or be empty', {
    tags: ['B16'],
  }, async () => {
    const { h, preview, edit } = await opened({ settings: { strategy: 'llm-summary' }, summaries: ['the notes'] });
    const index = edit.proposal.bare.inserts.findIndex(({ text }) => text === 'the notes');
    expect(edit.rewrite(index, ' \n').kind).toBe('refused');
    const { nonce } = edit.start.stamp;
    const mine = edit.rewrite(index, `my own notes [palimpsest:${nonce} tool result hidden; recall with id m4]`);
    if (mine.kind === 'refused') throw new Error(inEnglish(mine.reason));
    const { proposal, refused } = mine.edit.apply();
    expect(refused).toBeNull();
    const outcome = await h.compactor.apply(withProposal(preview, proposal));
    expect(outcome).toMatchObject({ kind: 'compacted', entry: { changed: { rewritten: 1 } } });
    expect(h.view().join('\n')).toContain('my own notes [\\palimpsest:');
  });

  it('facts of what the person drops go into the ledger, those of what they keep do not', {
    tags: ['B16'],
  }, async () => {
    const named = [
      user('go'),
      calls(['read_file', words(200), { path: 'src/kept.ts' }]),
      calls(['edit_file', words(200), { path: 'src/dropped.ts', old_text: 'a', new_text: 'b' }]),
      ...Array.from({ length: 5 }, (_, i) => calls(['read_file', words(200, `r${i}`)])),
      says('ok'),
    ];
    const { edit } = await opened({ history: named, ...HIDING });
    expect(edit.proposal.draft.ledger?.added ?? []).toEqual([]);
    const { proposal } = chosen(edit, 'm6', 'drop').apply();
    expect(proposal.draft.ledger?.added.join('\n')).toContain('src/dropped.ts');
    const back = chosen(chosen(edit, 'm6', 'drop'), 'm6', 'keep').apply();
    expect(back.proposal.draft.ledger?.added ?? []).toEqual([]);
  });

  it('is not applied to a conversation that was reshaped meanwhile, and the changes go on to a new preview', {
    tags: ['B16'],
  }, async () => {
    const { h, preview, edit } = await opened(HIDING);
    const mine = chosen(chosen(edit, 'm8', 'drop'), 'm4', 'keep');
    const { proposal } = mine.apply();
    await h.journal.append({ type: 'pinned', ids: ['m9', 'm10'] });
    expect(h.compactor.consent.isCurrent(preview)).toBe(false);
    expect((await h.compactor.apply(withProposal(preview, proposal))).kind).toBe('none');
    const again = await h.compactor.consent.preview({}, going);
    if (again.kind !== 'preview') throw new Error(again.reason);
    const carried = mine.carryTo(new PlanEdit(again.start, again.proposal));
    expect(carried.lost).toBe(0);
    expect(carried.edit.choiceAt(at(carried.edit, 'm8'))).toBe('drop');
    expect(carried.edit.choiceAt(at(carried.edit, 'm4'))).toBe('keep');
    const renewed = carried.edit.apply();
    expect((await h.compactor.apply(withProposal(again, renewed.proposal))).kind).toBe('compacted');
  });

  it('a message said meanwhile is no obstacle', { tags: ['B16'] }, async () => {
    const { h, preview, edit } = await opened(HIDING);
    await h.add(user('one more thing'));
    expect(h.compactor.consent.isCurrent(preview)).toBe(true);
    const outcome = await h.compactor.apply(withProposal(preview, chosen(edit, 'm8', 'drop').apply().proposal));
    expect(outcome.kind).toBe('compacted');
    expect(h.view().at(-1)).toBe('user: one more thing');
  });

  it('agreeing to the question after a preview means what the person made of it', { tags: ['B16'] }, async () => {
    let agree: (answer: 'compact') => void = () => undefined;
    const answer = new Promise<'compact'>((resolve) => {
      agree = resolve;
    });
    const h = await compactionHarness({
      history: [...SEVEN_READS, user('go on')],
      window: 2_000,
      consent: [answer],
      settings: { strategy: 'tool-result-hiding', requireConfirmation: true },
    });
    const running = h.compactor.compact({ trigger: 'threshold' }, going);
    await expect.poll(() => h.outlooks.length).toBe(1);
    const preview = await h.compactor.consent.previewAsked();
    if (preview.kind !== 'preview') throw new Error(preview.reason);
    const mine = chosen(new PlanEdit(preview.start, preview.proposal), 'm4', 'drop');
    expect(h.compactor.consent.amendAsked(preview, withProposal(preview, mine.apply().proposal))).toBe(true);
    agree('compact');
    expect(await running).toMatchObject({ kind: 'compacted', entry: { changed: { dropped: 2 } } });
    expect(h.journal.context.conversation.some(({ id }) => id === 'm4')).toBe(false);
    expect(h.compactor.consent.amendAsked(preview, preview)).toBe(false);
  });
});
