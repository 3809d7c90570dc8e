/** The panel with every row on the page, which the windowed list is measured against. */

import '../../src/protocol/withoutEval.ts';
import '../../webview/main.css';
import { html, render } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { Panel } from '../../webview/page/panel.ts';
import { registerToolkit } from '../../webview/toolkit.ts';
import { nameEvent, speakRow, viewRow } from '../../webview/views/rows/viewRow.ts';

registerToolkit();
const root = document.getElementById('panel') as HTMLElement;
const place = { fixed: false, continues: false, ends: true, kind: 'row' } as const;
new Panel(
  root,
  (panel) => html`
    <div class="conversation">
      <div class="rows">
        ${repeat(
          panel.rows.all,
          ({ id }) => id,
          (row) => viewRow(panel, row, place),
        )}
      </div>
    </div>
  `,
  { speak: speakRow, nameEvent },
  () => undefined,
).invalidate();
render(html``, document.createElement('div'));
