/**
 * Images from the person's clipboard, from a file and from the workspace: the model's server gets them, a compaction puts
 * a line in their place, and its undo brings them back. A model that takes none says so before anything is sent.
 */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FrameLocator } from '@playwright/test';
import { readImage } from '../../../src/core/context/imageFacts.ts';
import { asText, type Json, listOf, objectOf } from '../../../src/core/json.ts';
import { pngOf } from '../../support/images.ts';
import { SCRIPTED_MODEL } from '../../support/modelServer/modelServerScript.ts';
import { choosePath } from '../support/fileDialog.ts';
import { ask, chooseStrategy, undoCompaction } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { quickPick, runCommand } from '../support/workbench.ts';

const TAKEN_OUT =
  /\[palimpsest:\w+ image "[^"]+" \(image\/png, \d+ × \d+\) taken out; recall with id m\d+ shows it again\]/g;

/** Pastes a picture as the editor's page gets it from the clipboard. */
async function paste(panel: FrameLocator, name: string, bytes: Uint8Array): Promise<void> {
  await panel.locator('textarea').evaluate(
    (target, [file, base64]) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], file, { type: 'image/png' }));
      target.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: data }));
    },
    [name, Buffer.from(bytes).toString('base64')] as const,
  );
  await panel.getByRole('img', { name }).last().waitFor();
}

/** Sizes of the images that a request shows to the model, in order. */
function imagesIn(body: Json | undefined): readonly string[] {
  const parts = listOf(body?.messages).flatMap((message) => listOf(objectOf(message).content).map(objectOf));
  return parts.flatMap((part) => {
    const [, data] = /^data:image\/\w+;base64,(.*)$/.exec(asText(objectOf(part.image_url).url)) ?? [];
    const facts = data === undefined ? null : readImage(Buffer.from(data, 'base64'));
    return facts ? [`${facts.width} × ${facts.height}`] : [];
  });
}

test('images: pasted, read, taken out by a compaction and brought back by its undo', {
  tag: ['@everyday', '@item:13'],
}, async ({ startHost, makeFolder, startSteeredModel, capture }) => {
  const model = await startSteeredModel();
  const host = await startHost({
    share: true,
    folder: makeFolder({ 'notes.md': 'Look at chart.png.\n' }),
    settings: {
      'palimpsest.endpoints': [
        { id: 'sees', baseUrl: model.server.baseUrl, models: [{ name: SCRIPTED_MODEL, images: true }, 'blind'] },
      ],
      'palimpsest.model': `${SCRIPTED_MODEL}@sees`,
      'files.simpleDialog.enable': true,
    },
  });
  const { page, panel, folder } = host;
  writeFileSync(join(folder, 'chart.png'), pngOf(320, 200, 90));
  const last = () => model.server.requests.at(-1)?.body;

  // What is pasted is shown with its name, and goes out with the message.
  await paste(panel, 'screen.png', pngOf(3_136, 1_568, 200));
  await panel.locator('textarea').fill('what is this?');
  await capture('images-01-draft');
  model.planReplies({ kind: 'answer', text: 'A grey screen.' });
  await panel.locator('textarea').press('Enter');
  await panel.locator('.row.assistant', { hasText: 'A grey screen.' }).waitFor();
  assert.deepEqual(imagesIn(last()), ['1568 × 784']);
  await expect(panel.locator('.row.user img')).toBeVisible();
  assert.equal(await panel.locator('.composer .image').count(), 0);

  // The model looks at a file itself. Its result takes text alone, so the image follows it.
  model.planCall('read_file', { path: 'chart.png' }, 'A chart.');
  await ask(panel, 'look at chart.png');
  assert.deepEqual(imagesIn(last()), ['1568 × 784', '320 × 200']);
  await expect(panel.locator('.row.tool img')).toBeVisible();
  await capture('images-02-conversation');

  // Files are found by their names, and ignored ones are not.
  model.planCall('find_files', { glob: '*.{png,md}' }, 'Two files.');
  await ask(panel, 'which files are there?');
  assert.match(JSON.stringify(last()?.messages), /chart\.png\\nnotes\.md/);

  // A compaction leaves a line for each; undo brings both back.
  await chooseStrategy(panel, 'Hide tool results');
  await panel.locator('textarea').fill('/compact now');
  await panel.locator('textarea').press('Enter');
  await panel.getByRole('button', { name: /^Undo this compaction/ }).waitFor();
  model.planReplies({ kind: 'answer', text: 'Gone.' });
  await ask(panel, 'do you still see them?');
  assert.deepEqual(imagesIn(last()), []);
  assert.ok((JSON.stringify(last()?.messages).replaceAll('\\"', '"').match(TAKEN_OUT) ?? []).length >= 1);
  await capture('images-03-compacted');
  await undoCompaction(panel);
  model.planReplies({ kind: 'answer', text: 'Back.' });
  await ask(panel, 'and now?');
  assert.deepEqual(imagesIn(last()), ['1568 × 784', '320 × 200']);

  // Another model takes none: it is said before anything is sent, and what is sent is honest.
  await runCommand(page, 'Palimpsest: Attach Image…');
  await choosePath(page, join(folder, 'chart.png'));
  await panel.locator('.composer').getByRole('img', { name: 'chart.png' }).waitFor();
  await runCommand(page, 'Palimpsest: Choose Model…');
  await quickPick(page, 'blind').first().click();
  await panel.getByText('It is not known whether blind takes images').waitFor();
  await capture('images-04-no-images');
  model.planReplies({ kind: 'answer', text: 'I only know its name.' });
  await panel.locator('textarea').fill('and this?');
  await panel.locator('textarea').press('Enter');
  await panel.locator('.row.assistant', { hasText: 'I only know its name.' }).waitFor();
  assert.deepEqual(imagesIn(last()), []);
  assert.match(JSON.stringify(last()?.messages), /chart\.png[^[]*is not shown to you: this model takes no images/);

  // The person knows better, once for all: it is sent, until the server refuses it.
  await runCommand(page, 'Palimpsest: Attach Image…');
  await choosePath(page, join(folder, 'chart.png'));
  await panel.getByRole('button', { name: 'Always send images' }).click();
  await panel.locator('.images-note').waitFor({ state: 'detached' });
  model.planReplies({ kind: 'answer', text: 'I see it.' });
  await ask(panel, 'and now?');
  assert.ok(imagesIn(last()).length > 0);
});
