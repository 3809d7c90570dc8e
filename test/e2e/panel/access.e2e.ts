/** Everyone can use the panel: axe finds nothing in any state, in four themes; nothing moves for who wants that; any script; what is read out. */

import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type Axe from 'axe-core';
import { MENTION_ICONS } from '../../../src/protocol/messages.ts';
import type { Row } from '../../../src/protocol/rows.ts';
import {
  assistant,
  COMMAND_APPROVAL,
  CONSENT,
  CONVERSATION,
  changes,
  checkpoint,
  compaction,
  dmail,
  EDIT_APPROVAL,
  FIRST_START,
  notice,
  READY,
  RUNNING,
  SELECTED,
  SESSIONS,
  tool,
  user,
  WEB_APPROVAL,
} from '../../support/panelScenes.ts';
import { type OpenPanel, openAll, test } from './panelTest.ts';

test.describe('everyone can use it', () => {
  const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
  const scenes: Readonly<Record<string, (panel: OpenPanel) => Promise<void>>> = {
    'first start': (panel) => panel.show(FIRST_START, []),
    'a conversation': (panel) => panel.show({ ...READY, selection: SELECTED }, CONVERSATION),
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
    'mentions completed': async (panel) => {
      await panel.show(READY, CONVERSATION);
      await panel.page.locator('textarea').fill('@');
      const choices = MENTION_ICONS.map((icon) => ({ insert: `@${icon}`, label: icon, detail: '', icon, more: false }));
      await panel.deliver({ type: 'mentionChoices', typed: '', choices });
    },
    'what was gone back to': async (panel) => {
      await panel.show({ ...READY, selection: { ...SELECTED, on: false, isNew: false } }, [
        checkpoint('e1', 'first'),
        user('m2', 'first', { checkpoint: 0 }),
        dmail('e3', 'It was the clock.'),
        changes('e3a', '8 files, +120 −34'),
        notice('e4', 'info', 'Went back to checkpoint 1.', { action: 'showBranches' }),
      ]);
      await openAll(panel, '.row [aria-expanded=false]');
      await panel.page.getByRole('button', { name: 'Edit this message' }).press('Enter');
      const files = [{ path: 'src/retry.ts', effect: 'restored' as const }];
      await panel.deliver({ type: 'editPreview', rowId: 'm2', files, back: 1, more: 0, incomplete: true });
      await panel.page.getByRole('button', { name: 'Show files' }).press('Enter');
    },
    'read only': (panel) => panel.show({ ...READY, readOnly: 'Open elsewhere.', canTakeOver: true }, CONVERSATION),
    'many calls in one line, and failed ones': async (panel) => {
      const calls = Array.from({ length: 8 }, (_, n) => tool(`m1.${n}`, 'read_file', `src/${n}.ts`));
      const failed = { kind: 'command', command: 'npm test', exitCode: 1 } as const;
      await panel.show(READY, [
        user('m0', 'look'),
        ...calls,
        assistant('m2', 'See `src/a.ts`.\n\n```ts\nlet a;\n```'),
        tool('m2.0', 'run_command', 'npm test', { status: 'failed', detail: failed }),
      ]);
      await panel.page.locator('.row.group .tool-toggle').click();
      await panel.deliver();
    },
    'finding a text': async (panel) => {
      await panel.show(READY, CONVERSATION);
      await panel.deliver({ type: 'act', act: 'find' });
      await panel.page.getByRole('textbox', { name: 'Find in the conversation' }).fill('the');
      await panel.deliver({ type: 'found', query: 'the', hits: [{ rowId: 'm24', count: 1 }] });
    },
    'a reader away from the end': async (panel) => {
      await panel.show(
        READY,
        Array.from({ length: 60 }, (_, n) => assistant(`m${n}`, `Answer ${n}\n\nof two paragraphs`)),
        true,
      );
      await panel.page.locator('.conversation').evaluate((element) => element.scrollBy(0, -2_000));
      await panel.deliver();
    },
    sessions: async (panel) => {
      await panel.show(READY, CONVERSATION);
      await panel.page.locator('textarea').fill('/history');
      await panel.page.locator('textarea').press('Enter');
      await panel.deliver({ type: 'sessions', query: '', sessions: [...SESSIONS] });
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

      test(`no finding in ${names.length} states, ${theme}`, { tag: ['@everyday', '@item:17'] }, async ({ panel }) => {
        const findings: string[] = [];
        for (const name of names) {
          await panel.reload();
          await scenes[name]?.(panel);
          for (const icon of await iconsWithoutPicture(panel)) findings.push(`${name}: no picture for ${icon}`);
          await panel.page.evaluate(axe);
          const { violations } = await panel.page.evaluate(() =>
            (window as unknown as { axe: typeof Axe }).axe.run({ resultTypes: ['violations'] }),
          );
          for (const { id, impact, nodes } of violations) {
            // A text field of several lines that completes is a combobox, whatever HTML says of its element.
            const others = nodes.filter(({ html }) => id !== 'aria-allowed-role' || !html.includes('role="combobox"'));
            if (others.length > 0) findings.push(`${name}: ${impact} ${id} ${others[0]?.html}`);
          }
        }
        deepEqual(findings, []);
      });
    });
  }
});

