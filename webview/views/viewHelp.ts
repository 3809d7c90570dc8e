/** Commands and keys. */

import { t } from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import { type Words, words } from '../../src/core/words.ts';
import { SLASHES } from '../page/commands.ts';
import type { Panel } from '../page/panel.ts';
import { tell } from '../words/tell.ts';
import { viewOverlay } from './viewOverlay.ts';

export function viewHelp(panel: Panel): TemplateResult {
  return viewOverlay(
    panel,
    t('Commands and keys'),
    html`
      <dl class="help">
        ${SLASHES.map(({ word, help }) => html`<dt><code>/${word}</code></dt><dd>${t(help)}</dd>`)}
        ${KEYS.map(([keys, meaning]) => html`<dt><kbd>${keys}</kbd></dt><dd>${tell(meaning)}</dd>`)}
      </dl>
    `,
  );
}

const KEYS: readonly (readonly [string, Words])[] = [
  ['Enter', words('Send')],
  ['Shift+Enter', words('New line')],
  ['@', words('Mention a file, a symbol or other context')],
  ['↑', words('Earlier message, when the message box is empty')],
  ['Shift+Tab', words('Next mode: ask, plan, act')],
  ['Ctrl+F · ⌘F', words('Find in the conversation')],
  ['Ctrl+↑ · ⌘↑', words('To the conversation: ↑ and ↓ go from row to row, Enter opens one')],
  ['Ctrl+↓ · ⌘↓', words('Back to the message box')],
  ['Esc', words('Stop, or close what is open')],
  ['y · a · n', words('Answer an approval: allow, for this session, no')],
  ['y · d · s · n · p', words('Answer before a compaction: compact, drop oldest, new session, not now, preview')],
  ['1 … 9', words('Choose an answer to the agent’s question')],
];
