/**
 * Sessions in the formats of other programs, written here, are imported through the dialog and read in the panel, and the
 * journal says where they come from. Files that are cut off, or hold no session, are reported.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import { choosePath, REFUSAL } from '../support/fileDialog.ts';
import { entriesOf } from '../support/journals.ts';
import { ask } from '../support/panel.ts';
import { expect, type ScriptedModel, test } from '../support/scenario.ts';
import { runCommand, waitForToast } from '../support/workbench.ts';

const settingsFor = ({ settings }: ScriptedModel) => ({
  ...settings,
  'palimpsest.contextWindow': 100_000,
  'files.simpleDialog.enable': true,
});

const jsonl = (...lines: readonly object[]) => `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
const asked = (program: string) => `a question to ${program}`;

/** In the format of each program: a question, a call that reads a.txt, an answer. */
const FORMATS: readonly { readonly format: string; readonly file: string; readonly content: string }[] = [
  { format: 'claudeCode', file: 'claude/5f0c.jsonl', content: claudeCode() },
  { format: 'codex', file: 'codex/rollout-2026.jsonl', content: codex() },
  { format: 'pi', file: 'pi/2026_5f0c.jsonl', content: pi() },
  { format: 'kimi', file: 'kimi/context.jsonl', content: kimi() },
  { format: 'kimiWire', file: 'kimi/wire.jsonl', content: kimiWire() },
  { format: 'cline', file: 'cline/api_conversation_history.json', content: JSON.stringify(cline('Cline')) },
  { format: 'cline', file: 'roo/api_conversation_history.json', content: JSON.stringify(cline('Roo')) },
];

async function importFile(page: Page, path: string): Promise<void> {
  await runCommand(page, 'Palimpsest: Import Session');
  await choosePath(page, path);
}

function put(folder: string, name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

for (const { format, file, content } of FORMATS) {
  const [program = '', name = ''] = file.split('/');
  test(`a session of another program, in its form: ${file}`, async ({
    startHost,
    startScriptedModel,
    makeFolder,
    capture,
  }) => {
    const host = await startHost({ share: true, settings: settingsFor(await startScriptedModel()) });
    const { page, panel } = host;
    await importFile(page, put(makeFolder(), file, content));
    await expect(panel.locator('.row.user')).toHaveText(new RegExp(asked(program), 'i'));
    await panel.locator('.row.tool', { hasText: 'a.txt' }).waitFor();
    await panel.locator('.row.assistant', { hasText: 'It says hello.' }).waitFor();
    await expect.poll(() => entriesOf(host, 'session')[0]?.importedFrom).toMatchObject({ format, name });
    await capture(`import-1-${format}-${program}`);
    // It can be continued like any other session.
    await ask(panel, 'list the folder');
    await panel.locator('.row.assistant', { hasText: 'Scripted model: you wrote “list' }).waitFor();
  });
}

test('orders of an imported session hold once they are chosen, and pasted text is none', async ({
  startHost,
  startScriptedModel,
  makeFolder,
  capture,
}) => {
  const host = await startHost({ share: true, settings: settingsFor(await startScriptedModel()) });
  const { page, panel } = host;
  const said = (content: string) => ({
    type: 'response_item',
    payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: content }] },
  });
  const file = jsonl(
    { type: 'session_meta', payload: { id: '5f0c', cwd: '/work' } },
    said('Never touch src/legacy. Always use tabs.\n<user_instructions>\nAlways push to main.\n</user_instructions>'),
    {
      type: 'response_item',
      payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'It says hello.' }] },
    },
  );
  await importFile(page, put(makeFolder(), 'orders/rollout.jsonl', file));
  const items = page.locator('.quick-input-list .monaco-list-row');
  await expect(items).toHaveCount(2);
  await expect(items.nth(0)).toContainText('Never touch src/legacy.');
  await capture('import-orders');
  await items.nth(0).click();
  await page.keyboard.press('Enter');
  const accepted = () => entriesOf(host, 'importedOrders').map(({ orders }) => orders.map(({ text }) => text));
  await expect.poll(accepted).toEqual([['Never touch src/legacy.']]);
  // Shown again, it is not asked again.
  await runCommand(page, 'Palimpsest: New Session');
  const composer = panel.locator('.composer textarea');
  await composer.fill('Never rename files. ');
  await composer.evaluate((field: HTMLTextAreaElement) => {
    const text = 'Always push to main.';
    field.dispatchEvent(new InputEvent('beforeinput', { inputType: 'insertFromPaste', data: text }));
    field.setRangeText(text, field.value.length, field.value.length, 'end');
    field.dispatchEvent(new InputEvent('input', { inputType: 'insertFromPaste', data: text, bubbles: true }));
  });
  await composer.press('Enter');
  await panel.locator('.row.assistant', { hasText: 'Scripted model' }).waitFor();
  const own = () =>
    entriesOf(host, 'message').flatMap(({ message }) =>
      message.role === 'user' && message.kind === 'user' ? [message.parts] : [],
    );
  await expect.poll(own).toContainEqual([
    { by: 'person', length: 'Never rename files. '.length },
    { by: 'pasted', length: 'Always push to main.'.length },
  ]);
});

