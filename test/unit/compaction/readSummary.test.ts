/** What becomes of the answer of a summary model: the summary that the context holds afterwards, or why there is none. */

import { describe, expect, it } from 'vitest';
import { readSummary } from '../../../src/core/compaction/summariser/readSummary.ts';
import { ModelError } from '../../../src/core/errors.ts';
import { words } from '../../../src/core/words.ts';
import { compactionHarness, going, says, words as text, user } from '../../support/compactionHarness.ts';
import type { Step } from '../../support/ports/scriptedModel.ts';

const history = [user('go'), says(text(80_000)), says('a'), says('b')];

/** The first summary of the context, or the reason of the failure. `tagged`: the style asks for `<summary>`. */
async function outcomeOf(answer: Step, tagged: boolean): Promise<string> {
  const settings = { 'summary.style': tagged ? 'comate' : 'kimi', 'summary.retries': 0 };
  const h = await compactionHarness({
    history,
    window: 100_000,
    summaries: [answer],
    settings: { strategy: 'llm-summary', 'verify.enabled': false, ...settings },
  });
  const before = h.view();
  const outcome = await h.compactor.compact({ trigger: 'manual' }, going);
  if (outcome.kind === 'compacted') return (h.view()[0] ?? '').replace(/^user: /, '');
  // Nothing is replaced by an empty note.
  expect(h.view()).toEqual(before);
  const failed = h.journal.entries.findLast((entry) => entry.type === 'compactionFailed');
  return failed?.type === 'compactionFailed' ? `failed: ${failed.reason}` : outcome.kind;
}

const THOUGHT = expect.stringContaining('failed: The summary model test only thought, and wrote no summary.');
const EMPTY = expect.stringContaining('failed: The summary model left its <summary> tags empty.');
const NOTHING = expect.stringContaining('failed: The summary model gave an empty answer.');
const REFUSED = expect.stringContaining('failed: The summary model test refused to write the summary');
const CUT_OFF = expect.stringContaining('tokens of its answer for reasoning and wrote no summary');

describe('thinking is never part of a summary', () => {
  it.each<[string, Step, unknown]>([
    ['a block before it', '<think>plan</think>\n\nNotes.', 'Notes.'],
    ['other names', '<thinking>plan</thinking>Notes. <reasoning>more</reasoning>', 'Notes.'],
    ['in capitals, with attributes', '<Thinking duration="3s">plan</Thinking >Notes.', 'Notes.'],
    ['of a vendor', '<seed:think>plan</seed:think>Notes.', 'Notes.'],
    ['in brackets', '[THINK]plan[/THINK]Notes.', 'Notes.'],
    ['in triangles', '◁think▷plan◁/think▷Notes.', 'Notes.'],
    [
      'in channels',
      '<|channel|>analysis<|message|>plan<|end|><|start|>assistant<|channel|>final<|message|>Notes.',
      'Notes.',
    ],
    ['without a beginning', 'Okay, the user wants…\n</think>\n\nNotes.', 'Notes.'],
    ['without a beginning, on one line', 'plan</think>Notes.', 'Notes.'],
    ['without a beginning, twice', 'plan\n</think>\nmore\n</think>\nNotes.', 'Notes.'],
    ['its own mark mentioned in it', 'I strip </think> tags.\n</think>\nNotes.', 'Notes.'],
    ['in itself', '<think>a <think>b</think> c</think>Notes.', 'Notes.'],
    ['the beginning mentioned in it', '<think>It strips <think> tags.</think>Notes.', 'Notes.'],
    ['after it, cut off', 'Notes.\n<think>And now', 'Notes.'],
    ['empty', '<think>\n\n</think>\n\nNotes.', 'Notes.'],
    ['closed in itself', '<think/>Notes.', 'Notes.'],
    ['in a fence with the answer', '```\n<think>plan</think>\nNotes.\n```', 'Notes.'],
    ['nothing but it', '<think>plan</think>', THOUGHT],
    ['nothing but it, without a beginning', 'plan\n</think>\n', THOUGHT],
    ['cut off', '<think>plan, and on', THOUGHT],
    ['cut off at the limit', { text: '<think>plan, and on', finish: 'length' }, CUT_OFF],
    ['in its own field', { text: '', reasoning: 'plan' }, THOUGHT],
    ['quoted in a span', 'The parser strips `<think>` and `</think>`.', 'The parser strips `<think>` and `</think>`.'],
    ['quoted in a fence', 'Test:\n```xml\n<think>a</think>\n```\nDone.', 'Test:\n```xml\n<think>a</think>\n```\nDone.'],
    ['mentioned in a sentence', 'The parser strips <think> tags.', 'The parser strips <think> tags.'],
  ])('%s', async (_what, answer, left) => {
    expect(await outcomeOf(answer, false)).toEqual(left);
  });
});

