/** A message for which no session can be made comes back, and the next one finds a session. */

import { expect, test } from 'vitest';
import { inEnglish } from '../../../src/core/words.ts';
import { Controller, type ControllerPorts } from '../../../src/host/panel/controller.ts';
import type { PanelChange } from '../../../src/host/panel/panelController.ts';

function startController(open: () => Promise<never>) {
  const told: PanelChange[] = [];
  const unused = () => {
    throw new Error('not asked for here');
  };
  const ports: ControllerPorts = {
    open,
    list: unused,
    rename: unused,
    state: unused,
    act: unused,
    remember: unused,
    say: inEnglish,
  };
  const controller = new Controller(ports);
  controller.onDidChange((change) => told.push(change));
  return { controller, told };
}

test('a text that finds no session goes back to the composer, and each message tries anew', async () => {
  let opened = 0;
  const { controller, told } = startController(() => Promise.reject(new Error(`The disk is full (${++opened})`)));
  await expect(controller.handle({ type: 'send', text: 'first' })).rejects.toThrow('The disk is full (1)');
  await expect(controller.handle({ type: 'send', text: 'second' })).rejects.toThrow('The disk is full (2)');
  expect(told).toEqual([
    { kind: 'compose', text: 'first' },
    { kind: 'compose', text: 'second' },
  ]);
});