/** Classes of the icons on the page that the style sheet or the font lacks. */
const iconsWithoutPicture = ({ page }: OpenPanel): Promise<readonly string[]> =>
  page.evaluate(async () => {
    await document.fonts.ready;
    return [...document.querySelectorAll('.codicon')]
      .filter((icon) => getComputedStyle(icon, '::before').content === 'none')
      .map((icon) => icon.className);
  });

test('nothing turns for who wants less motion', { tag: '@item:17' }, async ({ panel }) => {
  const { page } = panel;
  const spins = () =>
    page
      .locator('.codicon-modifier-spin')
      .first()
      .evaluate((icon) => getComputedStyle(icon).animationName !== 'none');
  const running = tool('m1.0', 'run_command', 'npm test', { status: 'running' });
  await panel.show(RUNNING, [running]);
  deepEqual(await spins(), true);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  deepEqual(await spins(), false);
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.evaluate(() => document.body.classList.add('vscode-reduce-motion'));
  deepEqual(await spins(), false);
});

test('a message runs in the direction of its own script, and its code from left to right', async ({ panel }) => {
  const hebrew = '\u05E9\u05DC\u05D5\u05DD \u05E2\u05D5\u05DC\u05DD';
  await panel.show(READY, [
    user('m1', hebrew),
    assistant(
      'm2',
      `${hebrew} \`src/a.ts\`\n\n- ${hebrew}\n- ${hebrew}\n\nand English again\n\n\`\`\`ts\nconst a = 1;\n\`\`\``,
    ),
  ]);
  const directions = await panel.page
    .locator('.user-text, .markdown > p, .markdown > ul, .markdown pre')
    .evaluateAll((all) => all.map((one) => getComputedStyle(one).direction));
  deepEqual(directions, ['rtl', 'rtl', 'rtl', 'ltr', 'ltr']);
});

test('in an answer from right to left code stays whole, and marks stand inside the edge', async ({ panel }) => {
  const hebrew = '\u05E9\u05DC\u05D5\u05DD \u05E2\u05D5\u05DC\u05DD';
  await panel.show(READY, [assistant('m1', `\`--fix src/\` ${hebrew}\n\n- ${hebrew} \`a.ts:3\`\n\n> ${hebrew}`)]);
  const look = await panel.page.locator('.markdown').evaluate((element) => {
    const style = (selector: string) => getComputedStyle(element.querySelector(selector) as Element);
    const { paddingLeft, paddingRight } = style('ul');
    const { borderLeftWidth, borderRightWidth } = style('blockquote');
    return {
      paragraph: style('p').direction,
      code: [style('p code').direction, style('p code').unicodeBidi],
      list: [paddingLeft, paddingRight],
      quote: [borderLeftWidth, borderRightWidth],
    };
  });
  deepEqual(look, {
    paragraph: 'rtl',
    code: ['ltr', 'isolate'],
    list: ['0px', '22px'],
    quote: ['0px', '3px'],
  });
});

