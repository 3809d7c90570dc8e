/** Commands and keys: those of the editor can be changed there. */

import { t } from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import { type Words, words } from '../../src/core/words.ts';
import { factsOf, REGISTERED_COMMANDS, type RegisteredCommand } from '../../src/protocol/commands.ts';
import { CARD_KEY } from '../page/cardKeys.ts';
import { SLASHES } from '../page/commands.ts';
import { inPanelLanguage } from '../page/format.ts';
import type { Panel } from '../page/panel.ts';
import { viewIconButton, viewTextButton } from './viewButton.ts';

export function viewHelp(panel: Panel): TemplateResult {
  return viewOverlay(
    panel,
    t('Commands and keys'),
    html`
      <dl class="help">
        ${SLASHES.map(({ word, help }) => html`<dt><code>/${word}</code></dt><dd>${t(help)}</dd>`)}
        ${KEYS.map(([keys, meaning]) => html`<dt><kbd>${keys}</kbd></dt><dd>${inPanelLanguage(meaning)}</dd>`)}
        ${EDITOR_KEYS.map(([keys, title]) => html`<dt><kbd>${keys}</kbd></dt><dd>${t(title)}</dd>`)}
      </dl>
      <div class="popover-actions">
        ${viewTextButton(t('Change keys of commands…'), () => panel.post({ type: 'openKeyboardShortcuts' }))}
      </div>
    `,
  );
}

const KEYS: readonly (readonly [string, Words])[] = [
  ['Enter', words('Send')],
  ['Ctrl+Enter', words('While the agent works: stop it, and send')],
  ['Shift+Enter', words('New line')],
  ['@', words('Mention a file, a symbol or other context')],
  ['↑', words('Earlier message, when the message box is empty')],
  ['↑ · ↓', words('In the conversation: from row to row; Enter opens one')],
  ['Esc', words('Stop, or close what is open')],
  [CARD_KEY, words('Go to what is asked, or to the next question; the keys there count only then')],
  ['y · a · A · n', words('There, in an approval: allow, for this session, always, no')],
  ['y · e · n', words('There, in a plan: approve, change, no')],
  ['y · d · s · n · p', words('There, before a compaction: compact, drop oldest, new session, not now, preview')],
  ['1 … 9', words('There, in a question of the agent: choose an answer')],
];

const MAC = navigator.platform.startsWith('Mac');

const NAMES: Readonly<Record<string, string>> = {
  up: '↑',
  down: '↓',
  ...(MAC ? { cmd: '⌘', ctrl: '⌃', alt: '⌥', shift: '⇧' } : {}),
};

/** Default keys of a command in the panel. */
export function keysOf(name: RegisteredCommand): string[] {
  const here = factsOf(name).keys?.filter(({ when }) => when.includes('palimpsest.focused')) ?? [];
  return here.map(({ key, mac }) => formatKey((MAC && mac) || key));
}

const EDITOR_KEYS = REGISTERED_COMMANDS.flatMap((name) =>
  keysOf(name).map((key) => [key, factsOf(name).title ?? ''] as const),
);

function formatKey(key: string): string {
  return key
    .split('+')
    .map((part) => NAMES[part] ?? part.charAt(0).toUpperCase() + part.slice(1))
    .join(MAC ? '' : '+');
}

/** A sheet over the conversation, with a title and a close button. */
export function viewOverlay(panel: Panel, title: string, body: TemplateResult): TemplateResult {
  return html`
    <div class="overlay popover" role="dialog" aria-modal="true" aria-label=${title}>
      <div class="overlay-head">
        <h2 class="grow">${title}</h2>
        ${viewIconButton('close', t('Close'), () => panel.popovers.show('none'))}
      </div>
      ${body}
    </div>
  `;
}
