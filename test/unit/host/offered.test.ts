/** An editor that lacks a newer part of VS Code loses what needs it, and nothing else. */

import { expect, test } from 'vitest';
import type * as vscode from 'vscode';
import { WatchedTerminals } from '../../../src/host/mentions/watchedTerminals.ts';
import { languageModelsOf } from '../../../src/host/models/extensions/extensionModels.ts';
import { eventOf, offered } from '../../../src/host/offered.ts';

/** As it is in an editor that has none of what is asked for, and in one that refuses each question. */
const EDITORS = [{}, refusing()] as unknown as (typeof vscode)[];

function refusing(): object {
  const refuse = () => {
    throw new Error('not in this editor');
  };
  return { lm: new Proxy({}, { get: refuse }), window: new Proxy({}, { get: refuse }) };
}

test.each(EDITORS)('without models of other extensions there is none: %#', async (editor) => {
  const models = languageModelsOf(editor);
  expect(await models.selectChatModels()).toEqual([]);
  models.onDidChangeChatModels(() => expect.unreachable()).dispose();
});

test.each(EDITORS)('without events of shells no terminal has an output: %#', async ({ window }) => {
  const terminals = new WatchedTerminals(window);
  expect(terminals.hasOutput).toBe(false);
  expect(await terminals.lastOutput()).toBeNull();
  terminals.dispose();
});

test('what is there is used as it is', async () => {
  const heard: number[] = [];
  const event: vscode.Event<number> = (listener) => {
    listener(1);
    return { dispose: () => heard.push(2) };
  };
  eventOf(() => event)((value) => heard.push(value)).dispose();
  expect(heard).toEqual([1, 2]);
  expect(offered(() => 'part')).toBe('part');
});
