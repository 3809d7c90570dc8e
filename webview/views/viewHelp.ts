/** Commands and keys. */

import { html, type TemplateResult } from 'lit';
import { COMMANDS } from '../page/commands.ts';
import type { Panel } from '../page/panel.ts';
import { strings } from '../words/strings.ts';
import { viewOverlay } from './viewOverlay.ts';

export function viewHelp(panel: Panel): TemplateResult {
  return viewOverlay(
    panel,
    strings.help,
    html`
      <dl class="help">
        ${COMMANDS.map((name) => html`<dt><code>/${name}</code></dt><dd>${strings.commands[name]}</dd>`)}
        ${strings.keys.map(([keys, text]) => html`<dt><kbd>${keys}</kbd></dt><dd>${text}</dd>`)}
      </dl>
    `,
  );
}
