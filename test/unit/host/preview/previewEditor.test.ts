import { describe, expect, it } from 'vitest';
import { PreviewEditor } from '../../../../src/host/preview/previewEditor.ts';
import { pageText } from '../../../../src/node/pages/pageText.ts';
import type { Page, PageBlock, PageChoices, PageMeter } from '../../../../src/protocol/pages.ts';
import { calls, compactionHarness, going, SEVEN_READS, says, user, words } from '../../../support/compactionHarness.ts';
import { t } from '../../../support/inEnglish.ts';

async function opened(settings: Record<string, unknown> = { strategy: 'tool-result-hiding' }, from = SEVEN_READS) {
  const h = await compactionHarness({ history: from, settings, summaries: ['the notes'] });
  const preview = await h.compactor.consent.preview({}, going);
  if (preview.kind !== 'preview') throw new Error(preview.reason);
  const pages: Page[] = [];
  const editor: PreviewEditor = new PreviewEditor({
    label: 'Hide tool results',
    preview,
    session: {
      isCurrent: (each) => h.compactor.consent.isCurrent(each),
      costs: () => null,
      unchanged: () => 100,
      room: { header: [{ name: 'tools', tokens: 300 }], window: 10_000, trigger: 8_000 },
    },
    offers: [{ label: 'Apply', primary: true, applies: true, act: () => undefined }],
    // The harness reads reasons out; a preview has none.
    again: async () => (await h.compactor.consent.preview({}, going)) as typeof preview,
    onChange: () => undefined,
    write: (page) => pages.push(page),
    t,
  });
  return { h, editor, page: () => pages.at(-1) ?? editor.describe() };
}

function* all(blocks: readonly PageBlock[]): Generator<PageBlock> {
  for (const block of blocks) {
    yield block;
    if ('blocks' in block) yield* all(block.blocks);
  }
}
const find = <K extends PageBlock['kind']>(page: Page, kind: K) =>
  [...all(page.blocks)].filter((block): block is Extract<PageBlock, { kind: K }> => block.kind === kind);
const rowsOf = (page: Page): PageChoices['rows'] => find(page, 'choices').flatMap(({ rows }) => rows);
const row = (page: Page, id: string) => rowsOf(page).find((each) => each.id === id);
const buttons = (page: Page) => find(page, 'actions').flatMap(({ actions }) => actions);
const meter = (page: Page) => find(page, 'meter')[0] as PageMeter;
const sumOf = ({ bars }: PageMeter, at: number) => (bars[at]?.parts ?? []).reduce((sum, { value }) => sum + value, 0);
const warnings = (page: Page) => find(page, 'text').flatMap((each) => (each.tone === 'warning' ? [each.text] : []));

