/** A picture that the model's server refuses: the turn is answered without it, a row says so, and the next message works. */

import assert from 'node:assert/strict';
import { pngOf } from '../../support/images.ts';
import { SCRIPTED_MODEL } from '../../support/modelServer/modelServerScript.ts';
import { ask } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';

test('a refused picture does not stop the session', { tag: '@item:13' }, async ({
  startHost,
  startSteeredModel,
  capture,
}) => {
  const model = await startSteeredModel();
  const { panel } = await startHost({
    settings: {
      'palimpsest.endpoints': [
        { id: 'sees', baseUrl: model.server.baseUrl, models: [{ name: SCRIPTED_MODEL, images: true }] },
      ],
      'palimpsest.model': `${SCRIPTED_MODEL}@sees`,
    },
  });
  await panel.locator('textarea').evaluate(
    (target, base64) => {
      const data = new DataTransfer();
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      data.items.add(new File([bytes], 'chart.png', { type: 'image/png' }));
      target.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: data }));
    },
    Buffer.from(pngOf(320, 200, 90)).toString('base64'),
  );
  await panel.getByRole('img', { name: 'chart.png' }).last().waitFor();
  model.planReplies(
    { kind: 'error', status: 400, body: { error: { message: 'Could not process the request.' } } },
    { kind: 'answer', text: 'I only know its name.' },
  );
  await ask(panel, 'what is this?');
  const withPicture = () => model.server.requests.map(({ text }) => text.includes('image_url'));
  assert.deepEqual(withPicture(), [true, false]);
  const note = panel.getByRole('log').getByText(/The endpoint refused an image \("chart\.png"/);
  await expect(note).toBeVisible();
  await capture('refused-image-01-answered');
  model.planReplies({ kind: 'answer', text: 'Still here.' });
  await ask(panel, 'and now?');
  assert.deepEqual(withPicture(), [true, false, false]);
  assert.match(model.server.requests.at(-1)?.text ?? '', /could not be sent to you: the endpoint refused it/);
  await expect(note).toHaveCount(1);
});