test('what a person wrote runs so wherever it stands, and what is around it stays in place', async ({ panel }) => {
  const { page } = panel;
  const hebrew = '\u05E9\u05DC\u05D5\u05DD \u05E2\u05D5\u05DC\u05DD';
  const queue = [{ id: 'q1', text: hebrew, now: false }];
  await panel.show({ ...RUNNING, title: hebrew, queue, todo: [{ text: hebrew, state: 'doing' }] }, [
    user('m1', hebrew),
  ]);
  await page.locator('textarea').fill(hebrew);
  await page.locator('.todo-line').click();
  await panel.deliver();
  const directions = await page
    .locator('.title-button, .queue .clip, .todo li span:last-child, textarea')
    .evaluateAll((all) => all.map((one) => getComputedStyle(one).direction));
  deepEqual(directions, ['rtl', 'rtl', 'rtl', 'rtl']);
  const [text, button] = await page
    .locator('.queue .clip, .queue button')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left));
  ok((text ?? 0) < (button ?? 0));
  await page.locator('textarea').fill('and English again');
  deepEqual(await page.locator('textarea').evaluate((box) => getComputedStyle(box).direction), 'ltr');
});

/** Everything the live region has said since. */
async function listen({ page }: OpenPanel): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const region = document.querySelector('[role=status].announcer');
    const said: string[] = [];
    Object.assign(window, { said });
    if (region) new MutationObserver(() => said.push(region.textContent ?? '')).observe(region, { childList: true });
  });
  return () => page.evaluate(() => (window as unknown as { said: string[] }).said.splice(0));
}

const live = (text: string): Row => ({ ...assistant('live', text), live: true }) as Row;

test('an answer is read out once it is whole, and a page that comes again is not', async ({ panel }) => {
  await panel.show(RUNNING, [user('m1', 'Why?'), live('Be')]);
  const said = await listen(panel);
  for (const text of ['cause', ' of', ' the clock.'])
    await panel.deliver({ type: 'delta', rowId: 'live', text, reasoning: '' });
  deepEqual(await said(), []);
  const whole = assistant('m2', 'Because of the clock.');
  await panel.deliver({ type: 'rows', rows: [whole] }, { type: 'removeRows', ids: ['live'] });
  deepEqual(await said(), ['Assistant: Because of the clock.']);
  await panel.deliver({ type: 'rows', rows: [user('m1', 'Why?'), whole] });
  await panel.show(READY, [user('m1', 'Why?'), whole]);
  deepEqual(await said(), []);
});

test('nothing of the session before is told of the next one', async ({ panel }) => {
  await panel.show(RUNNING, [user('m1', 'Why?')]);
  await panel.deliver({ type: 'rows', rows: [assistant('m2', 'Because of the clock.')] });
  const region = panel.page.locator('[role=status].announcer');
  equal(await region.textContent(), 'Assistant: Because of the clock.');
  await panel.show({ ...READY, sessionId: 's2' }, []);
  equal(await region.textContent(), '');
});

test('questions, compactions, faults and modes are told; a call that runs is not', async ({ panel }) => {
  await panel.show(RUNNING, [user('m1', 'Go on')]);
  const said = await listen(panel);
  const heard: string[][] = [];
  const after = async (...frame: Parameters<OpenPanel['deliver']>) => {
    await panel.deliver(...frame);
    heard.push((await said()).map((text) => text.slice(0, 60)));
  };
  await after({ type: 'rows', rows: [tool('m2.0', 'read_file', 'src/a.ts', { status: 'running' })] });
  await after({ type: 'rows', rows: [EDIT_APPROVAL] });
  // Drawn again with the same question.
  await after({ type: 'rows', rows: [EDIT_APPROVAL] });
  await after({ type: 'state', state: { ...RUNNING, status: 'compacting' } });
  await after({ type: 'rows', rows: [compaction('e30')] });
  await after({ type: 'rows', rows: [notice('e31', 'error', 'The key was not accepted.')] });
  await after({ type: 'state', state: { ...READY, mode: 'ask' } });
  deepEqual(heard, [
    [],
    ['Allow this edit? src/retry.ts Alt+J leads to it.'],
    [],
    ['Compacting…'],
    ['Compaction: 142k → 31k'],
    ['The key was not accepted.'],
    ['Mode: Ask'],
  ]);
});