describe('the page of a preview', () => {
  it('has every message with what becomes of it, and the bar moves along', { tags: ['B16'] }, async () => {
    const { editor, page } = await opened();
    expect(rowsOf(page()).filter(({ head }) => !head)).toHaveLength(18);
    expect(row(page(), 'm4')).toMatchObject({
      title: 'Result of “Read file”',
      chosen: 'hide',
      changed: false,
      joined: true,
    });
    const before = meter(page());
    editor.choose('m12', 'hide');
    expect(row(page(), 'm12')).toMatchObject({ chosen: 'hide', changed: true });
    expect(sumOf(meter(page()), 1)).toBeLessThan(sumOf(before, 1));
    expect(buttons(page()).find(({ id }) => id === 'reset')?.off).toBe(false);
    editor.reset();
    expect(meter(page())).toEqual(before);
    expect(buttons(page()).find(({ id }) => id === 'reset')?.off).toBe(true);
  });

  it('has two bars of one scale and one table, which add up to the totals of the preview', async () => {
    const { editor, page } = await opened();
    const figures = () => {
      const [shown] = find(page(), 'table');
      const numbers = (shown?.rows ?? []).map((row) =>
        row.slice(1).map((cell) => Number(String(cell).replace(/[,–]/g, '').replace('−', '-'))),
      );
      return { parts: numbers.slice(0, -1), total: numbers.at(-1) ?? [] };
    };
    const addsUp = () => {
      const { parts, total } = figures();
      const { tokensBefore, tokensAfter } = editor.shown;
      expect(total).toEqual([tokensBefore, tokensAfter, tokensBefore - tokensAfter]);
      for (const at of [0, 1, 2]) expect(parts.reduce((sum, row) => sum + (row[at] ?? 0), 0)).toBe(total[at]);
      expect([sumOf(meter(page()), 0), sumOf(meter(page()), 1)]).toEqual([tokensBefore, tokensAfter]);
    };
    addsUp();
    const tools = figures().parts[0] ?? [];
    expect([tools[0], tools[2]]).toEqual([tools[1], 0]);
    editor.choose('m12', 'hide');
    editor.choose('m6', 'keep');
    addsUp();
    expect(meter(page()).label).toMatch(/^[\d,]+ of [\d,]+ tokens freed \(\d+%\) · \d+ hidden$/);
  });

  it('says under the row why a choice is refused, and forgets it with the next', { tags: ['B16'] }, async () => {
    const { editor, page } = await opened();
    const latest = rowsOf(page()).findLast(({ title }) => title === 'You')?.id ?? '';
    editor.choose(latest, 'drop');
    expect(row(page(), latest)).toMatchObject({ chosen: 'keep', said: 'Your latest message always stays.' });
    expect(row(page(), latest)?.refused.map(([option]) => option)).toEqual(['hide', 'shorten', 'drop']);
    editor.choose('m12', 'hide');
    expect(row(page(), latest)?.said).toBeUndefined();
  });

  it('a whole turn is set at once, and what cannot be is counted', { tags: ['B16'] }, async () => {
    const { editor, page } = await opened();
    const [head] = rowsOf(page());
    editor.choose(head?.id ?? '', 'hide');
    const [then] = rowsOf(page());
    expect(then?.said).toMatch(/^\d of them cannot be changed this way, and stay as they were\.$/);
    const results = rowsOf(page()).filter(({ title }) => title.startsWith('Result of'));
    expect(new Set(results.map(({ chosen }) => chosen))).toEqual(new Set(['hide']));
  });

  it('cannot be applied while it frees nothing, and says so', { tags: ['B16'] }, async () => {
    const { editor, page } = await opened();
    editor.choose('m4', 'keep');
    editor.choose('m6', 'keep');
    expect(warnings(page())).toEqual(['It would free nothing. Hide, shorten or drop something.']);
    expect(buttons(page()).find(({ label }) => label === 'Apply')?.off).toBe(true);
  });

  it('a summary is written anew, and an empty one is refused without losing the last', { tags: ['B16'] }, async () => {
    const { editor, page } = await opened({ strategy: 'llm-summary' });
    const [input] = find(page(), 'input');
    expect(input?.text).toBe('the notes');
    editor.write(input?.id ?? '', 'my own notes');
    expect(find(page(), 'input')[0]).toMatchObject({ text: 'my own notes', version: 0 });
    editor.write(input?.id ?? '', '  ');
    expect(warnings(page())).toEqual(['A summary cannot be empty. Write something, or reset your changes.']);
    expect(find(page(), 'input')[0]?.text).toBe('my own notes');
    editor.reset();
    expect(find(page(), 'input')[0]).toMatchObject({ text: 'the notes', version: 1 });
    expect(pageText(page())).toContain('the notes');
  });

  it('says when the conversation has moved on, and the changes go on to a new preview', { tags: ['B16'] }, async () => {
    const { h, editor, page } = await opened();
    editor.choose('m12', 'hide');
    await h.journal.append({ type: 'pinned', ids: ['m9', 'm10'] });
    editor.draw();
    expect(warnings(page())[0]).toMatch(/^The conversation has changed since this preview was made/);
    expect(buttons(page()).map(({ label, off = false }) => [label, off])).toEqual([
      ['Apply', true],
      ['Reset', false],
      ['Preview again with my changes', false],
    ]);
    await editor.renewed();
    expect(warnings(page())).toEqual([]);
    expect(row(page(), 'm12')).toMatchObject({ chosen: 'hide', changed: true });
    expect(await h.compactor.apply(editor.shown)).toMatchObject({
      kind: 'compacted',
      entry: { changed: { hidden: 1 } },
    });
  });

  it('a long session is in closed groups, and a choice draws only its own anew', { tags: ['B16'] }, async () => {
    const long = Array.from({ length: 300 }, (_, i) => [
      user(`request ${i}`),
      calls(['read_file', words(30, `r${i}`)]),
      says('ok'),
    ]).flat();
    const { editor, page } = await opened({ strategy: 'tool-result-hiding' }, long);
    const before = page();
    const groups = before.blocks.filter((block) => block.kind === 'section' && block.fold === 'closed');
    expect(groups).toHaveLength(300);
    for (const { rows } of find(before, 'choices')) expect(rows.length).toBeLessThan(60);
    const kept = rowsOf(before).find(({ title, chosen }) => title === 'You' && chosen === 'keep');
    editor.choose(kept?.id ?? '', 'drop');
    const changed = page().blocks.filter((block, at) => block !== before.blocks[at]);
    expect(changed.filter((block) => block.kind === 'section' && block.fold === 'closed')).toHaveLength(1);
  });

  it('one long turn is divided, and never inside of a block', { tags: ['B16'] }, async () => {
    const turn = [
      user('go'),
      ...Array.from({ length: 60 }, (_, i) => calls(['read_file', words(30, `r${i}`)])),
      says('ok'),
    ];
    const { page } = await opened({ strategy: 'tool-result-hiding' }, [...turn, user('more'), says('done')]);
    const lists = find(page(), 'choices');
    expect(lists.length).toBeGreaterThan(3);
    for (const { rows } of lists) expect(rows.find(({ head }) => !head)?.joined).toBeUndefined();
  });
});
