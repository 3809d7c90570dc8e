/** A server on this machine that cuts the prompt without a word, as Ollama does with the context it starts with. */

import assert from 'node:assert/strict';
import type { LocalServerOptions } from '../../support/localServers/localServer.ts';
import { ollama } from '../../support/localServers/ollama.ts';
import type { AnswerReply } from '../../support/modelServer/modelServerReply.ts';
import { answerByWords } from '../../support/modelServer/modelServerScript.ts';
import { entriesOf } from '../support/journals.ts';
import { ask } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';

const HOLDS = 16_384;
const lines = Array.from({ length: 300 }, (_, i) => `- note ${i}: retries wait longer each time, up to a limit`);
const FILES = { 'long.md': lines.join('\n') };

/** Reads the file so many times, a request each, and then answers. */
function reader(times: number): LocalServerOptions['answer'] {
  let asked = 0;
  return ({ body }): AnswerReply => {
    if (body.tools === undefined || body.tool_choice === 'none') {
      const summary = answerByWords({ ...body, tools: undefined });
      return summary.kind === 'answer' ? summary : { kind: 'answer', text: 'Notes on retries.' };
    }
    if (body.max_tokens === 1) return { kind: 'answer', text: '.' };
    const call = { name: 'read_file', arguments: { path: 'long.md' } };
    return asked++ < times
      ? { kind: 'answer', text: 'Reading the notes.', calls: [call] }
      : { kind: 'answer', text: 'The notes say that retries wait longer each time.' };
  };
}

test('a server that cuts the prompt is noticed, told with its setting, and compacted for', { tag: '@B17' }, async ({
  startHost,
  startLocalServer,
  makeFolder,
  capture,
}) => {
  const local = await startLocalServer(ollama(), { startsWith: HOLDS, answer: reader(6) });
  const host = await startHost({
    share: true,
    folder: makeFolder(FILES),
    // What a person may have set in the belief that the server holds what its model was made for.
    settings: { ...local.settings, 'palimpsest.contextWindow': 131_072 },
  });
  const { panel } = host;
  await ask(panel, 'read the notes until you know them');
  const notice = panel.locator('.row.notice', { hasText: 'num_ctx' });
  await expect(notice).toHaveCount(1);
  await expect(notice).toContainText('Ollama read only');
  await expect(notice).toContainText('16,384');
  await panel.locator('.row.assistant', { hasText: 'retries wait longer each time' }).last().waitFor();
  assert.equal(entriesOf(host, 'compaction')[0]?.trigger, 'overflow');
  // One request was cut, and none after it.
  assert.equal(local.prompts.filter(({ sent, read }) => read < sent).length, 1);
  await notice.scrollIntoViewIfNeeded();
  await capture('cut-01-noticed');
  const meter = panel.locator('button.meter');
  await expect(meter).toHaveText(/16\.4k|16,384|16k/);
  await meter.click();
  await expect(panel.locator('.breakdown')).toContainText('refused or cut anything longer');
  await capture('cut-02-meter');
});

test('a server that holds less than the instructions alone', { tag: '@B17' }, async ({
  startHost,
  startLocalServer,
  makeFolder,
  capture,
}) => {
  const local = await startLocalServer(ollama(), { startsWith: 1_024, answer: reader(0) });
  const host = await startHost({ share: true, folder: makeFolder(FILES), settings: local.settings });
  const { panel } = host;
  await ask(panel, 'what do the notes say?');
  const notice = panel.locator('.row.notice', { hasText: 'num_ctx' });
  await expect(notice).toHaveCount(1);
  await expect(panel.locator('.row.assistant')).toHaveCount(0);
  await expect(panel.locator('body')).toContainText('Still about');
  await capture('cut-03-too-small');
  // What the server says of itself is known from now on, and stands in the meter.
  await panel.locator('button.meter').click();
  await expect(panel.locator('.breakdown')).toContainText(/server (says|refused)/);
  await capture('cut-04-server-says');
});
