/** Everyone can use the panel: axe finds nothing serious in any state, in four themes. */

import { deepEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type Axe from 'axe-core';
import {
  COMMAND_APPROVAL,
  CONSENT,
  CONVERSATION,
  checkpoint,
  dmail,
  EDIT_APPROVAL,
  FIRST_START,
  notice,
  READY,
  RUNNING,
  SESSIONS,
  user,
  WEB_APPROVAL,
} from '../../support/panelScenes.ts';
import { type OpenPanel, openAll, test } from './panelTest.ts';

test.describe('everyone can use it', () => {
  const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
  const scenes: Readonly<Record<string, (panel: OpenPanel) => Promise<void>>> = {
    'first start': (panel) => panel.show(FIRST_START, []),
    'a conversation': (panel) => panel.show(READY, CONVERSATION),
    'an edit to approve': (panel) => panel.show({ ...READY, status: 'waiting' }, [...CONVERSATION, EDIT_APPROVAL]),
    'a command to approve': (panel) => panel.show({ ...READY, status: 'waiting' }, [...CONVERSATION, COMMAND_APPROVAL]),
    'a page to approve': (panel) => panel.show({ ...READY, status: 'waiting' }, [...CONVERSATION, WEB_APPROVAL]),
    'everything opened': async (panel) => {
      await panel.show({ ...RUNNING, queue: [{ id: 'q1', text: 'and then', now: false }] }, [
        ...CONVERSATION,
        notice('e30', 'error', 'The key was not accepted.', { action: 'setKey', detail: '401' }),
      ]);
      await openAll(panel, '.row [aria-expanded=false]');
    },
    'a compaction to agree to': (panel) =>
      panel.show({ ...READY, status: 'waiting', sending: 'go on', consent: CONSENT }, CONVERSATION),
    'the meter opened': async (panel) => {
      await panel.show(READY, CONVERSATION);
      await panel.page.locator('.meter').click();
    },
    'the strategies opened': async (panel) => {
      await panel.show(READY, CONVERSATION);
      await panel.page.getByRole('button', { name: 'Compaction strategy' }).click();
    },
    'commands completed': async (panel) => {
      await panel.show(READY, CONVERSATION);
      await panel.page.locator('textarea').fill('/');
    },
    'what was gone back to': async (panel) => {
      await panel.show(READY, [
        checkpoint('e1', 'first'),
        user('m2', 'first'),
        dmail('e3', 'It was the clock.'),
        notice('e4', 'info', 'Went back to checkpoint 1.', { action: 'showBranches' }),
      ]);
      await openAll(panel, '.row [aria-expanded=false]');
      await panel.page.getByRole('button', { name: 'Edit this message' }).press('Enter');
    },
    'read only': (panel) => panel.show({ ...READY, readOnly: 'Open elsewhere.', canTakeOver: true }, CONVERSATION),
    sessions: async (panel) => {
      await panel.show(READY, CONVERSATION);
      await panel.page.locator('textarea').fill('/history');
      await panel.page.locator('textarea').press('Enter');
      await panel.deliver({ type: 'sessions', sessions: [...SESSIONS] });
    },
  };
  const all = Object.keys(scenes);
  const colourful = ['an edit to approve', 'everything opened'];
  for (const [theme, names] of [
    ['dark', all],
    ['light', colourful],
    ['contrast', colourful],
    ['contrastLight', colourful],
  ] as const) {
    test.describe(theme, () => {
      test.use({ theme });

      test(`no serious finding in ${names.length} states, ${theme}`, async ({ panel }) => {
        const findings: string[] = [];
        for (const name of names) {
          await panel.reload();
          await scenes[name]?.(panel);
          await panel.page.evaluate(axe);
          const { violations } = await panel.page.evaluate(() =>
            (window as unknown as { axe: typeof Axe }).axe.run({ resultTypes: ['violations'] }),
          );
          for (const { id, impact, nodes } of violations) {
            if (impact === 'serious' || impact === 'critical') findings.push(`${name}: ${id} ${nodes[0]?.html}`);
          }
        }
        deepEqual(findings, []);
      });
    });
  }
});
