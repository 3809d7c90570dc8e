/** Images: attached, made small, named, kept with the draft, sent once, and shown again from the session. */

import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { expect } from '@playwright/test';
import { readImage } from '../../../src/core/context/imageFacts.ts';
import type { ImageToSend } from '../../../src/protocol/kept.ts';
import type { PanelState, ToHost } from '../../../src/protocol/messages.ts';
import { pngOf } from '../../support/images.ts';
import { CONVERSATION, READY, RUNNING, user } from '../../support/panelScenes.ts';
import { type OpenPanel, ofType, test } from './panelTest.ts';

const BLOB = 'a'.repeat(64);
const composer = ({ page }: OpenPanel) => page.locator('.composer textarea');
const chips = ({ page }: OpenPanel) => page.locator('.composer-box .image');

/** Pastes or drops files as the editor's page gets them. */
async function give(
  { page }: OpenPanel,
  kind: 'paste' | 'drop',
  files: readonly { readonly name: string; readonly type: string; readonly bytes: Uint8Array }[],
  texts: Readonly<Record<string, string>> = {},
): Promise<void> {
  const given = files.map(({ name, type, bytes }) => ({ name, type, base64: Buffer.from(bytes).toString('base64') }));
  await page.evaluate(
    ([how, list, said]) => {
      const data = new DataTransfer();
      for (const { name, type, base64 } of list) {
        data.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name, { type }));
      }
      for (const [type, text] of Object.entries(said)) data.setData(type, text);
      const target = document.querySelector('textarea');
      const options = { bubbles: true, cancelable: true };
      target?.dispatchEvent(
        how === 'paste'
          ? new ClipboardEvent('paste', { ...options, clipboardData: data })
          : new DragEvent('drop', { ...options, dataTransfer: data }),
      );
    },
    [kind, given, texts] as const,
  );
}

const png = (name: string, width = 60, height = 40) => ({ name, type: 'image/png', bytes: pngOf(width, height) });

async function sent(panel: OpenPanel): Promise<Extract<ToHost, { type: 'send' }> | undefined> {
  return ofType(await panel.posted(), 'send').at(-1) as Extract<ToHost, { type: 'send' }> | undefined;
}

const factsOf = (image: ImageToSend | undefined) =>
  image?.kind === 'new' ? readImage(Buffer.from(image.data, 'base64')) : null;

