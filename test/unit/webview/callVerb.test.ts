/** The first words of a call's row. */

import { describe, expect, test } from 'vitest';
import { BUILT_IN_TOOLS } from '../../../src/core/tools/toolList.ts';
import type { Row, RowOf } from '../../../src/protocol/rows.ts';
import { describeCall, VERBS } from '../../../webview/views/rows/callVerb.ts';
import { tool } from '../../support/panelScenes.ts';

const callOf = (row: Row) => row as RowOf<'tool'>;

describe('a call of the product', () => {
  test.each(BUILT_IN_TOOLS.map(({ name }) => name))('%s is told in words, never by its raw name', (name) => {
    for (const title of ['a title', ''])
      for (const status of ['running', 'done', 'failed'] as const) {
        const said = describeCall(callOf(tool('m1.0', name, title, { status })));
        expect(said).toMatch(/^[A-Z]/);
        expect(said).not.toContain('_');
      }
  });

  test('has no verb of a tool that is gone', () => {
    expect([...VERBS.keys()].sort()).toEqual(BUILT_IN_TOOLS.map(({ name }) => name).sort());
  });
});

test('a foreign tool is called by its own name', () => {
  expect(describeCall(callOf(tool('m1.0', 'mcp__github__search', 'x')))).toBe('');
});

test('a command that goes on in the background is running, whatever became of the call', () => {
  const call = callOf(
    tool('m1.0', 'run_command', 'npm run watch', {
      detail: { kind: 'command', command: 'npm run watch', exitCode: null },
    }),
  );
  expect([describeCall(call, true), describeCall(call)]).toEqual(['Running', 'Ran']);
});

test('a file that was deleted is not called edited', () => {
  const detail = { kind: 'edit', effect: 'changed', path: 'a.ts', added: 0, removed: 1 } as const;
  const row = tool('m1.0', 'delete_file', 'a.ts', { status: 'done' });
  expect(describeCall(callOf({ ...row, detail: { ...callOf(row).detail, ...detail } } as Row))).toBe('Deleted');
});
