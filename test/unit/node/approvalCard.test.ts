/** What a person is asked is shown as it would be done, and what is too long to show says so. */

import { expect, test } from 'vitest';
import type { ApprovalRequest } from '../../../src/core/tools/approvals.ts';
import { toApprovalCard } from '../../../src/node/session/approvalCard.ts';
import { decodeToPanel } from '../../../src/protocol/messages.ts';

const card = (detail: ApprovalRequest['detail'], amended: string | null = null) =>
  toApprovalCard({
    id: 'a1',
    hash: 'h1',
    amended,
    request: { toolCallId: 'c1', toolName: 'tool', toolClass: 'write', title: 'title', detail, mayRemember: true },
  });

test('a change is a diff, and says whether the file is new', () => {
  expect(card({ kind: 'edit', path: 'a.ts', before: 'a\nb\n', after: 'a\nc\n' }).detail).toEqual({
    kind: 'edit',
    path: 'a.ts',
    diff: '@@ -1,2 +1,2 @@\n a\n-b\n+c\n',
    added: 1,
    removed: 1,
    creates: false,
    amended: false,
    cut: false,
  });
  expect(card({ kind: 'edit', path: 'a.ts', before: null, after: 'a\n' }).detail).toMatchObject({ creates: true });
});

test('an edit that the person amended shows their text', () => {
  expect(card({ kind: 'edit', path: 'a.ts', before: 'a\n', after: 'b\n' }, 'c\n').detail).toMatchObject({
    diff: '@@ -1,1 +1,1 @@\n-a\n+c\n',
    amended: true,
  });
});

test('a deletion shows what would be lost, and a move both names', () => {
  expect(card({ kind: 'delete', path: 'a.ts', before: 'a\n', size: 2 }).detail).toEqual({
    kind: 'delete',
    path: 'a.ts',
    diff: '@@ -1,1 +0,0 @@\n-a\n',
    bytes: 2,
    cut: false,
  });
  expect(card({ kind: 'delete', path: 'a', before: null, size: 9 }).detail).toMatchObject({ diff: '', bytes: 9 });
  expect(card({ kind: 'move', from: 'a', to: 'b' }).detail).toEqual({ kind: 'move', from: 'a', to: 'b', cut: false });
});

test('an address is shown with its server and where it leads', () => {
  const local = { address: '10.0.0.5', place: 'network' } as const;
  const detail = { kind: 'web', url: 'http://a.example/', host: 'a.example', local } as const;
  expect(card(detail).detail).toEqual({ ...detail, cut: false });
});

test('what is too long is cut, says so, and still fits what the panel takes', () => {
  const long = 'x'.repeat(3_000_000);
  const cards = [
    card({ kind: 'command', command: long, cwd: '.' }),
    card({ kind: 'edit', path: 'a', before: null, after: long }),
  ];
  expect(cards.map(({ detail }) => detail.cut)).toEqual([true, true]);
  const row = { type: 'tool', id: 'm1.0', time: 0, itemId: 'm1', toolName: 'tool', title: '', status: 'approval' };
  const rest = {
    arguments: '',
    result: '',
    resultTruncated: false,
    durationMs: null,
    tokens: 0,
    fate: 'kept',
    pinned: false,
  };
  const rows = cards.map((approval) => ({ ...row, ...rest, detail: { kind: 'none' }, approval }));
  expect(decodeToPanel([{ type: 'rows', rows }]).kind).toBe('ok');
});
