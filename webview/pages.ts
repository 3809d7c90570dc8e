/** Starts a page in an editor tab. The first import must stay first: it configures the creation of the schemas. */

import '../src/protocol/withoutEval.ts';
import './pages.css';
import { Pane } from './pages/pane.ts';
import { viewPage } from './pages/viewBlock.ts';

const root = document.getElementById('panel');
if (!root) throw new Error('The page has no element to draw in');
new Pane(root, viewPage);