/** What is left of a file, and the reason that is given beside what could be read of it. */
const CUT: readonly {
  readonly what: string;
  readonly file: string;
  readonly content: () => string | Uint8Array;
  readonly program: string;
  readonly reason: string;
}[] = [
  {
    what: 'in a line',
    file: 'cut/rollout.jsonl',
    content: () => codex().slice(0, -20),
    program: 'codex',
    reason: 'not JSON',
  },
  {
    what: 'in a list',
    file: 'cut/api_conversation_history.json',
    content: () => JSON.stringify(cline('Cline'), null, 1).slice(0, -40),
    program: 'cline',
    reason: 'cut off',
  },
  {
    what: 'while it is packed',
    file: 'cut/claude.jsonl.gz',
    content: () => gzipSync(claudeCode()).subarray(0, -8),
    program: 'claude',
    reason: 'unexpected end of file',
  },
];

for (const { what, file, content, program, reason } of CUT) {
  test(`a file that is cut off ${what}`, async ({ startHost, startScriptedModel, makeFolder, capture }) => {
    const { page, panel } = await startHost({ share: true, settings: settingsFor(await startScriptedModel()) });
    const path = put(makeFolder(), file, content());
    await importFile(page, path);
    await panel.locator('.row.user', { hasText: new RegExp(asked(program), 'i') }).waitFor();
    await expect(await waitForToast(page, path)).toContainText(reason);
    await capture(`import-2-cut-${program}`);
  });
}

/** Files that are no sessions, and what is said of each. */
const NONE: readonly { readonly file: string; readonly content: string; readonly said: readonly string[] }[] = [
  ...[
    { file: 'none/empty.jsonl', content: '' },
    { file: 'none/garbage.jsonl', content: '\u0000\u0001\u0002 no session' },
    { file: 'none/log.jsonl', content: jsonl({ level: 'info', msg: 'started' }) },
  ].map((none) => ({ ...none, said: ['holds no recorded session', 'Claude Code; Codex; pi; Kimi CLI'] })),
  {
    file: 'none/ui_messages.json',
    content: JSON.stringify([{ ts: 1, type: 'say', say: 'text', text: 'hi' }]),
    said: ['api_conversation_history.json'],
  },
];

for (const { file, content, said } of NONE) {
  test(`a file that is no session: ${file}`, async ({ startHost, startScriptedModel, makeFolder, capture }) => {
    const { page } = await startHost({ share: true, settings: settingsFor(await startScriptedModel()) });
    const path = put(makeFolder(), file, content);
    await importFile(page, path);
    const toast = await waitForToast(page, path);
    for (const text of said) await expect(toast).toContainText(text);
    await capture(`import-3-${file.replace('/', '-')}`);
  });
}

test('a file that is not there is refused by the dialog itself', async ({
  startHost,
  startScriptedModel,
  makeFolder,
}) => {
  const { page } = await startHost({ share: true, settings: settingsFor(await startScriptedModel()) });
  await importFile(page, join(makeFolder(), 'none/missing.jsonl'));
  await page.getByText(REFUSAL).first().waitFor();
  await page.keyboard.press('Escape');
});

function claudeCode(): string {
  const line = (uuid: string, parentUuid: string | null, role: string, content: unknown, more: object = {}) => ({
    type: role,
    uuid,
    parentUuid,
    isSidechain: false,
    sessionId: 's',
    version: '2.0.0',
    message: { role, content, ...more },
  });
  return jsonl(
    { type: 'file-history-snapshot', messageId: 'm', snapshot: {} },
    line('1', null, 'user', asked('claude')),
    line('2', '1', 'assistant', [{ type: 'thinking', thinking: 'Look first.', signature: 'x' }], { id: 'a' }),
    line('3', '2', 'assistant', [{ type: 'tool_use', id: 't', name: 'Read', input: { file_path: 'a.txt' } }], {
      id: 'a',
    }),
    line('4', '3', 'user', [{ type: 'tool_result', tool_use_id: 't', content: 'hello' }]),
    line('5', '4', 'assistant', [{ type: 'text', text: 'It says hello.' }], { id: 'b' }),
  );
}

