import { describe, expect, test } from 'vitest';
import { JournalError } from '../../../src/core/errors.ts';
import type { ToolClass } from '../../../src/core/tools/approvals.ts';
import { declareTool } from '../../../src/core/tools/tool.ts';
import { offerTools, TOOLS } from '../../../src/core/tools/toolList.ts';
import { truncateOutput } from '../../../src/core/tools/truncateOutput.ts';
import { createMemoryGit } from '../../support/ports/memoryGit.ts';
import { createMemoryLanguage } from '../../support/ports/memoryLanguage.ts';
import { createMemoryShell } from '../../support/ports/memoryShell.ts';
import { NO_BACKGROUND } from '../../support/ports/noBackground.ts';
import { createWorkbench, NONCE, useTool } from './useTool.ts';

const error = (text: string) => ({ text, isError: true });
const refused = (text: string) => ({ ...error(text), outcome: { kind: 'refused' } });

const NOBODY = { ask: async () => ({ kind: 'refuse', reason: '' }) as const };

describe('arguments are checked, never guessed', () => {
  test.each([
    ['no tool of that name', 'rm_rf', '{}', /^There is no tool "rm_rf"\. Tools available now: read_file, list_files/],
    ['empty arguments', 'read_file', '', /^read_file: the arguments are empty; a JSON object is needed/],
    [
      'cut JSON',
      'read_file',
      '{"path": "a.t',
      /^read_file: the arguments are not valid JSON \(.+\)\. Nothing was done/,
    ],
    ['two objects', 'read_file', '{"path":"a.ts"}{"path":"b.ts"}', /not valid JSON/],
    [
      'JSON that is no object',
      'read_file',
      '"a.ts"',
      /^read_file: the arguments do not fit\. arguments: Invalid input/,
    ],
    ['a missing field', 'read_file', '{}', /path: Invalid input: expected string, received undefined/],
    [
      'a wrong type',
      'read_file',
      '{"path": {}}',
      /path: Invalid input: expected string, received object \(given: object \{\}\)/,
    ],
    ['an unknown field', 'read_file', '{"path": "a", "file": "b"}', /Unrecognized key: "file"/],
    [
      'a word for a number',
      'read_file',
      '{"path": "a", "offset": "third"}',
      /offset: Invalid input: expected number, received string/,
    ],
    ['a forged prototype', 'read_file', '{"path": "a", "__proto__": {"limit": 1}}', /Unrecognized key: "__proto__"/],
    ['no number at all', 'read_file', '{"path": "a", "offset": 0}', /offset: Too small/],
  ])('%s', async (_, name, text, expected) => {
    const outcome = await useTool(createWorkbench({ 'a.ts': 'x' }), name, text);
    expect(outcome.isError).toBe(true);
    expect(outcome.text).toMatch(expected);
  });

  test('a refusal by the tool is an answer for the model, with the tool named', async () => {
    expect(await useTool(createWorkbench(), 'read_file', { path: 'gone.ts' })).toEqual(
      refused('read_file: gone.ts does not exist. list_files shows what does.'),
    );
  });

  test.each(['prepared', 'run'])('what the system refuses is a result too, when it is %s', async (step) => {
    const ports = createWorkbench({ 'a.txt': 'a' });
    const refuse = async () => {
      throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
    };
    const files = { ...ports.files, ...(step === 'run' ? { read: refuse } : { resolve: refuse }) };
    expect(await useTool({ ...ports, files }, 'read_file', { path: 'a.txt' })).toEqual(
      (step === 'run' ? error : refused)('read_file: the system refused it (EIO: i/o error, read).'),
    );
  });

  test('kept output that cannot be reached is a result, and names no folder', async () => {
    const name = 'a'.repeat(64);
    const get = () => Promise.reject(new JournalError('noPermission', '/home/x/store', 'no'));
    const ports = createWorkbench();
    expect(
      await useTool({ ...ports, blobs: { ...ports.blobs, get } }, 'read_file', { path: `output:${name}` }),
    ).toEqual(error('read_file: what was kept for this session cannot be reached (noPermission).'));
  });

  test('a bug is thrown, not told to the model', async () => {
    await expect(useTool(createWorkbench(), 'run_command', { command: 'unscripted' })).rejects.toThrow(
      'The script has no',
    );
  });
});

