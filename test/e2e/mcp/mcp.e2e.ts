/**
 * MCP servers in the real editor: one of the person's own and one that the folder names, which starts only after they
 * allowed it; a call that asks, is allowed for good and asks no more; a tool that is taken from the model.
 */

import { join } from 'node:path';
import { ROOT } from '../../../scripts/paths.ts';
import { asText, listOf, objectOf } from '../../../src/core/json.ts';
import { ask, send, waitUntilIdle } from '../support/panel.ts';
import { lastTurn } from '../support/requests.ts';
import { expect, test } from '../support/scenario.ts';
import { answerQuickInput, quickPick } from '../support/workbench.ts';

const program = (name: string) => join(ROOT, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);

test('MCP servers: consent, approval, tools', { tag: '@item:14' }, async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const model = await startSteeredModel();
  const files = { command: process.execPath, args: [program('filesystem'), '${workspaceFolder}'] };
  const host = await startHost({
    folder: makeFolder({ 'milk.txt': 'remember the milk\n', '.mcp.json': JSON.stringify({ mcpServers: { files } }) }),
    settings: {
      ...model.settings,
      'palimpsest.mcp.servers': { everything: { command: process.execPath, args: [program('everything')] } },
    },
  });
  const { page, panel, folder } = host;
  const tools = () =>
    listOf(lastTurn(model.server).body.tools).map((tool) => asText(objectOf(objectOf(tool).function).name));
  const result = () => lastTurn(model.server).messages.findLast(({ role }) => role === 'tool')?.text ?? '';

  // The person's own server starts with the first message; a call shows all of what it holds.
  model.planCall('mcp__everything__get-sum', { a: 2, b: 40 }, 'It is 42.');
  await send(panel, 'Add 2 and 40');
  await panel.locator('.question', { hasText: 'Allow this call to get-sum on the MCP server everything?' }).waitFor();
  await capture('mcp-1-question');
  expect(tools()).not.toContain('mcp__files__read_text_file');
  await panel.getByRole('button', { name: 'Allow always, in every session' }).click();
  await panel.getByRole('button', { name: 'Always allow', exact: true }).click();
  await waitUntilIdle(panel);
  expect(result()).toBe('The sum of 2 and 40 is 42.');

  // A resource is a mention, and a prompt a command that asks for its arguments.
  const composer = panel.getByRole('combobox', { name: 'Message' });
  await composer.pressSequentially('Sum up @everything:demo://resource/static/document/feat');
  const resource = panel.getByRole('listbox', { name: 'Context to mention' }).getByRole('option', { name: /features/ });
  await resource.waitFor();
  await capture('mcp-1b-resource');
  await composer.press('Enter');
  await expect(composer).toHaveValue('Sum up @everything:demo://resource/static/document/features.md ');
  model.planReplies({ kind: 'answer', text: 'Many features.' });
  await composer.press('Enter');
  await panel.locator('.mention', { hasText: 'features.md' }).waitFor();
  await waitUntilIdle(panel);
  expect(lastTurn(model.server).text).toMatch(/<mentioned>.*\[resource demo:.*Everything Server/s);

  model.planReplies({ kind: 'answer', text: 'Sunny.' });
  await composer.pressSequentially('/everything:args');
  await panel.getByRole('option', { name: /everything:args-prompt/ }).waitFor();
  await composer.press('Tab');
  await composer.press('Enter');
  await answerQuickInput(page, '/everything:args-prompt (1/2)', 'San José');
  await answerQuickInput(page, '/everything:args-prompt (2/2)', '');
  await panel.locator('.row.user', { hasText: '/everything:args-prompt city="San José"' }).waitFor();
  await waitUntilIdle(panel);
  expect(lastTurn(model.server).text).toContain("What's weather in San José?");
  await capture('mcp-1c-prompt');

  // What was allowed for good does not ask again.
  model.planCall('mcp__everything__get-sum', { a: 1, b: 1 }, 'It is 2.');
  await ask(panel, 'And 1 and 1');
  expect(result()).toBe('The sum of 1 and 1 is 2.');

  // The folder's server waits for consent, which shows what would run.
  await send(panel, '/mcp');
  await quickPick(page, 'waits for your consent').waitFor();
  await capture('mcp-2-list');
  await quickPick(page, 'waits for your consent').click();
  await quickPick(page, 'Review and start…').click();
  const dialog = page.locator('.monaco-dialog-box');
  await expect(dialog).toContainText('server-filesystem');
  await capture('mcp-3-consent');
  // A key that was meant for something else presses the first button, which changes nothing.
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await send(panel, '/mcp');
  await quickPick(page, 'waits for your consent').click();
  await quickPick(page, 'Review and start…').click();
  await dialog.getByRole('button', { name: 'Allow', exact: true }).click();

  model.planCall('mcp__files__read_text_file', { path: join(folder, 'milk.txt') }, 'Milk.');
  await send(panel, 'What must be remembered?');
  await panel.locator('.approval').waitFor();
  await panel.getByRole('button', { name: 'Allow', exact: true }).click();
  await waitUntilIdle(panel);
  expect(result()).toContain('remember the milk');
  await panel.locator('.row.notice', { hasText: 'mcp__files__' }).first().waitFor();

  // A tool that is taken from the model is gone with the next message, and the panel says so.
  await send(panel, '/mcp');
  await quickPick(page, 'everything').click();
  await capture('mcp-4-server');
  await quickPick(page, 'Choose its tools…').click();
  await quickPick(page, 'Echoes back the input').waitFor();
  await capture('mcp-5-tools');
  await quickPick(page, 'Echoes back the input').click();
  await page.locator('.quick-input-widget', { hasText: '15 Selected' }).getByRole('button', { name: 'OK' }).click();
  model.plan('milk.txt', 1, 'Milk again.');
  await ask(panel, 'once more');
  expect(tools()).toContain('mcp__everything__get-sum');
  expect(tools()).not.toContain('mcp__everything__echo');
  await panel.locator('.row.notice', { hasText: 'mcp__everything__echo' }).waitFor();
  await capture('mcp-6-gone');

  // Another one is set up by questions, and is there at once.
  await send(panel, '/mcp');
  await quickPick(page, 'Add MCP Server…').click();
  await answerQuickInput(page, 'Its command, its address', `${process.execPath} ${program('everything')}`);
  await quickPick(page, 'Another name, variables or headers…').waitFor();
  await capture('mcp-6b-where');
  await quickPick(page, 'Another name, variables or headers…').click();
  await answerQuickInput(page, 'Its name, which the model sees', 'again');
  await answerQuickInput(page, 'Variables it needs', 'LEVEL=debug');
  await quickPick(page, 'In every folder').click();
  await page.locator('.quick-input-list .monaco-list-row', { hasText: /again.*\d+ tools/ }).waitFor();
  await capture('mcp-7-added');
  await page.keyboard.press('Escape');

  // With its command after the word; an `@` in it is no mention.
  await composer.pressSequentially('/mcp npx -y @acme/mcp-server-tides');
  await composer.press('Enter');
  await page.locator('.quick-input-widget').getByPlaceholder('tides: npx -y @acme/mcp-server-tides').waitFor();
  await capture('mcp-7b-typed');
  await page.keyboard.press('Escape');

  // During a call a server asks the person.
  model.planCall('mcp__again__trigger-elicitation-request', {}, 'Thank you.');
  await send(panel, 'Introduce me');
  await panel.getByRole('button', { name: 'Allow', exact: true }).click();
  const card = panel.locator('.question-card', { hasText: 'The MCP server again asks' });
  await card.getByText('Your full, legal name').waitFor();
  await capture('mcp-8-asks');
  await card.getByRole('textbox').fill('Ada');
  await card.getByRole('button', { name: 'Answer', exact: true }).click();
  await card.getByRole('button', { name: 'Yes' }).click();
  while ((await panel.locator('.question-card').count()) > 0) {
    const id = await panel.locator('.question-card').getAttribute('data-asks');
    await panel.getByRole('button', { name: 'No answer' }).click();
    await panel.locator(`.question-card[data-asks="${id}"]`).waitFor({ state: 'detached' });
    await page.waitForTimeout(200);
  }
  await waitUntilIdle(panel);
  expect(result()).toContain('"name": "Ada"');

  // It asks the model, too: the card shows what, and a yes for good holds until it is taken back.
  const asksModel = 'mcp__again__trigger-sampling-request';
  const planSampling = (answer: string) => {
    // To the server, a request without tools is one for a summary.
    model.summary = answer;
    model.planCall(asksModel, { prompt: 'Name a fruit', maxTokens: 40 }, 'So.');
  };
  planSampling('An apple.');
  await send(panel, 'Let it ask');
  await panel.getByRole('button', { name: 'Allow always, in every session' }).click();
  await panel.getByRole('button', { name: 'Always allow', exact: true }).click();
  const sampling = panel.locator('.question-card', { hasText: 'The MCP server again wants to ask the model' });
  await expect(sampling.locator('pre')).toHaveText(
    /^\[system\]\nYou are a helpful test server\.\n\n\[user\]\n.*Name a fruit$/s,
  );
  await expect(sampling).toContainText('up to 40 tokens');
  await capture('mcp-9-asks-model');
  await sampling.getByRole('button', { name: 'Always for this server' }).click();
  await sampling.getByRole('button', { name: 'Always allow', exact: true }).click();
  await waitUntilIdle(panel);
  expect(result()).toContain('An apple.');
  const asked = model.server.requests.at(-2)?.body;
  expect([asked?.tools, listOf(asked?.messages).length]).toEqual([undefined, 2]);
  await panel.locator('.row.notice', { hasText: 'The MCP server again asked the model' }).waitFor();
  planSampling('A pear.');
  await ask(panel, 'Once more');
  expect(result()).toContain('A pear.');

  await send(panel, '/approvals');
  await quickPick(page, 'may ask the model without asking').click();
  await quickPick(page, 'may ask the model without asking').waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  model.planReplies(
    { kind: 'answer', calls: [{ name: asksModel, arguments: { prompt: 'Name a fruit' } }] },
    { kind: 'answer', text: 'It may not.' },
  );
  await send(panel, 'And again');
  await sampling.getByRole('button', { name: 'No', exact: true }).click();
  await waitUntilIdle(panel);
  expect(result()).toContain('User rejected sampling request');
});