describe('the tags of a summary belong to each other', () => {
  it.each<[string, Step, unknown]>([
    ['around it', 'Sure. <summary>\nNotes.\n</summary> Bye.', 'Notes.'],
    ['echoed while it thought', '<think>I write <summary>x</summary>.</think><summary>Notes.</summary>', 'Notes.'],
    [
      'echoed while it thought, without a beginning',
      'In <summary></summary> then.\n</think>\n<summary>Notes.</summary>',
      'Notes.',
    ],
    ['thinking between them', '<summary><think>plan</think>Notes.</summary>', 'Notes.'],
    ['two blocks', '<summary>One.</summary>\nAnd:\n<summary>Two.</summary>', 'One.\n\nTwo.'],
    ['the form repeated first', 'As <summary>…</summary>:\n<summary>Notes.</summary>', 'Notes.'],
    ['one in the other', '<summary>A <summary>b</summary> c.</summary>', 'A b c.'],
    ['with attributes, in capitals', '<Summary lang="en">Notes.</SUMMARY>', 'Notes.'],
    ['mentioned before', 'I put it in <summary> tags.\n<summary>Notes.</summary>', 'Notes.'],
    ['quoted before', 'I use `<summary>` and `</summary>`.\n<summary>Notes.</summary>', 'Notes.'],
    ['quoted in it', '<summary>Reads `</summary>` well. More.</summary>', 'Reads `</summary>` well. More.'],
    ['mentioned in it', '<summary>It ends at </summary> as a rule. More.</summary>', 'It ends at  as a rule. More.'],
    ['in a fence', 'Here:\n```xml\n<summary>\nNotes.\n</summary>\n```', 'Notes.'],
    ['around a fence', '<summary>\n```markdown\nNotes.\n```\n</summary>', 'Notes.'],
    [
      'the end cut off',
      { text: '<summary>Notes. And mo', finish: 'length' },
      'Notes.\n(These notes were cut at the output limit.)',
    ],
    ['only the end', 'Notes.\n</summary>', 'Notes.'],
    ['left out', 'Notes.', 'Notes.'],
    ['empty', 'Here you are: <summary>\n </summary>', EMPTY],
    ['with nothing but thinking', '<summary><think>plan</think></summary>', EMPTY],
  ])('%s', async (_what, answer, left) => {
    expect(await outcomeOf(answer, true)).toEqual(left);
  });
});

describe('what is no summary is a failure with its reason', () => {
  it.each<[string, Step, unknown]>([
    ['empty', '', NOTHING],
    ['sections with nothing in them', '<current_focus></current_focus>\n<environment> </environment>', NOTHING],
    ['only the mark of the product', '\n(These notes were merged 2 times.)', NOTHING],
    ['an apology', "I'm sorry, but I can't assist with that request.", REFUSED],
    ['a refusal', 'I cannot help with this.', REFUSED],
    ['a Chinese one', '抱歉，我无法协助完成这个请求。', REFUSED],
    [
      'what only begins like one',
      'I cannot reproduce the bug yet. Next: the clock.',
      'I cannot reproduce the bug yet. Next: the clock.',
    ],
  ])('%s', async (_what, answer, left) => {
    expect(await outcomeOf(answer, false)).toEqual(left);
  });

  it('a long text that begins with an apology is one', () => {
    const long = `I'm sorry, but I can't say more than this. ${'The user asked. '.repeat(40)}`;
    const done = { type: 'done', text: long, toolCalls: [], finish: 'stop', usage: null } as const;
    expect(readSummary(done, 'm', 4_096, words('x')).text).toBe(long.trim());
    const short = { ...done, text: "I'm sorry, but I can't say more than this." };
    expect(() => readSummary(short, 'm', 4_096, words('x'))).toThrow(ModelError);
  });
});
