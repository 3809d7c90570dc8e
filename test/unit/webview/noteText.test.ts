/** What the panel says of a note: in its own language where the journal holds the fact, else the words as they are. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { config } from '@vscode/l10n';
import { beforeEach, expect, test } from 'vitest';
import { ROOT } from '../../../scripts/paths.ts';
import { noteOf } from '../../../src/core/journal/noteOf.ts';
import type { NoteFact } from '../../../src/protocol/rows.ts';
import { dmailDetail, noticeText } from '../../../webview/words/noteText.ts';

const inChinese = () => config({ contents: readFileSync(join(ROOT, 'l10n/bundle.l10n.zh-cn.json'), 'utf8') });
beforeEach(() => config({ contents: {} }));

const skipped = [
  { path: 'b.ts', why: 'changedSince' as const, reason: 'somebody else changed it since, so it was left as it is' },
  {
    path: 'c.bin',
    why: 'lost' as const,
    reason: 'it has 9 bytes; files over 5 bytes are not kept',
    lack: { kind: 'tooLarge' as const, size: 9, limit: 5 },
  },
];
/** What notes of the journal tell; a failed compaction is an entry of its own. */
const FACTS: readonly Exclude<NoteFact, { kind: 'compactionFailed' }>[] = [
  { kind: 'wentBack', checkpoint: 3 },
  { kind: 'cleared' },
  { kind: 'edited' },
  { kind: 'restored', count: 1, restored: ['a.ts'], left: 0, skipped: [] },
  { kind: 'restored', count: 3, restored: ['a.ts', 'd.ts'], left: 2, skipped },
];
const row = (fact: NoteFact | null, text: string) => ({
  id: 'e1',
  type: 'notice' as const,
  time: 0,
  level: 'info' as const,
  text,
  detail: 'as stored',
  action: 'none' as const,
  ...(fact ? { fact } : {}),
});

test('in English the panel says what the journal says', () => {
  for (const fact of FACTS) {
    const stored =
      'count' in fact ? { ...fact, restored: [...fact.restored, ...(fact.count === 3 ? ['e.ts'] : [])] } : fact;
    expect(noticeText(row(fact, 'unused')).text).toBe(noteOf(stored).text);
  }
});

test('in Chinese it says the same, and names each file with its reason', () => {
  inChinese();
  expect(FACTS.map((fact) => noticeText(row(fact, 'unused')))).toEqual([
    { text: '已返回检查点 3。其后的内容作为分支保留。', detail: 'as stored' },
    { text: '对话已清空。之前的内容作为分支保留。', detail: 'as stored' },
    { text: '这条消息的旧版本及其后的内容已保留。', detail: 'as stored' },
    { text: '已恢复 1 个文件。', detail: 'a.ts' },
    {
      text: '已恢复 3 个文件，2 个文件保持原样。',
      detail:
        'a.ts\nd.ts\nb.ts: 之后被他人更改，因此保持原样\nc.bin: 无法恢复：文件有 9 字节；超过 5 字节的文件不保留\n…',
    },
  ]);
});

test('a failed compaction is told in both languages, its reason in its own words', () => {
  const failed = row({ kind: 'compactionFailed', strategy: 'selective', reason: 'no model' }, 'unused');
  expect(noticeText(failed).text).toBe('Compaction with selective failed: no model.');
  inChinese();
  expect(noticeText(failed).text).toBe('使用 selective 压缩失败：no model。');
});

test('a note of an older session is shown in its own words', () => {
  inChinese();
  expect(noticeText(row(null, 'Went back to checkpoint 1.'))).toEqual({
    text: 'Went back to checkpoint 1.',
    detail: 'as stored',
  });
  const mail = { id: 'e1', type: 'dmail' as const, time: 0, checkpoint: 1, text: 'x', detail: 'as stored' };
  expect(dmailDetail(mail)).toBe('as stored');
  expect(dmailDetail({ ...mail, files: null })).toBe('文件保持原样。');
});
