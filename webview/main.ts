/** Starts the panel. The first import must stay first: it configures the creation of the schemas. */

import '../src/protocol/withoutEval.ts';
import './main.css';
import { Panel } from './page/panel.ts';
import { registerToolkit } from './toolkit.ts';
import { nameEvent, speakRow } from './views/rows/viewRow.ts';
import { runAct } from './views/runAct.ts';
import { viewPanel } from './views/viewPanel.ts';

registerToolkit();
const root = document.getElementById('panel');
if (!root) throw new Error('The page has no element for the panel');
const panel = new Panel(root, viewPanel, { speak: speakRow, nameEvent }, runAct);
panel.invalidate();
const postFocus = () => panel.post({ type: 'focused', focused: document.hasFocus() });
for (const event of ['focus', 'blur']) window.addEventListener(event, postFocus);
if (document.hasFocus()) postFocus();
