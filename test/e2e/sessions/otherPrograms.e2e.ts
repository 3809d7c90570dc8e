/**
 * Somebody who worked in this folder with other programs opens the panel: one click offers those sessions by title and age,
 * a second goes on with one. What does not fit is compacted once its price was shown and agreed to.
 */

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startCachingServer } from '../../support/modelServer/cachingServer.ts';
import { entriesOf } from '../support/journals.ts';
import { ask } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { runCommand } from '../support/workbench.ts';

const jsonl = (...lines: readonly object[]) => `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;

/** Claude Code's, of about `results` × 1,500 tokens. */
function claudeCode(cwd: string, title: string, results: number): string {
  const facts = { isSidechain: false, sessionId: title, version: '2.0.0', cwd };
  const lines: object[] = [
    { ...facts, type: 'user', uuid: '0', parentUuid: null, message: { role: 'user', content: title } },
  ];
  for (let at = 0; at < results; at++) {
    const [call, result] = [`${at}c`, `${at}r`];
    const use = { type: 'tool_use', id: call, name: 'Read', input: { file_path: `notes${at}.md` } };
    const content = `- note ${at}: retries wait longer each time\n`.repeat(120);
    lines.push(
      {
        ...facts,
        type: 'assistant',
        uuid: call,
        parentUuid: at === 0 ? '0' : `${at - 1}r`,
        message: { role: 'assistant', id: call, content: [use] },
      },
      {
        ...facts,
        type: 'user',
        uuid: result,
        parentUuid: call,
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: call, content }] },
      },
    );
  }
  const parentUuid = results === 0 ? '0' : `${results - 1}r`;
  const end = { role: 'assistant', id: 'end', content: [{ type: 'text', text: 'The retry waits too long.' }] };
  return jsonl(...lines, { ...facts, type: 'assistant', uuid: 'end', parentUuid, message: end });
}

const codex = (cwd: string, text: string) =>
  jsonl(
    { timestamp: 't', type: 'session_meta', payload: { id: text, cwd, originator: 'codex_cli_rs' } },
    {
      timestamp: 't',
      type: 'response_item',
      payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
    },
    {
      timestamp: 't',
      type: 'response_item',
      payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] },
    },
  );

const cline = (cwd: string, text: string) =>
  JSON.stringify([
    {
      role: 'user',
      content: [
        { type: 'text', text: `<task>\n${text}\n</task>` },
        {
          type: 'text',
          text: `<environment_details>\n# Current Working Directory (${cwd}) Files\na.txt\n</environment_details>`,
        },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'It says hello.' }] },
  ]);

test('sessions of other programs are offered, and go on here at a price that is shown first', {
  tag: ['@everyday', '@item:26'],
}, async ({ startHost, makeFolder, capture }) => {
  const home = makeFolder();
  const server = await startCachingServer({
    clock: { now: Date.now },
    answers: Array(20).fill({ text: 'Notes of what was read.' }),
  });
  try {
    const host = await startHost({
      env: { HOME: home, USERPROFILE: home, XDG_CONFIG_HOME: join(home, '.config') },
      settings: {
        'palimpsest.endpoints': [
          {
            id: 'priced',
            baseUrl: server.baseUrl,
            models: [{ name: 'counted', contextWindow: 20_000, price: { input: 3, output: 15 } }],
          },
        ],
        'palimpsest.model': 'counted@priced',
        'palimpsest.compaction.strategy': 'llm-summary',
      },
    });
    const { panel, folder } = host;
    const put = (path: string, content: string, hoursAgo: number) => {
      const file = join(home, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      const time = Date.now() / 1_000 - hoursAgo * 3_600 - 60;
      utimesSync(file, time, time);
      return file;
    };
    const projects = `.claude/projects/${folder.replace(/[^a-zA-Z0-9]/g, '-')}`;
    const large = put(`${projects}/large.jsonl`, claudeCode(folder, 'Why does the retry wait so long?', 20), 2);
    const before = readFileSync(large, 'utf8');
    put(`${projects}-other/other.jsonl`, claudeCode(`${folder}/other`, 'In another folder', 0), 0);
    put('.codex/sessions/2026/01/02/rollout-1.jsonl', codex(folder, '<b>Write</b> a changelog'), 30);
    put('.codex/sessions/2026/01/02/rollout-2.jsonl', codex('/elsewhere', 'Of another folder'), 1);
    const tasks = 'User/globalStorage/saoudrizwan.claude-dev/tasks';
    put(`.config/Code/${tasks}/1/api_conversation_history.json`, cline(folder, 'Say hello'), 80);

    await capture('other-programs-1-empty');
    await panel.getByRole('button', { name: 'Go on with a session of another program' }).click();
    const listed = panel.locator('.elsewhere .session-open');
    await expect(listed).toHaveText([
      /^\s*Why does the retry wait so long\?\s+Claude Code · 2 hours ago\s*$/,
      /^\s*<b>Write<\/b> a changelog\s+Codex · yesterday\s*$/,
      /^\s*Say hello\s+Cline · 3 days ago\s*$/,
    ]);
    await capture('other-programs-2-offered');
    assert.deepEqual(entriesOf(host, 'session'), []);

    await listed.nth(0).press('Enter');
    const card = panel.locator('.consent');
    await expect(card).toContainText(/The summary takes .* and costs? about \$0\.\d+\./);
    await capture('other-programs-3-price');
    assert.equal(server.requests.length, 0);
    const said = Number(/about \$(\d+\.\d+)/.exec((await card.textContent()) ?? '')?.[1]);
    await card.getByRole('button', { name: /^Compact/ }).click();
    const row = panel.locator('.row.compaction');
    await row.waitFor();
    await capture('other-programs-4-compacted');
    const cost = entriesOf(host, 'compaction')[0]?.cost?.amount ?? 0;
    assert.ok(cost > said / 3 && cost < said * 3, `${said} was said, and it cost ${cost}`);
    await ask(panel, 'and now?');
    await panel.locator('.row.assistant', { hasText: 'Notes of what was read.' }).last().waitFor();
    assert.equal(readFileSync(large, 'utf8'), before);

    // Chosen again, it is the same session, and not a second copy of it.
    await runCommand(host.page, 'Palimpsest: New Session');
    await panel.getByRole('button', { name: 'Go on with a session of another program' }).click();
    await expect(listed.nth(0)).toContainText('already goes on here');
    await listed.nth(0).press('Enter');
    await panel.locator('.row.user', { hasText: 'and now?' }).waitFor();
    assert.equal(entriesOf(host, 'session').length, 1);
    assert.deepEqual(readdirSync(join(home, projects)), ['large.jsonl']);
  } finally {
    await server.close();
  }
});