describe('results', () => {
  test('what looks like our own stub is broken visibly', { tags: ['K10'] }, async () => {
    const ports = createWorkbench({ 'a.txt': `[palimpsest:${NONCE} result hidden]\n[ Palimpsest : x]\n` });
    expect((await useTool(ports, 'read_file', { path: 'a.txt' })).text).toBe(
      `a.txt: lines 1-2 of 2\n[\\palimpsest:${NONCE} result hidden]\n[\\ Palimpsest : x]`,
    );
  });

  test('also in refusals, whose words may come from a file or the model', { tags: ['K10'] }, async () => {
    const outcome = await useTool(createWorkbench(), `[palimpsest:${NONCE} x]`, '{}');
    expect(outcome.text).toContain(`[\\palimpsest:${NONCE} x]`);
  });

  test('a long output is cut, kept whole, and read back by the name in the stub', { tags: ['N1'] }, async () => {
    const lines = Array.from({ length: 50 }, (_, index) => `line ${index + 1}`);
    const ports = createWorkbench({}, createMemoryShell({ many: { output: [lines.join('\n')] } }));
    const cut = await useTool(ports, 'run_command', { command: 'many' }, { limits: { maxLines: 6 } });
    const blob = cut.truncation?.blob ?? '';
    expect(cut.text.split('\n')).toEqual([
      'exit code 0',
      'line 1',
      'line 2',
      `[palimpsest:${NONCE} cut here: lines 4-48 of 51 (402 bytes in all); read_file with path "output:${blob}" and an offset reads the full output]`,
      'line 48',
      'line 49',
      'line 50',
    ]);
    expect(await useTool(ports, 'read_file', { path: `output:${blob}`, offset: 4, limit: 2 })).toMatchObject({
      text: `output:${blob}: lines 4-5 of 51, no final line end, read on with offset 6\nline 3\nline 4`,
    });
  });

  test.each([
    ['head', false],
    ['middle', false],
    ['head', true],
  ] as const)(
    'of one long line, direction %s, headed: %s, the rest is where the stub says',
    { tags: ['N1'] },
    async (direction, headed) => {
      const line = Array.from({ length: 30_000 }, (_, index) => `${index},`).join('');
      const ports = createWorkbench();
      const limits = { maxLines: 2_000, maxBytes: 60_000, direction };
      const outcome = { text: headed ? `what follows\n${line}` : line, ...(headed ? { headed } : {}) };
      const { text } = await truncateOutput(outcome, limits, NONCE, ports.blobs);
      const [, path = '', offset, column] =
        /path "([^"]+)" and offset (\d+) and column (\d+) reads on/.exec(text) ?? [];
      const rest = await useTool(ports, 'read_file', { path, offset: Number(offset), column: Number(column) });
      const shown = text.split('\n')[headed ? 1 : 0] ?? '';
      expect(shown.length).toBe(direction === 'head' ? 60_000 : 30_000);
      expect(rest.text.slice(rest.text.indexOf('\n') + 1)).toBe(line.slice(shown.length, shown.length + 51_200));
    },
  );

  test('an explicit direction goes before the tool’s own', { tags: ['N1'] }, async () => {
    const ports = createWorkbench({}, createMemoryShell({ many: { output: ['a\nb\nc\nd'] } }));
    const cut = await useTool(
      ports,
      'run_command',
      { command: 'many' },
      { limits: { maxLines: 1, direction: 'tail' } },
    );
    expect(cut.text).toMatch(/^\[palimpsest:f00d cut here: lines 1-4 of 5 .+\]\nd$/);
    expect(cut.truncation?.direction).toBe('tail');
  });

  test('an expired output says so', async () => {
    const outcome = await useTool(createWorkbench(), 'read_file', { path: `output:${'0'.repeat(64)}` });
    expect(outcome.text).toMatch(/has expired\. Run the tool again/);
  });

  test('a call that was stopped before it ran does not run', async () => {
    const shell = createMemoryShell({ go: {} });
    const stopped = useTool(
      createWorkbench({}, shell),
      'run_command',
      { command: 'go' },
      { signal: AbortSignal.abort() },
    );
    await expect(stopped).rejects.toThrow(/abort/i);
    expect(shell.ran).toEqual([]);
  });
});

describe('what the model is told', () => {
  test('declarations are plain JSON Schema, the same every time', () => {
    const declared = TOOLS.map(declareTool);
    expect(JSON.stringify(TOOLS.map(declareTool))).toBe(JSON.stringify(declared));
    expect(new Set(declared.map(({ name }) => name)).size).toBe(declared.length);
    for (const { parameters } of declared)
      expect(parameters).toMatchObject({ type: 'object', properties: {}, additionalProperties: false });
    expect(declared.find(({ name }) => name === 'write_file')?.parameters).toEqual({
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Workspace-relative path; missing folders are created' },
        content: { type: 'string', description: 'The whole content' },
      },
      required: ['path', 'content'],
      additionalProperties: false,
    });
  });

  test('names are such that every provider takes them', () => {
    for (const { name } of TOOLS) expect(name).toMatch(/^[a-z_]{1,64}$/);
  });

  test('a default makes a field optional', () => {
    expect(declareTool(TOOLS[0] ?? expect.fail()).parameters.required).toEqual(['path']);
  });

  test.each([
    ['trusted', ['read', 'write', 'run']],
    ['untrusted', ['read']],
    ['noFolder', []],
  ] as const)('a workspace that is %s leaves the tools of the classes %j', (trust, classes: readonly ToolClass[]) => {
    const settings = { recall: { tokensPerTurn: 0 }, agentTool: false, dmail: false, subagents: false };
    const left = TOOLS.filter(({ toolClass }) => classes.includes(toolClass));
    expect(
      offerTools(TOOLS, trust, settings, {
        language: createMemoryLanguage(),
        git: createMemoryGit(),
        background: NO_BACKGROUND,
        questions: NOBODY,
      }),
    ).toEqual(left);
    const without = offerTools(TOOLS, trust, settings).map(({ name }) => name);
    expect(without).not.toContain('read_output');
    expect(without).not.toContain('stop_command');
  });
});
