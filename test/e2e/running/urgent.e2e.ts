/** `Ctrl+Enter` while messages wait: it stops the answer and is heard next, what waited follows, and nothing is lost on the way. */

import { openSession, send, waitUntilIdle } from '../support/panel.ts';
import { lastTurn } from '../support/requests.ts';
import { expect, test } from '../support/scenario.ts';
import { runCommand, typeInto } from '../support/workbench.ts';

test('what is sent with Ctrl+Enter is heard before what waits', { tag: ['@item:3', '@item:23'] }, async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const model = await startSteeredModel();
  const host = await startHost({ folder: makeFolder({ 'a.txt': 'one\n' }), settings: model.settings });
  const { page, panel } = host;
  const composer = panel.getByRole('combobox', { name: 'Message' });
  const waiting = panel.getByRole('region', { name: 'Waiting messages' });
  const texts = () => waiting.locator('li .clip').allInnerTexts();
  const heard = () =>
    lastTurn(model.server)
      .messages.filter(({ role }) => role === 'user')
      .map(({ text }) => text);
  const urgent = async (text: string) => {
    await typeInto(composer, text);
    await composer.press('ControlOrMeta+Enter');
  };
  const write = { name: 'write_file', arguments: { path: 'b.txt', content: 'two\n' } };
  const asksToWrite = { kind: 'answer', text: 'Writing.', calls: [write] } as const;

  await test.step('the urgent one is heard alone, then those that waited, in their order', async () => {
    model.planReplies(
      asksToWrite,
      { kind: 'answer', text: 'I leave it, then.' },
      { kind: 'answer', text: 'Tested.' },
      { kind: 'answer', text: 'Told.' },
    );
    await send(panel, 'Write b.txt.');
    await panel.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    await send(panel, 'Then test it.');
    await send(panel, 'Then tell me.');
    await waiting.getByText('Then tell me.').waitFor();
    await capture('urgent-1-waiting');
    const before = model.server.requests.length;
    await urgent('Not that file.');
    await panel.getByText('Told.', { exact: true }).waitFor();
    await waitUntilIdle(panel);
    await expect(waiting).toHaveCount(0);
    const users = model.server.requests.slice(before).map(({ body }) => JSON.stringify(body));
    expect(users.map((each) => ['Not that', 'Then test', 'Then tell'].filter((text) => each.includes(text)))).toEqual([
      ['Not that'],
      ['Not that', 'Then test'],
      ['Not that', 'Then test', 'Then tell'],
    ]);
    expect(await panel.locator('.row.user .user-text').allInnerTexts()).toEqual([
      'Write b.txt.',
      'Not that file.',
      'Then test it.',
      'Then tell me.',
    ]);
    await capture('urgent-2-heard');
  });

  await test.step('one that waits is sent before older ones, and stays in front of them until then', async () => {
    model.planReplies(asksToWrite, { kind: 'answer', text: 'Both are heard.' }, { kind: 'answer', text: 'And this.' });
    await send(panel, 'Write it again.');
    await panel.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    for (const text of ['Later.', 'Soon.']) await send(panel, text);
    await waiting.getByRole('button', { name: 'Send at the next step: Soon.' }).click();
    await expect.poll(texts).toEqual(['Soon.', 'Later.']);
    await waiting.locator('li').first().getByRole('img', { name: 'goes out at the next step' }).waitFor();
    await waiting.locator('li').last().getByRole('img', { name: 'waits for the current answer' }).waitFor();
    await capture('urgent-3-in-front');
    await urgent('Stop.');
    await panel.getByText('And this.', { exact: true }).waitFor();
    await waitUntilIdle(panel);
    expect(heard().slice(-3)).toEqual(['Soon.', 'Stop.', 'Later.']);
  });

  await test.step('Stop leaves the rest, a reload too, and each is sent by itself', async () => {
    model.planReplies(asksToWrite, { kind: 'answer', text: 'The second, then.' });
    await send(panel, 'Once more.');
    await panel.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    for (const text of ['First.', 'Second.']) await send(panel, text);
    await waiting.getByText('Second.').waitFor();
    await panel.getByRole('button', { name: /^Stop/ }).click();
    await waitUntilIdle(panel);
    await expect.poll(texts).toEqual(['First.', 'Second.']);
    await runCommand(page, 'Palimpsest: New Session');
    await openSession(host, 'Write b.txt.');
    await waiting.getByText('Not sent before the session was closed').waitFor();
    await capture('urgent-4-reopened');
    await waiting.getByRole('button', { name: 'Send: Second.' }).click();
    await panel.getByText('The second, then.', { exact: true }).waitFor();
    await waitUntilIdle(panel);
    expect(heard().at(-1)).toBe('Second.');
    await expect.poll(texts).toEqual(['First.']);
  });
});