test.describe('an image', () => {
  test('is pasted, drawn small, named for everybody, and sent once with the message', async ({ panel }) => {
    await panel.show(READY, CONVERSATION);
    await give(panel, 'paste', [png('screen.png', 3_000, 1_500)]);
    await chips(panel).waitFor();
    equal(await panel.page.getByRole('list', { name: 'Attached images' }).count(), 1);
    const picture = panel.page.getByRole('img', { name: 'screen.png' });
    await picture.waitFor();
    match((await picture.getAttribute('src')) ?? '', /^blob:/);
    // It is really drawn: the policy of the page allows it.
    await panel.page.waitForFunction(() => (document.querySelector('.image img') as HTMLImageElement).naturalWidth > 0);
    await composer(panel).fill('what is this?');
    await composer(panel).press('Enter');
    const message = await sent(panel);
    equal(message?.text, 'what is this?');
    deepEqual(
      message?.images?.map(({ name }) => name),
      ['screen.png'],
    );
    deepEqual(factsOf(message?.images?.[0]), { mime: 'image/png', width: 1_568, height: 784 });
    await panel.deliver();
    equal(await chips(panel).count(), 0);
    await composer(panel).fill('and now?');
    await composer(panel).press('Enter');
    equal((await sent(panel))?.images, undefined);
  });

  test('is dropped; a file of the tree is asked for; what is no image is refused with its name', async ({ panel }) => {
    await panel.show(READY, CONVERSATION);
    await give(panel, 'drop', [png('dropped.png')]);
    await chips(panel).waitFor();
    await give(panel, 'drop', [], { 'text/uri-list': 'file:///w/chart.png\r\nfile:///w/notes.md' });
    deepEqual(ofType(await panel.posted(), 'attachFiles'), [{ type: 'attachFiles', uris: ['file:///w/chart.png'] }]);
    const data = Buffer.from(pngOf(8, 8)).toString('base64');
    await panel.deliver({ type: 'attach', images: [{ name: 'chart.png', data }] });
    await chips(panel).nth(1).waitFor();
    await give(panel, 'drop', [{ name: 'x.svg', type: 'image/svg+xml', bytes: Buffer.from('<svg onload="x()"/>') }]);
    await panel.page.getByRole('alert').getByText('x.svg is not attached').waitFor();
    equal(await chips(panel).count(), 2);
  });

  test('that comes beside a text is left alone: the text is what was copied', async ({ panel }) => {
    await panel.show(READY, CONVERSATION);
    await give(panel, 'paste', [png('table.png')], { 'text/plain': 'a\tb' });
    await panel.deliver();
    equal(await chips(panel).count(), 0);
  });

  test('is taken out by its own button, and comes back with a message that could not be sent', async ({ panel }) => {
    await panel.show(READY, CONVERSATION);
    await give(panel, 'paste', [png('one.png')]);
    await chips(panel).waitFor();
    await give(panel, 'paste', [png('two.png')]);
    await chips(panel).nth(1).waitFor();
    await panel.page.getByRole('button', { name: 'Remove one.png' }).click();
    await panel.deliver();
    equal(await chips(panel).count(), 1);
    equal(await panel.page.evaluate(() => document.activeElement?.localName), 'textarea');
    await panel.page.getByRole('button', { name: 'Send (Enter)' }).click();
    deepEqual((await sent(panel))?.text, '');
    await panel.deliver();
    equal(await chips(panel).count(), 0);
    await panel.deliver({ type: 'compose', text: '' });
    await panel.page.getByRole('img', { name: 'two.png' }).waitFor();
  });

  test('survives a reload of the panel with the draft', async ({ panel }) => {
    await panel.show(READY, CONVERSATION);
    await give(panel, 'paste', [png('kept.png')]);
    await chips(panel).waitFor();
    await composer(panel).fill('half a thought');
    await panel.reload();
    await panel.show(READY, CONVERSATION);
    await expect(composer(panel)).toHaveValue('half a thought');
    await panel.page.getByRole('img', { name: 'kept.png' }).waitFor();
  });

  test('for a model that takes none is said to be only named, before it is sent', async ({ panel }) => {
    const blind: PanelState = { ...READY, images: 'no' };
    await panel.show(blind, CONVERSATION);
    equal(await panel.page.locator('.images-note').count(), 0);
    await give(panel, 'paste', [png('screen.png')]);
    await panel.page.getByRole('status').getByText('example-large does not accept images').waitFor();
    await panel.deliver({ type: 'state', state: READY });
    equal(await panel.page.locator('.images-note').count(), 0);
  });

  test('for a model of unknown abilities can be sent anyway, and what the person says is kept', async ({ panel }) => {
    const unknown: PanelState = { ...READY, images: 'unknown' };
    await panel.show(unknown, CONVERSATION);
    await give(panel, 'paste', [png('screen.png')]);
    await panel.page.getByText('It is not known whether example-large takes images').waitFor();
    await panel.posted();
    await panel.page.getByRole('button', { name: 'Always send images' }).click();
    deepEqual(await panel.posted(), [{ type: 'takesImages', lasting: true }]);
    await panel.deliver({ type: 'state', state: unknown });
    await composer(panel).fill('what is this?');
    await panel.page.getByRole('button', { name: 'Send with images' }).click();
    const [first, second] = await panel.posted();
    deepEqual(first, { type: 'takesImages', lasting: false });
    ok(second?.type === 'send' && second.text === 'what is this?' && second.images?.length === 1);
  });

  test('is one of at most ten', async ({ panel }) => {
    await panel.show(READY, CONVERSATION);
    await give(
      panel,
      'paste',
      Array.from({ length: 11 }, (_, i) => png(`${i}.png`, 4, 4)),
    );
    await panel.page.getByRole('alert').getByText('at most 10 images. 10.png was not attached').waitFor();
    equal(await chips(panel).count(), 10);
  });

  test('of a message that was sent is asked for once, shown in its row, and kept when the message is edited', async ({
    panel,
  }) => {
    const images = [{ blob: BLOB, name: 'shot.png', width: 60, height: 40 }];
    await panel.show(READY, [user('m2', 'see', { images })]);
    await panel.deliver();
    deepEqual(ofType(await panel.posted(), 'loadImage'), [{ type: 'loadImage', blob: BLOB }]);
    const data = Buffer.from(pngOf(60, 40)).toString('base64');
    await panel.deliver({ type: 'image', blob: BLOB, mime: 'image/png', data });
    match((await panel.page.locator('[data-row="m2"] img').getAttribute('src')) ?? '', /^blob:/);
    await panel.page.locator('[data-row="m2"]').hover();
    await panel.page.getByRole('button', { name: 'Edit this message' }).click();
    await chips(panel).waitFor();
    const edited = panel.page.getByRole('combobox', { name: 'New text' });
    await edited.fill('see again');
    await edited.press('Enter');
    const message = await sent(panel);
    deepEqual(message, {
      type: 'send',
      text: 'see again',
      replaces: 'm2',
      images: [{ kind: 'sent', name: 'shot.png', blob: BLOB }],
    });
    ok(!(await panel.posted()).some(({ type }) => type === 'loadImage'));
  });

  test('that is pasted right before Enter goes with the message', async ({ panel }) => {
    await panel.show(READY, CONVERSATION);
    await composer(panel).fill('quick');
    await give(panel, 'paste', [png('late.png', 2_000, 2_000)]);
    await composer(panel).press('Enter');
    await panel.page.waitForFunction(() => document.querySelector('textarea')?.value === '');
    deepEqual(
      (await sent(panel))?.images?.map(({ name }) => name),
      ['late.png'],
    );
  });

  test('comes back from the queue with its message, and is not doubled', async ({ panel }) => {
    await panel.show(RUNNING, CONVERSATION);
    await give(panel, 'paste', [png('later.png')]);
    await chips(panel).waitFor();
    await composer(panel).fill('and this?');
    await composer(panel).press('Enter');
    deepEqual((await sent(panel))?.images?.length, 1);
    await panel.deliver({ type: 'state', state: { ...RUNNING, queue: [{ id: 'q1', text: 'and this?', now: false }] } });
    equal(await chips(panel).count(), 0);
    await panel.deliver({ type: 'compose', text: 'and this?', images: [{ name: 'later.png', blob: BLOB }] });
    equal(await chips(panel).count(), 1);
    await expect(composer(panel)).toHaveValue('and this?');
  });

  test('is chosen by a button that says what it does', async ({ panel }) => {
    await panel.show(READY, CONVERSATION);
    await panel.page.getByRole('button', { name: /^Attach an image/ }).click();
    deepEqual(ofType(await panel.posted(), 'attachImage'), [{ type: 'attachImage' }]);
  });
});
