/** The first words of a call's row. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../../scripts/paths.ts';
import { BUILT_IN_TOOLS } from '../../../src/core/tools/toolList.ts';
import { nameTool, TOOL_NAMES } from '../../../src/core/tools/toolNames.ts';
import type { Row, RowOf } from '../../../src/protocol/rows.ts';
import { describeCall, VERBS } from '../../../webview/views/rows/callVerb.ts';
import { t } from '../../support/inEnglish.ts';
import { tool } from '../../support/panelScenes.ts';

const chinese: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(ROOT, 'l10n/bundle.l10n.zh-cn.json'), 'utf8'),
);

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

  test('has no verb or name of a tool that is gone', () => {
    const names = BUILT_IN_TOOLS.map(({ name }) => name).sort();
    expect([...VERBS.keys()].sort()).toEqual(names);
    expect([...TOOL_NAMES.keys()].sort()).toEqual(names);
  });

  test.each(BUILT_IN_TOOLS.map(({ name }) => name))('%s has a name in both languages', (name) => {
    expect(nameTool(name, t)).toMatch(/^[A-Z][a-z ]+$/);
    expect(nameTool(name, (text) => chinese[text] ?? text)).toMatch(/^(?:Git )?\p{Script=Han}+$/u);
  });

  test.each([
    ['list_files', 'Listed the workspace'],
    ['git_changes', 'Looked for changes'],
    ['read_problems', 'Read the problems'],
    ['use_skill', 'Looked at the skills'],
    ['report_to_past', 'Reported to the agent that gave the task'],
  ])('%s of nothing in particular ends with its verb', (name, said) => {
    expect(describeCall(callOf(tool('m1.0', name, '')))).toBe(said);
  });
});

test('a foreign tool is called by its own name', () => {
  expect(nameTool('mcp__github__search', t)).toBe('mcp__github__search');
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