function codex(): string {
  const item = (payload: object) => ({ timestamp: '2026-01-01T00:00:00.000Z', type: 'response_item', payload });
  return jsonl(
    {
      timestamp: '2026-01-01T00:00:00.000Z',
      type: 'session_meta',
      payload: { id: 's', cwd: '/x', originator: 'codex_cli_rs' },
    },
    item({
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: '<environment_context>x</environment_context>' }],
    }),
    item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: asked('codex') }] }),
    item({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'Look first.' }], encrypted_content: 'x' }),
    item({ type: 'function_call', name: 'shell', arguments: '{"command":["cat","a.txt"]}', call_id: 'c' }),
    item({ type: 'function_call_output', call_id: 'c', output: '{"output":"hello","metadata":{"exit_code":0}}' }),
    item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'It says hello.' }] }),
    {
      timestamp: '2026-01-01T00:00:01.000Z',
      type: 'event_msg',
      payload: { type: 'agent_message', message: 'It says hello.' },
    },
  );
}

function pi(): string {
  const line = (id: string, parentId: string | null, message: object) => ({ type: 'message', id, parentId, message });
  return jsonl(
    { type: 'session', version: 3, id: 's', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/x' },
    line('1', null, { role: 'user', content: asked('pi') }),
    line('2', '1', {
      role: 'assistant',
      content: [{ type: 'toolCall', id: 't', name: 'read', arguments: { path: 'a.txt' } }],
      stopReason: 'toolUse',
    }),
    line('3', '2', {
      role: 'toolResult',
      toolCallId: 't',
      toolName: 'read',
      content: [{ type: 'text', text: 'hello' }],
    }),
    line('4', '3', { role: 'assistant', content: [{ type: 'text', text: 'It says hello.' }], stopReason: 'stop' }),
  );
}

function kimi(): string {
  return jsonl(
    { role: '_system_prompt', content: 'You are Kimi.' },
    { role: '_checkpoint', id: 0 },
    { role: 'user', content: asked('kimi') },
    {
      role: 'assistant',
      content: [{ type: 'think', think: 'Look first.' }],
      tool_calls: [{ type: 'function', id: 't', function: { name: 'ReadFile', arguments: '{"path":"a.txt"}' } }],
    },
    { role: '_usage', token_count: 900 },
    { role: 'tool', content: [{ type: 'text', text: 'hello' }], tool_call_id: 't' },
    { role: 'assistant', content: [{ type: 'text', text: 'It says hello.' }] },
  );
}

function kimiWire(): string {
  const event = (type: string, payload: object = {}) => ({ timestamp: 1.5, message: { type, payload } });
  return jsonl(
    { type: 'metadata', protocol_version: '1.9' },
    event('TurnBegin', { user_input: asked('kimi') }),
    event('StepBegin', { n: 1 }),
    event('ToolCall', { type: 'function', id: 't', function: { name: 'ReadFile', arguments: '{"path":"a.txt"}' } }),
    event('ToolResult', { tool_call_id: 't', return_value: { is_error: false, output: 'hello' } }),
    event('StepBegin', { n: 2 }),
    event('ContentPart', { type: 'text', text: 'It says hello.' }),
    event('TurnEnd'),
  );
}

/** Cline with the API's tool calls; Roo with tags in the text, as older tasks of both programs have them. */
function cline(program: 'Cline' | 'Roo'): object[] {
  const task = { type: 'text', text: `<task>\n${asked(program)}\n</task>` };
  const environment = { type: 'text', text: '<environment_details>\nopen: a.txt\n</environment_details>' };
  const call =
    program === 'Cline'
      ? { type: 'tool_use', id: 't', name: 'read_file', input: { path: 'a.txt' } }
      : { type: 'text', text: 'I look.\n<read_file>\n<path>a.txt</path>\n</read_file>' };
  const result =
    program === 'Cline'
      ? { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'hello' }] }
      : { type: 'text', text: "[read_file for 'a.txt'] Result:\nhello" };
  return [
    { role: 'user', content: [task, environment], ts: 1 },
    { role: 'assistant', content: [call], ts: 2 },
    { role: 'user', content: [result, environment], ts: 3 },
    { role: 'assistant', content: [{ type: 'text', text: 'It says hello.' }], ts: 4 },
  ];
}
