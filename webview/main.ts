/** Starts the panel. */

import './main.css';
import { Panel } from './panel.ts';
import { registerToolkit } from './toolkit.ts';

registerToolkit();
const root = document.getElementById('panel');
if (!root) throw new Error('The page has no element for the panel');
new Panel(root).invalidate();
